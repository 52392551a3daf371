"""Certificates that go on from a file: the same numbers, and nothing computed twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.certificates.test_streamed import EVERY, SHORT, bucket_strategy

from equipoise.certificates.board_walk import BoardWalk, Part
from equipoise.certificates.gap import certify
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
    with pytest.raises(EquipoiseError, match="has no boards to sample"):
        certify(unroll(EVERY["kuhn"]), STRATEGY, parts=place)
    place.write_bytes(before[:-50])
    with pytest.raises(EquipoiseError, match="damaged"):
        certify(SHORT, STRATEGY, flops=2, parts=place)
