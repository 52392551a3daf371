"""Devices that hold arrays: a library's standard namespace, a device of it, and a type of numbers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.compilation import listen_to_torch
from equipoise.numerics.memory import free_memory_mb

Array = Any

_PINNED = 1 << 26  # bytes: to pin more takes longer than to wait


@cache
def _has_compiler() -> bool:
    """Return whether PyTorch can compile for a GPU: Triton does it, with a C compiler to start what it made."""
    compilers = os.environ.get("CC", "gcc"), "gcc", "clang"
    return find_spec("triton") is not None and any(map(shutil.which, compilers))


@dataclass(frozen=True)
class Device:
    """An array library (its standard namespace), a device of it, and the type of numbers."""

    xp: Any
    device: Any = None
    dtype: str = "float64"

    @property
    def floats(self) -> Any:
        """The library's own name of ``dtype``."""
        return getattr(self.xp, self.dtype)

    @property
    def is_cuda(self) -> bool:
        """Whether this is an NVIDIA GPU."""
        return getattr(self.device, "type", "") == "cuda"

    def put(self, numbers: NDArray[Any]) -> Array:
        """Copy a NumPy array here: floats as ``dtype``, indices as 64-bit integers."""
        is_float = numbers.dtype.kind == "f"
        kind = self.floats if is_float else self.xp.int64
        plain = np.ascontiguousarray(numbers, dtype=np.float64 if is_float else np.int64)
        if self.is_cuda and plain.nbytes <= _PINNED:
            # From memory that is pinned a copy need not wait until the GPU has done all it was told before.
            own = self.xp.asarray(plain, dtype=kind).pin_memory()
            return own.to(self.device, non_blocking=True)
        return self.xp.asarray(plain, dtype=kind, device=self.device)

    def zeros(self, shape: Any) -> Array:
        """Return zeros."""
        return self.xp.zeros(shape, dtype=self.floats, device=self.device)

    def empty(self, shape: Any) -> Array:
        """Return room for numbers."""
        return self.xp.empty(shape, dtype=self.floats, device=self.device)

    def free_mb(self) -> float | None:
        """Return how much memory the device could still give, or nothing where it cannot be asked."""
        if self.is_cuda:
            return float(self.xp.cuda.mem_get_info(self.device)[0]) / 2**20
        return free_memory_mb()

    def require(self, needed_mb: float, what: str) -> None:
        """Raise unless the device can give so much memory for ``what``."""
        free = self.free_mb()
        if free is not None and needed_mb > free:
            raise EquipoiseError(
                f"{what}: found {free:,.0f} MB of free memory, expected {needed_mb:,.0f} MB."
            )

    def fixed(self, step: Callable[[], None]) -> Callable[[], None]:
        """Return a quicker way to do ``step``, which does the same operations each time.

        A GPU is given the whole step as one graph, so that starting its some hundred small kernels
        costs nothing; what changes between steps must change in place.
        """
        if not self.is_cuda:
            return step
        graph = self.xp.cuda.CUDAGraph()
        with self.xp.cuda.graph(graph):
            step()

        def replay(holds: Callable[[], None] = step) -> None:
            # The graph knows addresses alone: the step must live on, and the arrays that it reads.
            graph.replay()

        return replay

    @property
    def compiles(self) -> bool:
        """Whether :meth:`fused` compiles: PyTorch for a GPU, where it finds what it needs."""
        return self.is_cuda and _has_compiler()

    def fused(self, function: Callable[..., Any], *, any_size: bool = False) -> Callable[..., Any]:
        """Return a quicker way to call a ``function`` that goes from element to element, in one pass.

        PyTorch compiles it for a GPU, once for each of a few shapes, or once for arrays of any size; elsewhere it
        is the function itself. What is compiled is kept on disk.
        """
        if not self.compiles:
            return function
        listen_to_torch()
        compiled: Callable[..., Any] = self.xp.compile(function, dynamic=any_size or None)
        return compiled

    def apart(self, view: Array) -> Array:
        """Return a view of an array for a :meth:`fused` function, without the array.

        PyTorch compiles again for views that are alike of arrays that are not.
        """
        return view.data if self.compiles else view

    def take(self, array: Array, places: Array, axis: int = 0) -> Array:
        """Return the entries of ``array`` at ``places``, none of them negative, along an axis.

        The standard's ``take`` counts negative places from the end, and for PyTorch looks at every place each
        time whether it is one.
        """
        if hasattr(array, "index_select"):
            return array.index_select(axis, places)
        return self.xp.take(array, places, axis=axis)

    def add_at(self, out: Array, places: Array, values: Array) -> None:
        """Add ``values`` to entries of the vector ``out``, in place; a place may come several times.

        The standard of array libraries has nothing for this.
        """
        if hasattr(out, "index_add_"):
            out.index_add_(0, places, values)
        else:
            np.add.at(out, places, values)

    def get(self, array: Array) -> NDArray[Any]:
        """Copy an array back to NumPy."""
        host = array.cpu() if hasattr(array, "cpu") else array
        host = host.get() if hasattr(host, "get") and not isinstance(host, np.ndarray) else host
        return np.from_dlpack(host) if hasattr(host, "__dlpack__") else np.asarray(host)
