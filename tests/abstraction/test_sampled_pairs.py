"""The error of pairs of buckets that are counted on a sample of boards, against counts on all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.test_street_buckets import COUNTS, DEVICES, SHORT, _matrix

from equipoise.abstraction.bucket_table import random_table
from equipoise.abstraction.hand_buckets import HandBuckets
from equipoise.abstraction.pairs_file import PairsFile
from equipoise.abstraction.street_abstraction import divided
from equipoise.bundle import load, save
from equipoise.cli.report import _text
from equipoise.errors import EquipoiseError
from equipoise.road.zero_sum import _buckets


@pytest.mark.parametrize("road", ["compiled", "device", "by number"])
def test_the_error_of_a_sample_is_how_far_it_is_from_all_boards(road: str) -> None:
    """The mean of many estimates against that of the true distances, round by round."""
    there = DEVICES["numpy"] if road == "device" else None

    def made(boards: int | None) -> HandBuckets:
        if road == "by number":
            return random_table(SHORT, (2, 3, 2), sample=boards)
        return divided(SHORT, COUNTS["short"], "expectation", boards=boards, device=there)

    every, found = made(None), made(40)
    exact = [_matrix(deal, deal.weight) for deal in every.deals(SHORT)]
    assert every.sampling_errors == ()
    told, true = np.zeros((2, SHORT.rounds))
    for seed in range(24):
        found.seed = seed
        for turn, deal in enumerate(found.deals(SHORT)):
            true[turn] += np.abs(_matrix(deal, deal.weight) - exact[turn]).sum() / 2 / 24
        told += np.array(found.sampling_errors) / 24
    assert told == pytest.approx(true, rel=0.35)
    found.sample = 1
    found.deals(SHORT)
    assert found.sampling_errors == ()


def test_the_error_of_a_sample_is_kept_with_the_pairs(tmp_path: Path) -> None:
    place = tmp_path / "pairs.eqp"
    counted, read = (divided(SHORT, COUNTS["short"], "expectation", boards=40) for _ in range(2))
    for buckets in (counted, read):
        buckets.pairs = PairsFile(place, pytest.fail)
        buckets.deals(SHORT)
    assert len(read.sampling_errors) == SHORT.rounds
    assert read.sampling_errors == counted.sampling_errors
    kept = load(place)
    for wrong in (0.5, [2.0], ["much"], [-0.1], [None]):
        save(place, kept.kind, kept.arrays, {**kept.metadata, "errors": wrong})
        with pytest.raises(EquipoiseError, match=r"pairs\.eqp: found the errors .*, expected "):
            read.deals(SHORT)


def test_summaries_tell_the_error_of_a_sample_and_none_of_all_boards() -> None:
    found = divided(SHORT, COUNTS["short"], "expectation", boards=40)
    found.deals(SHORT)
    told = _buckets(found)["pairs"]
    assert told == {"boards": 40, "errors": list(found.sampling_errors)}
    words = _text("pairs", told)
    assert all(f"{error:.2%}" in words for error in found.sampling_errors)
    found.sample = None
    found.deals(SHORT)
    assert "pairs" not in _buckets(found)
