"""Reverse mappings (Gilpin 2009, section 7.4.2): what odd bets win from a player of two sizes.

The game is no-limit Leduc poker with stacks of 5 to 200 antes and five sizes: half the pot, the pot, two and four
pots, all-in. The player knows of the pot and all-in alone, solves that model exactly, and reads other bets by each
of the mappings. The gap is what the best opponents win from it, in the game of all five sizes, both seats together;
Tartanian lost so to a bettor of 144 chips, by the absolute mapping.

    python experiments/mappings.py [--stacks 5 20 ...] [--ranks 3] [--print]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abstraction_study import RESULTS

import equipoise
from equipoise.abstraction.mapping import MAPPINGS
from equipoise.cards.deck import Deck
from equipoise.files import write_atomically
from equipoise.games.poker import PokerGame, poker_game
from equipoise.games.signals.no_limit import no_limit

SIZES = ("50%", "100%", "200%", "400%", "all-in")
MODEL = "bets=100%+all-in"
STACKS = (5, 20, 50, 100, 200)


def game(stack: int, ranks: int) -> PokerGame:
    """Return no-limit Leduc poker with five sizes, three bets a round at most."""
    return poker_game(
        f"five sizes, {stack} antes",
        deck=Deck.small(ranks, 2),
        hole=1,
        board=(0, 1),
        tree=no_limit(2, stacks=stack, antes=1, bets=SIZES, cap=3),
        showdown="pair",
    )


def row(stack: int, ranks: int) -> dict[str, float]:
    """Return the gap of the player under each mapping, and without the model's limits."""
    start, whole, found = time.process_time(), game(stack, ranks), {}
    for name in MAPPINGS:
        result = equipoise.solve(whole, gap="1e-6r", actions=f"{MODEL},mapping={name}")
        found[name] = result.certificate.gap
    found["cpu_seconds"] = time.process_time() - start
    return found


def show(figures: dict[str, Any]) -> None:
    """Print the figures as Markdown."""
    print(f"| stack, antes | {' | '.join(MAPPINGS)} |")
    print("| ---: " * (len(MAPPINGS) + 1) + "|")
    for stack, found in figures.items():
        print(f"| {stack} | {' | '.join(f'{found[name]:.3f}' for name in MAPPINGS)} |")


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--stacks", nargs="+", type=int, default=STACKS)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS.with_name("mappings.json"))
    parser.add_argument("--print", action="store_true", dest="is_printed")
    given = parser.parse_args(arguments)
    results = given.results
    figures: dict[str, Any] = json.loads(results.read_text()) if results.exists() else {}
    for stack in () if given.is_printed else given.stacks:
        if str(stack) not in figures:
            figures[str(stack)] = row(stack, given.ranks)
    text = json.dumps(figures, indent=1) + "\n"
    results.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(results, lambda out: out.write(text.encode()))
    show(figures)


if __name__ == "__main__":
    main()
