"""Buckets street by street: against brute force, against listed games, and down the whole road."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import array_api_compat.numpy
import array_api_strict
import numpy as np
import pytest
from tests.certificates.test_streamed import SHORT

import equipoise
from equipoise.abstraction import signal_pairs, street_abstraction
from equipoise.abstraction.actions import abstract_actions, read_actions
from equipoise.abstraction.base import Partition
from equipoise.abstraction.expectation import expectation
from equipoise.abstraction.pairs_file import PairsFile
from equipoise.abstraction.potential import potential
from equipoise.abstraction.signal_pairs import rounds_of_pairs
from equipoise.abstraction.stages import truncate
from equipoise.abstraction.street_abstraction import divided
from equipoise.abstraction.street_buckets import StreetBuckets
from equipoise.abstraction.street_centres import centres_below, clusterings
from equipoise.abstraction.street_features import street_features
from equipoise.abstraction.view_tree import view_trees
from equipoise.bundle import load, save
from equipoise.cards.deck import Deck
from equipoise.certificates.public import certify_public
from equipoise.certificates.streamed import certify_streamed
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame, poker_game
from equipoise.games.signals.limit import limit
from equipoise.games.signals.views import signal_rounds, views
from equipoise.numerics.clusterings import by_linkage
from equipoise.numerics.device import Device
from equipoise.numerics.transport import transport_cost
from equipoise.sequence.backends.array_payoff import ArrayPayoff
from equipoise.sequence.backends.arrays import ArrayTreeplex
from equipoise.sequence.backends.devices import device
from equipoise.sequence.build import build
from equipoise.strategy.lift import lift
from equipoise.strategy.simple import random_strategy
from equipoise.strategy.stages import prolong
from equipoise.strategy.store import load_abstraction, save_abstraction
from equipoise.strategy.translate import translate

# Too many deals to list, few enough classes of flops to go through in seconds.
LARGE = poker_game(
    "five-rank hold'em",
    deck=Deck.small(5, 4),
    hole=2,
    board=(0, 3, 1, 1),
    tree=limit(4, bets=(2, 2, 4, 4), cap=1, blinds=(1, 2), first=(0, 1, 1, 1)),
    showdown="five-card",
    big_blind=2,
)
ISLAND = poker.rhode_island(4, 2)
GAMES = {"short": SHORT, "island": ISLAND}
COUNTS = {"short": (3, 5, 9), "island": (3, 5, 9)}
DEVICES = {
    "numpy": Device(array_api_compat.numpy, None, "float64"),
    "strict": Device(array_api_strict, None, "float64"),
}
METHODS: dict[str, dict[str, Any]] = {
    "expectation": {"feature": "expectation"},
    "squared": {"feature": "expectation", "power": 2.0},
    "potential": {"feature": "potential", "temporary": 3},
    "l1": {"feature": "potential", "temporary": 3, "metric": "l1"},
    "emd": {"feature": "potential", "temporary": 3, "metric": "emd"},
    "threshold": {"feature": "threshold"},
    "opponents": {"feature": "potential", "temporary": 3, "leaves": "opponents"},
}


def test_standings_are_those_of_showdowns_one_by_one() -> None:
    features = street_features(SHORT)
    found = features.standing(1)
    boards = features.streets.after(1, 1)
    for board, row in zip(boards, found, strict=True):
        left = [card for card in range(SHORT.deck.size) if card not in board]
        hands = list(combinations(left, 2))
        rank = {hand: SHORT.strength(SHORT.deck, *_rows(hand, board))[0] for hand in hands}
        for hand, stands in zip(hands, row, strict=True):
            met = [rank[other] for other in hands if not set(other) & set(hand)]
            sign = sum(int(rank[hand] > r) - int(rank[hand] < r) for r in met)
            assert stands == features.most + sign
            assert len(met) == features.most


def _rows(hand: tuple[int, ...], board: Any) -> tuple[Any, Any]:
    return np.array([hand], dtype=np.uint8), np.asarray(board, dtype=np.uint8)[None]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [*GAMES, "large"])
def test_arrays_of_any_library_agree_with_compiled_loops(name: str, device: str) -> None:
    game = GAMES.get(name, LARGE)
    compiled, arrays = street_features(game), street_features(game, DEVICES[device])
    stands = compiled.standing(0)
    assert np.array_equal(arrays.get(arrays.standing(0)), stands)
    random, place = np.random.default_rng(1), compiled.last - 1
    labels = random.integers(4, size=stands.shape)
    there = arrays.put(labels)
    histogram = compiled.histograms(place, labels, 4)
    assert arrays.get(arrays.histograms(place, there, 4)) == pytest.approx(histogram, abs=1e-6)
    assert histogram.sum(axis=2) == pytest.approx(1.0, abs=1e-5)
    means = compiled.means(place, labels)
    assert arrays.get(arrays.means(place, there)) == pytest.approx(means)
    assert means == pytest.approx(histogram @ np.arange(4), abs=1e-5)
    above = random.integers(3, size=means.shape)
    assert np.array_equal(
        arrays.get(arrays.down(place, arrays.put(above))), compiled.down(place, above)
    )
    centres = random.random((3, 5, 4))
    centres[1, 3:] = np.inf
    for is_l1 in (False, True):
        wanted = compiled.nearest(histogram, above, centres, is_l1)
        found = arrays.nearest(
            arrays.put(histogram.astype(np.float64)), arrays.put(above), arrays.put(centres), is_l1
        )
        assert np.array_equal(arrays.get(found), wanted)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GAMES)
def test_buckets_have_parents_and_do_not_hang_on_suits(name: str, method: str) -> None:
    game = GAMES[name]
    found = divided(game, COUNTS[name], **METHODS[method])
    named = views(game)
    suits = len(game.deck.suits)
    for turn in range(game.rounds):
        every = np.arange(named.count(turn))
        own = found.bucket(turn, every)
        assert own.max() < found.buckets[turn][0] <= COUNTS[name][turn]
        if turn:
            above = found.bucket(turn - 1, named.parent(turn, every))
            assert np.array_equal(found.parents[turn][0][own], above)
        hands = named.hands(turn, every)
        for renaming in permutations(range(suits)):
            other = hands // suits * suits + np.array(renaming, dtype=np.uint8)[hands % suits]
            assert np.array_equal(found.bucket_of_hands(turn, other), own)


@pytest.mark.parametrize("leaves", ["strength", "opponents"])
@pytest.mark.parametrize("device", [None, "strict"])
@pytest.mark.parametrize("name", GAMES)
def test_boards_by_number_have_the_buckets_of_their_cards(
    name: str, device: str | None, leaves: Any
) -> None:
    game = GAMES[name]
    found = divided(game, COUNTS[name], "potential", temporary=3, leaves=leaves)
    lookup = found.lookup(None if device is None else DEVICES[device])
    streets = lookup.features.streets
    for place, street in enumerate(streets.streets):
        for number in (0, len(streets.first) - 1):
            boards = streets.after(number, place)
            held = streets.held(boards, street)
            beside = np.repeat(boards, held.shape[1], axis=0)
            hole = held.reshape(-1, held.shape[2])
            rows = np.concatenate([hole, beside], axis=1)
            wanted = found.bucket_of_hands(street.turn, rows).reshape(held.shape[:2])
            numbers = number * len(boards) + np.arange(len(boards))
            is_last = place == lookup.features.last
            ranks = (
                game.strength(game.deck, hole, beside).reshape(wanted.shape) if is_last else None
            )
            there = None if ranks is None else lookup.features.put(ranks.astype(np.int64))
            own = lookup.features.get(lookup.on_boards(place, numbers, there))
            assert np.array_equal(own, wanted)


@pytest.mark.parametrize("name", GAMES)
def test_deals_are_those_of_the_same_maps_over_listed_deals(name: str) -> None:
    game = GAMES[name]
    found = divided(game, COUNTS[name], "potential", temporary=3)
    rounds, named = signal_rounds(game), views(game)
    maps = [found.bucket(turn, np.arange(named.count(turn))) for turn in range(game.rounds)]
    listed = Partition.of(rounds, [(own, own) for own in maps], game=game.name, method="same")
    for mine, theirs in zip(found.deals(game), listed.deals(game), strict=True):
        assert _matrix(mine, mine.weight) == pytest.approx(_matrix(theirs, theirs.weight))
        for kind, value in theirs.values.items():
            wanted = _matrix(theirs, theirs.weight * value)
            assert _matrix(mine, mine.weight * mine.values[kind]) == pytest.approx(wanted)


@pytest.mark.parametrize("boards", [None, 40])
@pytest.mark.parametrize("name", GAMES)
def test_pairs_are_counted_alike_on_a_device(name: str, boards: int | None) -> None:
    game = GAMES[name]
    there = divided(game, COUNTS[name], "expectation", boards=boards, device=DEVICES["numpy"])
    here = divided(game, COUNTS[name], "expectation", boards=boards)
    assert here.digest == there.digest
    for mine, theirs in zip(here.deals(game), there.deals(game), strict=True):
        assert np.array_equal(mine.pairs, theirs.pairs)
        assert np.array_equal(mine.weight, theirs.weight)
        for kind, value in mine.values.items():
            assert np.array_equal(value, theirs.values[kind])


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", GAMES)
def test_matrices_that_stay_on_a_device_are_the_listed_ones(name: str, library: str) -> None:
    pytest.importorskip(f"array_api_compat.{library}")
    game, there = GAMES[name], device(library, "float64")
    found = divided(game, COUNTS[name], "expectation", device=replace(there, dtype="float32"))
    dense = build(game, found)
    listed = build(game, divided(game, COUNTS[name], "expectation"), tiles=False)
    assert dense.fingerprint == listed.fingerprint
    assert dense.A.kronecker is not None
    assert all(term.matrix.dense is not None for term in dense.A.kronecker)
    random = np.random.default_rng(0)
    products = []
    for form in (dense, listed):
        X, Y = ArrayTreeplex(form.X, there), ArrayTreeplex(form.Y, there)
        payoff = ArrayPayoff(form.A, X, Y)
        x, y = there.put(random.random(X.size)), there.put(random.random(Y.size))
        products.append([there.get(own) for own in (payoff.times(y), payoff.transpose_times(x))])
        random = np.random.default_rng(0)
    for here, wanted in zip(*products, strict=True):
        np.testing.assert_allclose(here, wanted, rtol=0, atol=1e-9)
    # Who wants lists gets them: a compiled product is the same.
    y = random.random(dense.A.shape[1])
    np.testing.assert_allclose(dense.A.times(y), listed.A.times(y), rtol=0, atol=1e-12)


@pytest.mark.parametrize("stages", [None, "2"])
def test_a_solve_on_a_device_never_lists_its_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stages: str | None
) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("pairs of buckets were listed")

    monkeypatch.setattr(signal_pairs, "_round", refuse)
    result = equipoise.solve(
        LARGE,
        abstraction="expectation(flops=4,boards=100)",
        buckets="6-12-20-30" if stages is None else "6-12",
        stages=stages,
        device="numpy",
        iterations=5,
        flops=2,
        out=tmp_path / "dense.eqp",
    )
    assert result.found.method.startswith("dcfr(device=numpy")
    assert result.certificate.gap > 0


@pytest.mark.parametrize("device", [None, "numpy"])
def test_each_stage_goes_on_from_the_file_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str | None
) -> None:
    made = equipoise.abstract(LARGE, "expectation(flops=4,boards=100)", "6-12-20-30")
    assert isinstance(made, StreetBuckets)
    save_abstraction(tmp_path / "buckets.eqp", made)
    wanted: dict[str, Any] = {
        "abstraction": tmp_path / "buckets.eqp",
        "pairs": tmp_path / "pairs.eqp",
        "device": device,
        "iterations": 5,
        "flops": 2,
    }
    first = equipoise.solve(LARGE, out=tmp_path / "first.eqp", **wanted)

    def refuse(*_: Any) -> None:
        raise AssertionError("pairs of buckets were counted again")

    monkeypatch.setattr(StreetBuckets, "_counted", refuse)
    monkeypatch.setattr(StreetBuckets, "_counted_on", refuse)
    again = equipoise.solve(LARGE, out=tmp_path / "again.eqp", **wanted)
    for mine, theirs in zip(first.strategy.behaviour, again.strategy.behaviour, strict=True):
        assert np.array_equal(mine, theirs)
    other = equipoise.abstract(LARGE, "expectation(flops=4,boards=90)", "6-12-20-30")
    with pytest.raises(EquipoiseError, match="counted on other boards"):
        equipoise.solve(LARGE, **{**wanted, "abstraction": other})
    with pytest.raises(EquipoiseError, match="whose deals are listed, expected no such file"):
        equipoise.solve(SHORT, pairs=tmp_path / "pairs.eqp")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("met", lambda array: array[:-1]),
        ("won", lambda array: array[:, 1:]),
        ("met", lambda array: array.astype(np.int64)),
        ("met", lambda array: array * np.nan),
        ("met", lambda array: array + np.inf),
        ("met", lambda array: -array),
        ("won", lambda array: 9 * array),
    ],
)
def test_counts_that_were_changed_are_refused(
    tmp_path: Path, name: str, change: Callable[[Any], Any]
) -> None:
    place = tmp_path / "pairs.eqp"
    buckets = divided(SHORT, COUNTS["short"], "expectation")
    buckets.pairs = PairsFile(place, pytest.fail)
    buckets.deals(SHORT)
    kept = load(place)
    buckets.deals(SHORT)
    arrays = {**kept.arrays, name: change(kept.arrays[name])}
    save(place, kept.kind, arrays, kept.metadata)
    with pytest.raises(EquipoiseError, match=r"pairs\.eqp: .*, expected "):
        buckets.deals(SHORT)


def test_memory_is_asked_for_before_pairs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "free_mb", lambda self: 0.001)
    found = divided(SHORT, COUNTS["short"], "expectation", device=DEVICES["numpy"])
    with pytest.raises(EquipoiseError, match=r"pairs of 9 buckets: found 0 MB .* expected"):
        found.deals(SHORT)


def _matrix(signals: Any, values: Any) -> Any:
    found = np.zeros(signals.views)
    np.add.at(found, signals.pairs, values)
    return found


@pytest.mark.parametrize("device", [None, "numpy", "strict"])
@pytest.mark.parametrize("name", GAMES)
def test_certificates_by_buckets_are_those_of_the_lifted_strategy(
    name: str, device: str | None
) -> None:
    game = GAMES[name]
    found = divided(game, COUNTS[name], "expectation")
    strategy = random_strategy(game, found)
    where = None if device is None else DEVICES[device]
    mine = certify_streamed(game, strategy, device=where)
    theirs = certify_public(game, lift(strategy, found))
    assert mine.values == pytest.approx(theirs.values, abs=1e-11)
    assert mine.best_responses == pytest.approx(theirs.best_responses, abs=1e-11)


def test_expectation_by_centres_is_as_good_as_over_listed_views() -> None:
    # With all classes of flops and no sampling, both find clusterings of the least error there is.
    game, counts = ISLAND, (3, 6, 14)
    found, rounds = divided(game, counts, "expectation"), signal_rounds(game)
    listed = expectation(rounds, counts)
    named = views(game)
    for turn in (0, game.rounds - 1):
        own = found.bucket(turn, np.arange(named.count(turn)))
        if turn == 0:
            pairs = {tuple(pair) for pair in zip(own, listed.maps[0][0], strict=True)}
            assert len(pairs) == len(set(own)) == len(set(listed.maps[0][0]))
        assert own.max() + 1 <= listed.buckets[turn][0]


@pytest.mark.parametrize("name", GAMES)
def test_equities_against_opponents_are_those_over_listed_deals(name: str) -> None:
    game = GAMES[name]
    every = street_features(game)
    streets, named, turn = every.streets, views(game), game.rounds - 1
    listed = view_trees(signal_rounds(game))[0]
    random = np.random.default_rng(0)
    clusters = random.integers(3, size=named.count(0))
    rounds = signal_rounds(game)
    theirs = clusters
    for signals in rounds[1:]:
        theirs = theirs[signals.parents[1]]
    mine, outcome = rounds[-1].pairs[0].astype(np.int64), (1 + rounds[-1].values["showdown"]) / 2
    cell = mine * 3 + theirs[rounds[-1].pairs[1]]
    met = np.bincount(cell, rounds[-1].weight, named.count(turn) * 3).reshape(-1, 3)
    won = np.bincount(cell, rounds[-1].weight * outcome, named.count(turn) * 3).reshape(-1, 3)
    strengths = listed.strengths[-1][:, None]
    wanted = np.where(met > 0, won / np.where(met > 0, met, 1), strengths)
    for number in range(len(streets.first)):
        boards = streets.after(number, every.last)
        held = streets.held(boards, streets.streets[-1])
        beside = np.broadcast_to(boards[:, None], (*held.shape[:2], boards.shape[1]))
        rows = np.concatenate([held, beside], axis=2)
        own = clusters[named.numbers(0, held.reshape(-1, held.shape[2]))].reshape(held.shape[:2])
        number_of = named.numbers(turn, rows.reshape(-1, rows.shape[2]))
        for where in (None, DEVICES["strict"]):
            by = street_features(game, where)
            found = by.get(by.against(by.ranks(boards), by.put(own), 3)).reshape(-1, 3)
            assert found == pytest.approx(wanted[number_of], abs=1e-6)


@pytest.mark.parametrize("metric", ["l2", "emd"])
@pytest.mark.parametrize("name", GAMES)
def test_with_buckets_enough_potential_is_that_over_listed_views(name: str, metric: str) -> None:
    # With a cluster for every way to stand, two hands of the flop share a bucket only if they become the same.
    game = GAMES[name]
    named, rounds = views(game), signal_rounds(game)
    counts = [named.count(turn) for turn in range(game.rounds)]
    counts[0] = {"short": 10, "island": 4}[name]  # so many hole cards have futures of their own
    ways = 2 * street_features(game).most + 1
    found = divided(game, counts, "potential", temporary=ways, metric=metric)
    listed = potential(rounds, counts, distance=metric)
    for turn in range(game.rounds):
        own = found.bucket(turn, np.arange(named.count(turn)))
        pairs = {*zip(own.tolist(), listed.maps[turn][0].tolist(), strict=True)}
        assert len(pairs) == len(set(own.tolist())) == listed.buckets[turn][0]


def test_the_earth_mover_s_points_are_as_far_apart_as_it_moves() -> None:
    features, random = street_features(SHORT), np.random.default_rng(2)
    strengths = np.sort(random.random((3, 5)), axis=1)
    rows, above = random.dirichlet(np.ones(5), (4, 6)), random.integers(3, size=(4, 6))
    points = features.moved(rows, above, np.diff(strengths, axis=1))
    for parent in range(3):
        own, there = rows[above == parent], points[above == parent]
        cost = np.abs(strengths[parent][:, None] - strengths[parent])
        for i in range(1, len(own)):
            wanted = transport_cost(cost, own[0], own[i])
            assert np.abs(there[0] - there[i]).sum() == pytest.approx(wanted)


def test_chains_on_a_line_are_those_of_any_distances() -> None:
    values = np.random.default_rng(4).random(40)  # no two gaps of one length
    found = clusterings(values[:, None], np.ones(40), 9, "chain")
    away = (values[:, None] - values) ** 2
    linked = by_linkage(away, 9)
    assert found.errors == pytest.approx(linked.errors)
    for k in range(1, 10):
        rule = centres_below([found], "chain", np.array([k]), k, None)
        own = rule.nearest_on_line(values)[0]
        pairs = {*zip(own.tolist(), linked.labels(k).tolist(), strict=True)}
        assert len(pairs) == k


@pytest.mark.parametrize("leaves", ["strength", "opponents"])
def test_what_is_stored_comes_back(tmp_path: Path, leaves: Any) -> None:
    found = divided(SHORT, (3, 5, 9), "expectation", boards=7, leaves=leaves)
    save_abstraction(tmp_path / "short.eqp", found)
    again = load_abstraction(tmp_path / "short.eqp", SHORT)
    assert isinstance(again, StreetBuckets)
    assert (again.digest, again.sample, again.method) == (found.digest, 7, found.method)
    with pytest.raises(EquipoiseError, match="expected the game 'short hold'em'"):
        load_abstraction(tmp_path / "short.eqp")
    with pytest.raises(
        EquipoiseError, match=f"of the game .{SHORT.name}., expected some of .{LARGE.name}"
    ):
        load_abstraction(tmp_path / "short.eqp", LARGE)
    same_name = replace(LARGE, name=SHORT.name)
    with pytest.raises(EquipoiseError, match="tables of shapes"):
        load_abstraction(tmp_path / "short.eqp", same_name)


def _too_large(array: Any) -> Any:
    return array.astype(np.uint32) + np.uint32(1000)


def _of_floats(array: Any) -> Any:
    return array.astype(np.float64)


def _one_too_large(array: Any) -> Any:
    found = array.astype(np.uint32)
    found.flat[-1] = 1000
    return found


def _a_row_less(array: Any) -> Any:
    return array[:-1]


def _a_column_more(array: Any) -> Any:
    return np.concatenate([array, array[:, :1]], axis=1)


@pytest.mark.parametrize(
    ("leaves", "name", "damage", "sentence"),
    [
        ("strength", "outcome", _too_large, "the last round: found uint32 from 1000"),
        ("strength", "outcome", _of_floats, "the last round: found float64"),
        ("strength", "outcome", lambda own: own.astype(np.int64) - 1, "found int64 from -1"),
        ("strength", "outcome", _a_row_less, "expected a row for each of 5 buckets"),
        ("strength", "outcome", _a_column_more, "an odd number of columns"),
        ("strength", "outcome", np.ravel, "expected a row for each of 5 buckets"),
        ("opponents", "opponents", _a_row_less, "found opponents, centres and first buckets of"),
        ("opponents", "opponents", _too_large, "and centres of 10"),
        ("opponents", "centres", _a_row_less, "found opponents, centres and first buckets of"),
        ("opponents", "centres", lambda own: own[..., :-1], "found opponents, centres and first"),
        ("opponents", "first", _a_row_less, "found opponents, centres and first buckets of"),
        ("opponents", "first", _too_large, "the last round: found uint32 from 1000"),
        ("opponents", "first", _of_floats, "the last round: found float64"),
        *(
            (leaves, name, _one_too_large, sentence)
            for leaves, name, sentence in (
                ("strength", "quiet.0", "round 1: found uint32 from 0 to 1000"),
                ("strength", "tables.0", "round 2: found uint32 from 0 to 1000"),
                ("strength", "outcome", "the last round: found uint32 from 0 to 1000"),
                ("opponents", "first", "the last round: found uint32 from 0 to 1000"),
            )
        ),
        ("strength", "tables.0", _too_large, "round 2: found"),
        ("strength", "tables.0", _of_floats, "round 2: found float64"),
        ("strength", "tables.0", _a_row_less, "found tables of shapes"),
        ("strength", "quiet.0", _a_row_less, "found tables of shapes"),
        ("strength", "quiet.0", lambda own: own.astype(np.int64) - 1, "round 1: found int64"),
        ("strength", "parents.2", None, "for 2 rounds"),
        ("strength", "outcome", None, "found no outcomes of the last street"),
        ("opponents", "first", None, "found no outcomes of the last street"),
    ],
)
def test_damaged_buckets_are_refused(leaves: Any, name: str, damage: Any, sentence: str) -> None:
    made = divided(ISLAND, (3, 5, 9), "potential", temporary=3, leaves=leaves)
    arrays, known = made.to_arrays()
    StreetBuckets.from_arrays(ISLAND, arrays, known)
    wrong = {key: array for key, array in arrays.items() if key != name}
    if damage is not None:
        wrong[name] = damage(arrays[name])
    with pytest.raises(EquipoiseError, match=sentence):
        StreetBuckets.from_arrays(ISLAND, wrong, known)


def test_large_poker_goes_the_whole_road(tmp_path: Path) -> None:
    told: list[str] = []
    result = equipoise.solve(
        LARGE,
        abstraction="potential(flops=6,boards=200,temporary=4)",
        buckets="6-12-24-48",
        iterations=20,
        flops=3,
        out=tmp_path / "five.eqp",
        each=lambda what, done, total: told.append(what),
    )
    assert result.certificate.classes == 3
    assert result.certificate.gap > 0
    assert {"equities", "tables", "certifying, flops"} <= set(told)
    again = equipoise.open(tmp_path / "five.eqp", LARGE)
    assert np.array_equal(again.strategy.behaviour[0], result.strategy.behaviour[0])
    units = again.strategy.behaviour[1].astype(np.float64) * 65535
    assert units == pytest.approx(np.rint(units), abs=0.01)
    proof = equipoise.certify(LARGE, again.strategy, flops=3)
    assert proof.best_responses == pytest.approx(result.certificate.best_responses)
    for label in (views(LARGE).label(0, 0), "#3"):
        assert sum(again.strategy[f"{label}|"].values()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "buckets", "more"),
    [
        ("expectation", "6-12", {"stages": "2"}),
        ("threshold", "6-12-20", {"stages": "3"}),
        ("strategy(stages=2,temporary=4,", "6-12-18-24", {}),
        ("potential(distance=emd,leaves=opponents,temporary=4,", "6-12-18-24", {}),
    ],
)
def test_models_of_large_poker_are_played_in_the_whole_game(
    tmp_path: Path, name: str, buckets: str, more: dict[str, Any]
) -> None:
    opening = name if name.endswith(",") else f"{name}("
    result = equipoise.solve(
        LARGE,
        abstraction=f"{opening}flops=4,boards=100)",
        buckets=buckets,
        iterations=10,
        flops=2,
        out=tmp_path / "model.eqp",
        **more,
    )
    assert result.strategy.rules is LARGE
    again = equipoise.open(tmp_path / "model.eqp", LARGE)
    proof = equipoise.certify(LARGE, again.strategy, flops=2)
    assert proof.best_responses == pytest.approx(result.certificate.best_responses)
    # A certificate is of the whole game, so nobody earns more against it than all that is at stake.
    assert 0 < proof.exploitability < 48


def test_prolonged_by_buckets_and_by_views_is_the_same() -> None:
    cut = truncate(SHORT, 2)
    found = divided(cut.short, (3, 5, 5), "expectation")
    strategy = random_strategy(cut.short, found)
    mine = prolong(strategy, cut)
    assert mine.is_abstract
    theirs = prolong(lift(strategy, found), cut)
    for own, wanted in zip(lift(mine, found).behaviour, theirs.behaviour, strict=True):
        assert np.array_equal(own, wanted)


def test_translated_by_buckets_and_by_views_is_the_same() -> None:
    own = abstract_actions(SHORT.tree, *read_actions("cap=2-1-1"))
    small = own.game(SHORT)
    found = divided(small, (3, 5, 9), "expectation")
    strategy = random_strategy(small, found)
    mine, theirs = (
        translate(strategy, own, SHORT)[0],
        translate(lift(strategy, found), own, SHORT)[0],
    )
    for here, there in zip(lift(mine, found).behaviour, theirs.behaviour, strict=True):
        assert here == pytest.approx(there)


@pytest.mark.parametrize(
    ("name", "buckets", "sentence"),
    [
        ("strategy(stages=7)", "6-12-24-48", "stages: found 7, expected 1 to"),
        ("threshold(leaves=opponents)", "6-12-24-48", "leaves=opponents for chains"),
        ("potential", "6-12", "numbers for 2 rounds, expected 4"),
        ("potential", "6-12-11-20", "found 11 in round 3, expected 12 to"),
        ("potential", "600-700-800-900", "found 600 in round 1"),
        ("potential(flops=1)", "6-12-24-48", "flops=1, expected a whole number from 2 up"),
        ("potential(distance=far)", "6-12-24-48", "distance=far, expected l2 or l1 or emd"),
        ("expectation(colour=3)", "6-12-24-48", "the option 'colour'"),
        ("potential", None, "found no buckets"),
        ("gameshrink", "6-12-24-48", "too many to list, expected one of"),
    ],
)
def test_what_cannot_be_is_said(name: str, buckets: str | None, sentence: str) -> None:
    with pytest.raises(EquipoiseError) as caught:
        equipoise.abstract(LARGE, name, buckets)
    assert sentence in str(caught.value)


def test_pairs_add_up_over_children() -> None:
    parents = [np.zeros(2, dtype=np.uint32), np.array([0, 0, 0, 1], dtype=np.uint32)]
    met = np.arange(1.0, 17.0).reshape(4, 4)
    first, _ = rounds_of_pairs(SHORT.tree, parents, met, met)
    whole = first.weight.reshape(2, 2) * met.sum()
    assert whole == pytest.approx(
        np.array([[met[:3, :3].sum(), met[:3, 3].sum()], [met[3, :3].sum(), met[3, 3]]])
    )


def test_one_bucket_is_enough_and_files_are_known_by_what_is_in_the_tables() -> None:
    """What was counted is kept by the digest of the buckets: another one would not find it."""
    found = divided(ISLAND, (1, 1, 1), "expectation")
    parts = *(own for own, _ in found.parents), *found.quiet, *found.tables
    size = sum(array.size for array in (*parts, *found.last.arrays.values()))
    assert not any(array.any() for array in (*parts, *found.last.arrays.values()))
    assert found.digest == hashlib.sha256(bytes(4 * size)).hexdigest()[:16]
    other = divided(ISLAND, (2, 2, 2), "expectation")
    assert len(other.digest) == 16
    assert other.digest != found.digest


def test_a_round_without_buckets_is_refused() -> None:
    with pytest.raises(EquipoiseError, match="found 0 in round 1, expected 1 to"):
        divided(ISLAND, (0, 5, 9))


def test_ten_temporary_clusters_unless_told_otherwise() -> None:
    game, counts = poker.rhode_island(6, 2), (3, 8, 20)
    wanted, others = (divided(game, counts, temporary=count).digest for count in (10, 11))
    assert divided(game, counts).digest == wanted
    assert wanted != others


class _AskedError(Exception):
    """What a division is asked to do."""


def test_classes_are_drawn_by_how_many_boards_they_stand_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tell(**given: Any) -> None:
        raise _AskedError(given["classes"], given["weights"])

    monkeypatch.setattr(street_abstraction, "StreetDivision", tell)
    copies = street_features(SHORT).streets.copies

    def drawn(classes: int, seed: int) -> Any:
        with pytest.raises(_AskedError) as told:
            divided(SHORT, COUNTS["short"], classes=classes, seed=seed)
        found, weights = told.value.args
        assert len(found) == len(set(found.tolist())) == len(weights)
        return found, weights

    every, weights = drawn(len(copies), 0)
    assert np.array_equal(every, np.arange(len(copies)))
    assert np.array_equal(weights, copies)
    for seed in range(20):
        assert (drawn(len(copies) - 1, seed)[1] == 1).all()
    # Some stand for two boards, some for one, which are drawn half as often.
    alone = sum(int(copies[drawn(1, seed)[0][0]] == 1) for seed in range(1000))
    share = (copies == 1).sum() / copies.sum()
    assert abs(alone - 1000 * share) < 5 * np.sqrt(1000 * share)
    assert set(copies.tolist()) == {1, 2}


def test_games_that_have_no_streets_are_refused() -> None:
    leduc: PokerGame = poker.leduc()
    with pytest.raises(EquipoiseError, match="suits matter"):
        divided(leduc, (3, 6), "expectation")
