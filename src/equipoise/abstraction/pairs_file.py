"""Files of how often buckets meet and win, so that what takes long to count is counted once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from equipoise.bundle import load, save
from equipoise.errors import EquipoiseError, require_path, short
from equipoise.files import require_writable
from equipoise.games.signals.rounds import Floats

_KIND = "pairs"


class PairsFile:
    """A file to keep what is counted in, or to find it in if it was counted before.

    What cannot be written is said by ``note``, and used without it: a full disk should not cost the counts.

    Attributes
    ----------
    errors
        Those of a sample of boards (:mod:`equipoise.abstraction.sampled_pairs`) that were kept with the counts.
    """

    def __init__(self, path: str | Path, note: Callable[[str], None]) -> None:
        require_path("pairs", path)
        self.path, self._note = Path(path), note
        require_writable(self.path)
        self.errors: tuple[float, ...] = ()

    def load(self, identity: str, buckets: int) -> tuple[Floats, Floats] | None:
        """Return what was counted for the buckets, and on the boards, that ``identity`` names, if it was.

        Nothing as large as the counts is made to look at them: there may be billions.
        """
        if not self.path.exists():
            return None
        bundle = load(self.path, _KIND)
        if bundle.metadata.get("of") != identity or not {"met", "won"} <= bundle.arrays.keys():
            raise EquipoiseError(
                f"{self.path}: found pairs of other buckets or counted on other boards "
                f"({bundle.metadata.get('of')!s:.80}), expected {identity}."
            )
        met, won = bundle.arrays["met"], bundle.arrays["won"]
        for name, counts in (("met", met), ("won", won)):
            if counts.shape != (buckets, buckets) or counts.dtype != np.float64:
                raise EquipoiseError(
                    f"{self.path}: {name} is {counts.dtype} of shape {list(counts.shape)}, expected float64 of "
                    f"{[buckets, buckets]}."
                )
        # No number but a NaN or an infinity makes a sum that is none; and no hand wins more often than it meets.
        if not (np.isfinite(met.sum() + won.sum()) and all(map(_can_be_won, met, won))):
            raise EquipoiseError(
                f"{self.path}: found buckets that win more often than they meet, expected counts."
            )
        errors = bundle.metadata.get("errors", [])
        if not (isinstance(errors, list) and all(map(_is_share, errors))):
            raise EquipoiseError(
                f"{self.path}: found the errors {short(errors)}, expected numbers from 0 to 1."
            )
        self.errors = tuple(errors)
        return met, won

    def save(self, identity: str, met: Floats, won: Floats, errors: tuple[float, ...] = ()) -> None:
        """Write down what was counted."""
        try:
            save(
                self.path, _KIND, {"met": met, "won": won}, {"of": identity, "errors": list(errors)}
            )
        except EquipoiseError as error:
            self._note(f"{error} The solve goes on without this file.")


def _can_be_won(met: Floats, won: Floats) -> bool:
    """Whether wins less losses of a bucket are possible where it meets others so often."""
    return bool((np.abs(won) <= met).all())


def _is_share(number: object) -> bool:
    """Whether this is a number from 0 to 1."""
    return isinstance(number, int | float) and 0 <= number <= 1
