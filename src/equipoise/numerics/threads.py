"""Work spread over the machine's cores, with results that do not depend on their number.

Kernels release the interpreter lock, so plain threads run them side by side. Work is always cut into
the same number of *lanes*; a kernel that adds into a shared vector gives each lane its own copy, and
the copies are added up in order. So two cores and twenty give the same bits.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from equipoise.errors import whole_number

LANES = 8
Item = TypeVar("Item")
Made = TypeVar("Made")


def cores() -> int:
    """Return how many cores to use: ``EQUIPOISE_THREADS``, or all that this process may use."""
    wanted = whole_number(os.environ.get("EQUIPOISE_THREADS", ""))
    return _usable_cores() if wanted is None else max(1, wanted)


def _usable_cores() -> int:
    """Return how many cores this process may use, or the machine's where it cannot be asked."""
    if hasattr(os, "sched_getaffinity"):  # Linux has it; macOS and Windows do not
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="equipoise")


def spread(count: int, work: Callable[[int, int, int], None]) -> None:
    """Call ``work(lane, low, high)`` for every lane of ``range(count)``, on all cores."""
    bounds = [count * lane // LANES for lane in range(LANES + 1)]
    lanes = [(i, bounds[i], bounds[i + 1]) for i in range(LANES) if bounds[i] < bounds[i + 1]]
    threads = min(cores(), len(lanes))
    if threads <= 1:
        for lane in lanes:
            work(*lane)
        return
    for done in [_pool(threads).submit(work, *lane) for lane in lanes]:
        done.result()


def in_order(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """Yield ``work(item)`` for each item, in order, on all cores; few are taken ahead of time.

    For long pieces of work, which may themselves :func:`spread`. Who stops early sees to it that pieces
    under way end: they are not waited for.
    """
    threads = cores()
    if threads <= 1:
        yield from map(work, items)
        return
    pool, under_way = ThreadPoolExecutor(threads), deque[Future[Made]]()
    try:
        for item in items:
            under_way.append(pool.submit(work, item))
            if len(under_way) == 2 * threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
