"""Sizes of Rhode Island Hold'em, counted exactly: ours beside theirs (Gilpin 2009, section 5.2.1, Table 8.1).

    python experiments/rhode_island_sizes.py [--full]

``--full`` also eliminates dominated actions from the larger games: about a minute of CPU. Every number is computed from the two factors of the game, never by walking its tree. ``gameshrink`` is
the sound abstraction, which is what we solve; ``histogram`` is the published one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from equipoise.abstraction.base import coarsen
from equipoise.abstraction.dominated import Survivors, eliminate
from equipoise.abstraction.gameshrink import Method, gameshrink
from equipoise.games import poker
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.sizes import sizes
from equipoise.games.signals.views import signal_rounds, views

Row = tuple[str, str, str]


def numbers(*counts: int | None, sign: str = " x ") -> str:
    """Return counts as people write them."""
    return sign.join("-" if count is None else f"{count:,}" for count in counts)


def whole_game(game: PokerGame, full: bool) -> list[Row]:
    """Return the sizes without abstraction, every card told apart."""
    found = sizes(game)
    left = raw_program(game) if full else (None,)
    return [
        ("nodes of the game tree", numbers(found.nodes), "'exceeding 3.1 billion'"),
        ("nodes of the signal tree", numbers(found.signal_tree_nodes), "6,632,705"),
        ("linear program", numbers(found.rows, found.columns), "91,224,226 x 91,224,226"),
        ("... without dominated actions", numbers(*left), "89,471,986 x 89,121,538"),
    ]


def raw_program(game: PokerGame) -> tuple[int, int]:
    """Return rows and columns left by elimination in the last round, every card told apart.

    Hands that differ by a renaming of suits lose the same actions: each class of hands counts as
    often as it has members.
    """
    left = eliminate(game.tree, signal_rounds(game), turns=(game.rounds - 1,))
    (sequences1, infosets1), (sequences2, infosets2) = (count(game, left, i) for i in (0, 1))
    return sequences1 + infosets2 + 1, sequences2 + infosets1 + 1


def count(game: PokerGame, left: Survivors, player: int) -> tuple[int, int]:
    """Return the sequences and information sets of ``player`` that are left, hand by hand."""
    known = views(game)
    assert isinstance(known, CanonicalViews)
    alive = left.sequences(player)
    place = sequences = 1
    infosets = 0
    for node in np.flatnonzero(game.tree.player == player).tolist():
        turn, actions = int(game.tree.round[node]), len(game.tree.successors[node])
        copies = known.indexer.orbit(turn, np.arange(known.rounds[turn].views[player]))
        block = alive[place : place + actions * len(copies)].reshape(actions, -1)
        sequences += int((block * copies).sum())
        infosets += int((block.any(axis=0) * copies).sum())
        place += block.size
    return sequences, infosets


def abstracted(game: PokerGame, method: Method, published: dict[str, str], full: bool) -> list[Row]:
    """Return the sizes with an abstraction, and, if ``full``, after elimination."""
    start = time.process_time()
    coarse = gameshrink(game, method)
    seconds = time.process_time() - start
    rounds = coarsen(signal_rounds(game), coarse)
    found = sizes(game, rounds)
    buckets = numbers(*(first for first, _ in coarse.buckets), sign=" / ")
    ours = {
        "buckets": buckets,
        "CPU time": f"{seconds:.2f} s",
        "payoff matrix": numbers(*found.sequences),
        "linear program": numbers(found.rows, found.columns),
        "its nonzeros": numbers(found.nonzeros),
    }
    if full:
        # Published is the program in which player 2 chooses: rows and columns are exchanged.
        last = eliminate(game.tree, rounds, turns=(game.rounds - 1,))
        ours["... without dominated actions, last round"] = numbers(*reversed(last.program_size()))
        every = eliminate(game.tree, rounds)
        ours["... without dominated actions, any round"] = numbers(*reversed(every.program_size()))
    return [(name, value, published.get(name, "-")) for name, value in ours.items()]


PUBLISHED = {
    "buckets": "13 / 205 / 1,774",
    "CPU time": "'less than one second'",
    "payoff matrix": "883,741 x 883,741",
    "linear program": "1,237,238 x 1,237,238",
    "its nonzeros": "50,428,638",
    "... without dominated actions, last round": "1,190,443 x 1,181,084",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all sizes."""
    parser = argparse.ArgumentParser(description="Sizes of Rhode Island Hold'em.")
    parser.add_argument("--full", action="store_true", help="eliminate in the larger games, too")
    full = parser.parse_args(arguments).full
    game = poker.rhode_island()
    gameshrink(poker.rhode_island(3, 2))  # compiles
    parts = {
        "Rhode Island Hold'em, unabstracted": whole_game(game, full),
        "GameShrink as published (histogram)": abstracted(game, "histogram", PUBLISHED, True),
        "GameShrink, sound": abstracted(game, "sound", {}, full),
        "renaming suits only": abstracted(game, "suits", {}, full),
    }
    for title, rows in parts.items():
        print(f"\n{title}\n{'':42} {'ours':>26} {'published':>26}")
        for name, ours, theirs in rows:
            print(f"{name:42} {ours:>26} {theirs:>26}")
    print(
        "\nTable 8.1's instances 10k and 160k are lossy abstractions that Gilpin does not describe."
    )


if __name__ == "__main__":
    main()
