"""Strategies for jam/fold tournaments: how often each class of hand goes in, everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import Arrays, Bundle, Metadata, save
from equipoise.cards.showdown import CLASSES, COMBOS
from equipoise.errors import EquipoiseError, whole_number
from equipoise.games.files.tournament import FIELDS, rules_of, tournament_of
from equipoise.games.tournaments.tournament import FOLD, Hands, Tournament, decisions, describe
from equipoise.strategy.local import BehaviourStrategy, LocalStrategy, unknown
from equipoise.strategy.store import STRATEGY, load_solved

_ROUNDING = 1e-6

Plays = NDArray[np.float64]
Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TournamentStrategy(BehaviourStrategy):
    """One strategy for every position: ``plays[m][state, decision, class]`` with m players left.

    States are those of :class:`equipoise.games.tournaments.tournament.Hands`, decisions and their order
    those of :func:`equipoise.games.tournaments.tournament.decisions`. ``values[m]`` is what whoever found
    the strategy says that nodes are worth, ``state * m + position``; it may be missing.
    """

    tournament: Tournament
    plays: dict[int, Plays] = field(repr=False)
    values: dict[int, Values] = field(default_factory=dict, repr=False)

    def at(self, stacks: Sequence[int]) -> Plays:
        """Return ``[decision, class]`` for stacks in chips, by position."""
        state = self.tournament.state(stacks)
        number = Hands(self.tournament, len(state)).number[state]
        return np.asarray(self.plays[len(state)][number])

    def __repr__(self) -> str:
        states = sum(len(plays) for plays in self.plays.values())
        return f"<TournamentStrategy of '{self.tournament.name}': {states:,} states>"

    def local(self, label: str) -> LocalStrategy:
        """Return what is done in an information set, which is called as in :meth:`decisions`."""
        where, _, rest = label.partition(" ")
        what, _, hand = rest.rpartition(": ")
        stacks = [whole_number(text) for text in where.split("/")]
        rules, m = self.tournament, len(stacks)
        moves = decisions(m) if m in self.plays else ()
        named = {describe(m, move): d for d, move in enumerate(moves)}
        if None in stacks or what not in named or hand not in CLASSES:
            raise unknown(label, self)
        known, d = [stack for stack in stacks if stack is not None], named[what]
        if not Hands(rules, m).has_choice(rules.state(known), moves[d]):
            raise unknown(label, self)
        often = float(self.at(known)[d, CLASSES.index(hand)])
        return LocalStrategy(moves[d].player, label, ("fold", "jam"), (1 - often, often))

    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield what each position does with each class of hands wherever it has a choice.

        The information set ``4500/4500/4500 button jams: AKs`` is the stacks in chips, by position, what
        going in means, and the hand.
        """
        rules = self.tournament
        for m, plays in sorted(self.plays.items(), reverse=True):
            hands, moves = Hands(rules, m), decisions(m)
            free = hands.legal[:, FOLD::2]
            for state, stacks in enumerate(hands.states):
                where = "/".join(str(stack * rules.unit) for stack in stacks)
                for d in np.flatnonzero(free[state]).tolist():
                    label = f"{where} {describe(m, moves[d])}"
                    for hand, often in zip(CLASSES, plays[state, d].tolist(), strict=True):
                        yield LocalStrategy(
                            moves[d].player, f"{label}: {hand}", ("fold", "jam"), (1 - often, often)
                        )

    def shares(self, stacks: Sequence[int]) -> NDArray[np.float64]:
        """Return the share of all hands that goes in at each decision, for stacks in chips."""
        return np.asarray(self.at(stacks) @ COMBOS / COMBOS.sum())

    def frequencies(self, stacks: Sequence[int]) -> NDArray[np.float64]:
        """Return how often the player goes in when a decision is his, for stacks in chips.

        It is not the share of hands: what the others have done has told of their cards. Where a
        decision never comes up it is not a number.
        """
        from equipoise.games.tournaments.jamfold import arrivals

        plays = self.at(stacks)
        arriving = arrivals(plays)
        with np.errstate(invalid="ignore"):
            return np.asarray((plays * arriving).sum(axis=1) / arriving.sum(axis=1))


def fingerprint(tournament: Tournament) -> str:
    """Return a digest of the rules."""
    return hashlib.sha256(json.dumps(rules_of(tournament), sort_keys=True).encode()).hexdigest()


def packed(strategy: TournamentStrategy) -> tuple[Arrays, Metadata]:
    """Return a strategy as arrays and metadata, which hold the rules."""
    arrays: Arrays = {f"plays.{m}": plays for m, plays in strategy.plays.items()}
    arrays |= {f"values.{m}": numbers for m, numbers in strategy.values.items()}
    rules = strategy.tournament
    return arrays, {
        "game": rules.name,
        "spec": rules.name,
        "fingerprint": fingerprint(rules),
        "tournament": rules_of(rules),
    }


def strategy_of(path: str | Path, bundle: Bundle) -> TournamentStrategy:
    """Return the strategy that ``bundle``, loaded from ``path``, holds."""
    rules = bundle.metadata.get("tournament")
    if not isinstance(rules, dict) or rules.keys() != set(FIELDS):
        raise EquipoiseError(f"{path}: found no rules of a tournament, expected {sorted(FIELDS)}.")
    try:
        tournament = tournament_of(rules, "tournament")
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
    plays, values = {}, {}
    for m in range(2, tournament.players + 1):
        states = len(Hands(tournament, m).states)
        plays[m] = _array(path, bundle, f"plays.{m}", (states, len(decisions(m)), len(COMBOS)), 1.0)
        values[m] = _array(path, bundle, f"values.{m}", (states * m,), tournament.pool)
    return TournamentStrategy(tournament, plays, values)


def _array(
    path: str | Path, bundle: Bundle, name: str, shape: tuple[int, ...], most: float
) -> NDArray[np.float64]:
    """Return an array of ``bundle`` with this shape and numbers from zero to ``most``."""
    found = bundle.arrays.get(name)
    if found is None or found.shape != shape or found.dtype != np.float64:
        raise EquipoiseError(
            f"{path}: array {name} is missing or has another shape, expected {shape} floats."
        )
    if not ((found >= -_ROUNDING * most) & (found <= most * (1 + _ROUNDING))).all():
        raise EquipoiseError(
            f"{path}: array {name} has numbers out of range, expected all from 0 to {most:g}."
        )
    return found


def upgraded(path: str | Path, bundle: Bundle) -> Bundle:
    """Return the bundle of an earlier version, which had a kind of its own, as it would be now."""
    _, own = packed(strategy_of(path, bundle))
    return Bundle(STRATEGY, bundle.arrays, {**bundle.metadata, **own})


def save_tournament(
    path: str | Path,
    strategy: TournamentStrategy,
    values: Mapping[int, Values],
    log: NDArray[np.float64],
    metadata: Mapping[str, Any],
) -> None:
    """Write a strategy, the values of its nodes, and the log of the solve that found it."""
    arrays, own = packed(TournamentStrategy(strategy.tournament, strategy.plays, dict(values)))
    save(path, STRATEGY, {**arrays, "log": log}, {**metadata, **own})


def load_tournament(path: str | Path) -> tuple[TournamentStrategy, dict[int, Values]]:
    """Return the strategy stored at ``path``, and the values of its nodes."""
    strategy = strategy_of(path, load_solved(path))
    return strategy, strategy.values
