"""Names that load on first use, so that importing a package costs nothing but its table of names."""

from __future__ import annotations

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
