"""Random trees with perfect recall and random tables, for properties of readers, writers and conversions."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame

PLAIN = st.sampled_from([f"move {i}" for i in range(6)])
WILD = st.text(min_size=1, max_size=6) | st.sampled_from(['"', "\\", '\\"', " ", "a\\", "\\u0041"])
NUMBERS = st.fractions(min_value=-9, max_value=9, max_denominator=12)


def _labels(draw, text, count):
    return draw(st.lists(text, min_size=count, max_size=count, unique=True))


@st.composite
def trees(draw, text=WILD, most_players=3, most_depth=4) -> ExtensiveGame:
    """A tree whose information sets are told apart by own memory and one bit of news."""
    players = draw(st.integers(1, most_players))
    title = " ".join(draw(text).split()) or "t"
    tree = TreeBuilder(title, _labels(draw, text, players))
    actions: dict = {}
    stack = [(tree.root, 0, ((),) * players)]
    while stack:
        place, depth, memory = stack.pop()
        player = draw(st.integers(-2, players - 1)) if depth < most_depth else -2
        if player == -2:
            tree.end(place, draw(st.lists(NUMBERS, min_size=players, max_size=players)))
        elif player == -1:
            weights = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(any))
            labels = _labels(draw, text, len(weights))
            moves = [
                (label, Fraction(weight, sum(weights)))
                for label, weight in zip(labels, weights, strict=True)
            ]
            stack += [(after, depth + 1, memory) for after in tree.chance(place, moves)]
        else:
            key = (player, memory[player], draw(st.booleans()))
            if key not in actions:
                # The place keeps labels apart, as Gambit asks of a player's sets.
                label = f"{draw(text)}{len(actions)}"
                actions[key] = (label, _labels(draw, text, draw(st.integers(1, 3))))
            label, names = actions[key]
            for choice, after in enumerate(tree.decide(place, player, key, names, label)):
                own = (*memory[player], (key[2], choice))
                stack.append((after, depth + 1, (*memory[:player], own, *memory[player + 1 :])))
    return tree.build()


@st.composite
def tables(draw) -> NormalGame:
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    cells = int(np.prod(shape))
    numbers = st.fractions(max_denominator=30) | st.integers()
    payoff = np.empty((*shape, len(shape)), dtype=object)
    payoff.reshape(-1)[:] = [
        Fraction(x) for x in draw(st.lists(numbers, min_size=payoff.size, max_size=payoff.size))
    ]
    assert payoff.size == cells * len(shape)
    names = [draw(st.lists(WILD, min_size=n, max_size=n, unique=True)) for n in shape]
    players = draw(st.lists(WILD, min_size=len(shape), max_size=len(shape), unique=True))
    return NormalGame("table", tuple(players), tuple(tuple(n) for n in names), payoff)
