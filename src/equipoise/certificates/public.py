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
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.games.signals.views import views
from equipoise.numerics.kernels import EXACT
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]
Indices = NDArray[np.uint64]

_ZERO, _ONE, _TWO, _THREE = (np.uint64(n) for n in range(4))
# What is computed for each hand: best responses of both players, and player 1's value.
FIRST, SECOND, PROFILE = (np.uint64(n) for n in range(3))
NOBODY = np.uint64(2)  # moves at a leaf
# Where a hand's numbers belong to: a node on the board at hand, or, if signals come out just before the
# node, the moment before them, for all boards that may follow.
AT, BEFORE = np.uint64(0), np.uint64(1)


class _Public(NamedTuple):
    """The betting tree as kernels take it.

    ``start`` is where a decision node's numbers begin in the vector of both players' behaviour;
    ``entry`` is ``BEFORE`` where signals come out just before a node, and ``AT`` elsewhere.
    """

    first_child: Indices
    children: Indices
    slot: Indices
    player: Indices
    start: Indices
    base: Floats
    scale: Floats
    is_showdown: NDArray[np.bool_]
    entry: Indices


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
        known = views(game).canonical
        assert known is not None, "deals end in showdowns alone"
        self.game, self.views = game, known
        self.tree = _public(game, _starts(game, strategy))
        self.holes = np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)
        nodes, hands = len(game.tree.parent), len(self.holes)
        self.behaviour = np.concatenate([_normalised(strategy, player) for player in (0, 1)])
        assert strategy.layout is not None
        self.width = [row[0] for row in strategy.layout.buckets]
        self.reach = np.zeros((2, 2, nodes, hands))
        self.value = np.zeros((2, 3, nodes, hands))
        # Room for sums over hands: two rows over the cards of the deck, one over the hands.
        self.cards, self.against = np.zeros((2, game.deck.size)), np.zeros(hands)
        self.rounds = [
            np.flatnonzero(game.tree.round == turn).astype(np.uint64) for turn in range(game.rounds)
        ]
        self.later = [np.flatnonzero(_left(game) == turn) for turn in range(game.rounds)]
        self.reach[BEFORE, :, 0] = 1.0

    def totals(self) -> tuple[float, float, float]:
        """Return both best-response values and the value of the profile."""
        self._walk(0, np.zeros(0, dtype=np.uint8))
        totals = self.value[BEFORE, :, 0].sum(axis=1)
        return float(totals[FIRST]), float(totals[SECOND]), float(totals[PROFILE])

    def _walk(self, turn: int, board: NDArray[np.uint8]) -> None:
        """Evaluate round ``turn`` on ``board``, and add its values to those before its entries.

        An entry sums over all boards that extend the one on which its parent was played, however
        many rounds later it comes: it is set to zero in the round of its parent.
        """
        holes, nodes = self.holes, self.rounds[turn]
        free = np.logical_not(np.isin(holes, board).any(axis=1))
        hands = np.concatenate([holes, np.tile(board, (len(holes), 1))], axis=1)
        view = np.zeros(len(holes), dtype=np.uint64)
        view[free] = self.views.numbers(turn, hands[free])
        reach, width = self.reach.reshape(-1), np.uint64(self.width[turn])
        _down(self.tree, nodes, free, view, width, self.behaviour, reach)
        if turn + 1 < self.game.rounds:
            self.value[BEFORE, :, self.later[turn]] = 0.0
            left = np.setdiff1d(np.arange(self.game.deck.size, dtype=np.uint8), board)
            for dealt in combinations(left.tolist(), self.game.public[turn + 1]):
                self._walk(turn + 1, np.concatenate([board, np.array(dealt, dtype=np.uint8)]))
        order, rank = self._strengths(turn, hands, free)
        _up(
            self.tree, nodes, free, view, width, self.behaviour, holes, order, rank,
            1.0 / self._deals(turn), reach, self.value.reshape(-1), self.cards, self.against,
        )  # fmt: skip

    def _strengths(
        self, turn: int, hands: NDArray[np.uint8], free: NDArray[np.bool_]
    ) -> tuple[Indices, NDArray[np.int64]]:
        """Return the free hands from weak to strong, and each hand's strength."""
        game, rank = self.game, np.zeros(len(hands), dtype=np.int64)
        if self.tree.is_showdown[self.rounds[turn]].any():
            rank[free] = game.strength(
                game.deck, hands[free][:, : game.hole], hands[free][:, game.hole :]
            )
        order = np.argsort(rank, kind="stable")
        return order[free[order]].astype(np.uint64), rank

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


def _starts(game: PokerGame, strategy: Strategy) -> NDArray[np.int64]:
    """Return where each decision node's numbers begin in the vector of both players' behaviour."""
    assert strategy.layout is not None
    start = np.zeros(len(game.tree.parent), dtype=np.int64)
    before = 0
    for player in (0, 1):
        *own, length = strategy.layout.starts(player)
        start[np.flatnonzero(game.tree.player == player)] = before + np.array(own, dtype=np.int64)
        before = int(length)
    return start


def _left(game: PokerGame) -> NDArray[np.int64]:
    """Return the round of each node's parent if signals come out between the two, and -1 elsewhere.

    That is not always the round before: play may skip rounds. The root has no parent.
    """
    tree = game.tree
    above = np.where(tree.parent < 0, -1, tree.round[np.maximum(tree.parent, 0)])
    return np.where(tree.round > above, above, -1)


def _public(game: PokerGame, start: NDArray[np.int64]) -> _Public:
    tree = game.tree
    nodes = len(tree.parent)
    first, slot = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    children: list[int] = []
    for node, below in enumerate(tree.successors):
        first[node] = len(children)
        slot[list(below)] = np.arange(len(below))
        children.extend(below)
    is_entry = (tree.parent < 0) | (_left(game) >= 0)
    return _Public(
        first_child=np.append(first, len(children)).astype(np.uint64),
        children=np.array(children, dtype=np.uint64),
        slot=slot.astype(np.uint64),
        player=np.where(tree.player == TERMINAL, NOBODY, tree.player).astype(np.uint64),
        start=start.astype(np.uint64),
        base=tree.base[:, 0].astype(np.float64),
        scale=tree.scale.astype(np.float64),
        is_showdown=(tree.player == TERMINAL) & (tree.kind != NO_OUTCOME),
        entry=np.where(is_entry, BEFORE, AT).astype(np.uint64),
    )


# Vectors over hands lie one after the other: for each moment, player (or quantity) and node.


@njit(**EXACT)
def _down(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, behaviour: Any, reach: Any
) -> None:
    """Carry both players' probabilities of playing to each node, for every hand."""
    hands = np.uint64(len(free))
    side = np.uint64(len(tree.player)) * hands
    for n in range(np.uint64(len(nodes))):
        v = nodes[n]
        at, own = v * hands, tree.player[v]
        if tree.entry[v] == BEFORE:
            for p in range(_TWO):
                for h in range(hands):
                    arrives = reach[(_TWO + p) * side + at + h]
                    reach[p * side + at + h] = arrives if free[h] else 0.0
        if own == NOBODY:
            continue
        mine, theirs = own * side, (_ONE - own) * side
        for i in range(tree.first_child[v], tree.first_child[v + _ONE]):
            child = tree.children[i]
            below = tree.entry[child] * _TWO * side + child * hands
            offset = tree.start[v] + tree.slot[child] * width
            for h in range(hands):
                reach[below + theirs + h] = reach[theirs + at + h]
                played = behaviour[offset + view[h]]
                reach[below + mine + h] = reach[mine + at + h] * played


@njit(**EXACT)
def _up(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, behaviour: Any, holes: Any, order: Any,
    rank: Any, probability: Any, reach: Any, value: Any, cards: Any, against: Any,
) -> None:  # fmt: skip
    """Values of each hand at each node, from the leaves up; those of entries are added up."""
    hands, last = np.uint64(len(free)), np.uint64(len(nodes)) - _ONE
    side = np.uint64(len(tree.player)) * hands
    for n in range(np.uint64(len(nodes))):
        v = nodes[last - n]
        at, own = v * hands, tree.player[v]
        for q in range(_THREE):
            for h in range(hands):
                value[q * side + at + h] = 0.0
        if own == NOBODY:
            for p in range(_TWO):
                others = reach[(_ONE - p) * side + at : (_ONE - p) * side + at + hands]
                paid = probability * (tree.base[v] if p == _ZERO else -tree.base[v])
                won = probability * tree.scale[v]
                if tree.is_showdown[v]:
                    # The kind is +1 to the winner, whoever she is: the same for both players.
                    showdown(holes, order, rank, others, cards, against)
                    for h in order:
                        value[p * side + at + h] = won * against[h]
                if paid != 0.0:
                    compatible(holes, order, others, cards[0], against)
                    for h in order:
                        value[p * side + at + h] += paid * against[h]
            for h in range(hands):
                value[PROFILE * side + at + h] = value[at + h]
        else:
            mine, theirs, both = own * side, (_ONE - own) * side, PROFILE * side
            for i in range(tree.first_child[v], tree.first_child[v + _ONE]):
                child = tree.children[i]
                below = tree.entry[child] * _THREE * side + child * hands
                offset = tree.start[v] + tree.slot[child] * width
                is_first = i == tree.first_child[v]
                for h in range(hands):
                    got, best = value[below + mine + h], value[mine + at + h]
                    value[mine + at + h] = got if is_first else max(best, got)
                    value[theirs + at + h] += value[below + theirs + h]
                    share = behaviour[offset + view[h]] if own == _ZERO else 1.0
                    value[both + at + h] += share * value[below + both + h]
        if tree.entry[v] == BEFORE:
            for q in range(_THREE):
                for h in range(hands):
                    got = value[q * side + at + h]
                    value[(_THREE + q) * side + at + h] += got if free[h] else 0.0
