"""When merging views loses nothing: stable abstractions.

Let W[v, u] be the probability that a player holds view v and her opponent view u in one round, and
m[v] the sum of row v. Call an abstraction *stable* if, for views v, v' in one bucket of a player,

1. v and v' extend views of one bucket;
2. every bucket of the next round follows v and v' with the same probability;
3. every bucket C of the opponent is as likely given v as given v': sum_{u in C} W[v, u] / m[v];
4. so is every kind of outcome h against it: sum_{u in C} W[v, u] h[v, u] / m[v].

**Theorem.** In a two-player zero-sum game, a strategy of a stable abstraction that is played in the
full game can be beaten there by exactly as much as in the abstraction. Hence the values are equal
and equilibria lift to equilibria.

*Proof.* Let the opponent's strategy be constant on her buckets. By 3 and 4, wherever the game may
end, the payment that a player with view v expects is m[v] times a number that depends only on the
bucket of v. Her best reply is found by backward induction. Within a round it takes the largest of
such numbers; from one round back to the last it adds over the views that extend v, and by 2 the sum
is again m[v] times a number that depends only on the bucket of v. By 1 the buckets form a tree, in
which the same induction meets the same numbers. So the best replies in the full game and in the
abstraction earn the same. ∎

The conditions are relations between views, and the coarsest stable abstraction is the coarsest
stable partition of :mod:`equipoise.numerics.refinement`. Conditions 3 and 4 keep *who holds what*. A
test that compares how often views win, tie and lose does not (``docs/soundness.md``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.abstraction.base import PLAYERS, Partition, add_up
from equipoise.games.signals.rounds import Floats, SignalRound
from equipoise.numerics.refinement import Relation, instability


def kind(r: int, player: int) -> int:
    """Return the number under which the refinement knows the views of ``player`` in round ``r``."""
    return 2 * r + player


def kind_sizes(rounds: Sequence[SignalRound]) -> list[int]:
    """Return the number of views of every kind."""
    return [signals.views[i] for signals in rounds for i in PLAYERS]


def lineage(rounds: Sequence[SignalRound]) -> list[Relation]:
    """Relations 1 and 2: the view that each view extends, and the odds of those that extend it."""
    found = []
    for r in range(1, len(rounds)):
        for i in PLAYERS:
            up = rounds[r].parents[i]
            views = np.arange(len(up))
            size, above = len(up), rounds[r - 1].views[i]
            odds = marginal(rounds[r], i) / marginal(rounds[r - 1], i)[up]
            here, there = kind(r, i), kind(r - 1, i)
            found += [
                Relation.of((here, there), (size, above), views, up, np.ones(size)),
                Relation.of((there, here), (above, size), up, views, odds),
            ]
    return found


def beliefs(rounds: Sequence[SignalRound]) -> list[Relation]:
    """Relations 3 and 4: what a view tells about the opponent's, and the outcomes to expect."""
    found = []
    for r, signals in enumerate(rounds):
        for i in PLAYERS:
            mine, theirs = signals.pairs[i], signals.pairs[1 - i]
            shape = signals.views[i], signals.views[1 - i]
            odds = signals.weight / marginal(signals, i)[mine]
            ends = kind(r, i), kind(r, 1 - i)
            factors: list[Floats] = [np.ones(1), *signals.values.values()]
            for factor in factors:
                found.append(Relation.of(ends, shape, mine, theirs, odds * factor))
    return found


def defect(
    rounds: Sequence[SignalRound], abstraction: Partition
) -> tuple[tuple[Floats, Floats], ...]:
    """Return, for each round, player and bucket, how far the bucket is from stable.

    The largest difference between a view and the first of its bucket in a number that conditions 2
    to 4 want equal, in units of the largest of its sort. All zeros prove the abstraction lossless.
    """
    abstraction.require(rounds)
    classes = [buckets for pair in abstraction.maps for buckets in pair]
    worst = [np.zeros(n) for pair in abstraction.buckets for n in pair]
    for relation in (*lineage(rounds), *beliefs(rounds)):
        np.maximum(
            worst[relation.source], instability(relation, classes), out=worst[relation.source]
        )
    return tuple((worst[kind(r, 0)], worst[kind(r, 1)]) for r in range(len(rounds)))


def is_stable(rounds: Sequence[SignalRound], abstraction: Partition) -> bool:
    """Say whether ``abstraction`` is stable, hence lossless."""
    return all(not worst.any() for pair in defect(rounds, abstraction) for worst in pair)


def marginal(signals: SignalRound, player: int) -> Floats:
    """Return the probability of each view of ``player`` (one where no deal has it)."""
    m = add_up(signals.pairs[player], signals.weight, signals.views[player])
    m[m == 0] = 1.0
    return m
