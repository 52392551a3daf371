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
# Where a hand's numbers belong to: a node on the board at hand, or, if signals come out just before the
# node, the moment before them, for all boards that may follow.
AT, BEFORE = 0, 1


class _Public(NamedTuple):
    """The betting tree as kernels take it.

    ``start`` is where a decision node's numbers begin in the vector of both players' behaviour;
    ``entry`` is ``BEFORE`` where signals come out just before a node, and ``AT`` elsewhere.
    """

    first_child: NDArray[np.int64]
    children: NDArray[np.int64]
    slot: NDArray[np.int64]
    player: NDArray[np.int64]
    start: NDArray[np.int64]
    base: Floats
    scale: Floats
    is_showdown: NDArray[np.bool_]
    entry: NDArray[np.int64]


class _Scratch(NamedTuple):
    """Room for sums over hands: two rows over the cards of the deck, one over the hands."""

    cards: Floats
    against: Floats


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
        self.tree = _public(game, _starts(game, strategy))
        self.holes = np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)
        nodes, hands = len(game.tree.parent), len(self.holes)
        self.behaviour = np.concatenate([_normalised(strategy, player) for player in (0, 1)])
        assert strategy.layout is not None
        self.width = [row[0] for row in strategy.layout.buckets]
        self.reach = np.zeros((2, 2, nodes, hands))
        self.value = np.zeros((2, 3, nodes, hands))
        self.scratch = _Scratch(np.zeros((2, game.deck.size)), np.zeros(hands))
        self.rounds = [np.flatnonzero(game.tree.round == turn) for turn in range(game.rounds)]
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
        view = np.zeros(len(holes), dtype=np.int64)
        view[free] = self.views.numbers(turn, hands[free])
        _down(
            self.tree, nodes, free, view, self.width[turn], self.behaviour, self.reach,
        )  # fmt: skip
        if turn + 1 < self.game.rounds:
            self.value[BEFORE, :, self.later[turn]] = 0.0
            left = np.setdiff1d(np.arange(self.game.deck.size, dtype=np.uint8), board)
            for dealt in combinations(left.tolist(), self.game.public[turn + 1]):
                self._walk(turn + 1, np.concatenate([board, np.array(dealt, dtype=np.uint8)]))
        order, rank = self._strengths(turn, hands, free)
        _up(
            self.tree, nodes, free, view, self.width[turn], self.behaviour, holes, order, rank,
            1.0 / self._deals(turn), self.reach, self.value, self.scratch,
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
        first_child=np.append(first, len(children)),
        children=np.array(children, dtype=np.int64),
        slot=slot,
        player=tree.player.astype(np.int64),
        start=start,
        base=tree.base[:, 0].astype(np.float64),
        scale=tree.scale.astype(np.float64),
        is_showdown=(tree.player == TERMINAL) & (tree.kind != NO_OUTCOME),
        entry=np.where(is_entry, BEFORE, AT),
    )


@njit(cache=True, error_model="numpy")
def _down(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, behaviour: Any, reach: Any
) -> None:
    """Carry both players' probabilities of playing to each node, for every hand."""
    hands = len(free)
    for n in range(len(nodes)):
        v = nodes[n]
        if tree.entry[v] == BEFORE:
            for p in range(2):
                for h in range(hands):
                    reach[AT, p, v, h] = reach[BEFORE, p, v, h] if free[h] else 0.0
        own = tree.player[v]
        if own < 0:
            continue
        for i in range(tree.first_child[v], tree.first_child[v + 1]):
            child = tree.children[i]
            when = tree.entry[child]
            offset = tree.start[v] + tree.slot[child] * width
            for h in range(hands):
                reach[when, 1 - own, child, h] = reach[AT, 1 - own, v, h]
                played = behaviour[offset + view[h]]
                reach[when, own, child, h] = reach[AT, own, v, h] * played


@njit(cache=True, error_model="numpy")
def _up(
    tree: Any, nodes: Any, free: Any, view: Any, width: Any, behaviour: Any, holes: Any, order: Any,
    rank: Any, probability: Any, reach: Any, value: Any, scratch: Any,
) -> None:  # fmt: skip
    """Values of each hand at each node, from the leaves up; those of entries are added up."""
    hands, (cards, against) = len(free), scratch
    for n in range(len(nodes) - 1, -1, -1):
        v = nodes[n]
        own = tree.player[v]
        for q in range(3):
            for h in range(hands):
                value[AT, q, v, h] = 0.0
        if own < 0:
            for p in range(2):
                others = reach[AT, 1 - p, v]
                paid = probability * (tree.base[v] if p == 0 else -tree.base[v])
                won = probability * tree.scale[v]
                if tree.is_showdown[v]:
                    # The kind is +1 to the winner, whoever she is: the same for both players.
                    showdown(holes, order, rank, others, cards, against)
                    for i in range(len(order)):
                        value[AT, p, v, order[i]] = won * against[order[i]]
                if paid != 0:
                    compatible(holes, order, others, cards[0], against)
                    for i in range(len(order)):
                        value[AT, p, v, order[i]] += paid * against[order[i]]
            for h in range(hands):
                value[AT, PROFILE, v, h] = value[AT, FIRST, v, h]
        else:
            for i in range(tree.first_child[v], tree.first_child[v + 1]):
                child = tree.children[i]
                when = tree.entry[child]
                offset = tree.start[v] + tree.slot[child] * width
                is_first = i == tree.first_child[v]
                for h in range(hands):
                    got, best = value[when, own, child, h], value[AT, own, v, h]
                    value[AT, own, v, h] = got if is_first else max(best, got)
                    value[AT, 1 - own, v, h] += value[when, 1 - own, child, h]
                    share = behaviour[offset + view[h]] if own == 0 else 1.0
                    value[AT, PROFILE, v, h] += share * value[when, PROFILE, child, h]
        if tree.entry[v] == BEFORE:
            for q in range(3):
                for h in range(hands):
                    value[BEFORE, q, v, h] += value[AT, q, v, h] if free[h] else 0.0
