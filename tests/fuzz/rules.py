"""Random rules in Python: small games whose methods now and then return nonsense."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

CHANCE, TERMINAL = -1, -2
NONSENSE: list[Any] = [
    None, True, -7, 10**9, 0.5, float("nan"), float("inf"), 1e400, "", "x", [], [1], [None], {}, [[]],
    ("a", "a"), [("a", 0.5)], [("a", 1), ("b", None)], {"a": 1}, set(), object(), Fraction(1, 3), b"x", [3, "x"],
]  # fmt: skip
METHODS = ("players", "initial", "player", "actions", "chance", "next", "information", "payoffs")


class RandomRules:
    """A game of a few moves; ``broken`` names the method that misbehaves, ``how`` often and how."""

    def __init__(self, chance: random.Random) -> None:
        self._seed = chance.random()
        self._depth = chance.randrange(0, 5)
        self._count = chance.choice([1, 2, 2, 2, 3])
        self._broken = chance.choice([None, *METHODS])
        self._nonsense = chance.choice(NONSENSE)
        self._often = chance.choice([1.0, 0.3])

    def _perhaps(self, method: str, state: Any, value: Any) -> Any:
        """Return ``value``, or nonsense if this is the method, and the state, that are broken."""
        draw = random.Random(f"{self._seed} {method} {state!r:.200}").random()
        return self._nonsense if method == self._broken and draw < self._often else value

    def _draw(self, state: Any, what: str) -> random.Random:
        return random.Random(f"{self._seed} {what} {state!r:.200}")

    @property
    def players(self) -> Any:
        return self._perhaps("players", (), self._count)

    def initial(self) -> Any:
        return self._perhaps("initial", (), ())

    def player(self, state: Any) -> Any:
        moves = _moves(state)
        draw = self._draw(moves, "player")
        who = TERMINAL if moves >= self._depth else draw.randrange(-1, self._count)
        return self._perhaps("player", state, who)

    def actions(self, state: Any) -> Any:
        count = self._draw(_moves(state), "actions").randrange(1, 4)
        return self._perhaps("actions", state, ["a", "b", "c"][:count])

    def chance(self, state: Any) -> Any:
        return self._perhaps("chance", state, [("h", Fraction(1, 3)), ("t", Fraction(2, 3))])

    def next(self, state: Any, index: int) -> Any:
        return self._perhaps("next", state, (*(state if isinstance(state, tuple) else ()), index))

    def information(self, state: Any) -> Any:
        return self._perhaps("information", state, state)

    def payoffs(self, state: Any) -> Any:
        draw = self._draw(state, "payoffs")
        worth = draw.choice([draw.randrange(-3, 4), draw.random(), Fraction(draw.randrange(9), 7)])
        return self._perhaps("payoffs", state, [worth, -worth, 0][: self._count])


def _moves(state: Any) -> int:
    """Return how many moves have been made; a state that is nonsense is as good as the last."""
    return len(state) if isinstance(state, tuple) else 99


def try_rules(seed: str) -> None:
    """Build the tree of random rules, solve it if it can be, and certify."""
    from equipoise import certify
    from equipoise.games.trees.builder import from_rules
    from equipoise.sequence.build import build
    from equipoise.solvers.base import solve
    from equipoise.solvers.driver import Stop
    from equipoise.solvers.methods import method

    game = from_rules(RandomRules(random.Random(seed)))
    solution = solve(build(game), method("cfr+"), Stop(gap=1e-3, iterations=20))
    certify(game, solution.strategy)
