"""From one file format to another: ``convert("game.efg", "game.nfg")``."""

from __future__ import annotations

from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.games.base import load_explicit
from equipoise.games.files.acpc import write_acpc
from equipoise.games.files.bml import write_bml
from equipoise.games.files.gambit import write_efg, write_nfg
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.games.trees.reduced_normal import reduced_normal_form

ENDINGS = (".efg", ".nfg", ".bml", ".game")


def convert(source: str, target: str | Path) -> ExtensiveGame | NormalGame | StageGame:
    """Write the game that ``source`` names (a file or any other spec) to ``target``; return it.

    The ending of ``target`` says which format. A tree becomes its reduced normal form in a ``.nfg``
    file; a normal-form game becomes a tree in which the players move in turn without seeing each
    other in a ``.efg`` file. A game given by its rounds is written out as a tree first; in a ``.bml`` file
    its betting alone, in a ``.game`` file a definition for the poker competition's programs.
    """
    ending = Path(target).suffix.lower()
    if ending not in ENDINGS:
        raise EquipoiseError(
            f"{target}: found the ending '{ending}', expected {' or '.join(ENDINGS)}."
        )
    game = load_explicit(source)
    if ending == ".bml":
        if not isinstance(game, StageGame):
            raise EquipoiseError(f"{target}: '{game.name}' has no betting tree, expected poker.")
        write_bml(game.tree, target)
        return game
    if ending == ".game":
        if not isinstance(game, PokerGame):
            raise EquipoiseError(f"{target}: '{game.name}' is not poker, expected a poker game.")
        write_acpc(game, target)
        return game
    if isinstance(game, StageGame):
        game = unroll(game)
    if ending == ".efg":
        tree = game.tree if isinstance(game, NormalGame) else game
        write_efg(tree, target)
        return tree
    table = reduced_normal_form(game) if isinstance(game, ExtensiveGame) else game
    write_nfg(table, target)
    return table
