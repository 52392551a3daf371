"""Betting models of no-limit hold'em players, as data.

Gilpin (2009), section 7.4, describes the bets that Tartanian, a player of 2007, considers: all-in always;
check, half the pot or the pot while nobody has bet in the round; fold, call or the pot after a bet; no other
bet that would commit more than half of a stack; at most three bets of any size in a round. The text can be
read in several ways, and its own listing differs from it:

``tartanian``
    The text: blinds are not a bet (section 7.4.2 lets the small blind bet half the pot), three bets a
    round beside the blinds, all-ins counted, half of the stack at the start.
``tartanian-listing``
    What the indices of Listing 7.1 belong to: blinds are a bet, so that there is no half pot before
    the flop, and any number of bets.
``tartanian2``
    The player of 2008: raises of two thirds of the pot, any number of bets.
"""

from __future__ import annotations

from equipoise.errors import EquipoiseError
from equipoise.games.signals.bet_sizes import BettingModel, betting_model

MODELS: dict[str, BettingModel] = {
    model.name: model
    for model in (
        betting_model(
            "tartanian",
            bets=("50%", "100%", "all-in"),
            raises=("100%", "all-in"),
            cap=(4, 3, 3, 3),
            blinds_bet=False,
            commit=0.5,
        ),
        betting_model(
            "tartanian-listing",
            bets=("50%", "100%", "all-in"),
            raises=("100%", "all-in"),
            commit=0.5,
        ),
        betting_model(
            "tartanian2",
            bets=("50%", "100%", "all-in"),
            raises=("2/3", "all-in"),
            commit=0.5,
        ),
    )
}
"""Betting models by name."""


def model_called(name: str) -> BettingModel:
    """Return the model that ``name`` names: one of :data:`MODELS`, or a TOML file."""
    if name in MODELS:
        return MODELS[name]
    if name.lower().endswith(".toml"):
        from equipoise.games.files.betting_model import load_model

        return load_model(name)
    raise EquipoiseError(
        f"betting model '{name:.60}': unknown, expected {', '.join(MODELS)}, or a file ending in .toml."
    )
