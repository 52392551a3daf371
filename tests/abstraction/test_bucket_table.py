"""Buckets of concrete hands: counted over boards, they are the listed deals coarsened."""

import tracemalloc
from itertools import combinations, pairwise

import numpy as np
import pytest

from equipoise.abstraction.base import Partition
from equipoise.abstraction.bucket_table import BucketTable, random_table
from equipoise.cards.deck import Deck
from equipoise.cards.ranked import between_buckets, compatible, showdown
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.boards import Boards
from equipoise.games.signals.limit import limit
from equipoise.games.signals.views import signal_rounds, views
from equipoise.sequence.build import build
from equipoise.solvers import DCFR, LP, Iterations, solve


def small_holdem(ranks=5, board=(0, 3, 1)):
    """Hold'em with few cards: two hole cards, a flop, a turn and perhaps a river."""
    rounds = len(board)
    return poker.poker_game(
        "small hold'em",
        deck=Deck.small(ranks, 2),
        hole=2,
        board=board,
        tree=limit(
            rounds, bets=(2,) * rounds, cap=2, blinds=(1, 2), first=(0,) + (1,) * (rounds - 1)
        ),
        showdown="five-card",
    )


GAMES = [
    poker.kuhn(),
    poker.leduc(4, 3),
    poker.rhode_island(4, 3),
    poker.no_limit_leduc(),
    small_holdem(4),
    small_holdem(5),
    small_holdem(4, (0, 3, 1, 0)),
    small_holdem(4, (0, 4)),
]


@pytest.fixture(params=GAMES, ids=lambda game: f"{game.name} {game.public}")
def game(request):
    return request.param


def as_partition(game, table):
    """The same buckets as stored maps, and for each round which of the table's buckets are used."""
    maps, used = [], []
    for turn in range(game.rounds):
        buckets = table.bucket(turn, np.arange(views(game).count(turn)))
        found, own = np.unique(buckets, return_inverse=True)
        maps.append([own, own])
        used.append(found)
    return Partition.of(signal_rounds(game), maps, game=game.name), used


def test_boards_are_all_boards(game):
    boards = Boards(game)
    dealt = sum(game.public)
    copies = total = 0
    for batch in boards.every(batch=7):
        assert batch.boards.shape[1] == dealt
        for board, left in zip(batch.boards.tolist(), batch.left.tolist(), strict=True):
            assert sorted(board + left) == list(range(game.deck.size))
        copies += batch.copies.sum()
        total += len(batch.boards)
    meeting = sum(not set(a) & set(b) for a in boards.hands.tolist() for b in boards.hands.tolist())
    assert total == boards.size
    assert copies * meeting == game.pair_count(game.rounds - 1)
    assert len(boards.hands) == len(list(combinations(range(game.deck.size - dealt), game.hole)))


def test_holdem_has_1755_flops():
    boards = Boards(poker.limit_holdem())
    assert boards.size == 1755 * 49 * 48
    assert len(boards.hands) == 1081
    sample = list(boards.sampled(100, np.random.default_rng(0), batch=64))
    assert [len(batch.boards) for batch in sample] == [64, 36]
    assert all(len(set(board)) == 5 for batch in sample for board in batch.boards.tolist())


def test_deals_over_buckets_are_the_listed_deals_coarsened(game):
    table = random_table(game, (3, 2, 2, 2)[: game.rounds], seed=4)
    partition, used = as_partition(game, table)
    for counted, listed, own, up in zip(
        table.deals(game), partition.deals(game), used, table.parents, strict=True
    ):
        assert counted.views == (len(up[0]),) * 2
        for player in (0, 1):
            assert np.array_equal(counted.pairs[player], own[listed.pairs[player]])
        np.testing.assert_allclose(counted.weight, listed.weight, rtol=1e-13)
        assert counted.values.keys() == listed.values.keys()
        for kind in listed.values:
            np.testing.assert_allclose(counted.values[kind], listed.values[kind], atol=1e-13)


def test_forms_of_a_table_and_of_stored_maps_are_the_same():
    game = small_holdem(5)
    table = random_table(game, (2, 2, 2))
    partition, used = as_partition(game, table)
    assert [len(own) for own in used] == [count for count, _ in table.buckets]
    ours, theirs = build(game, table), build(game, partition)
    assert ours.units == theirs.units
    random = np.random.default_rng(0)
    x, y = random.random(ours.X.size), random.random(ours.Y.size)
    np.testing.assert_allclose(ours.A.times(y), theirs.A.times(y), atol=1e-12)
    np.testing.assert_allclose(ours.A.transpose_times(x), theirs.A.transpose_times(x), atol=1e-12)


@pytest.mark.parametrize("children", [(7, 3), (40, 50)])
def test_buckets_without_hands_change_nothing(children):
    game = poker.leduc(4, 3)
    table = random_table(game, children, seed=1)
    partition, used = as_partition(game, table)
    assert len(used[1]) < table.buckets[1][0]
    ours, theirs = (solve(build(game, coarse), LP()) for coarse in (table, partition))
    assert ours.value == pytest.approx(theirs.value, abs=1e-12)
    assert solve(ours.form, DCFR(), Iterations(100)).gap < 0.05


@pytest.mark.parametrize("hole", [1, 2])
def test_all_buckets_at_once_are_one_after_another(hole):
    """Against every bucket in one sweep, and against each by the sums over hands."""
    random = np.random.default_rng(hole)
    cards, buckets = 9, 4
    holes = np.array(list(combinations(range(cards), hole)))
    for _ in range(20):
        rank, bucket = (
            random.integers(5, size=len(holes)),
            random.integers(buckets, size=len(holes)),
        )
        order = np.argsort(rank)
        met, won = np.zeros((buckets, buckets)), np.zeros((buckets, buckets))
        between_buckets(holes, order, rank, bucket, np.empty((2, cards + 1, buckets)), met, won)
        for other in range(buckets):
            reach, out = (bucket == other).astype(float), np.empty(len(holes))
            compatible(holes, order, reach, np.empty(cards), out)
            assert np.array_equal(met[:, other], np.bincount(bucket, out, buckets))
            showdown(holes, order, rank, reach, np.empty((2, cards)), out)
            net = won[:, other] - won[other]
            assert np.array_equal(net, np.bincount(bucket, out, buckets))


def test_arrays_and_functions_say_the_same():
    game = poker.rhode_island(4, 3)
    function = random_table(game, (2, 3, 2))
    arrays = [
        function.bucket(turn, np.arange(views(game).count(turn))) % count
        for turn, count in enumerate(function.children)
    ]
    table = BucketTable(game, function.children, arrays)
    for ours, theirs in zip(table.deals(game), function.deals(game), strict=True):
        assert np.array_equal(ours.pairs, theirs.pairs)
        assert np.array_equal(ours.weight, theirs.weight)
    assert table.digest == BucketTable(game, table.children, arrays).digest
    arrays[1] = (arrays[1] + 1) % 3
    assert table.digest != BucketTable(game, table.children, arrays).digest


def test_a_sample_of_boards_is_one_game_in_all_rounds():
    game = small_holdem(5)
    table = random_table(game, (3, 2, 2), sample=20, seed=3)
    rounds = table.deals(game)
    for before, after in pairwise(rounds):
        want, have = np.zeros(before.views), np.zeros(before.views)
        want[before.pairs] = before.weight
        up = [after.parents[i][after.pairs[i]] for i in (0, 1)]
        np.add.at(have, tuple(up), after.weight)
        np.testing.assert_allclose(have, want, atol=1e-15)
        assert before.weight.sum() == pytest.approx(1)
    again = random_table(game, (3, 2, 2), sample=20, seed=3).deals(game)
    assert np.array_equal(again[-1].weight, rounds[-1].weight)


def test_tables_that_do_not_fit_are_refused():
    game = poker.leduc()
    count = [views(game).count(turn) for turn in range(2)]
    with pytest.raises(EquipoiseError, match="1 rounds with children"):
        BucketTable(game, (2,), [np.zeros(count[0], int)])
    with pytest.raises(EquipoiseError, match=r"round 2: found an array of shape \(2,\)"):
        BucketTable(game, (2, 2), [np.zeros(count[0], int), np.zeros(2, int)])
    with pytest.raises(EquipoiseError, match="round 1: found children of type int64 from 2 to 2"):
        BucketTable(game, (2, 2), [np.full(count[0], 2), np.zeros(count[1], int)])
    table = BucketTable(game, (2, 2), [np.zeros(count[0], int), lambda hands: np.zeros(3, int)])
    with pytest.raises(EquipoiseError, match=r"round 2: found children of shape \(3,\)"):
        table.deals(game)
    with pytest.raises(EquipoiseError, match=r"found the game 'leduc\(ranks=4\)'"):
        build(poker.leduc(4), table)
    with pytest.raises(EquipoiseError, match="found a sample of 0"):
        random_table(game, (2, 2), sample=0).deals(game)


def test_memory_does_not_grow_with_the_boards():
    game = poker.limit_holdem()

    def peak(boards):
        table = random_table(game, (5, 5, 2, 2), sample=boards)
        tracemalloc.start()
        try:
            table.deals(game)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # compiles
    # Samples are counted in halves, and these in whole batches.
    assert peak(1024) < 1.05 * peak(256)


@pytest.mark.parametrize(
    ("children", "sequences"),
    [
        ((2, 2, 1, 1), (33_147, 33_145)),
        pytest.param((5, 5, 2, 2), (780_381, 780_376), marks=pytest.mark.slow),
    ],
)
def test_holdem_is_built_and_solved_through_a_table(children, sequences):
    """Sequences by the formula of Gilpin (2009), table 8.1: with K buckets in each round,

    1 + 11 K_1 + 7 * 13 K_2 + 63 * 13 K_3 + 567 * 13 K_4 for the small blind, 10 K_1 for the big blind.
    """
    game = poker.limit_holdem()
    form = build(game, random_table(game, children, sample=100))
    assert (form.X.size, form.Y.size) == sequences
    assert form.units.stake == 96
    first, last = (solve(form, DCFR(), Iterations(n)).gap for n in (2, 20))
    assert last < first / 4
