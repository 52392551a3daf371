"""The sequence form of a game with signals, built from its two factors.

Player i's treeplex has blocks for each of her decision nodes in the betting tree, as wide as the
number of her buckets in that round; those of the last round are cut into tiles
(:mod:`equipoise.sequence.payoffs.tiling`), and there subtrees of the betting that are alike share blocks
(:mod:`equipoise.sequence.lanes`). The payoff has, for each round and kind of outcome, one Kronecker
term for each pair of rounds in which the two players acted last. A leaf may come rounds after the
last action (an all-in): its matrix is the expectation over what is still to be revealed.

*Layout of strategies.* Whatever order a form works in, strategies of a game with signals are kept in
one canonical order: the empty sequence, then for each decision node of the player in the betting
tree's preorder, for each action, one entry a bucket. ``canonical(player)[s]`` is the place of entry ``s``
of the canonical order in the form's own order; as long as a plan, it is made when it is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.rounds import PairMatrices, SignalRound, sample
from equipoise.sequence.lanes import LaneBundle, Slots, lane_bundles, slots
from equipoise.sequence.payoffs.factored import BucketMatrix, DenseMatrix, Factored, Term
from equipoise.sequence.payoffs.tiling import Tiling, tiling
from equipoise.sequence.treeplex import Treeplex

if TYPE_CHECKING:
    from equipoise.sequence.payoffs.last_round import LastRound

_BlockRow = tuple[int, int, int, NDArray[Any] | None]


@dataclass(frozen=True)
class _Last:
    """The last own sequence at a node: its round, and its first index (in tiles: its slot)."""

    round: int
    base: int


_EMPTY = _Last(-1, 0)


@dataclass(frozen=True, eq=False)
class _Side:
    """One player's treeplex, its canonical order, and her last sequence at every betting node."""

    space: Treeplex
    canonical: Callable[[], NDArray[np.uint32]]
    last: list[_Last]
    trunk: int
    slots: Slots


def factored_form(
    tree: BettingTree, rounds: Sequence[SignalRound], tiles: bool = True
) -> tuple[Treeplex, Treeplex, Factored, Callable[[int], NDArray[np.uint32]]]:
    """Return ``X, Y, A`` and both canonical orders for a betting tree and each round's signals.

    Without ``tiles`` a block is as wide as its round has buckets, in the last round, too; so it is where
    deals are not listed.
    """
    cut = _tiling(tree, rounds) if tiles and rounds[-1].dense is None else None
    first, second = (_side(tree, rounds, player, cut) for player in (0, 1))

    def sampler(proportion: float, random: np.random.Generator) -> Factored:
        return _payoff(tree, sample(rounds, proportion, random), cut, first, second)

    payoff = replace(_payoff(tree, rounds, cut, first, second), sampler=sampler)
    return first.space, second.space, payoff, lambda player: (first, second)[player].canonical()


def require_zero_sum(tree: BettingTree) -> None:
    """Raise if some leaf pays what does not cancel; outcomes are checked with the signals."""
    if tree.uneven is not None:
        first, second = tree.base[tree.uneven]
        raise EquipoiseError(
            f"history '{tree.histories[tree.uneven]}': found payments of {first:g} and {second:g}, "
            "expected a zero-sum game (payments that cancel)."
        )


def _payoff(
    tree: BettingTree,
    rounds: Sequence[SignalRound],
    cut: Tiling | None,
    first: _Side,
    second: _Side,
) -> Factored:
    """Return the payoffs over both players' sequences when nature deals as in ``rounds``."""
    leaves: dict[tuple[int, int, int, int], list[tuple[int, int, float]]] = defaultdict(list)
    for node in np.flatnonzero(tree.player == TERMINAL).tolist():
        rows, columns = first.last[node], second.last[node]
        for kind, amount in _payments(tree, node):
            key = (int(tree.round[node]), kind, rows.round, columns.round)
            leaves[key].append((rows.base, columns.base, amount))
    last = len(rounds) - 1
    tiled = {
        key: entries
        for key, entries in leaves.items()
        if cut is not None and key[2:] == (last, last)
    }
    terms = tuple(
        _term(_matrix(tree, rounds, *key), entries)
        for key, entries in leaves.items()
        if key not in tiled
    )
    last_round = None if cut is None else _last_round(tree, rounds[last], cut, tiled, first, second)
    return Factored(terms, (first.space.size, second.space.size), last_round)


def _payments(tree: BettingTree, node: int) -> list[tuple[int, float]]:
    """Return what player 1 is paid at a leaf: (kind, amount at scale one), zero ones left out."""
    payments = [(NO_OUTCOME, float(tree.base[node, 0]))]
    if tree.kind[node] != NO_OUTCOME:
        payments.append((int(tree.kind[node]), float(tree.scale[node])))
    return [payment for payment in payments if payment[1] != 0]


def _tiling(tree: BettingTree, rounds: Sequence[SignalRound]) -> Tiling | None:
    """Return the tiles of the last round, or ``None`` where a player may act alone in it.

    A tile must hold all that its leaves touch, so both players' last sequences must be in it, or
    neither: a leaf after an all-in touches the trunk alone. Some leaf must pay in it.
    """
    last = len(rounds) - 1
    acting = (tree.acted == last).sum(axis=1)
    leaves = np.flatnonzero(tree.player == TERMINAL).tolist()
    if 1 in acting[leaves] or not any(acting[v] == 2 and _payments(tree, v) for v in leaves):
        return None
    mover = np.where(tree.parent < 0, TERMINAL, tree.player[tree.parent])
    is_last = (tree.parent >= 0) & (tree.round[tree.parent] == last)
    slots = max(int((is_last & (mover == player)).sum()) for player in (0, 1))
    return tiling(rounds[last], slots)


def _side(
    tree: BettingTree, rounds: Sequence[SignalRound], player: int, cut: Tiling | None
) -> _Side:
    """Lay out a player's blocks: the trunk round by round, then the last round tile by tile."""
    ancestors = _ancestors(rounds, player)
    nodes = [v for v in range(len(tree.parent)) if tree.player[v] == player]
    final = len(rounds) - 1 if cut is not None else len(rounds)
    trunk = sorted((v for v in nodes if tree.round[v] < final), key=lambda v: tree.round[v])
    last: list[_Last] = [_EMPTY] * len(tree.parent)
    rows: list[_BlockRow] = []
    size = 1
    start: dict[int, int] = {}
    for node in trunk:
        _inherit(tree, last, node, player)
        turn, width = int(tree.round[node]), rounds[int(tree.round[node])].views[player]
        before = last[node]
        rows.append((len(tree.children(node)), width, before.base, ancestors[turn, before.round]))
        start[node] = size
        for child in tree.children(node):
            last[child] = _Last(turn, size)
            size += width
    bound = lane_bundles(tree, final)
    first, own = slots(tree, bound, player)
    for node in (v for v in nodes if v in first):
        _inherit(tree, last, node, player)
        for action, child in enumerate(tree.children(node)):
            last[child] = _Last(final, first[node] + action * int(own.lanes[first[node]]))
    for node in np.flatnonzero(tree.player != player).tolist():
        _inherit(tree, last, node, player)
    if cut is not None:
        rows += _tile_rows(tree, bound, player, cut, last, ancestors, size, own)
    canonical = partial(_canonical, tree, rounds, player, cut, start | first, size, own)
    return _Side(Treeplex.from_rows(rows), canonical, last, size, own)


def _tile_rows(
    tree: BettingTree,
    bound: list[LaneBundle],
    player: int,
    cut: Tiling,
    last: list[_Last],
    ancestors: dict[tuple[int, int], NDArray[Any] | None],
    trunk: int,
    own: Slots,
) -> Iterator[_BlockRow]:
    """Yield a player's blocks of the last round: a decision point of a bundle in a tile is one.

    Its buckets are places times lanes. The first decisions of a lane follow the trunk, by links.
    """
    final = int(tree.round[bound[0].nodes[0, 0]])
    bounds = cut.bounds(player)
    for p in range(len(bounds) - 1):
        buckets = cut.order[player][bounds[p] : bounds[p + 1]]
        first = trunk + len(own.start) * int(bounds[p])
        for bundle in bound:
            above = [last[int(node)] for node in bundle.nodes[0]]
            links = np.stack([_follow(ancestors, final, up, buckets) for up in above], axis=1)
            links = links.reshape(-1)
            for node in (int(nodes[0]) for nodes in bundle.nodes):
                if tree.player[node] != player:
                    continue
                actions, width = len(tree.children(node)), len(buckets) * bundle.lanes
                before = last[node]
                if before.round == final:
                    yield actions, width, first + before.base * len(buckets), None
                else:
                    yield actions, width, 0, links


def _follow(
    ancestors: dict[tuple[int, int], NDArray[Any] | None],
    final: int,
    before: _Last,
    buckets: NDArray[np.int64],
) -> NDArray[Any]:
    """Return the trunk's sequences that ``buckets`` of the last round follow."""
    up = ancestors[final, before.round]
    assert up is not None, "the last round follows an earlier one"
    return before.base + up[buckets]


def _inherit(tree: BettingTree, last: list[_Last], node: int, player: int) -> None:
    """Set the last own sequence at ``node`` from the nearest ancestor where the player moved."""
    above = node
    while tree.parent[above] >= 0 and tree.player[tree.parent[above]] != player:
        above = int(tree.parent[above])
    last[node] = last[above]


def _canonical(
    tree: BettingTree,
    rounds: Sequence[SignalRound],
    player: int,
    cut: Tiling | None,
    start: dict[int, int],
    trunk: int,
    own: Slots,
) -> NDArray[np.uint32]:
    """Return the form's index of every sequence in canonical order.

    ``start`` is the first index of each decision node's first action, or its slot in the last round.
    """
    parts = [np.zeros(1, dtype=np.uint32)]
    final = len(rounds) - 1
    if cut is not None:
        bounds, place = cut.bounds(player), cut.place[player]
        tile = np.searchsorted(bounds, place, side="right") - 1
        width, place = np.diff(bounds)[tile], place - bounds[tile]
        first = trunk + len(own.start) * bounds[tile]
    for node in np.flatnonzero(tree.player == player).tolist():
        for action in range(len(tree.children(node))):
            if cut is not None and tree.round[node] == final:
                lanes = int(own.lanes[start[node]])
                slot = start[node] + action * lanes
                begin = int(own.start[slot])
                index = first + begin * width + place * lanes + slot - begin
            else:
                count = rounds[int(tree.round[node])].views[player]
                index = start[node] + action * count + np.arange(count)
            parts.append(index.astype(np.uint32))
    return np.concatenate(parts)


def _ancestors(
    rounds: Sequence[SignalRound], player: int
) -> dict[tuple[int, int], NDArray[Any] | None]:
    """Return, for rounds j >= k, the bucket of round k that each bucket of round j extends.

    Round -1 is before the first deal and has one bucket; within a round the answer is ``None``.
    """
    maps: dict[tuple[int, int], NDArray[Any] | None] = {}
    for j in range(len(rounds)):
        current = np.arange(rounds[j].views[player], dtype=np.uint32)
        maps[j, j] = None
        for k in range(j - 1, -1, -1):
            current = rounds[k + 1].parents[player][current]
            maps[j, k] = current
        maps[j, -1] = np.zeros(rounds[j].views[player], dtype=np.uint32)
    return maps


def _values(tree: BettingTree, signals: SignalRound, kind: int) -> NDArray[np.float64]:
    """Return probability (times outcome) of each deal."""
    if kind == NO_OUTCOME:
        return signals.weight
    return signals.weight * signals.values[tree.kinds[kind]]


def _matrix(
    tree: BettingTree, rounds: Sequence[SignalRound], turn: int, kind: int, first: int, second: int
) -> BucketMatrix:
    """Return a round's values over the buckets in which the players acted last."""
    from scipy import sparse

    signals = rounds[turn]
    if signals.dense is not None:
        return _dense_matrix(tree, rounds, signals.dense, turn, kind, first, second)
    place, shape = [], []
    for player, acted in enumerate((first, second)):
        up = _ancestors(rounds, player)[turn, acted]
        own = signals.pairs[player]
        place.append((own if up is None else up[own]).astype(np.int64))
        shape.append(1 if acted < 0 else rounds[acted].views[player])
    entries = (_values(tree, signals, kind), (place[0], place[1]))
    matrix = sparse.coo_matrix(entries, shape=tuple(shape)).tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return BucketMatrix(matrix)


def _dense_matrix(
    tree: BettingTree,
    rounds: Sequence[SignalRound],
    pairs: PairMatrices,
    turn: int,
    kind: int,
    first: int,
    second: int,
) -> DenseMatrix:
    """Return the same as an array on the device where the deals are."""
    device = pairs.device
    xp, matrix = device.xp, pairs.of(None if kind == NO_OUTCOME else tree.kinds[kind])
    for player, acted in ((0, first), (1, second)):
        up = _ancestors(rounds, player)[turn, acted]
        if up is not None:
            count = 1 if acted < 0 else rounds[acted].views[player]
            rows = matrix if player == 0 else xp.permute_dims(matrix, (1, 0))
            total = device.zeros((count, rows.shape[1]))
            device.add_at(total, device.put(up.astype(np.int64)), rows)
            matrix = total if player == 0 else xp.permute_dims(total, (1, 0))
    return DenseMatrix(matrix, device)


def _term(matrix: BucketMatrix, entries: list[tuple[int, int, float]]) -> Term:
    return Term(
        matrix=matrix,
        row=np.array([row for row, _, _ in entries], dtype=np.uint32),
        column=np.array([column for _, column, _ in entries], dtype=np.uint32),
        coefficient=np.array([amount for _, _, amount in entries]),
    )


def _last_round(
    tree: BettingTree,
    signals: SignalRound,
    cut: Tiling,
    leaves: dict[tuple[int, int, int, int], list[tuple[int, int, float]]],
    first: _Side,
    second: _Side,
) -> LastRound:
    """Return the tiled payoffs of the last round: one matrix a kind, shared by all its leaves."""
    from equipoise.sequence.payoffs.last_round import LastRound

    kinds = sorted({key[1] for key in leaves})
    table = [
        (kinds.index(key[1]), row, column, amount)
        for key, entries in leaves.items()
        for row, column, amount in entries
    ]
    return LastRound(
        cut=cut,
        pairs=signals.pairs,
        values=np.stack([_values(tree, signals, kind) for kind in kinds]),
        leaf_matrix=np.array([entry[0] for entry in table]),
        leaf_slots=(
            np.array([entry[1] for entry in table]),
            np.array([entry[2] for entry in table]),
        ),
        leaf_scale=np.array([entry[3] for entry in table]),
        trunk=(first.trunk, second.trunk),
        slots=(first.slots, second.slots),
    )
