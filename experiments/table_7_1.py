"""Fewer bets, fewer buckets: Table 7.1 of Gilpin (2009), ours beside the published.

Agents of Rhode Island hold'em see potential-aware buckets and know of 1, 2 or 3 bets a round. Each earns so
many chips a hand, as the mean over both seats, against an equilibrium and against its nemesis, in the two
games of ``abstraction_study.py``: the histogram game of the published table, and the true one of 52 cards. With
three bets the agents are those of Tables 6.7 and 6.8, here as there.

    python experiments/table_7_1.py [--granularity 13-25-125 ...] [--bets 1 ...] [--only-solve] [--gap 0.1]
        [--store FOLDER] [--results FILE] [--print] [--plot STEM]

An agent is solved once and kept in FOLDER, the one of ``abstraction_study.py``; what is interrupted goes on from
its checkpoint. Figures are kept in FILE and not computed again. With ``--print`` nothing is computed: what is in
FILE is printed as Markdown.

What the thesis does not say, and we chose: a bet beyond the cap is read as a call, called, and forgotten
(:mod:`equipoise.abstraction.actions`).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from abstraction_study import GAMES, GRANULARITIES, RESULTS, Met, Study, Yardstick

from equipoise.abstraction.actions import abstract_actions, read_actions
from equipoise.abstraction.base import Partition
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.translate import translate

BETS = (1, 2, 3)

# Payoff against equilibrium with 1, 2, 3 bets, and against the nemesis.
PUBLISHED: dict[str, tuple[float, ...]] = dict(
    zip(
        GRANULARITIES,
        (
            (-73.816, -44.154, -41.791, -359.566, -201.750, -204.022),
            (-52.004, -22.162, -18.261, -365.047, -137.742, -125.972),
            (-44.320, -15.324, -10.556, -310.879, -83.411, -68.238),
            (-41.400, -9.396, -5.425, -312.997, -60.067, -45.124),
            (-39.532, -7.560, -3.239, -301.066, -44.699, -24.200),
            (-38.532, -5.806, -1.577, -298.511, -35.214, -12.067),
            (-37.311, -4.409, 0.000, -293.850, -26.160, -0.001),
        ),
        strict=True,
    )
)


class CappedStudy(Study):
    """Agents who know of so many bets a round; figures are those of the study ``of`` the whole game."""

    def __init__(self, of: Study, bets: int) -> None:
        super().__init__(of.store, of.results, of.gap, game=of.spec)
        self.figures, self.bets = of.figures, bets
        self.own = abstract_actions(self.game.tree, *read_actions(f"cap={bets}"))
        if len(self.own.nodes) < len(self.own.whole.parent):
            self.played, self.suffix = self.own.game(self.game), f"-{bets}"

    def meet(self, granularity: str, game: str, yardstick: Yardstick, best: Met) -> None:
        """Let the agent of a granularity meet an equilibrium of ``game``, and its nemesis."""
        start = time.process_time()
        agent = self.solved(f"potential({granularity})")
        assert agent is not None
        whole = translate(lift(*agent), self.own, self.game)[0]
        here = yardstick.met(narrowed(whole, yardstick.partition))
        self.keep(
            game,
            f"{granularity}/{self.bets}",
            {
                "equilibrium": yardstick.mean(here, best),
                "nemesis": yardstick.nemesis(here),
                "cpu_seconds": time.process_time() - start,
            },
        )


def narrowed(strategy: Strategy, onto: Partition) -> Strategy:
    """Return a strategy of the whole game as one of a model that tells apart all that it does."""
    layout = strategy.layout
    assert layout is not None
    vectors = []
    for player, vector in enumerate(strategy.behaviour):
        parts, starts = [np.ones(1, vector.dtype)], layout.starts(player)
        for (turn, actions), begin, end in zip(
            layout.nodes[player], starts[:-1], starts[1:], strict=True
        ):
            block, bucket = vector[begin:end].reshape(actions, -1), onto.maps[turn][player]
            first = np.unique(bucket, return_index=True)[1]
            assert (block == block[:, first[bucket]]).all(), "the model is no coarser"
            parts.append(block[:, first].reshape(-1))
        vectors.append(np.concatenate(parts))
    return Strategy(
        strategy.game,
        f"{strategy.fingerprint}/{onto.digest}",
        tuple(vectors),
        Layout(layout.nodes, onto.buckets),
    )


def compute(given: argparse.Namespace) -> None:
    """Solve the agents and let them meet, as far as their figures are not known yet."""
    plain = Study(given.store, given.results, given.gap)
    studies = [CappedStudy(plain, bets) for bets in given.bets]
    agents = [(study, granularity) for granularity in given.granularity for study in studies]
    for study, granularity in agents:
        study.solved(f"potential({granularity})")
    for game in () if given.only_solve else GAMES:
        known = plain.figures.get(game, {})
        left = [(study, g) for study, g in agents if f"{g}/{study.bets}" not in known]
        if left:
            yardstick, solved = plain.yardstick(game), plain.solved(GAMES[game])
            assert solved is not None
            best = yardstick.enter(*solved)
            for study, granularity in left:
                study.meet(granularity, game, yardstick, best)
                print(f"{granularity} with {study.bets} bets met in the {game} game", flush=True)


def rows(figures: dict[str, Any]) -> Iterator[tuple[str, int, dict[str, dict[str, float]], float]]:
    """Yield buckets, bets, what the agent earns in each game, and the gap of its model."""
    for granularity in GRANULARITIES:
        for bets in BETS:
            key = f"{granularity}/{bets}"
            if all(key in figures.get(game, {}) for game in GAMES):
                suffix = "" if bets == max(BETS) else f"-{bets}"
                agent = figures["agents"][f"potential({granularity}){suffix}"]
                yield granularity, bets, {game: figures[game][key] for game in GAMES}, agent["gap"]


def show(figures: dict[str, Any]) -> None:
    """Print the table as Markdown: chips a hand."""
    print("| buckets | bets | equil. | publ. | nemesis | publ. | true: equil. | nemesis | gap |")
    print("| --- " + "| ---: " * 8 + "|")
    for granularity, bets, cells, gap in rows(figures):
        own, true = cells["histogram"], cells["true"]
        theirs = PUBLISHED[granularity]
        numbers = (
            *(own["equilibrium"], theirs[bets - 1], own["nemesis"], theirs[bets + 2]),
            *(true["equilibrium"], true["nemesis"], gap),
        )
        print(f"| {granularity} | {bets} | {' | '.join(f'{number:.3f}' for number in numbers)} |")


def plot(stem: Path, figures: dict[str, Any]) -> None:
    """Draw what agents lose, by the buckets of the last round: ours as lines, the published as points."""
    from equipoise.plots.chart import Chart, Series, write_html, write_png

    def curve(game: str, kind: str, bets: int) -> tuple[list[int], list[float]]:
        found = [row for row in rows(figures) if row[1] == bets]
        return [int(row[0].split("-")[2]) for row in found], [-row[2][game][kind] for row in found]

    charts = []
    for game, kind, title in (
        ("histogram", "equilibrium", "Lost to an equilibrium, histogram game"),
        ("histogram", "nemesis", "Lost to the nemesis, histogram game"),
        ("true", "nemesis", "Lost to the nemesis, 52 cards"),
    ):
        series = [
            Series.of(f"{bets} bet{'s' * (bets > 1)}", *curve(game, kind, bets)) for bets in BETS
        ]
        for place, bets in enumerate(BETS) if game == "histogram" else ():
            column = bets - 1 if kind == "equilibrium" else bets + 2
            theirs = [-row[column] for row in PUBLISHED.values()]
            last = [int(granularity.split("-")[2]) for granularity in PUBLISHED]
            series.append(Series.of(f"{bets}, published", last, theirs, is_line=False, like=place))
        charts.append(
            Chart(
                title, "buckets in the last round", "chips a hand", tuple(series), legend_below=True
            )
        )
    write_html(stem.with_suffix(".html"), *charts)
    write_png(stem.with_suffix(".png"), *charts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--granularity", nargs="+", default=GRANULARITIES, choices=GRANULARITIES)
    parser.add_argument("--bets", nargs="+", type=int, default=BETS, choices=BETS)
    parser.add_argument("--only-solve", action="store_true")
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--store", type=Path, default=Path("abstraction-study"))
    parser.add_argument("--results", type=Path, default=RESULTS.with_name("table_7_1.json"))
    parser.add_argument("--print", action="store_true", dest="is_printed")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args(arguments)
    if not given.is_printed:
        compute(given)
    if given.results.exists():
        figures = json.loads(given.results.read_text())
        show(figures)
        if given.plot is not None:
            plot(given.plot, figures)


if __name__ == "__main__":
    main()
