"""What a certificate of a sample of flops leaves open: standard errors, and an interval.

Let c be what comes up to the rounds before the first common cards: a mean over all classes of those. A best response
earns V(c), the largest of linear functions of c, one for each way to play in those rounds; so V is convex. With c_1,
..., c_n of classes drawn independently, and their mean c', V(c') is too large on average (Jensen's inequality): it
profits from the luck of the draws. A way to play that is best after all draws but k, where the mean is a_k, owes
nothing to draw k: what it earns there, L_k, is too small on average, since it need not be the best one in the game. So

    E[L_k]  <=  V(c)  <=  E[V(c')],

and an interval from the first estimate less its error to the second plus its error has both biases outwards (Mak,
Morton and Wood 1999). The errors are those of the mean of the L_k, and of the jackknife (Tukey 1958).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equipoise.certificates.board_walk import PLAYERS, BoardWalk, Floats, Part

CONFIDENCE = 0.95
"""How often an interval has the exploitability in it."""

_STEP = 2.0**-20


class Luck(NamedTuple):
    """Standard errors of both best responses, and an interval of the exploitability, their mean."""

    errors: tuple[float, float]
    interval: tuple[float, float]


def stacked(parts: list[Part]) -> tuple[list[Floats], list[Floats]]:
    """Return what comes up from all parts, for each player: part by part along the first axis."""
    return (
        [np.stack([part.carried[i] for part in parts]) for i in PLAYERS],
        [np.stack([part.earned[i] for part in parts]) for i in PLAYERS],
    )


def luck(walk: BoardWalk, parts: list[Part], responses: Floats) -> Luck:
    """Return what is known of the luck in ``responses``, best ones to the mean of ``parts`` drawn at random."""
    from scipy.special import stdtrit

    count = len(parts)
    without, alone = left_out(walk, parts)
    spread = np.sqrt((count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    seats = without.mean(axis=1)
    upper_error = np.sqrt((count - 1) / count * ((seats - seats.mean()) ** 2).sum())
    own = alone.mean(axis=1)
    lower_error = own.std(ddof=1) / np.sqrt(count)
    width = stdtrit(count - 1, (1 + CONFIDENCE) / 2)
    low = max(0.0, own.mean() - width * lower_error)
    return Luck(
        (float(spread[0]), float(spread[1])),
        (float(low), float(responses.mean() + width * upper_error)),
    )


def left_out(walk: BoardWalk, parts: list[Part]) -> tuple[Floats, Floats]:
    """Return V(a_k) and L_k for each part k (a row), and each player.

    L_k = V(a_k) + <g, c_k - a_k> with a g that is V's slope at a_k, that is a way to play that is best there. From
    below, by a small step t, it is (V(a_k) - V(a_k - t (c_k - a_k))) / t, and less where the step changes what is
    best, as V is convex: nothing is lost of the inequality.
    """
    count, deals = len(parts), walk.deals(walk.game.rounds - 1)
    carried, earned = ([own * walk.streets.copies.sum() for own in both] for both in stacked(parts))
    means = [[own.mean(axis=0) for own in both] for both in (carried, earned)]

    def best(both: list[Floats]) -> Floats:
        return np.array([own[0].sum() for own in walk.before(both, means[1])]) / deals

    without, alone = np.empty((count, 2)), np.empty((count, 2))
    for k in range(count):
        mine = [carried[i][k] for i in PLAYERS]
        others = [means[0][i] + (means[0][i] - mine[i]) / (count - 1) for i in PLAYERS]
        back = [others[i] - _STEP * (mine[i] - others[i]) for i in PLAYERS]
        without[k] = best(others)
        alone[k] = without[k] + (without[k] - best(back)) / _STEP
    return without, alone
