"""What a member of the CFR family keeps, takes and refuses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.games.random_duels import random_duel

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.builder import TreeBuilder
from equipoise.sequence.build import build
from equipoise.solvers.base import Context, solve
from equipoise.solvers.driver import Iterations, Status
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.cfr import CFR, DCFR, TABLE, member

FORM = build(random_duel(9))


def row(method: CFR, t: int, horizon: int = 10) -> list[float]:
    """Factors of positive and negative regrets, optimism and share of iteration ``t``."""
    table, _ = method.schedule(t, 1, horizon, 0.0)
    return table[0].tolist()


def test_factors_are_t_to_the_e_over_itself_plus_one() -> None:
    for t in (1, 2, 10, 1000):
        assert row(CFR(alpha=1.5, beta=-0.5), t)[:2] == pytest.approx(
            [t**1.5 / (t**1.5 + 1), t**-0.5 / (t**-0.5 + 1)], rel=1e-14
        )
    assert row(CFR(alpha=(2.0, -1.0), beta=(1.0, 1.0)), 5)[:2] == pytest.approx(
        [5**1.5 / (5**1.5 + 1), 5**1.5 / (5**1.5 + 1)]
    )


def test_infinite_and_huge_exponents_are_limits() -> None:
    for t in (1, 2, 10**6):
        assert row(CFR(alpha=math.inf, beta=-math.inf, optimism=0.5), t)[:3] == [1.0, 0.0, 0.5]
        assert row(CFR(alpha=-math.inf, beta=math.inf), t)[:2] == [0.0, 1.0]
    with np.errstate(over="raise"):
        assert row(CFR(alpha=900.0, beta=-900.0), 10**6)[:2] == [1.0, 0.0]


def test_shares_are_those_of_weights_that_grow_as_powers() -> None:
    table, total = CFR(gamma=2.0).schedule(1, 6, 10, 0.0)
    weights = np.arange(1, 7) ** 2.0
    np.testing.assert_allclose(table[:, 3], weights / weights.cumsum())
    assert total == pytest.approx(weights.sum() / 36)
    # In two parts, as when a solve is resumed.
    first, between = CFR(gamma=2.0).schedule(1, 2, 10, 0.0)
    second, end = CFR(gamma=2.0).schedule(3, 4, 10, between)
    np.testing.assert_array_equal(np.concatenate([first, second]), table)
    assert end == total


def test_parameters_are_those_of_the_papers() -> None:
    # Brown and Sandholm 2019: alpha, beta, gamma = 3/2, 0, 2; Xu et al. 2024: 2.3 and 5.
    assert TABLE["dcfr"] == CFR(1.5, 0.0, 2.0)
    assert DCFR() == TABLE["dcfr"]
    assert DCFR("float32", 3.0) == CFR(1.5, 0.0, 3.0, dtype="float32")
    assert (TABLE["pdcfr+"].alpha, TABLE["pdcfr+"].gamma) == (2.3, 5.0)
    assert CFR() == TABLE["cfr"] == CFR(math.inf, math.inf, 0.0, 0.0, None, "float64")
    assert all(name == method.name for name, method in TABLE.items())


def test_a_horizon_is_the_methods_or_the_solves_or_long() -> None:
    assert member("hs-dcfr", horizon=7).start(FORM, Context(horizon=9)).horizon == 7
    assert member("hs-dcfr").start(FORM, Context(horizon=9)).horizon == 9
    assert member("hs-dcfr").start(FORM, Context()).horizon == 10_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "float16"}, "dtype is float16, expected float32 or float64"),
        ({"alpha": math.nan}, "alpha is nan, expected a number or a pair"),
        ({"beta": (1.0, math.nan)}, "beta is"),
        ({"gamma": (1.0, 2.0, 3.0)}, "gamma is"),
        ({"gamma": (1.0,)}, "gamma is"),
        ({"optimism": "much"}, "optimism is 'much'"),
        ({"horizon": 0}, "horizon is 0, expected a whole number > 0"),
        ({"horizon": -1}, "horizon is -1"),
        ({"horizon": 2.5}, r"horizon is 2\.5"),
    ],
)
def test_nonsense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        CFR(**options)
    assert CFR(horizon=1, alpha=(1, 2)).horizon == 1


@pytest.mark.parametrize("name", ["dcfr", "pcfr+"])
def test_a_run_restored_from_its_state_goes_on_bit_for_bit(name: str) -> None:
    whole, first, second = (member(name, horizon=h).start(FORM, Context()) for h in (20, 20, 33))
    whole.advance(11)
    first.advance(4)
    state = {key: np.array(value) for key, value in first.state().items()}
    kept = {"regret", "average", "play"} if name == "pcfr+" else {"regret", "average"}
    assert set(state) == {"weight", "horizon", *(f"{k}.{i}" for k in kept for i in (0, 1))}
    second.restore(state)
    second.iterations = first.iterations
    assert second.horizon == 20
    second.advance(7)
    for one, other in zip(whole.point(), second.point(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("form", [FORM, build(poker.leduc(3, 1))], ids=["tree", "tiles"])
def test_single_precision_stays_single_and_near(form: Any) -> None:
    runs = [member("dcfr", dtype=dtype).start(form, Context()) for dtype in ("float32", "float64")]
    for run in runs:
        assert not run.finished
        run.advance(2)
        assert (run.iterations, run.gradients) == (2, 4)
    for single, double in zip(runs[0].point(), runs[1].point(), strict=True):
        assert single.dtype == np.float32
        assert double.dtype == np.float64


def test_the_average_begins_with_the_first_plan_not_with_the_start() -> None:
    # A start has no weight: after one iteration player 2's average is her plan in that iteration.
    start = FORM.X.plan(FORM.X.uniform()), FORM.Y.best_response(np.arange(FORM.Y.size) * 1.0)[1]
    run = member("cfr").start(FORM, Context(start=start))
    assert all(np.array_equal(a, b) for a, b in zip(run.point(), start, strict=True))
    run.advance(1)
    np.testing.assert_allclose(run.point()[1], start[1], rtol=0, atol=1e-15)


@pytest.fixture(scope="module")
def deep() -> Any:
    """A tree of 3,300 levels, every third one a fair coin: what is at stake at its end is less than any float."""
    tree = TreeBuilder("deep", ["1", "2"])
    node, half = tree.root, Fraction(1, 2)
    for level in range(3_300):
        if level % 3 == 0:
            end, node = tree.chance(node, [("stop", half), ("go", half)])
        else:
            end, node = tree.decide(node, level % 3 - 1, str(level), ["stop", "go"])
        tree.end(end, (level % 3, -(level % 3)))
    tree.end(node, (1, -1))
    return build(tree.build())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TABLE)
def test_what_is_never_at_stake_leaves_plans_finite(name: str, dtype: str, deep: Any) -> None:
    # Regrets below the least normal number divide to infinity, and its product with nothing is no number.
    run = member(name, dtype=dtype).start(deep, Context())
    run.advance(60)
    for space, plan in zip((deep.X, deep.Y), run.point(), strict=True):
        behaviour = space.behaviour(plan)
        assert np.isfinite(plan).all()
        assert behaviour.min() >= 0
        assert behaviour[1:].reshape(-1, 2).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("name", ["cfr", "pcfr+", "dcfr(device=numpy)", "static:cfr"])
def test_what_is_measured_before_the_first_iteration_is_a_plan(name: str) -> None:
    """Even where one player alone moves, which sums that are no plan would make cheap."""
    tree = TreeBuilder("nature, then one player", ("A", "B"))
    for sign, place in zip((1, -1), tree.chance(tree.root, [("u", 0.5), ("d", 0.5)]), strict=True):
        for number, leaf in enumerate(tree.decide(place, 1, sign, ["a", "b", "c"])):
            tree.end(leaf, (number + 5, -number - 5))
    found = solve(build(tree.build()), method(name), Iterations(0))
    assert (found.lower, found.upper) == pytest.approx((5.0, 6.0))
    assert found.status is Status.ITERATION_LIMIT
