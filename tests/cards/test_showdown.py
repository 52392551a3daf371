"""Showdowns by class of hands: published matchups, brute force, and the laws of counting."""

import math
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from experiments import showdown_tables

from equipoise.cards.deck import STANDARD
from equipoise.cards.equity import all_in, subsets
from equipoise.cards.evaluate import five_card_ranks
from equipoise.cards.isomorphism import HandIndexer
from equipoise.cards.showdown import (
    CLASSES,
    COMBOS,
    ORDERS,
    PERMUTED,
    PLACES,
    class_number,
    sample,
    sampled_three_way,
    sorted_triples,
    sorting,
    three_way,
    triple_number,
    two_way,
)
from equipoise.cards.showdown.classes import CARD_BITS, CLASS_OF, FIRST, HANDS, TRIPLES
from equipoise.cards.showdown.count import (
    BOARDS,
    boards,
    count_three_way,
    count_two_way,
    hand_ranks,
)
from equipoise.cards.showdown.deals import canonical_pairs, count_triples
from equipoise.cards.showdown.packed import pack, round_shares, unpack
from equipoise.cards.showdown.sample import boards_for, standard_error
from equipoise.cards.showdown.tables import THREE_WAY_BOARDS, TWO_WAY_BOARDS
from equipoise.cards.starting import starting_hands
from equipoise.errors import EquipoiseError


def test_classes_are_the_usual_grid():
    assert CLASSES[:3] == ("AA", "AKs", "AQs")
    assert CLASSES[13:15] == ("AKo", "KK")
    assert CLASSES[-1] == "22"
    assert len(set(CLASSES)) == 169
    for number, name in enumerate(CLASSES):
        members = HANDS[FIRST[number] : FIRST[number + 1]]
        assert {frozenset(hand) for hand in members.tolist()} == {
            frozenset(hand) for hand in starting_hands(name).tolist()
        }
        assert COMBOS[number] == len(members)
        assert class_number(name) == number


def order_of(ranks) -> int:
    """Position in ORDERS of the order of three ranks, found from its name."""
    for position, name in enumerate(ORDERS):
        groups = [
            [ranks["abc".index(hand)] for hand in tied.split("=")] for tied in name.split(">")
        ]
        if all(len(set(group)) == 1 for group in groups) and all(
            high[0] > low[0] for high, low in pairwise(groups)
        ):
            return position
    raise AssertionError(ranks)


def test_there_are_13_orders():
    assert {order_of(ranks) for ranks in product(range(3), repeat=3)} == set(range(13))
    for order, places in enumerate(PLACES.tolist()):
        assert order_of([-place for place in places]) == order


def test_triples_are_numbered_without_gaps():
    triples = sorted_triples()
    assert len(triples) == TRIPLES == math.comb(171, 3)
    assert (np.diff(triples, axis=1) >= 0).all()
    assert (triple_number(*triples.T) == np.arange(TRIPLES)).all()
    assert (triple_number(*triples[::-1].T[[2, 0, 1]]) == np.arange(TRIPLES)[::-1]).all()


def test_permuted_orders_are_the_same_orders():
    """Whatever the classes and ranks: sort the hands by class, and their order is where it says."""
    for classes, ranks in product(product(range(3), repeat=3), repeat=2):
        slots = np.argsort(classes, kind="stable")
        of_sorted = order_of([ranks[hand] for hand in slots])
        assert PERMUTED[sorting(*classes), order_of(ranks)] == of_sorted


def test_deals_add_up():
    pairs = canonical_pairs()
    disjoint = (CARD_BITS[:, None] & CARD_BITS) == 0
    assert pairs.times.sum() == (disjoint & (CLASS_OF[:, None] <= CLASS_OF)).sum()
    triples = count_triples().astype(np.int64)
    assert triples.sum() == 1326 * 1225 * 1128
    assert (triples == triples.transpose(1, 2, 0)).all()
    assert (triples == triples.transpose(1, 0, 2)).all()
    aces, suited, offsuit = (class_number(name) for name in ("AA", "AKs", "QJo"))
    # Two pairs of aces leave none; AA and AKs leave two suits of three for the pair, times 12 QJo.
    assert triples[aces, aces, suited] == 0
    assert triples[aces, suited, offsuit] == 4 * 3 * 12


@pytest.mark.parametrize(
    ("first", "second", "percent"),
    [("AA", "KK", 81.9461), ("AKs", "QQ", 46.0485), ("22", "AKo", 52.6492)],
)
def test_published_two_way_values(first, second, percent):
    value = two_way().value[class_number(first), class_number(second)]
    assert float(value) == pytest.approx(percent / 100, abs=5e-7)


def test_two_way_counts_add_up():
    table = two_way()
    assert (table.win + table.win.T + table.tie == table.pairs * TWO_WAY_BOARDS).all()
    assert (table.tie == table.tie.T).all()
    assert (table.pairs.sum(axis=1) == COMBOS * 1225).all()


def test_two_way_table_is_all_in_of_the_classes():
    """Two roads: every board with all hands at once, and every pair of hands with all boards."""
    table = two_way()
    for i, j in np.random.default_rng(5).integers(169, size=(3, 2)):
        counts = all_in(starting_hands(CLASSES[i]), starting_hands(CLASSES[j]))
        assert (table.win[i, j], table.tie[i, j]) == (counts.win, counts.tie)


def test_two_way_counts_are_those_of_every_pair_of_hands():
    kinds = np.random.default_rng(6).integers(134_459, size=4)
    pairs, win, tie = count_two_way(kinds)
    assert (pairs == two_way().pairs).all()
    indexer = HandIndexer((5,))
    ranks, weights = hand_ranks(indexer.unindex(0, kinds)).astype(int), indexer.orbit(0, kinds)
    disjoint = (CARD_BITS[:, None] & CARD_BITS) == 0
    for i, j in [(0, 0), (1, 13), *np.random.default_rng(6).integers(169, size=(20, 2))]:
        own, other = slice(FIRST[i], FIRST[i + 1]), slice(FIRST[j], FIRST[j + 1])
        x, y = ranks[:, own, None], ranks[:, None, other]
        live = disjoint[own, other] & (x > 0) & (y > 0)
        assert win[i, j] == weights @ (live & (x > y)).sum(axis=(1, 2))
        assert tie[i, j] == weights @ (live & (x == y)).sum(axis=(1, 2))


def test_ranks_of_all_hands_on_a_board():
    board = STANDARD.parse("AhKh7d7c2s")
    ranks = hand_ranks(board[None])[0]
    for hand, rank in zip(HANDS, ranks, strict=True):
        shared = set(hand.tolist()) & set(board.tolist())
        assert rank == (0 if shared else five_card_ranks([*hand, *board]))


def test_three_way_counts_are_those_of_every_triple_of_hands():
    """On boards with all their renamings, since one of each orbit of pairs stands for all."""
    rng = np.random.default_rng(2)
    suits = np.array(list(permutations(range(4))))
    few = boards()[rng.integers(BOARDS, size=3)]
    some = (few // 4 * 4 + suits[:, few % 4]).reshape(-1, 5).astype(np.uint8)
    counts = np.zeros((TRIPLES, len(ORDERS)), dtype=np.int64)
    count_three_way(some, counts)
    ranks = hand_ranks(some).astype(int)
    chosen = [(0, 0, 14), (0, 13, 13), (14, 14, 14), *np.sort(rng.integers(169, size=(6, 3)))]
    for i, j, k in chosen:
        expected = [0] * len(ORDERS)
        members = [range(FIRST[c], FIRST[c + 1]) for c in (i, j, k)]
        for triple in product(*members):
            if len(set(HANDS[list(triple)].ravel().tolist())) == 6:
                for row in ranks:
                    if row[list(triple)].all():
                        expected[order_of(row[list(triple)])] += 1
        assert counts[triple_number(i, j, k)].tolist() == expected


def orders_of_hands(hands):
    """Counts of the orders of three hands over all boards, one hand evaluated after the other."""
    left = np.setdiff1d(np.arange(52), hands).astype(np.uint8)
    final = left[subsets(46, 5)]
    a, b, c = (
        five_card_ranks(np.hstack([np.broadcast_to(hand, (len(final), 2)), final])).astype(int)
        for hand in hands
    )
    signs = np.stack([np.sign(a - b), np.sign(b - c), np.sign(a - c)])
    codes = np.bincount([9, 3, 1] @ (signs + 1), minlength=27)
    places = PLACES[:, [1, 2, 2]] - PLACES[:, [0, 1, 0]]
    return codes[(np.sign(places) + 1) @ [9, 3, 1]]


def deals_of_classes(classes):
    """One triple of hands of these classes from each orbit of renamings, and the orbits' sizes."""
    members = [HANDS[FIRST[c] : FIRST[c + 1]] for c in classes]
    deals = np.array([np.concatenate(deal) for deal in product(*members)])
    deals = deals[[len(set(deal)) == 6 for deal in deals.tolist()]]
    indexer = HandIndexer((2, 2, 2))
    kinds, times = np.unique(indexer.index(2, deals), return_counts=True)
    return indexer.unindex(2, kinds).reshape(-1, 3, 2), times


@pytest.mark.slow
def test_three_way_entries_agree_with_enumeration():
    """Two roads: all hands on every board, and every board for each of 30 triples of hands or more.

    An entry is the mean over its triples, so all those of some random classes are taken.
    """
    table, rng, seen = three_way(), np.random.default_rng(7), 0
    while seen < 30:
        classes = rng.integers(169, size=3)
        deals, times = deals_of_classes(classes)
        expected = sum(n * orders_of_hands(deal) for deal, n in zip(deals, times, strict=True))
        assert expected.sum() == table.triples[tuple(classes)] * THREE_WAY_BOARDS
        assert np.abs(table(*classes) - expected / expected.sum()).max() <= table.error
        seen += len(deals)


def test_three_way_table_holds_distributions():
    table = three_way()
    possible = table.triples[tuple(sorted_triples().T)] > 0
    assert table.error < 2**-18
    assert table.distance < 1e-5
    assert (table.orders >= 0).all()
    assert np.array_equal(table.orders.sum(axis=1, dtype=np.float64), possible)
    assert not three_way()(0, 0, 0).any()


def test_three_way_table_without_the_third_hand_is_the_two_way_table():
    """Every pair of hands and board goes with C(43, 2) third hands: as the script that ships it checks."""
    table, pair = three_way(), two_way()
    weights = table.triples[tuple(sorted_triples().T)][:, None] * float(THREE_WAY_BOARDS)
    deals = pair.pairs * TWO_WAY_BOARDS * showdown_tables.THIRD_HANDS
    for found, counts in zip(
        showdown_tables.marginals(table.orders * weights), (pair.win, pair.tie), strict=True
    ):
        errors = np.abs(found - counts * showdown_tables.THIRD_HANDS) / deals
        assert errors.max() <= table.distance


def test_wrong_counts_are_not_shipped(tmp_path):
    (tmp_path / "counts").write_bytes(bytes(4 * TRIPLES * len(ORDERS)))
    with pytest.raises(AssertionError):
        showdown_tables.main(["three-way", str(tmp_path / "counts"), str(tmp_path / "table")])


def test_input_of_the_gpu(tmp_path):
    showdown_tables.main(["input", str(tmp_path / "input")])
    data = (tmp_path / "input").read_bytes()
    sizes = []
    while data:
        sizes.append(int.from_bytes(data[:8], "little"))
        data = data[8 + sizes[-1] :]
    assert sizes[:5] == [2 * 1326, 4 * 1326, 4 * 170, 12 * 47_086, 5 * BOARDS]


def test_samples_are_within_their_error_of_the_exact_table(tmp_path):
    """1,000 entries: never six standard errors away, and on average less than one."""
    sampled, exact = sampled_three_way(0.03, seed=3, folder=tmp_path), three_way()
    rows = np.random.default_rng(4).integers(TRIPLES, size=1000)
    errors = (sampled.orders[rows] - exact.orders[rows]) / sampled.error
    assert np.abs(errors).max() < 6
    assert (np.sqrt((errors**2).mean(axis=0)) < 1).all()
    assert np.abs(sampled.orders - exact.orders).sum(axis=1).mean() / 2 < sampled.distance


def test_shares_are_rounded_to_sum_to_one():
    counts = np.random.default_rng(9).integers(0, 10**6, size=(200, 13))
    counts[:3] = 0
    shares = round_shares(counts, 10)
    assert (shares.sum(axis=1) == np.where(counts.any(axis=1), 1024, 0)).all()
    exact = 1024 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    assert (np.abs(shares - exact) < 1).all()


def test_packed_counts_come_back():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 50, size=(TRIPLES, len(ORDERS))) * (rng.random((TRIPLES, 1)) < 0.001)
    packed = pack(counts)
    total = counts.sum(axis=1)
    found = unpack(packed.data, total > 0)
    errors = np.abs(found - counts / np.maximum(total, 1)[:, None])
    assert packed.error == pytest.approx(errors.max(), rel=1e-3)
    assert packed.distance == pytest.approx(errors.sum(axis=1).max() / 2, rel=1e-3)


def test_boards_for_an_error():
    assert boards_for(0.005) < 20_000
    assert boards_for(0.0) == BOARDS
    assert standard_error(BOARDS) == 0.0
    for error in (0.3, 0.02, 0.001):
        assert standard_error(boards_for(error)) <= error < standard_error(boards_for(error) - 1)


def test_samples_are_kept_and_extended(tmp_path, monkeypatch):
    """In one go, or stopped and continued: the same table; a damaged file is made again."""
    wanted, seen = boards_for(0.2), []
    whole = sampled_three_way(0.2, folder=tmp_path, monitor=lambda done, all: seen.append(done))
    assert seen == [wanted]
    assert whole.error <= 0.2
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-10_000])

    monkeypatch.setattr(sample, "TILE", wanted // 3 + 1)
    monkeypatch.setattr(sample, "_SECONDS_BETWEEN_SAVES", 0.0)

    def stop_in_the_middle(done, all):
        if done > all / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sampled_three_way(0.2, folder=tmp_path, monitor=stop_in_the_middle)
    seen.clear()
    again = sampled_three_way(0.2, folder=tmp_path, monitor=lambda done, all: seen.append(done))
    assert seen == [2 * (wanted // 3 + 1), wanted]
    assert (again.orders == whole.orders).all()
    assert sampled_three_way(0.5, folder=tmp_path).error == whole.error


def test_entries_of_a_permuted_triple():
    table = three_way()
    same, (a_best, c_best) = (0, 14, 28), (ORDERS.index("a>b>c"), ORDERS.index("c>b>a"))
    assert (
        table(*same)[a_best] == table(*same[::-1])[c_best] == table.orders[triple_number(*same)][0]
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: class_number("KA"), "Starting hand 'KA'"),
        (lambda: sampled_three_way(-0.1), "Standard error: found -0.1"),
        (lambda: sampled_three_way(seed=-1), "Seed of the boards: found -1"),
    ],
)
def test_bad_input_is_told_in_a_sentence(make, sentence):
    with pytest.raises(EquipoiseError) as error:
        make()
    assert sentence in str(error.value)
