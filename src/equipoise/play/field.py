"""A field of agents: everybody plays everybody, and three ways to name a winner.

*Total bankroll*: most chips over all matches. *Instant runoff*: the entry with the smallest total leaves,
totals are counted again without its matches, and so on, so that who plunders a weak entry gains nothing
in the end. *Wins*: most opponents beaten in a pair, ties decided by the same runoff among those that tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.play.agents import Agent
from equipoise.play.matches import Match, Terms, Watch, play_match

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Field:
    """What came of all matches.

    ``won[i, j]`` is what entry i won from entry j in chips a hand, ``error[i, j]`` half the width of its
    95% interval; the diagonals are zero.
    """

    names: tuple[str, ...]
    won: Floats
    error: Floats
    matches: tuple[Match, ...]

    @property
    def totals(self) -> Floats:
        """What every entry won from all others, in chips a hand of each match."""
        return np.asarray(self.won.sum(axis=1))

    @property
    def bankroll(self) -> tuple[int, ...]:
        """The entries by total bankroll, best first."""
        return _ranked(self.totals)

    @property
    def runoff(self) -> tuple[int, ...]:
        """The entries by instant runoff, best first: the reverse of the order in which they leave."""
        return runoff(self.won)

    @property
    def wins(self) -> tuple[int, ...]:
        """The entries by opponents beaten, best first; ties by runoff among those that tie."""
        beaten = (self.won > 0).sum(axis=1)
        order: list[int] = []
        for count in sorted(set(beaten.tolist()), reverse=True):
            tied = np.flatnonzero(beaten == count)
            order += [int(tied[k]) for k in runoff(self.won[np.ix_(tied, tied)])]
        return tuple(order)


def runoff(won: Floats) -> tuple[int, ...]:
    """Return the entries by instant runoff, best first.

    The entry with the smallest total among those left leaves; of several, the last in the list.
    """
    left, gone = list(range(len(won))), []
    while left:
        totals = won[np.ix_(left, left)].sum(axis=1)
        worst = int(np.flatnonzero(totals == totals.min())[-1])
        gone.append(left.pop(worst))
    return tuple(reversed(gone))


def _ranked(totals: Floats) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argsort(-totals, kind="stable"))


def play_field(
    game: Any,
    agents: Sequence[Agent],
    terms: Terms,
    *,
    watch: Watch | None = None,
    note: Callable[[Match], None] | None = None,
) -> Field:
    """Let every agent play every other on ``terms``; ``note`` is given each match when it is over."""
    names = [agent.name for agent in agents]
    if len(agents) < 2 or len(set(names)) < len(names):
        raise EquipoiseError(
            f"field: found the entries {', '.join(names) or 'none'}, expected two or more different ones."
        )
    won, error = np.zeros((2, len(agents), len(agents)))
    matches = []
    for i, first in enumerate(agents):
        for j in range(i + 1, len(agents)):
            match = play_match(game, first, agents[j], terms, watch=watch)
            won[i, j], won[j, i] = match.score.mean, -match.score.mean
            error[i, j] = error[j, i] = match.score.half_width
            matches.append(match)
            if note is not None:
                note(match)
    return Field(tuple(names), won, error, tuple(matches))
