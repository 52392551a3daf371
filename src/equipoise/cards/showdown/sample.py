"""The three-way table from a random sample of boards, kept between runs.

Boards are taken in a random order that the seed decides, without repetition. After ``n`` of all ``N``
boards, an entry is the share of an order among the showdowns seen. A triple of hands is alive on a
share s = C(46, 5) / C(52, 5) of the boards. The showdowns of one board depend on each other, but by
Jensen's inequality at worst as if they all came out alike, so that the variance of an entry with
probability p is at most ::

    p (1 - p) / (s n)  (N - n) / (N - 1)

to first order in 1/n. With all boards the table is exact.

The counts go to the user's cache folder as they grow. A run that is stopped loses at most a minute,
and a run that asks for a smaller error goes on where the last one ended.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from equipoise.bundle import load, save
from equipoise.cards.showdown.classes import ORDERS, TRIPLES
from equipoise.cards.showdown.count import BOARDS, TILE, Counts, boards, count_three_way
from equipoise.cards.showdown.deals import count_triples
from equipoise.cards.showdown.tables import THREE_WAY_BOARDS, ThreeWay
from equipoise.errors import EquipoiseError
from equipoise.files import cache_folder

Monitor = Callable[[int, int], None]
"""Called with the number of boards counted and the number wanted."""

_KIND = "three-way counts"
_ALIVE = THREE_WAY_BOARDS / BOARDS
# Half the sum of the standard errors sqrt(p (1 - p)), in units of the largest, 1/2: most if all p are alike.
_DISTANCE = math.sqrt(len(ORDERS) - 1)
_SECONDS_BETWEEN_SAVES = 60.0


class _State(NamedTuple):
    """Showdowns counted by triple of classes and order, and on how many boards."""

    counts: Counts
    boards: int


def sampled_three_way(
    error: float = 0.005,
    *,
    seed: int = 0,
    folder: str | Path | None = None,
    monitor: Monitor | None = None,
) -> ThreeWay:
    """Return the table with a standard error of at most ``error`` in every entry.

    Parameters
    ----------
    error
        0.005 takes 18,823 boards; zero takes all 2,598,960 and is exact.
    seed
        Decides the order of the boards.
    folder
        Where the counts are kept; by default the user's cache folder. If it holds more boards of
        this seed than are needed, all of them count.
    """
    if not 0 <= error < 1:
        raise EquipoiseError(f"Standard error: found {error}, expected a number from 0 up to 1.")
    if seed < 0:
        raise EquipoiseError(f"Seed of the boards: found {seed}, expected zero or more.")
    wanted = boards_for(error)
    kept = Path(folder or cache_folder()) / f"three-way-{seed}.eqp"
    state = _load(kept)
    if state.boards < wanted:
        state = _extend(state, wanted, seed, kept, monitor)
    total = state.counts.sum(axis=1, keepdims=True)
    orders = (state.counts / np.maximum(total, 1)).astype(np.float32)
    bound = standard_error(state.boards)
    return ThreeWay(count_triples(), orders, bound, _DISTANCE * bound)


def standard_error(boards: int) -> float:
    """Return the bound on the standard error of any entry after this many boards."""
    return 0.5 * math.sqrt((BOARDS - boards) / (_ALIVE * boards * (BOARDS - 1)))


def boards_for(error: float) -> int:
    """Return the least number of boards with a standard error of at most ``error``."""
    return math.ceil(BOARDS / (1 + 4 * _ALIVE * error**2 * (BOARDS - 1)))


def _extend(state: _State, wanted: int, seed: int, kept: Path, monitor: Monitor | None) -> _State:
    """Count on until the wanted number of boards, and keep the counts now and then."""
    # Raw bits are the same in every version of NumPy: a later one may go on with these boards.
    order = np.argsort(np.random.PCG64(seed).random_raw(BOARDS), kind="stable")
    saved = time.monotonic()
    while state.boards < wanted:
        upto = min(state.boards + TILE, wanted)
        count_three_way(boards()[order[state.boards : upto]], state.counts)
        state = _State(state.counts, upto)
        if monitor is not None:
            monitor(upto, wanted)
        if upto == wanted or time.monotonic() - saved > _SECONDS_BETWEEN_SAVES:
            _save(kept, state)
            saved = time.monotonic()
    return state


def _fresh() -> _State:
    return _State(np.zeros((TRIPLES, len(ORDERS)), dtype=np.int64), 0)


def _load(path: Path) -> _State:
    """Return what is kept; nothing is, if the file is not there or damaged."""
    try:
        bundle = load(path, _KIND)
    except EquipoiseError:
        return _fresh()
    return _State(bundle.arrays["counts"].astype(np.int64), int(bundle.metadata["boards"]))


def _save(path: Path, state: _State) -> None:
    # Counts stay below C(46, 5) times the largest number of triples, 1,728: they fit 32 bits.
    save(path, _KIND, {"counts": state.counts.astype(np.uint32)}, {"boards": state.boards})
