"""Solves that the server watches: each a worker process, whose news are kept and passed on."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError, quoted
from equipoise.games.base import GAMES, parse
from equipoise.play.web.answers import RefusalError
from equipoise.play.web.library import Library, identity_of
from equipoise.road.checkpoints import default_file
from equipoise.solvers.methods import METHODS

MOST_RUNNING = 2
"""Solves that run at a time."""

_MOST_KEPT = 40  # solves that are remembered, and changes that a slow listener may be behind
_LONGEST_LINE = 2**24
_OVER = ("done", "failed")


@dataclass(eq=False)
class Job:
    """A solve: what was asked for, how far it is, and who listens."""

    id: str
    wish: dict[str, Any]
    state: str = "starting"
    target: float | None = None
    iterations: int = 0
    rows: list[list[float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    summary: dict[str, Any] | None = None
    error: str | None = None
    process: asyncio.subprocess.Process | None = None
    listeners: set[asyncio.Queue[dict[str, Any]]] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Whether its process has ended."""
        return self.state in _OVER

    def facts(self, *, with_rows: bool = True) -> dict[str, Any]:
        """Return how it stands, ready for JSON."""
        wish = {key: self.wish[key] for key in ("game", "method", "gap", "time")}
        return {
            "id": self.id,
            **wish,
            "name": Path(self.wish["out"]).stem,
            "strategy": identity_of(Path(self.wish["out"]).name),
            "state": self.state,
            "target": self.target,
            "iterations": self.iterations,
            "rows": self.rows if with_rows else self.rows[-1:],
            "notes": self.notes,
            "summary": self.summary,
            "error": self.error,
        }

    def hear(self, news: dict[str, Any]) -> None:
        """Take in what the worker says, and tell whoever listens."""
        kind = news["type"]
        if kind == "begin":
            self.state, self.target = "running", news["target"]
        elif kind == "progress":
            self.iterations = news["iterations"]
            self.rows += news["rows"]
        elif kind == "paused":
            self.state = "paused"
        elif kind == "resumed":
            self.state = "running"
        elif kind in ("certifying", "stopping"):
            self.state = kind
        elif kind == "note":
            self.notes.append(news["text"])
        elif kind == "failed":
            self.state, self.error = "failed", news["error"]
        elif kind == "done":
            self.state, self.rows = "done", news["rows"]
            self.summary = {**news["summary"], "remedy": news["remedy"]}
        for queue in list(self.listeners):
            with suppress(asyncio.QueueFull):
                fresh = news["rows"] if kind == "progress" else None
                queue.put_nowait({**self.facts(with_rows=fresh is None), "fresh": fresh})


class Solves:
    """All solves of this server, by id."""

    def __init__(self, library: Library) -> None:
        self._library, self._numbers = library, count(1)
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def list(self) -> list[Job]:
        """Return all solves, the latest first."""
        return list(reversed(self._jobs.values()))

    def find(self, identity: str) -> Job:
        """Return the solve called ``identity``, or refuse."""
        job = self._jobs.get(identity)
        if job is None:
            raise RefusalError(
                404, f"solve '{identity[:40]}': there is none, expected an id of the list."
            )
        return job

    async def start(
        self, game: str, method: str | None, gap: str | None, time: float | None
    ) -> Job:
        """Start a solve of ``game`` and return it."""
        wish = self._checked(game, method, gap, time)
        running = [job for job in self._jobs.values() if not job.is_over]
        if len(running) >= MOST_RUNNING:
            raise RefusalError(
                409, f"found {len(running)} solves running, expected fewer: stop one of them first."
            )
        job = Job(str(next(self._numbers)), wish)
        self._jobs[job.id] = job
        for old in [k for k, known in self._jobs.items() if known.is_over][: -_MOST_KEPT or None]:
            del self._jobs[old]
        job.process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "equipoise.play.web.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self._library.folder,
            limit=_LONGEST_LINE,
        )
        await self._write(job, json.dumps(wish))
        task = asyncio.create_task(self._follow(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def tell(self, identity: str, command: str) -> Job:
        """Pause, resume or stop a solve."""
        job = self.find(identity)
        if job.is_over:
            raise RefusalError(409, f"solve {job.id}: it is over, expected one that runs.")
        await self._write(job, command)
        if command == "stop":
            job.hear({"type": "stopping"})
        return job

    async def close(self) -> None:
        """Stop all solves; what they have found is saved."""
        for job in self._jobs.values():
            if not job.is_over and job.process is not None and job.process.stdin is not None:
                job.process.stdin.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=20)
        for job in self._jobs.values():
            if not job.is_over and job.process is not None:
                with suppress(ProcessLookupError):
                    job.process.kill()

    def _checked(
        self, game: str, method: str | None, gap: str | None, time: float | None
    ) -> dict[str, Any]:
        """Return the wish as the worker takes it, or refuse what it must not be asked."""
        if game not in self._library.game_files():
            name, _ = parse(game[:400])
            if name.replace("-", "_") not in GAMES:
                raise EquipoiseError(
                    f"game: found {quoted(game)}, expected a game of the list, with parameters or "
                    "without, or a file of the folder."
                )
        if method is not None and method not in METHODS:
            raise EquipoiseError(f"method: found {quoted(method)}, expected one of the list.")
        if gap is not None:
            _require_gap(gap)
        if time is not None and not 0 < time <= 1e7:
            raise EquipoiseError(f"time: found {time}, expected seconds above 0.")
        return {"game": game, "method": method, "gap": gap, "time": time, "out": self._free(game)}

    def _free(self, game: str) -> str:
        """Return a file of the folder that nothing is in yet, named after the game."""
        plain = default_file(game).stem
        taken = {Path(job.wish["out"]).name for job in self._jobs.values() if not job.is_over}
        for number in count(1):
            name = f"{plain}.eqp" if number == 1 else f"{plain}-{number}.eqp"
            if name not in taken and not (self._library.folder / name).exists():
                return str((self._library.folder / name).resolve())
        raise AssertionError("numbers do not end")

    async def _write(self, job: Job, line: str) -> None:
        assert job.process is not None
        assert job.process.stdin is not None
        with suppress(ConnectionError):
            job.process.stdin.write(line.encode() + b"\n")
            await job.process.stdin.drain()

    async def _follow(self, job: Job) -> None:
        """Take in the news of a worker until it ends."""
        assert job.process is not None
        assert job.process.stdout is not None
        assert job.process.stderr is not None
        errors = asyncio.create_task(job.process.stderr.read())
        async for line in job.process.stdout:
            job.hear(json.loads(line))
        code = await job.process.wait()
        last = (await errors).decode(errors="replace").strip().splitlines()[-1:]
        if not job.is_over:
            why = f" ({last[0][:200]})" if last else ""
            job.hear({"type": "failed", "error": f"the solve ended with code {code}{why}."})


def _require_gap(gap: str) -> None:
    """Raise unless ``gap`` is as ``--gap`` takes it."""
    text = gap.strip().lower().removesuffix("r")
    try:
        is_gap = len(gap) < 40 and 0 <= float(text) < float("inf")
    except ValueError:
        is_gap = False
    if not is_gap:
        raise EquipoiseError(
            f"gap: found {quoted(gap)}, expected a number >= 0 such as 0.01, or 1e-6r."
        )
