"""Numbers kept in 16 bits: a row of them is whole numbers times one unit.

The unit of a row is the least power of two for which its largest number fits. So unpacking is exact, what was packed
before is packed again to the same, and zeros stay zeros. Any other number is rounded by a *dither*: v / unit down, or up
where the part that would be lost is more than

    u = the fractional part of  place * phi + time * sqrt(2),    phi the golden ratio.

The u of one place are spread evenly over time, those of one time over places (Weyl 1916): what rounding adds at one
time it takes away at others. By rounding to the nearest, an average, which takes ever smaller steps, would stop where a
step is less than half a unit. Nothing is drawn: the same place at the same time rounds the same way.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.numerics.kernels import KERNEL, PART

# The fractions of the golden ratio and of the root of two, in 32 bits.
_BY_PLACE, _BY_TIME = np.uint32(0x9E3779B9), 0x6A09E667
_DRAWN = np.uint32(8)  # a float holds the 24 bits that are left
_STEP = np.float32(2.0**-24)
_ONE = np.uint64(1)
# The bits of floats without their signs are in the order of the floats: the exponent, a number E for 2^(E - 126) and
# less, and then 23 bits.
_NONE, _NO_SIGN = np.uint32(0), np.uint32(0x7FFFFFFF)
_MANTISSA, _BIAS = np.uint32(23), np.int32(126)
_LEAST = -100  # so that units have inverses

SIGNED, UNSIGNED = 15, 16
"""The binary digits of both kinds of numbers."""


class PackedRows(NamedTuple):
    """Rows of numbers in 16 bits, one after another, and the unit of each."""

    numbers: NDArray[Any]
    unit: NDArray[np.float32]

    @classmethod
    def of(cls, size: int, rows: int, dtype: Any, number: int = 0) -> PackedRows:
        """Return ``size`` numbers in so many rows, all the same."""
        return cls(np.full(size, number, dtype=dtype), np.ones(rows, dtype=np.float32))


def moment(iteration: int) -> np.uint32:
    """Return the part of the dither that the time adds."""
    return np.uint32(iteration * _BY_TIME & 0xFFFFFFFF)


@njit(**PART)
def unpack_rows(packed: Any, row: Any, start: Any, rows: Any, width: Any, out: Any) -> None:
    """Write rows of ``width`` numbers, the first of them ``row``, from number ``start`` on, into ``out``."""
    numbers, unit = packed
    for j in range(rows):
        scale, begin = unit[row + j], j * width
        for k in range(width):
            out[begin + k] = out.dtype.type(numbers[start + begin + k]) * scale


@njit(**PART)
def pack_rows(
    packed: Any, row: Any, start: Any, rows: Any, width: Any, values: Any, digits: Any, time: Any
) -> None:
    """Pack ``values`` where :func:`unpack_rows` found them, in so many binary ``digits``."""
    numbers, unit = packed
    most = np.int32((1 << digits) - 1)
    bits = values.view(np.uint32)
    for j in range(rows):
        begin, largest = j * width, _NONE
        for k in range(width):
            largest = max(largest, np.uint32(bits[begin + k] & _NO_SIGN))
        exponent = np.int32(largest >> _MANTISSA) - _BIAS - digits
        scale = values.dtype.type(math.ldexp(1.0, int(max(exponent, _LEAST))))
        unit[row + j] = scale
        inverse = values.dtype.type(1) / scale
        for k in range(width):
            place = np.uint32(start + begin + k)
            drawn = np.uint32(np.uint32(place * _BY_PLACE) + time)
            share = values.dtype.type(np.int32(drawn >> _DRAWN)) * _STEP
            exact = values[begin + k] * inverse
            whole = np.floor(exact)
            numbers[start + begin + k] = min(np.int32(whole) + (exact - whole > share), most)


@njit(**KERNEL)
def unpack(packed: Any, slots: Any, bounds: Any, low: Any, high: Any, out: Any) -> None:
    """Unpack the boards ``low .. high``: each has ``slots`` rows, as wide as its ``bounds`` are apart."""
    for p in range(low, high):
        start, width = slots * bounds[p], bounds[p + _ONE] - bounds[p]
        part = out[start - slots * bounds[low] :]
        unpack_rows(packed, p * slots, start, slots, width, part)
