"""Certificates that go on from a file: the same numbers, and nothing computed twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.certificates.test_streamed import EVERY, SHORT, bucket_strategy

from equipoise.bundle import load, save
from equipoise.certificates import parts_file
from equipoise.certificates.board_walk import BoardWalk, Part
from equipoise.certificates.gap import certify
from equipoise.certificates.parts_file import PartsFile
from equipoise.certificates.streamed import StreamedCertificate
from equipoise.errors import EquipoiseError
from equipoise.games.signals.unroll import unroll

STRATEGY = bucket_strategy(SHORT, (2, 3, 2), seed=7)


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The classes that are evaluated from now on."""
    found: list[int] = []

    def part(self: BoardWalk, number: int) -> Part:
        found.append(number)
        return original(self, number)

    original = BoardWalk.part
    monkeypatch.setattr(BoardWalk, "part", part)
    monkeypatch.setenv("EQUIPOISE_THREADS", "1")
    return found


def assert_equal(found: object, wanted: object) -> None:
    assert isinstance(found, StreamedCertificate)
    assert isinstance(wanted, StreamedCertificate)
    assert (found.values, found.best_responses) == (wanted.values, wanted.best_responses)
    assert found.errors == wanted.errors
    for mine, theirs in zip(found.earned, wanted.earned, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_a_stopped_certificate_goes_on(tmp_path: Path, evaluated: list[int]) -> None:
    place = tmp_path / "parts.eqp"
    whole = certify(SHORT, STRATEGY)
    classes = len(evaluated)
    for stop_at in (1, 4, classes):
        del evaluated[:]

        def each(done: int, total: int, stop_at: int = stop_at) -> None:
            assert total == classes
            if done == stop_at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            certify(SHORT, STRATEGY, parts=place, each=each)
        assert len(evaluated) == stop_at - {1: 0, 4: 1, classes: 4}[stop_at]
    del evaluated[:]
    assert_equal(certify(SHORT, STRATEGY, parts=place), whole)
    assert evaluated == []


def test_more_flops_go_on_from_fewer(tmp_path: Path, evaluated: list[int]) -> None:
    place = tmp_path / "parts.eqp"
    certify(SHORT, STRATEGY, flops=4, parts=place)
    few = {*evaluated}
    del evaluated[:]
    more = certify(SHORT, STRATEGY, flops=9, parts=place)
    assert few.isdisjoint(evaluated)
    assert len(evaluated) == len({*evaluated})
    assert_equal(more, certify(SHORT, STRATEGY, flops=9))


def test_parts_of_something_else_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "parts.eqp"
    certify(SHORT, STRATEGY, flops=2, parts=place)
    before = place.read_bytes()
    other = bucket_strategy(SHORT, (2, 3, 2), seed=8)
    for game, strategy, how in (
        (SHORT, other, {}),
        (SHORT, STRATEGY, {"precision": "double"}),
        (SHORT, STRATEGY, {"device": "numpy"}),
        (EVERY["all-ins"], bucket_strategy(EVERY["all-ins"], (2, 3, 2), seed=7), {}),
    ):
        with pytest.raises(EquipoiseError, match=r"found a certificate of strategy .* expected"):
            certify(game, strategy, flops=2, parts=place, **how)  # type: ignore[arg-type]
    assert place.read_bytes() == before
    # All flops are in double precision on a processor, and a sample is not; on other devices both are in their own.
    with pytest.raises(EquipoiseError, match=r"loops in float32, expected one .* loops in float64"):
        certify(SHORT, STRATEGY, parts=place)
    other_place = tmp_path / "numpy.eqp"
    certify(SHORT, STRATEGY, flops=2, device="numpy", parts=other_place)
    certify(SHORT, STRATEGY, device="numpy", precision="single", parts=other_place)
    with pytest.raises(EquipoiseError, match="has no boards to sample"):
        certify(unroll(EVERY["kuhn"]), STRATEGY, parts=place)
    place.write_bytes(before[:-50])
    with pytest.raises(EquipoiseError, match="damaged"):
        certify(SHORT, STRATEGY, flops=2, parts=place)


def test_parts_of_other_payments_are_refused(tmp_path: Path) -> None:
    """A strategy fits every game that is called and played alike, whatever its bets are worth."""
    place, tree = tmp_path / "parts.eqp", SHORT.tree
    certify(SHORT, STRATEGY, parts=place)
    for payments in ({"base": 2 * tree.base}, {"scale": 2 * tree.scale}):
        game = replace(SHORT, tree=replace(tree, **payments))
        truth = certify(game, STRATEGY)
        assert truth.gains != certify(SHORT, STRATEGY).gains
        with pytest.raises(EquipoiseError, match=r"found a certificate of .* expected"):
            certify(game, STRATEGY, parts=place)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("numbers", lambda array: array[:1]),
        ("numbers", lambda array: array * 1.0),
        ("numbers", lambda array: array - 9999),
        ("numbers", lambda array: array + 9999),
        ("numbers", lambda array: 0 * array),
        ("numbers", lambda array: array[None]),
        ("carried.0", lambda array: array[:, :, :-1]),
        ("carried.1", lambda array: array[0]),
        ("earned.0", lambda array: array.astype("f4")),
        ("earned.1", lambda array: array * np.nan),
    ],
)
def test_parts_that_were_changed_are_refused(
    tmp_path: Path, name: str, change: Callable[[Any], Any]
) -> None:
    place = tmp_path / "parts.eqp"
    wanted = certify(SHORT, STRATEGY, flops=4, parts=place)
    bundle = load(place)
    assert_equal(certify(SHORT, STRATEGY, flops=4, parts=place), wanted)
    arrays = {**bundle.arrays, name: change(bundle.arrays[name])}
    save(place, bundle.kind, arrays, bundle.metadata)
    with pytest.raises(EquipoiseError, match=r"parts\.eqp: .*, expected "):
        certify(SHORT, STRATEGY, flops=4, parts=place)


def some_parts(count: int) -> dict[int, Part]:
    """Parts of as many classes, no two of them alike."""
    arrays = [np.arange(6.0).reshape(2, 3) + 10 * k for k in range(4 * count)]
    parts = zip(*[iter(arrays)] * 4, strict=True)
    return {k: Part((a, b), (c, d)) for k, (a, b, c, d) in enumerate(parts)}


def these(place: Path, note: Callable[[str], None] = pytest.fail) -> PartsFile:
    """The file of :func:`some_parts` at ``place``."""
    return PartsFile(place, "these", note, [(2, 3)] * 4, 1000)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    place = tmp_path / "parts.eqp"
    file = these(place)
    file.parts |= some_parts(3)
    file.write()
    found = these(place).parts
    assert list(found) == [0, 1, 2]
    for number, part in some_parts(3).items():
        for name in Part._fields:
            for mine, theirs in zip(getattr(found[number], name), getattr(part, name), strict=True):
                np.testing.assert_array_equal(mine, theirs)
    before = place.stat().st_mtime_ns, place.stat().st_ino
    file.write()  # nothing is new
    assert (place.stat().st_mtime_ns, place.stat().st_ino) == before
    with pytest.raises(EquipoiseError, match="is not a folder"):
        these(tmp_path / "nowhere" / "parts.eqp")


def test_parts_are_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(parts_file.time, "monotonic", lambda: now[0])
    place = tmp_path / "parts.eqp"
    file = these(place)
    written = []
    for seconds in (0, 29, 31, 40, 59, 62, 100):
        now[0] = 1000.0 + seconds
        file.parts |= {seconds: some_parts(1)[0]}
        file.write(is_due=False)
        written.append(len(these(place).parts) if place.exists() else 0)
    assert written == [0, 0, 3, 3, 3, 6, 7]


def test_a_full_disk_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    file = these(tmp_path / "parts.eqp", said.append)
    wrong = iter(["full.", "full.", "gone."])

    def save(*_: object) -> None:
        raise EquipoiseError(next(wrong))

    monkeypatch.setattr(parts_file, "save", save)
    for number in range(3):
        file.parts |= {number: some_parts(1)[0]}
        file.write()
    goes_on = "The certificate goes on without this file."
    assert said == [f"full. {goes_on}", f"gone. {goes_on}"]
