"""How Numba compiles our kernels.

A kernel is called from Python with arrays that outlive the call, and divides by zero nowhere. So it needs no
count of references, no check of divisors, and no second entry for callers in C: each of them is code that takes
time to compile, together a fifth of all (``_nrt`` is Numba's own name for the counting; kernels that allocate
arrays leave it alone).

Indices are unsigned throughout: a signed one may count from the end of an array, which is checked at every
access. Small parts of kernels are put in their places before anything is typed, and so compiled and optimised once.
Large ones are typed by themselves, and optimised where they go (:mod:`.parts`).
"""

from __future__ import annotations

from typing import Any

from equipoise.numerics.compilation import listen
from equipoise.numerics.parts import PartCompiler

listen()

EXACT: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
"""Kernels whose sums are added up in the order in which they are written."""

KERNEL: dict[str, Any] = {**EXACT, "fastmath": {"contract", "reassoc", "nsz"}}
"""Kernels whose sums may be added up in any order, and so in vectors."""

INNER: dict[str, Any] = {**KERNEL, "inline": "always"}
"""Parts of such kernels."""

PART: dict[str, Any] = {
    **KERNEL,
    "cache": False,
    "no_cpython_wrapper": True,
    "pipeline_class": PartCompiler,
}
"""Large parts of such kernels. They have no entry for callers in Python: a call from there ends the process."""

EXACT_INNER: dict[str, Any] = {**EXACT, "inline": "always"}
"""Parts of kernels that add up in order."""
