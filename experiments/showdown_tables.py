"""The shipped tables of showdowns, counted again.

    python experiments/showdown_tables.py two-way TABLE

writes the two-way table, in about half a minute. The exact three-way table needs a GPU for a minute:

    python experiments/showdown_tables.py input INPUT
    nvcc -O3 -arch=sm_90 -o three_way_exact experiments/three_way_exact.cu
    ./three_way_exact INPUT COUNTS
    python experiments/showdown_tables.py three-way COUNTS TABLE

or two cores for an hour and a half: ``sampled_three_way(0.0)`` takes all boards, and COUNTS is then the file
it keeps. Published: one month on 16 processors.

Before the three-way table is written, its counts are checked, exactly: every triple of classes has as
many showdowns as deals, and leaving out the third hand gives the two-way table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import load
from equipoise.cards.evaluate import FIVE_CARD, evaluator
from equipoise.cards.showdown import ORDERS, PERMUTED, PLACES, sorting, triple_number, two_way
from equipoise.cards.showdown.classes import CLASS_OF, FIRST, HANDS, TRIPLES, sorted_triples
from equipoise.cards.showdown.count import boards, count_two_way
from equipoise.cards.showdown.deals import canonical_pairs, count_triples
from equipoise.cards.showdown.tables import (
    THREE_WAY_BOARDS,
    TwoWay,
    save_three_way,
    save_two_way,
)

THIRD_HANDS = comb(52 - 2 - 2 - 5, 2)


def write(path: Path) -> None:
    """Write hands, pairs, boards and the evaluator's tables, each after its size in bytes."""
    pairs = np.stack(canonical_pairs(), axis=1).astype(np.int32)
    keys, *tables = evaluator(FIVE_CARD, 7).tables
    start = evaluator(FIVE_CARD, 7).start
    classes, first = CLASS_OF.astype(np.int32), FIRST.astype(np.int32)
    with path.open("wb") as file:
        for array in (HANDS, classes, first, pairs, boards(), np.array([start]), keys, *tables):
            file.write(np.uint64(array.nbytes).tobytes() + np.ascontiguousarray(array).tobytes())


def check(counts: NDArray[np.uint32]) -> None:
    """Raise unless the counts add up to all deals, and to the two-way table."""
    i, j, k = sorted_triples().T
    triples = count_triples()[i, j, k]
    assert (counts.sum(axis=1, dtype=np.int64) == triples * THREE_WAY_BOARDS).all()
    win, tie = marginals(counts)
    assert (win == two_way().win * THIRD_HANDS).all()
    assert (tie == two_way().tie * THIRD_HANDS).all()


def marginals(counts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return how often the first of two classes is ahead, and level, over all third hands."""
    wins, ties = PLACES[:, 0] < PLACES[:, 1], PLACES[:, 0] == PLACES[:, 1]
    win, tie = np.zeros((2, 169, 169), dtype=np.float64 if counts.dtype.kind == "f" else np.int64)
    other, third = np.meshgrid(np.arange(169), np.arange(169), indexing="ij")
    for own in range(169):
        columns = PERMUTED[sorting(own, other, third)]
        rows = counts[triple_number(own, other, third)[..., None], columns].astype(win.dtype)
        win[own], tie[own] = rows[..., wins].sum(axis=(1, 2)), rows[..., ties].sum(axis=(1, 2))
    return win, tie


def read(path: Path) -> NDArray[np.uint32]:
    """Return the counts that the GPU wrote, or that ``sampled_three_way`` kept."""
    if path.suffix == ".eqp":
        return load(path).arrays["counts"]
    return np.fromfile(path, dtype=np.uint32).reshape(TRIPLES, len(ORDERS))


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, check and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    for step, paths in {"two-way": "T", "input": "I", "three-way": "CT"}.items():
        command = steps.add_parser(step)
        for name in paths:
            command.add_argument({"T": "table", "I": "input", "C": "counts"}[name], type=Path)
    options = parser.parse_args(arguments)
    if options.step == "two-way":
        save_two_way(options.table, TwoWay(*count_two_way()))
    elif options.step == "input":
        write(options.input)
    else:
        counts = read(options.counts)
        check(counts)
        save_three_way(options.table, counts)
        print(f"{counts.sum(dtype=np.int64):,} showdowns")


if __name__ == "__main__":
    main()
