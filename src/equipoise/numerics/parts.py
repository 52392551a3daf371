"""Parts of kernels, compiled as far as the kernels they go into need.

Numba optimises a function that another one calls, and makes machine code of it, before it is put in its place; then
the whole is optimised again, and made into machine code again. A part that nobody else calls needs neither: it
is linked into the kernel as it is first written down, and optimised there, once.
"""

from __future__ import annotations

from typing import Any

from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class PartCompiler(Compiler):
    """Numba's passes, the last of which stops short of machine code."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or _Draft(target.codegen(), "part"), *rest)
        self.state.targetctx.get_executable = _name  # a copy, of this compilation alone


class _Draft(JITCodeLibrary):
    """What Numba has written down of a part: linked to others, not optimised, no machine code."""

    def _optimize_final_module(self) -> None:
        """Leave that to the kernels."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _name(draft: _Draft, described: Any, environment: Any) -> Any:
    """Return what kernels know a part by: a function without an address."""
    return make_function(
        described.lookup_module(), described.qualname, "a part of kernels", 0, environment, (draft,)
    )
