"""Operations on short rows of numbers, for kernels: vector instructions, written out.

Rows of some tens of numbers are where compilers vectorise worst: the loop over whole vectors is over
before it has begun, and what remains goes number by number. They also cannot know that two rows of one array
do not overlap, and check that every time. Here a row is taken in vectors of 64 bytes and, at its end, in
one of half, a quarter, an eighth ... of that, whatever the processor's own vectors are; rows do not
overlap. That is less work for the compiler, too.

All functions are for use in Numba kernels. Positions are numbers of elements in flat arrays and are not
checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

LINE = 64  # bytes of a cache line, and of a vector
_FAST = ("contract", "reassoc", "nsz")

Load = Callable[[int], Any]


def line(count: Any, dtype: Any) -> Any:
    """Return ``count`` numbers (or an array of counts) rounded up to whole cache lines."""
    size = LINE // np.dtype(dtype).itemsize
    return -(-count // size) * size


def aligned(count: int, dtype: Any) -> NDArray[Any]:
    """Return zeros that begin with a cache line."""
    kind = np.dtype(dtype)
    raw = np.zeros(count * kind.itemsize + LINE, dtype=np.uint8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + count * kind.itemsize].view(kind)


def _row_operation(
    builder: Any, length: Any, pointers: Sequence[Any], compute: Callable[[Load, Any], Any]
) -> None:
    """Emit ``pointers[0][e] = compute(...)`` for all ``e`` below ``length``.

    ``compute`` is given a function that loads the vector of a pointer, and one that spreads a scalar.
    """
    element = pointers[0].type.pointee
    lanes = LINE // (4 if isinstance(element, ir.FloatType) else 8)

    def emit(at: Any, width: int) -> None:
        kind = ir.VectorType(element, width) if width > 1 else element
        align = LINE // lanes

        def place(number: int) -> Any:
            own = builder.gep(pointers[number], [at])
            return builder.bitcast(own, kind.as_pointer())

        def spread(scalar: Any) -> Any:
            if width == 1:
                return scalar
            one = builder.insert_element(
                ir.Constant(kind, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
            return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), zeros)

        found = compute(lambda number: builder.load(place(number), align=align), spread)
        builder.store(found, place(0), align=align)

    index = length.type
    whole = builder.and_(length, ir.Constant(index, -lanes))
    zero, step = ir.Constant(index, 0), ir.Constant(index, lanes)
    with cgutils.for_range_slice(builder, zero, whole, step, index) as (at, _):
        emit(at, lanes)
    at, width = whole, lanes // 2
    while width:
        part = builder.and_(length, ir.Constant(index, width))
        with builder.if_then(builder.icmp_unsigned("!=", part, zero)):
            emit(at, width)
        at, width = builder.add(at, part), width // 2


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index_kind: Any, index: Any) -> Any:
    """Return where element ``index`` of a flat array is."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [context.cast(builder, index, index_kind, types.uintp)])


@intrinsic
def running_row(
    typing: Any, rows: Any, out: Any, before: Any, weight: Any, row: Any, length: Any
) -> Any:
    """``rows[out + e] = rows[before + e] + weight * rows[row + e]`` for all e below ``length``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, out, before, weight, row, length = arguments
        kinds = signature.args
        pointers = [
            _pointer(context, builder, kinds[0], array, kinds[n], own)
            for n, own in ((1, out), (2, before), (4, row))
        ]
        length = context.cast(builder, length, kinds[5], types.uintp)

        def compute(load: Load, spread: Any) -> Any:
            product = builder.fmul(spread(weight), load(2), flags=_FAST)
            return builder.fadd(load(1), product, flags=_FAST)

        _row_operation(builder, length, pointers, compute)
        return context.get_dummy_value()

    return types.void(rows, out, before, rows.dtype, row, length), generate


@intrinsic
def add_rows(
    typing: Any, out: Any, at: Any, scale: Any, first: Any, rows: Any, places: Any, factors: Any,
    length: Any,
) -> Any:  # fmt: skip
    """``out[at + e] += scale[first + e] * sum of factors[i] * rows[places[i] + e]``, e below ``length``.

    ``places`` and ``factors`` are tuples.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, at, scale, first, array, places, factors, length = arguments
        kinds = signature.args
        pointers = [
            _pointer(context, builder, kinds[0], out, kinds[1], at),
            _pointer(context, builder, kinds[2], scale, kinds[3], first),
        ]
        for n, kind in enumerate(kinds[5]):
            own = builder.extract_value(places, n)
            pointers.append(_pointer(context, builder, kinds[4], array, kind, own))
        weights = [builder.extract_value(factors, n) for n in range(len(kinds[6]))]
        length = context.cast(builder, length, kinds[7], types.uintp)

        def compute(load: Load, spread: Any) -> Any:
            total = None
            for n, weight in enumerate(weights):
                product = builder.fmul(spread(weight), load(2 + n), flags=_FAST)
                total = product if total is None else builder.fadd(total, product, flags=_FAST)
            scaled = builder.fmul(load(1), total, flags=_FAST)
            return builder.fadd(load(0), scaled, flags=_FAST)

        _row_operation(builder, length, pointers, compute)
        return context.get_dummy_value()

    return types.void(out, at, scale, first, rows, places, factors, length), generate


@intrinsic
def prefetch(typing: Any, arrays: Any, first: Any, offset: Any) -> Any:
    """Ask for the cache lines of ``arrays[i][first[i] + offset]``, without waiting for them.

    Places beyond the end of an array are harmless.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [byte], form)
        to_read, keep, data = (ir.Constant(number, n) for n in (0, 3, 1))
        for n, (kind, index) in enumerate(zip(kinds[0], kinds[1], strict=True)):
            array, at = (builder.extract_value(own, n) for own in arguments[:2])
            begin = _pointer(context, builder, kind, array, index, at)
            step = context.cast(builder, arguments[2], kinds[2], types.uintp)
            place = builder.bitcast(builder.gep(begin, [step]), byte)
            builder.call(ask, [place, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(arrays, first, offset), generate
