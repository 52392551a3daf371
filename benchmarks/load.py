"""The server under load: many who play at once, what a page takes to open, and what exploring holds in memory.

    python -m benchmarks.load STRATEGY.eqp [--players 200 --seconds 20 --think 1 --arrive 5]

The server is a process of its own, started by ``equipoise serve`` on the loopback; the players are WebSockets
in this process. They arrive within ``--arrive`` seconds at a server that nobody has played on yet, and each
thinks between her actions, twice ``--think`` seconds at most (0: not at all). An action takes from the message
to the answer, the opponent's play and the coach's advice included. Memory is the server's as Linux counts it
(``/proc``).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.play.web.library import identity_of

MB = 1e6
SCENES = 60


@dataclass
class Server:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int

    @property
    def address(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> bytes:
        """Ask for something."""
        with urllib.request.urlopen(f"{self.address}{path}", timeout=60) as answer:
            found: bytes = answer.read()
        return found

    def memory(self, name: str) -> float:
        """Return a figure of /proc in MB: VmHWM is the peak, RssAnon what is not mapped from files."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"{name}:\s+(\d+) kB", text)
        assert found, f"{name} is in the status of every process"
        return int(found[1]) * 1024 / MB

    def cpu(self) -> float:
        """Return the CPU seconds it has used."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Start a server of ``folder``, and end it."""
    command = [sys.executable, "-m", "equipoise", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(
        [*command, "--folder", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r":(\d+)/", said)
        assert found, said
        try:
            yield Server(process, int(found[1]))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


@dataclass
class Played:
    """What the players saw: seconds of every action, hands, and what went wrong."""

    actions: list[float] = field(default_factory=list)
    hands: int = 0
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Crowd:
    """How many play, when they come and go, and how long each thinks."""

    players: int
    seconds: float
    think: float
    arrive: float


async def player(server: Server, strategy: str, number: int, until: float, crowd: Crowd) -> Played:
    """Play at random until the time has come."""
    from websockets.asyncio.client import connect

    seen, chance = Played(), random.Random(number)
    await asyncio.sleep(crowd.arrive * chance.random())

    async def say(**message: Any) -> dict[str, Any]:
        await line.send(json.dumps(message))
        told: dict[str, Any] = json.loads(await asyncio.wait_for(line.recv(), 60))
        if told["type"] != "state":
            seen.errors.append(str(told))
        return told

    try:
        async with connect(f"ws://127.0.0.1:{server.port}/api/play") as line:
            state = await say(do="sit", strategy=strategy)
            while time.monotonic() < until and not seen.errors:
                await asyncio.sleep(2 * crowd.think * chance.random())
                hand, begin = state["hand"], time.perf_counter()
                if hand["over"]:
                    state = await say(do="deal")
                    seen.hands += 1
                else:
                    state = await say(do="act", action=chance.choice(hand["actions"])["action"])
                seen.actions.append(time.perf_counter() - begin)
    except (OSError, TimeoutError, ValueError, KeyError) as error:
        seen.errors.append(repr(error))
    return seen


async def play(server: Server, strategy: str, crowd: Crowd) -> Played:
    """Let all play at once, and put together what they saw."""
    until = time.monotonic() + crowd.seconds
    parts = await asyncio.gather(
        *(player(server, strategy, k, until, crowd) for k in range(crowd.players))
    )
    return Played(
        [one for part in parts for one in part.actions],
        sum(part.hands for part in parts),
        [one for part in parts for one in part.errors],
    )


def explored(server: Server, strategy: str) -> tuple[float, float]:
    """Walk to many scenes and boards at random; return the 95th percentile and the longest, in seconds."""
    chance, times = random.Random(0), []
    path: list[str] = []
    board = ""
    for _ in range(SCENES):
        query = urllib.parse.urlencode([("path", move) for move in path] + [("board", board)])
        begin = time.perf_counter()
        scene = json.loads(server.get(f"/api/strategies/{strategy}/scene?{query}"))
        times.append(time.perf_counter() - begin)
        onward = [a for a, ends in zip(scene["actions"], scene["ends"], strict=True) if not ends]
        deck = sorted({cell["label"] for cell in scene["cells"]})
        path = [*path, chance.choice(onward)] if onward and len(path) < 12 else []
        board = "".join(chance.sample(deck, len(scene["board"]))) if path else ""
    return float(np.quantile(times, 0.95)), max(times)


def opened(server: Server, strategy: str) -> dict[str, float]:
    """Return seconds until each page shows what it is for, in a fresh Chromium; nothing without one."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return {}
    if chromium is None:
        return {}
    shows = {
        "play": ".actions button",
        "explore": ".hands",
        "watch": ".form",
        "certificates": ".big",
    }
    found = {}
    with sync_playwright() as browsers:
        flags = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = browsers.chromium.launch(executable_path=chromium, args=flags)
        browser.new_page().goto("about:blank")
        for name, what in shows.items():
            page = browser.new_context().new_page()
            begin = time.perf_counter()
            page.goto(f"{server.address}/#/{name}/{strategy if name != 'watch' else ''}")
            page.wait_for_selector(what)
            found[name] = time.perf_counter() - begin
        browser.close()
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--arrive", type=float, default=5.0)
    wish = parser.parse_args(arguments)
    size, strategy = wish.file.stat().st_size / MB, identity_of(wish.file.name)
    with tempfile.TemporaryDirectory() as folder:
        os.link(wish.file, Path(folder) / wish.file.name)
        with serving(Path(folder)) as server:
            server.get("/api/strategies")
            idle = server.memory("VmRSS")
            begin, before = time.perf_counter(), server.cpu()
            server.get(f"/api/strategies/{strategy}/scene")
            first, cost = time.perf_counter() - begin, server.cpu() - before
            slow, slowest = explored(server, strategy)
            held = server.memory("VmHWM")
            print(f"file {size:.1f} MB, server idle {idle:.0f} MB")
            print(
                f"exploring {SCENES} scenes: peak {held:.0f} MB, {held - idle - size:.0f} MB beyond an idle "
                f"server and the file; first scene {first:.2f} s ({cost:.2f} s of CPU), others 95% within {slow:.2f} s, longest "
                f"{slowest:.2f} s"
            )
            for name, seconds in opened(server, strategy).items():
                print(f"page {name}: open after {seconds:.2f} s")
            before, start = server.cpu(), time.perf_counter()
            crowd = Crowd(wish.players, wish.seconds, wish.think, wish.arrive)
            seen = asyncio.run(play(server, strategy, crowd))
            wall, used = time.perf_counter() - start, server.cpu() - before
            middle, high = np.quantile(seen.actions, [0.5, 0.95])
            print(
                f"{wish.players} players for {wall:.0f} s: {len(seen.actions):,} actions, {seen.hands:,} hands, "
                f"{len(seen.errors)} errors; an action takes {1e3 * middle:.1f} ms at the median, "
                f"{1e3 * high:.1f} ms at the 95th percentile, {1e3 * max(seen.actions):.0f} ms at most; "
                f"server {used / wall:.2f} cores, peak {server.memory('VmHWM'):.0f} MB"
            )
            for wrong in seen.errors[:5]:
                print(wrong)


if __name__ == "__main__":
    main()
