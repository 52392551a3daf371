"""Poker as data: Kuhn, Leduc, Rhode Island, Hold'em."""

from equipoise.lazy import attach

_GAME = "equipoise.games.poker.game"

_HOME: dict[str, str] = dict.fromkeys(
    ("PokerGame", "kuhn", "leduc", "limit_holdem", "no_limit_leduc", "poker_game", "rhode_island"),
    _GAME,
)

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
