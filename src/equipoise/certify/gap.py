"""``gap(game, strategy)``: exploitability in the full game, whatever kind of game it is."""

from __future__ import annotations

from equipoise.certify.certificate import Certificate
from equipoise.certify.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games.extensive import ExtensiveGame
from equipoise.games.normal import NormalGame
from equipoise.strategy.profile import Strategy


def gap(
    game: ExtensiveGame | NormalGame, strategy: Strategy, *, rigorous: bool = False
) -> Certificate:
    """Return values, best responses and gains of ``strategy`` in ``game``.

    Nothing but the rules and the strategy goes in: no solver's word is taken for anything. With
    ``rigorous`` the gains are upper bounds that hold despite rounding.
    """
    if isinstance(game, NormalGame):
        game = game.tree
    if isinstance(game, ExtensiveGame):
        return certify_tree(game, strategy, rigorous)
    raise EquipoiseError(f"certify: found a {type(game).__name__}, expected a game.")
