"""A solve in a process of its own, so that nothing it does can stop the server.

The first line of standard input is the wish, in JSON; then come ``pause``, ``resume`` and ``stop``. News go to
standard output, one JSON object a line. The end of the input means stop: a solve does not outlive its server.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.numerics.clock import held
from equipoise.play.web.answers import finite
from equipoise.solvers.driver import Progress, Stop

_EVERY = 0.2  # seconds between news of a solve

Say = Callable[..., None]


class Controls:
    """What is read from standard input: whether to go on."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()
        self.is_found = False  # what was found is being certified and saved, and is not to be lost

    def listen(self, lines: Iterator[str]) -> None:
        """Follow the commands, in a thread of their own."""
        for line in lines:
            command = line.strip()
            if command == "pause":
                self.go.clear()
            elif command == "resume":
                self.go.set()
            elif command == "stop":
                break
        self.go.set()
        if not self.is_found:
            # As the driver expects it: the first interrupt is a flag, and what was found is saved.
            os.kill(os.getpid(), signal.SIGINT)


def _say(kind: str, **facts: Any) -> None:
    sys.stdout.write(json.dumps({"type": kind, **finite(facts)}, allow_nan=False) + "\n")
    sys.stdout.flush()


def show(controls: Controls, say: Say) -> Callable[[Stop], Any]:
    """Return what the road calls to show a solve: it tells of every measurement, and waits if told to."""

    @contextmanager
    def shown(stop: Stop) -> Iterator[Callable[[Progress], None]]:
        told, last = 0, 0.0
        say("begin", target=stop.gap)

        def monitor(progress: Progress) -> None:
            nonlocal told, last
            rows = progress.rows[told:] if progress.rows else []
            if rows or time.monotonic() - last > _EVERY:
                told, last = len(progress.rows), time.monotonic()
                say(
                    "progress",
                    iterations=progress.run.iterations,
                    rows=[[r.iterations, r.seconds, r.lower, r.upper, r.gap] for r in rows],
                )
            if not controls.go.is_set():
                say("paused")
                with held():
                    controls.go.wait()
                say("resumed")

        yield monitor
        controls.is_found = True
        say("certifying")

    return shown


def main() -> int:
    """Solve what the first line asks for."""
    lines = iter(sys.stdin.readline, "")
    wish = json.loads(next(lines))
    controls = Controls()
    threading.Thread(target=controls.listen, args=(lines,), daemon=True).start()
    from equipoise.road.verbs import solve

    try:
        result = solve(
            wish["game"],
            wish.get("method"),
            wish.get("gap"),
            time=wish.get("time"),
            out=wish["out"],
            resume=wish.get("resume", False),
            show=show(controls, _say),
            note=lambda sentence: _say("note", text=sentence),
        )
    except EquipoiseError as error:
        _say("failed", error=" ".join(str(error).split()))
        return 2
    except MemoryError:
        _say("failed", error="out of memory: expected a smaller game.")
        return 2
    except KeyboardInterrupt:
        _say("failed", error="stopped before there was anything to save.")
        return 130
    rows = [[r.iterations, r.seconds, r.lower, r.upper, r.gap] for r in result.log]
    _say("done", summary=result.summary(), remedy=result.status.remedy, rows=rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
