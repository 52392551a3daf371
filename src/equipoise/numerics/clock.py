"""Time and interruption of a solve: clocks, chunks of work, Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from equipoise.numerics.compilation import compiled_seconds

_CHUNK_SECONDS = 0.1


class _Standstill:
    """Adds up the time in which solves were held."""

    seconds = 0.0


@contextmanager
def held() -> Iterator[None]:
    """Stop all clocks while the block runs: a solve that is held does not grow older."""
    begin = time.perf_counter()
    try:
        yield
    finally:
        _Standstill.seconds += time.perf_counter() - begin


class Clock:
    """Measures a solve and cuts its iterations into chunks of about a tenth of a second.

    The time limit counts everything but the time in which the solve was :func:`held`; the seconds of the
    log leave out what was spent compiling, too.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        self._compiled = compiled_seconds()
        self._held = _Standstill.seconds
        self._before = (0.0, 0.0)
        self._chunk = 1

    @property
    def seconds(self) -> float:
        """Wall-clock seconds, those before a resume included."""
        compiled = compiled_seconds()[0] - self._compiled[0]
        return self._before[0] + self._passed() - compiled

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of this process, those before a resume included."""
        compiled = compiled_seconds()[1] - self._compiled[1]
        return self._before[1] + time.process_time() - self._cpu - compiled

    def is_over(self) -> bool:
        """Whether the time limit of this solve (since its start or resume) has passed."""
        return self._passed() >= self._limit

    def _passed(self) -> float:
        """Return the wall-clock seconds since the start in which the solve was not held."""
        return time.perf_counter() - self._wall - (_Standstill.seconds - self._held)

    def continue_from(self, progress: Any) -> None:
        """Count on from the last row of a resumed log."""
        if progress.rows:
            self._before = (progress.rows[-1].seconds, progress.rows[-1].cpu_seconds)

    def advance(self, run: Any, most: int) -> None:
        """Advance ``run`` by a chunk of at most ``most`` iterations and adapt the chunk."""
        chunk = min(self._chunk, most)
        begin = time.perf_counter()
        run.advance(chunk)
        spent = time.perf_counter() - begin
        if spent < _CHUNK_SECONDS / 2 and chunk == self._chunk:
            self._chunk *= 2
        elif spent > 2 * _CHUNK_SECONDS:
            self._chunk = max(1, self._chunk // 2)


@contextmanager
def catch_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a flag, so that no iteration is cut in half; a second one raises."""
    seen = False

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        if seen:
            raise KeyboardInterrupt
        seen = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)


class TimeUpError(Exception):
    """The time of a computation is up; whoever set the deadline catches it."""


def raising(should_stop: Callable[[], bool]) -> Callable[[], None]:
    """Return a function that raises :class:`TimeUpError` once ``should_stop`` says so."""

    def check() -> None:
        if should_stop():
            raise TimeUpError

    return check


class Deadline:
    """A time limit that long loops ask about; to be ``interrupted`` is to have no time left."""

    def __init__(
        self, limit: float = math.inf, interrupted: Callable[[], bool] | None = None
    ) -> None:
        self.limit, self.interrupted = limit, interrupted
        self._started = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float:
        """Seconds left; none or fewer once the time is up."""
        if self.interrupted is not None and self.interrupted():
            return 0.0
        return self.limit - self.spent

    @property
    def share(self) -> float:
        """How much of the time has passed, from 0 to 1."""
        return min(1.0, self.spent / self.limit) if self.limit > 0 else 1.0

    def check(self) -> None:
        """Raise :class:`TimeUpError` once the time is up."""
        if self.left <= 0:
            raise TimeUpError
