"""The strength of every hand on whole boards: by compiled loops, with arrays on a device, or hand by hand.

Where the best cards count, the hands on a board have its cards in common, and sums over those are made once
(:mod:`equipoise.cards.board_ranks`). Any other order of hands is asked for hand by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from equipoise.cards.deck import Cards
from equipoise.games.poker.game import BestCards, PokerGame
from equipoise.games.poker.streets import Streets
from equipoise.numerics.device import Array, Device

Ranks = Callable[[Cards], Array]


def board_strength(game: PokerGame, streets: Streets, device: Device | None = None) -> Ranks:
    """Return what ranks the hands of the last street on rows of whole boards; larger is better.

    Ranks are small whole numbers: in the memory of ``device`` if there is one.
    """
    hands = streets.streets[-1].hands if streets.streets else streets.holes
    strength, seen = game.strength, game.hole + sum(game.public)

    def one_by_one(boards: Cards) -> Array:
        held = np.asarray(streets.left(boards)[:, hands.astype(np.intp)])
        beside = np.repeat(boards, held.shape[1], axis=0)
        ranks = strength(game.deck, held.reshape(-1, held.shape[2]), beside)
        found = ranks.astype(np.int64).reshape(held.shape[:2])
        return found if device is None else device.put(found)

    if not isinstance(strength, BestCards):
        return one_by_one
    evaluator = strength.evaluator(game.deck, seen)
    if device is not None:
        from equipoise.cards.board_ranks import BoardRanks

        arrays = BoardRanks(evaluator, device.xp, device.device)
        return lambda boards: arrays(boards, streets.left(boards), hands)

    def compiled(boards: Cards) -> Any:
        from equipoise.cards.rank_kernel import rank_boards

        out = np.empty((len(boards), len(hands)), dtype=np.uint16)
        rank_boards(boards, streets.left(boards), hands, evaluator.tables, evaluator.start, out)
        return out

    return compiled
