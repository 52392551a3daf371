"""Payoffs of poker on its public tree: every hand on every board, no pair of hands written out.

The accelerated best response (Johanson, Waugh, Bowling and Zinkevich 2011; Muench 2015, section 4.1) walks what
is public and carries numbers for all hands at once. A realization plan is the way down, since it holds how
likely each hand plays to each point, and a treeplex's best response is the way up; between the two are the
leaves, and these are here. On board b, with f the share of the deals that b stands for, leaf l pays hand h

    f[b] (base[l] met[h] + scale[l] margin[h]),

where ``met`` is the opponent's reach of hands that share no card with h, and ``margin`` the reach of those that
h beats less that of those that beat it. :data:`LEAVES` are the ways to the margins: the full matrix, its
antisymmetric half, a sweep over the sorted hands (:mod:`equipoise.cards.board_sums`).

Boards that a renaming of suits turns into each other are walked once, with their number of copies. Boards are
independent of each other once the plan is given, so they are spread over the cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.board_sums import HalfShowdowns, Meetings, SignedShowdowns, SortedShowdowns
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews, board_classes
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.views import outcome_ranges, views
from equipoise.numerics.threads import LANES, spread
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.decisions import decisions
from equipoise.sequence.payoffs.base import Entries, Payoff, written_out
from equipoise.sequence.units import betting_units

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

LEAVES: dict[str, Callable[[Meetings, NDArray[np.integer]], Any]] = {
    "matrix": lambda meetings, ranks: SignedShowdowns(meetings, ranks, np, np.float64),
    "half": HalfShowdowns,
    "sorted": SortedShowdowns,
}
"""Ways to evaluate showdowns, by name."""

_WORTH_THREADS = 1_000_000
"""Numbers gathered in a product from which on threads pay."""


class BoardLeaves(NamedTuple):
    """The leaves of a round: a slot of each player (her last action), and what player 1 is paid."""

    slots: tuple[Numbers, Numbers]
    base: Floats
    scale: Floats


@dataclass(frozen=True, eq=False)
class BoardRound:
    """Some boards of a round, and the leaves in which the game ends there.

    ``sequences[p][b, h, s]`` is the sequence of player p at slot s with hand h on board b.
    """

    meetings: Meetings
    showdowns: Any
    factor: Floats
    sequences: tuple[NDArray[np.uint32], NDArray[np.uint32]]
    leaves: BoardLeaves

    def add(self, source: int, plan: Floats, out: Floats) -> None:
        """Add to ``out`` what the other player's sequences earn, or pay, against ``plan`` of ``source``."""
        own, other = self.leaves.slots[source], self.leaves.slots[1 - source]
        for coefficient, sums, sign in (
            (self.leaves.base, self.meetings.totals, 1.0),
            (self.leaves.scale, self._margins, 1.0 if source == 1 else -1.0),
        ):
            paid = np.flatnonzero(coefficient)
            if not len(paid):
                continue
            slots, column = np.unique(own[paid], return_inverse=True)
            reach = _gather(plan, self.sequences[source], slots)
            _scatter(
                sums(reach), self.factor, column, self.sequences[1 - source], other[paid],
                sign * coefficient[paid], out,
            )  # fmt: skip

    def _margins(self, reach: Floats) -> Floats:
        found: Floats = self.showdowns.margins(reach)
        return found

    def entries(self) -> Iterator[Entries]:
        """Yield the payoffs leaf by leaf: the sums against one hand at a time are those of pairs."""
        boards, hands, _ = self.sequences[0].shape
        alone = np.broadcast_to(np.eye(hands), (boards, hands, hands))
        met = self.meetings.totals(alone)
        won = met if self.showdowns is None else self._margins(alone)
        for first, second, base, scale in zip(
            *self.leaves.slots, self.leaves.base, self.leaves.scale, strict=True
        ):
            values = self.factor[:, None, None] * (base * met + scale * won)
            rows = np.broadcast_to(self.sequences[0][:, :, first, None], values.shape)
            columns = np.broadcast_to(self.sequences[1][:, None, :, second], values.shape)
            yield rows.ravel(), columns.ravel(), values.ravel()


@dataclass(frozen=True, eq=False)
class OnBoards(Payoff):
    """The payoff of the module's docstring: lanes of boards, each with all that is paid on them."""

    lanes: tuple[tuple[BoardRound, ...], ...]
    shape: tuple[int, int]

    @classmethod
    def of(cls, form: SequenceForm, leaves: str = "sorted") -> OnBoards:
        """Return the payoff of ``form``, one of a poker game of two players, on its boards."""
        game = form.game
        known = views(game) if isinstance(game, PokerGame) and game.players == 2 else None
        if not isinstance(game, PokerGame) or not isinstance(known, CanonicalViews):
            raise EquipoiseError(
                f"{form.name}: found no boards, expected a poker game of two players, such as a TOML file "
                "with a [deck]; a game tree does not tell them."
            )
        if game.hole > 2 or not known.is_listed:
            raise EquipoiseError(
                f"{form.name}: found too many deals to hold all boards at once, expected a smaller game."
            )
        lanes: list[list[BoardRound]] = [[] for _ in range(LANES)]
        for turn in range(game.rounds):
            for lane, part in _cut(form, game, known, turn, LEAVES[leaves]):
                lanes[lane].append(part)
        return cls(tuple(tuple(parts) for parts in lanes if parts), form.A.shape)

    @cached_property
    def _is_large(self) -> bool:
        """Whether threads pay."""
        gathered = sum(part.sequences[0].size for lane in self.lanes for part in lane)
        return gathered >= _WORTH_THREADS

    def write(self, source: int, plan: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the product: a vector for each lane, added up in order."""
        sums = np.zeros((len(self.lanes), len(out)))
        exact = plan.astype(np.float64, copy=False)

        def work(_: int, low: int, high: int) -> None:
            for lane in range(low, high):
                for part in self.lanes[lane]:
                    part.add(source, exact, sums[lane])

        if self._is_large:
            spread(len(self.lanes), work)
        else:
            work(0, 0, len(self.lanes))
        out[:] = sums.sum(axis=0)

    def matrix(self) -> Any:
        """Return the operator as a SciPy CSR matrix: for small games."""
        parts = (entry for lane in self.lanes for part in lane for entry in part.entries())
        return written_out(parts, self.shape)


def _cut(
    form: SequenceForm, game: PokerGame, known: CanonicalViews, turn: int, evaluate: Any
) -> Iterator[tuple[int, BoardRound]]:
    """Yield the boards of round ``turn``, lane by lane, if the game may end there."""
    slots, leaves = _leaves(betting_units(game.tree, outcome_ranges(game))[1], turn)
    if not len(leaves.base):
        return
    boards, copies = board_classes(game, turn)
    places, hands = _hands(game, boards)
    meetings = Meetings(places, np, np.float64)
    deals = copies.sum() * float(meetings.meets.sum())
    tables = tuple(_sequences(form, known, player, slots[player], hands) for player in (0, 1))
    is_shown = bool(np.any(leaves.scale != 0))
    ranks = (
        game.strength(game.deck, hands[..., : game.hole], hands[..., game.hole :])
        if is_shown
        else None
    )
    for lane in range(LANES):
        own = slice(len(boards) * lane // LANES, len(boards) * (lane + 1) // LANES)
        if own.start < own.stop:
            yield (
                lane,
                BoardRound(
                    meetings,
                    None if ranks is None else evaluate(meetings, ranks[own]),
                    copies[own] / deals,
                    (tables[0][own], tables[1][own]),
                    leaves,
                ),
            )


def _leaves(tree: BettingTree, turn: int) -> tuple[tuple[list[int], list[int]], BoardLeaves]:
    """Return the slots of both players (nodes their actions lead to, -1 for none) and a round's leaves."""
    ends = np.flatnonzero((tree.player == TERMINAL) & (tree.round == turn))
    scale = np.where(tree.kind[ends] == NO_OUTCOME, 0.0, tree.scale[ends])
    last = [[_last(tree, int(end), player) for end in ends] for player in (0, 1)]
    slots = sorted(set(last[0])), sorted(set(last[1]))
    first, second = (
        np.array([own.index(node) for node in nodes], dtype=np.int64)
        for own, nodes in zip(slots, last, strict=True)
    )
    return slots, BoardLeaves((first, second), tree.base[ends, 0], scale)


def _last(tree: BettingTree, node: int, player: int) -> int:
    """Return the node that the player's last action on the way to ``node`` led to, or -1."""
    while tree.parent[node] >= 0 and tree.player[tree.parent[node]] != player:
        node = int(tree.parent[node])
    return node if tree.parent[node] >= 0 else -1


def _hands(game: PokerGame, boards: Cards) -> tuple[Cards, Cards]:
    """Return all hands as places among the cards left, and with their cards and the board, by board."""
    every = np.broadcast_to(np.arange(game.deck.size), (len(boards), game.deck.size))
    is_left = ~(every[:, :, None] == boards[:, None, :]).any(axis=2)
    left = every[is_left].reshape(len(boards), -1)
    places = np.array(list(combinations(range(left.shape[1]), game.hole)), dtype=np.uint8)
    dealt = np.broadcast_to(boards[:, None, :], (len(boards), len(places), boards.shape[1]))
    return places, np.concatenate([left[:, places], dealt], axis=2).astype(np.uint8)


def _sequences(
    form: SequenceForm, known: CanonicalViews, player: int, slots: list[int], hands: Cards
) -> NDArray[np.uint32]:
    """Return the sequence of every hand on every board at every slot."""
    game = known.game
    assert form.tree is not None
    found = {decision.node: decision for decision in decisions(form, player)}
    table = np.zeros((*hands.shape[:2], len(slots)), dtype=np.uint32)
    buckets: dict[int, Numbers] = {}
    for place, node in enumerate(slots):
        if node < 0:
            continue  # the empty sequence
        decision = found[int(form.tree.parent[node])]
        turn = decision.round
        if turn not in buckets:
            view = known.numbers(turn, hands[..., : sum(game.groups(turn))])
            own = form.abstraction
            buckets[turn] = view if own is None else np.asarray(own.bucket(turn, view, player))
        action = form.tree.children(decision.node).index(node)
        table[:, :, place] = decision.numbers[action][buckets[turn]]
    return table


@njit(cache=True, nogil=True)
def _gather(plan: Any, sequences: Any, slots: Any) -> Any:
    """Return the reach of every hand on every board at some slots."""
    boards, hands, _ = sequences.shape
    reach = np.empty((boards, hands, len(slots)))
    for b in range(boards):
        for h in range(hands):
            for c in range(len(slots)):
                reach[b, h, c] = plan[sequences[b, h, slots[c]]]
    return reach


@njit(cache=True, nogil=True)
def _scatter(
    sums: Any, factor: Any, column: Any, sequences: Any, slots: Any, coefficient: Any, out: Any
) -> None:
    """Add what the leaves pay every hand, leaf by leaf, to the sequences that they belong to."""
    boards, hands, _ = sequences.shape
    for b in range(boards):
        for h in range(hands):
            for leaf in range(len(slots)):
                paid = factor[b] * coefficient[leaf] * sums[b, h, column[leaf]]
                out[sequences[b, h, slots[leaf]]] += paid
