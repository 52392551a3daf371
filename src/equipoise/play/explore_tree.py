"""Scenes of a tree: the information sets in which the player to move may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.infosets import Standings, standings
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.play.layout import layout, without_ending
from equipoise.play.observation import Observation
from equipoise.play.scenes import Cell, Hit, PathStep, Scene
from equipoise.strategy.keys import keys_of
from equipoise.strategy.lookup import decisions_after
from equipoise.strategy.profile import Strategy

Floats = NDArray[np.float64]

_LETTERS = {"p": "pass", "k": "check", "b": "bet", "f": "fold", "c": "call", "r": "raise"}
_LARGEST_TREE = 2_000_000  # nodes of trees whose values are computed


class TreeExplorer:
    """Scenes of a tree: the information sets in which the players may be after their moves."""

    def __init__(self, game: ExtensiveGame, strategy: Strategy) -> None:
        self.game, self._strategy = game, strategy
        self._labels = list(keys_of(game).labels())

    def scene(self, path: Sequence[str] = (), board: str = "") -> Scene:
        """Collect the information sets after the moves ``path``."""
        if board:
            raise EquipoiseError(f"board {quoted(board)}: a tree has none, expected nothing.")
        game = self.game
        nodes = decisions_after(game, tuple(path))
        sets = list(dict.fromkeys(game.infoset[nodes].tolist()))
        player = int(game.infoset_player[sets[0]])
        sets = [k for k in sets if game.infoset_player[k] == player]
        actions = tuple(dict.fromkeys(a for k in sets for a in game.infoset_actions[k]))
        names = without_ending([self._labels[k] for k in sets], "".join(path))
        rows, columns, places = layout(names)
        cells = [
            self._cell(k, name, *place, actions)
            for k, name, place in zip(sets, names, places, strict=True)
        ]
        total = math.fsum(cell.share for cell in cells) or 1.0
        cells = [cell._replace(share=cell.share / total) for cell in cells]
        return Scene(
            steps=self._steps(path),
            player=player,
            actions=actions,
            words=spoken(game, actions),
            ends=tuple(self._is_over((*path, action)) for action in actions),
            rows=rows,
            columns=columns,
            cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        )

    def cell(self, observation: Observation) -> Cell:
        """Look the information set up."""
        assert observation.infoset is not None, "it is the player's turn"
        return self._cell(
            self._places[observation.infoset], observation.infoset, 0, 0, observation.actions
        )

    def values(self) -> tuple[float, ...]:
        """Return the certificate's values."""
        return self._values

    @cached_property
    def _values(self) -> tuple[float, ...]:
        return certify_tree(self.game, self._strategy).values

    def prepare(self) -> None:
        """Find the values, and those of all information sets."""
        _ = self._values, self._standings

    def search(self, text: str, most: int = 50) -> list[Hit]:
        """Find information sets whose label contains ``text``, those that play comes to first."""
        wanted = text.lower().strip()
        found = [k for k, label in enumerate(self._labels) if wanted in label.lower()]
        known = self._standings
        if known is not None:
            found.sort(key=lambda k: -known.reach[k])
        return [self._found(k) for k in found[:most]]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: k for k, label in enumerate(self._labels)}

    @cached_property
    def _standings(self) -> Standings | None:
        """Reach and values, where players remember and the tree is not too large to tell at once."""
        if self.game.forgetful is not None or self.game.nodes > _LARGEST_TREE:
            return None
        return standings(self.game, self._strategy)

    @cached_property
    def _plans(self) -> list[Floats]:
        """The probability of each player's own sequences."""
        game, plans = self.game, []
        for player, own in enumerate(self._strategy.behaviour):
            plan = np.array(own, dtype=np.float64)
            plan[0] = 1.0
            for k in np.flatnonzero(game.infoset_player == player).tolist():
                first = int(game.first_sequence[k])
                plan[first : first + int(game.action_count[k])] *= plan[game.parent_sequence[k]]
            plans.append(plan)
        return plans

    def _cell(self, k: int, label: str, row: int, column: int, actions: Sequence[str]) -> Cell:
        game, known = self.game, self._standings
        player, first = int(game.infoset_player[k]), int(game.first_sequence[k])
        own = slice(first, first + int(game.action_count[k]))
        numbers = self._strategy.behaviour[player][own].tolist()
        open_to = game.infoset_actions[k]
        worth = [math.nan] * len(open_to) if known is None else known.actions[player][own].tolist()
        played = dict(zip(open_to, numbers, strict=True))
        values = dict(zip(open_to, worth, strict=True))
        is_known = game.forgetful is None
        return Cell(
            label,
            row,
            column,
            tuple(played.get(action, math.nan) for action in actions),
            tuple(values.get(action, math.nan) for action in actions),
            float(self._plans[player][game.parent_sequence[k]]) if is_known else 1.0,
            1.0 if known is None else float(known.reach[k]),
        )

    def _steps(self, path: Sequence[str]) -> tuple[PathStep, ...]:
        steps = []
        for count, action in enumerate(path):
            node = int(decisions_after(self.game, tuple(path[:count]))[0])
            open_to = self.game.infoset_actions[self.game.infoset[node]]
            word = dict(zip(open_to, spoken(self.game, open_to), strict=True)).get(action, action)
            steps.append(PathStep(int(self.game.player[node]), action, word))
        return tuple(steps)

    def _is_over(self, path: Sequence[str]) -> bool:
        try:
            decisions_after(self.game, tuple(path))
        except EquipoiseError:
            return True
        return False

    def _found(self, k: int) -> Hit:
        game = self.game
        node = int((game.infoset == k).argmax())
        path: list[str] = []
        while (parent := int(game.parent[node])) >= 0:
            if game.player[parent] >= 0:
                path.append(game.infoset_actions[game.infoset[parent]][game.slot[node]])
            node = parent
        path.reverse()
        return Hit(tuple(path), " ".join(path) or "the first decision", self._labels[k])


def spoken(game: ExtensiveGame, actions: Sequence[str]) -> tuple[str, ...]:
    """Return the actions of a tree for people: the letters of poker, if it has no others, as words."""
    if not {a for own in set(game.infoset_actions) for a in own} <= _LETTERS.keys():
        return tuple(actions)
    # Without a bet to answer, whoever calls checks.
    checks = {"c": "check"} if "f" not in actions else {}
    return tuple({**_LETTERS, **checks}[action] for action in actions)
