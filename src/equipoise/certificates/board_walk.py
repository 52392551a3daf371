"""Best responses to a strategy that plays by buckets, board by board and for all hands at once.

Values go up street by street (:mod:`equipoise.games.poker.streets`), as columns over the responder's hands
(:mod:`equipoise.certificates.columns`): on the last one from sums over the opponent's hands, on the others from
the street after, added up over the cards that it deals. Two ways to do that have one contract: compiled loops
(:mod:`equipoise.certificates.board_kernel`), and arrays (:mod:`equipoise.certificates.board_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.board_products import rows
from equipoise.cards.deck import Cards
from equipoise.certificates.board_arrays import ArrayRound, on_boards_before
from equipoise.certificates.columns import Reaches, RoundValues, RoundView, StreetDeals
from equipoise.errors import EquipoiseError
from equipoise.games.poker.board_strength import Ranks, board_strength
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Street, Streets
from equipoise.games.signals.views import views
from equipoise.numerics.device import Device
from equipoise.strategy.on_boards import BoardBuckets
from equipoise.strategy.profile import Strategy

Array = Any
Floats = NDArray[np.float64]
PLAYERS = (0, 1)

PRECISIONS: dict[str, str] = {"double": "float64", "single": "float32", "bf16": "float32"}
"""Precisions of sums over the hands on one board, and the type of their results.

On a GPU single precision has reach in two halves of bfloat16, and ``bf16`` in one. In compiled loops single
precision is twice as fast, and misses strategies at random by half a millionth of their value: numbers too
small to change a sum of a thousand are lost in it, and always downwards.
"""

# Numbers in one array of values: what a processor's caches hold, and what keeps a GPU busy. Its kernels count
# with 32 bits, as long as the largest array, of reach in two parts, has less than 2^31.
_FEW, _MANY = 1 << 21, 1 << 30
_SLOTS = 32  # more leaves than a round of limit betting has


class Part(NamedTuple):
    """What happens after one class of first common cards, in units of one deal.

    ``carried[i][c, e]`` is player i's value, best responding, with all hands of class ``c`` together, at the
    ``e``-th node that the first common cards lead to. ``earned[i][c, k]`` is what she earns, from there on, who
    plays as the strategy does in these and the next ``k`` rounds, and best in those after them.
    """

    carried: tuple[Floats, Floats]
    earned: tuple[Floats, Floats]


class _Above(NamedTuple):
    """What is known of the boards before, to be added to, and how boards follow them.

    ``values`` are those of best responses at the entries of a round, and ``plans`` what is earned from it on by
    those who play as the strategy does in it, and best in the next one, the one after, ... and never.
    """

    values: list[Array]
    plans: list[Array]
    deals: StreetDeals


class BoardWalk:
    """The evaluation of a strategy, class by class of the first common cards."""

    def __init__(
        self,
        game: PokerGame,
        strategy: Strategy,
        device: Device | None = None,
        precision: str | None = None,
    ) -> None:
        if game.players != 2 or game.hole > 2:
            raise EquipoiseError(
                f"{game.name}: found {game.players} players with {game.hole} private cards, expected "
                "two players with one or two."
            )
        self.game, self.streets = game, Streets(game)
        self.buckets = BoardBuckets(game, strategy)
        # Sums over many boards are made in double precision, whatever the boards themselves are in.
        self.host = host()
        self.is_compiled = device is None
        self.device = self._exactly(device or self.host, precision)
        self._parts = self._halves(precision)
        self._is_stopped = False
        named = views(game).canonical
        assert named is not None, "deals end in showdowns alone"
        self.classes = named.numbers(0, self.streets.holes)
        self._sizes = np.bincount(self.classes)
        # By round and player, her reach of the entries of the next one, by the buckets of this one.
        self._kept: dict[int, list[Array]] = {}
        self._rounds = self._made(strategy)

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The shapes of the arrays of a part: what both players carry, and what both earn."""
        quiet = self.streets.quiet
        if not self.streets.streets:
            return ((len(self._sizes), 0),) * 4
        carried = [len(own) for own in self._rounds[quiet].entries]
        return tuple((len(self._sizes), n) for n in (*carried, *[self.game.rounds - quiet] * 2))

    def stop(self) -> None:
        """Let parts that other threads are at end soon, with an error."""
        self._is_stopped = True

    def part(self, number: int) -> Part:
        """Return what happens after the first common cards of class ``number``."""
        if not self.streets.streets:
            none = np.zeros((len(self._sizes), 0))
            return Part((none, none), (none, none))
        found = self._added_up(0, self.streets.first[number : number + 1], np.array([number]))
        classes = self.classes[self.streets.hole_numbers(number)]
        carried, earned = (
            tuple(self._by_class(_numpy(own)[0], classes) for own in both) for both in found
        )
        return Part((carried[0], carried[1]), (earned[0], earned[1]))

    def before(self, carried: list[Floats], earned: list[Floats]) -> list[Floats]:
        """Evaluate the rounds before the first common cards, given what comes up by class (:class:`Part`).

        Return, for each player, what she earns with each class of hands (a column) who plays as the strategy does
        before a round, and best from it on: a row for each round, and one for the strategy itself.
        """
        values, below = (
            [(own / self._sizes[:, None])[self.classes][None] for own in both]
            for both in (carried, earned)
        )
        holes, board = self.streets.holes, np.zeros((1, 0), dtype=np.uint8)
        for turn in range(self.streets.quiet - 1, -1, -1):
            street = Street(turn, board, holes, np.zeros((0, 0), dtype=np.int64))
            out, plans = self._zeros(turn, (1, len(holes)), self.host)
            above = _Above(out, plans, _same(len(holes)))
            self._add(above, street, board, values, below, self.host)
            values, below = out, plans
        # A root without a value, where nobody can win anything, has no column.
        best = [own[0].sum(axis=1, keepdims=True) for own in values]
        whole = [np.concatenate([best[i], below[i][0]], axis=1) for i in PLAYERS]
        return [self._by_class(own, self.classes).T for own in whole]

    def _by_class(self, rows: Floats, classes: NDArray[Any]) -> Floats:
        """Return the sums of the rows of hands by class."""
        sums = np.zeros((len(self._sizes), rows.shape[1]))
        np.add.at(sums, classes, rows)
        return sums

    def _zeros(
        self, turn: int, shape: tuple[int, int], device: Device
    ) -> tuple[list[Array], list[Array]]:
        """Return room for both players' values of a round, and for what their plans earn."""
        plans = self.game.rounds - turn
        out = [device.zeros((*shape, len(own))) for own in self._rounds[turn].entries]
        return out, [device.zeros((*shape, plans)) for _ in PLAYERS]

    def _added_up(
        self, place: int, boards: Cards, numbers: NDArray[np.int64]
    ) -> tuple[list[Array], list[Array]]:
        """Return both players' values on ``boards``, those of street ``place`` added up over what it deals.

        ``numbers`` are those of the boards (:mod:`equipoise.games.poker.boards`).
        Values are those of a best response to the opponent, for every board, hand and entry; with them
        comes what is earned by those who begin to respond in a later round. The first street deals nothing:
        its boards are given.
        """
        street, wide = self.streets.streets[place], self._wide()
        if place:
            longer = self.streets.extended(boards, street).reshape(
                len(boards), len(street.dealt), -1
            )
            deals = StreetDeals(street.place, street.back)
            numbers = numbers[:, None] * len(street.dealt) + np.arange(len(street.dealt))
        else:
            longer, deals = boards[:, None], _same(len(street.hands))
            numbers = numbers[:, None]
        out, plans = self._zeros(street.turn, (len(boards), deals.place.shape[1]), wide)
        at_once = max(1, self._boards_at_once(place) // len(boards))
        is_last = place + 1 == len(self.streets.streets)
        device = self.device if is_last else wide
        for low in range(0, longer.shape[1], at_once):
            if self._is_stopped:
                raise EquipoiseError("certify: interrupted.")
            some = longer[:, low : low + at_once].reshape(-1, longer.shape[2])
            own = numbers[:, low : low + at_once].reshape(-1)
            carried, below = (None, None) if is_last else self._added_up(place + 1, some, own)
            part = StreetDeals(deals.place[low : low + at_once], deals.back[low : low + at_once])
            self._add(_Above(out, plans, part), street, some, carried, below, device, own)
        return out, plans

    def _add(
        self,
        above: _Above,
        street: Street,
        boards: Cards,
        carried: list[Array] | None,
        below: list[Array] | None,
        device: Device,
        numbers: NDArray[np.int64] | None = None,
    ) -> None:
        """Add what happens on some boards to what is known of the boards before."""
        round_ = self._rounds[street.turn]
        is_last = street.turn == self.game.rounds - 1
        needs_ranks = round_.has_showdowns or (is_last and self.buckets.lookup is not None)
        ranks = self._ranks(device)(boards) if needs_ranks else None
        buckets = self._buckets(street, boards, device, numbers, ranks)
        earned = round_.add(above.values, ranks, buckets, carried, above.deals)
        exact = replace(device, dtype="float64")
        for i in PLAYERS:
            plans = earned[i][:, :, None]
            if not is_last:
                assert carried is not None
                assert below is not None
                kept = rows(exact.xp, self._kept[street.turn][i], buckets[i]) * carried[i]
                begun = exact.xp.sum(kept, axis=2, keepdims=True)
                plans = plans + exact.xp.concat([begun, below[i]], axis=2)
            above.plans[i] += on_boards_before(exact, plans, above.deals)

    def _buckets(
        self,
        street: Street,
        boards: Cards,
        device: Device,
        numbers: NDArray[np.int64] | None,
        ranks: Array | None,
    ) -> list[Array]:
        """Return the bucket of each hand on each board, for both players."""
        if numbers is not None and self.buckets.lookup is not None:
            place = street.turn - self.streets.quiet
            by_number = self.buckets.lookup(None if self.is_compiled else self.device)
            found = by_number.on_boards(place, numbers, ranks)
            return [device.put(found) if self.is_compiled else found] * 2
        held = self.streets.held(boards, street)
        both: list[Array] = []
        for player in PLAYERS:
            if both and self.buckets.is_shared:
                both.append(both[0])
            elif self.buckets.count(street.turn, player) == 1:
                both.append(device.put(np.zeros(held.shape[:2], dtype=np.int64)))
            else:
                both.append(device.put(self.buckets.of(street.turn, held, boards, player)))
        return both

    def _ranks(self, device: Device) -> Ranks:
        """Return what ranks hands on whole boards, for arrays on ``device``."""
        is_here = self.is_compiled or device is self.host
        return self._ranks_here if is_here else self._ranks_there

    @cached_property
    def _ranks_here(self) -> Ranks:
        return board_strength(self.game, self.streets)

    @cached_property
    def _ranks_there(self) -> Ranks:
        return board_strength(self.game, self.streets, self.device)

    def _made(self, strategy: Strategy) -> dict[int, RoundValues]:
        """Return every round as both players see it, with what computes its values."""
        tree, last = self.game.tree, self.game.rounds - 1
        reach = [Reaches(tree, strategy, self.buckets.parents(i), i) for i in PLAYERS]
        hands = {street.turn: street.hands for street in self.streets.streets}
        made: dict[int, RoundValues] = {}
        below: list[dict[int, int]] = [{}, {}]
        for turn in range(last, -1, -1):
            completions = self.deals(last) / self.deals(turn)
            seen = [
                RoundView(tree, turn, i, reach[i], reach[1 - i], completions, below[i])
                for i in PLAYERS
            ]
            made[turn] = self._round(turn, seen, hands.get(turn, self.streets.holes))
            if turn < last:
                device = self.host if turn < self.streets.quiet else self._wide()
                self._kept[turn] = [device.put(_reaches(reach[i], turn, below[i])) for i in PLAYERS]
            below = [{v: k for k, v in enumerate(own)} for own in made[turn].entries]
        return made

    def _round(self, turn: int, seen: list[RoundView], hands: Cards) -> RoundValues:
        """Return what computes the values of a round."""
        is_last = turn == self.game.rounds - 1
        if turn < self.streets.quiet:
            return ArrayRound([view.columns(_SLOTS) for view in seen], hands, self.host)
        device = self.device if is_last else self._wide()
        if self.is_compiled:
            from equipoise.certificates.board_kernel import CompiledRound

            most = CompiledRound.most(device.dtype)
            return CompiledRound([view.columns(most) for view in seen], hands, device.dtype)
        ways = max(1, len(self.streets.streets[-1].dealt))
        most = max(64, self._most // (ways * len(hands) * _SLOTS))
        parts = self._parts if is_last else 0
        return ArrayRound([view.columns(most) for view in seen], hands, device, parts)

    @staticmethod
    def _exactly(device: Device, precision: str | None) -> Device:
        """Return a device for numbers of a precision, by default its own."""
        if precision is None:
            return device
        if precision not in PRECISIONS:
            raise EquipoiseError(
                f"certify: found the precision '{precision}', expected one of {', '.join(PRECISIONS)}."
            )
        return Device(device.xp, device.device, PRECISIONS[precision])

    def _halves(self, precision: str | None) -> int:
        """Return how many numbers of bfloat16 make one of the reach; 0 for none."""
        is_torch = hasattr(self.device.xp, "bfloat16") and not self.is_compiled
        if precision == "bf16":
            if not is_torch:
                raise EquipoiseError(
                    "certify: found the precision 'bf16' without PyTorch, expected it."
                )
            return 1
        return 2 if is_torch and self.device.is_cuda and self.device.dtype == "float32" else 0

    def _wide(self) -> Device:
        """Return the device in double precision."""
        return Device(self.device.xp, self.device.device, "float64")

    @cached_property
    def _most(self) -> int:
        """How many numbers an array may have: of a GPU's memory, one for each 64 bytes that are free."""
        if not self.device.is_cuda:
            return _FEW
        free, _ = self.device.xp.cuda.mem_get_info(self.device.device)
        return int(min(_MANY, free // 64))

    def _boards_at_once(self, place: int) -> int:
        """Return how many boards of a street to evaluate together."""
        is_last = place + 1 == len(self.streets.streets)
        if self.is_compiled:
            return len(self.streets.streets[place].dealt) if is_last else 1
        return max(1, self._most // self._numbers(place))

    def _numbers(self, place: int) -> int:
        """Return how many numbers the largest array has for each board of a street."""
        street = self.streets.streets[place]
        made = self._rounds[street.turn]
        assert isinstance(made, ArrayRound)
        own = len(street.hands) * made.width
        if place + 1 == len(self.streets.streets):
            return own
        after = self.streets.streets[place + 1]
        return max(own, len(after.dealt) * self._numbers(place + 1))

    def deals(self, turn: int) -> float:
        """Return the number of deals (both hands and the board) of a round: all equally likely."""
        game = self.game
        left, count = game.deck.size, 1
        for cards in (game.hole, game.hole, *game.public[1 : turn + 1]):
            count *= comb(left, cards)
            left -= cards
        return float(count)


def _reaches(reach: Reaches, turn: int, nodes: Iterable[int]) -> Floats:
    """Return a player's reach of the entries of the next round, by the buckets of round ``turn``."""
    columns = [reach.before(node, turn) for node in nodes]
    return np.stack(columns, axis=1) if columns else np.zeros((reach.buckets(turn), 0))


def _same(hands: int) -> StreetDeals:
    """Return what deals nothing: every hand stays where it is."""
    same = np.arange(hands)[None]
    return StreetDeals(same, same)


def host() -> Device:
    """Return NumPy in double precision."""
    import array_api_compat.numpy as xp

    return Device(xp, None, "float64")


def _numpy(array: Array) -> Floats:
    """Return an array of any device in the memory of the processor."""
    moved = array.cpu() if hasattr(array, "cpu") else array
    return np.asarray(moved, dtype=np.float64)
