"""What each action is worth to each hand in one public situation of poker.

A situation is a decision of the betting tree and the board on which it is made. Let c(h') be the
probability that the opponent plays there with the hand h'. With the hand h the player to act expects,
from the action a and the profile after it,

    q(h, a) = sum over h' of c(h') u(h, h', a) / sum over h' of c(h'),

over the hands h' that share no card with h or the board. As in :mod:`equipoise.certificates.public`, hands
are a vector and a leaf takes linear time; all boards that may follow are one batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.ranked import compatible, showdown
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import hand_indexer
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.games.signals.views import views
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]
Board = tuple[int, ...]

MOST_WORK = 300_000_000
"""Most hands on boards at leaves that :meth:`Situations.at` goes through to find values."""


_KEPT = 2_000_000  # hands on boards that are kept, with what is known of them: some 33 bytes each


@dataclass(frozen=True, eq=False)
class Situation:
    """A decision on a board, hand by hand.

    Attributes
    ----------
    player
        Who acts.
    holes
        The hands: rows of hole cards, those that share a card with the board included.
    free
        Which of them share none.
    probabilities
        What is played: a row an action, a column a hand.
    reach
        The probability that the player herself plays to this decision, by hand.
    met
        The total probability with which the opponent does, over the hands she can then have.
    values
        What each action is worth, as ``probabilities``; NaN where the opponent never comes. ``None`` if
        it would take too long to find out.
    """

    player: int
    holes: NDArray[np.uint8]
    free: NDArray[np.bool_]
    probabilities: Floats
    reach: Floats
    met: Floats
    values: Floats | None

    @property
    def value(self) -> Floats | None:
        """What the player expects with each hand."""
        return None if self.values is None else (self.probabilities * self.values).sum(axis=0)


@dataclass(frozen=True, eq=False)
class _Boards:
    """Boards of one round, as a batch: for each, the free hands, the view of each hand, the order."""

    turn: int
    cards: NDArray[np.uint8]
    free: NDArray[np.bool_]
    column: dict[int, NDArray[np.intp]]
    order: NDArray[np.int64]
    rank: NDArray[np.int64]


class Situations:
    """The situations of a poker game under ``strategy``, of the game itself or an abstraction at hand."""

    def __init__(self, game: PokerGame, strategy: Strategy) -> None:
        known = views(game).canonical
        if game.players != 2 or game.hole > 2 or known is None:
            raise EquipoiseError(
                f"{game.name}: found {game.players} players with {game.hole} private cards, expected "
                "two players with one or two."
            )
        if strategy.layout is None or (strategy.is_abstract and strategy.abstraction is None):
            raise EquipoiseError(
                f"Strategy of '{strategy.game}': found one that knows no hands, expected one of "
                f"'{game.name}', or of its abstraction with the abstraction."
            )
        self.game, self._strategy, self._views = game, strategy, known
        self.holes = np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)
        self._layout = strategy.layout
        self._start = np.zeros(len(game.tree.parent), dtype=np.int64)
        for player in (0, 1):
            own = np.flatnonzero(game.tree.player == player)
            self._start[own] = strategy.layout.starts(player)[:-1]
        self._batches: dict[tuple[int, bytes], _Boards] = {}

    @cached_property
    def _leaves(self) -> NDArray[np.int64]:
        """How many leaves are below each node of the betting tree."""
        tree = self.game.tree
        count = (tree.player == TERMINAL).astype(np.int64)
        for node in range(len(count) - 1, 0, -1):
            count[tree.parent[node]] += count[node]
        return np.asarray(count)

    def at(self, node: int, board: Sequence[int], *, with_values: bool = True) -> Situation:
        """Return the situation at the decision ``node`` of the betting tree on ``board``."""
        tree, player = self.game.tree, int(self.game.tree.player[node])
        board = self._checked(node, board)
        reach = [own[None] for own in self._reach(node, board)]
        boards = self._batch(int(tree.round[node]), np.array([board], dtype=np.uint8))
        free = boards.free[0]
        probabilities = self._behaviour(node, boards)[:, 0]
        met = _meet(self.holes, boards, reach[1 - player], self.game.deck.size)
        values = None
        if with_values and self._work(node) <= MOST_WORK:
            sums = [
                self._worth(child, player, boards, int(tree.round[node]), reach[1 - player])[0]
                for child in tree.successors[node]
            ]
            with np.errstate(invalid="ignore", divide="ignore"):
                values = np.where(met[0] > 1e-12, np.array(sums) / met[0], np.nan)
        return Situation(player, self.holes, free, probabilities, reach[player][0], met[0], values)

    def _work(self, node: int) -> int:
        """Return how many hands on boards there are at the leaves below ``node``."""
        turn = int(self.game.tree.round[node])
        ways, left = 1, self.game.deck.size - sum(self.game.public[: turn + 1])
        for count in self.game.public[turn + 1 :]:
            ways *= comb(left, count)
            left -= count
        return ways * len(self.holes) * int(self._leaves[node])

    def _checked(self, node: int, board: Sequence[int]) -> Board:
        """Return the board, the cards of each round in order, or raise."""
        game, turn = self.game, int(self.game.tree.round[node])
        if game.tree.player[node] == TERMINAL:
            raise EquipoiseError(
                f"{game.name}: the game is over after '{game.tree.histories[node]}', expected a decision."
            )
        expected = sum(game.public[: turn + 1])
        cards = tuple(int(card) for card in board)
        in_deck = all(0 <= card < game.deck.size for card in cards)
        if len(cards) != expected or len(set(cards)) != expected or not in_deck:
            raise EquipoiseError(
                f"{game.name}: found a board of {len(cards)} cards, expected {expected} different ones "
                f"in round {turn + 1}."
            )
        return cards

    def _reach(self, node: int, board: Board) -> list[Floats]:
        """Return with which probability each player plays to ``node``, by hand."""
        tree = self.game.tree
        reach = [np.ones(len(self.holes)) for _ in (0, 1)]
        while (parent := int(tree.parent[node])) >= 0:
            turn = int(tree.round[parent])
            seen = np.array([board[: sum(self.game.public[: turn + 1])]], dtype=np.uint8)
            boards = self._batch(turn, seen)
            slot = tree.successors[parent].index(node)
            reach[int(tree.player[parent])] *= self._behaviour(parent, boards)[slot, 0]
            node = parent
        dead = np.isin(self.holes, board).any(axis=1)
        for own in reach:
            own[dead] = 0.0
        return reach

    def _batch(self, turn: int, cards: NDArray[np.uint8]) -> _Boards:
        """Return the boards ``cards``, one a row, of round ``turn``; kept for a while, as they come back."""
        key = turn, cards.tobytes()
        found = self._batches.get(key)
        if found is None:
            found = self._boards(turn, cards)
            while self._batches and sum(map(_size, self._batches.values())) > _KEPT:
                self._batches.pop(next(iter(self._batches)))
            self._batches[key] = found
        return found

    def _boards(self, turn: int, cards: NDArray[np.uint8]) -> _Boards:
        game, holes = self.game, self.holes
        count, hands = len(cards), len(holes)
        free = np.ones((count, hands), dtype=np.bool_)
        for k in range(cards.shape[1]):
            for own in range(game.hole):
                free &= holes[:, own] != cards[:, k, None]
        rows = np.concatenate(
            [np.tile(holes, (count, 1)), np.repeat(cards, hands, axis=0)], axis=1
        )[free.reshape(-1)]
        view = self._views.numbers(turn, rows)
        column = {}
        for player in (0, 1):
            place = np.zeros((count, hands), dtype=np.intp)
            coarse = self._strategy.abstraction if self._strategy.is_abstract else None
            place[free] = view if coarse is None else coarse.bucket(turn, view, player)
            column[player] = place
        rank = np.zeros((count, hands), dtype=np.int64)
        if turn == game.rounds - 1:
            rank[free] = game.strength(game.deck, rows[:, : game.hole], rows[:, game.hole :])
        rank[~free] = np.iinfo(np.int64).max
        order = np.argsort(rank, axis=1, kind="stable")
        return _Boards(turn, cards, free, column, order, rank)

    def _behaviour(self, node: int, boards: _Boards) -> Floats:
        """Return what is played at ``node``: action, board, hand."""
        tree = self.game.tree
        player, actions = int(tree.player[node]), len(tree.successors[node])
        width = self._layout.buckets[boards.turn][player]
        first = int(self._start[node])
        block = self._strategy.behaviour[player][first : first + actions * width]
        chosen = block.reshape(actions, width)[:, boards.column[player]].astype(np.float64)
        total = chosen.sum(axis=0)
        return np.where(boards.free, chosen / np.where(total > 0, total, 1.0), 0.0)

    def _worth(self, node: int, player: int, boards: _Boards, turn: int, reach: Floats) -> Floats:
        """Return what ``player`` expects at ``node`` with each hand, times the opponent's reach."""
        tree, game = self.game.tree, self.game
        later = int(tree.round[node])
        if later > turn:
            return self._dealt(node, player, boards, turn, reach)
        if tree.player[node] == TERMINAL:
            worth = np.zeros_like(reach)
            if tree.base[node, player] != 0:
                worth += tree.base[node, player] * _meet(self.holes, boards, reach, game.deck.size)
            if tree.kind[node] != NO_OUTCOME:
                worth += tree.scale[node] * _beat(self.holes, boards, reach, game.deck.size)
            return worth
        behaviour = self._behaviour(node, boards)
        below = list(zip(behaviour, tree.successors[node], strict=True))
        if tree.player[node] == player:
            parts = [p * self._worth(child, player, boards, turn, reach) for p, child in below]
        else:
            parts = [self._worth(child, player, boards, turn, reach * p) for p, child in below]
        return np.asarray(sum(parts[1:], parts[0]))

    def _dealt(self, node: int, player: int, boards: _Boards, turn: int, reach: Floats) -> Floats:
        """Deal the cards of the next round, all that can be, and sum over them."""
        game = self.game
        count = game.public[turn + 1]
        if not count:
            same = self._batch(turn + 1, boards.cards)
            return self._worth(node, player, same, turn + 1, reach)
        if not boards.cards.shape[1]:
            return self._first_dealt(node, player, boards, turn, reach)
        left = game.deck.size - boards.cards.shape[1]
        after = self._batch(turn + 1, self._extended(boards.cards, count))
        each = comb(left, count)
        spread = np.where(after.free, np.repeat(reach, each, axis=0), 0.0)
        worth = self._worth(node, player, after, turn + 1, spread)
        worth = np.where(after.free, worth, 0.0).reshape(len(boards.cards), each, -1).sum(axis=1)
        return np.asarray(worth / comb(left - 2 * game.hole, count))

    def _first_dealt(
        self, node: int, player: int, boards: _Boards, turn: int, reach: Floats
    ) -> Floats:
        """Deal the first board, one of each class up to the symmetries of the deck.

        They leave the reach as it is, so what is summed over a class of boards is, on average over a class
        of hands, what one of its boards brings times their number.
        """
        game = self.game
        count = game.public[turn + 1]
        kinds = hand_indexer(game, (count,))
        every = np.arange(kinds.size(0))
        copies = kinds.orbit(0, every)
        after = self._batch(turn + 1, kinds.unindex(0, every))
        spread = np.where(after.free, reach, 0.0)
        worth = np.where(after.free, self._worth(node, player, after, turn + 1, spread), 0.0)
        total = (copies[:, None] * worth).sum(axis=0)
        alike = self._views.numbers(turn, self.holes)
        mean = np.bincount(alike, total) / np.maximum(np.bincount(alike), 1)
        return np.asarray(mean[alike][None] / comb(game.deck.size - 2 * game.hole, count))

    def _extended(self, boards: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
        """Return every board with every set of ``count`` more cards."""
        deck = self.game.deck.size
        rows = []
        for board in boards:
            more = _subsets(deck - len(board), count)
            left = np.setdiff1d(np.arange(deck, dtype=np.uint8), board)
            rows.append(np.hstack([np.tile(board, (len(more), 1)), left[more]]))
        return np.concatenate(rows)


@lru_cache(maxsize=8)
def _subsets(size: int, count: int) -> NDArray[np.intp]:
    """Return the ``count``-element subsets of ``size`` things, one a row."""
    return np.array(list(combinations(range(size), count)), dtype=np.intp)


def _size(boards: _Boards) -> int:
    """Return how many hands on boards there are in a batch."""
    return boards.free.size


def _meet(holes: NDArray[np.uint8], boards: _Boards, reach: Floats, deck: int) -> Floats:
    """Return, by board and hand, the reach of the opponent's hands that share no card with it."""
    out = np.zeros_like(reach)
    _every_board(holes, boards.order, boards.free, boards.rank, reach, deck, False, out)
    return out


def _beat(holes: NDArray[np.uint8], boards: _Boards, reach: Floats, deck: int) -> Floats:
    """Return, by board and hand, the reach of the weaker hands minus that of the stronger ones."""
    out = np.zeros_like(reach)
    _every_board(holes, boards.order, boards.free, boards.rank, reach, deck, True, out)
    return out


@njit(cache=True, error_model="numpy")
def _every_board(
    holes: Any, order: Any, free: Any, rank: Any, reach: Any, deck: Any, ranked: Any, out: Any
) -> None:
    """Meet or beat the opponent's hands on one board after another; free hands come first in order."""
    cards = np.zeros((2, deck))
    for b in range(len(reach)):
        left = 0
        for h in range(len(holes)):
            left += free[b, h]
        if ranked:
            showdown(holes, order[b, :left], rank[b], reach[b], cards, out[b])
        else:
            compatible(holes, order[b, :left], reach[b], cards[0], out[b])
