"""Games and strategies as commands want them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.games.extensive import ExtensiveGame
    from equipoise.strategy.profile import Strategy
    from equipoise.strategy.store import Bundle


def load_tree(spec: str) -> ExtensiveGame:
    """Return the tree of the game that ``spec`` names."""
    from equipoise.games.base import load
    from equipoise.games.extensive import ExtensiveGame
    from equipoise.games.normal import NormalGame

    game = load(spec)
    if isinstance(game, NormalGame):
        return game.tree
    if isinstance(game, ExtensiveGame):
        return game
    raise EquipoiseError(f"{spec}: found a game given by its factors, expected a tree or matrix.")


def load_strategy(path: Path) -> tuple[Strategy, Bundle]:
    """Return the strategy at ``path`` and all else that the file holds."""
    from equipoise.strategy.store import STRATEGY, load, strategy_of

    bundle = load(path, STRATEGY)
    return strategy_of(path, bundle), bundle


def require_strategy_of(path: Path, strategy: Strategy, game: ExtensiveGame) -> None:
    """Raise, naming the file, unless ``strategy`` is one of ``game``."""
    sizes = tuple(game.sequences(player) for player in range(len(game.players)))
    try:
        strategy.require(game.name, game.fingerprint, sizes)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
