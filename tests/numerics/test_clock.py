"""Clocks: what they count, and what they leave out."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from types import SimpleNamespace

import numba
import pytest

from equipoise.numerics import clock as module
from equipoise.numerics import compilation
from equipoise.numerics.clock import Clock, Deadline, TimeUpError
from equipoise.numerics.compilation import compiled_seconds


def test_a_log_leaves_out_what_numba_compiles() -> None:
    compiled, wall = compiled_seconds(), time.perf_counter()
    clock = Clock(limit=1e9)

    @numba.njit
    def kernel(x: float) -> float:
        return x + 1.0

    assert kernel(1.0) == 2.0
    spent = compiled_seconds()[0] - compiled[0]
    assert spent > 0
    # The clock began after this one, and is read before it.
    assert 0 <= clock.seconds <= time.perf_counter() - wall - spent + 1e-9
    before = compiled_seconds()
    assert kernel(2.0) == 3.0
    assert compiled_seconds() == before


def test_compilations_within_compilations_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([1.0, 2.0, 5.0, 11.0])
    ticking = SimpleNamespace(perf_counter=lambda: next(now), process_time=lambda: 0.0)
    monkeypatch.setattr(compilation, "time", ticking)
    listener = compilation._Compilation()
    for is_start in (True, True, False, False):
        listener.notify(SimpleNamespace(is_start=is_start))
    assert listener.wall == 10.0


def test_a_clock_does_not_load_numba() -> None:
    code = (
        "import sys; from equipoise.numerics.clock import Clock; "
        "assert Clock(1.0).seconds >= 0; assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_deadline_raises_once_it_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    deadline = Deadline(2.0)
    deadline.check()
    now[0] = 1.5
    assert (deadline.spent, deadline.left) == (1.5, 0.5)
    deadline.check()
    now[0] = 2.0
    with pytest.raises(TimeUpError):
        deadline.check()


def test_a_solve_that_is_held_grows_no_older(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr(
        module,
        "time",
        SimpleNamespace(perf_counter=lambda: now[0], process_time=lambda: 0.0),
    )
    monkeypatch.setattr(module, "compiled_seconds", lambda: (0.0, 0.0))
    clock = Clock(limit=5.0)
    now[0] += 2.0
    with module.held():
        now[0] += 100.0
    now[0] += 1.0
    assert clock.seconds == pytest.approx(3.0)
    assert not clock.is_over()
    now[0] += 2.0
    assert clock.is_over()
    assert Clock(limit=5.0).seconds == 0.0


def test_no_garbage_is_sought_while_numba_compiles() -> None:
    listener = compilation._Compilation()
    assert gc.isenabled()
    for is_start, collects in ((True, False), (True, False), (False, False), (False, True)):
        listener.notify(SimpleNamespace(is_start=is_start))
        assert gc.isenabled() == collects
    gc.disable()
    try:
        for is_start in (True, False):
            listener.notify(SimpleNamespace(is_start=is_start))
        assert not gc.isenabled()
    finally:
        gc.enable()
