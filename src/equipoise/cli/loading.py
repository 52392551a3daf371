"""Games and strategies as commands want them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.strategy.profile import Strategy
    from equipoise.strategy.store import Bundle


def load_game(spec: str) -> ExtensiveGame | StageGame:
    """Return the game that ``spec`` names as the road takes it: with signals, or a tree."""
    from equipoise.road.verbs import rules_of

    game: ExtensiveGame | StageGame = rules_of(spec)
    return game


def load_strategy(path: Path) -> tuple[Strategy, Bundle]:
    """Return the strategy at ``path`` and all else that the file holds."""
    from equipoise.strategy.store import STRATEGY, load, strategy_of

    bundle = load(path, STRATEGY)
    return strategy_of(path, bundle), bundle


def strategy_of_game(path: Path, game: Any) -> Any:
    """Return the strategy of ``game`` at ``path``: a strategy file, or text (docs/strategy-text.md)."""
    from equipoise.games.poker.game import PokerGame
    from equipoise.road.families import family_of
    from equipoise.road.verbs import open
    from equipoise.strategy.simple import SIMPLE, simple_strategy

    if str(path) in SIMPLE and isinstance(game, PokerGame):
        return simple_strategy(game, str(path))
    if str(path) in SIMPLE and not path.exists():
        name, _ = family_of(game).identity(game)
        raise EquipoiseError(
            f"{path}: found the game '{name}', expected a poker game that is given by its rounds, such as "
            "rhode-island."
        )
    if path.suffix == ".txt":
        from equipoise.games.base import in_words
        from equipoise.strategy.text import read_text

        if family_of(game).name not in ("zero-sum", "general-sum"):
            raise EquipoiseError(
                f"{path}: found a text for a {in_words(game.family)}, expected a strategy file."
            )
        return read_text(path, game)
    return open(path, game).strategy


def load_abstraction(path: Path, game: StageGame) -> Abstraction:
    """Return the abstraction at ``path``, which must be one of ``game``."""
    from equipoise.strategy import store

    found = store.load_abstraction(path, game)
    try:
        found.check(game)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
    return found


def require_strategy_of(path: Path, strategy: Strategy, game: ExtensiveGame | StageGame) -> None:
    """Raise, naming the file, unless ``strategy`` is one of ``game``."""
    from equipoise.strategy.table import require_distributions

    try:
        require_distributions(game, strategy)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
