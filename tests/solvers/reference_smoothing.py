"""Smoothing of matrix games, slowly: each rule from its paper, projections by bisection.

Nothing is shared with the library. Plans are pairs of distributions in one vector z = (x, y); player 1
maximises x' A y. Lengths are |z|^2 = sum_s r_s z_s^2 with given weights r.
"""

from __future__ import annotations

import math

import numpy as np


class Matrix:
    """A matrix game, its gap F and the gap F_mu that is smoothed around a centre."""

    def __init__(self, A: np.ndarray, r: np.ndarray, square: float) -> None:
        self.A, self.r, self.square = A, r, square
        self.rows = len(A)
        self.uniform = np.concatenate([np.full(n, 1 / n) for n in A.shape])

    def gains(self, z: np.ndarray) -> np.ndarray:
        x, y = z[: self.rows], z[self.rows :]
        return np.concatenate((self.A @ y, -self.A.T @ x))

    def gap(self, z: np.ndarray) -> float:
        gains = self.gains(z)
        return float(gains[: self.rows].max() + gains[self.rows :].max())

    def project(self, z: np.ndarray) -> np.ndarray:
        """The nearest pair of distributions: z_s - level / r_s, or zero, with the level by bisection."""
        parts = []
        for own in (slice(0, self.rows), slice(self.rows, None)):
            point, r = z[own], self.r[own]
            low, high = (r * (point - 1)).min(), (r * point).max()
            for _ in range(200):
                level = (low + high) / 2
                if np.maximum(point - level / r, 0).sum() > 1:
                    low = level
                else:
                    high = level
            parts.append(np.maximum(point - level / r, 0))
        return np.concatenate(parts)

    def farthest(self, centre: np.ndarray) -> float:
        """D: half of the largest squared distance from the centre, which a pair of pure plans has."""
        most = 0.0
        for i in range(self.rows):
            for j in range(self.A.shape[1]):
                pure = np.zeros(len(self.r))
                pure[i] = pure[self.rows + j] = 1.0
                most = max(most, float(self.r @ (pure - centre) ** 2))
        return most / 2

    def answer(self, z: np.ndarray, centre: np.ndarray, mu: float) -> tuple[np.ndarray, float]:
        """The plans that attain F_mu(z), and F_mu(z)."""
        gains = self.gains(z)
        w = self.project(centre + gains / (mu * self.r))
        return w, float(gains @ w - mu / 2 * self.r @ (w - centre) ** 2)


def iterated_plain(game: Matrix, gamma: float, steps: int) -> list[tuple[np.ndarray, float]]:
    """Gilpin (2009), section 8.4.1: smoothing called again and again, from where it stopped.

    Each call has a target smaller by gamma, mu = target / 2D, and takes steps (a), (b) and (d) with the
    Lipschitz constant |A|^2 / mu. It ends when the gap at the point of step (a) is at most the target.
    Return (x_k, target) after each step, or after each end of a call.
    """
    centre = start = game.uniform
    D = game.farthest(centre)
    target = game.gap(start) / gamma
    seen = []
    while len(seen) < steps:
        mu = target / (2 * D)
        L = game.square / mu
        x = w = start
        total, k = np.zeros_like(start), 0
        while len(seen) < steps:
            u = 2 / (k + 2) * w + k / (k + 2) * x
            if game.gap(u) <= target:
                while game.gap(u) <= target:
                    target /= gamma
                start = u
                seen.append((u, target))
                break
            answer, _ = game.answer(u, centre, mu)
            descent = game.gains(answer)  # minus the gradient
            total = total + (k + 1) / 2 * descent
            x = game.project(u + descent / (L * game.r))
            w = game.project(start + total / (L * game.r))
            k += 1
            seen.append((x, target))
    return seen


def adaptive(game: Matrix, target: float, boost: float, steps: int) -> list[np.ndarray]:
    """Tseng (2008), Algorithm 1, on F_mu, with a Lipschitz constant that each step has to bear out.

    mu begins at ``boost`` times what is safe, and is halved, and the method started anew, at a point where
    F_mu is at most half the target and F above it. The constant falls to 0.95 of itself before a step, and
    doubles while the step shows that it was too small.
    """
    centre = origin = game.uniform
    safe = target / (2 * game.farthest(centre))
    mu = boost * safe
    L = game.square / mu
    x = w = origin
    total, weights, seen = np.zeros_like(x), 0.0, []
    for _ in range(steps):
        steepest = game.square / mu
        L = min(0.95 * L, steepest)
        while True:
            # The positive root of L a^2 = a + (sum of weights so far).
            a = (1 + math.sqrt(1 + 4 * L * weights)) / (2 * L)
            theta = a / (weights + a)
            u = (1 - theta) * x + theta * w
            answer, here = game.answer(u, centre, mu)
            descent = game.gains(answer)
            later = game.project(origin + (total + a * descent) / game.r)
            new = (1 - theta) * x + theta * later
            _, there = game.answer(new, centre, mu)
            way = new - u
            if steepest <= L or there <= here - descent @ way + L / 2 * game.r @ way**2:
                break
            L = min(2 * L, steepest)
        x, w, total, weights = new, later, total + a * descent, weights + a
        seen.append(x)
        if game.gap(x) > target and there <= target / 2 and mu > safe:
            mu = max(mu / 2, safe)
            L *= 2
            origin = w = x
            total, weights = np.zeros_like(x), 0.0
    return seen
