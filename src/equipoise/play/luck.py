"""Less luck: what an agent whose strategy is known would have won on average with the hands it might have had.

Let an agent play the strategy σ, and let z be the betting, b the board and h' the opponent's hand of a play
that came to a showdown. Given these, the agent's own hand h has probability in proportion to σ(z | h), the
probability that it bets like that with h, over the hands that share no card with b and h'. So

    E[u | z, b, h'] = Σ_h σ(z | h) u(z, h, h') / Σ_h σ(z | h)

has the same mean as what was won and, being a conditional expectation, never a larger variance (Rao and
Blackwell; Bowling, Johanson, Burch and Szafron 2008 use it in poker). Where somebody folds, no card
decides, and nothing changes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME
from equipoise.play.simulate import Behaviour, hands_of, split_cards

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_ROWS = 1 << 20  # hands that might have been, compared at once


def without_luck(
    game: PokerGame,
    known: Behaviour,
    player: int,
    leaves: Ints,
    cards: NDArray[np.uint8],
    payoffs: Floats,
) -> Floats:
    """Return ``payoffs`` of player 1 with the luck of ``player``, who plays as ``known``, taken out.

    Each hand ended at a leaf of the betting tree, with the cards as they were dealt.
    """
    tree = game.tree
    adjusted = payoffs.copy()
    holes = np.array(list(combinations(range(game.deck.size), game.hole)), dtype=np.uint8)
    batch = max(1, _MOST_ROWS // len(holes))
    for leaf in np.unique(leaves[tree.kind[leaves] != NO_OUTCOME]).tolist():
        rows = np.flatnonzero(leaves == leaf)
        for begin in range(0, len(rows), batch):
            some = rows[begin : begin + batch]
            share = _showdown(game, known, player, leaf, cards[some], holes)
            adjusted[some] = tree.base[leaf, 0] + tree.scale[leaf] * share
    return adjusted


def _showdown(
    game: PokerGame,
    known: Behaviour,
    player: int,
    leaf: int,
    cards: NDArray[np.uint8],
    holes: NDArray[np.uint8],
) -> Floats:
    """Return the expected outcome for player 1, at scale one, of hands with the same betting."""
    dealt, board = split_cards(game, cards)
    taken = np.concatenate([dealt[1 - player], board], axis=1)
    free = ~(holes[None, :, :, None] == taken[:, None, None, :]).any(axis=(2, 3))
    hand, own = np.nonzero(free)
    weight = _reach(game, known, player, leaf, holes[own], board[hand])
    mine = game.strength(game.deck, holes[own], board[hand]).astype(np.int64)
    other = game.strength(game.deck, dealt[1 - player], board).astype(np.int64)[hand]
    sign = np.sign(mine - other) * (1 if player == 0 else -1)
    total = np.bincount(hand, weight, len(cards))
    return np.asarray(np.bincount(hand, weight * sign, len(cards)) / total)


def _reach(
    game: PokerGame,
    known: Behaviour,
    player: int,
    leaf: int,
    holes: NDArray[np.uint8],
    board: NDArray[np.uint8],
) -> Floats:
    """Return the probability that ``player`` bets as on the way to ``leaf``, for every hand."""
    tree = game.tree
    reach = np.ones(len(holes))
    columns: dict[int, Ints] = {}
    node = leaf
    while (parent := int(tree.parent[node])) >= 0:
        if tree.player[parent] == player:
            turn = int(tree.round[parent])
            if turn not in columns:
                columns[turn] = (
                    np.zeros(len(holes), dtype=np.int64)
                    if known.column is None
                    else known.column(turn, player, hands_of(game, turn, holes, board))
                )
            below = tree.successors[parent]
            first = int(known.begin[parent]) + columns[turn]
            stride, vector = int(known.stride[parent]), known.vectors[player]
            shares = [vector[first + k * stride].astype(np.float64) for k in range(len(below))]
            total = sum(shares[1:], shares[0])
            reach *= shares[below.index(node)] / np.where(total > 0, total, 1.0)
        node = parent
    return reach
