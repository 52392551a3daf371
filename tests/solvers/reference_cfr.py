"""Counterfactual regret minimisation, slowly: dictionaries and recursion, each rule from its paper.

Nothing is shared with the library but the game tree. A *rule* turns the regrets it has kept of one
information set, and the regrets of iteration t, into what it keeps and what the next behaviour is
proportional to; a *weight* is that of iteration t in the average. The reference also measures how
near it came to a tie, where rounding would decide: an iterate is only worth comparing away from one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame

Regrets = list[float]
Rule = Callable[[Regrets, Regrets, int], tuple[Regrets, Regrets]]


class Member(NamedTuple):
    """A rule, and by how much the average of earlier plans shrinks before plan t is added."""

    rule: Rule
    decay: Callable[[int], float]


def _sum(kept: Regrets, new: Regrets) -> Regrets:
    return [a + b for a, b in zip(kept, new, strict=True)]


def _positive(regrets: Regrets) -> Regrets:
    return [max(r, 0.0) for r in regrets]


def matching(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
    """Zinkevich et al. 2007: regrets add up."""
    total = _sum(kept, new)
    return total, total


def matching_plus(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
    """Tammelin 2014: so do they, but never stay below zero."""
    total = _positive(_sum(kept, new))
    return total, total


def linear(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
    """Brown and Sandholm 2019, section 3: iteration t counts t times."""
    total = [a + t * b for a, b in zip(kept, new, strict=True)]
    return total, total


def discounted(alpha: Callable[[int], float], beta: Callable[[int], float]) -> Rule:
    """Brown and Sandholm 2019, section 4: shrink what has added up, by its sign."""

    def rule(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
        up, down = t ** alpha(t) / (t ** alpha(t) + 1), t ** beta(t) / (t ** beta(t) + 1)
        total = [r * (up if r > 0 else down) for r in _sum(kept, new)]
        return total, total

    return rule


def predictive_plus(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
    """Farina, Kroer and Sandholm 2021: play as if the last regrets came once more."""
    total = _positive(_sum(kept, new))
    return total, _sum(total, new)


def predictive_discounted_plus(alpha: float) -> Rule:
    """Xu et al. 2024: what is kept is discounted when the next regrets come, and in predictions."""

    def rule(kept: Regrets, new: Regrets, t: int) -> tuple[Regrets, Regrets]:
        # A start that was given, which the paper does not have, counts whole.
        before = (t - 1) ** alpha / ((t - 1) ** alpha + 1) if t > 1 else 1.0
        total = _positive(_sum([before * r for r in kept], new))
        after = t**alpha / (t**alpha + 1)
        return total, _sum([after * r for r in total], new)

    return rule


def power(gamma: float) -> Callable[[int], float]:
    """Plans weigh t^gamma: earlier ones shrink by ((t - 1) / t)^gamma."""
    return lambda t: (t - 1) ** gamma / t**gamma


def members(horizon: int) -> dict[str, Member]:
    """The family, by the names of the library's table."""

    def passed(t: int) -> float:
        """The part of the horizon that is over: the paper ends there, and so does the schedule."""
        return min(t / horizon, 1.0)

    # Zhang et al. 2024: alpha = 1 + 3t/n, beta = -1 - 2t/n, gamma = 30 - 5t/n.
    schedule = discounted(lambda t: 1 + 3 * passed(t), lambda t: -1 - 2 * passed(t))
    return {
        "cfr": Member(matching, lambda t: 1.0),
        "cfr+": Member(matching_plus, power(1)),
        "linear": Member(linear, power(1)),
        "dcfr": Member(discounted(lambda t: 1.5, lambda t: 0.0), power(2)),
        "pcfr+": Member(predictive_plus, power(2)),
        "pdcfr+": Member(predictive_discounted_plus(2.3), power(5)),
        "hs-dcfr": Member(schedule, lambda t: ((t - 1) / t) ** (30 - 5 * passed(t))),
    }


class ReferenceCFR:
    """A member of the family at work on a two-player zero-sum tree.

    An iteration counts player 2's plan, updates player 1 against it, counts the plan that player 1
    then has, and updates player 2 against that. Behaviour jumps where the positive parts of an
    information set's regrets vanish together: ``margin`` is the least distance from that so far. Sets
    that the others never reach, and those of one action, do not count: nothing is decided there.
    """

    def __init__(
        self, game: ExtensiveGame, member: Member, start: dict | None = None, unit: float = 1.0
    ) -> None:
        self.game, self.member, self.t = game, member, 0
        self.children: list[list[int]] = [[] for _ in range(game.nodes)]
        for node in range(1, game.nodes):
            self.children[game.parent[node]].append(node)
        counts = game.action_count.tolist()
        self.kept = {i: [0.0] * n for i, n in enumerate(counts)}
        self.behaviour = {i: [1.0 / n] * n for i, n in enumerate(counts)}
        if start is not None:
            self.kept = {i: [unit * p for p in q] for i, q in start.items()}
            self.behaviour = {i: list(q) for i, q in start.items()}
        self.sums = [np.zeros(game.sequences(player)) for player in (0, 1)]
        self.weight = 0.0
        self.margin = math.inf

    def step(self) -> None:
        """Do one iteration."""
        self.t += 1
        decay = self.member.decay(self.t)
        self.weight = decay * self.weight + 1.0
        for player in (0, 1):
            other = 1 - player
            self.sums[other] = decay * self.sums[other] + self.plan(other)
            self._update(player)

    def plan(self, player: int) -> np.ndarray:
        """The current realization plan, entry by entry: a product along each path."""
        plan = np.ones(self.game.sequences(player))

        def walk(node: int, reach: float) -> None:
            actor, i = self.game.player[node], int(self.game.infoset[node])
            for slot, child in enumerate(self.children[node]):
                after = reach * self.behaviour[i][slot] if actor == player else reach
                if actor == player:
                    plan[self.game.first_sequence[i] + slot] = after
                walk(child, after)

        walk(0, 1.0)
        return plan

    def averages(self) -> list[np.ndarray]:
        """The averages of the plans so far."""
        return [total / self.weight for total in self.sums]

    def _update(self, player: int) -> None:
        earned = {i: [0.0] * len(q) for i, q in self.behaviour.items()}

        def walk(node: int, others: float) -> float:
            """Value of ``node`` to ``player``; ``others`` is the reach of everybody else."""
            actor = self.game.player[node]
            if actor == TERMINAL:
                return float(self.game.payoffs[self.game.outcome[node], player])
            value, i = 0.0, int(self.game.infoset[node])
            for slot, child in enumerate(self.children[node]):
                if actor == player:
                    worth = walk(child, others)
                    earned[i][slot] += others * worth
                    value += self.behaviour[i][slot] * worth
                elif actor == CHANCE:
                    odds = float(self.game.floats[self.game.probability[child]])
                    value += odds * walk(child, others * odds)
                else:
                    odds = self.behaviour[i][slot]
                    value += odds * walk(child, others * odds)
            return value

        walk(0, 1.0)
        for i in np.flatnonzero(self.game.infoset_player == player).tolist():
            value = sum(q * e for q, e in zip(self.behaviour[i], earned[i], strict=True))
            new = [e - value for e in earned[i]]
            raw = _sum(self.kept[i], new)
            self.kept[i], play = self.member.rule(self.kept[i], new, self.t)
            total = sum(_positive(play))
            if len(play) > 1 and any(earned[i]):
                self.margin = min(self.margin, total if total > 0 else -max(raw))
            count = len(play)
            self.behaviour[i] = [max(p, 0.0) / total if total > 0 else 1.0 / count for p in play]
