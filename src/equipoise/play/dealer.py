"""A dealer for the poker competition's protocol: other people's programs play against each other or ours.

Every player has a port of her own, on this machine alone unless told otherwise. Positions rotate from hand
to hand. The dealer never waits longer than its timeout: an action that is late, illegal or unreadable is a
fold, or a check where that costs nothing, and is counted. A player whose connection drops may come back
until her time is up, and is told again what she has not answered; one who stays silent too often ends the match.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.play.acpc import LONGEST, Notation, answer
from equipoise.play.agents import always_fold
from equipoise.play.episode import Episode

MOST_SILENCES = 10
"""After so many late answers in a row the match is over."""
_MOST_TOLD = 1000
_MOST_NONSENSE = 100  # lines that are no answer, in one turn


@dataclass(frozen=True)
class Dealing:
    """How a match is dealt.

    Attributes
    ----------
    game, hands, seed
        What is played, how many hands, and what the cards follow from.
    names
        What the players are called in the log.
    timeout
        Seconds that a player has to connect, and for every action.
    host, ports
        Where the players connect; port 0 is any that is free.
    """

    game: PokerGame
    hands: int
    seed: int = 0
    names: tuple[str, ...] = ("player-1", "player-2")
    timeout: float = 10.0
    host: str = "127.0.0.1"
    ports: tuple[int, ...] = (0, 0)

    def __post_init__(self) -> None:
        players = self.game.players
        if len(self.names) != players or len(self.ports) != players:
            raise EquipoiseError(
                f"dealer: found {len(self.names)} names and {len(self.ports)} ports, expected one for "
                f"each of {players} players."
            )
        if self.hands < 1 or not self.timeout > 0:
            raise EquipoiseError(
                f"dealer: found {self.hands} hands and {self.timeout} s, expected positive numbers."
            )


@dataclass
class Dealt:
    """What came of a match: totals, and for each player answers that were late or wrong, and connections."""

    totals: list[float]
    late: list[int]
    wrong: list[int]
    connections: list[int]
    log: list[str] = field(default_factory=list)

    def score_line(self, names: Sequence[str]) -> str:
        """Return the last line of a log."""
        return f"SCORE:{'|'.join(f'{total:g}' for total in self.totals)}:{'|'.join(names)}"


class _Seat:
    """A player's place: a port, and the connection that holds it now."""

    def __init__(self) -> None:
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None
        self.taken = asyncio.Event()
        # What was told since the last answer: who comes back hears it again, and misses no hand's end.
        self.told: deque[str] = deque(maxlen=_MOST_TOLD)
        self.connections = 0
        self.server: asyncio.Server | None = None

    async def open(self, host: str, port: int, timeout: float) -> int:
        """Listen, and return the port."""

        async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._join(reader, writer, timeout)

        try:
            self.server = await asyncio.start_server(join, host, port, limit=LONGEST)
        except (OSError, OverflowError) as error:
            raise EquipoiseError(
                f"dealer: cannot listen on {host}:{port} ({error}), expected a free port."
            ) from None
        found: int = self.server.sockets[0].getsockname()[1]
        return found

    async def _join(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: float
    ) -> None:
        """Greet who connects; a seat that is held, or a stranger to the protocol, is refused."""
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            line = await asyncio.wait_for(reader.readline(), timeout)
            if self.writer is None and line.strip().decode("ascii").startswith("VERSION:2."):
                self.reader, self.writer = reader, writer
                self.connections += 1
                writer.write("".join(f"{told}\r\n" for told in self.told).encode())
                self.taken.set()
                return
        writer.close()

    def drop(self) -> None:
        """Forget a connection that has ended."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None
        self.taken.clear()

    async def tell(self, line: str) -> None:
        """Send a line, if anybody is there; keep it for who comes back."""
        self.told.append(line)
        if self.writer is None:
            return
        try:
            self.writer.write(f"{line}\r\n".encode())
            await self.writer.drain()
        except OSError:
            self.drop()

    async def line(self) -> str | None:
        """Return the next line; ``None`` if the connection has ended or the line has no end in sight."""
        assert self.reader is not None
        try:
            found = await self.reader.readline()
        except (OSError, ValueError):  # ValueError: a line longer than the limit
            found = b""
        if not found.endswith(b"\n"):
            self.drop()
            return None
        return found.decode("ascii", errors="replace").strip()


class Dealer:
    """Deals one match."""

    def __init__(self, table: Dealing, note: Callable[[str], None] | None = None) -> None:
        self.table, self.notation = table, Notation(table.game)
        self._note = note or (lambda sentence: None)
        self._fold = always_fold()
        self._seats: list[_Seat] = []
        self._silences = [0] * len(table.names)
        players = len(table.names)
        self.dealt = Dealt([0.0] * players, [0] * players, [0] * players, [0] * players)

    async def open(self) -> tuple[int, ...]:
        """Listen for every player; return the ports."""
        table = self.table
        self._seats = [_Seat() for _ in table.names]
        return tuple(
            [
                await seat.open(table.host, port, table.timeout)
                for seat, port in zip(self._seats, table.ports, strict=True)
            ]
        )

    async def run(self, log: Callable[[str], Any] | None = None) -> Dealt:
        """Wait for the players and deal all hands; ``log`` is given a line for each."""
        keep = log or self.dealt.log.append
        try:
            await self._gather()
            for hand in range(self.table.hands):
                keep(await self._hand(hand))
        finally:
            await self.close()
        return self.dealt

    async def close(self) -> None:
        """End all connections."""
        for i, seat in enumerate(self._seats):
            self.dealt.connections[i] = seat.connections
            seat.drop()
            if seat.server is not None:
                seat.server.close()

    async def _gather(self) -> None:
        """Wait until all players are here."""
        for name, seat in zip(self.table.names, self._seats, strict=True):
            try:
                await asyncio.wait_for(seat.taken.wait(), self.table.timeout)
            except TimeoutError:
                raise EquipoiseError(
                    f"dealer: {name} did not connect within {self.table.timeout:g} s, expected all "
                    "players."
                ) from None

    async def _hand(self, hand: int) -> str:
        """Deal one hand and return its line of the log."""
        table, players = self.table, len(self._seats)
        episode = Episode(table.game, nature=random.Random(f"{table.seed}/{hand}").random)
        # Who sits where: with every hand the positions move on by one.
        seats = [(position + hand) % players for position in range(players)]
        while True:
            deal, node = episode.state
            states = [
                self.notation.write(self.notation.of(position, hand, deal, node))
                for position in range(players)
            ]
            for position, seat in enumerate(seats):
                await self._seats[seat].tell(states[position])
            actor = episode.player
            if actor is None:
                break
            label = await self._ask(seats[actor], states[actor], node)
            episode.act(label or self._fold.act(episode.observation(actor)))
        payoffs = episode.payoffs
        assert payoffs is not None, "the hand is over"
        for position, seat in enumerate(seats):
            self.dealt.totals[seat] += payoffs[position]
        names = [table.names[seat] for seat in seats]
        return self.notation.log_line(hand, node, deal, payoffs, names)

    async def _ask(self, seat: int, state: str, node: int) -> str | None:
        """Return the label of a player's action; ``None`` if it is late or wrong, which is counted."""
        try:
            async with asyncio.timeout(self.table.timeout):
                letter = await self._answer(seat, state)
        except TimeoutError:
            self.dealt.late[seat] += 1
            self._silences[seat] += 1
            self._note(f"{self.table.names[seat]} gave no answer to {state}.")
            if self._silences[seat] >= MOST_SILENCES:
                raise EquipoiseError(
                    f"dealer: {self.table.names[seat]} was silent {MOST_SILENCES} times in a row, expected "
                    "answers."
                ) from None
            return None
        self._silences[seat] = 0
        try:
            return self.notation.action(node, letter)
        except EquipoiseError as error:
            self.dealt.wrong[seat] += 1
            self._note(f"{self.table.names[seat]}: {error}")
            return None

    async def _answer(self, number: int, state: str) -> str:
        """Wait for an answer to ``state``, from this connection or the next one; ignore all other lines.

        An answer to an earlier state, as after a reconnection, is such a line.
        """
        seat, nonsense = self._seats[number], 0
        while True:
            if seat.reader is None:
                await seat.taken.wait()
                continue
            line = await seat.line()
            if line is None or not line or line[0] in "#;":
                continue
            try:
                about, letter = answer(line)
            except EquipoiseError as error:
                self.dealt.wrong[number] += 1
                self._note(f"{self.table.names[number]}: {error}")
                nonsense += 1
                if nonsense >= _MOST_NONSENSE:
                    seat.drop()
                continue
            if about == state:
                seat.told.clear()
                return letter
