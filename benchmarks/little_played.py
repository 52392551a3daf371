"""What `auto` gains where equilibria leave most of a tree alone, and whether it sees where they do not.

    python -m benchmarks.little_played

CPU seconds to a billionth of what is at stake, by `auto` (its choice included) and by both linear programs of HiGHS,
in turns and in one process on one thread: the least of so many rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.report import markdown
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.classic import LiarsDice, leduc, liars_dice
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.auto import choose
from equipoise.solvers.base import Method, solve
from equipoise.solvers.driver import Relative
from equipoise.solvers.saddle import expansion
from equipoise.solvers.saddle.lp import LP

TARGET = 1e-9
Moves = tuple[int, ...]


class PlainDice(LiarsDice):
    """Liar's dice without a wild face: a bid of two dice hardly ever stands."""

    def payoffs(self, state: tuple[Moves, Moves]) -> Sequence[int]:
        """The challenged bidder wins if so many dice show the face."""
        dice, bids = state
        quantity, face = 1 + bids[-2] // self.sides, 1 + bids[-2] % self.sides
        gain = 1 if (dice.count(face) >= quantity) == (len(bids) % 2 == 0) else -1
        return gain, -gain


class Signals:
    """Both players have a private signal and move ``turns`` times; a state is the signals and all moves."""

    players = 2

    def __init__(self, signals: int, turns: int) -> None:
        self.signals, self.turns = signals, turns

    def initial(self) -> Moves:
        """Nothing is drawn."""
        return ()

    def player(self, state: Moves) -> int:
        """Nature draws twice, then the players move in turn; what they see of it is the game's to say."""
        if len(state) < 2:
            return CHANCE
        return TERMINAL if len(state) == 2 + 2 * self.turns else len(state) % 2

    def chance(self, state: Moves) -> Sequence[tuple[str, float]]:
        """All signals alike."""
        return [(str(i), 1 / self.signals) for i in range(self.signals)]

    def next(self, state: Moves, index: int) -> Moves:
        """Draw or move."""
        return (*state, index)


class Auction(Signals):
    """Lots, each worth more than the last, go to the higher of two bids out of a budget; who won is told."""

    def __init__(self, signals: int, budget: int, lots: int) -> None:
        super().__init__(signals, lots)
        self.budget = budget

    def winners(self, state: Moves) -> list[int]:
        """Return who won each lot so far: 1, -1, or 0 for nobody."""
        bids = state[2:]
        return [(a > b) - (a < b) for a, b in zip(bids[::2], bids[1::2], strict=False)]

    def actions(self, state: Moves) -> Sequence[str]:
        """Any bid out of what is left."""
        player, over = len(state) % 2, state[: len(state) - len(state) % 2]
        won = (winner == 1 - 2 * player for winner in self.winners(over))
        paid = sum(bid for bid, mine in zip(over[2 + player :: 2], won, strict=True) if mine)
        return [str(bid) for bid in range(self.budget - paid + 1)]

    def information(self, state: Moves) -> str:
        """Own signal and bids, and who won."""
        player, over = len(state) % 2, state[: len(state) - len(state) % 2]
        return f"{state[player]} {over[2 + player :: 2]} {self.winners(over)}"

    def payoffs(self, state: Moves) -> Sequence[int]:
        """What a lot is worth to its winner, less the bid, taken as won from the other."""
        gain = 0
        for lot, winner in enumerate(self.winners(state), start=1):
            side = (1 - winner) // 2
            gain += winner * ((1 + state[side]) * lot - state[2 * lot + side])
        return gain, -gain


class Noise(Signals):
    """All moves are seen, and payoffs drawn at random: much is played."""

    def __init__(self, signals: int, moves: int, turns: int) -> None:
        super().__init__(signals, turns)
        self.moves, self.random = moves, np.random.default_rng(0)

    def actions(self, state: Moves) -> Sequence[str]:
        """So many moves."""
        return [str(move) for move in range(self.moves)]

    def information(self, state: Moves) -> str:
        """Own signal and all moves."""
        return f"{state[len(state) % 2]} {state[2:]}"

    def payoffs(self, state: Moves) -> Sequence[float]:
        """Normal numbers."""
        gain = float(self.random.standard_normal())
        return gain, -gain


GAMES: dict[str, Callable[[], ExtensiveGame]] = {
    "liar's dice, 5 sides": partial(liars_dice, 5),
    "liar's dice, 6 sides": liars_dice,
    "no face wild, 5 sides": lambda: from_rules(PlainDice(5), "plain dice"),
    "no face wild, 6 sides": lambda: from_rules(PlainDice(6), "plain dice"),
    "auction, 8 signals, budget 6, 2 lots": lambda: from_rules(Auction(8, 6, 2), "auction"),
    "auction, 6 signals, budget 9, 2 lots": lambda: from_rules(Auction(6, 9, 2), "auction"),
    "auction, 3 signals, budget 5, 3 lots": lambda: from_rules(Auction(3, 5, 3), "auction"),
    "Leduc, 8 ranks": partial(leduc, 8),
    "random, 6 signals, 3 moves, 6 turns": lambda: from_rules(Noise(6, 3, 3), "noise"),
}


def seconds(form: SequenceForm, method: Callable[[], Method]) -> tuple[float, str]:
    """Return the CPU time of a solve from nothing, and the method's name."""
    expansion.rough_equilibrium.cache_clear()
    began = time.process_time()
    found = solve(form, method(), Relative(TARGET))
    assert found.gap <= TARGET * form.units.stake, f"{found}"
    return time.process_time() - began, found.method


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    rows = []
    for name, make in {"": partial(liars_dice, 3), **GAMES}.items():
        form = build(make())
        target = TARGET * form.units.stake
        ways: list[Callable[[], Method]] = [
            lambda form=form, target=target: choose(form, target)[0],
            LP,
            partial(LP, "ipx"),
        ]
        runs = [[seconds(form, way) for way in ways] for _ in range(rounds)]
        ours, simplex, ipx = (min(own) for own in zip(*runs, strict=True))
        cells = [f"{own[0]:.3g}" for own in (ours, simplex, ipx)]
        ratio = f"{min(simplex[0], ipx[0]) / ours[0]:.2g}"
        rows.append([name, f"{form.A.nonzeros:,}", ours[1], *cells, ratio])
    header = ["game", "payoffs", "`auto` takes", "`auto`", "`lp`", "`lp-ipx`", "best `lp` / `auto`"]
    print(markdown(header, rows[1:]))


if __name__ == "__main__":
    main()
