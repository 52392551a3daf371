"""Certificates of poker strategies on the public tree, every card of the deck told apart.

The accelerated best response of Johanson et al. (2011; Muench 2015, section 3.3): instead of walking
the game tree, walk what is public (betting and board) and carry a vector over all private hands. At
a leaf the payoff against every hand of the opponent is one pass over the hands sorted by strength,
with the hands that share a card taken out by inclusion and exclusion, so a leaf costs linear time.

Nothing of an abstraction or a symmetry enters, except that the strategy is looked up by view: every
board of the deck is dealt, and a best response may use every card it sees.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.ranked import compatible, showdown
from equipoise.certificates.certificate import Certificate
from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.games.signals.views import views
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]

# What is computed for each hand: best responses of both players, and player 1's value.
FIRST, SECOND, PROFILE = 0, 1, 2


class _Public(NamedTuple):
    """The betting tree as kernels take it."""

    parent: NDArray[np.int64]
    first_child: NDArray[np.int64]
    children: NDArray[np.int64]
    slot: NDArray[np.int64]
    round: NDArray[np.int64]
    player: NDArray[np.int64]
    base: Floats
    scale: Floats
    is_showdown: NDArray[np.bool_]
    # The round whose signals come out just before a node, and that of its parent, which is not always
    # the round before: play may skip rounds. Both are -1 where no signals come out; the root has no
    # parent.
    entry: NDArray[np.int64]
    above: NDArray[np.int64]


def certify_public(game: PokerGame, strategy: Strategy) -> Certificate:
    """Return the certificate of ``strategy``, one that plays by the views of ``game``."""
    if game.players != 2 or game.hole > 2:
        raise EquipoiseError(
            f"{game.name}: found {game.players} players with {game.hole} private cards, expected "
            "two players with one or two."
        )
    first, second, value = _Walk(game, strategy).totals()
    return Certificate(
        values=(value, -value),
        best_responses=(first, second),
        gains=(first - value, second + value),
    )


class _Walk:
    """One evaluation of a strategy over all boards."""

    def __init__(self, game: PokerGame, strategy: Strategy) -> None:
        known = views(game)
        assert isinstance(known, CanonicalViews)
        self.game, self.views = game, known
        self.tree = _public(game)
        self.holes = np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)
        nodes, hands = len(game.tree.parent), len(self.holes)
        self.behaviour = [_normalised(strategy, player) for player in (0, 1)]
        self.width = self._widths(strategy)
        self.start = self._starts(strategy)
        self.reach = np.zeros((2, nodes, hands))
        self.arrive = np.zeros((2, nodes, hands))
        self.value = np.zeros((3, nodes, hands))
        self.expected = np.zeros((3, nodes, hands))
        self.rounds = [np.flatnonzero(game.tree.round == turn) for turn in range(game.rounds)]
        self.later = [np.flatnonzero(self.tree.above == turn) for turn in range(game.rounds)]
        self.arrive[:, 0] = 1.0

    def _widths(self, strategy: Strategy) -> list[int]:
        assert strategy.layout is not None
        return [row[0] for row in strategy.layout.buckets]

    def _starts(self, strategy: Strategy) -> NDArray[np.int64]:
        """Return where each decision node's numbers begin in its player's vector."""
        assert strategy.layout is not None
        start = np.zeros(len(self.game.tree.parent), dtype=np.int64)
        for player in (0, 1):
            own = np.flatnonzero(self.game.tree.player == player)
            start[own] = strategy.layout.starts(player)[:-1]
        return start

    def totals(self) -> tuple[float, float, float]:
        """Return both best-response values and the value of the profile."""
        self._walk(0, np.zeros(0, dtype=np.uint8))
        totals = self.expected[:, 0].sum(axis=1)
        return float(totals[FIRST]), float(totals[SECOND]), float(totals[PROFILE])

    def _walk(self, turn: int, board: NDArray[np.uint8]) -> None:
        """Evaluate round ``turn`` on ``board``, and add its values to ``expected`` at its entries.

        An entry sums over all boards that extend the one on which its parent was played, however
        many rounds later it comes: it is set to zero in the round of its parent.
        """
        holes, nodes = self.holes, self.rounds[turn]
        free = np.logical_not(np.isin(holes, board).any(axis=1))
        hands = np.concatenate([holes, np.tile(board, (len(holes), 1))], axis=1)
        view = np.zeros(len(holes), dtype=np.int64)
        view[free] = self.views.numbers(turn, hands[free])
        _down(
            self.tree, nodes, free, view, self.width[turn], self.start, *self.behaviour,
            self.arrive, self.reach,
        )  # fmt: skip
        if turn + 1 < self.game.rounds:
            self.expected[:, self.later[turn]] = 0.0
            left = np.setdiff1d(np.arange(self.game.deck.size, dtype=np.uint8), board)
            for dealt in combinations(left.tolist(), self.game.public[turn + 1]):
                self._walk(turn + 1, np.concatenate([board, np.array(dealt, dtype=np.uint8)]))
        order, rank = self._strengths(turn, hands, free)
        _up(
            self.tree, nodes, free, view, self.width[turn], self.start, *self.behaviour,
            self.game.deck.size, holes, order, rank, 1.0 / self._deals(turn), self.reach, self.value,
            self.expected,
        )  # fmt: skip

    def _strengths(
        self, turn: int, hands: NDArray[np.uint8], free: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the free hands from weak to strong, and each hand's strength."""
        game, rank = self.game, np.zeros(len(hands), dtype=np.int64)
        if self.tree.is_showdown[self.rounds[turn]].any():
            rank[free] = game.strength(
                game.deck, hands[free][:, : game.hole], hands[free][:, game.hole :]
            )
        order = np.argsort(rank, kind="stable")
        return order[free[order]], rank

    def _deals(self, turn: int) -> int:
        """Return the number of deals (both hands and the board) of a round: all equally likely."""
        game = self.game
        left, count = game.deck.size, 1
        for cards in (game.hole, game.hole, *game.public[1 : turn + 1]):
            count *= comb(left, cards)
            left -= cards
        return count


def _normalised(strategy: Strategy, player: int) -> Floats:
    """Return a player's numbers as distributions: at every node and view they sum to one."""
    assert strategy.layout is not None
    vector = np.array(strategy.behaviour[player], dtype=np.float64)
    starts = strategy.layout.starts(player)
    for (_, actions), begin, end in zip(
        strategy.layout.nodes[player], starts[:-1], starts[1:], strict=True
    ):
        block = vector[begin:end].reshape(actions, -1)
        total = block.sum(axis=0)
        if total.min() <= 0:
            raise EquipoiseError(
                f"Strategy of '{strategy.game}': player {player + 1} has a view without a positive "
                "probability, expected a distribution over the actions."
            )
        block /= total
    return vector


def _public(game: PokerGame) -> _Public:
    tree = game.tree
    nodes = len(tree.parent)
    first, count = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    slot = np.zeros(nodes, dtype=np.int64)
    children: list[int] = []
    for node, below in enumerate(tree.successors):
        first[node], count[node] = len(children), len(below)
        slot[list(below)] = np.arange(len(below))
        children.extend(below)
    above = np.where(tree.parent < 0, -1, tree.round[np.maximum(tree.parent, 0)])
    return _Public(
        parent=tree.parent.astype(np.int64),
        first_child=np.append(first, len(children)),
        children=np.array(children, dtype=np.int64),
        slot=slot,
        round=tree.round.astype(np.int64),
        player=tree.player.astype(np.int64),
        base=tree.base[:, 0].astype(np.float64),
        scale=tree.scale.astype(np.float64),
        is_showdown=(tree.player == TERMINAL) & (tree.kind != NO_OUTCOME),
        entry=np.where(tree.round > above, tree.round, -1).astype(np.int64),
        above=np.where(tree.round > above, above, -1).astype(np.int64),
    )


@njit(cache=True, error_model="numpy")
def _down(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, start: Any, first: Any, second: Any,
    arrive: Any, reach: Any,
) -> None:  # fmt: skip
    """Carry both players' probabilities of playing to each node, for every hand."""
    hands = len(free)
    for v in nodes:
        if tree.entry[v] >= 0:
            for p in range(2):
                for h in range(hands):
                    reach[p, v, h] = arrive[p, v, h] if free[h] else 0.0
        for i in range(tree.first_child[v], tree.first_child[v + 1]):
            if tree.player[v] < 0:
                break
            child = tree.children[i]
            own = tree.player[v]
            behaviour = first if own == 0 else second
            target = arrive if tree.entry[child] >= 0 else reach
            offset = start[v] + tree.slot[child] * width
            for h in range(hands):
                target[1 - own, child, h] = reach[1 - own, v, h]
                target[own, child, h] = reach[own, v, h] * behaviour[offset + view[h]]


@njit(cache=True, error_model="numpy")
def _up(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, start: Any, first: Any, second: Any,
    deck: Any, holes: Any, order: Any, rank: Any, probability: Any, reach: Any, value: Any,
    expected: Any,
) -> None:  # fmt: skip
    """Values of each hand at each node, from the leaves up; those of entries are added up."""
    hands = len(free)
    cards = np.zeros((2, deck))
    against = np.zeros(hands)
    for i in range(len(nodes)):
        v = nodes[len(nodes) - 1 - i]
        if tree.player[v] < 0:
            for p in range(2):
                for h in range(hands):
                    value[p, v, h] = 0.0
                if tree.is_showdown[v]:
                    # The kind is +1 to the winner, whoever she is: the same for both players.
                    showdown(holes, order, rank, reach[1 - p, v], cards, against)
                    for h in order:
                        value[p, v, h] = probability * tree.scale[v] * against[h]
                if tree.base[v] != 0:
                    paid = probability * (tree.base[v] if p == 0 else -tree.base[v])
                    compatible(holes, order, reach[1 - p, v], cards[0], against)
                    for h in order:
                        value[p, v, h] += paid * against[h]
            for h in range(hands):
                value[2, v, h] = value[0, v, h]
        else:
            own = tree.player[v]
            behaviour = first if own == 0 else second
            for q in range(3):
                for h in range(hands):
                    value[q, v, h] = 0.0
            for j in range(tree.first_child[v], tree.first_child[v + 1]):
                child = tree.children[j]
                below = expected if tree.entry[child] >= 0 else value
                offset = start[v] + tree.slot[child] * width
                is_first = j == tree.first_child[v]
                for h in range(hands):
                    got = below[own, child, h]
                    value[own, v, h] = got if is_first else max(value[own, v, h], got)
                    value[1 - own, v, h] += below[1 - own, child, h]
                    share = behaviour[offset + view[h]] if own == 0 else 1.0
                    value[2, v, h] += share * below[2, child, h]
        if tree.entry[v] >= 0:
            for q in range(3):
                for h in range(hands):
                    if free[h]:
                        expected[q, v, h] += value[q, v, h]
