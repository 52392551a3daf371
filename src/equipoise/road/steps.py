"""Where time and memory went: the steps of a command, measured."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple


class Step(NamedTuple):
    """One step: wall-clock and CPU seconds, and the peak memory of the process after it."""

    name: str
    seconds: float
    cpu_seconds: float
    peak_memory_mb: float


@dataclass
class Steps:
    """Measures steps as they are taken."""

    taken: list[Step] = field(default_factory=list)

    @contextmanager
    def take(self, name: str) -> Iterator[None]:
        """Measure the block as the step ``name``."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.taken.append(Step(name, wall, cpu, peak_memory_mb()))


def peak_memory_mb() -> float:
    """Return the most memory this process has held, in megabytes (2^20 bytes); zero where nothing tells it."""
    try:
        import resource
    except ImportError:  # on Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
