"""Best responses by a depth-first search of the game tree (Bosansky et al. 2014; Muench 2015, algorithms 1 and 2).

With w(h) nature's probability of node h times the opponent's of playing to it, the value of a node is

    v(h) = w(h) u(h)                                  at a leaf,
    v(h) = sum of v over the children                 where nature or the opponent moves,
    v(h) = v(h a) with the a that maximises the sum of v(h' a) over the nodes h' of the information set
                                                      where the searching player moves.

Two things are left out. *Zero reach*: where w(h) = 0 nothing below counts. *Bounds*: with U(h) the most that a
leaf below h pays, an action has at most what its nodes have brought so far and w(h') U(h' a) for the others; it is
given up once that is no more than the best action has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import TERMINAL, ExtensiveGame
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.units import tree_units
from equipoise.solvers.saddle.responses import Response

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class _Tree(NamedTuple):
    """A game tree as one player searches it.

    ``children[first_child[h]:first_child[h + 1]]`` are the children of node ``h``, ``members`` the nodes of an
    information set likewise; ``last`` is the opponent's last sequence, ``pay`` what a leaf pays, ``most`` the
    most that one below pays.
    """

    own: int
    player: Numbers
    infoset: Numbers
    first_child: Numbers
    children: Numbers
    first_member: Numbers
    members: Numbers
    chance: Floats
    last: Numbers
    pay: Floats
    most: Floats


class _Found(NamedTuple):
    """What a search has found: the best action of each set (-1 where it never came), and values of nodes.

    ``trial`` are the values under the action at hand; ``visited`` counts nodes.
    """

    choice: Numbers
    value: Floats
    trial: Floats
    visited: Numbers


class TreeSearch:
    """Searches the tree of a form; ``visited`` is the share of its nodes that the last two searches came to."""

    def __init__(self, form: SequenceForm) -> None:
        game = None if form.game is None else form.game.listed
        if game is None:
            raise EquipoiseError(
                f"{form.name}: found no game tree to search, expected one; other oracles than "
                "'search' take a game with signals."
            )
        self._form, self._game = form, game
        self._trees = _tree(game, 0), _tree(game, 1)
        self.visited = 0.0

    def respond(self, x: Floats, y: Floats) -> tuple[Response, Response]:
        """Return player 1's best response to ``y``, and player 2's to ``x``."""
        (first, one), (second, two) = self._search(0, y), self._search(1, x)
        self.visited = (one + two) / (2 * self._game.nodes)
        return first, second

    def _search(self, player: int, plan: Floats) -> tuple[Response, int]:
        """Return the best response of ``player``, and how many nodes it took."""
        game, nodes = self._game, self._game.nodes
        found = _Found(
            np.full(game.infosets, -1),
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(1, dtype=np.int64),
        )
        value = _value(self._trees[player], 0, plan, found)
        space = (self._form.X, self._form.Y)[player]
        behaviour = np.zeros(space.size)
        behaviour[0] = 1.0
        came = np.flatnonzero((game.infoset_player == player) & (found.choice >= 0))
        behaviour[game.first_sequence[came] + found.choice[came]] = 1.0
        return Response(value, space.plan(behaviour), None), int(found.visited[0])


def _tree(game: ExtensiveGame, player: int) -> _Tree:
    """Return the tree as ``player`` searches it."""
    pays = tree_units(game)[1] * (1.0 if player == 0 else -1.0)
    pay = np.zeros(game.nodes)
    pay[game.terminals] = pays[game.outcome[game.terminals]]
    most = np.full(game.nodes, -np.inf)
    most[game.terminals] = pay[game.terminals]
    for level in reversed(game.depth_levels[1:]):
        np.maximum.at(most, game.parent[level], most[level])
    decisions = np.flatnonzero(game.infoset >= 0)
    return _Tree(
        player,
        game.player.astype(np.int64),
        game.infoset.astype(np.int64),
        *_grouped(game.parent[1:], np.arange(1, game.nodes), game.nodes),
        *_grouped(game.infoset[decisions], decisions, game.infosets),
        game.chance_reach,
        game.last_sequence[1 - player].astype(np.int64),
        pay,
        most,
    )


def _grouped(group: NDArray[Any], items: Numbers, groups: int) -> tuple[Numbers, Numbers]:
    """Return where each group begins in the list of all items, ordered by group, and that list."""
    first = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=groups))))
    return first, items[np.argsort(group, kind="stable")].astype(np.int64)


@njit(cache=True)
def _value(tree: Any, h: Any, plan: Any, found: Any) -> Any:
    """Return v(h) of the module's docstring."""
    weight = tree.chance[h] * plan[tree.last[h]]
    if weight == 0:
        return 0.0
    found.visited[0] += 1
    if tree.player[h] == TERMINAL:
        return weight * tree.pay[h]
    if tree.player[h] != tree.own:
        total = 0.0
        for i in range(tree.first_child[h], tree.first_child[h + 1]):
            total += _value(tree, tree.children[i], plan, found)
        return total
    own = tree.infoset[h]
    if found.choice[own] < 0:
        best = -np.inf
        members = tree.members[tree.first_member[own] : tree.first_member[own + 1]]
        for action in range(tree.first_child[h + 1] - tree.first_child[h]):
            left = 0.0
            for node in members:
                child = tree.children[tree.first_child[node] + action]
                left += tree.chance[node] * plan[tree.last[node]] * tree.most[child]
            got, is_open = 0.0, True
            for node in members:
                child = tree.children[tree.first_child[node] + action]
                if got + left <= best:
                    is_open = False
                    break
                left -= tree.chance[node] * plan[tree.last[node]] * tree.most[child]
                found.trial[node] = _value(tree, child, plan, found)
                got += found.trial[node]
            if is_open and got > best:
                best = got
                found.choice[own] = action
                for node in members:
                    found.value[node] = found.trial[node]
    return found.value[h]
