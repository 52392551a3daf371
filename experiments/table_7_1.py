"""Fewer bets, fewer buckets: Table 7.1 of Gilpin (2009), ours beside the published.

Agents of Rhode Island hold'em see potential-aware buckets and know of 1, 2 or 3 bets a round. Each earns so
many chips a hand, as the mean over both seats, against an equilibrium and against its nemesis:

* in the *histogram game*, whose players see the 13/205/1774 buckets: the game of the published table;
* with ``--true`` in the game of 52 cards, too, which is another one (``docs/soundness.md``).

    python experiments/table_7_1.py [--rows 13-25-125 13-205-1774] [--caps 1 2 3] [--gap 0.1] [--true]
        [--store FOLDER]

Every entry is kept in FOLDER as soon as it is known, and is not computed again. The gap of the agent's own
model stands beside it: the entry against an equilibrium is off by at most half of that and half of the
equilibrium's.

What the thesis does not say, and we chose: a bet beyond the cap is read as a call, called, and forgotten
(:mod:`equipoise.abstraction.actions`).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.actions import abstract_actions, read_actions
from equipoise.abstraction.base import Partition, coarsen
from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.match import against_nemesis, head_to_head
from equipoise.files import write_atomically
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.views import signal_rounds
from equipoise.road.zero_sum import choose
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.translate import translate

CAPS = (1, 2, 3)
FINEST = "13-205-1774"

# Payoff against equilibrium with 1, 2, 3 bets, and against the nemesis.
PUBLISHED: dict[str, tuple[float, ...]] = {
    "13-25-125": (-73.816, -44.154, -41.791, -359.566, -201.750, -204.022),
    "13-50-250": (-52.004, -22.162, -18.261, -365.047, -137.742, -125.972),
    "13-75-500": (-44.320, -15.324, -10.556, -310.879, -83.411, -68.238),
    "13-100-750": (-41.400, -9.396, -5.425, -312.997, -60.067, -45.124),
    "13-125-1000": (-39.532, -7.560, -3.239, -301.066, -44.699, -24.200),
    "13-150-1250": (-38.532, -5.806, -1.577, -298.511, -35.214, -12.067),
    FINEST: (-37.311, -4.409, 0.000, -293.850, -26.160, -0.001),
}

Plans = tuple[NDArray[np.float64], NDArray[np.float64]]


class HistogramGame:
    """The game whose players see win/tie/loss histograms, as a yardstick: payoffs of plans in it."""

    def __init__(self, game: PokerGame) -> None:
        self.game, self.buckets = game, gameshrink(game, "histogram")
        self.form = build(game, self.buckets)

    def plans(self, strategy: Strategy) -> Plans:
        """Return a strategy of the whole game, which must be one of these buckets, as plans."""
        layout = strategy.layout
        assert layout is not None
        assert self.form.canonical is not None
        plans = []
        for player, space in enumerate((self.form.X, self.form.Y)):
            parts, starts = [np.ones(1)], layout.starts(player)
            for (turn, actions), begin, end in zip(
                layout.nodes[player], starts[:-1], starts[1:], strict=True
            ):
                block = strategy.behaviour[player][begin:end].reshape(actions, -1)
                _, first = np.unique(self.buckets.maps[turn][player], return_index=True)
                parts.append(block[:, first].reshape(-1).astype(np.float64))
            behaviour = np.empty(space.size)
            behaviour[self.form.canonical(player)] = np.concatenate(parts)
            plans.append(space.plan(behaviour))
        return plans[0], plans[1]

    def meet(self, agent: Plans, other: Plans) -> float:
        """Return what ``agent`` earns against ``other``, as the mean over both seats."""
        A, unit = self.form.A, self.form.units.unit
        first, second = agent[0] @ A.times(other[1]), other[0] @ A.times(agent[1])
        return float(unit * (first - second) / 2)

    def nemesis(self, agent: Plans) -> float:
        """Return what ``agent`` earns against the best opponent, as the mean over both seats."""
        A, unit = self.form.A, self.form.units.unit
        most = self.form.X.support(A.times(agent[1]))
        least = -self.form.Y.support(-A.transpose_times(agent[0]))
        return float(unit * (least - most) / 2)


class Table:
    """The entries, computed when they are asked for and kept in a folder."""

    def __init__(self, game: PokerGame, folder: Path, gap: float) -> None:
        self.game, self.folder, self.gap = game, folder, gap
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "table_7_1.json"
        self.entries = json.loads(self.file.read_text()) if self.file.exists() else {}

    @cached_property
    def histograms(self) -> HistogramGame:
        """The yardstick."""
        return HistogramGame(self.game)

    @cached_property
    def equilibrium(self) -> Plans:
        """An equilibrium of the histogram game."""
        return self.histograms.plans(self.agent(FINEST, 3)[0])

    @cached_property
    def truth(self) -> Strategy:
        """An equilibrium of the true game."""
        return self._kept("truth", gameshrink(self.game, "sound"), 3)[0]

    def agent(self, granularity: str, cap: int) -> tuple[Strategy, float]:
        """Return an agent as a strategy of the whole game, and the gap of its own model."""
        return self._kept(f"{granularity}-cap-{cap}", self._buckets(granularity), cap)

    def _kept(self, name: str, buckets: Partition, cap: int) -> tuple[Strategy, float]:
        """Return the equilibrium of a model, solved unless it is in the folder."""
        own = abstract_actions(self.game.tree, *read_actions(f"cap={cap}"))
        small = own.game(self.game)
        form = build(small, buckets)
        file = self.folder / f"{name}.npz"
        if not file.exists():
            method, _ = choose("auto", form, self.gap)
            solution = solve(form, method, Gap(self.gap))
            first, second = (vector.astype(np.float32) for vector in solution.strategy.behaviour)
            arrays = {"first": first, "second": second, "gap": np.array(solution.gap)}
            write_atomically(file, lambda out: np.savez(out, **arrays))
        with np.load(file) as stored:
            behaviour, gap = (stored["first"], stored["second"]), float(stored["gap"])
        strategy = Strategy(
            form.name, form.fingerprint, behaviour, Layout.of(small.tree, form.buckets), small
        )
        return translate(lift(strategy, buckets), own, self.game)[0], gap

    def _buckets(self, granularity: str) -> Partition:
        """Return the potential-aware buckets of the histogram game, as buckets of views."""
        fine = self.histograms.buckets
        if granularity == FINEST:
            return fine
        from equipoise.abstraction.potential import potential

        rounds = signal_rounds(self.game)
        coarse = potential(coarsen(rounds, fine), [int(k) for k in granularity.split("-")])
        maps = [[coarse.maps[r][i][fine.maps[r][i]] for i in (0, 1)] for r in range(len(rounds))]
        return Partition.of(rounds, maps, game=self.game.name, method=f"potential {granularity}")

    def entry(self, granularity: str, cap: int, true: bool) -> dict[str, float]:
        """Return what an agent earns, and the gap of its model, computing what is not known yet."""
        key = f"{granularity}/{cap}"
        entry = self.entries.setdefault(key, {})
        if "nemesis" not in entry or (true and "true nemesis" not in entry):
            start = time.process_time()
            agent, entry["gap"] = self.agent(granularity, cap)
            plans = self.histograms.plans(agent)
            entry["equilibrium"] = self.histograms.meet(plans, self.equilibrium)
            entry["nemesis"] = self.histograms.nemesis(plans)
            if true:
                entry["true equilibrium"] = head_to_head(self.game, agent, self.truth).mean
                entry["true nemesis"] = against_nemesis(self.game, agent).mean
            entry["seconds"] = time.process_time() - start
            text = json.dumps(self.entries, indent=1)
            write_atomically(self.file, lambda out: out.write(text.encode()))
        return entry


def show(rows: Sequence[str], caps: Sequence[int], table: Table, true: bool) -> None:
    """Print the table as Markdown, row by row."""
    print("| buckets | bets | equilibrium | published | nemesis | published | gap of the model |" + (
        " true game: equilibrium | nemesis |" if true else ""))  # fmt: skip
    print("| --- " * (9 if true else 7) + "|")
    for row in rows:
        for cap in caps:
            entry = table.entry(row, cap, true)
            theirs = PUBLISHED[row]
            cells = [
                row,
                str(cap),
                f"{entry['equilibrium']:.3f}",
                f"{theirs[cap - 1]:.3f}",
                f"{entry['nemesis']:.3f}",
                f"{theirs[cap + 2]:.3f}",
                f"{entry['gap']:.3f}",
            ]
            if true:
                cells += [f"{entry['true equilibrium']:.3f}", f"{entry['true nemesis']:.3f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", nargs="+", default=list(PUBLISHED), choices=list(PUBLISHED))
    parser.add_argument("--caps", nargs="+", type=int, default=CAPS, choices=CAPS)
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--true", action="store_true")
    parser.add_argument("--store", type=Path, default=Path("table_7_1"))
    chosen = parser.parse_args(arguments)
    table = Table(poker.rhode_island(), chosen.store, chosen.gap)
    show(chosen.rows, chosen.caps, table, chosen.true)


if __name__ == "__main__":
    main()
