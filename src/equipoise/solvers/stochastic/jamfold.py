"""Equilibria of jam/fold hands at given values: regret matching on a linearised game.

With two players a decision's *advantage*, what going in earns above folding by class of hand, is
affine in the other's strategy. With three it is bilinear, and is linearised at a reference profile:

    A_d(x) = A_d(x0) + sum_d' K[d, d'] (x_d' - x0_d'),

a polymatrix game in which a step costs a few products with 169 x 169 matrices: some hundred steps of
regret matching+ (alternating, averages weighted by t^2) cost no more than linearising anew. K need not be
exact, as it is multiplied by zero in the end: where the solution of the linearised game reproduces
the reference, it is an equilibrium of the hand, and a fixed point of fictitious play
(:mod:`equipoise.solvers.stochastic.fictitious`) too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.cards.showdown import COMBOS, PLACES
from equipoise.games.tournaments.contraction import (
    CALL_BOTH,
    CALL_D,
    CALL_JAM_S,
    CALL_S,
    CLASSES,
    DEALS,
    FLIP,
    JAM_D,
    JAM_S,
    ORDERS,
    RENAMED,
    Contraction,
    pair_table,
)
from equipoise.games.tournaments.jamfold import JamFold
from equipoise.games.tournaments.stochastic import Profile
from equipoise.games.tournaments.tournament import FOLD, JAM, Outcome, outcomes
from equipoise.numerics.mdp import Values
from equipoise.numerics.threads import spread

Floats = NDArray[np.float64]
Inside = tuple[int, ...]

STEPS = 200
"""Steps of regret matching between linearisations, at first; they double each time, up to the most."""
MOST_STEPS = 1600
REFRESHES = 24
"""Linearisations of a state, at most."""

# If a state's gain falls by less than this factor, it goes a shorter part of its way to the solution of
# the linearised hand, otherwise a longer one.
_SWINGS, _SHORTER, _LONGER = 0.9, 0.6, 1.15


class Link(NamedTuple):
    """How the advantage of one decision depends on another, made by another player.

    ``pot``: in all deals it is worth ending with the players ``pot[0]`` instead of ``pot[1]`` in the
    pot. ``beyond``: in the deals in which player ``frozen`` goes in too, by his frozen decision, it is
    worth ``sign`` times ending with ``beyond[0]`` instead of ``beyond[1]`` more.
    """

    target: int
    source: int
    pot: tuple[Inside, Inside] | None = None
    frozen: int = 0
    sign: int = 0
    beyond: tuple[Inside, Inside] = ((0,), (0,))


D, S, DS, DB, SB, DSB = (0,), (1,), (0, 1), (0, 2), (1, 2), (0, 1, 2)

LINKS = {
    2: (Link(0, 1, (DS, D)), Link(1, 0, (DS, D))),
    3: (
        Link(JAM_D, CALL_S, (DS, D), 2, 1, (DSB, DS)),
        Link(JAM_D, CALL_D, (DB, D), 1, -1, (DB, D)),
        Link(JAM_D, CALL_BOTH, None, 1, 1, (DSB, DS)),
        Link(JAM_S, CALL_JAM_S, (SB, S), 0, -1, (SB, S)),
        Link(CALL_S, JAM_D, (DS, D), 2, 1, (DSB, DS)),
        Link(CALL_S, CALL_D, None, 0, -1, (DB, D)),
        Link(CALL_S, CALL_BOTH, None, 0, 1, (DSB, DS)),
        Link(CALL_D, JAM_D, (DB, D), 1, -1, (DB, D)),
        Link(CALL_D, CALL_S, None, 0, -1, (DB, D)),
        Link(CALL_JAM_S, JAM_S, (SB, S), 0, -1, (SB, S)),
        Link(CALL_BOTH, JAM_D, None, 1, 1, (DSB, DS)),
        Link(CALL_BOTH, CALL_S, None, 0, 1, (DSB, DS)),
    ),
}
"""The links of a hand, by number of players."""


def regret_matching(
    game: JamFold,
    values: Values,
    start: Profile | None,
    tolerance: float,
    *,
    should_stop: Callable[[], bool] = lambda: False,
) -> Profile:
    """Return a profile in which no player gains more than ``tolerance`` in one hand.

    Nodes are worth ``values`` after the hand. Every state is linearised and solved anew until this
    holds of it, or until it has been :data:`REFRESHES` times.
    """
    payoffs = game.payoffs(values)
    profile = game.uniform() if start is None else start.copy()
    active = np.arange(game.states)
    last, share = np.full(game.states, np.inf), np.ones(game.states)
    for refresh in range(REFRESHES):
        if should_stop():
            break
        steps = min(STEPS * 2**refresh, MOST_STEPS)
        open_states = [np.empty(0, dtype=np.int64)]
        for batch, L, contraction in game.batches(game.plays(profile[active])):
            if should_stop():
                return profile
            states = active[batch]
            worth = game.action_values(L, payoffs[states])
            gains = game.gains(worth, profile[states], game.legal[states]).max(axis=1)
            far = np.flatnonzero(gains > tolerance)
            # A state that swings about its solution is led there by shorter steps.
            change = np.where(gains > _SWINGS * last[states], _SHORTER, _LONGER)
            share[states] = np.minimum(share[states] * change, 1.0)
            last[states] = gains
            if len(far):
                part = None if contraction is None else contraction.only(far)
                states = states[far]
                found = _solve(game, states, profile[states], worth[far], payoffs, part, steps)
                profile[states] += share[states, None, None] * (found - profile[states])
                open_states.append(states)
        active = np.concatenate(open_states)
        if not len(active):
            break
    return profile


def _solve(
    game: JamFold,
    states: NDArray[np.int64],
    profile: Profile,
    worth: Floats,
    payoffs: Floats,
    contraction: Contraction | None,
    steps: int,
) -> Profile:
    """Return the solutions of some states, linearised at ``profile``."""
    plays, payoffs = game.plays(profile), payoffs[states]
    links = LINKS[game.players]
    K = np.empty((len(plays), len(links), CLASSES, CLASSES), dtype=np.float32)
    for place, link in enumerate(links):
        _jacobian(game, link, plays, worth, payoffs, contraction, K[:, place])
    advantage = worth[:, JAM::2] - worth[:, FOLD::2]
    ends = np.array([[link.target, link.source] for link in links])
    constant = advantage.copy()
    for place, link in enumerate(links):
        constant[:, link.target] -= np.einsum("sxy,sy->sx", K[:, place], plays[:, link.source])
    solved = np.empty_like(plays)
    free = game.legal[states, FOLD::2]
    spread(
        len(plays),
        lambda _, low, high: _match_regrets(
            constant, K, ends, game.owner, free, plays, steps, low, high, solved
        ),
    )
    # Weights that sum to one but for rounding: without a choice players are in, exactly.
    return game.profile(np.where(free[:, :, None], np.minimum(solved, 1.0), 1.0))


def _jacobian(
    game: JamFold,
    link: Link,
    plays: Floats,
    worth: Floats,
    payoffs: Floats,
    contraction: Contraction | None,
    out: NDArray[np.float32],
) -> None:
    """Fill ``out[s, h, h']`` with how a target's advantage changes with the source's strategy."""
    own, other = (int(game.owner[d]) for d in (link.target, link.source))
    mine = payoffs[:, :, own] / DEALS[game.players]
    table = pair_table(game.players).astype(np.float32)
    # Matrices of two players have the classes of the earlier one first.
    matrix = out if own < other else out.transpose(0, 2, 1)
    matrix[:] = 0
    if link.pot is not None:
        for counts, value in zip(table, _pot(game.players, link.pot, mine), strict=True):
            matrix += counts * value[:, None, None]
    if contraction is not None:
        more, less = (mine[:, _by_order(inside)] for inside in link.beyond)
        z = np.empty((len(mine), ORDERS), dtype=np.float32)
        z[:, RENAMED[link.frozen]] = link.sign * (more - less)
        _add_margins(contraction.margins, link.frozen, z, np.ascontiguousarray(z[:, FLIP]), matrix)
        shift = _shift(link, plays, worth, mine)
        if shift is not None:
            out += table[0] * shift[:, :, None].astype(np.float32)


def _pot(players: int, pot: tuple[Inside, Inside], mine: Floats) -> tuple[Floats, Floats, Floats]:
    """Return what all deals, wins and ties of a pot of two are worth above the pot of one."""
    ways = outcomes(players)
    alone = ways.index(Outcome(pot[1], (0,)))
    win, tie, loss = (
        mine[:, ways.index(Outcome(pot[0], places))] - mine[:, alone]
        for places in ((0, 1), (0, 0), (1, 0))
    )
    return loss, win - loss, tie - loss


@cache
def _by_order(inside: Inside) -> NDArray[np.int64]:
    """Return the outcome with ``inside`` in the pot for each order of the hands of three players."""
    ways = outcomes(3)
    found = []
    for places in PLACES[:, list(inside)]:
        levels = sorted({int(place) for place in places})
        found.append(ways.index(Outcome(inside, tuple(levels.index(int(p)) for p in places))))
    return np.array(found)


def _shift(link: Link, plays: Floats, worth: Floats, mine: Floats) -> Floats | None:
    """Return what meeting the source changes elsewhere for the target, by the target's class.

    If S calls, D no longer meets B alone; if D jams, S can expect something when he folds. Both depend
    little on the other's class, and are taken to be what they are on average.
    """
    if (link.target, link.source) == (JAM_D, CALL_S):
        met = np.einsum("txy,sy->tsx", pair_table(3), plays[:, CALL_D])
        worth_of = _pot(3, (DB, D), mine)
        gain = sum(value[:, None] * deals for value, deals in zip(worth_of, met, strict=True))
        return np.asarray(-gain / (COMBOS * (DEALS[3] / 1326)))
    if (link.target, link.source) == (CALL_S, JAM_D):
        reach = np.einsum("sx,xy->sy", plays[:, JAM_D], pair_table(3)[0])
        folding = worth[:, 2 * CALL_S + FOLD]
        alone = np.repeat(mine[:, [outcomes(3).index(Outcome(D, (0,)))]], CLASSES, axis=1)
        return np.asarray(alone - np.divide(folding, reach, out=alone.copy(), where=reach > 0))
    return None


@njit(cache=True, nogil=True)
def _add_margins(margins: Any, frozen: Any, straight: Any, flipped: Any, out: Any) -> None:
    """Add to ``out[s, x, y]`` what a frozen player's margins are worth by the order of hands."""
    for s in range(len(out)):
        pair = 0
        for y in range(CLASSES):
            for x in range(y + 1):
                one, other = np.float32(0), np.float32(0)
                for o in range(ORDERS):
                    one += margins[s, frozen, pair, o] * straight[s, o]
                    other += margins[s, frozen, pair, o] * flipped[s, o]
                out[s, x, y] += one
                if x != y:
                    out[s, y, x] += other
                pair += 1


@njit(cache=True, nogil=True)
def _match_regrets(
    constant: Any, K: Any, ends: Any, owner: Any, free: Any, start: Any, steps: Any, low: Any,
    high: Any, average: Any,
) -> None:  # fmt: skip
    """Regret matching+ on polymatrix games; players take turns, averages have weights t^2.

    A hand without regrets stays with what it does: ties are kept.
    """
    decisions, hands = constant.shape[1:]
    regret = np.empty((decisions, hands, 2))
    advantage = np.empty((decisions, hands))
    play = np.empty((decisions, hands), dtype=np.float32)
    scale = 6.0 / (steps * (steps + 1) * (2 * steps + 1))
    for s in range(low, high):
        for d in range(decisions):
            for h in range(hands):
                regret[d, h, 0] = regret[d, h, 1] = average[s, d, h] = 0.0
                play[d, h] = start[s, d, h]
        for t in range(1, steps + 1):
            for d in range(decisions):
                # The decisions of one player are made at once.
                if d == 0 or owner[d] != owner[d - 1]:
                    _advantages(constant[s], K[s], ends, owner, owner[d], play, advantage)
                for h in range(hands):
                    if free[s, d]:
                        _update(advantage[d, h], regret[d, h], play[d], h)
                    average[s, d, h] += scale * t * t * play[d, h]


@njit(cache=True, nogil=True, fastmath=True)
def _advantages(
    constant: Any, K: Any, ends: Any, owner: Any, player: Any, play: Any, out: Any
) -> None:
    """Fill ``out`` with the advantages of a player's decisions."""
    decisions, hands = constant.shape
    for d in range(decisions):
        if owner[d] == player:
            for h in range(hands):
                out[d, h] = constant[d, h]
    for place in range(len(ends)):
        d, source = ends[place, 0], ends[place, 1]
        if owner[d] == player:
            for h in range(hands):
                total = np.float32(0)
                for g in range(hands):
                    total += K[place, h, g] * play[source, g]
                out[d, h] += total


@njit(cache=True, nogil=True)
def _update(advantage: Any, regret: Any, play: Any, h: Any) -> None:
    """Add regrets for folding and going in, drop negative ones, and match them."""
    regret[0] = max(regret[0] - play[h] * advantage, 0.0)
    regret[1] = max(regret[1] + (1 - play[h]) * advantage, 0.0)
    total = regret[0] + regret[1]
    if total > 0:
        play[h] = regret[1] / total
