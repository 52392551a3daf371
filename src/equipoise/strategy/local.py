"""What strategies of every family have in common: one local strategy for each information set.

A family's strategy says how to find one of them by its label and how to go through all; the questions
that a reader asks (``strategy[label]``, the labels one after the other, a frame) follow from the two.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from equipoise.errors import EquipoiseError, quoted, require_type

_COLUMNS = ["player", "infoset", "action", "probability"]
# So many labels are looked through for one like what was asked for.
_LOOKED_THROUGH = 10_000


class LocalStrategy(NamedTuple):
    """What a player (counted from 0) does in one information set."""

    player: int
    infoset: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]


class ByLabel(ABC):
    """Probabilities of actions by label: of an information set, or of a hand."""

    @abstractmethod
    def __getitem__(self, label: str) -> dict[str, float]:
        """Return the probability of each action at ``label``, or raise."""

    @abstractmethod
    def __iter__(self) -> Iterator[str]:
        """Yield the labels."""

    def __contains__(self, label: object) -> bool:
        """Say whether there is something at ``label``; a hand may be written in more than one way."""
        if not isinstance(label, str):
            return False
        try:
            self[label]
        except EquipoiseError:
            return False
        return True


class BehaviourStrategy(ByLabel):
    """A local strategy for each information set, by its label."""

    @abstractmethod
    def local(self, label: str) -> LocalStrategy:
        """Return what is done in the information set called ``label``, or raise."""

    @abstractmethod
    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield what is done in each information set, in the order of the game."""

    def __getitem__(self, label: str) -> dict[str, float]:
        """Return the probability of each action in the information set called ``label``."""
        require_type("information set", label, str, "its label")
        found = self.local(label)
        return dict(zip(found.actions, found.probabilities, strict=True))

    def __iter__(self) -> Iterator[str]:
        """Yield the labels of the information sets, in the order of the game."""
        return (own.infoset for own in self.decisions())

    def to_frame(self) -> Any:
        """Return a pandas frame with a line for each action of each information set."""
        lines = [
            (own.player + 1, own.infoset, action, probability)
            for own in self.decisions()
            for action, probability in zip(own.actions, own.probabilities, strict=True)
        ]
        return pandas().DataFrame(lines, columns=_COLUMNS)


def unknown(label: str, known: Iterable[str]) -> EquipoiseError:
    """Return the error that there is no information set called ``label`` among those ``known``."""
    some = [name for name, _ in zip(dict.fromkeys(known), range(_LOOKED_THROUGH), strict=False)]
    near = difflib.get_close_matches(label, some, n=3, cutoff=0.5) or some[:3]
    return EquipoiseError(
        f"information set {quoted(label)}: there is none of that name, expected one like "
        f"{' or '.join(map(quoted, near)) or 'nothing: nobody decides anything'}."
    )


def pandas() -> Any:
    """Return the module, or say how to get it."""
    try:
        import pandas as found
    except ImportError:
        raise EquipoiseError(
            "to_frame: pandas is not installed, expected it: pip install pandas."
        ) from None
    return found
