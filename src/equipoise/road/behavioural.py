"""What families share whose strategies are behaviours in information sets: of trees, games with signals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, require_type
from equipoise.road.families import Asked, Family, Lines

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.road.result import Result
    from equipoise.solvers.driver import Arrays
    from equipoise.strategy.profile import Strategy
    from equipoise.strategy.store import Bundle, Metadata

    Game = ExtensiveGame | StageGame


class Behavioural(Family):
    """Identity, certificate and store of behaviour strategies."""

    checks = ("infosets", "flops", "device", "seed", "each", "parts", "note")

    def identity(self, game: Game) -> tuple[str, str]:
        """Return the game's name and the digest of its structure."""
        from equipoise.games.signals.stage_game import StageGame
        from equipoise.sequence.build import game_fingerprint

        if isinstance(game, StageGame):
            return game.name, game_fingerprint(game)
        return game.name, game.fingerprint

    def certify(
        self, game: Any, strategy: Strategy, *, rigorous: bool = False, **options: Any
    ) -> Certificate:
        """Show by best responses in the full game what both players could gain.

        The ``options`` are those of :func:`equipoise.certificates.gap.certify`.
        """
        from equipoise.certificates.gap import certify
        from equipoise.strategy.profile import Strategy

        require_type("certify", strategy, Strategy, "a strategy of this game")
        return certify(game, strategy, rigorous=rigorous, **options)

    def lines(self, result: Result, asked: Asked) -> Lines:
        """Return what the strategy does where it was asked for; no more than that is looked up."""
        from equipoise.strategy.table import decisions_in, groups

        found, rules, strategy = Lines([], 0), result.rules, result.strategy
        for group in groups(rules, strategy):
            labels = enumerate(group.labels)
            own = [k for k, label in labels if asked.of(group.player, label)]
            room = None if asked.limit is None else asked.limit - len(found.shown)
            more = decisions_in(group, result.strategy, own[:room])
            found = Lines(found.shown + more, found.total + len(own))
        return found

    def pack(self, strategy: Strategy) -> tuple[Arrays, Metadata]:
        """Return behaviour vectors and the layout."""
        from equipoise.strategy.store import packed

        return packed(strategy)

    def unpack(self, path: Path, bundle: Bundle, game: Game) -> Strategy:
        """Return the strategy of ``game`` in ``bundle``; its probabilities must sum to one."""
        from equipoise.games.poker.game import PokerGame
        from equipoise.strategy.store import buckets_of, strategy_of
        from equipoise.strategy.table import require_distributions

        strategy = strategy_of(path, bundle)
        if isinstance(game, PokerGame):
            strategy = replace(strategy, abstraction=buckets_of(path, bundle, game))
        try:
            require_distributions(game, strategy)
        except EquipoiseError as error:
            raise EquipoiseError(f"{path}: {error}") from None
        return replace(strategy, source=game)
