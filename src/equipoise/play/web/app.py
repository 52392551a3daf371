"""The application: its pages, its JSON interface, and two WebSockets, one to play and one to watch solves."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from equipoise.errors import EquipoiseError
from equipoise.games.base import GAMES
from equipoise.games.files.fields import Fields
from equipoise.play.coach import Coach
from equipoise.play.web.answers import RefusalError, Reply, encoded, error, fields
from equipoise.play.web.guard import Guard
from equipoise.play.web.library import PLAYABLE, Library, StoredResult
from equipoise.play.web.play_tables import OPPONENTS, PlayTable, sit
from equipoise.play.web.schema import schema
from equipoise.play.web.solves import Solves
from equipoise.road.families import family
from equipoise.solvers.methods import METHODS
from equipoise.strategy.profile import Strategy

STATIC = Path(__file__).parent / "static"

MOST_TABLES = 1000
"""Tables that are open at a time."""

_MOST_COACHES = 32
_LONGEST_PATH = 400
_WORDS = ("do", "action", "strategy", "game", "opponent", "seat", "coached")  # of who plays

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """What the handlers share: the library, the solves, the coaches, and how many play."""

    def __init__(self, folder: str | Path) -> None:
        self.library = Library(folder)
        self.solves = Solves(self.library)
        self.coaches: dict[Any, Coach] = {}
        self.tables = 0
        # To sit down at a large game takes a moment, and one does at a time: meanwhile the others play, in
        # few threads. More would only wait for each other, as Python runs one of them at a time.
        self._sitting, self._playing = CapacityLimiter(1), CapacityLimiter(2)
        self._is_certifying = False

    # Strategies

    async def strategies(self, request: Request) -> Response:
        """List the strategies of the folder."""
        entries = await run_in_threadpool(self.library.entries)
        return Reply({"strategies": [entry.summary() for entry in entries]})

    async def strategy(self, request: Request) -> Response:
        """Tell all about one strategy: its certificate, its log, and what can be done with it."""
        return Reply(await run_in_threadpool(self._about, request.path_params["id"]))

    def _about(self, identity: str) -> dict[str, Any]:
        entry = self.library.entry(identity)
        result = self.library.open(identity).result
        tables = family(result.family).tables(result)
        players = getattr(result.game, "players", ())
        return {
            **entry.summary(),
            "remedy": result.status.remedy,
            "seed": result.seed,
            "explorable": isinstance(result.strategy, Strategy),
            "players": players if isinstance(players, int) else len(players),
            "sequences": [len(own) for own in getattr(result.strategy, "behaviour", ())],
            "log": [[r.iterations, r.seconds, r.lower, r.upper, r.gap] for r in result.log],
            "sheets": [
                {"title": sheet.title, "header": sheet.header, "rows": sheet.rows}
                for sheet in tables
            ],
        }

    async def scene(self, request: Request) -> Response:
        """Show one point of a strategy: what is done there with every hand."""
        query = request.query_params
        path, board = tuple(query.getlist("path")), query.get("board", "")
        if len(path) > _LONGEST_PATH or len(board) > _LONGEST_PATH:
            raise EquipoiseError("path, board: found too many, expected the moves of a game.")
        return Reply(await run_in_threadpool(self._scene, request.path_params["id"], path, board))

    def _scene(self, identity: str, path: tuple[str, ...], board: str) -> dict[str, Any]:
        scene = self.library.open(identity).explorer.scene(path, board)
        return {
            **vars(scene),
            "steps": [step._asdict() for step in scene.steps],
            "cells": [{**cell._asdict(), "value": cell.value} for cell in scene.cells],
        }

    async def search(self, request: Request) -> Response:
        """Search a strategy for situations."""
        text = request.query_params.get("q", "")[:200]
        look = await run_in_threadpool(
            lambda: self.library.open(request.path_params["id"]).explorer
        )
        found = await run_in_threadpool(look.search, text)
        return Reply({"found": [one._asdict() for one in found]})

    async def download(self, request: Request) -> Response:
        """Send the file itself."""
        entry = self.library.entry(request.path_params["id"])
        return FileResponse(entry.path, filename=entry.path.name)

    async def certificate(self, request: Request) -> Response:
        """Send the certificate as a file of JSON."""
        about = await run_in_threadpool(self._about, request.path_params["id"])
        name = self.library.entry(request.path_params["id"]).name
        kept = {key: about[key] for key in about if key not in ("log", "sheets", "id")}
        text = json.dumps(json.loads(encoded(kept)), indent=1)
        safe = name.encode("ascii", "replace").decode().replace("?", "-").replace('"', "-")
        return Response(
            text,
            media_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{safe}.certificate.json"'},
        )

    async def certify(self, request: Request) -> Response:
        """Recompute a certificate from rules and strategy alone, in a process of its own."""
        entry = self.library.entry(request.path_params["id"])
        if entry.fault is not None:
            raise EquipoiseError(entry.fault)
        if self._is_certifying:
            raise RefusalError(409, "found another certificate under way, expected you to wait.")
        self._is_certifying = True
        try:
            return Reply({"certificate": await self._certified(entry)})
        finally:
            self._is_certifying = False

    async def _certified(self, entry: StoredResult) -> Any:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "equipoise", "certify", "--json", "--"),
            *(self.library.rules(entry) or entry.spec, str(entry.path.resolve())),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.library.folder,
        )
        try:
            said, complaint = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            sentence = complaint.decode(errors="replace").strip()[:500]
            raise EquipoiseError(sentence.replace(f"{self.library.folder.resolve()}/", ""))
        return json.loads(said)

    # Games and solves

    async def games(self, request: Request) -> Response:
        """List what can be solved, by what method, and who else plays."""
        files = await run_in_threadpool(self.library.game_files)
        return Reply(
            {
                "games": [
                    {"name": name, "description": row.description} for name, row in GAMES.items()
                ],
                "files": files,
                "methods": [{"name": name, "why": row.why} for name, row in METHODS.items()],
                "playable": [name.replace("_", "-") for name in PLAYABLE] + files,
                "opponents": [
                    {"name": name, "description": what} for name, (what, _) in OPPONENTS.items()
                ],
            }
        )

    async def list_solves(self, request: Request) -> Response:
        """List the solves that this server has started."""
        return Reply({"solves": [job.facts(with_rows=False) for job in self.solves.list()]})

    async def start_solve(self, request: Request) -> Response:
        """Start a solve."""
        wish = fields(await request.body(), "solve", "game", "method", "gap", "time")
        given = {name for name in wish.data if wish.data[name] is not None}
        job = await self.solves.start(
            wish.text("game"),
            wish.text("method") if "method" in given else None,
            wish.text("gap") if "gap" in given else None,
            float(wish.number("time")) if "time" in given else None,
        )
        return Reply(job.facts(), 201)

    async def one_solve(self, request: Request) -> Response:
        """Tell how a solve stands."""
        return Reply(self.solves.find(request.path_params["id"]).facts())

    async def tell_solve(self, request: Request) -> Response:
        """Pause, resume or stop a solve."""
        told = fields(await request.body(), "command", "command").text("command")
        if told not in ("pause", "resume", "stop"):
            raise EquipoiseError(f"command: found '{told[:40]}', expected pause, resume or stop.")
        job = await self.solves.tell(request.path_params["id"], told)
        return Reply(job.facts(with_rows=False))

    async def watch(self, socket: WebSocket) -> None:
        """Send how a solve stands, now and whenever that changes, until it is over."""
        await socket.accept()
        try:
            job = self.solves.find(socket.path_params["id"])
        except RefusalError as refusal:
            await _tell(socket, {"type": "error", **error(str(refusal))})
            await socket.close(1008)
            return
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(maxsize=1000)
        job.listeners.add(queue)
        gone = asyncio.create_task(_until_gone(socket))
        try:
            await _tell(socket, job.facts())
            while not (job.is_over and queue.empty()):
                news = asyncio.create_task(queue.get())
                await asyncio.wait({news, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    news.cancel()
                    return
                await _tell(socket, news.result())
            await socket.close()
        except (WebSocketDisconnect, RuntimeError):
            pass  # the browser has gone
        finally:
            job.listeners.discard(queue)
            gone.cancel()

    # Play

    async def play(self, socket: WebSocket) -> None:
        """Play: every message is answered by the state of the table, or by what is wrong with it."""
        await socket.accept()
        if self.tables >= MOST_TABLES:
            full = error(f"found {MOST_TABLES} tables, expected fewer.")
            await _tell(socket, {"type": "error", **full})
            await socket.close(1013)
            return
        self.tables += 1
        table: PlayTable | None = None
        try:
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                told = message.get("text") or message.get("bytes") or b""
                try:
                    table, answer = await self._heard(table, told)
                except EquipoiseError as wrong:
                    answer = {"type": "error", **error(str(wrong))}
                await _tell(socket, answer)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the browser has gone
        finally:
            self.tables -= 1

    async def _heard(
        self, table: PlayTable | None, message: str | bytes
    ) -> tuple[PlayTable, dict[str, Any]]:
        """Follow one message: sit, deal, act or coach."""
        told = fields(message, "message", *_WORDS)
        do = told.text("do")
        limiter = self._sitting if do == "sit" else self._playing
        return await to_thread.run_sync(self._played, table, do, told, limiter=limiter)

    def _played(
        self, table: PlayTable | None, do: str, told: Fields
    ) -> tuple[PlayTable, dict[str, Any]]:
        if do == "sit":
            while len(self.coaches) > _MOST_COACHES:
                self.coaches.pop(next(iter(self.coaches)))
            table = sit(self.library, told, self.coaches)
            table.deal()
        elif table is None:
            raise EquipoiseError(f"message.do: found '{do[:40]}', expected 'sit' to begin with.")
        elif do == "deal":
            table.deal()
        elif do == "act":
            table.act(told.text("action"))
        elif do == "coach":
            table.is_coached = told.flag("coached", default=True)
        else:
            raise EquipoiseError(
                f"message.do: found '{do[:40]}', expected sit, deal, act or coach."
            )
        return table, table.state()

    def routes(self) -> list[BaseRoute]:
        """Return where everything is."""
        here = "/api/strategies/{id}"
        return [
            Route("/", _index),
            Route("/api/openapi.json", _schema),
            Route("/api/strategies", self.strategies),
            Route(here, self.strategy),
            Route(f"{here}/scene", self.scene),
            Route(f"{here}/search", self.search),
            Route(f"{here}/file", self.download),
            Route(f"{here}/certificate", self.certificate),
            Route(f"{here}/certify", self.certify, methods=["POST"]),
            Route("/api/games", self.games),
            Route("/api/solves", self.list_solves, methods=["GET"]),
            Route("/api/solves", self.start_solve, methods=["POST"]),
            Route("/api/solves/{id}", self.one_solve, methods=["GET"]),
            Route("/api/solves/{id}", self.tell_solve, methods=["POST"]),
            WebSocketRoute("/api/solves/{id}/live", self.watch),
            WebSocketRoute("/api/play", self.play),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]


async def _index(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})


async def _schema(request: Request) -> Response:
    return Reply(schema())


async def _tell(socket: WebSocket, content: Any) -> None:
    """Send JSON, as text: what browsers hand to their pages as it is."""
    await socket.send_text(encoded(content).decode())


async def _until_gone(socket: WebSocket) -> None:
    """Wait until the browser closes a socket; what it says meanwhile means nothing."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _refused(request: Request, wrong: Exception) -> Response:
    status = wrong.status if isinstance(wrong, RefusalError) else 400
    return Reply(error(str(wrong)), status)


async def _not_found(request: Request, wrong: Exception) -> Response:
    assert isinstance(wrong, HTTPException)
    what = {404: "there is nothing here, expected another address", 405: "expected another method"}
    sentence = what.get(wrong.status_code, wrong.detail)
    answer = Reply(error(f"{request.url.path[:80]}: {sentence}."), wrong.status_code)
    for name, value in (wrong.headers or {}).items():
        answer.headers[name] = value
    return answer


def application(folder: str | Path, token: str | None = None) -> ASGIApp:
    """Return the application for the strategies of ``folder``; with a ``token``, for whoever has it."""
    server = Server(folder)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await server.solves.close()

    return Starlette(
        routes=server.routes(),
        middleware=[Middleware(Guard, token=token)],
        exception_handlers={EquipoiseError: _refused, HTTPException: _not_found},
        lifespan=life,
    )
