"""Matrices by steps: always exact, and short where hands are ranked."""

import numpy as np
import pytest

from equipoise.games import poker
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import build
from equipoise.sequence.payoffs import forms
from equipoise.sequence.payoffs.forms import STEPS, TOGETHER
from equipoise.sequence.payoffs.stepwise import stepwise, weights, written_out
from equipoise.sequence.payoffs.tiling import tiling


def showdown(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and showdowns of hands with weights; nobody meets her own hand."""
    random = np.random.default_rng(seed)
    rank, first, second = random.integers(0, n // 2, n), *random.integers(1, 4, (2, n))
    met = np.outer(first, second) * (1.0 - np.eye(n))
    return met / met.sum(), met / met.sum() * np.sign(np.subtract.outer(rank, rank))


@pytest.mark.parametrize("seed", range(5))
def test_ranked_hands_have_a_few_steps_a_row(seed):
    n = 24
    met, won = showdown(n, seed)
    v, w = weights(met[None])
    for matrix in (met, won):
        found = stepwise(matrix[None], v, w)
        assert np.abs(written_out(found)[0] - matrix).max() <= 1e-14 * np.abs(matrix).max()
        assert np.count_nonzero(found.jump) + np.count_nonzero(found.rest) <= 4 * n


def test_any_matrix_is_written_exactly():
    matrices = np.random.default_rng(0).normal(size=(3, 5, 7))
    found = stepwise(matrices, *weights(np.abs(matrices)))
    np.testing.assert_allclose(written_out(found), matrices, atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_hands_that_are_never_met_have_the_weight_one():
    matrices = np.random.default_rng(1).normal(size=(2, 5, 6))
    matrices[0, 2], matrices[1, :, 3] = 0.0, 0.0
    v, w = weights(np.abs(matrices))
    assert (v[0, 2], w[1, 3]) == (1.0, 1.0)
    found = stepwise(matrices, v, w)
    np.testing.assert_allclose(written_out(found), matrices, atol=1e-12)


def test_running_sums_are_counted():
    """A multiplication for every jump and every exception, and two for every column's running sum."""
    met, won = showdown(8, 3)
    found = stepwise(won[None], *weights(met[None]))
    jumps, exceptions = (found.jump != 0).sum(), (found.rest != 0).sum()
    assert found.entries() == jumps + exceptions + 2 * 8


def test_rhode_island_is_multiplied_by_steps():
    tiled = build(poker.rhode_island(8, 2)).A.tiled
    assert tiled is not None
    matrices = tiled.last.half(0, np.float64).matrices
    assert (matrices.form == STEPS).all()
    assert TOGETHER == 3, "the kernel of the tiles adds three entries of a list at once"
    lengths = np.diff(matrices.pointer.astype(np.int64), axis=1)
    assert not (lengths % TOGETHER).any()
    # Lists are filled up to the next multiple and no further: entries themselves are not zero.
    zeros = np.add.reduceat(np.append(matrices.value == 0, 0), matrices.pointer[:, :-1].ravel())
    assert zeros[lengths.ravel() > 0].max() < TOGETHER


def test_large_matrices_are_not_searched_for_steps(monkeypatch):
    game = poker.rhode_island(6, 2)
    before = build(game).A
    assert (before.tiled.last.half(0, np.float64).matrices.form == STEPS).any()
    rows, columns = map(np.diff, tiling(signal_rounds(game)[-1], 1).component)
    monkeypatch.setattr(forms, "_LARGEST", int((rows * columns).max()) - 1)
    after = build(game).A
    assert not (after.tiled.last.half(0, np.float64).matrices.form == STEPS).any()
    y = np.random.default_rng(0).random(after.shape[1])
    np.testing.assert_allclose(after.times(y), before.times(y), atol=1e-13)
