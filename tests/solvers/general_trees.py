"""Random trees with perfect recall for any number of players, drawn without Hypothesis."""

from fractions import Fraction

import numpy as np

from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame


def random_tree(
    rng: np.random.Generator,
    players: int = 2,
    depth: int = 6,
    spread: int = 100,
    *,
    shift: Fraction | int = 0,
    scale: Fraction | int = 1,
    early: float = 0.05,
) -> ExtensiveGame:
    """Draw a tree of binary moves in which players see a bit of each move of the others."""
    tree = TreeBuilder("random tree", [f"P{i + 1}" for i in range(players)])
    stack = [(tree.root, 0, ((),) * players)]
    while stack:
        place, level, memory = stack.pop()
        if level == depth or rng.random() < early:
            amounts = rng.integers(-spread, spread + 1, size=players)
            tree.end(place, [scale * Fraction(int(a)) + shift for a in amounts])
        elif rng.random() < 0.2:
            part = Fraction(int(rng.integers(1, 4)), 4)
            after = tree.chance(place, [("left", part), ("right", 1 - part)])
            stack += [(child, level + 1, memory) for child in after]
        else:
            player = int(rng.integers(players))
            seen = bool(rng.random() < 0.5)
            key = (level, memory[player], seen)
            for choice, child in enumerate(tree.decide(place, player, key, ("l", "r"))):
                own = (*memory[player], (level, seen, choice))
                stack.append((child, level + 1, (*memory[:player], own, *memory[player + 1 :])))
    return tree.build()
