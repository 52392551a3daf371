"""From a game with fewer actions back to the whole one: read what happens as the model has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.actions import ActionAbstraction
from equipoise.games.signals.stage_game import StageGame
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.views import Apart

Block = NDArray[np.floating]


@dataclass(frozen=True)
class Defaults:
    """How many information sets the model says nothing about, of how many, for each player."""

    called: tuple[int, int]
    infosets: tuple[int, int]


def translate(
    strategy: Strategy, abstraction: ActionAbstraction, game: StageGame
) -> tuple[Strategy, Defaults]:
    """Return the strategy of ``game`` that plays as ``strategy`` does in the game of ``abstraction``.

    Where a history may be read as several of the model, the player draws one and remembers it. The
    behaviour returned is what comes of it: readings are weighted by how likely she drew them *and* then did
    what she did (Kuhn 1953).
    """
    seen = Apart(abstraction.game(game), strategy)
    whole = seen.layout_in(game)
    players = [_Translation(strategy, abstraction, seen, whole, p) for p in (0, 1)]
    found = seen.strategy_of(game, [own.behaviour for own in players])
    called, infosets = (
        tuple(getattr(own, what) for own in players) for what in ("called", "infosets")
    )
    return found, Defaults((called[0], called[1]), (infosets[0], infosets[1]))


class _Translation:
    """One player's behaviour in the whole game."""

    def __init__(
        self,
        strategy: Strategy,
        abstraction: ActionAbstraction,
        seen: Apart,
        whole: Layout,
        player: int,
    ) -> None:
        self._abstraction, self._seen, self._player = abstraction, seen, player
        vector = strategy.behaviour[player]
        self.behaviour = np.ones(int(whole.starts(player)[-1]), dtype=vector.dtype)
        self._small = blocks(abstraction.small.player, seen.layout, player, vector)
        filled = blocks(abstraction.whole.player, whole, player, self.behaviour)
        self.called = self.infosets = 0
        # For each node, the weight of each reading, by view (or bucket); a number where those do not matter.
        self._weights: list[dict[int, float | Block]] = [{0: 1.0}]
        self._readings = abstraction.readings(player)
        for node in range(len(abstraction.whole.parent)):
            if node:
                self._weights.append(self._next(node))
            if node in filled:
                self._fill(node, filled[node])

    def _fill(self, node: int, block: Block) -> None:
        """Write what is done at ``node``, in every view, into ``block``."""
        self.infosets += block.shape[1]
        weights = self._weights[node]
        if not any(self._abstraction.is_known(node, place) for place in weights):
            self.called += block.shape[1]
        if len(weights) == 1:
            block[:] = self._behaviour(node, next(iter(weights)))
            return
        # What nobody comes to herself is weighted by what the opponent did alone.
        total = sum(np.broadcast_to(w, block.shape[1:]) for w in weights.values())
        plain = self._readings[node]
        block[:] = 0.0
        for place, weight in weights.items():
            share = np.where(total > 0, weight / np.where(total > 0, total, 1.0), plain[place])
            block += share * self._behaviour(node, place)

    def _behaviour(self, node: int, place: int) -> Block:
        """Return what is done at ``node`` if it is taken for ``place``: actions by views."""
        if self._abstraction.is_known(node, place):
            return self._abstraction.played(node, place) @ self._small[place]
        return self._abstraction.defaults(node)[:, None]

    def _next(self, node: int) -> dict[int, float | Block]:
        """Return the weights at ``node`` from those before it."""
        tree = self._abstraction.whole
        before = int(tree.parent[node])
        if not self._abstraction.is_random:
            return dict.fromkeys(self._readings[node], 1.0)
        found: dict[int, float | Block] = {}
        action = tree.children(before).index(node)
        for place, weight in self._weights[before].items():
            if tree.player[before] == self._player:
                weight = weight * self._behaviour(before, place)[action]
            for turn in range(int(tree.round[before]) + 1, int(tree.round[node]) + 1):
                weight = self._extend(weight, turn)
            for after, p in self._abstraction.steps(place, node, self._player):
                found[after] = found.get(after, 0.0) + p * weight
        return found

    def _extend(self, weight: float | Block, turn: int) -> float | Block:
        """Return weights by view (or bucket) of round ``turn`` from those of the round before."""
        if isinstance(weight, float) or weight.shape == (1,):
            return weight
        extended: Block = weight[self._seen.parents(turn, self._player)]
        return extended


def blocks(
    actor: NDArray[np.int32], layout: Layout, player: int, vector: NDArray[np.floating]
) -> dict[int, Block]:
    """Return the part of ``vector`` for each decision node of ``player``: actions by views."""
    starts = layout.starts(player).tolist()
    nodes = np.flatnonzero(actor == player).tolist()
    return {
        node: vector[begin:end].reshape(actions, -1)
        for node, (_, actions), begin, end in zip(
            nodes, layout.nodes[player], starts[:-1], starts[1:], strict=True
        )
    }
