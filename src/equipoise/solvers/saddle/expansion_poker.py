"""Policies that know betting rounds and cards: the two rules of thumb of Muench 2015, section 5.2.

They speak of Leduc hold'em, one card each and one on the table; here they hold for every poker game of two
players, with the highest card of a hand and of the board in their place.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.decisions import FormDecision, decisions, ranks
from equipoise.sequence.reductions.restrict import Mask
from equipoise.solvers.saddle.expansion import Look


class FirstAction:
    """Check first with any card, and bet when the table is in one's favour (algorithms 6 and 7).

    Player 1 checks as her first action, and bets as the first one of a later round if her card is at least
    the table's. Player 2 answers a first check with a bet if his card is above the middle, with a
    check otherwise. What they say is the same in every iteration, so it is added once.
    """

    def __init__(self) -> None:
        self._marks = cache(_first_actions)

    def more(self, look: Look) -> Mask:
        """Mark the best response and what the rule adds."""
        return look.best | self._marks(look.form, look.player)


class SecondRound:
    """Play a later round alike after all that led to it (algorithm 8).

    The best response's actions of a round, with the same cards, are added after every sequence of the rounds
    before.
    """

    def __init__(self) -> None:
        self._alike = cache(_alike)

    def more(self, look: Look) -> Mask:
        """Mark the best response, in later rounds after every history."""
        marked = look.best
        for together in self._alike(look.form, look.player):
            numbers = np.stack([decision.numbers for decision in together])
            marked[numbers] = marked[numbers].any(axis=0)
        return marked


def _first_actions(form: SequenceForm, player: int) -> Mask:
    """Mark the actions of algorithm 6 or 7."""
    marked = np.zeros(form.A.shape[player], dtype=bool)
    held = ranks(form, player)
    for decision in decisions(form, player):
        passive, *bets = decision.numbers
        own, board = held[decision.round]
        if player == 0 and decision.is_first:
            marked[passive] = True
        elif player == 0 and decision.round > 0 and not decision.path and bets:
            marked[bets[0][own >= board]] = True
        elif player == 1 and decision.is_first and len(decision.path) == 1 and bets:
            checked = decision.path[0] == decision.actions[0]
            high = own > own.max() / 2
            if checked:
                marked[bets[0][high]] = marked[passive[~high]] = True
    return marked


def _alike(form: SequenceForm, player: int) -> list[list[FormDecision]]:
    """Return the decisions of later rounds, those together that differ by the rounds before alone."""
    groups: dict[tuple[object, ...], list[FormDecision]] = defaultdict(list)
    for decision in decisions(form, player):
        if decision.round > 0:
            groups[decision.round, decision.path, decision.actions].append(decision)
    return [group for group in groups.values() if len(group) > 1]
