"""What is shown of a strategy at one point of a game: a scene, and its cells.

A scene is a decision after the players' moves, in poker on a board. Its cells are the hands (or whatever the
player may have been told), laid out as players know them: 13 x 13 for two cards, ranks by suits for one, and
otherwise by their labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from equipoise.play.observation import Observation


class Cell(NamedTuple):
    """What is done with one hand, or several that stand for one.

    Probabilities and values have one number an action, NaN where it is not open or not known. ``reach`` is
    the probability that the player herself plays here with it, ``share`` its part of the hands that come
    here.
    """

    label: str
    row: int
    column: int
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    reach: float
    share: float

    @property
    def value(self) -> float:
        """What is expected with it."""
        pairs = zip(self.probabilities, self.values, strict=True)
        return math.fsum(p * v for p, v in pairs if p == p and p > 0)


class PathStep(NamedTuple):
    """A move on the way to a scene: who made it, its label, and what it is in words."""

    player: int
    action: str
    word: str


@dataclass(frozen=True)
class Scene:
    """A decision: who acts, what is open, and the cells of all hands.

    ``ends`` says of each action whether the game is over after it; ``dealt`` is how many cards of the board
    came in each round.
    """

    steps: tuple[PathStep, ...]
    player: int
    actions: tuple[str, ...]
    words: tuple[str, ...]
    ends: tuple[bool, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    board: tuple[str, ...] = ()
    dealt: tuple[int, ...] = ()
    paid: tuple[float, ...] | None = None


class Hit(NamedTuple):
    """A scene that a search has found: the way there, in text, and the cell that is meant, if one is."""

    path: tuple[str, ...]
    text: str
    label: str | None = None


class Explorer(Protocol):
    """Knows the scenes of one strategy."""

    def scene(self, path: Sequence[str] = (), board: str = "") -> Scene:
        """Return the scene after these moves, and in poker on this board (``Kh7d``)."""

    def cell(self, observation: Observation) -> Cell:
        """Return what the strategy does, and what actions are worth, for whoever observes this."""

    def values(self) -> tuple[float, ...]:
        """Return what each player expects of the game; NaN where that takes too long to find out."""

    def search(self, text: str, most: int = 50) -> list[Hit]:
        """Return scenes that ``text`` describes."""

    def prepare(self) -> None:
        """Work out what every play begins with, so that nobody waits for it in the middle of one."""
