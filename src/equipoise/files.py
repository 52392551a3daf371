"""Writing files: complete and on disk, or not at all; and where to keep what can be rebuilt.

A file is written beside its destination and renamed into place, so a reader sees the old file or the
new one, never half of either, whatever happens to the writer.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR
from typing import Any, BinaryIO

from equipoise.errors import EquipoiseError, remark

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

_IS_POSIX = os.name == "posix"
_DAY = 86_400.0


def write_atomically(path: str | Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let ``write`` fill a new file and put it at ``path``.

    Several may write to a path at once, each to a file of its own: the last to be done is what stays. A killed
    writer leaves ``.NAME.1f2e3d4c.part`` behind, which the next one removes. What is no file but a device or a
    pipe is written to as it is, and a link stays one, to a new file.
    """
    path = Path(path)
    require_writable(path)
    if _is_stream(path):
        _write_to_stream(path, write)
        return
    path = path.resolve() if path.is_symlink() else path
    part = None
    try:
        _sweep(path)
        part, file = _begin(path)
        with file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                # Before the lock is gone: a free one says that nobody writes here any more.
                part.replace(path)
        if fcntl is None:
            part.replace(path)  # Windows renames no open file
        _sync_folder(path.parent)
    except BaseException as error:
        if part is not None:
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _cannot_write(path, error) from None
        raise


def discard(path: str | Path) -> None:
    """Remove the file at ``path``, if there is one, and what killed writers of it left behind."""
    path = Path(path)
    path.unlink(missing_ok=True)
    _sweep(path)


def require_plots(stem: Path, *endings: str) -> None:
    """Raise unless plots called ``stem`` and then each of ``endings`` can be written."""
    if stem.name in ("", ".."):
        raise EquipoiseError(f"{stem}: found a folder, expected the name of plots without ending.")
    for ending in endings:
        require_writable(stem.with_name(f"{stem.name}{ending}"))


def _is_stream(path: Path) -> bool:
    """Whether ``path`` is a device or a pipe: a file renamed to its place would take it from everybody."""
    return path.exists() and not path.is_file()


def _write_to_stream(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Let ``write`` fill a device or a pipe."""
    try:
        with path.open("wb") as file:
            write(file)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _part(path: Path) -> Path:
    """Return a new place where a file is written before it is put at ``path``."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def _begin(path: Path) -> tuple[Path, BinaryIO]:
    """Return a new file beside ``path``, open and locked, and where it is."""
    while True:
        part = _part(path)
        file = part.open("xb")
        if fcntl is not None:
            with suppress(OSError):  # some file systems have no locks
                fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return part, file
        file.close()  # swept away before it was locked


def _sweep(path: Path) -> None:
    """Remove what killed writers of ``path`` left behind, and no file that somebody still writes to."""
    is_part = re.compile(rf"\.{re.escape(path.name)}(\.[0-9a-f]{{8}})?\.part").fullmatch
    parts: list[str] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        parts += [own.path for own in entries if is_part(own.name) and own.is_file()]
    for part in parts:
        with suppress(OSError):  # somebody else may sweep as well, or be done with it by now
            _remove_abandoned(part)


def _remove_abandoned(part: str) -> None:
    """Remove a file whose lock is free; without locks, one that nobody has written to for a day."""
    if fcntl is not None:
        with open(part, "r+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            except OSError:
                pass  # a file system without locks
            else:
                os.unlink(part)
                return
    if time.time() - os.stat(part).st_mtime > _DAY:
        os.unlink(part)


def cache_folder() -> Path:
    """Return the folder for what can be rebuilt, made if need be.

    It is ``EQUIPOISE_CACHE``, or the user's own, or a temporary one where that cannot be written.
    """
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    wanted = os.environ.get("EQUIPOISE_CACHE") or os.path.join(user, "equipoise")
    # A user without a home is given the folder '~', wherever the process stands.
    usable = not wanted.startswith("~") and _can_keep(wanted)
    return Path(wanted).absolute() if usable else _temporary_cache(wanted)


def place_compiled_code() -> None:
    """See to it that Numba finds a place for compiled code; call it before kernels are imported.

    Numba keeps the code beside the modules. Where it can write neither there nor in the home folder
    (an installation by an administrator, a container), importing a kernel fails: name it a folder.
    Numba compiles a kernel again when its own file changes, but not when a file does whose functions it
    has taken in. So code that is older than any of our files goes first.
    """
    package = os.path.dirname(__file__)
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named and _can_keep(named):
        return
    stamp = _stamp(package)
    if _can_keep(os.path.join(package, "__pycache__")):
        _forget_older_code(Path(package), stamp)
        return
    folder = str(cache_folder() / f"numba-{stamp}")
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:  # which read its environment when it was imported
        sys.modules["numba"].config.CACHE_DIR = folder


def _stamp(package: str) -> str:
    """Return a digest of when the modules of ``package`` were written, and how long they are."""
    found, folders = [], [package]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    told = entry.stat()
                    found.append((entry.path[len(package) :], told.st_mtime_ns, told.st_size))
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return f"{zlib.crc32(repr(sorted(found)).encode()):08x}"


def _forget_older_code(package: Path, stamp: str) -> None:
    """Remove compiled code beside the modules unless it was made from what ``stamp`` stands for."""
    mark = package / "__pycache__" / "compiled.stamp"
    with suppress(OSError):
        if mark.read_text() == stamp:
            return
    with suppress(OSError):
        for index in package.rglob("__pycache__/*.nbi"):
            index.unlink(missing_ok=True)
        mark.write_text(stamp)


def _can_keep(folder: str) -> bool:
    """Make the folder and tell whether files can be put into it."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


@cache
def _temporary_cache(wanted: str) -> Path:
    """Return a temporary folder that only this user can write, and say once that it is used."""
    import logging
    import tempfile

    # Compiled code is run as it is found, so a folder that another user may have made will not do.
    folder = Path(tempfile.gettempdir(), f"equipoise-{os.getuid()}") if _IS_POSIX else None
    if folder is None or not _can_keep(str(folder)) or not _is_private(folder):
        folder = Path(tempfile.mkdtemp(prefix="equipoise-"))
    logging.getLogger("equipoise").warning(
        remark(
            f"{wanted} cannot be written, so compiled code and tables are kept in {folder}; "
            "EQUIPOISE_CACHE names another place."
        )
    )
    return folder


def _is_private(folder: Path) -> bool:
    """Whether the folder, no link to one, is this user's and no other can write it."""
    found = folder.lstat()
    return S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def require_writable(path: str | Path) -> None:
    """Raise unless a file can be put at ``path``: better before a long solve than after it."""
    path = Path(path)
    folder = path.parent
    try:
        if not folder.is_dir():
            raise EquipoiseError(f"{path}: '{folder}' is not a folder, expected one to write into.")
        if path.is_dir():
            raise EquipoiseError(f"{path}: found a folder, expected the name of a file.")
        _part(path).exists()
    except (OSError, ValueError) as error:
        if isinstance(error, EquipoiseError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise EquipoiseError(
            f"{path}: cannot be written ({reason}), expected another name."
        ) from None
    if not _is_stream(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise EquipoiseError(f"{path}: '{folder}' is write-protected, expected a writable folder.")


def _sync_folder(folder: Path) -> None:
    """Put the new name on disk too; without this a power cut may bring the old file back."""
    if not _IS_POSIX:
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
