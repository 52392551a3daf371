"""The exact three-way table in a form small enough to ship.

The probabilities of a triple's orders are rounded to multiples of 2^-18 that still sum to one: all
down, then those with the largest remainders up. So every error is below 2^-18. The first order,
mostly the likeliest, follows from the rest. Of the others the low bytes of all triples, then the
middle ones, then the high ones are written, order by order, and compressed: neighbours differ little,
which shows in the high bytes.
"""

from __future__ import annotations

import lzma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.showdown.classes import ORDERS, TRIPLES

BITS = 18
_BYTES = 3
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 0, "pb": 0, "dict_size": 1 << 25}]


class Packed(NamedTuple):
    """Compressed bytes, the largest error of a probability, and of a triple in total variation."""

    data: NDArray[np.uint8]
    error: float
    distance: float


def pack(counts: NDArray[np.integer]) -> Packed:
    """Round and compress the exact counts of the orders of every triple."""
    wide = counts.astype(np.int64)
    shares = round_shares(wide, BITS)
    total = np.maximum(wide.sum(axis=1, keepdims=True), 1)
    errors = np.abs(shares / (1 << BITS) - wide / total)
    planes = shares[:, 1:].astype("<u4").view(np.uint8).reshape(len(shares), -1, 4)[..., :_BYTES]
    raw = np.ascontiguousarray(planes.transpose(1, 2, 0)).tobytes()
    data = np.frombuffer(lzma.compress(raw, filters=_FILTERS), dtype=np.uint8)
    return Packed(data, float(errors.max()), float(errors.sum(axis=1).max()) / 2)


def unpack(data: NDArray[np.uint8], possible: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return the probabilities; ``possible`` says which triples have any deals."""
    raw = np.frombuffer(lzma.decompress(data.tobytes()), dtype=np.uint8)
    planes = raw.reshape(len(ORDERS) - 1, _BYTES, TRIPLES)
    orders = np.empty((TRIPLES, len(ORDERS)), dtype=np.float32)
    rest = (possible.astype(np.uint32)) << np.uint32(BITS)
    for column, plane in enumerate(planes, start=1):
        low, middle, high = plane.astype(np.uint32)
        shares = low | middle << np.uint32(8) | high << np.uint32(16)
        orders[:, column] = shares
        rest -= shares
    orders[:, 0] = rest
    orders /= 1 << BITS
    return orders


def round_shares(counts: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return each row's shares of its sum in units of 2^-bits, rounded so that they sum to one.

    Rows of zeros stay so.

    >>> round_shares(np.array([[1, 1, 1], [0, 0, 0]]), 2)
    array([[2, 1, 1],
           [0, 0, 0]])
    """
    total = counts.sum(axis=1, keepdims=True)
    shares, remainders = np.divmod(counts << bits, np.maximum(total, 1))
    missing = ((total > 0) << bits) - shares.sum(axis=1, keepdims=True)
    ranked = np.argsort(-remainders, axis=1, kind="stable")
    raised = np.zeros_like(shares)
    np.put_along_axis(raised, ranked, np.arange(counts.shape[1]) < missing, axis=1)
    return np.asarray(shares + raised)
