"""Poker as data: Kuhn, Leduc, Rhode Island, Hold'em; and spots, the rest of a hand."""

from equipoise.lazy import attach

_GAME = "equipoise.games.poker.game"

_HOME: dict[str, str] = {
    **dict.fromkeys(
        ("PokerGame", "kuhn", "leduc", "limit_holdem", "no_limit_leduc", "poker_game"), _GAME
    ),
    "no_limit_holdem": _GAME,
    "rhode_island": _GAME,
    "Spot": "equipoise.games.poker.spots",
    "parse_range": "equipoise.games.poker.ranges",
    "range_text": "equipoise.games.poker.ranges",
    "spot": "equipoise.games.poker.spots",
}

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
