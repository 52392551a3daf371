"""How large a tree may grow, how large it is going to be, and who is told while it grows.

The limits and the monitor hold for everything that is built inside ``with growth(...)``, whichever
reader or rules build it: a game's own parameters are no place for them.

The size of a tree that is still growing is estimated by heterogeneous sampling (Chen 1992), which
makes Knuth's estimator (1975) steady: of the nodes at one depth that have the same player and as many
moves, one is looked at, drawn in proportion to how many nodes each stands for, and stands for all of
them. The expected sum of the weights is the number of nodes, whatever the tree; where such nodes have
subtrees of one size, as in many games, every sample is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from typing import Any, NamedTuple, NoReturn

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import TERMINAL
from equipoise.games.trees.questions import Questions
from equipoise.numerics.clock import Clock

MOST_NODES = 10_000_000
"""Nodes of a tree unless someone asks for more: some 2 GB while it is built."""

MOST_MOVES = 5_000
"""Moves on a path. An endless game gets there at once, since trees are walked depth first."""

# A tree is estimated when it has this many nodes: smaller ones are done before they are looked at.
_LOOK = 1 << 15
_SAMPLES = 10
_ENDLESS = 1e18  # nodes

Monitor = Callable[[int, float], None]
"""Told, now and then, how many nodes there are and how many are expected: in the end, as many."""


class _Growth(NamedTuple):
    most_nodes: int
    monitor: Monitor | None
    clock: Clock


_USUAL = _Growth(MOST_NODES, None, Clock(math.inf))
_growth: ContextVar[_Growth] = ContextVar("growth", default=_USUAL)


@contextmanager
def growth(
    nodes: int | None = None, monitor: Monitor | None = None, seconds: float = math.inf
) -> Iterator[None]:
    """Let trees that are built in the block have up to ``nodes`` nodes, and tell ``monitor``.

    Those that still grow after so many ``seconds`` of the block are refused.
    """
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1):
        raise EquipoiseError(f"nodes: found {nodes!r}, expected a whole number >= 1.")
    before = _growth.get()
    clock = before.clock if math.isinf(seconds) else Clock(seconds)
    token = _growth.set(_Growth(nodes or before.most_nodes, monitor or before.monitor, clock))
    try:
        yield
    finally:
        _growth.reset(token)


class Estimate(NamedTuple):
    """The mean number of nodes over samples, and its standard error."""

    nodes: float
    error: float


def estimate(ask: Questions, samples: int = _SAMPLES) -> Estimate:
    """Return Chen's estimate of the size of the tree that ``ask`` knows the rules of."""
    random = Random(0)
    sizes = [_sample(ask, random) for _ in range(samples)]
    mean = math.fsum(sizes) / samples
    spread = math.fsum((size - mean) ** 2 for size in sizes) / (samples - 1)
    return Estimate(mean, math.sqrt(spread / samples))


def _sample(ask: Questions, random: Random) -> float:
    """Return the sum of the weights of the nodes that are looked at, level by level."""
    size, depth = 0.0, 0
    level: dict[tuple[int, int], tuple[float, Any]] = {}
    _add(level, ask, 1.0, ask.initial(), random)
    while level and size < _ENDLESS and depth <= MOST_MOVES:
        size += math.fsum(weight for weight, _ in level.values())
        below: dict[tuple[int, int], tuple[float, Any]] = {}
        for (_, moves), (weight, state) in level.items():
            for move in range(moves):
                _add(below, ask, weight, ask.next(state, move), random)
        level, depth = below, depth + 1
    return size


def _add(
    level: dict[tuple[int, int], tuple[float, Any]],
    ask: Questions,
    weight: float,
    state: Any,
    random: Random,
) -> None:
    """Let ``state`` stand for the nodes of its kind with the chance that is its share of them."""
    player = ask.player(state)
    moves = 0
    if player != TERMINAL:
        moves = len(ask.actions(state) if player >= 0 else ask.chance(state))
    total, before = level.get((player, moves), (0.0, state))
    total += weight
    level[player, moves] = total, state if random.random() * total < weight else before


class GrowthWatch:
    """Looks now and then at one growing tree, and raises when it has, or will have, too many nodes, or no time.

    :meth:`count` is to be called when there are ``next`` nodes.
    """

    def __init__(self, name: str, ask: Questions | None = None) -> None:
        self._name, self._ask = name, ask
        self._most, self._monitor, self._clock = _growth.get()
        self._expected = math.inf
        self.next = min(_LOOK, self._most)

    def count(self, nodes: int) -> None:
        """Take note of the number of nodes."""
        if nodes >= self._most:
            self._refuse(f"more than {self._most:,} nodes")
        if self._ask is not None and math.isinf(self._expected):
            self._expected, error = estimate(self._ask)
            if self._expected - 3 * error > self._most:
                self._refuse(f"about {self._expected:,.0f} nodes, estimated from samples")
        if self._clock.is_over():
            of = "" if math.isinf(self._expected) else f" of about {self._expected:,.0f}"
            raise EquipoiseError(
                f"{self._name}: found {nodes:,}{of} nodes of its tree when the time was over, expected all: a "
                "longer --time on the command line, time=SECONDS in Python, allows that."
            )
        if self._monitor is not None:
            self._monitor(nodes, self._expected)
        self.next = min(nodes + _LOOK, self._most)

    def finish(self, nodes: int) -> None:
        """Take note that the tree is complete."""
        if self._monitor is not None and nodes > _LOOK:
            self._monitor(nodes, nodes)

    def _refuse(self, found: str) -> NoReturn:
        _refuse(self._name, found, self._most)


def require_room(name: str, nodes: int) -> None:
    """Raise if a tree that is known to have this many nodes is too large."""
    most = _growth.get().most_nodes
    if nodes > most:
        _refuse(name, f"{nodes:,} nodes", most)


def _refuse(name: str, found: str, most: int) -> NoReturn:
    raise EquipoiseError(
        f"{name}: its tree has {found}, expected at most {most:,}; --nodes N on the command line, "
        "nodes=N in Python, allows more."
    )
