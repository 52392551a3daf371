"""What Numba, and PyTorch for a GPU, spend on compiling: how long, told while it happens, and no longer than it must be.

A compiler makes objects by the hundred thousand and drops hardly any before it is done, so that looking for
garbage meanwhile is in vain: without it, compilation takes a seventh less time.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, NamedTuple

from equipoise.errors import remark

Told = Callable[[bool], None]


class _Compilation:
    """Adds up the time that is spent compiling, while it is registered as a listener."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self._depth = 0
        self._begin = (0.0, 0.0)
        self._collects = False

    def notify(self, event: Any) -> None:
        """Hear of the beginning or the end of a compilation; inner ones are part of the outer one."""
        now = time.perf_counter(), time.process_time()
        if event.is_start:
            if not self._depth:
                self._begin, self._collects = now, gc.isenabled()
                gc.disable()
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            if not self._depth:
                self.wall += now[0] - self._begin[0]
                self.cpu += now[1] - self._begin[1]
                if self._collects:
                    gc.enable()


class _News:
    """Tells whoever asked last that a kernel is being compiled, and that it is done."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self._depth = 0

    def notify(self, event: Any) -> None:
        """Hear of a compilation; one within another is no news."""
        self._depth += 1 if event.is_start else -1
        if self.told and self._depth == (1 if event.is_start else 0):
            self.told[-1](event.is_start)


_SPENT, _NEWS = _Compilation(), _News()


@cache
def listen() -> None:
    """Hear of all that Numba compiles, from the first call on."""
    from numba.core import event

    event.Listener.register(_Compilation)
    event.Listener.register(_News)
    # The lock is held while a kernel is compiled, and while it is loaded from the cache.
    event.register("numba:compiler_lock", _SPENT)
    event.register("numba:compile", _NEWS)
    _outlive_full_disks()


class _Event(NamedTuple):
    """The beginning or the end of a compilation by PyTorch."""

    is_start: bool


@cache
def listen_to_torch() -> None:
    """Hear of all that PyTorch compiles, from the first call on.

    Versions that tell nobody compile while a solve's clock runs.
    """
    try:
        from torch._dynamo.callback import callback_handler
    except ImportError:
        return
    for listener in (_SPENT, _NEWS):
        callback_handler.register_start_callback(partial(_tell, listener.notify, _Event(True)))
        callback_handler.register_end_callback(partial(_tell, listener.notify, _Event(False)))


def _tell(notify: Callable[[Any], None], event: _Event, *_: Any) -> None:
    """Pass an event on, without what PyTorch says of it."""
    notify(event)


def _outlive_full_disks() -> None:
    """Let a kernel of ours that is compiled be used, whether or not the disk has room to keep it."""
    from numba.core.caching import Cache

    keep = Cache.save_overload

    def try_to_keep(self: Any, *compiled: Any) -> None:
        try:
            keep(self, *compiled)
        except OSError as error:
            if not self._py_func.__module__.startswith("equipoise."):
                raise
            _say_once(f"compiled code cannot be kept ({error.strerror})")

    Cache.save_overload = try_to_keep


@cache
def _say_once(fault: str) -> None:
    import logging

    logging.getLogger("equipoise").warning(
        remark(f"{fault}, and is compiled again next time; EQUIPOISE_CACHE names another place.")
    )


def compiled_seconds() -> tuple[float, float]:
    """Return the wall-clock and CPU seconds that were spent compiling and loading kernels.

    Where Numba is not loaded it has nothing to compile, and it is not loaded for this.
    """
    if sys.modules.get("numba") is not None:
        listen()
    return _SPENT.wall, _SPENT.cpu


@contextmanager
def compilation_told(told: Told) -> Iterator[None]:
    """Call ``told`` with True when a kernel begins to be compiled, and with False when that is done."""
    _NEWS.told.append(told)
    try:
        yield
    finally:
        _NEWS.told.remove(told)
