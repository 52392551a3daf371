"""Best responses to a strategy that plays by buckets, board by board and for all hands at once.

Values go up street by street (:mod:`equipoise.games.poker.streets`), as columns over the responder's hands
(:mod:`equipoise.certificates.columns`): on the last one from sums over the opponent's hands
(:mod:`equipoise.cards.board_sums`), on the others from the street after, added up over the cards that it deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.board_sums import Meetings, SignedShowdowns, SortedShowdowns
from equipoise.cards.deck import Cards
from equipoise.certificates.columns import RoundColumns, reaches, round_columns
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import BestCards, PokerGame
from equipoise.games.poker.streets import Street, Streets
from equipoise.games.signals.views import views
from equipoise.numerics.device import Device
from equipoise.strategy.on_boards import BoardBuckets
from equipoise.strategy.profile import Strategy

Array = Any
Floats = NDArray[np.float64]
PLAYERS = (0, 1)

# Numbers in one array of values: what a processor's caches hold, and what keeps a GPU busy.
_FEW, _MANY = 1 << 19, 1 << 29


class Part(NamedTuple):
    """What happens after one class of first common cards, in units of one deal.

    ``carried[i][c, e]`` is player i's value, best responding, with all hands of class ``c`` together, at the
    ``e``-th node that the first common cards lead to; ``value`` what player 1 earns in all.
    """

    carried: tuple[Floats, Floats]
    value: float


class _Table(NamedTuple):
    """Columns of a round on a device."""

    columns: RoundColumns
    showdowns: Array
    fixed: Array
    own_showdowns: Array
    own_fixed: Array
    steps: list[tuple[bool, list[Array]]]
    outgoing: Array
    width: int


class BoardWalk:
    """The evaluation of a strategy, class by class of the first common cards."""

    def __init__(self, game: PokerGame, strategy: Strategy, device: Device | None = None) -> None:
        if game.players != 2 or game.hole > 2:
            raise EquipoiseError(
                f"{game.name}: found {game.players} players with {game.hole} private cards, expected "
                "two players with one or two."
            )
        self.game, self.streets = game, Streets(game)
        self.buckets = BoardBuckets(game, strategy)
        # Sums over many boards are made in double precision, whatever the boards themselves are in.
        self.host = _host()
        self.device = device or self.host
        self.is_compiled = device is None
        self.columns = self._columns(strategy)
        named = views(game)
        assert isinstance(named, CanonicalViews)
        self.classes = named.numbers(0, self.streets.holes)
        self._number = {tuple(hand): h for h, hand in enumerate(self.streets.holes.tolist())}
        last = game.rounds - 1
        self._tables = {
            (street.turn, player): self._put(
                self.columns[street.turn][player],
                self.device if street.turn == last else self._wide(),
            )
            for street in self.streets.streets
            for player in PLAYERS
        }
        self._meetings = {
            street.turn: self._meeting(street.hands, street.turn == last)
            for street in self.streets.streets
        }

    def part(self, number: int) -> Part:
        """Return what happens after the first common cards of class ``number``."""
        boards, size = self.streets.first[number : number + 1], int(self.classes.max()) + 1
        if not self.streets.streets:
            return Part((np.zeros((size, 0)), np.zeros((size, 0))), 0.0)
        values, value = self._street(0, boards)
        held = self.streets.held(boards, self.streets.streets[0])[0]
        own = self.classes[[self._number[tuple(hand)] for hand in held.tolist()]]
        carried = []
        for found in values:
            sums = np.zeros((size, found.shape[2]))
            np.add.at(sums, own, _numpy(found)[0])
            carried.append(sums)
        return Part((carried[0], carried[1]), value)

    def before(self, carried: list[Floats]) -> tuple[list[Floats], float]:
        """Evaluate the rounds before the first common cards, given the values by class that come up.

        Return each player's best response with each class of hands, and what player 1 earns in these.
        """
        sizes = np.bincount(self.classes)
        values = [(own / sizes[:, None])[self.classes][None] for own in carried]
        total = 0.0
        for turn in range(self.streets.quiet - 1, -1, -1):
            tables = [self._put(self.columns[turn][player], self.host) for player in PLAYERS]
            holes, board = self.streets.holes, np.zeros((1, 0), dtype=np.uint8)
            meetings = Meetings(holes, self.host.xp, self.host.floats)
            street = Street(turn, board, holes, np.zeros((0, 0), dtype=np.int64))
            values, value = self._values(street, board, tables, meetings, values, self.host)
            total += value
        return [self._by_class(own[0, :, 0]) for own in values], total

    def _by_class(self, values: Floats) -> Floats:
        """Add up over the hands of each class."""
        return np.bincount(self.classes, values).astype(np.float64)

    def _street(self, place: int, boards: Cards) -> tuple[list[Array], float]:
        """Return both players' values on ``boards`` of a street where they go up, and player 1's profit.

        Values are those of a best response to the opponent, for every board, hand and outgoing column.
        """
        street = self.streets.streets[place]
        tables = [self._tables[street.turn, player] for player in PLAYERS]
        is_last = place + 1 == len(self.streets.streets)
        device = self.device if is_last else self._wide()
        found: list[list[Array]] = [[], []]
        total = 0.0
        for some in _chunks(boards, self._boards_at_once(street, tables, is_last)):
            carried, below = ([None, None], 0.0) if is_last else self._carried(place, some)
            meetings = self._meetings[street.turn]
            values, value = self._values(street, some, tables, meetings, carried, device)
            total += value + below
            for own, new in zip(found, values, strict=True):
                own.append(new)
        xp = device.xp
        return [own[0] if len(own) == 1 else xp.concat(own, axis=0) for own in found], total

    def _carried(self, place: int, boards: Cards) -> tuple[list[Array], float]:
        """Return the values of the next street, added up over the cards that it deals."""
        street, after = self.streets.streets[place], self.streets.streets[place + 1]
        values, total = self._street(place + 1, self.streets.extended(boards, after))
        wide = self._wide()
        xp, ways, hands = wide.xp, len(after.dealt), len(after.hands)
        # A hand that holds a dealt card is not there: a row of zeros stands for it.
        rows = wide.put(
            (after.place + np.arange(ways)[:, None] * (hands + 1)).reshape(-1).astype(np.int64)
        )
        summed = []
        for found in values:
            wider = xp.reshape(xp.astype(found, wide.floats), (len(boards), ways, hands, -1))
            blank = wide.zeros((len(boards), ways, 1, wider.shape[3]))
            flat = xp.reshape(
                xp.concat([wider, blank], axis=2), (len(boards), ways * (hands + 1), -1)
            )
            there = xp.reshape(
                xp.take(flat, rows, axis=1), (len(boards), ways, len(street.hands), -1)
            )
            summed.append(xp.sum(there, axis=1))
        return summed, total

    def _values(
        self,
        street: Street,
        boards: Cards,
        tables: list[_Table],
        meetings: Meetings,
        carried: list[Any],
        device: Device,
    ) -> tuple[list[Array], float]:
        """Return both players' values on some boards in the outgoing columns, and player 1's profit here."""
        xp, shape = device.xp, (len(boards), len(street.hands))
        buckets = [self._bucket(street, boards, player, device) for player in PLAYERS]
        has_showdowns = any(table.showdowns.shape[1] for table in tables)
        showdowns = self._showdowns(street, boards, meetings, device) if has_showdowns else None
        out, profit = [], 0.0
        for player, table in enumerate(tables):
            columns = device.zeros((*shape, table.width))
            first = 0
            kinds: list[tuple[Array, Array, Callable[[Array], Array]]] = [
                (table.fixed, table.own_fixed, meetings.totals)
            ]
            if showdowns is not None:
                kinds.insert(0, (table.showdowns, table.own_showdowns, showdowns.margins))
            for reach, own, sums in kinds:
                count = reach.shape[1]
                if not count:
                    continue
                found = sums(_rows(xp, reach, buckets[1 - player]))
                if player == 0:
                    # Own reach times value, over every hand: what the profile earns at these leaves.
                    profit += float(xp.sum(_rows(xp, own, buckets[0]) * found))
                columns[:, :, first : first + count] = found
                first += count
            if carried[player] is not None:
                count = carried[player].shape[2]
                columns[:, :, first : first + count] = carried[player]
                first += count
            first += 1
            for is_choice, places in table.steps:
                made = xp.take(columns, places[0], axis=2)
                for place in places[1:]:
                    other = xp.take(columns, place, axis=2)
                    made = xp.maximum(made, other) if is_choice else made + other
                columns[:, :, first : first + made.shape[2]] = made
                first += made.shape[2]
            out.append(xp.take(columns, table.outgoing, axis=2))
        return out, profit

    def _bucket(self, street: Street, boards: Cards, player: int, device: Device) -> Array:
        """Return the bucket of each hand on each board."""
        shape = (len(boards), len(street.hands))
        if self.buckets.count(street.turn, player) == 1:
            return device.xp.zeros(shape, dtype=device.xp.int64, device=device.device)
        held = self.streets.held(boards, street)
        return device.put(self.buckets.of(street.turn, held, boards, player))

    def _showdowns(
        self, street: Street, boards: Cards, meetings: Meetings, device: Device
    ) -> SignedShowdowns | SortedShowdowns:
        """Return what compares hands on ``boards``."""
        strength = self.game.strength
        if self.is_compiled or not isinstance(strength, BestCards):
            held = self.streets.held(boards, street)
            beside = np.repeat(boards, held.shape[1], axis=0)
            ranks = strength(self.game.deck, held.reshape(-1, held.shape[2]), beside)
            ranks = ranks.astype(np.int64).reshape(held.shape[:2])
            if self.is_compiled:
                return SortedShowdowns(meetings, ranks)
            return SignedShowdowns(meetings, device.put(ranks), device.xp, device.floats)
        ranks = self._ranks(boards, self.streets.left(boards), street.hands)
        return SignedShowdowns(meetings, ranks, device.xp, device.floats)

    @cached_property
    def _ranks(self) -> Callable[[Cards, Cards, Cards], Array]:
        """Rank hands on whole boards, where they are kept."""
        from equipoise.cards.board_ranks import BoardRanks

        strength, seen = self.game.strength, self.game.hole + sum(self.game.public)
        assert isinstance(strength, BestCards)
        tables = strength.evaluator(self.game.deck, seen)
        return BoardRanks(tables, self.device.xp, self.device.device)

    def _columns(self, strategy: Strategy) -> list[tuple[RoundColumns, RoundColumns]]:
        """Return every round as each player sees it."""
        tree, last = self.game.tree, self.game.rounds - 1
        reach = [reaches(tree, strategy, self.buckets.parents(i), i) for i in PLAYERS]
        found = []
        for turn in range(self.game.rounds):
            completions = self.deals(last) / self.deals(turn)
            first, second = (
                round_columns(tree, turn, i, reach[i], reach[1 - i], completions) for i in PLAYERS
            )
            found.append((first, second))
        return found

    def _put(self, columns: RoundColumns, device: Device) -> _Table:
        made = sum(len(step.places) for step in columns.steps)
        given = columns.showdowns.shape[1] + columns.fixed.shape[1] + len(columns.carried)
        return _Table(
            columns=columns,
            showdowns=device.put(columns.showdowns),
            fixed=device.put(columns.fixed),
            own_showdowns=device.put(columns.own_showdowns),
            own_fixed=device.put(columns.own_fixed),
            steps=[
                (step.is_choice, [device.put(column) for column in step.places.T])
                for step in columns.steps
            ],
            outgoing=device.put(columns.outgoing),
            width=given + 1 + made,
        )

    def _meeting(self, hands: Cards, is_last: bool) -> Meetings:
        device = self.device if is_last else self._wide()
        return Meetings(hands, device.xp, device.floats, device.device)

    def _wide(self) -> Device:
        """Return the device in double precision."""
        return Device(self.device.xp, self.device.device, "float64")

    def _boards_at_once(self, street: Street, tables: list[_Table], is_last: bool) -> int:
        hands = len(street.hands)
        numbers = max(table.width for table in tables)
        if is_last and not self.is_compiled:
            numbers = max(numbers, hands)  # the matrix of signs
        if not is_last:
            after = self.streets.streets[self.streets.streets.index(street) + 1]
            carried = max(len(table.columns.carried) for table in tables)
            numbers = max(numbers, len(after.dealt) * carried)
        most = _FEW if self.device.device is None else _MANY
        return max(1, most // max(1, hands * numbers))

    def deals(self, turn: int) -> float:
        """Return the number of deals (both hands and the board) of a round: all equally likely."""
        game = self.game
        left, count = game.deck.size, 1
        for cards in (game.hole, game.hole, *game.public[1 : turn + 1]):
            count *= comb(left, cards)
            left -= cards
        return float(count)


def _host() -> Device:
    """Return NumPy in double precision."""
    import array_api_compat.numpy as xp

    return Device(xp, None, "float64")


def _rows(xp: Any, table: Array, places: Array) -> Array:
    """Return rows of ``table``, for an array of places."""
    flat = xp.take(table, xp.reshape(places, (-1,)), axis=0)
    return xp.reshape(flat, (*places.shape, table.shape[1]))


def _numpy(array: Array) -> Floats:
    """Return an array of any device in the memory of the processor."""
    moved = array.cpu() if hasattr(array, "cpu") else array
    return np.asarray(moved, dtype=np.float64)


def _chunks(boards: Cards, size: int) -> Iterable[Cards]:
    for start in range(0, len(boards), size):
        yield boards[start : start + size]
