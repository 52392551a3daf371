"""Names that load on first use, so that importing a package costs nothing but its table of names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for ``package``, whose names live where ``homes`` says.

    A home is a module that has the name, or that is itself what the name means.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = import_module(homes[name])
        return getattr(module, name, module)

    return get, lambda: sorted(homes)


class _BeforeNumba:
    """A finder of modules that finds none: it waits for Numba to be imported, and then sees to its place."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Hear of a module that is about to be imported."""
        if name == "numba" and self in sys.meta_path:
            sys.meta_path.remove(self)
            _place()


def wait_for_numba() -> None:
    """Find a place for compiled code as soon as Numba is imported, and not before."""
    if "numba" in sys.modules:
        _place()
    else:
        sys.meta_path.insert(0, _BeforeNumba())


def _place() -> None:
    from equipoise.files import place_compiled_code

    place_compiled_code()
