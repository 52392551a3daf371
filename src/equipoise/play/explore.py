"""Looking into a strategy: what it does at one point of a game, hand by hand, and what actions are worth.

Nothing is read but what is looked at, so a strategy of millions of information sets stays in its file.
"""

from __future__ import annotations

from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.play.explore_poker import PokerExplorer
from equipoise.play.explore_tree import TreeExplorer, spoken
from equipoise.play.scenes import Cell, Explorer, Hit, PathStep, Scene
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree

__all__ = ["Cell", "Explorer", "Hit", "PathStep", "Scene", "explorer", "spoken"]


def explorer(game: Any, strategy: Strategy) -> Explorer:
    """Return the explorer of a strategy of ``game``: a tree, a matrix or a game with signals."""
    if isinstance(game, PokerGame) and game.players == 2:
        return PokerExplorer(game, strategy)
    if isinstance(game, StageGame):
        tree = unroll(game)
        return TreeExplorer(tree, on_tree(game, tree, strategy))
    if isinstance(game, NormalGame):
        game = game.tree
    if isinstance(game, ExtensiveGame):
        return TreeExplorer(game, strategy)
    raise EquipoiseError(
        f"explore: found a {getattr(game, 'family', type(game).__name__)}, expected a tree, a matrix "
        "or a game with signals."
    )
