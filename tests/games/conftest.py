"""Every kind of game with signals: what is listed here inherits the laws of this folder."""

from __future__ import annotations

from fractions import Fraction

import pytest

from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.signals.chance import Joint
from equipoise.games.signals.limit import limit
from equipoise.games.signals.stage_game import StageGame, ordered_game, showdowns


def weighted() -> StageGame:
    """Three signals of unequal weight: not cards at all."""
    return ordered_game(
        "weighted",
        signals=("low", "mid", "high"),
        weights=(1, Fraction(1, 2), 3),
        public=(0, 1),
        private=(1, 0),
        tree=limit(2, bets=(1, 1), cap=1, antes=1),
        ranking=lambda public, private: private[0],
    )


def figure_5_2() -> StageGame:
    """Gilpin (2009), Figure 5.2: two Jacks, two Kings, one bet."""
    return ordered_game(
        "figure 5.2",
        signals=("J1", "J2", "K1", "K2"),
        public=(0,),
        private=(1,),
        tree=limit(1, bets=(1,), cap=1, antes=1),
        ranking=lambda public, private: private[0] // 2,
    )


def lopsided() -> StageGame:
    """Player 1 sees one signal, player 2 two that depend on it, and a silent round comes last."""
    tree = limit(2, bets=(1, 2), cap=1, antes=1)
    table = {(0, 1, 0): 1, (0, 1, 1): 2, (1, 0, 0): 3, (1, 1, 1): 4, (2, 0, 1): 5}
    return StageGame(
        "lopsided",
        signals=("a", "b", "c"),
        chance=Joint({deal: Fraction(weight, 15) for deal, weight in table.items()}),
        public=(0, 0),
        private=((1, 2), (0, 0)),
        tree=tree,
        outcomes=showdowns(tree, lambda public, private: sum(private)),
    )


TWO_PLAYER: dict[str, StageGame] = {
    game.name: game
    for game in (
        poker.kuhn(),
        poker.kuhn(6),
        poker.leduc(),
        poker.leduc(3, 3),
        poker.rhode_island(2, 2),
        poker.rhode_island(4, 1),
        weighted(),
        figure_5_2(),
        lopsided(),
        *(library_game(name) for name in library()),
    )
}
GAMES = {
    **TWO_PLAYER,
    **{g.name: g for g in (poker.kuhn(4, players=3), poker.leduc(2, 2, players=3))},
}


@pytest.fixture(params=TWO_PLAYER.values(), ids=TWO_PLAYER.keys())
def duel(request: pytest.FixtureRequest) -> StageGame:
    """A two-player game."""
    return request.param


@pytest.fixture(params=GAMES.values(), ids=GAMES.keys())
def game(request: pytest.FixtureRequest) -> StageGame:
    """A game of two players or more."""
    return request.param
