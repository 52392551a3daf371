"""What players do: the public tree of actions over all rounds, independent of the signals.

Nature's deals between rounds are not nodes here: a node whose ``round`` is larger than its parent's
is reached after the signals of its round have been revealed. It may be larger by more than one: play
skips rounds in which nobody has a decision, as after an all-in.

Trees are assembled from stage games (:mod:`equipoise.games.signals.stages`);
:mod:`~equipoise.games.signals.limit` and :mod:`~equipoise.games.signals.no_limit` are the betting of
poker, and :mod:`~equipoise.games.signals.explicit` reads any tree written out as data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

TERMINAL = -1
NO_OUTCOME = -1
SHOWDOWN = "showdown"


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A public action tree in preorder (a parent before its children, siblings in action order).

    At a terminal node ``v`` player ``i`` is paid ``base[v, i] + scale[v] * kind_i(signals)``, where
    the kind is ``kinds[kind[v]]`` (``NO_OUTCOME``: the payment does not depend on the signals).

    Attributes
    ----------
    players
        Number of players.
    parent
        Parent of each node; -1 at the root.
    action
        Label of the edge into each node; empty at the root.
    round
        Round in which the node's player acts, or in which the game ended.
    player
        Who acts at each node; ``TERMINAL`` where the game is over.
    base, scale, kind, kinds
        Payments, as above. ``base`` has one column a player.
    """

    players: int
    parent: NDArray[np.int32]
    action: tuple[str, ...]
    round: NDArray[np.int32]
    player: NDArray[np.int32]
    base: NDArray[np.float64]
    scale: NDArray[np.float64]
    kind: NDArray[np.int32]
    kinds: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<BettingTree: {self.players} players, {len(self.parent):,} nodes>"

    @property
    def rounds(self) -> int:
        """Number of rounds that play can come to."""
        return int(self.round.max()) + 1

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, in action order."""
        lists: list[list[int]] = [[] for _ in self.parent]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                lists[parent].append(node)
        return tuple(map(tuple, lists))

    def children(self, node: int) -> list[int]:
        """Children of ``node`` in action order."""
        return list(self.successors[node])

    @cached_property
    def acted(self) -> NDArray[np.int32]:
        """The round of each player's last action on the way to each node; -1 where there is none."""
        rounds: NDArray[np.int32] = np.full((len(self.parent), self.players), -1, dtype=np.int32)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                rounds[node] = rounds[parent]
                rounds[node, self.player[parent]] = self.round[parent]
        return rounds

    @cached_property
    def uneven(self) -> int | None:
        """First node whose payments do not cancel, if there is one; what signals decide is apart."""
        total, size = self.base.sum(axis=1), np.abs(self.base).sum(axis=1)
        # What cancels but for rounding is a few units in the last place of all that was put in, not of this leaf.
        rounding = (
            64 * np.finfo(np.float64).eps * float((size + np.abs(self.scale)).max(initial=0.0))
        )
        wrong = np.flatnonzero(np.abs(total) > 1e-9 * size + rounding)
        return int(wrong[0]) if len(wrong) else None

    def kinds_ending(self, turn: int) -> list[str]:
        """Return the kinds of outcome that can end the game in round ``turn``."""
        ends = self.kind[(self.player == TERMINAL) & (self.round == turn)]
        return [kind for k, kind in enumerate(self.kinds) if k in ends]

    @cached_property
    def histories(self) -> tuple[str, ...]:
        """The way to every node in text: ``kK/bRc/kBr``.

        Actions of player 2 are in upper case; ``/`` stands where the signals of the next round are
        revealed. If some label has several characters, labels within a round are set off by commas.
        """
        comma = "," if any(len(label) > 1 for label in self.action) else ""
        texts = ["/" * int(self.round[0])]
        for node in range(1, len(self.parent)):
            parent = int(self.parent[node])
            before, label = texts[parent], self.action[node]
            if before and not before.endswith("/"):
                before += comma
            shown = label.upper() if self.player[parent] == 1 else label
            texts.append(before + shown + "/" * int(self.round[node] - self.round[parent]))
        return tuple(texts)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {text: node for node, text in enumerate(self.histories)}

    def find(self, history: str) -> int:
        """Return the node that ``history`` leads to."""
        node = self._nodes.get(history)
        if node is None:
            known = next(i for i in range(len(history), -1, -1) if history[:i] in self._nodes)
            place = self._nodes[history[:known]]
            after = [self.histories[child] for child in self.successors[place]]
            raise EquipoiseError(
                f"history '{history}': '{history[known:]}' cannot follow '{history[:known]}', "
                f"expected {' or '.join(after) or 'nothing, the game is over'}."
            )
        return node


def subtree(tree: BettingTree, keep: NDArray[np.bool_]) -> tuple[BettingTree, NDArray[np.int64]]:
    """Return the tree without the actions that lead to nodes not in ``keep``, and its nodes in ``tree``."""
    kept = np.array(keep, dtype=bool)
    kept[0] = True
    for node in range(1, len(kept)):
        kept[node] &= kept[tree.parent[node]]
    nodes = np.flatnonzero(kept)
    entered = np.isin(np.arange(len(kept)), tree.parent[nodes])
    stuck = np.flatnonzero(kept & ~entered & (tree.player != TERMINAL))
    if len(stuck):
        raise EquipoiseError(
            f"history '{tree.histories[stuck[0]]}': found no action left, expected at least one."
        )
    number: NDArray[np.int32] = np.full(len(kept) + 1, -1, dtype=np.int32)
    number[nodes] = np.arange(len(nodes))
    small = BettingTree(
        players=tree.players,
        parent=number[tree.parent[nodes]],  # of the root, -1: the last entry, which is -1
        action=tuple(tree.action[node] for node in nodes),
        round=tree.round[nodes],
        player=tree.player[nodes],
        base=tree.base[nodes],
        scale=tree.scale[nodes],
        kind=tree.kind[nodes],
        kinds=tree.kinds,
    )
    return small, nodes


def played_out(tree: BettingTree, last: int) -> BettingTree:
    """Return the tree in which every outcome waits for the signals of round ``last``.

    A leaf where the signals decide moves to that round: all signals are revealed first, as all cards
    come after an all-in, so that nobody acts on them.
    """
    decided = (tree.player == TERMINAL) & (tree.kind != NO_OUTCOME)
    return replace(tree, round=np.where(decided, last, tree.round).astype(np.int32))
