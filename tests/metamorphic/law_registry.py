"""What the laws range over: small games of every kind, and every method by name."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

from equipoise.games import poker
from equipoise.games.files.rules import library, library_game
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees import classic
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build
from equipoise.solvers.auto import choose
from equipoise.solvers.base import Method, Solution, solve
from equipoise.solvers.driver import Stop
from equipoise.solvers.methods import METHODS, WRAPPERS, method

PENNIES = from_matrices("pennies", [[3, -1], [-2, 1]]).tree
SIGNALS = {"kuhn": poker.kuhn, **{name: (lambda n=name: library_game(n)) for name in library()}}
TREES = {
    "pennies": lambda: PENNIES,
    "matrix": lambda: from_matrices("m", [[2, 0, 7], [1, 3, -4], [5, -3, 1]]).tree,
    "kuhn": classic.kuhn,
    "leduc": lambda: classic.leduc(2, 2),
    "dice": lambda: classic.liars_dice(2),
    **{name: (lambda n=name: unroll(SIGNALS[n]())) for name in ("kuhn", "standoff")},
}

EXACT = ("auto", "lp", "lp-primal", "lp-ipx", "shrink:lp")
ALL = ("auto", *METHODS, *(f"{name}:cfr+" for name in WRAPPERS))


@cache
def tree(name: str) -> ExtensiveGame:
    """Return a tree of the registry."""
    return TREES[name]()


def chosen(form, name: str, stop: Stop) -> Method:
    """Return the method ``name`` for a form, as the command line would."""
    return choose(form, stop.at(form.units.stake).gap)[0] if name == "auto" else method(name)


def solved(game, name: str, stop: Stop) -> Solution:
    """Solve ``game`` by the method ``name``."""
    form = build(game)
    return solve(form, chosen(form, name, stop), stop)


def has_chance(game: ExtensiveGame) -> bool:
    """Say whether there is something to sample."""
    return bool(game.chance_label)


def tiny(seed: int) -> ExtensiveGame:
    """A random tree of depth at most three; in many of them somebody, or everybody, never moves."""
    rng = random.Random(seed)
    tree = TreeBuilder(f"tiny {seed}", ("A", "B"))
    movers = rng.choice([(), (0,), (1,), (-1,), (0, 1), (0, 1, -1), (0, -1), (1, -1)])
    sizes: dict = {}
    stack = [(tree.root, 0, ((), ()))]
    while stack:
        place, depth, memory = stack.pop()
        goes_on = bool(movers) and depth < 3 and (depth == 0 or rng.random() < 0.7)
        mover = rng.choice(movers) if goes_on else None
        if mover is None:
            value = Fraction(rng.randint(-4, 4), rng.choice([1, 3]))
            tree.end(place, [value, -value])
        elif mover == -1:
            count = rng.randint(1, 3)
            moves = [(str(i), Fraction(1, count)) for i in range(count)]
            stack += [(after, depth + 1, memory) for after in tree.chance(place, moves)]
        else:
            key = (mover, memory[mover], rng.random() < 0.5)
            count = sizes.setdefault(key, rng.randint(1, 3))
            names = [f"move {i}" for i in range(count)]
            for choice, after in enumerate(tree.decide(place, mover, key, names, str(key))):
                own = (*memory[mover], (key[2], choice))
                both = (own, memory[1]) if mover == 0 else (memory[0], own)
                stack.append((after, depth + 1, both))
    return tree.build()
