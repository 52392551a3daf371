"""Lossy abstraction: the published counts, and what holds for every method and game."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import equipoise
from equipoise.abstraction.base import Partition
from equipoise.abstraction.behaviour import strategy_based
from equipoise.abstraction.threshold import view_differences
from equipoise.abstraction.view_tree import view_trees
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds
from equipoise.road.abstractions import ABSTRACTIONS
from equipoise.solvers.base import solve as solve_form
from equipoise.solvers.methods import method as solver
from equipoise.strategy.store import load_abstraction, save_abstraction

# Strategy-based abstraction solves a game first: it has tests of its own.
LOSSY = [name for name, entry in ABSTRACTIONS.items() if entry.is_lossy and name != "strategy"]
VARIANTS = [
    *LOSSY,
    "potential(distance=l1)",
    "potential(distance=emd)",
    "potential(leaves=outcomes,temporary=3)",
]


@pytest.fixture(scope="module")
def rhode_island() -> PokerGame:
    return poker.rhode_island()


@pytest.fixture(scope="module")
def small() -> PokerGame:
    """Rhode Island Hold'em with four ranks and three suits."""
    return poker.rhode_island(4, 3)


def counts(found: Partition) -> tuple[int, ...]:
    assert all(first == second for first, second in found.buckets)
    return tuple(first for first, _ in found.buckets)


def same(a: Partition, b: Partition) -> bool:
    return a.refines(b) and b.refines(a)


@pytest.mark.parametrize("method", ["expectation", "expectation-squared"])
def test_expectation_finds_the_published_classes(rhode_island: PokerGame, method: str) -> None:
    """Gilpin (2009), section 6.7.1: at 13-205-1774 it tells 204 and 1,748 buckets apart."""
    assert counts(equipoise.abstract(rhode_island, method, "13-205-1774")) == (13, 204, 1748)


def test_potential_finds_the_published_partition(rhode_island: PokerGame) -> None:
    """Gilpin (2009), section 6.7.2, says so of 13-205-1774: in the last round only by outcomes."""
    published = equipoise.abstract(rhode_island, "histogram")
    by_outcomes = equipoise.abstract(rhode_island, "potential(leaves=outcomes)", "13-205-1774")
    assert same(by_outcomes, published)
    as_written = equipoise.abstract(rhode_island, "potential", "13-205-1774")
    assert counts(as_written) == (13, 205, 1751)
    assert published.refines(as_written)
    for r in (0, 1):
        assert len(np.unique(as_written.maps[r][0])) == len(np.unique(published.maps[r][0]))


def test_threshold_zero_is_gameshrink(rhode_island: PokerGame) -> None:
    published = equipoise.abstract(rhode_island, "histogram")
    assert same(equipoise.abstract(rhode_island, "threshold(thresholds=0-0-0)"), published)
    assert same(equipoise.abstract(rhode_island, "threshold", "13-205-1774"), published)


def test_falling_thresholds_are_a_ladder(small: PokerGame) -> None:
    """Every rung refines the one before: lower thresholds only cut more links."""
    rungs = [
        equipoise.abstract(small, f"threshold(thresholds={t}-{t}-{t})") for t in (0.1, 0.02, 0)
    ]
    for coarse, fine in pairwise(rungs):
        assert fine.refines(coarse)
        assert counts(fine) > counts(coarse)


@pytest.mark.parametrize("method", VARIANTS)
def test_buckets_are_as_many_as_asked_for(small: PokerGame, method: str) -> None:
    found = equipoise.abstract(small, method, "4-12-40")
    assert counts(found) == (4, 12, 40)
    found.check(small)
    assert all(np.array_equal(*pair) for pair in found.maps)  # the players see alike
    # Names lead back.
    assert equipoise.abstract(small, found.method).digest == found.digest
    # Nothing that GameShrink merges by counts of outcomes is put apart.
    assert equipoise.abstract(small, "histogram").refines(found)


@pytest.mark.parametrize("method", VARIANTS)
def test_refining_keeps_apart_what_was_apart(small: PokerGame, method: str, tmp_path: Path) -> None:
    coarse = equipoise.abstract(small, "expectation", "3-8-20")
    save_abstraction(tmp_path / "coarse.eqp", coarse)
    found = equipoise.abstract(small, method, "4-20-80", refine=tmp_path / "coarse.eqp")
    assert found.refines(coarse)
    assert counts(found) == (4, 20, 80)
    assert equipoise.abstract(small, found.method).digest == found.digest
    save_abstraction(tmp_path / "found.eqp", found)
    assert load_abstraction(tmp_path / "found.eqp").method == found.method


def test_who_sees_more_earns_no_less(small: PokerGame) -> None:
    """A finer model never forgets: against the same opponent its best reply is at least as good."""
    coarse = equipoise.abstract(small, "expectation", "3-8-20")
    fine = equipoise.abstract(small, "expectation", "4-20-80", refine=coarse)
    values = []
    for mine in (coarse, fine):
        maps = [(a[0], b[1]) for a, b in zip(mine.maps, coarse.maps, strict=True)]
        form = equipoise.build(small, Partition.of(signal_rounds(small), maps, game=small.name))
        values.append(form.X.support(form.A.times(form.Y.plan(form.Y.uniform()))))
    assert values[1] > values[0]


@pytest.mark.slow
def test_what_one_player_guarantees_never_falls_along_a_refinement() -> None:
    """Against an opponent who sees everything, a finer model is no worse; with both coarse it may be."""
    game = poker.rhode_island(3, 2)
    rungs = ["expectation(2-3-6)", "expectation(2-5-14)", "expectation(3-8-24)"]
    guaranteed = []
    for i in range(3):
        name = ">".join(rungs[: i + 1]) + "|gameshrink"
        model = equipoise.abstract(game, name)
        assert model.buckets[0] == (int(rungs[i][12]), 3)
        assert equipoise.abstract(game, model.method).digest == model.digest
        found = equipoise.solve(game, "lp", abstraction=model)
        guaranteed.append(-found.certificate.best_responses[1])
        # What the model promises to player 1 is what she has in the full game.
        assert found.found.details["abstraction"] == model.method
        inside = solve_form(equipoise.build(game, model), solver("lp"))
        assert inside.lower == pytest.approx(guaranteed[-1], abs=1e-6)
    exact = equipoise.solve(game, "lp").certificate
    assert all(coarse <= fine + 1e-6 for coarse, fine in pairwise(guaranteed))
    assert guaranteed[0] < guaranteed[-1] < exact.best_responses[0] + 1e-6


@pytest.mark.parametrize("spec", ["auction", "standoff", "tract"])
@pytest.mark.parametrize("method", VARIANTS)
def test_games_that_are_no_poker(spec: str, method: str) -> None:
    game = equipoise.load(spec)
    assert isinstance(game, StageGame)
    rounds = signal_rounds(game)
    buckets = [max(1, min(signals.views) // 2) for signals in rounds]
    found = equipoise.abstract(game, method, buckets)
    for wanted, made in zip(buckets, found.buckets, strict=True):
        assert max(made) <= wanted
    assert equipoise.abstract(game, found.method).digest == found.digest


def test_opponents_tell_apart_what_outcomes_do_not(small: PokerGame) -> None:
    """Equity against clusters of opponents: who is beaten counts, not only how often."""
    rounds = signal_rounds(small)
    tree = view_trees(rounds)[0]
    assert tree.against.shape == (len(tree.weights[-1]), 4)  # four ranks, four opponents
    # By hand, for one view: its deals, and who holds what in them.
    last, view = rounds[-1], 50
    own = np.flatnonzero(last.pairs[0] == view)
    (name,) = last.values
    won = (1 + last.values[name][own] / np.abs(last.values[name]).max()) / 2
    first = rounds[1].parents[1][rounds[2].parents[1][last.pairs[1][own]]]
    strengths = view_trees(rounds)[1].strengths[0]
    for column, holding in enumerate(np.argsort(strengths)):
        met = first == holding
        expected = won[met].mean() if met.any() else tree.strengths[-1][view]
        assert tree.against[view, column] == pytest.approx(expected)
    found = equipoise.abstract(small, "potential(leaves=opponents)", "4-28-232")
    # It merges all that is sound to merge, and not what only wins and loses alike often.
    assert equipoise.abstract(small, "gameshrink").refines(found)
    assert counts(found)[2] > counts(equipoise.abstract(small, "histogram"))[2]
    coarse = equipoise.abstract(small, "potential(leaves=opponents)", "4-12-40")
    assert counts(coarse) == (4, 12, 40)
    assert equipoise.abstract(small, coarse.method).digest == coarse.digest


def test_buckets_are_the_same_on_any_number_of_cores() -> None:
    """Nothing is drawn at random, and no sum depends on who adds it up."""
    script = (
        "import equipoise; game = equipoise.load('rhode-island(ranks=4,suits=3)'); "
        f"print([equipoise.abstract(game, name, '4-12-40').digest for name in {VARIANTS}])"
    )
    found = []
    for cores in ("1", "2"):
        names = (
            "EQUIPOISE_THREADS",
            "NUMBA_NUM_THREADS",
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
        )
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **dict.fromkeys(names, cores)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(done.stdout)
    assert found[0] == found[1]
    assert found[0].count(",") == len(VARIANTS) - 1


def test_differences_are_a_semimetric(small: PokerGame) -> None:
    tree = view_trees(signal_rounds(small))[0]
    types, differences = view_differences(tree)
    for kind, matrix in zip(types, differences, strict=True):
        assert kind.max() + 1 == len(matrix)
        assert np.array_equal(matrix, matrix.T)
        off = matrix[~np.eye(len(matrix), dtype=bool)]
        assert (np.diag(matrix) == 0).all()
        assert (off > 0).all()


def test_strength_is_the_probability_of_winning(small: PokerGame) -> None:
    tree = view_trees(signal_rounds(small))[0]
    assert tree.levels.tolist() == [0.0, 0.5, 1.0]
    for weights, strengths in zip(tree.weights, tree.strengths, strict=True):
        assert weights.sum() == pytest.approx(1.0)
        assert weights @ strengths == pytest.approx(0.5)  # players are alike
    kuhn = view_trees(signal_rounds(poker.kuhn()))[1]
    assert kuhn.strengths[0].tolist() == [0.0, 0.5, 1.0]  # jack, queen, king


@pytest.mark.parametrize(
    ("method", "buckets", "message"),
    [
        ("expectation", "4-50-90", "found 50 in round 2, expected at most its 28 views"),
        ("expectation", "4-3-90", "found 3 in round 2, expected at least 4"),
        ("expectation", "4-20", "numbers for 2 rounds, expected 3"),
        ("expectation", None, "found no buckets"),
        ("expectation", "4-0-7", "expected a number from 1 up"),
        ("expectation", "x", "expected a number from 1 up"),
        ("expectations", "4-10-20", "did you mean 'expectation'"),
        ("magic", "4-10-20", "expected one of gameshrink"),
        ("potential(distance=l9)", "4-10-20", "expected one of l2, l1, emd"),
        ("potential(temporary=0)", "4-10-20", "expected at least 1"),
        ("potential(colour=1)", "4-10-20", "expected one of distance, temporary, leaves"),
        ("threshold(thresholds=0-0)", None, "expected 3 finite numbers"),
        ("threshold(thresholds=nan-0-0)", None, "expected 3 finite numbers"),
        ("threshold(thresholds=0-inf-0)", None, "expected 3 finite numbers"),
        ("threshold(thresholds=a-0)", None, "expected numbers such as 0-0.1-0.2"),
        ("threshold(thresholds=0-0-0)", "4-10-20", "found both buckets and thresholds"),
        ("gameshrink", "4-10-20", "expected none"),
        ("expectation(4-10-20,4-10-20)", None, "found buckets twice"),
        ("expectation(4-10-20)>expectation(3-10-20)", None, "expected at least 4"),
        ("expectation(4-10-20)|gameshrink", "4-10-20", "expected all of it in the name"),
        ("suits|suits|suits", None, "found 3 players' abstractions, expected two"),
    ],
)
def test_what_cannot_be_made(
    small: PokerGame, method: str, buckets: str | None, message: str
) -> None:
    with pytest.raises(EquipoiseError, match=message):
        equipoise.abstract(small, method, buckets)


def test_views_that_are_played_alike(small: PokerGame) -> None:
    """By vectors that are given, and by those of a shorter game that is solved first."""
    rounds = signal_rounds(small)
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1], [0.0, 1.0]])
    found = strategy_based(rounds, (2, 8, 30), vectors=[(vectors, vectors)])
    assert found.maps[0][0].tolist() == [0, 1, 0, 1]
    assert counts(found) == (2, 8, 30)
    with pytest.raises(EquipoiseError, match="found vectors for"):
        strategy_based(rounds, (2, 8, 30), vectors=[(vectors[:3], vectors)])
    solved = equipoise.abstract(small, "strategy", "3-8-30")
    assert counts(solved) == (3, 8, 30)
    assert solved.method == "strategy(3-8-30)"
    assert equipoise.abstract(small, "strategy(3-8-30,stages=1)").buckets == solved.buckets
    with pytest.raises(EquipoiseError, match="stages"):
        equipoise.abstract(small, "strategy(3-8-30,stages=7)")


def test_solving_through_a_lossy_abstraction(small: PokerGame, tmp_path: Path) -> None:
    """The certificate speaks of the full game, and the file of what was solved."""
    place = tmp_path / "lossy.eqp"
    result = equipoise.solve(
        small, gap=20.0, abstraction="expectation", buckets="4-12-40", out=place
    )
    assert result.found.details["abstraction"] == "expectation(4-12-40)"
    assert result.found.gap is not None
    assert result.found.gap <= 20.0 < result.certificate.gap
    assert equipoise.open(place, small).certificate.gap == pytest.approx(result.certificate.gap)
    with pytest.raises(EquipoiseError, match="expected a method's name"):
        equipoise.solve(
            small, abstraction=equipoise.abstract(small, "histogram"), buckets="4-12-40"
        )
