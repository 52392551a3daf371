"""The games of the race, written once so that every contestant solves the same problem.

The parent process builds a game from our rules and writes, into one folder,

- ``problem.npz``: the tree, the sequence form (X, Y, A) and its linear program, as plain arrays;
- ``game.txt``: the same tree in LiteEFG's file format.

OpenSpiel plays its own implementation of the rules; :func:`benchmarks.contestants.openspiel` walks
its tree beside ours and refuses to race unless the two agree node by node.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.numerics.program import Program
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.payoffs.sparse import Sparse
from equipoise.sequence.treeplex import Blocks, Treeplex
from equipoise.sequence.units import Units
from equipoise.solvers.base import measure
from equipoise.solvers.saddle.lp import program


class Entry(NamedTuple):
    """A game by our name for it and by OpenSpiel's."""

    ours: str
    openspiel: str


GAMES = {
    "kuhn": Entry("kuhn", "kuhn_poker"),
    "leduc": Entry("leduc", "leduc_poker"),
    # OpenSpiel's Leduc has three ranks and no parameter for more; its general poker engine with
    # Leduc's antes, bets and cards is the same game, node by node.
    "leduc10": Entry(
        "leduc(ranks=10,suits=2)",
        "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,firstPlayer=1 1,"
        "numSuits=2,numRanks=10,numHoleCards=1,numBoardCards=0 1,raiseSize=2 4,maxRaises=2 2,"
        "stack=100 100)",
    ),
    "liars_dice": Entry("liars_dice", "liars_dice"),
}


class Tree(NamedTuple):
    """Our game tree in preorder: who acts, in which of her sets, and chances and payoffs."""

    player: NDArray[np.int32]
    set_of: NDArray[np.int32]
    chance: NDArray[np.float64]
    payoff: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """One game, as a contestant receives it."""

    folder: Path
    openspiel: str
    tree: Tree
    form: SequenceForm
    lp: Program

    def gap(self, x: NDArray[Any], y: NDArray[Any]) -> float:
        """Return the sum of both players' best-response gains against the plans ``x`` and ``y``."""
        lower, upper = measure(self.form, x, y)
        return upper - lower

    def feasible(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return exactly feasible plans near two vectors that a solver calls solutions."""
        X, Y = self.form.X, self.form.Y
        return (
            X.plan(X.behaviour(np.maximum(x[: X.size], 0.0))),
            Y.plan(Y.behaviour(np.maximum(y[: Y.size], 0.0))),
        )


def export(game: ExtensiveGame, form: SequenceForm, openspiel: str, folder: Path) -> None:
    """Write the problem into ``folder``."""
    tree, lp, A = _tree(game), program(form), form.A.matrix().tocoo()
    matrix = sparse.csc_matrix(lp.A)
    np.savez(
        folder / "problem.npz",
        openspiel=openspiel,
        fingerprint=form.fingerprint,
        shape=form.A.shape,
        units=[form.units.stake, form.units.shift],
        **{f"tree.{name}": array for name, array in tree._asdict().items()},
        **{f"X.{name}": array for name, array in form.X.blocks._asdict().items()},
        **{f"Y.{name}": array for name, array in form.Y.blocks._asdict().items()},
        **{"A.row": A.row, "A.column": A.col, "A.value": A.data},
        **{"M.data": matrix.data, "M.indices": matrix.indices, "M.indptr": matrix.indptr},
        **{f"lp.{name}": getattr(lp, name) for name in ("c", "row_lower", "row_upper", "lower")},
    )
    (folder / "game.txt").write_text(_liteefg(game, tree))


def load(folder: Path) -> Problem:
    """Read a problem that :func:`export` wrote."""
    with np.load(folder / "problem.npz") as file:
        data = dict(file)

    def part(prefix: str) -> dict[str, Any]:
        return {k.split(".")[1]: v for k, v in data.items() if k.startswith(f"{prefix}.")}

    X, Y = (Treeplex(Blocks(**part(side))) for side in "XY")
    A, M, lp = part("A"), part("M"), part("lp")
    rows, columns = data["shape"].tolist()
    payoff = Sparse.from_entries(A["row"], A["column"], A["value"], (rows, columns))
    matrix = sparse.csc_matrix(
        (M["data"], M["indices"], M["indptr"]), (len(lp["row_lower"]), len(lp["c"]))
    )
    return Problem(
        folder=folder,
        openspiel=str(data["openspiel"]),
        tree=Tree(**part("tree")),
        form=SequenceForm(
            X, Y, payoff, "exported", str(data["fingerprint"]), units=Units(*data["units"].tolist())
        ),
        lp=Program(A=matrix, **lp),
    )


def _tree(game: ExtensiveGame) -> Tree:
    """Return the arrays of :class:`Tree`; information sets are numbered within their owner's."""
    rank = np.zeros(game.infosets, dtype=np.int32)
    for player in range(2):
        own = np.flatnonzero(game.infoset_player == player)
        rank[own] = np.arange(len(own))
    ends = game.player == TERMINAL
    return Tree(
        player=game.player,
        set_of=np.where(game.player >= 0, rank[game.infoset], -1).astype(np.int32),
        chance=game.floats[game.probability],
        payoff=np.where(ends, game.payoffs[game.outcome, 0], 0.0),
    )


def _liteefg(game: ExtensiveGame, tree: Tree) -> str:
    """Return the tree in LiteEFG's format, where a node names its children."""
    children: list[list[int]] = [[] for _ in range(game.nodes)]
    for node, parent in enumerate(game.parent[1:].tolist(), start=1):
        children[parent].append(node)
    members: dict[tuple[int, int], list[int]] = {}
    lines = ["# Opt {", "#     openspiel,", "#     players: 2,", "# }", "#"]
    for node, below in enumerate(children):
        player = int(tree.player[node])
        if player == TERMINAL:
            gain = tree.payoff[node]
            lines.append(f"node n{node} leaf payoffs 1={gain:.17g} 2={-gain:.17g}")
        elif player == CHANCE:
            moves = " ".join(f"n{child}={tree.chance[child]:.17g}" for child in below)
            lines.append(f"node n{node} chance actions {moves}")
        else:
            members.setdefault((player, int(tree.set_of[node])), []).append(node)
            moves = " ".join(f"n{child}" for child in below)
            lines.append(f"node n{node} player {player + 1} actions {moves}")
    for (player, place), nodes in members.items():
        names = " ".join(f"n{node}" for node in nodes)
        lines.append(f"infoset pl{player + 1}_{place}__{place} nodes {names}")
    return "\n".join(lines) + "\n"
