"""Files of how often buckets meet and win, so that what takes long to count is counted once."""

from __future__ import annotations

from pathlib import Path

from equipoise.bundle import load, save
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Floats

_KIND = "pairs"


def save_pairs(path: Path, identity: str, met: Floats, won: Floats) -> None:
    """Write down what was counted for the buckets, and on the boards, that ``identity`` names."""
    save(path, _KIND, {"met": met, "won": won}, {"of": identity})


def load_pairs(path: Path, identity: str) -> tuple[Floats, Floats]:
    """Return what :func:`save_pairs` wrote down, which must be of ``identity``."""
    bundle = load(path, _KIND)
    if bundle.metadata.get("of") != identity or not {"met", "won"} <= bundle.arrays.keys():
        raise EquipoiseError(
            f"{path}: found pairs of other buckets or counted on other boards ({bundle.metadata.get('of')!s:.80}), "
            f"expected {identity}."
        )
    return bundle.arrays["met"], bundle.arrays["won"]
