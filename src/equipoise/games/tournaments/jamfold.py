"""Jam/fold hands over the 169 classes of starting hands, with card removal throughout.

The stochastic game of a tournament with m players left (:class:`JamFold`), or of a single hand played
for chips (:func:`cash`). Its likelihoods are counts of deals: with two players, products with the
169 x 169 table; with three, contractions of the 169 x 169 x 169 tables

    T[i, j, k]       deals of classes i, j and k,
    W[i, j, k]       T times the chance that i beats j when k is dealt too,
    E[i, j, k]       T times the chance that they tie,

in which a player who folded still holds his cards, and of the 13 orders of three hands. A folded hand
enters by what it takes away: the deals in which he folds are all deals less those in which he plays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from equipoise.cards.showdown import COMBOS
from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.contraction import (
    CLASSES,
    DEALS,
    Contraction,
    contractions,
    pair_table,
)
from equipoise.games.tournaments.stochastic import Profile, StochasticGame
from equipoise.games.tournaments.tournament import FOLD, JAM, Hands, decisions, leads_to, outcomes
from equipoise.numerics.mdp import Check, Values, never

_PAIRS = 128
"""States of two players at once; a matrix of pairs of classes, and what it is made of, take 0.7 MB each."""


@dataclass(frozen=True, eq=False)
class JamFold(StochasticGame):
    """Every hand with this many players left.

    Rows as in ``successors``: ``leaving`` has the chances of nodes with one player less, ``paid`` the
    prizes of those who leave; what such nodes are worth is part of ``prizes``.
    """

    leaving: csr_matrix | None = field(default=None, repr=False)
    paid: Values | None = field(default=None, repr=False)

    def after(self, fewer: Values) -> JamFold:
        """Return the game in which nodes with one player less are worth ``fewer``."""
        if self.leaving is None or self.paid is None or fewer.shape != self.leaving.shape[1:]:
            raise EquipoiseError(
                "Tournament: expected a value for every node with one player less."
            )
        return replace(self, prizes=self.paid + self.leaving @ fewer)

    def plays(self, profile: Profile) -> NDArray[np.float64]:
        """Return the probabilities of going in, [state, decision, class]."""
        return profile[:, JAM::2]

    def profile(self, plays: NDArray[np.float64]) -> Profile:
        """Return the profile with these probabilities of going in."""
        return np.stack([1 - plays, plays], axis=2).reshape(len(plays), -1, CLASSES)

    def likelihoods(
        self, profile: Profile, check: Check = never
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return L and rest, see :class:`equipoise.games.tournaments.stochastic.StochasticGame`."""
        plays = self.plays(profile)
        L = np.empty((len(plays), len(self.slot_action), CLASSES))
        check()
        for batch, rows, _ in self.batches(plays):
            L[batch] = rows
            check()
        return L, self._walks(profile, L)

    def batches(
        self, plays: NDArray[np.float64]
    ) -> Iterator[tuple[slice, NDArray[np.float64], Contraction | None]]:
        """Yield L batch by batch, ``plays`` being of any states; of three players with contractions."""
        if self.players == 2:
            for low in range(0, len(plays), _PAIRS):
                batch = slice(low, min(low + _PAIRS, len(plays)))
                yield batch, _heads_up_deals(plays[batch]) / DEALS[2], None
            return
        for batch, contraction in contractions(plays):
            yield batch, contraction.likelihoods() / DEALS[3], contraction

    def _walks(self, profile: Profile, L: NDArray[Any]) -> NDArray[np.float64]:
        """Return how often nobody goes in, so that the last player wins without a decision."""
        rest = np.zeros((len(L), self.players, self.outcomes))
        last = self.players - 1
        walk = next(o for o, way in enumerate(outcomes(self.players)) if way.inside == (last,))
        owners = self.owner[self.decision_of[self.slot_action]]
        (slot,) = np.flatnonzero((self.slot_outcome == walk) & (owners == last - 1))
        rest[:, last, walk] = (profile[:, self.slot_action[slot]] * L[:, slot]).sum(axis=1)
        return rest


def _heads_up_deals(plays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the counts of deals by slot and class with two players, ``[state, slot, h]``."""
    total, win, tie = pair_table(2)
    jam, call = np.moveaxis(plays, 1, 0)
    dealt = np.broadcast_to(COMBOS * (DEALS[2] / 1326), jam.shape)
    called, reached = call @ total.T, jam @ total
    won, tied = (call @ counts.T for counts in (win, tie))
    lost_to, tied_with = (jam @ counts for counts in (win, tie))
    rows = [
        dealt,
        *(dealt - called, won, tied, called - won - tied),
        reached,
        *(lost_to, tied_with, reached - lost_to - tied_with),
    ]
    return np.stack(rows, axis=1)


def arrivals(plays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how often each class comes to each decision of one state, both ``[decision, class]``.

    What others have done before tells of their cards, and so of the player's own: after the button's
    fold, the blinds' hands are a little better than a fresh deal.
    """
    players = next(m for m in (2, 3) if len(decisions(m)) == len(plays))
    if players == 2:
        deals = _heads_up_deals(plays[None])[0] / DEALS[2]
    else:
        ((_, contraction),) = contractions(plays[None])
        deals = contraction.likelihoods()[0] / DEALS[3]
    actions = np.array([action for action, _ in _slots(players)])
    return np.stack([deals[actions == 2 * d + JAM].sum(axis=0) for d in range(len(plays))])


def tournament_game(hands: Hands, fewer: Values | None = None) -> JamFold:
    """Return the game of ``hands``; ``fewer`` are the values of nodes with one player less."""
    matrices, paid = hands.transitions()
    game = _game(hands.players, len(hands.states), hands.legal, matrices[hands.players], paid)
    if hands.players == 2:
        return game
    leaving = matrices[hands.players - 1]
    game = replace(game, leaving=leaving, paid=paid)
    return game.after(np.zeros(leaving.shape[1]) if fewer is None else fewer)


def cash(stack: float, small: float = 0.5, big: float = 1.0) -> JamFold:
    """Return heads-up jam/fold for chips, one hand: the small blind first, both with ``stack``.

    Prizes are the chips that players end up with.
    """
    if not 0 < small <= big < stack:
        raise EquipoiseError(
            f"Push/fold: found stack {stack} and blinds {small}/{big}, expected 0 < small <= big < "
            "stack."
        )
    uncalled = {(0,): big, (1,): -small}
    won = [
        uncalled[way.inside] if len(way.inside) == 1 else stack * (way.places[1] - way.places[0])
        for way in outcomes(2)
    ]
    prizes = np.array([[stack + amount, stack - amount] for amount in won])
    legal = np.ones((1, 4), dtype=bool)
    return _game(2, 1, legal, csr_matrix((10, 2)), prizes.ravel())


def _slots(players: int) -> list[tuple[int, int]]:
    """Return the (action, outcome) pairs of a hand, grouped by action."""
    return [
        (2 * d + action, o)
        for d, move in enumerate(decisions(players))
        for action in (FOLD, JAM)
        for o, way in enumerate(outcomes(players))
        if leads_to(move, action, way)
    ]


def _game(
    players: int,
    states: int,
    legal: NDArray[np.bool_],
    successors: csr_matrix,
    prizes: Values,
) -> JamFold:
    """Return the game with these payoffs; decisions, actions and slots follow from the players."""
    moves, ways, slots = decisions(players), outcomes(players), _slots(players)
    return JamFold(
        players=players,
        states=states,
        signals=CLASSES,
        owner=np.array([move.player for move in moves]),
        decision_of=np.repeat(np.arange(len(moves)), 2),
        slot_action=np.array([action for action, _ in slots]),
        slot_outcome=np.array([outcome for _, outcome in slots]),
        outcomes=len(ways),
        legal=legal,
        successors=successors,
        prizes=prizes,
    )
