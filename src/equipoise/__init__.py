"""Equipoise: the rules of an imperfect-information game in, a certified equilibrium out.

The names below load on first use, so that ``import equipoise`` costs neither Numba nor SciPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME: dict[str, str] = {
    "Abstraction": "equipoise.abstraction.base",
    "EquipoiseError": "equipoise.errors",
    "coarsen": "equipoise.abstraction.base",
    "gameshrink": "equipoise.abstraction.gameshrink",
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    """Import the public name ``name`` from its home on first use."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'equipoise' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
