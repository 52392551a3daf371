"""Bundles: arrays and metadata in one file that is safe to load and atomic to write.

A bundle is a ZIP archive without compression. It holds ``manifest.json`` and one ``.npy`` member for
each array, placed so that the array's data starts at a multiple of 64 bytes: an array is a view into
the mapped file, and opening a large bundle costs nothing until its pages are touched. Any unzip
program opens it, and ``numpy.load`` reads its members.

The manifest names the format, its version, the kind of bundle and the data type, shape and SHA-256
(of the whole member) of every array. Nothing is ever unpickled, so files from strangers are safe to
open. Bundles are written atomically (:mod:`equipoise.files`).
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.files import write_atomically

Arrays = dict[str, NDArray[Any]]
Metadata = dict[str, Any]

FORMAT = "equipoise bundle"
VERSION = 1

_MANIFEST = "manifest.json"
_ALIGNMENT = 64
_KINDS_OF_NUMBER = "biufcSU"
# A member's header: signature, what we skip, lengths of the name and the extra fields after it.
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ZIP64_FIELD = 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
# All that zipfile and json raise on damaged bytes.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, eq=False)
class Bundle:
    """What a file holds: arrays (read-only views into the mapped file) and metadata."""

    kind: str
    arrays: Arrays
    metadata: Metadata


def save(
    path: str | Path, kind: str, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any]
) -> None:
    """Write a bundle to ``path``, atomically; equal content gives equal bytes.

    ``metadata`` is anything JSON can say. One process at a time may write to a path.
    """
    path = Path(path)
    members = {f"{name}.npy": _npy(path, name, array) for name, array in arrays.items()}
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "metadata": dict(metadata),
        "arrays": {
            name: {
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "sha256": _digest(*members[f"{name}.npy"]),
            }
            for name, array in arrays.items()
        },
    }
    try:
        text = json.dumps(manifest, indent=1, sort_keys=True, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise EquipoiseError(f"{path}: metadata is not JSON ({error}), expected JSON.") from None
    write_atomically(path, lambda file: _write(file, {_MANIFEST: (text,), **members}))


def load(path: str | Path, kind: str | None = None, *, verify: bool = True) -> Bundle:
    """Open the bundle at ``path``.

    Parameters
    ----------
    kind
        What it must be; ``None`` takes any kind.
    verify
        Whether to compare every array with its checksum. Without it, only what is read is touched.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise EquipoiseError(f"{path}: the file is empty, expected an Equipoise file.")
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            try:
                return _read(path, file, view, kind, verify)
            except EquipoiseError:
                raise
            except _DAMAGE as error:
                raise _damaged(path, file, error) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise EquipoiseError(
            f"{path}: cannot be read ({reason}), expected an Equipoise file."
        ) from None


def _npy(path: Path, name: str, array: NDArray[Any]) -> tuple[bytes, memoryview]:
    """Return header and data of the ``.npy`` form of ``array``, whose bytes are not copied."""
    if array.dtype.kind not in _KINDS_OF_NUMBER:
        raise EquipoiseError(
            f"{path}: array '{name}' has type {array.dtype}, expected numbers, booleans or text."
        )
    plain = np.ascontiguousarray(array).reshape(array.shape)
    header = io.BytesIO()
    np.lib.format.write_array_header_2_0(header, np.lib.format.header_data_from_array_1_0(plain))
    return header.getvalue(), plain.reshape(-1).view(np.uint8).data


def _digest(*chunks: bytes | memoryview) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _write(file: BinaryIO, members: Mapping[str, tuple[bytes | memoryview, ...]]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, chunks in members.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            # An extra field of zeros moves the data to a multiple of the alignment.
            header = _LOCAL_HEADER.size + len(name.encode()) + _ZIP64_FIELD + 4
            padding = -(file.tell() + header) % _ALIGNMENT
            info.extra = struct.pack("<HH", 0, padding) + bytes(padding)
            with archive.open(info, "w", force_zip64=True) as member:
                for chunk in chunks:
                    member.write(chunk)


def _read(path: Path, file: BinaryIO, view: mmap.mmap, kind: str | None, verify: bool) -> Bundle:
    """Return the bundle in ``file``; damage shows as one of ``_DAMAGE`` or an EquipoiseError."""
    archive = zipfile.ZipFile(file)
    members = {info.filename: info for info in archive.infolist()}
    for info in members.values():
        if info.compress_type != zipfile.ZIP_STORED or info.file_size > len(view):
            raise ValueError(f"member '{info.filename}' is compressed or larger than the file")
    if _MANIFEST not in members:
        raise _foreign(path)
    manifest = json.loads(archive.read(_MANIFEST), parse_constant=_refuse)
    _require_format(path, manifest, kind)
    described, metadata = manifest["arrays"], manifest["metadata"]
    if not isinstance(described, dict) or not isinstance(metadata, dict):
        raise ValueError("the manifest has no tables of arrays and metadata")
    if members.keys() != {_MANIFEST, *(f"{name}.npy" for name in described)}:
        raise ValueError("members and manifest differ")
    arrays = {
        name: _array(view, members[f"{name}.npy"], entry, verify)
        for name, entry in described.items()
    }
    return Bundle(manifest["kind"], arrays, metadata)


def _refuse(constant: str) -> NoReturn:
    """Refuse what :func:`save` never writes: NaN and infinities, which are no JSON."""
    raise ValueError(f"the manifest has a number {constant}")


def _require_format(path: Path, manifest: Any, kind: str | None) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _foreign(path)
    if not isinstance(manifest["kind"], str):
        raise ValueError("the manifest names no kind of file")
    if type(manifest["version"]) is not int or not 1 <= manifest["version"] <= VERSION:
        raise EquipoiseError(
            f"{path}: written in version {manifest['version']!r:.60} of the format, expected {VERSION} "
            "or older: update Equipoise."
        )
    if kind is not None and manifest["kind"] != kind:
        raise EquipoiseError(
            f"{path}: found a file of kind '{manifest['kind']:.60}', expected '{kind}'."
        )


def _array(
    view: mmap.mmap, info: zipfile.ZipInfo, entry: Mapping[str, Any], verify: bool
) -> NDArray[Any]:
    """Return the array in the member ``info`` as a view of the file."""
    dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
    if dtype.kind not in _KINDS_OF_NUMBER or dtype.str != entry["dtype"]:
        raise ValueError(f"{info.filename} has type {entry['dtype']!r:.60}")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError(f"{info.filename} has shape {list(shape)!r:.60}")
    header = info.header_offset
    signature, name, extra = _LOCAL_HEADER.unpack_from(view, header)
    begin = header + _LOCAL_HEADER.size + name + extra
    end = begin + info.file_size
    data = end - dtype.itemsize * int(np.prod(shape, dtype=object))
    if signature != b"PK\x03\x04" or not begin < data <= end <= len(view):
        raise ValueError(f"{info.filename} is not where it should be")
    if verify and _digest(memoryview(view)[begin:end]) != entry["sha256"]:
        raise ValueError(f"the checksum of {info.filename} is wrong")
    return np.ndarray(shape, dtype, buffer=view, offset=data)


def _foreign(path: Path) -> EquipoiseError:
    return EquipoiseError(f"{path}: found another kind of file, expected an Equipoise file.")


def _damaged(path: Path, file: BinaryIO, error: Exception) -> EquipoiseError:
    file.seek(0)
    if file.read(4) != b"PK\x03\x04":
        return _foreign(path)
    reason = " ".join(str(error).split()).rstrip(".")
    return EquipoiseError(
        f"{path}: the file is truncated or damaged ({reason}), expected an intact one."
    )
