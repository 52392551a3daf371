"""Peers that iterate: OpenSpiel's CFR+ in C++, and LiteEFG's CFR+ and PCFR+, behind one interface.

Making one loads its game; ``start`` sets up its tables; ``iterate`` does iterations of both players;
``plans`` returns its average strategies as realization plans of our sequence form.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.problems import Problem
from equipoise.games.trees.extensive import CHANCE, TERMINAL
from equipoise.sequence.treeplex import Treeplex

Plans = tuple[NDArray[Any], NDArray[Any]]


class Iterative(Protocol):
    """A solver that goes on for as long as it is asked to."""

    def start(self) -> None:
        """Set up the tables, at iteration zero."""

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations of both players."""

    def plans(self) -> Plans:
        """Return the average strategies as plans."""


class OpenSpiel:
    """OpenSpiel's ``CFRPlusSolver``: alternating updates, linear average."""

    def __init__(self, problem: Problem) -> None:
        import pyspiel

        self._make = pyspiel.CFRPlusSolver
        self.form, self.game = problem.form, pyspiel.load_game(problem.openspiel)
        self.place = match_openspiel(problem, self.game)

    def start(self) -> None:
        """Set up the tables, at iteration zero."""
        self.solver = self._make(self.game)

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations of both players."""
        for _ in range(count):
            self.solver.evaluate_and_update_policy()

    def plans(self) -> Plans:
        """Return the average strategies as plans."""
        sides: tuple[dict[int, list[float]], ...] = ({}, {})
        for key, policy in self.solver.tabular_average_policy().policy_table().items():
            player, place = self.place[key]
            sides[player][place] = [probability for _, probability in policy]
        return _plan(self.form.X, sides[0]), _plan(self.form.Y, sides[1])


class LiteEFG:
    """LiteEFG's ``cfr+`` or ``pcfr+``: alternating updates, linear average as in its own scripts."""

    def __init__(self, problem: Problem, algorithm: str) -> None:
        import LiteEFG
        from LiteEFG.baselines import PCFR, CFRplus

        LiteEFG.set_threads(1)
        self._make = {"cfr+": CFRplus, "pcfr+": PCFR}[algorithm].graph
        self.form, self.file = problem.form, str(problem.folder / "game.txt")
        self.environment = LiteEFG.FileEnv(self.file)

    def start(self) -> None:
        """Set up the tables, at iteration zero."""
        with _silence():
            self.graph = self._make()
        self.environment.set_graph(self.graph)

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations of both players, and average."""
        for _ in range(count):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy())

    def plans(self) -> Plans:
        """Return the average strategies as plans."""
        return self._side(self.form.X, 1), self._side(self.form.Y, 2)

    def _side(self, space: Treeplex, player: int) -> NDArray[Any]:
        strategy = self.graph.current_strategy()
        named = self.environment.get_strategy(player, strategy, "linear-avg-iterate")
        return _plan(space, {int(name.split("__")[1]): row for name, row in named})


def match_openspiel(problem: Problem, game: Any) -> dict[str, tuple[int, int]]:
    """Walk OpenSpiel's tree beside ours; return (player, information set) of each of its strings.

    Raises unless players, chances, payoffs and information sets agree at every node.
    """
    tree = problem.tree
    place: dict[str, tuple[int, int]] = {}
    stack, node = [(game.new_initial_state(), 1.0)], -1
    while stack:
        (state, chance), node = stack.pop(), node + 1
        player = int(tree.player[node])
        same = abs(chance - tree.chance[node]) < 1e-12
        if state.is_terminal():
            same &= player == TERMINAL and abs(state.returns()[0] - tree.payoff[node]) < 1e-9
        elif state.is_chance_node():
            same &= player == CHANCE
            stack.extend((state.child(a), p) for a, p in reversed(state.chance_outcomes()))
        else:
            here = (player, int(tree.set_of[node]))
            same &= state.current_player() == player
            same &= place.setdefault(state.information_state_string(), here) == here
            stack.extend((state.child(a), 1.0) for a in reversed(state.legal_actions()))
        if not same:
            raise SystemExit(f"OpenSpiel's game differs from ours at node {node}: {state}")
    sets = problem.form.X.infosets + problem.form.Y.infosets
    if node + 1 != len(tree.player) or not len(place) == len(set(place.values())) == sets:
        raise SystemExit("OpenSpiel's game differs from ours in its nodes or information sets")
    return place


def _plan(space: Treeplex, rows: dict[int, list[float]]) -> NDArray[np.float64]:
    """Return the plan of a strategy given as probabilities by information set."""
    behaviour = space.uniform()
    for place, row in rows.items():
        start = int(space.blocks.start[place])
        behaviour[start : start + len(row)] = row
    return space.plan(behaviour)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Drop what a library prints."""
    with Path(os.devnull).open("w") as sink, contextlib.redirect_stdout(sink):
        yield
