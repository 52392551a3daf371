"""The live line: its estimate of the time left, and what it says."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from equipoise.cli import progress as module
from equipoise.cli.app import run
from equipoise.cli.output import duration
from equipoise.cli.progress import (
    compiling,
    describe,
    growing,
    iterations_to_gap,
    live,
    seconds_left,
    status_line,
)
from equipoise.numerics.compilation import listen
from equipoise.solvers.driver import Gap, Iterations, Progress, Stop, Time
from equipoise.solvers.log import LogRow


def log(gap: Callable[[float], float], iterations: Iterable[int]) -> list[LogRow]:
    return [LogRow(n, 2 * n, 0.0, gap(n), n / 10, n / 10) for n in iterations]


@given(st.floats(0.3, 3), st.floats(1e-3, 1e3), st.floats(1.5, 1e4))
def test_a_power_law_is_foretold_exactly(power: float, scale: float, factor: float) -> None:
    rows = log(lambda n: scale * n**-power, range(1, 40))
    end = factor * rows[-1].iterations
    assert iterations_to_gap(rows, scale * end**-power) == pytest.approx(end, rel=1e-6)


def test_a_power_law_with_noise_is_foretold_roughly() -> None:
    rows = log(lambda n: (1 + 0.3 * math.sin(9 * n)) / n, range(1, 80))
    assert iterations_to_gap(rows, 1 / 800) == pytest.approx(800, rel=0.4)


def test_nothing_is_foretold_from_nothing() -> None:
    assert iterations_to_gap([], 1e-3) == math.inf
    assert iterations_to_gap(log(lambda n: 1 / n, [1, 2]), 1e-3) == math.inf
    assert iterations_to_gap(log(lambda n: 1.0, range(1, 9)), 1e-3) == math.inf
    assert iterations_to_gap(log(lambda n: 1 / n, [1] * 9), 1e-3) == math.inf
    assert iterations_to_gap(log(lambda n: 1 / n, range(1, 9)), 0.0) == math.inf
    assert iterations_to_gap(log(lambda n: -1e-17, [1]), 0.0) == 1


def at(iterations: int, rows: list[LogRow]) -> Progress:
    best = min(rows, key=lambda row: row.gap, default=None)
    return Progress(SimpleNamespace(iterations=iterations), rows, best=best)  # type: ignore[arg-type]  # only the counter is looked at


@pytest.mark.parametrize(
    ("stop", "left"),
    [
        (Iterations(300), 20.0),
        (Time(17.0), 12.0),
        (Iterations(300) | Time(100.0), 20.0),
        (Gap(0.0), math.inf),
        (Gap(1.0), 0.0),
        (Gap(0.0001), 990.0),
    ],
)
def test_the_first_rule_to_hold_counts(stop: Stop, left: float) -> None:
    rows = log(lambda n: 1 / n, range(1, 101))
    found = seconds_left(at(100, rows), stop, elapsed=5.0, rate=10.0)
    assert found == pytest.approx(left)


def test_the_line_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(module, "console", lambda stderr: terminal)
    with live(Gap(1e-9), is_shown=True) as monitor:
        assert monitor is not None
        monitor(at(0, []))
        monitor(at(12345, log(lambda n: 1 / n, range(1, 6))))
    assert "iteration 12,345  gap 2.00e-01" in screen.getvalue()
    with live(Gap(1e-9), is_shown=False) as monitor:
        assert monitor is None


def test_without_a_terminal_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log file of a minute has a handful of lines, at 5, 10, 20 and 40 seconds, without colours."""
    screen, now = io.StringIO(), [0.0]
    monkeypatch.setattr(module, "console", lambda stderr: Console(file=screen, width=40))
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with status_line(is_shown=True) as say:
        assert say is not None
        for tenth in range(600):
            now[0] = tenth / 10
            say(f"program {tenth} [of many], and so on for longer than forty columns", tenth / 600)
    lines = screen.getvalue().splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        f"equipoise: after {seconds} s" for seconds in (5, 10, 20, 40)
    ]
    assert "17%  program 100 [of many], and so on for longer than forty columns" in lines[1]


def test_a_growing_tree_is_shown_until_it_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(module, "console", lambda stderr: terminal)
    with growing(lambda: True) as monitor:
        monitor(1000, 4000.4)
        monitor(2000, 4000.4)
        monitor(4000, 4000)
        shown = screen.getvalue()
        with live(Gap(1e-9), is_shown=True):  # one display at a time
            pass
    assert "building the tree: 2,000 of about 4,000 nodes" in shown
    before = screen.getvalue()
    with growing(lambda: False) as monitor:
        monitor(1000, 4000.0)
    assert screen.getvalue() == before


def test_compilation_is_said_while_it_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(module, "console", lambda stderr: terminal)
    said: list[str] = []
    monkeypatch.setattr(
        module, "_bar", lambda screen: nullcontext(lambda news, _: said.append(news))
    )

    def compile_something() -> None:
        @numba.njit
        def kernel(x: float) -> float:
            return x + 1.0

        assert kernel(1.0) == 2.0

    listen()
    compile_something()
    with compiling(lambda: True):
        compile_something()
        assert said == ["compiling (the first time only)"]
        with status_line(is_shown=True) as say:
            assert say is not None
            say("iteration 1", 0.5)
            compile_something()
        assert said[1:] == ["iteration 1", "compiling (the first time only)", "iteration 1"]
    with compiling(lambda: False):
        compile_something()
    compile_something()
    assert len(said) == 4


def test_what_the_line_says() -> None:
    assert describe(at(7, []), 0.0, math.inf) == (
        "iteration 7  gap measuring  0/s  time left unknown"
    )
    rows = log(lambda n: 1 / n, [4])
    assert "gap 2.50e-01  1,234/s  time left 1 min 30 s" in describe(at(7, rows), 1234.4, 89.2)
    assert "  0.12/s  " in describe(at(7, rows), 0.123, 89.2)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0123, "0.0123 s"),
        (59.4, "59.4 s"),
        (61, "1 min 01 s"),
        (3599.9, "1 h 00 min"),
        (7322, "2 h 02 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_every_long_command_tells_how_it_goes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With no pause before the first line, what a pipe sees of each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(module, "_LONGEST_SILENCE", 0.0)
    Path("signals.toml").write_text('game = "bet-or-check"\npot = 2.0')
    for arguments, words in [
        (("solve", "kuhn", "--method", "dcfr"), "iteration "),
        (("nash", "kuhn"), "iteration "),
        (("repeated", "partial"), "iteration "),
        (("qualitative", "signals.toml"), "iteration "),
    ]:
        screen = io.StringIO()
        monkeypatch.setattr(module, "console", lambda stderr, file=screen: Console(file=file))
        assert run(arguments) == 0
        assert words in screen.getvalue(), arguments
