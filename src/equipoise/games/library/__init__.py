"""Games that are not poker, as rule files, each with a function that reads it."""

from __future__ import annotations

from equipoise.games.files.rules import library_game
from equipoise.games.signals.stage_game import StageGame


def auction() -> StageGame:
    """Read ``auction.toml``: an open-cry auction with private values and a public appraisal."""
    return library_game("auction")


def bargaining() -> StageGame:
    """Read ``bargaining.toml``: offers between two parties who may end up in court."""
    return library_game("bargaining")


def standoff() -> StageGame:
    """Read ``standoff.toml``: escalation between two states of unknown strength."""
    return library_game("standoff")


def tract() -> StageGame:
    """Read ``tract.toml``: bidding for an oil tract about which one firm knows more."""
    return library_game("tract")
