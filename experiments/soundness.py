"""The published abstraction of Rhode Island Hold'em loses value: ours beside theirs.

Prints the tables of ``docs/soundness.md``: sizes of the three abstractions; the counter-example hands;
exact values of small games; reduced linear programs; and an equilibrium of the 13/205/1774 game,
certified in the 52-card game.

    python experiments/soundness.py [--gap CHIPS] [--skip-certificate]

The last part takes about 80 s of CPU for a gap of 1 chip, 230 s for 0.1, and is left out with ``--skip-certificate``.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from equipoise.abstraction.base import Partition, coarsen
from equipoise.abstraction.dominated import eliminate
from equipoise.abstraction.gameshrink import METHODS, gameshrink
from equipoise.abstraction.literal import literal_gameshrink
from equipoise.abstraction.lossless import defect, marginal
from equipoise.certificates.gap import certify
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.limit import limit
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds, views
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.lift import lift


def heading(text: str) -> None:
    """Print a section title."""
    print(f"\n{text}\n{'-' * len(text)}")


def sizes(game: PokerGame) -> None:
    """Classes by method, and how many of them join views whose beliefs differ."""
    heading("Rhode Island Hold'em: classes of hands")
    rounds = signal_rounds(game)
    for method in METHODS:
        start = time.process_time()
        found = gameshrink(game, method)
        seconds = time.process_time() - start
        counts = " / ".join(f"{first:,}" for first, _ in found.buckets)
        pairs = " / ".join(f"{len(s.weight):,}" for s in coarsen(rounds, found))
        print(f"{method:10} {counts:20} pairs {pairs:24} {seconds:.2f} s of CPU")
    print("published  13 / 205 / 1,774     'less than one second' (Gilpin 2009, section 5.2.1)")
    published = gameshrink(game, "histogram")
    for r, (worst, _) in enumerate(defect(rounds, published)):
        joined = worst[published.maps[r][0]] > 0
        share = marginal(rounds[r], 0)[joined].sum()
        print(
            f"round {r + 1}: {np.count_nonzero(worst):,} of {len(worst):,} classes join views "
            f"whose beliefs differ, {share:.1%} of all deals"
        )


def hands(game: PokerGame, pair: tuple[str, str]) -> None:
    """The opponent's cards against two merged hands, with the outcome."""
    heading(f"Two hands of one class: {pair[0]} and {pair[1]}")
    names, last = views(game), signal_rounds(game)[-1]
    found = [names.find(len(game.public) - 1, hand) for hand in pair]
    classes = gameshrink(game, "histogram").maps[-1][0]
    print("same class by histogram:", classes[found[0]] == classes[found[1]])
    for hand, view in zip(pair, found, strict=True):
        deals = np.flatnonzero(last.pairs[0] == view)
        unseen = game.deck.size - sum(game.public) - 1
        odds = last.weight[deals] / last.weight[deals].sum() * unseen
        table: dict[tuple[str, int], int] = {}
        for cards, deal in zip(odds, deals, strict=True):
            rank = names.label(len(game.public) - 1, int(last.pairs[1][deal]))[0]
            key = rank, int(last.values["showdown"][deal])
            table[key] = table.get(key, 0) + round(cards)
        total = {sign: sum(n for (_, s), n in table.items() if s == sign) for sign in (1, 0, -1)}
        lost = ", ".join(f"{rank} x{n}" for (rank, s), n in sorted(table.items()) if s < 0)
        print(f"{hand}: wins {total[1]}, ties {total[0]}, losses {total[-1]} (to {lost})")


def small_games() -> None:
    """Values by linear programming, and what abstract equilibria lose in the full game."""
    heading("Small games, solved exactly (values to player 1)")
    games = [poker.leduc(), poker.leduc(4, 2), one_bet(3, 3), one_bet(4, 3)]
    print(f"{'game':24} {'abstraction':18} {'classes':14} {'value':>12} {'full-game gap':>14}")
    for game in games:
        rounds = signal_rounds(game)
        every = {method: gameshrink(game, method) for method in METHODS}
        every["literal, deals"] = literal_gameshrink(rounds, "deals", name=game.name)
        for method, found in every.items():
            value, lost = solved_and_lifted(game, found)
            counts = "/".join(str(first) for first, _ in found.buckets)
            print(f"{game.name:24} {method:18} {counts:14} {value:12.6f} {lost:14.6f}")


def one_bet(ranks: int, suits: int) -> PokerGame:
    """Rhode Island Hold'em with a short deck and one bet a round."""
    tree = limit(3, bets=(1000, 2000, 2000), cap=1, antes=500)
    return replace(poker.rhode_island(ranks, suits), name=f"one bet, {ranks} x {suits}", tree=tree)


def solved_and_lifted(game: StageGame, found: Partition) -> tuple[float, float]:
    """Value of the abstract game, and the gap of its equilibrium in the full one."""
    solution = solve(build(game, found), LP("ipx"))
    return solution.value, certify(game, lift(solution.strategy, found)).gap


def programs(game: PokerGame) -> None:
    """The linear program before and after elimination of dominated actions."""
    heading("Rows and columns of the linear program at 13/205/1774")
    rounds = coarsen(signal_rounds(game), gameshrink(game, "histogram"))
    rows = [
        ("all actions", eliminate(game.tree, rounds, turns=()), "1,237,238 x 1,237,238"),
        (
            "without dominated, last round",
            eliminate(game.tree, rounds, turns=(2,)),
            "1,190,443 x 1,181,084",
        ),
        ("without dominated, every round", eliminate(game.tree, rounds), ""),
    ]
    for what, left, published in rows:
        # Published is the program in which player 2 chooses: rows and columns are exchanged.
        ours = " x ".join(f"{n:,}" for n in reversed(left.program_size()))
        print(f"{what:32} {ours:24} published {published or '-'}")


def certificate(game: PokerGame, target: float) -> None:
    """An equilibrium of each abstraction, certified in the 52-card game."""
    heading(f"Equilibria to {target} chips, certified in the 52-card game")
    for method in ("histogram", "sound"):
        found = gameshrink(game, method)
        solution = solve(build(game, found), DCFR(), stop=Gap(target))
        proof = certify(game, lift(solution.strategy, found))
        low, high = -proof.best_responses[1], proof.best_responses[0]
        print(
            f"{method:10} value {solution.lower:.4f} to {solution.upper:.4f} in its own game, "
            f"{low:.4f} to {high:.4f} in the full one: gap {proof.gap:.4f} "
            f"({solution.iterations:,} iterations, {solution.cpu_seconds:.0f} s of CPU)"
        )
    print("published  value -64.1987 (Gilpin 2009, Table 6.9), said to be the full game's")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description="The soundness of GameShrink, checked.")
    parser.add_argument("--gap", type=float, default=1.0, help="target in chips (default 1)")
    parser.add_argument("--skip-certificate", action="store_true", help="leave out the long part")
    arguments = parser.parse_args()
    rhode_island = poker.rhode_island()
    sizes(rhode_island)
    hands(poker.leduc(), ("KJ", "KQ"))
    hands(rhode_island, ("AaKb2c", "AaKb3c"))
    small_games()
    programs(rhode_island)
    if not arguments.skip_certificate:
        certificate(rhode_island, arguments.gap)


if __name__ == "__main__":
    main()
