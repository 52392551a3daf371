"""What a best responder needs in a round of betting: columns of numbers over her hands.

A responder's value at a leaf, with each of her hands, is a sum over the opponent's hands; which sum depends
on the opponent's reach of the leaf, which is a function of his bucket. So a round is a few matrices
over buckets, one column a leaf, and a short program that turns columns into columns:

* at a node of the opponent, values of the children add up (his probabilities are in the reach);
* at a node of the responder, the largest counts.

A leaf that the opponent never reaches is worth nothing and has no column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.strategy.profile import Layout, Strategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Step:
    """New columns from old ones: the sums, or the maxima, over each row of ``places``."""

    is_choice: bool
    places: Ints


@dataclass(frozen=True, eq=False)
class RoundColumns:
    """One round as a responder sees it.

    Columns are numbered: showdowns, fixed payments, values carried up from later rounds, a column of
    zeros, and then those that ``steps`` make, one after another.

    Attributes
    ----------
    showdowns, fixed
        By bucket of the opponent, his reach of each leaf where hands are compared, times what is at
        stake there; and of each leaf with a payment that does not depend on the hands, times that.
    own_showdowns, own_fixed
        By bucket of the responder, her own reach of the same leaves.
    carried
        The nodes of later rounds whose values come up from there, in order.
    steps
        How the values of nodes follow.
    outgoing
        The columns whose values go further up, in the order in which the round before has them.
    """

    showdowns: Floats
    fixed: Floats
    own_showdowns: Floats
    own_fixed: Floats
    carried: tuple[int, ...]
    steps: tuple[Step, ...]
    outgoing: Ints


def entries(tree: BettingTree, turn: int, other: Sequence[Floats]) -> tuple[int, ...]:
    """Return the nodes of round ``turn`` and after whose parents are before it (or that have none).

    Only those count that the opponent may reach.
    """
    above = np.where(tree.parent < 0, -1, tree.round[np.maximum(tree.parent, 0)])
    found = np.flatnonzero((tree.round >= turn) & (above < turn)).tolist()
    return tuple(v for v in found if other[v].any())


def reaches(
    tree: BettingTree, strategy: Strategy, parents: Sequence[Any], player: int
) -> list[Floats]:
    """Return ``player``'s probability of playing to each node, by her bucket in the node's round.

    ``parents[r]`` has, for each bucket of round r, the bucket of the round before.
    """
    behaviour = _distributions(tree, strategy, player)
    found: list[Floats] = []
    for node, parent in enumerate(tree.parent.tolist()):
        turn = int(tree.round[node])
        if parent < 0:
            found.append(np.ones(len(parents[turn])))
            continue
        reach, at = found[parent], int(tree.round[parent])
        if tree.player[parent] == player:
            slot = tree.successors[parent].index(node)
            reach = reach * behaviour[parent][slot]
        for later in range(at + 1, turn + 1):
            reach = reach[parents[later]]
        found.append(reach)
    return found


def round_columns(
    tree: BettingTree,
    turn: int,
    responder: int,
    own: Sequence[Floats],
    other: Sequence[Floats],
    completions: float,
) -> RoundColumns:
    """Return round ``turn`` for ``responder``; ``own`` and ``other`` are both players' :func:`reaches`.

    Values are in units of one deal of the last round; ``completions`` is the number of these to a deal of
    this one.
    """
    nodes = np.flatnonzero(tree.round == turn).tolist()
    leaves = [v for v in nodes if tree.player[v] == TERMINAL and other[v].any()]
    shown = [v for v in leaves if tree.kind[v] != NO_OUTCOME and tree.scale[v] != 0]
    paid = [v for v in leaves if tree.base[v, responder] != 0]
    carried = entries(tree, turn + 1, other)
    zero = len(shown) + len(paid) + len(carried)
    place: dict[int, list[int]] = {}
    for column, v in enumerate((*shown, *paid, *carried)):
        place.setdefault(v, []).append(column)
    steps, columns = _steps(tree, nodes, responder, place, zero)
    buckets = len(other[nodes[0]]) if nodes else 1
    return RoundColumns(
        showdowns=_matrix(buckets, [other[v] * (tree.scale[v] * completions) for v in shown]),
        fixed=_matrix(buckets, [other[v] * (tree.base[v, responder] * completions) for v in paid]),
        own_showdowns=_matrix(buckets, [own[v] for v in shown]),
        own_fixed=_matrix(buckets, [own[v] for v in paid]),
        carried=carried,
        steps=steps,
        outgoing=np.array(
            [columns.get(v, zero) for v in entries(tree, turn, other)], dtype=np.int64
        ),
    )


def _steps(
    tree: BettingTree, nodes: list[int], responder: int, place: dict[int, list[int]], zero: int
) -> tuple[tuple[Step, ...], dict[int, int]]:
    """Return the steps of a round, deepest nodes first, and the column of every node with a value.

    ``place`` lists the columns that are there at first; a node with several is their sum.
    """
    height: dict[int, int] = {}
    columns = {v: found[0] for v, found in place.items() if len(found) == 1}
    parts: dict[int, list[int]] = {}
    for v in reversed(nodes):
        if tree.player[v] == TERMINAL:
            parts[v] = place.get(v, [])
            height[v] = int(len(parts[v]) > 1)
        else:
            height[v] = 1 + max(height.get(child, 0) for child in tree.successors[v])
    steps: list[Step] = []
    following = zero + 1
    for level in range(1, 1 + max(height.values(), default=0)):
        for is_choice in (False, True):
            rows: list[list[int]] = []
            for v in nodes:
                if height[v] != level or (tree.player[v] == responder) != is_choice:
                    continue
                below = parts.get(v) or [columns.get(child, zero) for child in tree.successors[v]]
                if all(column == zero for column in below):
                    continue
                columns[v] = following + len(rows)
                rows.append(below)
            if rows:
                steps.append(Step(is_choice, _padded(rows, None if is_choice else zero)))
                following += len(rows)
    return tuple(steps), columns


def _padded(rows: list[list[int]], filler: int | None) -> Ints:
    """Return rows of one length: filled with ``filler``, or with each row's own first number."""
    longest = max(map(len, rows))
    filled = [row + [row[0] if filler is None else filler] * (longest - len(row)) for row in rows]
    return np.array(filled, dtype=np.int64)


def _matrix(rows: int, columns: list[Floats]) -> Floats:
    return np.stack(columns, axis=1) if columns else np.zeros((rows, 0))


def _distributions(tree: BettingTree, strategy: Strategy, player: int) -> dict[int, Floats]:
    """Return, for each decision node of ``player``, her probabilities: a row an action, a column a bucket."""
    layout = strategy.layout
    assert isinstance(layout, Layout)
    vector, starts = strategy.behaviour[player], layout.starts(player)
    found = {}
    for node, (_, actions), begin, end in zip(
        np.flatnonzero(tree.player == player).tolist(),
        layout.nodes[player],
        starts[:-1],
        starts[1:],
        strict=True,
    ):
        block = np.array(vector[begin:end], dtype=np.float64).reshape(actions, -1)
        total = block.sum(axis=0)
        if total.min() <= 0:
            raise EquipoiseError(
                f"Strategy of '{strategy.game}': player {player + 1} has a bucket without a positive "
                "probability, expected a distribution over the actions."
            )
        found[node] = block / total
    return found
