"""The Partition record: what it accepts, what it refuses, and coarsening."""

import json
from dataclasses import replace

import numpy as np
import pytest

from equipoise.abstraction.base import Partition, add_up, coarsen, count, fingerprint
from equipoise.abstraction.gameshrink import METHODS, gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.views import signal_rounds

GAMES = [poker.kuhn(), poker.leduc(), poker.leduc(4, 3), poker.rhode_island(4, 3)]
NAMES = [game.name for game in GAMES]


@pytest.fixture(params=GAMES, ids=NAMES)
def game(request):
    return request.param


@pytest.fixture(params=METHODS)
def abstraction(game, request):
    return gameshrink(game, request.param)


def leduc_maps():
    return [[np.arange(n) for n in signals.views] for signals in signal_rounds(poker.leduc())]


def test_coarse_weights_are_a_distribution(game, abstraction):
    for signals, counts in zip(
        coarsen(signal_rounds(game), abstraction), abstraction.buckets, strict=True
    ):
        assert signals.views == counts
        assert signals.weight.sum() == pytest.approx(1, abs=1e-12)
        assert (signals.weight > 0).all()
        keys = signals.pairs[0].astype(int) * counts[1] + signals.pairs[1]
        assert len(np.unique(keys)) == len(keys)


def test_coarsening_keeps_expected_outcomes_of_every_bucket(game, abstraction):
    rounds = signal_rounds(game)
    for fine, coarse, maps in zip(
        rounds, coarsen(rounds, abstraction), abstraction.maps, strict=True
    ):
        for kind in fine.values:
            for i in (0, 1):
                n = coarse.views[i]
                want = np.bincount(maps[i][fine.pairs[i]], fine.weight * fine.values[kind], n)
                have = np.bincount(coarse.pairs[i], coarse.weight * coarse.values[kind], n)
                np.testing.assert_allclose(have, want, atol=1e-14)


def test_coarsening_commutes_with_lineage(game, abstraction):
    rounds = signal_rounds(game)
    for r in range(1, len(rounds)):
        for i in (0, 1):
            up = rounds[r].parents[i]
            above = abstraction.maps[r - 1][i][up]
            np.testing.assert_array_equal(abstraction.parents[r][i][abstraction.maps[r][i]], above)


def test_identity_changes_nothing(game):
    rounds = signal_rounds(game)
    identity = Partition.identity(rounds)
    assert identity.buckets == tuple(signals.views for signals in rounds)
    for fine, coarse in zip(rounds, coarsen(rounds, identity), strict=True):
        np.testing.assert_allclose(fine.weight, coarse.weight)
        np.testing.assert_array_equal(fine.pairs, coarse.pairs)


def test_refines_is_a_partial_order(game):
    every = [gameshrink(game, method) for method in METHODS]
    for a in every:
        assert a.refines(a)
        for b in every:
            if a.refines(b) and b.refines(a):
                assert a.buckets == b.buckets
    assert gameshrink(game, "suits").refines(gameshrink(game, "sound"))


def test_arrays_round_trip(abstraction):
    arrays, meta = abstraction.to_arrays()
    again = Partition.from_arrays(arrays, json.loads(json.dumps(meta)))
    assert (again.game, again.fingerprint, again.method) == (
        abstraction.game,
        abstraction.fingerprint,
        abstraction.method,
    )
    for mine, theirs in ((again.maps, abstraction.maps), (again.parents, abstraction.parents)):
        for pair, other in zip(mine, theirs, strict=True):
            for i in (0, 1):
                np.testing.assert_array_equal(pair[i], other[i])
                assert pair[i].dtype == np.uint32


def test_fingerprints_tell_games_apart():
    prints = {fingerprint(signal_rounds(game)) for game in GAMES}
    assert len(prints) == len(GAMES)


def test_refuses_another_game():
    leduc = gameshrink(poker.leduc())
    with pytest.raises(EquipoiseError, match=r"'leduc'.*map of 3 views, expected .* 4"):
        coarsen(signal_rounds(poker.leduc(4, 2)), leduc)
    with pytest.raises(EquipoiseError, match="found fingerprint"):
        coarsen(signal_rounds(poker.leduc(3, 3)), leduc)
    with pytest.raises(EquipoiseError, match="expected one game"):
        leduc.refines(gameshrink(poker.leduc(3, 3)))


def test_refuses_another_number_of_rounds():
    with pytest.raises(EquipoiseError, match="found 2 rounds, expected the game's 1"):
        coarsen(signal_rounds(poker.kuhn()), gameshrink(poker.leduc()))
    with pytest.raises(EquipoiseError, match="maps for 1 rounds, expected 2"):
        Partition.of(signal_rounds(poker.leduc()), leduc_maps()[:1])


def test_refuses_forgetting():
    maps = leduc_maps()
    maps[1][0] = np.zeros(len(maps[1][0]), dtype=int)
    with pytest.raises(EquipoiseError, match=r"round 2, player 1.*expected one parent"):
        Partition.of(signal_rounds(poker.leduc()), maps)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda m: m + 1, "with holes"),
        (lambda m: m * 1000, "with holes"),
        (lambda m: m - 1, "expected indices from 0"),
        (lambda m: m * 0.5, "expected indices from 0"),
        (lambda m: m[:-1], r"shape \(2,\), expected \(3,\)"),
        (lambda m: m[None], r"shape \(1, 3\), expected \(3,\)"),
    ],
)
def test_refuses_bad_maps(damage, message):
    maps = leduc_maps()
    maps[0][1] = damage(maps[0][1])
    with pytest.raises(EquipoiseError, match=f"round 1, player 2.*{message}"):
        Partition.of(signal_rounds(poker.leduc()), maps)


def test_refuses_damaged_arrays():
    arrays, meta = gameshrink(poker.leduc()).to_arrays()
    with pytest.raises(EquipoiseError, match="found no entry 'map_1_0'"):
        Partition.from_arrays({k: v for k, v in arrays.items() if k != "map_1_0"}, meta)
    with pytest.raises(EquipoiseError, match="rounds: found nothing"):
        Partition.from_arrays(arrays, {k: v for k, v in meta.items() if k != "rounds"})
    with pytest.raises(EquipoiseError, match="parent_1_1"):
        Partition.from_arrays({**arrays, "parent_1_1": arrays["parent_1_1"] + 7}, meta)


def test_refining_is_not_symmetric():
    rounds = signal_rounds(poker.leduc())
    fine = Partition.identity(rounds, game="leduc")
    coarse = Partition.of(rounds, [[np.zeros(n, dtype=int) for n in s.views] for s in rounds])
    assert fine.refines(coarse)
    assert not coarse.refines(fine)
    # Only the second player's last round differs.
    maps = leduc_maps()
    maps[1][1] = np.array([0, 0, *range(1, len(maps[1][1]) - 1)])
    almost = Partition.of(rounds, maps)
    assert fine.refines(almost)
    assert not almost.refines(fine)
    assert (fine.game, fine.method, fine.rounds) == ("leduc", "identity", 2)
    assert (almost.game, almost.method) == ("", "")
    assert almost.buckets[1] == (fine.buckets[1][0], fine.buckets[1][1] - 1)


def test_fingerprints_see_every_part_and_no_rounding():
    rounds = signal_rounds(poker.leduc())
    own = fingerprint(rounds)
    assert len(own) == 16
    assert rounds[-1].values

    def changed(r, **parts):
        return fingerprint([replace(s, **parts) if i == r else s for i, s in enumerate(rounds)])

    for r, signals in enumerate(rounds):
        assert own == changed(r, weight=signals.weight * (1 + 1e-12))
        assert own != changed(r, weight=signals.weight * (1 + 1e-4))
        for kind, values in signals.values.items():
            others = {k: v for k, v in signals.values.items() if k != kind}
            assert own == changed(r, values={**others, kind: values + 1e-12})
            assert own != changed(r, values={**others, kind: values + 1e-5})
            assert own != changed(r, values={**others, f"{kind}'": values})
        for i in (0, 1):
            shifted = [a.copy() for a in signals.pairs]
            shifted[i][0] += 1
            assert own != changed(r, pairs=tuple(shifted))
            shifted = [a.copy() for a in signals.parents]
            shifted[i][-1] += 1
            assert own != changed(r, parents=tuple(shifted))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("parent_0_0", lambda a: a + 1),
        ("parent_1_0", lambda a: np.where(a == a.max(), a.max() + 1, a)),
        ("parent_1_1", lambda a: a[:-1]),
        ("parent_0_1", lambda a: np.append(a, 0)),
    ],
)
def test_parents_must_exist_and_be_as_many_as_buckets(name, damage):
    arrays, meta = Partition.identity(signal_rounds(poker.leduc())).to_arrays()
    Partition.from_arrays(arrays, meta)
    with pytest.raises(EquipoiseError, match=f"Stored abstraction, {name}: found .* below"):
        Partition.from_arrays({**arrays, name: damage(arrays[name])}, meta)


def test_stored_maps_are_checked_too():
    arrays, meta = Partition.identity(signal_rounds(poker.leduc())).to_arrays()
    for bad in (np.array([[0, 1, 2]]), np.array([0, 2, 2]), np.array([0.0, 1.0, 2.0])):
        with pytest.raises(EquipoiseError, match="Abstraction, map_0_1: found"):
            Partition.from_arrays({**arrays, "map_0_1": bad}, meta)


def test_places_add_up():
    found = add_up(np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]), 4)
    assert found.tolist() == [2.0, 0.0, 5.0, 0.0]
    assert add_up(np.zeros(0, dtype=int), np.zeros(0), 2).tolist() == [0.0, 0.0]
    assert count(np.zeros(0, dtype=int)) == 0
    assert count(np.array([0, 2, 1])) == 3
