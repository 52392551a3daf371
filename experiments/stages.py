"""Stage abstraction (Gilpin 2009, section 7.2): what leaves are worth where a game is cut off.

Games are cut before their last round. Leaves are worth a roll-out, in which nobody bets any more, or what both
players make of the last round by fixed habits: those of an equilibrium, or of a coarse player whose habits are
counted in 343,513 games with itself, as GS2's were. The first rounds are solved, and the strategy is taken back
to the whole game:

* *played on*: the last round is played as was assumed, and the strategy certified as it is;
* *solved again*: the last round is played as well as it can be after these first rounds, which is what GS1 and GS2
  tried to do at the table. For player 1, whose plan x is fixed in the first rounds, that is
  max over x, min over y of <x, A y>, a linear program; for player 2 likewise. Both losses add up to a gap.

    python experiments/stages.py [--game GAME ...] [--results FILE] [--plot STEM] [--print]

Figures are kept in FILE and not computed again. The plots are Figures 7.1 to 7.3 for the last GAME.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from abstraction_study import RESULTS
from numpy.typing import NDArray

import equipoise
from equipoise.abstraction.self_play import Habits, Point, follow, self_play
from equipoise.abstraction.stages import Behaviour, truncate
from equipoise.files import write_atomically
from equipoise.games import poker
from equipoise.games.base import parse
from equipoise.games.poker import PokerGame
from equipoise.numerics.program import optimize
from equipoise.plots.chart import Chart, Series, write_html, write_png
from equipoise.road.result import Result
from equipoise.sequence.build import SequenceForm, build
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.solvers.saddle.lp import program
from equipoise.strategy.profile import Strategy
from equipoise.strategy.stages import behaviour_of

GAMES_PLAYED = 343_513  # Sparbot's with itself (Gilpin 2009, section 7.2)
SEED = 1
# The games, and the abstraction in which the coarse player of each is an equilibrium.
GAMES = {
    "leduc(ranks=13,suits=4)": "expectation(5-25)",
    "rhode_island(ranks=3,suits=2)": "expectation(2-6-20)",
    "rhode_island(ranks=8,suits=4)": "expectation(8-25-125)",
    "rhode_island": "expectation(13-25-125)",
}
LEAVES = (
    "roll-out",
    "habits of a coarse player",
    "habits of an equilibrium",
    "equilibrium",
)
# Where the figures look, by what was done in the round, and what they show.
FIGURES = {
    "": "first player, start of the last round",
    "b": "second player, after a bet",
    "bR": "first player, after a bet and a raise",
}
GAP = "1e-5r"
# Programs with more sequences of one player than this take minutes.
_MOST_SEQUENCES = 50_000
_ACTIONS = {"k": "check", "b": "bet", "f": "fold", "c": "call", "r": "raise"}


class Cut:
    """A poker game whose last round is cut off."""

    def __init__(self, spec: str, gap: str) -> None:
        name, parameters = parse(spec)
        make = getattr(poker, name)  # with signals, whatever the registry has
        self.game: PokerGame = make(**parameters)
        self.spec, self.gap, self.kept = spec, gap, self.game.rounds - 1

    @cached_property
    def equilibrium(self) -> Result:
        """An equilibrium of the whole game."""
        return equipoise.solve(self.game, gap=self.gap)

    @cached_property
    def coarse(self) -> Result:
        """An equilibrium of an abstraction."""
        return equipoise.solve(self.game, abstraction=GAMES[self.spec], gap=self.gap)

    def habits(self, strategy: Strategy, games: int | None = None) -> Habits:
        """Return how a player acts in the last round by the value of her hand alone."""
        behaviour = behaviour_of(strategy, self.game)
        return self_play(self.game, behaviour, self.kept, games=games, seed=SEED)

    def later(self, leaves: str) -> Behaviour | None:
        """Return what is done in the last round."""
        match leaves:
            case "roll-out":
                return None
            case "equilibrium":
                return behaviour_of(self.equilibrium.strategy, self.game)
            case "habits of an equilibrium":
                habits = self.habits(self.equilibrium.strategy)
            case _:
                habits = self.habits(self.coarse.strategy, GAMES_PLAYED)
        return follow(self.game, habits, self.kept)

    def row(self, leaves: str) -> dict[str, float]:
        """Return what becomes of the first rounds if the leaves are worth that."""
        start = time.process_time()
        later = self.later(leaves)
        ready = time.process_time()
        found = equipoise.solve(
            self.game, gap=self.gap, stages=truncate(self.game, self.kept, later)
        )
        proof, solved = found.certificate, time.process_time()
        row = {
            "value": proof.values[0],
            "gap": proof.gap,
            "fit_cpu_seconds": ready - start,
            "solve_cpu_seconds": solved - ready,
        }
        form = build(self.game)
        if form.X.size <= _MOST_SEQUENCES:
            row["solved_again"] = self.loss(form, found.strategy)
            row["again_cpu_seconds"] = time.process_time() - solved
        return row

    def loss(self, form: SequenceForm, strategy: Strategy) -> float:
        """Return what both lose who play the first rounds so, and the last one as well as they can then."""
        turned = -form.A.matrix().T.tocoo()
        A = Sparse.from_entries(turned.row, turned.col, turned.data, turned.shape)
        sides = form, replace(form, X=form.Y, Y=form.X, A=A)
        secured = [
            self._secured(side, self._first_rounds(form, strategy, player))
            for player, side in enumerate(sides)
        ]
        # In an equilibrium player 1 secures the value, and player 2 its negative.
        return -form.units.unit * sum(secured)

    def _secured(self, side: SequenceForm, fixed: NDArray[np.float64]) -> float:
        """Return what the player X of ``side`` secures, of whose plan some entries are ``fixed``."""
        own, known = program(side), np.flatnonzero(~np.isnan(fixed))
        width = own.A.shape[1]
        lower, upper = (np.broadcast_to(b, width).copy() for b in (own.lower, own.upper))
        lower[known] = upper[known] = fixed[known]
        found = optimize(replace(own, lower=lower, upper=upper), "ipx", crossover=False)
        return -found.require_optimal(self.spec).objective

    def _first_rounds(
        self, form: SequenceForm, strategy: Strategy, player: int
    ) -> NDArray[np.float64]:
        """Return the player's plan in the first rounds, and no numbers for the last one."""
        layout, space = strategy.layout, (form.X, form.Y)[player]
        assert layout is not None
        assert form.canonical is not None
        behaviour, turns = np.empty(space.size), np.empty(space.size)
        starts = layout.starts(player)
        lengths = np.diff(np.concatenate([[0], starts]))
        order = form.canonical(player)
        behaviour[order] = strategy.behaviour[player]
        turns[order] = np.repeat([0, *(turn for turn, _ in layout.nodes[player])], lengths)
        return np.where(turns < self.kept, space.plan(behaviour), np.nan)


def plot(stem: Path, cut: Cut) -> None:
    """Draw how a coarse player acts in the last round, by the value of her hand: Figures 7.1 to 7.3."""
    exact, counted = (cut.habits(cut.coarse.strategy, games) for games in (None, GAMES_PLAYED))
    charts = []
    for number, (history, title) in enumerate(FIGURES.items(), start=1):
        point = _point(counted, history)
        actions = [_ACTIONS[label[0].lower()] for label in counted.labels[point][0]]
        series = []
        for kind, habits in (("", exact), (f", {GAMES_PLAYED:,} games", counted)):
            frequencies = habits.frequencies(point)
            shown = habits.counts[point].sum(axis=1) > 0
            series += [
                Series.of(
                    f"{action}{kind}",
                    habits.values[shown],
                    frequencies[shown, i],
                    is_line=not kind,
                    like=i,
                )
                for i, action in enumerate(actions)
            ]
        charts.append(
            Chart(f"Figure 7.{number}: {title}", "value of the hand", "probability", tuple(series),
                  legend_below=True)
        )  # fmt: skip
    write_html(stem.with_suffix(".html"), *charts)
    write_png(stem.with_suffix(".png"), *charts)


def _point(habits: Habits, history: str) -> Point:
    """Return the place in the last round's betting that ``history`` leads to."""
    return next(point for point, (_, played) in habits.labels.items() if played == history)


def show(figures: dict[str, Any]) -> None:
    """Print the figures as Markdown."""
    print(
        "| game | leaves are worth | value | gap, played on | gap, last round solved again | CPU |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for game, rows in figures.items():
        for leaves, row in rows.items():
            again = f"{row['solved_again']:.4g}" if "solved_again" in row else ""
            seconds = row["fit_cpu_seconds"] + row["solve_cpu_seconds"]
            numbers = f"{row['value']:.4f} | {row['gap']:.4g} | {again} | {seconds:.1f} s"
            print(f"| {game} | {leaves} | {numbers} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--gap", default=GAP)
    parser.add_argument("--results", type=Path, default=RESULTS.with_name("stages.json"))
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--print", action="store_true", dest="is_printed")
    given = parser.parse_args(arguments)
    results = given.results
    figures: dict[str, Any] = json.loads(results.read_text()) if results.exists() else {}
    for spec in () if given.is_printed else given.game:
        cut = Cut(spec, given.gap)
        for leaves in LEAVES:
            if leaves not in figures.setdefault(spec, {}):
                figures[spec][leaves] = cut.row(leaves)
                text = json.dumps(figures, indent=1) + "\n"
                results.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(results, lambda out, text=text: out.write(text.encode()))
        if given.plot is not None and spec == given.game[-1]:
            plot(given.plot, cut)
    show(figures)


if __name__ == "__main__":
    main()
