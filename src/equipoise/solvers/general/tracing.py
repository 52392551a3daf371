"""An equilibrium of a two-player tree by complementary pivoting in the sequence form.

Let E x = e and F y = f be the conditions on the players' realization plans, A and B their payoffs, and
(s, t) a prior: a profile that plays every action. In

    E x = (1 − z) e,   r = E'p − A (y + z t)  ≥ 0,   x ≥ 0,   x·r = 0,
    F y = (1 − z) f,   u = F'q − B'(x + z s)  ≥ 0,   y ≥ 0,   y·u = 0

both players reply best to opponents who keep to the prior with weight z. At z = 1 that is a best reply
to the prior, at z = 0 an equilibrium, and a path of complementary pivots leads from the one to the
other (von Stengel, van den Elzen and Talman 2002, who show that its end is normal-form perfect; the
path is the linear tracing procedure of Harsanyi and Selten 1988). For a prior drawn at random the path
meets no ties, whatever the payoffs are, with probability one; so no lexicographic rule is needed, and
where rounding leads astray, another prior leads elsewhere.

The value variables p and q are free. They are eliminated at the start: one action at each information
set, the best reply to the prior, is expressed by the others. What is left has a complementary pair for
every sequence. The dictionary is dense and computed afresh from the first one now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.numerics.clock import Deadline
from equipoise.solvers.general.plans import Behaviour, Floats, Plans, sums

# Larger dictionaries do not fit in memory beside the game.
MOST_SEQUENCES = 5000

# Computing a dictionary afresh costs about as much as this many pivots.
_FRESH = 100
# Entries below this are rounding (payoffs are of the order of one).
_ZERO = 1e-10


def fits(plans: Plans) -> bool:
    """Say whether at most two players move, and have no more sequences than :func:`trace` takes."""
    return len(_moving(plans)) <= 2 and _size(plans) <= MOST_SEQUENCES


def trace(plans: Plans, prior: Behaviour, deadline: Deadline) -> Behaviour | None:
    """Return the equilibrium at the end of the path from ``prior``, or ``None`` if it was lost."""
    first, second = _pair(plans)
    A = _payoffs(plans, first, second, first)
    B = _payoffs(plans, first, second, second)
    s, t = (_weights(plans, player, prior) for player in (first, second))
    own, other = _Replies.to(plans, first, A @ t), _Replies.to(plans, second, B.T @ s)
    start = _dictionary(own, other, A, B, s, t)
    end = _follow(start, deadline)
    if end is None:
        return None
    levels = end.levels()
    pair = len(own.best) + len(own.rest)
    found = {first: own.plan(levels[:pair]), second: other.plan(levels[pair:-1])}
    return plans.behaviour(
        [
            found[i] if i in found else plans.weights(i, vector)
            for i, vector in enumerate(plans.uniform())
        ]
    )


def _moving(plans: Plans) -> list[int]:
    """Return the players who have a choice anywhere."""
    counts = plans.tree.action_count
    return [i for i in plans.players if any(counts[k] > 1 for k in plans.own[i])]


def _size(plans: Plans) -> int:
    return sum(plans.tree.sequences(i) for i in _moving(plans))


def _pair(plans: Plans) -> tuple[int, int]:
    """Return two players, among them all who have a choice; -1 stands for a player who is not there."""
    rest = [i for i in plans.players if i not in _moving(plans)]
    first, second, *_ = [*_moving(plans), *rest, -1, -1]
    return first, second


def _weights(plans: Plans, player: int, behaviour: Behaviour) -> Floats:
    return np.ones(1) if player < 0 else plans.weights(player, behaviour[player])


def _payoffs(plans: Plans, first: int, second: int, paid: int) -> Floats:
    """Return the payoffs to ``paid`` by sequences of the two players who move."""
    shape = tuple(1 if i < 0 else plans.tree.sequences(i) for i in (first, second))
    ends = len(plans.tree.terminals)
    rows, columns = (
        np.zeros(ends, dtype=np.int64) if i < 0 else plans.last[i].astype(np.int64)
        for i in (first, second)
    )
    amounts = np.zeros(ends) if paid < 0 else plans.paid[:, paid]
    return sums(rows * shape[1] + columns, amounts, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True)
class _Replies:
    """Plans of one player around a best reply: x = λ·reply + H·(the other sequences).

    ``best`` lists the sequences of the reply, one for each information set and the empty one; ``rest``
    the others. With E split into E_b and E_r, H is the identity at ``rest`` and −E_b⁻¹E_r at ``best``.
    """

    best: NDArray[np.intp]
    rest: NDArray[np.intp]
    reply: Floats
    H: Floats

    @classmethod
    def to(cls, plans: Plans, player: int, rewards: Floats) -> _Replies:
        """Reply to opponents against whom each sequence earns ``rewards`` right after it."""
        sets = [] if player < 0 else plans.own[player]
        worth, best = rewards.copy(), [0]
        for k in reversed(sets):
            own = plans.sequences(k)
            best.append(own.start + int(np.argmax(worth[own])))
            worth[plans.parent[k]] += worth[own].max()
        rest = np.setdiff1d(np.arange(len(rewards)), best)
        column = np.zeros(len(rewards), dtype=np.intp)
        column[rest] = np.arange(len(rest))
        H, reply = np.zeros((len(rewards), len(rest))), np.zeros(len(rewards))
        H[rest, column[rest]] = 1.0
        reply[0] = 1.0
        chosen = set(best)
        for k in sets:
            own, parent = plans.sequences(k), plans.parent[k]
            (last,) = chosen.intersection(range(own.start, own.stop))
            others = [s for s in range(own.start, own.stop) if s != last]
            reply[last] = reply[parent]
            H[last] = H[parent]
            H[last, column[others]] -= 1.0
        return cls(np.array(sorted(best)), rest, reply, H)

    def plan(self, levels: Floats) -> Floats:
        """Return the plan whose sequences have these levels, ``best`` first."""
        x = np.zeros(len(self.reply))
        x[np.concatenate((self.best, self.rest))] = levels
        return x


@dataclass
class _Dictionary:
    """Basic variables as affine functions of the others: basic = T · (others, 1).

    Variables are numbered: for k < n, k is the level of a sequence and n + k its regret; 2n is
    λ = 1 − z, and 2n + 1 is z.
    """

    T: Floats
    basic: NDArray[np.intp]
    others: NDArray[np.intp]

    @property
    def pairs(self) -> int:
        return len(self.others) - 1

    def levels(self) -> Floats:
        """Return the levels of all sequences, and λ."""
        values = np.zeros(2 * self.pairs + 2)
        values[self.basic] = self.T[:, -1]
        return np.append(values[: self.pairs], values[2 * self.pairs])

    def partner(self, variable: int) -> int:
        """Return the variable that may not be positive together with this one."""
        return variable + self.pairs if variable < self.pairs else variable - self.pairs

    def exchange(self, row: int, column: int) -> None:
        """Let a basic variable and another one change places."""
        T = self.T
        pivot = T[row, column]
        entering = T[:, column] / pivot
        leaving = T[row].copy()
        entering[row] = 0.0
        T -= np.outer(entering, leaving)
        T[:, column] = entering
        T[row] = leaving / -pivot
        T[row, column] = 1.0 / pivot
        self.basic[row], self.others[column] = self.others[column], self.basic[row]

    def at(self, basis: Sequence[int]) -> _Dictionary:
        """Return the dictionary of another basis, computed from this one at once."""
        wanted = np.isin(self.basic, basis)
        entering = np.isin(self.others, basis)
        inside, rows = np.flatnonzero(~wanted), np.flatnonzero(wanted)
        columns = np.flatnonzero(entering)
        kept = np.append(np.flatnonzero(~entering), len(self.others))
        # leaving = P entering + Q kept, so entering = P⁻¹ leaving − P⁻¹Q kept.
        P, Q = self.T[np.ix_(inside, columns)], self.T[np.ix_(inside, kept)]
        solved = np.linalg.solve(P, np.hstack((np.eye(len(inside)), -Q)))
        R, S = self.T[np.ix_(rows, columns)], self.T[np.ix_(rows, kept)]
        moved = R @ solved
        moved[:, len(inside) :] += S
        return _Dictionary(
            np.vstack((solved, moved)),
            np.concatenate((self.others[columns], self.basic[rows])),
            np.concatenate((self.basic[inside], self.others[kept[:-1]])),
        )


def _dictionary(
    own: _Replies, other: _Replies, A: Floats, B: Floats, s: Floats, t: Floats
) -> _Dictionary:
    """Return the dictionary at z = 1, in which the levels of the best replies are basic.

    With x = λ·a + H ξ and y = λ·b + K η, and r_b, u_b the regrets of the replies,
    r_rest = −H'A (λ·b + K η + (1 − λ) t) + (E_b⁻¹E_r)' r_b, and the same for u.
    """
    b1, r1, b2, r2 = (len(v) for v in (own.best, own.rest, other.best, other.rest))
    n1, n = b1 + r1, b1 + r1 + b2 + r2
    # Columns: ξ, r_b, η, u_b, λ, 1; rows: x_b, r_rest, y_b, u_rest, z.
    T = np.zeros((n + 1, n + 2))
    xi, rb, eta, ub = np.split(np.arange(n), np.cumsum((r1, b1, r2)))
    xb, rr, yb, ur = np.split(np.arange(n), np.cumsum((b1, r1, b2)))
    G1, G2 = own.H[own.best], other.H[other.best]
    T[np.ix_(xb, xi)], T[xb, n] = G1, own.reply[own.best]
    T[np.ix_(yb, eta)], T[yb, n] = G2, other.reply[other.best]
    HA, KB = -own.H.T @ A, -other.H.T @ B.T
    T[np.ix_(rr, eta)], T[np.ix_(rr, rb)] = HA @ other.H, -G1.T
    T[np.ix_(ur, xi)], T[np.ix_(ur, ub)] = KB @ own.H, -G2.T
    T[rr, n], T[rr, n + 1] = HA @ (other.reply - t), HA @ t
    T[ur, n], T[ur, n + 1] = KB @ (own.reply - s), KB @ s
    T[n, n], T[n, n + 1] = -1.0, 1.0
    level1, level2 = np.arange(n1), np.arange(n1, n)
    basic = (level1[:b1], n + level1[b1:], level2[:b2], n + level2[b2:], [2 * n + 1])
    others = (level1[b1:], n + level1[:b1], level2[b2:], n + level2[:b2], [2 * n])
    return _Dictionary(T, np.concatenate(basic), np.concatenate(others))


def _follow(start: _Dictionary, deadline: Deadline) -> _Dictionary | None:
    """Pivot until z leaves the basis; ``None`` if rounding has led off the path."""
    now = _Dictionary(start.T.copy(), start.basic.copy(), start.others.copy())
    free, z = 2 * start.pairs, 2 * start.pairs + 1
    entering = free
    for step in range(50 * (start.pairs + 10)):
        deadline.check()
        (column,) = np.flatnonzero(now.others == entering)
        row = _leaving(now, int(column), free, z)
        if row is None:
            return None
        left = int(now.basic[row])
        now.exchange(row, int(column))
        if left == z:
            return start.at(now.basic.tolist())
        entering = now.partner(left)
        if step % _FRESH == _FRESH - 1:
            now = start.at(now.basic.tolist())
            if now.T[now.basic != free, -1].min() < -1e-7:
                return None
    return None


def _leaving(now: _Dictionary, column: int, free: int, z: int) -> int | None:
    """Return the row that the entering variable first drives to zero; of several, the safest."""
    slope = now.T[:, column]
    falling = np.flatnonzero((slope < -_ZERO) & (now.basic != free))
    if not len(falling):
        return None
    values = np.maximum(now.T[falling, -1], 0.0)
    steps = values / -slope[falling]
    # Harris: allow values to fall a little below zero, and take the largest pivot among those.
    near = falling[steps <= ((values + _ZERO) / -slope[falling]).min()]
    if z in now.basic[near]:
        return int(near[now.basic[near] == z][0])
    return int(near[np.argmin(slope[near])])
