"""Fictitious play in every state of a stochastic game, at given values of the states after it.

Each player answers the others' average play with a best response, by private signal, and the answers are
averaged (Brown 1951; for imperfect information Ganzfried and Sandholm 2008, section 4.1):

    x_{t+1} = x_t + (b(x_t) - x_t) / (t + 1),

from t = 0, or from t = 1 if there is a profile to start from. A best response that is no better than the present strategy leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from equipoise.games.tournaments.stochastic import Profile, StochasticGame
from equipoise.numerics.clock import TimeUpError, raising
from equipoise.numerics.mdp import Values

STEPS = 10_000


def fictitious_play(
    game: StochasticGame,
    values: Values,
    start: Profile | None,
    tolerance: float,
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Profile:
    """Return a profile in which no player gains more than ``tolerance`` in one round of any state."""
    profile, payoffs = game.uniform() if start is None else start.copy(), game.payoffs(values)
    for step in range(start is not None, STEPS):
        try:
            induced = game.induced(profile, raising(should_stop))
        except TimeUpError:
            break
        worth = game.action_values(induced.likelihood, payoffs)
        if game.gains(worth, profile, game.legal).max() <= tolerance or should_stop():
            break
        profile += (induced.response(values, profile) - profile) / (step + 1)
    return profile
