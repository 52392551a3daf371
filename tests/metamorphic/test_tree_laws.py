"""Laws of two-player games that every method must obey: units, constants, names, seats, idle moves.

A law compares a game with a changed one whose solution is known to be the same. First-order methods
run a few iterations only: their bounds must hold at any time.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from game_changes import copied, exchanged, renamed, scaled, shifted
from law_registry import ALL, EXACT, TREES, has_chance, solved, tiny, tree

from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.sequence.build import build
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.driver import Iterations, Relative

FEW = Relative(1e-6) | Iterations(12)
FINE = Relative(1e-9)


def skip_without_chance(game, name):
    """A sample of nature's moves needs some."""
    if name.startswith(("sampling", "static")) and not has_chance(game):
        with pytest.raises(EquipoiseError, match="without chance moves"):
            solved(game, name, FEW)
        return True
    return False


@pytest.mark.parametrize("power", [-900, -40, 1, 63])
@pytest.mark.parametrize("game", ["pennies", "kuhn"])
@pytest.mark.parametrize("name", ALL)
def test_units_change_nothing_but_the_units(name, game, power):
    before = tree(game)
    if skip_without_chance(before, name):
        return
    factor = Fraction(2) ** power
    one, other = (solved(g, name, FEW) for g in (before, scaled(before, factor)))
    assert (one.method, one.status) == (other.method, other.status)
    for mine, yours in zip(one.plans, other.plans, strict=True):
        np.testing.assert_array_equal(mine, yours)
    unit = float(factor)
    assert other.value == unit * one.value
    assert [(row.iterations, row.lower, row.upper) for row in other.log] == [
        (row.iterations, unit * row.lower, unit * row.upper) for row in one.log
    ]


@pytest.mark.parametrize("factor", [1e-12, 3.7e9, 1e15, 1e19])
@pytest.mark.parametrize("game", TREES)
def test_payoffs_of_any_size_are_solved_and_certified(game, factor):
    exact = Fraction(factor)
    big = scaled(tree(game), exact)
    found = solved(big, "auto", FINE)
    assert found.gap <= 1e-9 * found.form.units.stake
    proof = certify(big, found.strategy)
    assert proof.gap <= 1.001e-9 * found.form.units.stake
    value = solved(tree(game), "auto", FINE).value
    assert proof.value / factor == pytest.approx(value, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("game", ["matrix", "kuhn"])
@pytest.mark.parametrize("name", ALL)
def test_a_constant_changes_the_value_alone(name, game):
    """Two constants give the same game bit for bit; none gives the same value, within the bounds."""
    before = tree(game)
    if skip_without_chance(before, name):
        return
    value = solved(before, "lp", FINE).value
    small, large = (
        solved(shifted(before, amount, other), name, FEW)
        for amount, other in ((100, -100), (10**12, 5))
    )
    for mine, yours in zip(small.plans, large.plans, strict=True):
        np.testing.assert_array_equal(mine, yours)
    assert small.gap == large.gap
    assert small.lower - 100 - 1e-9 <= value <= small.upper - 100 + 1e-9
    assert large.value - 10**12 == pytest.approx(small.value - 100, abs=1e-3)


@pytest.mark.parametrize("game", TREES)
def test_a_constant_does_not_blur_the_certificate(game):
    before = tree(game)
    after = shifted(before, 10**13, -3)
    found = solved(after, "auto", FINE)
    proof, plain = certify(after, found.strategy), certify(before, found.strategy)
    assert proof.gap == pytest.approx(plain.gap, abs=1e-12)
    assert proof.gap <= 1e-9 * found.form.units.stake
    assert certify(after, found.strategy, rigorous=True).gap <= 1e-9 * found.form.units.stake
    assert proof.values[1] + 3 == pytest.approx(plain.values[1], abs=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_names_mean_nothing(name):
    before = tree("kuhn")
    one, other = (solved(game, name, FEW) for game in (before, renamed(before)))
    for mine, yours in zip(one.plans, other.plans, strict=True):
        np.testing.assert_array_equal(mine, yours)


@pytest.mark.parametrize("game", TREES)
@pytest.mark.parametrize("name", ALL)
def test_the_value_lies_within_the_bounds_whatever_is_rearranged(name, game):
    """Seats, the order of actions, a dominated action, a coin that matters to nobody."""
    before = tree(game)
    if skip_without_chance(before, name) or (game == "leduc" and name not in EXACT):
        return
    value = solved(before, "lp", FINE).value
    stop = FINE if name in EXACT else FEW
    for sign, after in (
        (-1, exchanged(before)),
        (1, copied(before, reverse=True)),
        (1, copied(before, dominated=True)),
        (1, copied(before, coin="hidden")),
    ):
        found = solved(after, name, stop)
        slack = 1e-9 * found.form.units.stake
        assert found.lower - slack <= sign * value <= found.upper + slack
        if name in EXACT:
            assert found.value == pytest.approx(sign * value, abs=slack)


@pytest.mark.parametrize("game", TREES)
def test_identical_subtrees_are_merged_to_one(game):
    before = tree(game)
    once, twice = (shrink(build(g)) for g in (before, copied(before, coin="public")))
    assert build(copied(before, coin="public")).A.nonzeros >= 2 * build(before).A.nonzeros - 1
    assert twice.form.A.nonzeros == once.form.A.nonzeros
    assert (twice.form.X.size, twice.form.Y.size) == (once.form.X.size, once.form.Y.size)


@pytest.mark.parametrize("game", TREES)
def test_a_player_without_moves_or_pay_changes_no_certificate(game):
    before = tree(game)
    after = copied(before, players=(*before.players, "onlooker"))
    found = solved(before, "lp", FINE).strategy
    plans = (*found.behaviour, np.ones(1))
    with_her = replace(found, fingerprint=after.fingerprint, behaviour=plans)
    one, other = certify(before, found), certify(after, with_her)
    assert other.values == pytest.approx((*one.values, 0.0), abs=1e-12)
    assert other.gains == pytest.approx((*one.gains, 0.0), abs=1e-12)


@pytest.mark.parametrize("seed", range(100))
def test_tiny_trees_are_solved_by_every_method(seed):
    """Players who never move, games that end at once, chance alone."""
    game = tiny(seed)
    exact = solved(game, "auto", FINE)
    proof = certify(game, exact.strategy)
    assert proof.gap <= 1e-9 * max(exact.form.units.stake, 1.0)
    # All methods on all trees take a minute: each seed takes its turn at a third of them.
    for name in ALL[seed % 3 :: 3]:
        if skip_without_chance(game, name):
            continue
        found = solved(game, name, FEW)
        assert found.lower - 1e-9 <= proof.value <= found.upper + 1e-9
        if name in EXACT:
            assert found.gap <= 1e-9 * max(found.form.units.stake, 1.0)
