"""Double oracle (Muench 2015, Tables 5.1 to 5.6): ours beside theirs, where it wins, and where it loses.

    python experiments/double_oracle.py --measure decks [--deck 6x3]     # CPU seconds, iterations, values
    python experiments/double_oracle.py --measure leaves | wins | rhode-island
    python experiments/double_oracle.py                                  # print what has been measured

Measurements go into ``results/double_oracle.json``. Times are CPU seconds of a solve to a gap of 1e-9 of what
is at stake, without compilation; all methods of a deck are timed in one run. 12x4 takes two minutes, Rhode
Island as long as it is given, the others seconds.

The published tables disagree among themselves (iterations of the same setting in 5.3 and 5.6; 25.52% in 5.4 is
23.96% by the rows of 5.3): they are printed as they stand.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.cards.board_sums import HalfShowdowns, Meetings, SignedShowdowns, SortedShowdowns
from equipoise.games import poker
from equipoise.games.signals.chance import Joint
from equipoise.games.signals.stage_game import StageGame, showdowns
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import Solution, solve
from equipoise.solvers.driver import Stop
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.expansion import rough_equilibrium

RESULTS = Path(__file__).parent / "results" / "double_oracle.json"


class Published(NamedTuple):
    """Iterations of Tables 5.1, 5.3 and 5.6, milliseconds of 5.5 and 5.6; ``None`` where nothing is printed."""

    original: int | None
    plain: int | None
    first_action: int | None
    both: int | None
    sorted: int | None
    matrix: int | None
    original_ms: int
    both_ms: int
    sorted_ms: int | None
    matrix_ms: int | None

    @property
    def best_ms(self) -> int:
        """The best time printed anywhere."""
        times = (self.original_ms, self.both_ms, self.sorted_ms, self.matrix_ms)
        return min(ms for ms in times if ms is not None)


THEIRS: dict[str, Published] = {
    "2x2": Published(59, 49, 43, 37, 37, 37, 2423, 3289, 3323, 3162),
    "3x2": Published(38, 36, 32, 28, 28, 28, 5129, 6947, 5985, 5857),
    "4x2": Published(44, 46, 31, 34, 31, 29, 13738, 11769, 11305, 10684),
    "5x2": Published(39, 47, 32, 28, 37, 37, 19353, 17344, 17052, 14163),
    "3x3": Published(43, 45, 33, 36, 36, 34, 6568, 7827, 6346, 6063),
    "6x3": Published(43, 45, 33, 34, 30, 35, 37379, 32196, 23355, 26531),
    "8x3": Published(42, 45, 39, 33, 34, 33, 77815, 62640, 50950, 54944),
    "5x4": Published(40, 43, 37, 30, 30, 30, 22795, 19741, 18509, 17705),
    "10x4": Published(36, 43, 34, 32, 33, 32, 106503, 102475, 85642, 87818),
    "12x4": Published(None, None, None, None, None, None, 269136, 202510, None, None),
}
BOTH = "first-action+second-round"
PLAIN = "double-oracle(default=uniform,expand=best-response)"
# Ours by the names of the columns; "original" runs on the tree of ranks, the others on the game with signals.
OURS = {
    "original": "double-oracle(default=uniform,expand=best-response,oracle=search)",
    "plain": PLAIN,
    "first-action": "double-oracle(default=uniform,expand=first-action)",
    "both": f"double-oracle(default=uniform,expand={BOTH})",
    "all-best": "double-oracle(default=uniform,expand=all-best)",
    "support": "double-oracle(default=uniform,expand=support)",
    "deviations": "double-oracle",
    "both, sorted": f"double-oracle(default=uniform,expand={BOTH},oracle=sorted)",
    "both, half": f"double-oracle(default=uniform,expand={BOTH},oracle=half)",
    "both, matrix": f"double-oracle(default=uniform,expand={BOTH},oracle=matrix)",
    "lp": "lp",
    "lp-ipx": "lp-ipx",
}
FINE = Stop(relative=1e-9)


def rank_tree(ranks: int, suits: int) -> Any:
    """Leduc poker as a tree in which nature deals ranks, as often as the deck has them: the thesis's tree."""
    real = poker.leduc(ranks, suits)
    table = {}
    for deal in itertools.product(range(ranks), repeat=3):
        ways = 1
        for place, rank in enumerate(deal):
            ways *= suits - deal[:place].count(rank)
        if ways > 0:
            table[deal] = Fraction(ways)
    total = sum(table.values())
    game = StageGame(
        name=f"{real.name} by ranks",
        signals=tuple(real.deck.ranks),
        chance=Joint({deal: ways / total for deal, ways in table.items()}),
        public=real.public,
        private=real.private,
        tree=real.tree,
        outcomes=showdowns(real.tree, lambda board, own: (own == board, own)),
    )
    return unroll(game)


def timed(form: SequenceForm, name: str, stop: Stop = FINE) -> tuple[dict[str, Any], Solution]:
    """Solve, and return what is kept of it; a rough equilibrium is found anew, in the time that is told."""
    rough_equilibrium.cache_clear()
    before = time.process_time()
    found = solve(form, method(name), stop)
    seconds = time.process_time() - before
    kept = {
        "iterations": found.iterations,
        "seconds": round(seconds, 4),
        "value": found.value,
        "gap": found.gap,
        "status": found.status.value,
    }
    if "share" in found.facts:
        kept |= {"share": found.facts["share"], "restricted": found.facts["restricted"]}
    return kept, found


def measure_deck(deck: str) -> dict[str, Any]:
    """Every method on one deck."""
    ranks, suits = (int(number) for number in deck.split("x"))
    game = poker.leduc(ranks, suits)
    form, tree = build(game, gameshrink(game)), build(rank_tree(ranks, suits))
    found: dict[str, Any] = {"sequences": list(form.A.shape)}
    for column, name in OURS.items():
        own = tree if column == "original" else form
        # Compiled before it is timed: a program on a small form, the others in two iterations.
        is_program = column.startswith("lp")
        timed(own if not is_program else build(poker.kuhn()), name, Stop(iterations=2))
        found[column] = timed(own, name)[0]
        print(f"{deck:5} {column:14} {found[column]}", flush=True)
    return found


def measure_leaves() -> dict[str, Any]:
    """Milliseconds to evaluate a showdown on one board of Texas hold'em, 1,081 hands, for so many leaves."""
    game, random = poker.limit_holdem(), np.random.default_rng(2015)
    hands = np.array(list(itertools.combinations(range(47), 2)), dtype=np.uint8)
    board = random.permutation(52)[:5].astype(np.uint8)
    left = np.setdiff1d(np.arange(52, dtype=np.uint8), board)
    cards = left[hands][None]
    boards = np.broadcast_to(board, (1, len(hands), 5))
    ranks = game.strength(game.deck, cards, boards).astype(np.int64)
    meetings = Meetings(hands, np, np.float64)
    ways = {
        "matrix": SignedShowdowns(meetings, ranks, np, np.float64),
        "half": HalfShowdowns(meetings, ranks),
        "sorted": SortedShowdowns(meetings, ranks),
    }
    found: dict[str, Any] = {}
    for leaves in (1, 9, 63, 243):
        reach = random.random((1, len(hands), leaves))
        found[str(leaves)] = {
            name: round(1e3 * repeated(lambda way=way, reach=reach: way.margins(reach)), 5)
            for name, way in ways.items()
        }
        print(leaves, found[str(leaves)], flush=True)
    return found


def repeated(work: Callable[[], Any], least: float = 0.5) -> float:
    """Return the CPU seconds of one call, the mean over half a second."""
    work()
    before, calls = time.process_time(), 0
    while time.process_time() - before < least:
        work()
        calls += 1
    return (time.process_time() - before) / calls


def blotto(soldiers: int, fields: Sequence[int]) -> np.ndarray:
    """Colonel Blotto: the side with more soldiers wins a field's worth, all at once."""
    every = itertools.product(range(soldiers + 1), repeat=len(fields))
    spread = np.array([split for split in every if sum(split) == soldiers], dtype=np.int8)
    worth = np.zeros((len(spread), len(spread)), dtype=np.int64)
    for field, value in enumerate(fields):
        worth += value * np.sign(spread[:, None, field] - spread[None, :, field])
    return worth


def bell(points: int, width: float) -> np.ndarray:
    """A pursuer and an evader each choose a point of a line; being near pays the pursuer, more on the right."""
    x = np.linspace(0, 1, points)
    near = np.exp(-(((x[:, None] - x[None, :]) / width) ** 2)) * (1 + x[:, None])
    return np.round(1e4 * near).astype(np.int64)


def pairs() -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """The matrix games in which methods are compared, and one without small supports."""
    yield "blotto, 8 soldiers, 5 fields", lambda: blotto(8, (2, 3, 4, 5, 7))
    yield "blotto, 12 soldiers, 5 fields", lambda: blotto(12, (2, 3, 4, 5, 7))
    yield "blotto, 20 soldiers, 4 fields", lambda: blotto(20, (2, 3, 4, 6))
    yield "pursuit, 1,500 points", lambda: bell(1500, 0.2)
    yield (
        "random, 400 x 400",
        lambda: np.random.default_rng(2015).integers(-1000, 1000, (400, 400)),
    )


def measure_wins() -> dict[str, Any]:
    """Double oracle beside every other method, to a millionth of what is at stake, 20 s each."""
    found: dict[str, Any] = {}
    small = build(from_matrices("small", bell(12, 0.2)))
    names = (PLAIN, "double-oracle", "lp", "lp-ipx", "pcfr+", "dcfr")
    for name in names:
        timed(small, name, Stop(relative=1e-3))
    for title, matrix in pairs():
        form = build(from_matrices(title, matrix()))
        own = {name: timed(form, name, Stop(relative=1e-6, seconds=20))[0] for name in names}
        found[title] = {"sequences": list(form.A.shape), **own}
        for name, row in own.items():
            print(f"{title:32} {name:14} {row}", flush=True)
    return found


def measure_rhode_island(seconds: float) -> dict[str, Any]:
    """Rhode Island with six ranks to a millionth of the ante (500): regrets inside, support first."""
    game = poker.rhode_island(6, 4)
    form = build(game, gameshrink(game))
    name = "double-oracle(default=uniform,expand=support+deviations,inner=dcfr(gamma=15))"
    timed(form, name, Stop(iterations=3))  # compiled before it is timed
    kept, found = timed(form, name, Stop(gap=5e-4, seconds=seconds))
    log = [[row.iterations, row.lower, row.upper, row.cpu_seconds, row.share] for row in found.log]
    return {"sequences": list(form.A.shape), "name": name, **kept, "log": log}


def decks_table(found: dict[str, Any]) -> None:
    """Tables 5.1, 5.3: iterations, theirs in brackets."""
    columns = ("original", "plain", "first-action", "both", "all-best", "support", "deviations")
    print("\nIterations (Tables 5.1, 5.3; theirs in brackets)")
    print(f"{'deck':6}" + "".join(f"{column:>16}" for column in columns))
    total = dict.fromkeys(columns, 0)
    for deck, row in found.items():
        theirs = THEIRS[deck]._asdict()
        cells = []
        for column in columns:
            total[column] += row[column]["iterations"]
            printed = theirs.get(column.replace("-", "_"))
            beside = f" ({printed})" if printed else ""
            cells.append(f"{row[column]['iterations']}{beside}")
        print(f"{deck:6}" + "".join(f"{cell:>16}" for cell in cells))
    base = total["plain"]
    print(f"{'total':6}" + "".join(f"{total[column]:>16}" for column in columns))
    less = [f"{100 * (1 - total[column] / base):.1f}%" for column in columns]
    print(f"{'fewer':6}" + "".join(f"{cell:>16}" for cell in less), "than plain (Tables 5.2, 5.4)")


def times_table(found: dict[str, Any]) -> None:
    """Tables 5.5 and 5.6: CPU seconds, and how many times faster than the best published time."""
    columns = (
        "original", "both", "both, sorted", "both, half", "both, matrix", "support", "deviations",
        "lp", "lp-ipx",
    )  # fmt: skip
    print("\nCPU seconds (Tables 5.5, 5.6); faster: our best double oracle beside their best time")
    head = "".join(f"{column:>14}" for column in columns)
    print(f"{'deck':6}{head}{'theirs':>9}{'faster':>9}{'full LP / ours':>16}{'share':>8}")
    for deck, row in found.items():
        theirs = THEIRS[deck].best_ms / 1e3
        oracles = [column for column in OURS if not column.startswith("lp")]
        best = min(oracles, key=lambda column: row[column]["seconds"])
        ours = row[best]["seconds"]
        full = min(row["lp"]["seconds"], row["lp-ipx"]["seconds"])
        cells = "".join(f"{row[column]['seconds']:>14.3f}" for column in columns)
        print(
            f"{deck:6}{cells}{theirs:>9.1f}{theirs / ours:>8.0f}x{full / ours:>16.2f}"
            f"{row[best]['share']:>8.0%}"
        )
        worst = max(abs(row[column]["value"] - row["lp"]["value"]) for column in oracles)
        assert worst < 1e-8, f"{deck}: a value is off by {worst}"


def print_all(results: dict[str, Any]) -> None:
    """Print every table that has been measured."""
    decks = {deck: results["decks"][deck] for deck in THEIRS if deck in results.get("decks", {})}
    if decks:
        decks_table(decks)
        times_table(decks)
    if "leaves" in results:
        print(
            "\nMilliseconds a board of Texas hold'em, by leaves evaluated together (claimed: 7.7x)"
        )
        for leaves, row in results["leaves"].items():
            ratios = ", ".join(
                f"{row[way] / row['sorted']:.0f}x {way}" for way in ("matrix", "half")
            )
            print(f"{leaves:>4} leaves: {row}; sorted hands are faster: {ratios}")
    for title, row in results.get("wins", {}).items():
        others = {n: r for n, r in row.items() if n not in ("sequences", PLAIN)}
        print(f"\n{title}, {row['sequences'][0] - 1} x {row['sequences'][1] - 1} actions")
        ours = row[PLAIN]["seconds"]
        for name, own in {"best responses": row[PLAIN], **others}.items():
            print(
                f"  {name:14} {own['seconds']:>8.3f} s, {own['seconds'] / ours:>7.1f}x, {own['status']}, "
                f"{own['iterations']:,} iterations"
                + (f", {own['share']:.1%}" if "share" in own else "")
            )
    if "rhode-island" in results:
        own = results["rhode-island"]
        print(
            f"\nRhode Island, six ranks, {own['sequences'][0]:,} sequences each, by {own['name']}:\n"
            f"  value {own['value']:.6f}, gap {own['gap']:.3g} chips ({own['gap'] / 500:.2g} of the ante), "
            f"{own['status']}, {own['iterations']} iterations, {own['seconds']:.0f} CPU s, "
            f"{own['share']:.1%} of the sequences"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is asked for, then print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--measure", choices=["decks", "leaves", "wins", "rhode-island"])
    parser.add_argument("--deck", choices=list(THEIRS), help="one deck alone")
    parser.add_argument("--seconds", type=float, default=3000, help="limit of Rhode Island")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    results = json.loads(given.results.read_text()) if given.results.exists() else {}
    if given.measure == "decks":
        for deck in [given.deck] if given.deck else THEIRS:
            results.setdefault("decks", {})[deck] = measure_deck(deck)
    elif given.measure == "leaves":
        results["leaves"] = measure_leaves()
    elif given.measure == "wins":
        results["wins"] = measure_wins()
    elif given.measure == "rhode-island":
        results["rhode-island"] = measure_rhode_island(given.seconds)
    if given.measure:
        given.results.parent.mkdir(exist_ok=True)
        given.results.write_text(json.dumps(results, indent=1) + "\n")
    print_all(results)


if __name__ == "__main__":
    main()
