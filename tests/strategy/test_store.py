"""The bundle: a round trip keeps everything, damage never passes, failures leave nothing behind."""

from __future__ import annotations

import errno
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.strategy import store
from equipoise.strategy.profile import Layout, Strategy

DTYPES = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(sizes=(32, 64)),
    hnp.unicode_string_dtypes(min_len=1, max_len=4),
)
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
NAMES = st.text("abcxyz.01", min_size=1, max_size=8)
JSON = st.dictionaries(
    st.text(max_size=5),
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.integers())
    ),
)


def same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


def sample(path: Path) -> dict[str, NDArray[Any]]:
    arrays = {"a": np.linspace(0, 1, 7), "b": np.arange(6, dtype=np.uint32).reshape(2, 3)}
    store.save(path, "strategy", arrays, {"game": "kuhn", "list": [1, 2]})
    return arrays


@settings(max_examples=60)
@given(st.dictionaries(NAMES, ARRAYS, max_size=4), JSON)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, arrays: dict[str, Any], metadata: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("store") / "bundle.eqp"
    store.save(path, "checkpoint", arrays, metadata)
    bundle = store.load(path, "checkpoint")
    assert bundle.metadata == metadata
    assert bundle.arrays.keys() == arrays.keys()
    assert all(same(bundle.arrays[name], arrays[name]) for name in arrays)


def test_arrays_are_aligned_read_only_views_and_plain_npy_members(tmp_path: Path) -> None:
    path = tmp_path / "bundle.eqp"
    arrays = sample(path)
    for array in store.load(path).arrays.values():
        assert array.ctypes.data % 64 == 0
        assert not array.flags.writeable
        assert not array.flags.owndata
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name, array in arrays.items():
            member = np.load(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)
            assert same(member, array)


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    sample(tmp_path / "one")
    sample(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def outcome(path: Path, content: bytes, arrays: dict[str, Any]) -> bool:
    """Load ``content``; it must raise an EquipoiseError (False) or be what was saved (True)."""
    path.write_bytes(content)
    try:
        bundle = store.load(path)
    except EquipoiseError as error:
        message = str(error)
    else:
        message = ""
    if message:
        assert "\n" not in message
        assert path.name in message
        return False
    assert bundle.metadata == {"game": "kuhn", "list": [1, 2]}
    assert bundle.arrays.keys() == arrays.keys()
    assert all(same(bundle.arrays[name], arrays[name]) for name in arrays)
    return True


def test_every_byte_flipped_and_every_truncation(tmp_path: Path) -> None:
    path = tmp_path / "bundle.eqp"
    arrays = sample(path)
    whole = path.read_bytes()
    harmless = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        harmless += outcome(path, bytes(damaged), arrays)
        assert not outcome(path, whole[:place], arrays)
    # Only padding, times and flags may change unnoticed.
    assert harmless < len(whole) / 2


@settings(max_examples=300)
@given(st.data())
def test_any_damage(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("store") / "bundle.eqp"
    arrays = sample(path)
    damaged = bytearray(path.read_bytes())
    places = st.tuples(st.integers(0, len(damaged) - 1), st.integers(0, 255))
    for place, byte in data.draw(st.lists(places, max_size=4)):
        damaged[place] = byte
    cut = data.draw(st.integers(0, len(damaged)))
    insert = data.draw(st.binary(max_size=8))
    outcome(path, bytes(damaged[:cut]) + insert + bytes(damaged[cut:]), arrays)


def raw(path: Path, manifest: Any, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def test_foreign_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("EFG 2 R")
    with pytest.raises(EquipoiseError, match="another kind of file"):
        store.load(path)
    path.write_bytes(b"")
    with pytest.raises(EquipoiseError, match="empty"):
        store.load(path)
    np.savez(path.with_suffix(".npz"), a=np.ones(3))
    with pytest.raises(EquipoiseError, match="another kind"):
        store.load(path.with_suffix(".npz"))
    raw(path, {"format": "someone else's"})
    with pytest.raises(EquipoiseError, match="another kind"):
        store.load(path)
    raw(path, ["not a manifest"])
    with pytest.raises(EquipoiseError, match="another kind"):
        store.load(path)
    with pytest.raises(EquipoiseError, match="cannot be read"):
        store.load(tmp_path)
    with pytest.raises(EquipoiseError, match="No such file"):
        store.load(tmp_path / "missing")


def test_newer_version_and_wrong_kind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    raw(path, {"format": store.FORMAT, "version": 2, "kind": "strategy"})
    with pytest.raises(EquipoiseError, match="update Equipoise"):
        store.load(path)
    sample(path)
    with pytest.raises(EquipoiseError, match="kind 'strategy', expected 'checkpoint'"):
        store.load(path, "checkpoint")


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "|O", "shape": [1], "sha256": ""},
        {"dtype": "<f8", "shape": [-1], "sha256": ""},
        {"dtype": "<f8", "shape": [1.5], "sha256": ""},
        {"dtype": "<f8", "shape": [10**30], "sha256": ""},
        {"dtype": "no type", "shape": [1], "sha256": ""},
        {"shape": [1]},
        None,
    ],
)
@pytest.mark.parametrize("verify", [True, False])
def test_hostile_manifest(tmp_path: Path, entry: Any, verify: bool) -> None:
    path = tmp_path / "file"
    manifest = {"format": store.FORMAT, "version": 1, "kind": "x", "metadata": {}}
    raw(path, {**manifest, "arrays": {"a": entry}}, a=bytes(200))
    with pytest.raises(EquipoiseError, match="damaged"):
        store.load(path, verify=verify)


def test_without_verification_the_data_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "bundle.eqp"
    arrays = sample(path)
    content = path.read_bytes()
    data = arrays["a"].tobytes()
    path.write_bytes(content.replace(data, data[::-1]))
    with pytest.raises(EquipoiseError, match=r"checksum of a\.npy"):
        store.load(path)
    assert store.load(path, verify=False).arrays["a"].tobytes() == data[::-1]


def fail(number: int) -> Any:
    def function(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    return function


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EIO, "Input/output error"), (errno.EROFS, "Read-only")],
)
@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str, function: str
) -> None:
    path = tmp_path / "bundle.eqp"
    arrays = sample(path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail(number))
        with pytest.raises(EquipoiseError, match=words):
            store.save(path, "strategy", {**arrays, "c": np.ones(100)}, {})
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["bundle.eqp"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_device(tmp_path: Path) -> None:
    (tmp_path / "bundle.eqp").symlink_to("/dev/full")
    with pytest.raises(EquipoiseError, match="disk is full"):
        sample(tmp_path / "bundle.eqp")
    assert os.listdir(tmp_path) == ["bundle.eqp"]


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EquipoiseError, match="not a folder"):
        sample(tmp_path / "missing" / "bundle.eqp")
    with pytest.raises(EquipoiseError, match="found a folder"):
        sample(tmp_path)
    # The superuser may write everywhere, so the refusal is asked of a stand-in.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(EquipoiseError, match="write-protected"):
        sample(tmp_path / "bundle.eqp")
    assert os.listdir(tmp_path) == []


def test_what_cannot_be_stored(tmp_path: Path) -> None:
    with pytest.raises(EquipoiseError, match="type object"):
        store.save(tmp_path / "file", "x", {"a": np.array([None])}, {})
    with pytest.raises(EquipoiseError, match="not JSON"):
        store.save(tmp_path / "file", "x", {}, {"a": float("nan")})
    assert os.listdir(tmp_path) == []


def test_strategy_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.eqp"
    strategy = Strategy("kuhn", "abc", (np.array([1, 0.25, 0.75]), np.ones(3, dtype=np.float32)))
    log = np.arange(12.0).reshape(2, 6)
    store.save_strategy(path, strategy, log=log, metadata={"spec": "kuhn(cards=3)"})
    loaded = store.load_strategy(path)
    assert (loaded.game, loaded.fingerprint) == ("kuhn", "abc")
    assert all(map(same, loaded.behaviour, strategy.behaviour))
    assert same(store.log_of(path, store.load(path)), log)
    assert store.load(path).metadata["spec"] == "kuhn(cards=3)"


def test_layouts_are_kept_and_checked(tmp_path: Path) -> None:
    layout = Layout(nodes=(((0, 2), (1, 3)), ((1, 2),)), buckets=((1, 2), (2, 4)))
    strategy = Strategy("g", "f", (np.ones(9), np.ones(9, dtype=np.float32)), layout)
    store.save_strategy(tmp_path / "a.eqp", strategy)
    back = store.load_strategy(tmp_path / "a.eqp")
    assert back.layout == layout
    assert [vector.dtype for vector in back.behaviour] == [np.float64, np.float32]
    arrays = {"behaviour.0": np.ones(9), "behaviour.1": np.ones(9)}
    own = {"game": "g", "fingerprint": "f", "players": 2}
    for described, words in [
        ({"nodes": [[[0, 2]], [[1, 2]]], "buckets": [[1, 2], [2, 4]]}, "lengths"),
        ({"nodes": [[[0, 2]], [[7, 2]]], "buckets": [[1, 2], [2, 4]]}, "cannot be read"),
        ({"nodes": [[[0, 2]]], "buckets": [[1, 2]]}, "cannot be read"),
        ({"nodes": 3}, "cannot be read"),
        ("text", "cannot be read"),
    ]:
        store.save(tmp_path / "b.eqp", store.STRATEGY, arrays, {**own, "layout": described})
        with pytest.raises(EquipoiseError, match=words):
            store.load_strategy(tmp_path / "b.eqp")


def test_strategy_files_with_parts_missing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    sample(path)
    with pytest.raises(EquipoiseError, match="players: found nothing"):
        store.load_strategy(path)
    with pytest.raises(EquipoiseError, match="no log"):
        store.log_of(path, store.load(path))
    metadata = {"game": "kuhn", "fingerprint": "abc", "players": 1}
    store.save(path, "strategy", {"behaviour.0": np.ones((2, 2))}, metadata)
    with pytest.raises(EquipoiseError, match="vector of floats"):
        store.load_strategy(path)
