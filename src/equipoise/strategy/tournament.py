"""Strategies for jam/fold tournaments: how often each class of hand goes in, everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import Arrays, load, save
from equipoise.cards.showdown import COMBOS
from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields
from equipoise.games.tournaments.tournament import Hands, Tournament, decisions

KIND = "tournament"

_ROUNDING = 1e-6

Plays = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TournamentStrategy:
    """One strategy for every position: ``plays[m][state, decision, class]`` with m players left.

    States are those of :class:`equipoise.games.tournaments.tournament.Hands`, decisions and their order those of
    :func:`equipoise.games.tournaments.tournament.decisions`.
    """

    tournament: Tournament
    plays: dict[int, Plays]

    def at(self, stacks: Sequence[int]) -> Plays:
        """Return ``[decision, class]`` for stacks in chips, by position."""
        state = self.tournament.state(stacks)
        number = Hands(self.tournament, len(state)).number[state]
        return np.asarray(self.plays[len(state)][number])

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


def save_tournament(
    path: str | Path,
    strategy: TournamentStrategy,
    values: Mapping[int, NDArray[np.float64]],
    log: NDArray[np.float64],
    metadata: Mapping[str, Any],
) -> None:
    """Write a strategy, the values of its nodes, and the log of the solve that found it."""
    arrays: Arrays = {f"plays.{m}": plays for m, plays in strategy.plays.items()}
    arrays |= {f"values.{m}": numbers for m, numbers in values.items()}
    arrays["log"] = log
    save(path, KIND, arrays, {**metadata, "tournament": rules_of(strategy.tournament)})


def load_tournament(path: str | Path) -> tuple[TournamentStrategy, dict[int, NDArray[np.float64]]]:
    """Return the strategy stored at ``path``, and the values of its nodes."""
    bundle = load(path, KIND)
    tournament = tournament_of(path, bundle.metadata.get("tournament"))
    plays, values = {}, {}
    for m in range(2, tournament.players + 1):
        states = len(Hands(tournament, m).states)
        shapes = {
            f"plays.{m}": (states, len(decisions(m)), len(COMBOS)),
            f"values.{m}": (states * m,),
        }
        for name, shape in shapes.items():
            found = bundle.arrays.get(name)
            if found is None or found.shape != shape or found.dtype != np.float64:
                raise EquipoiseError(
                    f"{path}: array {name} is missing or has another shape, expected {shape} floats."
                )
            most = 1.0 if name.startswith("plays") else tournament.pool
            if not ((found >= -_ROUNDING * most) & (found <= most * (1 + _ROUNDING))).all():
                raise EquipoiseError(
                    f"{path}: array {name} has numbers out of range, expected all from 0 to {most:g}."
                )
        plays[m], values[m] = bundle.arrays[f"plays.{m}"], bundle.arrays[f"values.{m}"]
    return TournamentStrategy(tournament, plays), values


def rules_of(tournament: Tournament) -> dict[str, Any]:
    """Return the rules as JSON can say them."""
    return {name: list(x) if isinstance(x, tuple) else x for name, x in asdict(tournament).items()}


def tournament_of(path: str | Path, rules: Any) -> Tournament:
    """Return the tournament that the metadata of the file at ``path`` describe."""
    names = {field.name for field in fields(Tournament)}
    if not isinstance(rules, dict) or rules.keys() != names:
        raise EquipoiseError(f"{path}: found no rules of a tournament, expected {sorted(names)}.")
    given = Fields(rules, f"{path}: tournament")
    blinds = given.numbers("blinds")
    if len(blinds) != 2 or not all(isinstance(blind, int) for blind in blinds):
        given.fail("blinds", "two whole numbers")
    try:
        return Tournament(
            players=given.whole("players"),
            chips=given.whole("chips"),
            blinds=(int(blinds[0]), int(blinds[1])),
            prizes=tuple(float(prize) for prize in given.numbers("prizes")),
            ante=given.whole("ante"),
            unit=given.whole("unit"),
        )
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
