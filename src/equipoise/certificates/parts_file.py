"""Files of what happens after each class of first common cards: a certificate that is stopped goes on from there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import load, save
from equipoise.certificates.board_walk import PLAYERS, Part
from equipoise.errors import EquipoiseError, require_path
from equipoise.files import require_writable
from equipoise.games.poker.game import PokerGame
from equipoise.strategy.profile import Strategy

_KIND = "parts"
_SECONDS = 30.0  # between two times that it is written


class PartsFile:
    """The parts of a certificate by class, and the file at ``path`` that keeps them.

    They are of the game and strategy, and computed in the way, that ``identity`` names; a file of others is refused,
    and so is one whose arrays are not of ``shapes``, for classes below ``classes``. What cannot be written is said
    once by ``note``, and the certificate goes on.
    """

    def __init__(
        self,
        path: str | Path,
        identity: str,
        note: Callable[[str], None],
        shapes: Sequence[tuple[int, int]],
        classes: int,
    ) -> None:
        require_path("parts", path)
        self.path, self._identity, self._note = Path(path), identity, note
        self._shapes, self._classes = shapes, classes
        require_writable(self.path)
        self.parts: dict[int, Part] = self._read() if self.path.exists() else {}
        self._written, self._time = len(self.parts), time.monotonic()
        self._said: set[str] = set()

    def write(self, *, is_due: bool = True) -> None:
        """Write down what is new, if some time has passed or it ``is_due``."""
        is_due = is_due or time.monotonic() - self._time >= _SECONDS
        if not is_due or len(self.parts) == self._written:
            return
        numbers = sorted(self.parts)
        arrays = {"numbers": np.array(numbers)}
        for name in Part._fields:
            for i in PLAYERS:
                own = [getattr(self.parts[number], name)[i] for number in numbers]
                arrays[f"{name}.{i}"] = np.stack(own)
        try:
            save(self.path, _KIND, arrays, {"of": self._identity})
        except EquipoiseError as error:
            if str(error) not in self._said:
                self._said.add(str(error))
                self._note(f"{error} The certificate goes on without this file.")
        self._written, self._time = len(self.parts), time.monotonic()

    def _read(self) -> dict[int, Part]:
        bundle = load(self.path, _KIND)
        names = [f"{name}.{i}" for name in Part._fields for i in PLAYERS]
        if bundle.metadata.get("of") != self._identity or not {"numbers", *names} <= {
            *bundle.arrays
        }:
            raise EquipoiseError(
                f"{self.path}: found a certificate of {bundle.metadata.get('of')!s:.120}, expected one of "
                f"{self._identity}."
            )
        numbers, own = bundle.arrays["numbers"], [bundle.arrays[name] for name in names]
        self._require_classes(numbers)
        for name, array, shape in zip(names, own, self._shapes, strict=True):
            if array.shape != (len(numbers), *shape) or array.dtype != np.float64:
                raise EquipoiseError(
                    f"{self.path}: {name} is {array.dtype} of shape {list(array.shape)}, expected float64 of "
                    f"{[len(numbers), *shape]}."
                )
            if not np.isfinite(array).all():
                raise EquipoiseError(
                    f"{self.path}: {name} has numbers out of range, expected finite ones."
                )
        return {
            number: Part((own[0][k], own[1][k]), (own[2][k], own[3][k]))
            for k, number in enumerate(numbers.tolist())
        }

    def _require_classes(self, numbers: NDArray[Any]) -> None:
        """Raise unless these are numbers of classes, each of them once."""
        is_whole = numbers.ndim == 1 and numbers.dtype.kind in "iu"
        if (
            not is_whole
            or not ((numbers >= 0) & (numbers < self._classes)).all()
            or len(np.unique(numbers)) < len(numbers)
        ):
            raise EquipoiseError(
                f"{self.path}: numbers are not those of classes, expected whole ones below {self._classes:,}, "
                "each of them once."
            )


def identity(game: PokerGame, strategy: Strategy, how: str) -> str:
    """Name a strategy, number by number, what is paid where it is played, and how it is certified.

    The strategy's own fingerprint says nothing of payments: it fits games that differ in them alone.
    """
    digest = hashlib.sha256(strategy.fingerprint.encode())
    for array in (game.tree.base, game.tree.scale, *strategy.behaviour):
        digest.update(np.ascontiguousarray(array).data)
    return f"strategy {digest.hexdigest()[:16]} {how}"
