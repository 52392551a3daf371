"""What Gambit sees in our files: readings that pygambit made once, and that are checked in.

pygambit comes as source only, and compiling it takes minutes, so the tests do not ask for it. Where it
is installed (``pip install '.[test,gambit]'``), ``test_gambit_live.py`` asks Gambit itself about random
games, and

    python -m tests.games.gambit_readings

draws games, has Gambit read them and writes ``data/gambit.json`` anew. That is due whenever a test says
that our writers write something else than what Gambit has read.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.games.random_trees import PLAIN, WILD, tables, trees

from equipoise.games.files.gambit.write import efg_lines, nfg_lines
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame, from_matrices

Reading = dict[str, Any]

DATA = Path(__file__).parent / "data"
PLACE = DATA / "gambit.json"
COUNT = 30


def recorded(kind: str) -> list[Reading]:
    """Return the checked-in readings of one kind: files, trees, reduced, tables, or equilibria."""
    return list(json.loads(PLACE.read_text())[kind])


def text_of(game: ExtensiveGame | NormalGame) -> str:
    """Return the game as we write it."""
    return "\n".join(efg_lines(game) if isinstance(game, ExtensiveGame) else nfg_lines(game))


def twins() -> ExtensiveGame:
    """Return a game whose players, and whose chance moves, have the same name."""
    tree = TreeBuilder("twins", ["A", "A"])
    half = Fraction(1, 2)
    for leaf in tree.chance(tree.root, [("x", half), ("x", half)]):
        tree.end(leaf, (1, 2))
    return tree.build()


# ------------------------------------------------------------------------- what is asked of Gambit


def read_tree(text: str) -> Reading:
    """Players, information sets, exact payoffs of uniform play, and the file Gambit writes of it."""
    game = _pygambit().read_efg(io.BytesIO(text.encode()))
    uniform = game.mixed_behavior_profile(rational=True)
    return {
        "text": text,
        "players": [player.label for player in game.players],
        "infosets": len(game.infosets),
        "perfect_recall": bool(game.is_perfect_recall),
        "payoffs": [_exact(uniform.payoff(player)) for player in game.players],
        "written": game.to_efg(),
    }


def read_reduced(text: str) -> Reading:
    """How many reduced strategies each player has, and the payoffs of all their profiles."""
    game = _pygambit().read_efg(io.BytesIO(text.encode()))
    payoffs = np.stack(game.to_arrays(), axis=-1).reshape(-1, len(game.players))
    return {
        "text": text,
        "strategies": [len(player.strategies) for player in game.players],
        "profiles": sorted([_exact(value) for value in row] for row in payoffs),
    }


def read_table(text: str) -> Reading:
    """The payoffs of every profile, in the order of NumPy's indices."""
    game = _pygambit().read_nfg(io.BytesIO(text.encode()))
    players = list(game.players)
    shape = [len(player.strategies) for player in players]
    outcomes = [game[profile] for profile in np.ndindex(*shape)]
    return {
        "text": text,
        "shape": shape,
        "payoffs": [[_exact(o[player]) if o else "0" for player in players] for o in outcomes],
    }


def read_equilibria(text: str) -> Reading:
    """All extreme equilibria of a two-player table, exactly."""
    gambit = _pygambit()
    game = gambit.read_nfg(io.BytesIO(text.encode()))
    found = gambit.nash.enummixed_solve(game, rational=True).equilibria
    return {
        "text": text,
        "equilibria": [
            [[_exact(point[player][s]) for s in player.strategies] for player in game.players]
            for point in found
        ],
    }


def _exact(number: Any) -> str:
    return str(Fraction(str(number)))


def _pygambit() -> Any:
    import pygambit

    return pygambit


# ------------------------------------------------------------------------------------ what is drawn


def _drawn(strategy: st.SearchStrategy[Any], count: int = COUNT) -> list[Any]:
    """Return examples of a strategy, the same ones every time."""
    found: list[Any] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(game: Any) -> None:
        found.append(game)

    collect()
    return found


def _random_matrices() -> list[NormalGame]:
    """Generic two-player games, and some of small numbers, which are often degenerate."""
    random = np.random.default_rng(16)
    return [
        from_matrices(
            "random", *random.integers(-spread, spread + 1, (2, *random.integers(1, 5, 2)))
        )
        for spread in (10**6, 2)
        for _ in range(COUNT // 2)
    ]


def main() -> None:
    """Write every reading to ``data/gambit.json``."""

    def readings(read: Callable[[str], Reading], games: list[Any]) -> list[Reading]:
        return [read(text_of(game)) for game in games]

    files = {
        path.name: (read_tree if path.suffix == ".efg" else read_table)(path.read_text())
        for path in sorted([*DATA.glob("*.efg"), *DATA.glob("*.nfg")])
    }
    kinds = {
        "gambit": _pygambit().__version__,
        "files": [{"file": name, **reading} for name, reading in files.items()],
        "trees": readings(read_tree, [twins(), *_drawn(trees(WILD)), *_drawn(trees(PLAIN))]),
        "reduced": readings(read_reduced, _drawn(trees(PLAIN, most_depth=3))),
        "tables": readings(read_table, _drawn(tables())),
        "equilibria": readings(read_equilibria, _random_matrices()),
    }
    PLACE.write_text(json.dumps(kinds, indent=0) + "\n")


if __name__ == "__main__":
    main()
