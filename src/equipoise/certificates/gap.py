"""``certify(game, strategy)``: exploitability in the full game, whatever kind of game it is."""

from __future__ import annotations

from dataclasses import replace

from equipoise.certificates.certificate import Certificate
from equipoise.certificates.infosets import standings
from equipoise.certificates.public import certify_public
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree, require_views


def certify(
    game: ExtensiveGame | NormalGame | StageGame,
    strategy: Strategy,
    *,
    rigorous: bool = False,
    infosets: bool = False,
) -> Certificate:
    """Return values, best responses and gains of ``strategy`` in ``game``.

    Nothing but the rules and the strategy goes in: no solver's word is taken for anything. With
    ``rigorous`` the gains are upper bounds that hold despite rounding (on the explicit tree). With
    ``infosets`` the certificate tells reach, value and best response in every information set, too
    (of the explicit tree, where suits have their names).
    """
    if infosets:
        return _detailed(game, strategy, rigorous)
    if isinstance(game, StageGame):
        require_views(game, strategy)
        if isinstance(game, PokerGame) and not rigorous:
            return certify_public(game, strategy)
        tree = unroll(game)
        return certify_tree(tree, on_tree(game, tree, strategy), rigorous)
    if isinstance(game, NormalGame):
        game = game.tree
    if isinstance(game, ExtensiveGame):
        return certify_tree(game, strategy, rigorous)
    raise EquipoiseError(f"certify: found a {type(game).__name__}, expected a game.")


def _detailed(
    game: ExtensiveGame | NormalGame | StageGame, strategy: Strategy, rigorous: bool
) -> Certificate:
    """Return the certificate with what holds in every information set."""
    if isinstance(game, StageGame):
        tree = unroll(game)
        strategy = on_tree(game, tree, strategy)
    else:
        tree = game.tree if isinstance(game, NormalGame) else game
    return replace(certify(tree, strategy, rigorous=rigorous), infosets=standings(tree, strategy))
