"""Random two-player zero-sum trees in general position: payoffs and odds without coincidences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame


def random_duel(seed: int, depth: int = 5) -> ExtensiveGame:
    """A tree whose players are told one bit of every move of nature's and of the opponent's."""
    random = np.random.default_rng(seed)
    tree = TreeBuilder(f"duel {seed}", ("A", "B"))
    counts: dict = {}

    def grow(place: object, level: int, memory: tuple, turn: int) -> None:
        if level == depth or (level > 2 and random.random() < 0.2):
            payoff = Fraction(int(random.integers(-(10**6), 10**6)), 10**5 + 3)
            tree.end(place, (payoff, -payoff))
            return
        if turn == 2:
            weights = random.integers(1, 1000, size=int(random.integers(2, 4))).tolist()
            moves = [(f"{i}", Fraction(w, sum(weights))) for i, w in enumerate(weights)]
            for i, after in enumerate(tree.chance(place, moves)):
                told = tuple((*own, ("nature", (i + who) % 2)) for who, own in enumerate(memory))
                grow(after, level + 1, told, int(random.integers(2)))
            return
        key = (turn, memory[turn])
        actions = counts.setdefault(key, int(random.integers(2, 4)))
        names = [f"a{i}" for i in range(actions)]
        label = f"{len(counts)} {memory[turn]}"
        for i, after in enumerate(tree.decide(place, turn, key, names, label)):
            told = list(memory)
            told[turn] = (*memory[turn], ("own", i))
            told[1 - turn] = (*memory[1 - turn], ("other", i % 2))
            grow(after, level + 1, tuple(told), int(random.integers(3)))

    grow(tree.root, 0, ((), ()), 2)
    return tree.build()
