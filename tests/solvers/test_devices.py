"""The CFR family on arrays does what compiled loops do, without a compiler."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.numerics import device as on_devices
from equipoise.numerics.compilation import compilation_told, compiled_seconds, listen_to_torch
from equipoise.numerics.device import Device
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import Context, Plan, measure, solve
from equipoise.solvers.driver import Arrays, Iterations
from equipoise.solvers.saddle.cfr import TABLE, member


def _tiled() -> SequenceForm:
    game = poker.rhode_island(5, 2)
    return build(game, gameshrink(game))


def _spot() -> poker.Spot:
    ranges = "KTs,JJ", "QJs,TT,KJo:0.5"
    return poker.spot("8cTcQcQd", *ranges, 100, 150, bets="50%,a", raises="a", ranks="8TJQK")


FORMS: dict[str, Callable[[], SequenceForm]] = {
    "kuhn": lambda: build(load("kuhn")),
    "leduc": lambda: build(poker.leduc()),
    "rhode island in tiles": _tiled,
    "a spot": lambda: build(_spot()),
}


@pytest.fixture(scope="module", params=FORMS)
def form(request: pytest.FixtureRequest) -> SequenceForm:
    return FORMS[request.param]()


def _random(form: SequenceForm) -> tuple[Plan, Plan]:
    random = np.random.default_rng(1)
    X, Y = form.X, form.Y
    x, y = (s.plan(s.behaviour(random.random(s.size))) for s in (X, Y))
    return x, y


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TABLE)
def test_iterations_are_the_same(form: SequenceForm, name: str, dtype: str) -> None:
    """A few from a random point, where no tie is near: later, rounding is amplified by those."""
    close = 1e-9 if dtype == "float64" else 1e-3
    context = Context(start=_random(form), horizon=100)
    runs = [member(name, device=d, dtype=dtype).start(form, context) for d in ("numpy", "compiled")]
    for run in runs:
        run.advance(3)
    for mine, theirs in zip(*(run.point() for run in runs), strict=True):
        assert mine.dtype == theirs.dtype == dtype
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=close)
    here = measure(form, *runs[1].point())
    assert runs[0].bounds() == pytest.approx(
        [bound / form.units.unit for bound in here], abs=10 * close
    )


@pytest.mark.parametrize(
    ("dtype", "iterations", "close"), [("float64", 12, 1e-8), ("float32", 6, 1e-2)]
)
def test_paths_from_uniform_play_stay_together(
    form: SequenceForm, dtype: str, iterations: int, close: float
) -> None:
    """At first many regrets cancel, and rounding leaves of them what it likes: it must decide nothing."""
    runs = [
        member("dcfr", device=d, dtype=dtype).start(form, Context()) for d in ("numpy", "compiled")
    ]
    for run in runs:
        run.advance(iterations)
    mine, theirs = (run.state() for run in runs)
    for name in ("regret.0", "regret.1"):
        near = close * np.abs(theirs[name][1:]).max()
        np.testing.assert_allclose(mine[name][1:], theirs[name][1:], rtol=0, atol=near)


def test_a_run_on_arrays_resumes(form: SequenceForm) -> None:
    states: list[Arrays] = []
    method = member("pcfr+", device="numpy")
    solve(form, method, Iterations(9), checkpoint=states.append)
    resumed = solve(form, method, Iterations(25), resume=states[-1])
    straight = solve(form, method, Iterations(25))
    for a, b in zip(resumed.plans, straight.plans, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_kept_stays_as_it_was(form: SequenceForm) -> None:
    run = member("dcfr", device="numpy").start(form, Context())
    run.advance(3)
    then = run.point()
    run.keep()
    run.advance(3)
    for kept, plan, now in zip(run.kept(), then, run.point(), strict=True):
        np.testing.assert_array_equal(kept, plan)
        assert (kept != now).any()


def test_single_precision_is_measured_in_double(form: SequenceForm) -> None:
    # There may be no room for a second form of a spot: it is measured as it is.
    close = 1e-12 if form.plain.A.by_board is None else 1e-5
    run = member("dcfr", device="numpy", dtype="float32").start(form, Context())
    run.advance(20)
    plans = [
        space.plan(space.behaviour(plan.astype(np.float64)))
        for space, plan in zip((form.X, form.Y), run.point(), strict=True)
    ]
    expected = [bound / form.units.unit for bound in measure(form, *plans)]
    assert run.bounds() == pytest.approx(expected, abs=close)


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
from equipoise.solvers.base import Context, Plan, measure, solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import member
solution = solve(build(load("kuhn")), member("cfr+", device="numpy"), Iterations(200))
assert solution.gap < 1e-2, solution.gap
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_compiler_is_needed_for_a_spot() -> None:
    code = """
import sys
sys.modules["numba"] = None
from equipoise.games.poker import spot
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import member
form = build(spot("8cTcQcQd", "KTs,JJ", "QJs,TT", 100, 150, bets="50%,a"))
solution = solve(form, member("dcfr", device="numpy", dtype="float32"), Gap(2.0))
assert solution.gap <= 2.0, solution.gap
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("rake", [0.0, 0.05])
def test_a_spot_on_arrays(library: str, rake: float) -> None:
    if library != "numpy":
        pytest.importorskip(library)
    rules = {"bets": "50%,a", "ranks": "8TJQK", "rake": rake}
    form = build(poker.spot("8cTcQcQd", "KTs,JJ", "QJs,TT", 100, 150, **rules))  # type: ignore[arg-type]
    context = Context(start=_random(form))
    runs = [
        member("dcfr", device=d, dtype="float32").start(form, context)
        for d in (library, "compiled")
    ]
    for run in runs:
        run.advance(3)
    for mine, theirs in zip(*(run.point() for run in runs), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-4)
    found, truth = (run.bounds() for run in runs)
    assert found == pytest.approx(truth, abs=1e-4)


@pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch compiles for a processor with g++")
@pytest.mark.parametrize("name", ["dcfr", "pcfr+"])
def test_compiled_passes_iterate_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: actions are arrays of their own there, and sizes change nothing that is compiled."""
    torch = pytest.importorskip("torch")
    form = build(_spot())
    context = Context(start=_random(form))
    plain = member(name, device="torch").start(form, context)
    monkeypatch.setattr(Device, "compiles", True)
    torch.compiler.reset()
    listen_to_torch.cache_clear()  # PyTorch forgets its listeners, too
    torch._dynamo.utils.counters.clear()
    fused, told = member(name, device="torch").start(form, context), []
    plain.advance(3)
    before, begin = compiled_seconds(), time.perf_counter()
    with compilation_told(told.append):
        fused.advance(3)
    spent = compiled_seconds()[0] - before[0]
    assert told[:2] == [True, False]
    assert 0 < spent < time.perf_counter() - begin
    for mine, theirs in zip(fused.point(), plain.point(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
    assert 0 < torch._dynamo.utils.counters["stats"]["unique_graphs"] <= 8


@pytest.mark.parametrize("missing", ["cc", "triton"])
def test_nothing_is_compiled_where_nothing_can_be(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_devices, "find_spec", lambda name: None if name == missing else name)
    monkeypatch.setattr(shutil, "which", lambda name: None if missing == "cc" else name)
    on_devices._has_compiler.cache_clear()
    there = Device(np, SimpleNamespace(type="cuda"))
    assert not there.compiles
    assert there.fused(len) is len
    on_devices._has_compiler.cache_clear()


def test_devices_that_are_not_there() -> None:
    with pytest.raises(EquipoiseError, match="expected one of compiled, numpy"):
        member("dcfr", device="abacus")
    with pytest.raises(EquipoiseError, match=r"not installed|no GPU"):
        solve(build(load("kuhn")), member("dcfr", device="cuda"), Iterations(1))
