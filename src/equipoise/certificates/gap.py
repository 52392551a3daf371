"""``certify(game, strategy)``: exploitability in the full game, whatever kind of game it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb
from pathlib import Path

from equipoise.certificates.certificate import Certificate
from equipoise.certificates.infosets import standings
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import SHOWDOWN
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree, require_views

Game = ExtensiveGame | NormalGame | StageGame

# So many hands that comparing each with each takes longer than sorting them by strength.
_FEW_HANDS = 100


def certify(
    game: Game,
    strategy: Strategy,
    *,
    rigorous: bool = False,
    infosets: bool = False,
    flops: int | None = None,
    device: str | None = None,
    precision: str | None = None,
    seed: int = 0,
    each: Callable[[int, int], None] | None = None,
    parts: str | Path | None = None,
    note: Callable[[str], None] | None = None,
) -> Certificate:
    """Return values, best responses and gains of ``strategy`` in ``game``.

    Nothing but the rules and the strategy goes in: no solver's word is taken for anything. With
    ``rigorous`` the gains are upper bounds that hold despite rounding (on the explicit tree alone). With
    ``infosets`` the certificate tells reach, value and best response in every information set, too
    (of the explicit tree, where suits have their names).

    Poker too large to list, and strategies that play by buckets, are certified board by board: on a
    sample of ``flops`` (drawn from ``seed``) if that is asked for, with arrays on ``device`` if one is
    named, with sums over hands in ``precision``; ``each`` is told the flops done and to do, and the file ``parts``
    keeps them, so that a certificate that was stopped goes on (:mod:`equipoise.certificates.streamed`).
    """
    if not hasattr(game, "listed"):
        raise EquipoiseError(f"certify: found a {type(game).__name__}, expected a game.")
    if infosets:
        return _detailed(game, strategy, rigorous)
    poker = game.poker
    if poker is None:
        _refuse_boards(game, flops, device, parts)
    elif _is_streamed(poker, strategy, flops, device, parts):
        if rigorous:
            raise EquipoiseError(
                "--rigorous: found a certificate board by board, expected one of a game whose deals are listed."
            )
        from equipoise.certificates.streamed import certify_streamed
        from equipoise.sequence.backends import devices

        where = None if device in (None, "compiled") else devices.device(device, "float32")
        return certify_streamed(
            poker,
            strategy,
            device=where,
            precision=precision,
            sample=flops,
            seed=seed,
            each=each,
            parts=parts,
            note=note,
        )
    elif set(poker.tree.kinds) <= {SHOWDOWN} and not rigorous:
        require_views(poker, strategy)
        return _certify_poker(poker, strategy)
    # In a poker game that was cut short, other things than showdowns decide.
    return certify_tree(*_on_tree(game, strategy), rigorous)


def _certify_poker(game: PokerGame, strategy: Strategy) -> Certificate:
    """Certify in a poker game whose views are listed; with few hands arrays need no compiler for it."""
    if comb(game.deck.size, game.hole) > _FEW_HANDS:
        from equipoise.certificates.public import certify_public

        return certify_public(game, strategy)
    from equipoise.certificates.board_walk import host
    from equipoise.certificates.streamed import certify_streamed

    found = certify_streamed(game, strategy, device=host())
    return Certificate(found.values, found.best_responses, found.gains)


def _is_streamed(game: PokerGame, strategy: Strategy, *asked: object) -> bool:
    """Say whether to certify board by board: where it is ``asked`` for, or where nothing else can be done."""
    is_small = views(game).is_listed and not strategy.is_abstract
    return not is_small or any(option is not None for option in asked)


def _refuse_boards(game: Game, *asked: object) -> None:
    """Raise if what takes boards is ``asked`` for in a game that has none."""
    if any(option is not None for option in asked):
        raise EquipoiseError(
            f"certify: '{game.name}' has no boards to sample or to batch, expected a poker game."
        )


def _on_tree(game: Game, strategy: Strategy) -> tuple[ExtensiveGame, Strategy]:
    """Return the game with all its nodes, and the strategy as one of it."""
    if game.listed is not None:
        return game.listed, strategy
    require_views(game, strategy)
    tree = unroll(game)
    return tree, on_tree(game, tree, strategy)


def _detailed(game: Game, strategy: Strategy, rigorous: bool) -> Certificate:
    """Return the certificate with what holds in every information set."""
    tree, strategy = _on_tree(game, strategy)
    return replace(certify_tree(tree, strategy, rigorous), infosets=standings(tree, strategy))
