"""News of a command that takes long; of a solve: iteration, gap, rate, and the time left to the target.

First-order methods close the gap like a power of the iterations, a straight line in log-log
coordinates, so what is left is read off the line through the last measurements.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from equipoise.cli.output import console, duration
from equipoise.numerics.compilation import compilation_told

if TYPE_CHECKING:
    from rich.console import Console

    from equipoise.solvers.driver import Progress, Stop
    from equipoise.solvers.log import LogRow

# The line is fitted to measurements of the last part of the solve, from this share of it on.
_RECENT = 0.25
_LEAST_ROWS = 4

# Where there is no terminal: seconds to the first line of news, and at most between two.
_FIRST_LINE = 5.0
_LONGEST_SILENCE = 60.0

_COMPILING = "compiling (the first time only)"

Say = Callable[[str, float], None]


def iterations_to_gap(rows: Sequence[LogRow], target: float) -> float:
    """Return the estimated number of iterations at which the gap is ``target``, or infinity.

    Least squares of log gap against log iterations, with the best gap so far: gaps may rise and
    fall.
    """
    points: list[tuple[float, float]] = []
    best = math.inf
    for row in rows:
        best = min(best, row.gap)
        if best <= max(target, 0.0):
            return row.iterations
        if row.iterations > _RECENT * rows[-1].iterations:
            points.append((math.log(row.iterations), math.log(best)))
    if len(points) < _LEAST_ROWS or target <= 0:
        return math.inf
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    if slope >= 0:
        return math.inf
    exponent = (math.log(target) - math.log(best)) / slope
    return rows[-1].iterations * math.exp(min(exponent, 700.0))


def seconds_left(progress: Progress, stop: Stop, elapsed: float, rate: float) -> float:
    """Return the estimated seconds until the first of the stop rules holds."""
    last = min(stop.iterations, iterations_to_gap(progress.rows, stop.gap))
    by_iterations = (last - progress.run.iterations) / rate if rate > 0 else math.inf
    return max(min(by_iterations, stop.seconds - elapsed), 0.0)


@contextmanager
def live(stop: Stop, is_shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show a solve while the block runs; yield the monitor that ``solve`` calls."""
    with status_line(is_shown) as say:
        pace = _Pace()

        def monitor(progress: Progress) -> None:
            elapsed, rate = pace.look(progress.run.iterations)
            left = seconds_left(progress, stop, elapsed, rate)
            share = 0.0 if math.isinf(left) else elapsed / (elapsed + left)
            if say is not None:
                say(describe(progress, rate, left), share)

        yield None if say is None else monitor


@contextmanager
def status_line(is_shown: bool) -> Iterator[Say | None]:
    """Show what a command is doing: yield a function of the news and the share that is done.

    A terminal has a bar that goes when the block ends; anything else gets a line now and then.
    """
    if not is_shown:
        yield None
        return
    screen = console(stderr=True)
    with ExitStack() as shown:
        say = shown.enter_context(_bar(screen)) if screen.is_terminal else _Lines(screen)
        news = _News(say)
        shown.enter_context(compilation_told(news.told))
        yield news


@contextmanager
def growing(is_shown: Callable[[], bool]) -> Iterator[Callable[[int, float], None]]:
    """Show how trees grow while the block runs; yield the monitor that is told of their growth."""
    with ExitStack() as shown:
        say: Say | None = None

        def monitor(nodes: int, expected: float) -> None:
            nonlocal say
            if nodes == expected:
                shown.close()
                say = None
                return
            say = say or shown.enter_context(status_line(is_shown()))
            if say is not None:
                of = "" if math.isinf(expected) else f" of about {expected:,.0f}"
                say(f"building the tree: {nodes:,}{of} nodes", nodes / expected)

        yield monitor


@contextmanager
def counting(is_shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show long steps while the block runs; yield what is told their names, and how much of them is done."""
    with ExitStack() as shown:
        say: Say | None = None

        def each(what: str, done: int, total: int) -> None:
            nonlocal say
            say = say or shown.enter_context(status_line(is_shown))
            if say is not None:
                say(f"{what}: {done:,} of {total:,}", done / total)
            if done == total:
                shown.close()
                say = None

        yield each


@contextmanager
def compiling(is_shown: Callable[[], bool]) -> Iterator[None]:
    """Say on a terminal that kernels are compiled, where a command says nothing else while the block runs."""
    with ExitStack() as shown:

        def told(begins: bool) -> None:
            screen = console(stderr=True)
            if not begins:
                shown.close()
            elif is_shown() and screen.is_terminal:
                shown.enter_context(_bar(screen))(_COMPILING, 0.0)

        with compilation_told(told):
            yield


class _News:
    """Says what it is given; while kernels are compiled it says so, and then the last news again."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._last: tuple[str, float] | None = None

    def __call__(self, news: str, share: float) -> None:
        self._last = (news, share)
        self._say(news, share)

    def told(self, begins: bool) -> None:
        """Hear that a compilation begins or ends."""
        if begins:
            self._say(_COMPILING, self._last[1] if self._last else 0.0)
        elif self._last:
            self._say(*self._last)


@contextmanager
def _bar(screen: Console) -> Iterator[Say]:
    """Show news beside a bar."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), BarColumn(24), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def say(news: str, share: float) -> None:
            bar.update(task, completed=share, description=news)

        yield say


class _Lines:
    """Prints news as lines: the first after some seconds, later ones further and further apart."""

    def __init__(self, screen: Console) -> None:
        self._screen = screen
        self._begin = time.monotonic()
        self._next = _FIRST_LINE

    def __call__(self, news: str, share: float) -> None:
        elapsed = time.monotonic() - self._begin
        if elapsed < self._next:
            return
        self._next = elapsed + min(max(elapsed, _FIRST_LINE), _LONGEST_SILENCE)
        done = f"  {share:.0%}" if 0.0 < share < 1.0 else ""
        line = f"equipoise: after {duration(round(elapsed))}{done}  {news}"
        self._screen.print(line, markup=False, soft_wrap=True)


class _Pace:
    """Knows how fast a solve goes, from its first sight of it on: compiling kernels is no part."""

    def __init__(self) -> None:
        self._begin = time.perf_counter()
        self._first: tuple[float, int] | None = None

    def look(self, iterations: int) -> tuple[float, float]:
        """Return the seconds since the start and the iterations a second."""
        now = time.perf_counter()
        self._first = self._first or (now, iterations)
        since, before = self._first
        return now - self._begin, (iterations - before) / (now - since) if now > since else 0.0


def describe(progress: Progress, rate: float, left: float) -> str:
    """Return the text of the line."""
    gap = "measuring" if math.isinf(progress.gap) else f"{progress.gap:.2e}"
    remaining = "unknown" if math.isinf(left) else duration(math.ceil(left))
    speed = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s"
    news = getattr(progress.run, "news", "")
    line = f"iteration {progress.run.iterations:,}  gap {gap}  {speed}  time left {remaining}"
    return f"{line}  {news}" if news else line
