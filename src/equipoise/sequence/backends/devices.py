"""Devices by name: where passes and products run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.numerics.device import Device

DEVICES: dict[str, str] = {
    "compiled": "loops compiled by Numba, on the processor: the default",
    "numpy": "NumPy arrays, on the processor: needs no compiler",
    "torch": "PyTorch, on the processor",
    "cuda": "PyTorch, on an NVIDIA GPU",
    "cupy": "CuPy, on an NVIDIA GPU",
}
"""The names, and what they mean."""


def device(name: str, dtype: str) -> Device:
    """Return the array device called ``name``, for numbers of ``dtype``."""
    from equipoise.numerics.device import Device

    library = "torch" if name == "cuda" else name
    try:
        namespace = import_module(f"array_api_compat.{library}")
    except ImportError:
        raise EquipoiseError(
            f"device {name}: {library} is not installed, expected it (PyTorch comes with "
            "'pip install equipoise[gpu]')."
        ) from None
    if name != "cuda":
        return Device(namespace, None, dtype)
    if not namespace.cuda.is_available():
        raise EquipoiseError("device cuda: found no GPU that PyTorch can use, expected one.")
    return Device(namespace, namespace.device("cuda"), dtype)
