"""The CFR family on arrays does what compiled loops do, without a compiler."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Arrays, Iterations
from equipoise.solvers.saddle.cfr import TABLE, member


def _tiled() -> SequenceForm:
    game = poker.rhode_island(5, 2)
    return build(game, gameshrink(game))


FORMS: dict[str, Callable[[], SequenceForm]] = {
    "kuhn": lambda: build(load("kuhn")),
    "leduc": lambda: build(poker.leduc()),
    "rhode island in tiles": _tiled,
}


@pytest.fixture(scope="module", params=FORMS)
def form(request: pytest.FixtureRequest) -> SequenceForm:
    return FORMS[request.param]()


@pytest.mark.parametrize("name", TABLE)
def test_one_iteration_is_the_same(form: SequenceForm, name: str) -> None:
    """From uniform play, before any regret can be near a tie."""
    mine, theirs = (
        solve(form, member(name, device=device), Iterations(1)) for device in ("numpy", "compiled")
    )
    for a, b in zip(mine.plans, theirs.plans, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    assert (mine.lower, mine.upper) == pytest.approx((theirs.lower, theirs.upper), rel=1e-9)


@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-3), ("float64", 1e-9)])
def test_the_gap_shrinks_alike(form: SequenceForm, dtype: str, close: float) -> None:
    """Ten iterations: later, rounding has been amplified by every near tie on the way."""
    mine, theirs = (
        solve(form, member("dcfr", device=device, dtype=dtype), Iterations(10))
        for device in ("numpy", "compiled")
    )
    assert mine.gap == pytest.approx(theirs.gap, rel=close)
    assert mine.plans[0].dtype == dtype


def test_a_run_on_arrays_resumes(form: SequenceForm) -> None:
    states: list[Arrays] = []
    method = member("pcfr+", device="numpy")
    solve(form, method, Iterations(9), checkpoint=states.append)
    resumed = solve(form, method, Iterations(25), resume=states[-1])
    straight = solve(form, method, Iterations(25))
    for a, b in zip(resumed.plans, straight.plans, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_state_moves_between_devices(form: SequenceForm) -> None:
    """What one device has saved another continues from: the same bounds at the start."""
    states: list[Arrays] = []
    solve(form, member("dcfr"), Iterations(9), checkpoint=states.append)
    there = solve(form, member("dcfr", device="numpy"), Iterations(9), resume=states[-1])
    here = solve(form, member("dcfr"), Iterations(9), resume=states[-1])
    assert there.gap == pytest.approx(here.gap, rel=1e-12)


def test_no_compiler_is_needed() -> None:
    code = """
import sys
sys.modules["numba"] = None
from equipoise.games.base import load
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import member
solution = solve(build(load("kuhn")), member("cfr+", device="numpy"), Iterations(200))
assert solution.gap < 1e-2, solution.gap
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_devices_that_are_not_there() -> None:
    with pytest.raises(EquipoiseError, match="expected one of compiled, numpy"):
        member("dcfr", device="abacus")
    with pytest.raises(EquipoiseError, match="not installed|no GPU"):
        solve(build(load("kuhn")), member("dcfr", device="cuda"), Iterations(1))
