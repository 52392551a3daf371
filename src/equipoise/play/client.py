"""A client of the poker competition's protocol: any of our agents, on any dealer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.play.acpc import LONGEST, VERSION, Notation
from equipoise.play.agents import Agent

_Link = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds between attempts to connect again."""


@dataclass
class Seated:
    """What a client has seen: hands that ended, what it won, how often it connected, lines it ignored."""

    hands: int = 0
    total: float = 0.0
    connections: int = 0
    ignored: int = 0


class Client:
    """Plays ``agent`` on a dealer.

    A connection that drops is opened again; a match is over when the dealer is gone. Where the agent
    plays by a strategy, it is the game, not the dealer, that must match it.
    """

    def __init__(self, game: PokerGame, agent: Agent, seed: int | str = 0) -> None:
        self.agent, self.notation, self.seen = agent, Notation(game), Seated()
        self._last = -1
        agent.reset(seed)

    async def play(self, host: str, port: int, *, timeout: float = 10.0) -> Seated:
        """Play until the dealer is gone; ``timeout`` is for connecting the first time."""
        link: _Link | None = await self._connect(host, port, timeout)
        while link is not None:
            try:
                await self._serve(*link)
            except OSError:
                pass
            finally:
                link[1].close()
            link = await self._reconnect(host, port)
        return self.seen

    async def _connect(self, host: str, port: int, timeout: float) -> _Link:
        try:
            opened = asyncio.open_connection(host, port, limit=LONGEST)
            reader, writer = await asyncio.wait_for(opened, timeout)
            writer.write(f"{VERSION}\r\n".encode())
            await writer.drain()
        except (OSError, OverflowError) as error:
            raise EquipoiseError(
                f"client: cannot connect to {host}:{port} ({error or 'timed out'}), expected a dealer."
            ) from None
        self.seen.connections += 1
        return reader, writer

    async def _reconnect(self, host: str, port: int) -> _Link | None:
        """Try to come back; a dealer that no longer listens has ended the match."""
        for pause in _PAUSES:
            try:
                return await self._connect(host, port, 2.0)
            except EquipoiseError as error:
                if "refused" in str(error).lower():
                    return None
                await asyncio.sleep(pause)
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes over one connection, until it ends."""
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                raise OSError("a line without end") from None
            if not line.endswith(b"\n"):
                return
            reply = self._reply(line.decode("ascii", errors="replace").strip())
            if reply is not None:
                writer.write(f"{reply}\r\n".encode())
                await writer.drain()

    def _reply(self, line: str) -> str | None:
        """Return the answer to a line, if it wants one."""
        if not line or line[0] in "#;":
            return None
        try:
            state = self.notation.read(line)
        except EquipoiseError:
            self.seen.ignored += 1
            return None
        observation = self.notation.observe(state)
        if observation.is_over:
            # The end of a hand may be told twice around a reconnection.
            if state.hand > self._last:
                self._last = state.hand
                self.seen.hands += 1
                assert observation.payoffs is not None
                self.seen.total += observation.payoffs[state.position]
                self.agent.learn(observation)
            return None
        if not observation.is_turn:
            return None
        action = self.agent.act(observation)
        return f"{line}:{self.notation.letter(state.node, action)}"
