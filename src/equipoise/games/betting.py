"""What players do: the public tree of actions over all rounds, independent of the signals.

Nature's deals between rounds are not nodes here: a node whose ``round`` is larger than its parent's
is reached after the signals of its round have been revealed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TERMINAL = -1
NO_OUTCOME = -1


@dataclass(frozen=True)
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

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return int(self.round.max()) + 1

    def children(self, node: int) -> list[int]:
        """Children of ``node`` in action order."""
        return [int(v) for v in np.flatnonzero(self.parent == node)]
