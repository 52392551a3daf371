"""From a game without its last rounds back to the whole one: play on as the later behaviour says."""

from __future__ import annotations

import numpy as np

from equipoise.abstraction.stages import Behaviour, StageAbstraction
from equipoise.games.signals.stage_game import StageGame
from equipoise.strategy.profile import Strategy
from equipoise.strategy.translate import blocks
from equipoise.strategy.views import Apart, require_layout


def prolong(strategy: Strategy, abstraction: StageAbstraction) -> Strategy:
    """Return the strategy of the whole game that plays ``strategy``, and later as was assumed."""
    short, whole = abstraction.short, abstraction.whole
    seen = Apart(short, strategy)
    before, layout = seen.layout, seen.layout_in(whole)
    vectors = []
    for player, own in enumerate(strategy.behaviour):
        vector = np.ones(int(layout.starts(player)[-1]), dtype=own.dtype)
        known = {
            int(abstraction.nodes[node]): block
            for node, block in blocks(short.tree.player, before, player, own).items()
        }
        for node, block in blocks(whole.tree.player, layout, player, vector).items():
            block[:] = known[node] if node in known else abstraction.later[node]
        vectors.append(vector)
    return seen.strategy_of(whole, vectors)


def behaviour_of(strategy: Strategy, game: StageGame) -> Behaviour:
    """Return what ``strategy``, one of ``game``, does at every decision node: actions by views, or buckets."""
    layout = require_layout(game, strategy)
    return {
        node: block
        for player, own in enumerate(strategy.behaviour)
        for node, block in blocks(game.tree.player, layout, player, own).items()
    }
