"""What a bundle looks like from outside: a plain archive, byte for byte the same everywhere."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from equipoise import bundle
from equipoise.errors import EquipoiseError

ARRAYS = {
    "a": np.arange(5, dtype=np.int32),
    "empty": np.zeros((0, 3)),
    "text": np.array(["x", "yz"]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    bundle.save(tmp_path / "b.eqp", "sample", ARRAYS, {"z": 1, "a": [2]})
    return tmp_path / "b.eqp"


def test_members_have_no_date_no_compression_and_harmless_extra_fields(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        assert [info.filename for info in archive.infolist()] == [
            "manifest.json", "a.npy", "empty.npy", "text.npy",
        ]  # fmt: skip
        for info in archive.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0)
            assert info.compress_type == zipfile.ZIP_STORED
            # A field of a kind that nobody reads (1 would be Zip64's), zeros throughout.
            kind, length = struct.unpack_from("<HH", info.extra)
            assert (kind, length) == (0, len(info.extra) - 4)
            assert not any(info.extra[4:])


def test_data_start_at_multiples_of_64_bytes_without_waste(path: Path) -> None:
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name, extra = struct.unpack_from("<HH", content, info.header_offset + 26)
            begin = info.header_offset + 30 + name + extra
            assert begin % 64 == 0
            assert len(info.extra) - 4 < 64
            assert content[begin : begin + info.file_size] == archive.read(info.filename)


def test_the_manifest_reads_well(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        text = archive.read("manifest.json").decode()
    manifest = json.loads(text)
    assert text == json.dumps(manifest, indent=1, sort_keys=True)
    assert (manifest["format"], manifest["version"]) == ("equipoise bundle", 1)
    assert manifest["kind"] == "sample"
    assert manifest["metadata"] == {"z": 1, "a": [2]}
    assert manifest["arrays"]["a"]["dtype"] == "<i4"
    assert manifest["arrays"]["empty"]["shape"] == [0, 3]


def test_compressed_members_are_refused(path: Path) -> None:
    # Compressed data cannot be a view of the file, and may be a bomb.
    packed = path.with_name("packed.eqp")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info.filename))
    with pytest.raises(EquipoiseError, match=r"member 'manifest\.json' is compressed"):
        bundle.load(packed)


@pytest.mark.parametrize("version", [0, 1, 2, True, "1", None])
def test_versions(path: Path, version: object) -> None:
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    other = path.with_name("other.eqp")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr(
            "manifest.json", json.dumps({**manifest, "version": version, "arrays": {}})
        )
    if type(version) is int and version == 1:
        assert bundle.load(other).metadata == {"z": 1, "a": [2]}
    else:
        with pytest.raises(EquipoiseError, match=r"expected 1\b"):
            bundle.load(other)


@pytest.mark.parametrize("difference", ["missing", "extra"])
def test_members_and_manifest_must_agree(path: Path, difference: str) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if difference == "missing":
        del members["a.npy"]
    else:
        members["more.npy"] = members["a.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(EquipoiseError, match="members and manifest differ"):
        bundle.load(path)


def test_any_kind_or_the_one_that_was_asked_for(path: Path) -> None:
    assert bundle.load(path).kind == bundle.load(path, "sample").kind == "sample"
    with pytest.raises(EquipoiseError, match="found a file of kind 'sample', expected 'other'"):
        bundle.load(path, "other")


def test_arrays_are_read_only(path: Path) -> None:
    for name, array in bundle.load(path).arrays.items():
        assert not array.flags.writeable
        assert array.dtype == ARRAYS[name].dtype
        assert np.array_equal(array, ARRAYS[name])


@pytest.mark.parametrize("change", [{"arrays": []}, {"metadata": None}, {"metadata": [1]}])
def test_a_manifest_has_tables(path: Path, change: dict[str, object]) -> None:
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({**manifest, "arrays": {}, **change}))
    with pytest.raises(EquipoiseError, match="no tables of arrays and metadata"):
        bundle.load(path)
