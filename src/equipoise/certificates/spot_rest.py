"""The rest of a hand as a spot of its own: what a strategy says of the hands, and what it promises them.

GS1 and GS2 solved the end of a hand anew with the beliefs that Bayes' rule gives (Gilpin 2009, sections 6.3.1 and
6.4.1): each player's hands weighted by how likely they play to that point. The opponent need not have played so, and
the result may do harm. With a *keeper* only her own hands are so weighted; the other player may hold
whatever she began with, and is promised what a best response to the strategy takes of the pot
(:mod:`equipoise.games.poker.spot_promises`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.spot_hands import reach_at
from equipoise.certificates.spots import SpotWalk
from equipoise.errors import EquipoiseError, quoted, require_type
from equipoise.games.poker.spot_promises import KEEPERS, RESOLVE
from equipoise.games.poker.spots import Spot, spot
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.strategy.spots import SpotStrategy

BETTING = (
    *("bets", "raises", "donk", "cap", "add_allin", "force_allin", "merge", "rake", "rake_cap"),
    *("smallest", "chip", "lock", "joint"),
)
"""What there is to say of the rest of a hand; the point says the rest."""


def rest_of(
    strategy: SpotStrategy,
    history: str,
    cards: str = "",
    *,
    keeper: str | None = None,
    gadget: str = RESOLVE,
    **rules: Any,
) -> Spot:
    """Return the spot that is left after ``history`` and ``cards``, where a street begins.

    Parameters
    ----------
    strategy
        What both players did before, and would have done.
    history, cards
        As :meth:`equipoise.strategy.spots.SpotStrategy.at` takes them.
    keeper, gadget
        Who solves the rest anew, and what the other may do with what she was promised. Without a keeper both
        are believed to have played by the strategy.
    rules
        The betting, as :func:`equipoise.poker.spot` takes it: ``bets`` and so on.
    """
    require_type("rest_of: strategy", strategy, SpotStrategy, "the strategy of a spot")
    for name in rules:
        if name not in BETTING:
            raise EquipoiseError(
                f"rest_of: found {quoted(name)}, which the point decides, expected rules of the betting: "
                f"{', '.join(BETTING)}."
            )
    game = strategy.spot
    node, dealt = strategy.decision(history, cards)
    half, left = _chips(game, node)
    walk = SpotWalk(game, strategy)
    reach = reach_at(walk, node, dealt)
    deck, weights = game.deck, [own.copy() for own in game.weights]
    believed = (0, 1) if keeper is None else (KEEPERS.index(_known(keeper)),)
    for player in believed:
        weights[player][weights[player] > 0] *= reach[player][0]
    given: dict[str, Any] = {}
    if keeper is not None:
        given = {"keeper": keeper, "gadget": gadget}
        given["promised"] = half + _promised(walk, node, dealt, reach, 1 - believed[0])
    return spot(
        deck.text(game.board) + cards,
        weights[0],
        weights[1],
        2 * half,
        left,
        ranks=deck.ranks,
        suits=deck.suits,
        **(rules | given),
    )


def _promised(
    walk: SpotWalk, node: int, dealt: Any, reach: tuple[Any, Any], player: int
) -> NDArray[np.float64]:
    """Return what a best response wins with each hand of the deck, beside half of the pot; NaN if it is not held."""
    spot = walk.spot
    at = np.array([dealt], dtype=np.int64).reshape(1, -1)
    street, hands, worth, _ = walk.point(at, node, reach)
    other = reach[1 - player][0] * spot.reach[1 - player] * hands.live[1 - player][0]
    met = (hands.met if player == 0 else hands.met.T) @ other
    met /= spot.pairs * walk.boards.deals(street)
    # A hand that can meet none wins nothing, whatever it does.
    won = np.divide(worth[node].best[player][0], met, np.zeros(len(met)), where=met > 0)
    values = np.full(len(spot.weights[player]), np.nan)
    values[spot.weights[player] > 0] = won
    return values


def _chips(game: Spot, node: int) -> tuple[float, float]:
    """Return what each player has put in where a street begins, and what she has left."""
    tree = game.tree
    above = int(tree.parent[node])
    if above >= 0 and tree.round[above] == tree.round[node]:
        raise EquipoiseError(
            f"history '{tree.histories[node]}': found a street that has begun, expected the end of one."
        )
    is_below = np.zeros(len(tree.parent), dtype=bool)
    is_below[node] = True
    for child in range(node + 1, len(tree.parent)):
        is_below[child] = is_below[tree.parent[child]]
    folds = is_below & (tree.player == TERMINAL) & (tree.kind == NO_OUTCOME)
    if not folds.any():
        raise EquipoiseError(
            f"history '{tree.histories[node]}': found a street without a bet, expected one to solve."
        )
    # Who folds to the first bet of a street loses what she had put in before it.
    half = float((-tree.base[folds].min(axis=1)).min())
    return half, game.stack - (half - game.pot / 2)


def _known(keeper: str) -> str:
    if keeper not in KEEPERS:
        raise EquipoiseError(f"keeper: found '{keeper}', expected one of {', '.join(KEEPERS)}.")
    return keeper
