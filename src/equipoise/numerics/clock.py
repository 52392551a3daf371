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

_CHUNK_SECONDS = 0.1


class Clock:
    """Measures a solve and cuts its iterations into chunks of about a tenth of a second."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        self._before = (0.0, 0.0)
        self._chunk = 1

    @property
    def seconds(self) -> float:
        """Wall-clock seconds, those before a resume included."""
        return self._before[0] + time.perf_counter() - self._wall

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of this process, those before a resume included."""
        return self._before[1] + time.process_time() - self._cpu

    def is_over(self) -> bool:
        """Whether the time limit of this solve (since its start or resume) has passed."""
        return time.perf_counter() - self._wall >= self._limit

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


class Deadline:
    """A time limit that long loops ask about."""

    def __init__(self, limit: float = math.inf) -> None:
        self.limit = limit
        self._started = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float:
        """Seconds left; negative once the time is up."""
        return self.limit - self.spent

    def check(self) -> None:
        """Raise :class:`TimeUpError` once the time is up."""
        if self.left <= 0:
            raise TimeUpError
