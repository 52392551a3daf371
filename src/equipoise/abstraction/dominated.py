"""Iterated elimination of dominated actions, before a game is solved (Gilpin 2009, section 5.2.1).

At a decision node, a player with view v does not need action a if another action b is as good
whatever happens: for every view u that her opponent may hold there,

    best_a(v, u) <= safe_b(v, u).

Here ``best`` is the most that any play of both players from there on pays her, and ``safe`` is what
she is sure of, against any play of the opponent, if she follows some plan of her own that depends
on v alone. Where the game goes on to another round, both are expected over what nature deals.

**Soundness.** Take the weight that a strategy gives to a in view v and move it to b and its plan.
Against any opposing strategy the payment grows by a sum over u of the probability that u is dealt
and comes here, times at least safe_b - best_a: it does not shrink. So the value is the same without
a. And as this holds against every strategy that is left to the opponent, an equilibrium of what
remains is an equilibrium of the whole game; step by step, when actions of both players go in turn.

In the last round of a poker game the rule says: with a hand that cannot lose, do not fold, do not
call where you can raise, and do not check where that ends the game. In Rhode Island Hold'em at
13/205/1774 buckets this alone gives Gilpin's 1,190,443 rows and 1,181,084 columns of the program in
which player 2 chooses; in player 1's, whose size is given here, rows and columns are exchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import PLAYERS, add_up
from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.rounds import Floats, SignalRound
from equipoise.games.signals.sizes import program_size

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

#: Payments that differ by less than this part of the largest one are taken as equal.
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Survivors:
    """The actions that are left.

    Attributes
    ----------
    tree, rounds
        The two factors of the game.
    alive
        For each node of the tree, in which views of the player above it the action into it is left
        (at the root, where no action leads, an empty mask).
    """

    tree: BettingTree
    rounds: tuple[SignalRound, ...]
    alive: tuple[Mask, ...]

    def sequences(self, player: int) -> Mask:
        """Say which sequences of ``player`` are left, in the order of the sequence form.

        The empty one comes first; then, for each of her decision nodes in preorder, action by
        action, view by view. A sequence is left if all of its actions are.
        """
        reached = self._reached(player)
        own = [
            reached[node] & self.alive[child]
            for node in self._nodes(player)
            for child in self.tree.children(node)
        ]
        return np.concatenate([np.ones(1, dtype=bool), *own])

    def infosets(self, player: int) -> int:
        """Count the information sets that the actions left to ``player`` can lead to."""
        reached = self._reached(player)
        return sum(int(reached[node].sum()) for node in self._nodes(player))

    def program_size(self) -> tuple[int, int]:
        """Return rows and columns of the linear program over what is left."""
        return program_size(
            [self.infosets(i) for i in PLAYERS], [int(self.sequences(i).sum()) for i in PLAYERS]
        )

    def _nodes(self, player: int) -> list[int]:
        return [int(node) for node in np.flatnonzero(self.tree.player == player)]

    def _reached(self, player: int) -> list[Mask]:
        """Return, for each node, in which views ``player``'s own actions may lead there."""
        tree = self.tree
        masks: list[Mask] = []
        for node, parent in enumerate(tree.parent.tolist()):
            if parent < 0:
                masks.append(np.ones(self.rounds[tree.round[node]].views[player], dtype=bool))
                continue
            mask = masks[parent]
            if tree.player[parent] == player:
                mask = mask & self.alive[node]
            for turn in range(tree.round[parent] + 1, tree.round[node] + 1):
                mask = mask[self.rounds[turn].parents[player]]
            masks.append(mask)
        return masks


def eliminate(
    tree: BettingTree, rounds: Sequence[SignalRound], turns: Collection[int] | None = None
) -> Survivors:
    """Eliminate dominated actions of both players until none is left (see the module).

    Parameters
    ----------
    tree, rounds
        The factors of a two-player zero-sum game; ``rounds`` may be coarsened ones.
    turns
        Rounds in which to look for dominated actions; all unless told otherwise.
    """
    if tree.players != 2 or len(rounds) < tree.rounds:
        raise EquipoiseError(
            f"Elimination: found {tree.players} players and signals of {len(rounds)} rounds, "
            f"expected 2 players and {tree.rounds} rounds."
        )
    search = _Search(tree, tuple(rounds), set(range(len(rounds)) if turns is None else turns))
    left = -1
    while search.turns and left != search.count():
        left = search.count()
        for player in PLAYERS:
            search.eliminate(player)
    return Survivors(tree, search.rounds, tuple(search.alive))


class _Search:
    """What is left so far, and the passes that eliminate more."""

    def __init__(
        self, tree: BettingTree, rounds: tuple[SignalRound, ...], turns: Collection[int]
    ) -> None:
        self.tree, self.rounds, self.turns = tree, rounds, turns
        self.alive: list[Mask] = [np.zeros(0, dtype=bool)] * len(tree.parent)
        for node in range(1, len(tree.parent)):
            parent = tree.parent[node]
            width = rounds[tree.round[parent]].views[tree.player[parent]]
            self.alive[node] = np.ones(width, dtype=bool)
        self.parents = [np.zeros(0, dtype=np.int64), *map(_parent_deals, rounds, rounds[1:])]
        self.odds = [np.ones(0)]
        for r in range(1, len(rounds)):
            above = add_up(self.parents[r], rounds[r].weight, len(rounds[r - 1].weight))
            self.odds.append(rounds[r].weight / above[self.parents[r]])
        outcome = max((abs(v).max() for s in rounds for v in s.values.values()), default=0.0)
        self.slack = TOLERANCE * (abs(tree.base).max() + abs(tree.scale).max() * outcome)

    def count(self) -> int:
        """Count the actions that are left."""
        return sum(int(mask.sum()) for mask in self.alive)

    def eliminate(self, player: int) -> None:
        """Make one pass from the leaves up over the actions of ``player``."""
        start = int(self.tree.round[0])
        self._bounds(0, player, np.ones(len(self.rounds[start].weight), dtype=bool))

    def _bounds(self, node: int, player: int, possible: Mask) -> tuple[Floats, Floats]:
        """Return ``best`` and ``safe`` at ``node`` for each deal of its round, eliminating below.

        ``possible`` are the deals in which what is left of the opponent's actions leads here.
        """
        actor, turn = int(self.tree.player[node]), int(self.tree.round[node])
        if actor == TERMINAL:
            payment = self._payment(node, player)
            return payment, payment
        view = self.rounds[turn].pairs[actor]
        children = self.tree.children(node)
        best, safe = [], []
        for child in children:
            still = possible if actor == player else possible & self.alive[child][view]
            later = int(self.tree.round[child])
            bounds = self._bounds(child, player, self._deal_on(still, turn, later))
            best.append(self._expect(bounds[0], later, turn))
            safe.append(self._expect(bounds[1], later, turn))
        if actor == player and turn in self.turns:
            self._drop_dominated(children, view, possible, best, safe)
        alive = np.stack([self.alive[child][view] for child in children])
        most = np.where(alive, best, -np.inf).max(axis=0)
        if actor != player:
            return most, np.where(alive, safe, np.inf).min(axis=0)
        plan = self._plan(children, view, self.rounds[turn].weight * possible, safe)
        return most, np.choose(plan[view], safe)

    def _drop_dominated(
        self,
        children: Sequence[int],
        view: NDArray[np.uint32],
        possible: Mask,
        best: Sequence[Floats],
        safe: Sequence[Floats],
    ) -> None:
        """Apply the rule to every pair of actions of one node, in every view at once."""
        for (a, worse), (b, better) in permutations(enumerate(children), 2):
            doubt = view[possible & (best[a] > safe[b] + self.slack)]
            dominated = self.alive[worse] & self.alive[better]
            dominated[doubt] = False
            self.alive[worse] = self.alive[worse] & ~dominated

    def _plan(
        self,
        children: Sequence[int],
        view: NDArray[np.uint32],
        weight: Floats,
        safe: Sequence[Floats],
    ) -> Numbers:
        """Choose, for each view, the action that is left and surest on average."""
        width = len(self.alive[children[0]])
        score = [
            np.where(self.alive[child], add_up(view, weight * bound, width), -np.inf)
            for child, bound in zip(children, safe, strict=True)
        ]
        plan: Numbers = np.argmax(score, axis=0)
        return plan

    def _payment(self, leaf: int, player: int) -> Floats:
        """Return what ``player`` is paid at ``leaf`` in each deal."""
        tree, signals = self.tree, self.rounds[self.tree.round[leaf]]
        payment = np.full(len(signals.weight), tree.base[leaf, player])
        if tree.kind[leaf] != NO_OUTCOME:
            sign = 1.0 if player == 0 else -1.0
            value = signals.values[tree.kinds[tree.kind[leaf]]]
            payment += sign * tree.scale[leaf] * value
        return payment

    def _deal_on(self, mask: Mask, turn: int, later: int) -> Mask:
        """Carry a mask over the deals of one round to those of a later one."""
        for r in range(turn + 1, later + 1):
            mask = mask[self.parents[r]]
        return mask

    def _expect(self, bound: Floats, later: int, turn: int) -> Floats:
        """Take expectations over what nature deals after round ``turn``."""
        for r in range(later, turn, -1):
            bound = add_up(self.parents[r], self.odds[r] * bound, len(self.rounds[r - 1].weight))
        return bound


def _parent_deals(before: SignalRound, after: SignalRound) -> Numbers:
    """Return the deal of the round before that each deal extends."""
    width = before.views[1]
    known = before.pairs[0].astype(np.int64) * width + before.pairs[1]
    first, second = (after.parents[i][after.pairs[i]].astype(np.int64) for i in PLAYERS)
    order = np.argsort(known)
    place: Numbers = order[np.searchsorted(known[order], first * width + second)]
    return place
