"""Limit betting: every bet and raise of a round has the same size."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.stages import (
    MOST_RAISES,
    DecisionNode,
    Pot,
    Stage,
    StageEnd,
    assemble,
    forced_bets,
    per_round,
    won_by_last,
)


def limit_stage(bet: float, cap: int, first: int = 0, opened: int = 0) -> Stage:
    """One round of limit betting.

    Players who are in act in turn, beginning with seat ``first``. Facing no bet: check (k) or bet
    (b); facing one: fold (f), call (c) or raise (r). Every bet and raise adds ``bet`` to what must
    be matched; together there are at most ``cap`` of them, ``opened`` of which (a blind counts as
    one) have been made when the round begins.
    """
    if bet <= 0:
        raise EquipoiseError(f"bet: found {bet}, expected a positive amount.")
    if not 1 <= cap <= MOST_RAISES or cap != int(cap):
        raise EquipoiseError(f"cap: found {cap}, expected a whole number from 1 to {MOST_RAISES}.")

    def act(pot: Pot, waiting: tuple[int, ...], bets: int) -> DecisionNode | StageEnd:
        if sum(pot.live) == 1:
            return StageEnd(pot, won_by_last(pot))
        if not waiting:
            return StageEnd(pot)
        player, rest = waiting[0], waiting[1:]
        owed = max(pot.paid) - pot.paid[player]
        actions: dict[str, DecisionNode | StageEnd] = {}
        if owed > 0:
            actions["f"] = act(pot.fold(player), rest, bets)
            actions["c"] = act(pot.put(player, owed), rest, bets)
        else:
            actions["k"] = act(pot, rest, bets)
        if bets < cap:
            others = _seats_after(player, pot.live)
            actions["r" if bets else "b"] = act(pot.put(player, owed + bet), others, bets + 1)
        return DecisionNode(player, actions)

    def stage(pot: Pot) -> DecisionNode | StageEnd:
        players = len(pot.live)
        if first not in range(players):
            raise EquipoiseError(f"first: found seat {first}, expected 0 to {players - 1}.")
        start = (first - 1) % players
        others = _seats_after(start, pot.live)
        return act(pot, (*others, start) if pot.live[start] else others, opened)

    return stage


def _seats_after(player: int, live: Sequence[bool]) -> tuple[int, ...]:
    """Seats of those in, other than ``player``, in the order they act after ``player``."""
    seats = len(live)
    return tuple(seat for k in range(1, seats) if live[seat := (player + k) % seats])


def limit(
    rounds: int,
    *,
    bets: Sequence[float],
    cap: int | Sequence[int],
    antes: float = 0,
    blinds: Sequence[float] = (),
    first: int | Sequence[int] = 0,
    players: int = 2,
) -> BettingTree:
    """Limit poker betting over ``rounds`` rounds.

    Parameters
    ----------
    bets
        Size of a bet or raise in each round.
    cap
        Most bets and raises in a round, all players together (one number, or one a round).
    antes, blinds
        What every player puts in before the deal; and, instead of or besides, one forced amount a
        player. A blind counts as the first bet of round one.
    first
        Seat (from 0) that acts first, one number or one a round.
    """
    blinds = forced_bets(players, antes, blinds)
    if rounds < 1:
        raise EquipoiseError(f"rounds: found {rounds}, expected at least 1.")
    sizes = per_round("bets", bets, rounds)
    caps = per_round("cap", cap, rounds)
    firsts = per_round("first", first, rounds)
    opened = [int(j == 0 and max(blinds) > 0) for j in range(rounds)]
    stages = [limit_stage(*rules) for rules in zip(sizes, caps, firsts, opened, strict=True)]
    return assemble(stages, paid=tuple(antes + blind for blind in blinds))
