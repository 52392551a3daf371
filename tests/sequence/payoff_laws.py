"""What every payoff operator obeys, whatever its class: the laws, and the examples that they run over.

A new class is listed once in :data:`EXAMPLES` and inherits them all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from equipoise.abstraction.base import Partition
from equipoise.abstraction.expectation import expectation
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.classic import kuhn, leduc
from equipoise.sequence.build import SequenceForm, build
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.by_board import ByBoard
from equipoise.sequence.payoffs.factored import Factored
from equipoise.sequence.payoffs.on_boards import LEAVES, OnBoards
from equipoise.sequence.payoffs.over_runouts import Runouts
from equipoise.sequence.payoffs.ranked import Ranked, RankedHands, RankedLeaves
from equipoise.sequence.payoffs.sparse import Sparse


def written_out(A: Payoff) -> sparse.csr_matrix | None:
    """Return the matrix that ``A`` writes out, if it has that ability."""
    try:
        return A.matrix()
    except EquipoiseError as error:
        assert "no way to write them out" in str(error)  # noqa: PT017 - of what is to be found out
        return None


def matrix_of(A: Payoff) -> sparse.csr_matrix:
    """Return the matrix of ``A``: written out, or else column by column from its products."""
    found = written_out(A)
    if found is not None:
        return found
    return sparse.csr_matrix([A.times(unit) for unit in np.eye(A.shape[1])]).T.tocsr()


def products_are_adjoint_and_those_of_the_matrix(A: Payoff, random: np.random.Generator) -> None:
    x, y = random.normal(size=A.shape[0]), random.normal(size=A.shape[1])
    matrix = matrix_of(A)
    scale = np.abs(matrix.data).sum()
    assert matrix.shape == A.shape
    if written_out(A) is not None:
        assert A.nonzeros == matrix.nnz
    assert x @ A.times(y) == pytest.approx(A.transpose_times(x) @ y, abs=1e-10 * scale)
    np.testing.assert_allclose(A.times(y), matrix @ y, atol=1e-13 * scale)
    np.testing.assert_allclose(A.transpose_times(x), matrix.T @ x, atol=1e-13 * scale)


def single_precision_stays_single_and_close(A: Payoff, random: np.random.Generator) -> None:
    y = random.random(A.shape[1])
    single = A.times(y.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, A.times(y), atol=1e-5 * (abs(matrix_of(A)) @ y).max())


def out_is_overwritten_and_returned(A: Payoff, random: np.random.Generator) -> None:
    y, out = random.random(A.shape[1]), np.full(A.shape[0], 7.0)
    assert A.times(y, out) is out
    np.testing.assert_array_equal(out, A.times(y))


def vectors_of_another_length_are_refused(A: Payoff, random: np.random.Generator) -> None:
    with pytest.raises(EquipoiseError, match="expected"):
        A.times(np.ones(A.shape[1] + 1))
    with pytest.raises(EquipoiseError, match="expected"):
        A.transpose_times(np.ones(A.shape[0] + 1))


def a_restriction_is_a_part_of_the_matrix(A: Payoff, random: np.random.Generator) -> None:
    rows, columns = (np.sort(random.permutation(n)[: n // 2]) for n in A.shape)
    try:
        part = A.restricted(rows, columns)
    except EquipoiseError:
        assert written_out(A) is None, "what can be written out can be restricted"
        return
    assert part.shape == (len(rows), len(columns))
    assert abs(matrix_of(part) - matrix_of(A)[rows][:, columns]).max() <= 1e-15


def stored_entries_are_those_of_the_matrix(A: Payoff, random: np.random.Generator) -> None:
    if A.stored is not None:
        start, column, value = A.stored.by_column
        by_column = sparse.csr_matrix((value, column, start), shape=A.shape[::-1])
        assert abs(by_column - A.matrix().T).max() == 0


Law = Callable[[Payoff, np.random.Generator], None]
LAWS: tuple[Law, ...] = (
    products_are_adjoint_and_those_of_the_matrix,
    single_precision_stays_single_and_close,
    out_is_overwritten_and_returned,
    vectors_of_another_length_are_refused,
    a_restriction_is_a_part_of_the_matrix,
    stored_entries_are_those_of_the_matrix,
)


def ranked(cards: int, deck: int, seed: int) -> Ranked:
    """Hands of one or two cards, strengths with ties, three leaves, one of them of both kinds."""
    random = np.random.default_rng(seed)
    holes = np.stack(np.triu_indices(deck, 1), axis=1) if cards == 2 else np.arange(deck)[:, None]
    holes = holes[random.permutation(len(holes))[: 4 * deck]]
    n = len(holes)
    leaves = RankedLeaves(
        row=np.array([1, 1 + n, 1], np.uint32),
        column=np.array([1, 1, 1 + n], np.uint32),
        base=np.array([0.0, -2.0, 1.0]),
        scale=np.array([3.0, 0.0, 1.0]),
    )
    hands = RankedHands.of(holes, random.integers(0, 5, n))
    weights = random.random(n), random.random(n)
    return Ranked(hands, leaves, weights, (1 + 2 * n, 1 + 2 * n))


def side_by_side(*spot: object) -> Payoff:
    """Return the payoff of a spot with all boards of a street in one block."""
    form = build(poker.spot(*spot))
    assert form.untiled is not None
    return form.untiled().A


def merged_for_one() -> SequenceForm:
    """Return a form in which player 1 tells fewer hands apart than player 2."""
    game = poker.leduc(6, 2)
    rounds = signal_rounds(game)
    few = expectation(rounds, (3, 9)).maps
    maps = [
        (few[turn][0], np.arange(rounds[turn].views[1], dtype=np.uint32))
        for turn in range(game.rounds)
    ]
    return build(game, Partition.of(rounds, maps, game=game.name, method="one player's"))


# Every class of payoffs, with examples small enough to be written out.
EXAMPLES: dict[type[Payoff], list[Payoff]] = {
    ByBoard: [
        side_by_side("2c7d9hTsJc", "AA,QQ,65s", "KK,88", 100, 200, "50%", "a"),
        side_by_side("2c7d9hTs", "AA,65s", "KK", 100, 200, "a", "a"),
    ],
    Sparse: [build(kuhn()).A, build(leduc()).A],
    Factored: [
        build(poker.kuhn()).A,
        build(poker.leduc()).A,
        build(poker.leduc(4, 3)).A,
        build(poker.rhode_island(4, 2)).A,
        # Bids are paid beside what is won: two payments meet in one leaf.
        build(load("auction")).A,
        # By steps, with one lane and with five; and components that are wider for one player than for the other.
        build(poker.kuhn(12)).A,
        build(poker.leduc(8, 2)).A,
        merged_for_one().A,
    ],
    OnBoards: [
        *(OnBoards.of(build(poker.leduc(4, 3)), leaves) for leaves in LEAVES),
        OnBoards.of(build(poker.no_limit_leduc(3, 2, 6))),
        OnBoards.of(build(poker.rhode_island(4, 2))),
    ],
    Ranked: [ranked(1, 9, 0), ranked(2, 7, 1), ranked(2, 12, 2)],
    Runouts: [
        build(poker.spot("2c7d9hTsJc", "AA,QQ,65s", "KK,88", 100, 200, "50%", "a")).A,
        build(poker.spot("2c7d9hTs", "AA,65s", "KK", 100, 200, "a", "a")).A,
    ],
}
