"""One contestant's trial: a CPU clock that can be stopped, a limit, and when each gap was reached."""

from __future__ import annotations

import json
import math
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.problems import Problem
from equipoise.numerics.compilation import compiled_seconds

REPEAT_SECONDS = 3.0
MOST_REPEATS = 20


def cpu_seconds() -> float:
    """Return the CPU time of this process, all threads, to the microsecond.

    ``time.process_time`` will not do: Linux lets it advance in steps of several milliseconds while
    a CPU limit is set.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Trial:
    """Times the attempts of a contestant; what it measures itself (gaps) is not on the clock.

    ``times[target]`` is the least CPU time, over the attempts, after which the contestant held
    plans whose gap is at most ``target``. The plans are saved, so that the parent process can
    certify them in the full game.
    """

    def __init__(self, problem: Problem, targets: list[float], limit: float, out: Path) -> None:
        self.problem, self.targets, self.limit, self.out = problem, targets, limit, out
        self.times: dict[float, float] = {}
        self.label = ""
        self.best = math.inf
        self.seconds = 0.0
        self.is_over = False
        self._total = 0.0
        self._met: set[float] = set()

    def attempts(self) -> Iterator[int]:
        """Yield attempt numbers: short attempts are repeated, since the first ones warm up caches."""
        for attempt in range(MOST_REPEATS):
            if self._total >= REPEAT_SECONDS:
                return
            self.seconds, self._met = 0.0, set()
            yield attempt
            self._total += self.seconds

    @contextmanager
    def clock(self) -> Iterator[None]:
        """Count the CPU time of the block; the system ends a process that overruns by far.

        That is for solvers that cannot be stopped; the others see that their time is up. Compilation, once and
        for all on a machine, is not counted.
        """
        start, compiled = cpu_seconds(), compiled_seconds()[1]
        overrun = math.ceil(start + 1.25 * self.limit - self.seconds + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (overrun, resource.RLIM_INFINITY))
        yield
        self.seconds += cpu_seconds() - start - (compiled_seconds()[1] - compiled)
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def submit(self, x: NDArray[Any], y: NDArray[Any]) -> bool:
        """Measure the plans held at this time of the clock; return whether to go on."""
        if self.seconds > self.limit:
            self.is_over = True
            return False
        gap = self.problem.gap(x, y)
        self.best = min(self.best, gap)
        for target in self.targets:
            if gap <= target and target not in self._met:
                self._met.add(target)
                if self.seconds < self.times.get(target, math.inf):
                    self.times[target] = self.seconds
                    np.savez(self.out.with_name(f"{self.out.stem}-{target:g}.npz"), x=x, y=y)
        return len(self._met) < len(self.targets)

    def write(self) -> None:
        """Write what is known so far."""
        record = {
            "label": self.label,
            "best_gap": self.best if math.isfinite(self.best) else None,
            "is_over": self.is_over,
            "cpu_seconds": {f"{target:g}": seconds for target, seconds in self.times.items()},
        }
        self.out.write_text(json.dumps(record))
