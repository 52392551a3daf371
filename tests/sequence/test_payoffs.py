"""Laws of payoff operators: a class is listed once, with examples, and inherits them all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from equipoise.cards.evaluate import three_card_ranks
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.sequence.build import build
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.factored import Factored
from equipoise.sequence.payoffs.ranked import Ranked, RankedHands, RankedLeaves
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import TABLE

seeds = st.integers(0, 2**32 - 1)


def ranked(cards: int, deck: int, seed: int) -> Ranked:
    """Hands of one or two cards, strengths with ties, three leaves, one of them of both kinds."""
    random = np.random.default_rng(seed)
    holes = np.stack(np.triu_indices(deck, 1), axis=1) if cards == 2 else np.arange(deck)[:, None]
    holes = holes[random.permutation(len(holes))[: 4 * deck]]
    n = len(holes)
    leaves = RankedLeaves(
        row=np.array([1, 1 + n, 1], np.uint32),
        column=np.array([1, 1, 1 + n], np.uint32),
        base=np.array([0.0, -2.0, 0.5]),
        scale=np.array([3.0, 0.0, 1.5]),
    )
    hands = RankedHands.of(holes, random.integers(0, 5, n))
    weights = random.random(n), random.random(n)
    return Ranked(hands, leaves, weights, (1 + 2 * n, 1 + 2 * n))


# Every class of payoffs, with examples small enough to be written out.
EXAMPLES: dict[type[Payoff], list[Payoff]] = {
    Sparse: [build(kuhn()).A, build(leduc()).A],
    Factored: [
        build(poker.kuhn()).A,
        build(poker.leduc()).A,
        build(poker.leduc(4, 3)).A,
        build(poker.rhode_island(4, 2)).A,
    ],
    Ranked: [ranked(1, 9, 0), ranked(2, 7, 1), ranked(2, 12, 2)],
}
PAYOFFS = [example for examples in EXAMPLES.values() for example in examples]


def test_every_class_of_payoffs_is_listed():
    ours = {own for own in Payoff.__subclasses__() if own.__module__.startswith("equipoise.")}
    assert ours == set(EXAMPLES)


@given(st.sampled_from(PAYOFFS), seeds)
@settings(max_examples=60, deadline=None)
def test_products_are_adjoint_and_those_of_the_matrix(A, seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=A.shape[0]), random.normal(size=A.shape[1])
    matrix = A.matrix()
    scale = np.abs(matrix.data).sum()
    assert matrix.shape == A.shape
    assert A.nonzeros == matrix.nnz
    assert x @ A.times(y) == pytest.approx(A.transpose_times(x) @ y, abs=1e-10 * scale)
    np.testing.assert_allclose(A.times(y), matrix @ y, atol=1e-13 * scale)
    np.testing.assert_allclose(A.transpose_times(x), matrix.T @ x, atol=1e-13 * scale)


@given(st.sampled_from(PAYOFFS), seeds)
@settings(max_examples=30, deadline=None)
def test_single_precision_stays_single_and_close(A, seed):
    y = np.random.default_rng(seed).random(A.shape[1])
    single = A.times(y.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, A.times(y), atol=1e-5 * (abs(A.matrix()) @ y).max())


@pytest.mark.parametrize("A", PAYOFFS)
def test_out_is_overwritten_and_returned(A):
    y, out = np.ones(A.shape[1]), np.full(A.shape[0], 7.0)
    assert A.times(y, out) is out
    np.testing.assert_array_equal(out, A.times(y))


@pytest.mark.parametrize("A", PAYOFFS)
def test_vectors_of_another_length_are_refused(A):
    with pytest.raises(EquipoiseError, match="expected"):
        A.times(np.ones(A.shape[1] + 1))
    with pytest.raises(EquipoiseError, match="expected"):
        A.transpose_times(np.ones(A.shape[0] + 1))


@pytest.mark.parametrize("A", PAYOFFS)
def test_a_restriction_is_a_part_of_the_matrix(A):
    random = np.random.default_rng(1)
    rows, columns = (np.sort(random.permutation(n)[: n // 2]) for n in A.shape)
    part = A.restricted(rows, columns)
    assert part.shape == (len(rows), len(columns))
    assert abs(part.matrix() - A.matrix()[rows][:, columns]).max() <= 1e-15


@pytest.mark.parametrize("A", PAYOFFS)
def test_stored_entries_are_those_of_the_matrix(A):
    if A.stored is not None:
        start, column, value = A.stored.by_column
        by_column = sparse.csr_matrix((value, column, start), shape=A.shape[::-1])
        assert abs(by_column - A.matrix().T).max() == 0


class Bare(Payoff):
    """An operator with the core alone."""

    def __init__(self, A: Payoff) -> None:
        self.shape, self._inner = A.shape, A

    def times(self, y, out=None):
        return self._inner.times(y, out)

    def transpose_times(self, x, out=None):
        return self._inner.transpose_times(x, out)


def test_the_core_is_enough_to_solve_and_what_is_missing_is_said():
    from dataclasses import replace

    form = build(poker.leduc())
    bare = replace(form, A=Bare(form.A))
    assert solve(bare, TABLE["dcfr"], Iterations(300)).gap < 0.02
    for ability in (bare.A.matrix, lambda: bare.A.sampled(0.5, np.random.default_rng())):
        with pytest.raises(EquipoiseError, match="Bare payoffs"):
            ability()


def test_ranked_showdowns_are_those_of_the_cards():
    # Pairs of private cards and one on the board, by the ranking of three cards.
    board, deck = 17, range(30, 52)
    holes = np.array([(a, b) for a in deck for b in deck if a < b])
    strength = three_card_ranks(np.column_stack([holes, np.full(len(holes), board)]))
    leaf = RankedLeaves(*(np.zeros(1, np.uint32),) * 2, base=np.zeros(1), scale=np.ones(1))
    even = np.ones(len(holes))
    A = Ranked(RankedHands.of(holes, strength), leaf, (even, even), (len(holes),) * 2)
    y = np.random.default_rng(0).random(len(holes))
    gains = A.times(y)
    for h in range(0, len(holes), 17):
        met = [k for k in range(len(holes)) if not set(holes[h]) & set(holes[k])]
        won = sum(y[k] * np.sign(int(strength[h]) - int(strength[k])) for k in met)
        assert gains[h] == pytest.approx(won, abs=1e-10)


def test_a_hand_given_twice_is_refused():
    with pytest.raises(EquipoiseError, match="twice"):
        RankedHands.of(np.array([[1, 2], [2, 1]]), np.array([1, 1]))
