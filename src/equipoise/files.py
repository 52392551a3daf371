"""Writing files: complete and on disk, or not at all; and where to keep what can be rebuilt.

A file is written beside its destination and renamed into place, so a reader sees the old file or the
new one, never half of either, whatever happens to the writer.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from equipoise.errors import EquipoiseError


def write_atomically(path: str | Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let ``write`` fill a new file and put it at ``path``.

    One process at a time may write to a path. A killed writer leaves ``.NAME.part`` behind, which
    the next one overwrites.
    """
    path = Path(path)
    require_writable(path)
    part = _part(path)
    try:
        with part.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _cannot_write(path, error) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def discard(path: str | Path) -> None:
    """Remove the file at ``path``, if there is one, and what a killed writer of it left behind."""
    path = Path(path)
    for file in (path, _part(path)):
        file.unlink(missing_ok=True)


def _part(path: Path) -> Path:
    """Return where a file is written before it is put at ``path``."""
    return path.with_name(f".{path.name}.part")


def cache_folder() -> Path:
    """Return the folder for what can be rebuilt: ``EQUIPOISE_CACHE``, or the user's own; make it."""
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("EQUIPOISE_CACHE") or Path(user) / "equipoise")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EquipoiseError(
            f"{folder}: cannot be made ({error.strerror}), expected a place for the cache; "
            "EQUIPOISE_CACHE names another."
        ) from None
    return folder


def require_writable(path: str | Path) -> None:
    """Raise unless a file can be put at ``path``: better before a long solve than after it."""
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        raise EquipoiseError(f"{path}: '{folder}' is not a folder, expected one to write into.")
    if path.is_dir():
        raise EquipoiseError(f"{path}: found a folder, expected the name of a file.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise EquipoiseError(f"{path}: '{folder}' is write-protected, expected a writable folder.")


def _sync_folder(folder: Path) -> None:
    """Put the new name on disk too; without this a power cut may bring the old file back."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _cannot_write(path: Path, error: OSError) -> EquipoiseError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EquipoiseError(
            f"{path}: the disk is full, expected room for the file; nothing was written, and an "
            "older file of that name is untouched."
        )
    reason = error.strerror or str(error)
    return EquipoiseError(f"{path}: cannot be written ({reason}), expected a writable place.")
