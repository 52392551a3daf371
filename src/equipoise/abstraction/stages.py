"""Stage abstraction: a game without its last rounds, whose leaves are worth what would follow.

A game that is too large to be solved at once is cut after some rounds (Gilpin 2009, section 7.2). Where play would
go on, it ends, and is worth what follows if both players behave in a fixed way from there on:

* by a *roll-out*, nobody bets any more: the showdown is about what is in the pot, and the signals still to come
  are averaged over;
* by fixed *later behaviour*, both play on as a table says, which :mod:`equipoise.abstraction.self_play` fits to
  games that were played.

Either way the signals of later rounds are revealed at a leaf as after an all-in, so nothing else needs to know.
A strategy of the shorter game is one of the whole game together with the later behaviour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.chance import Deal
from equipoise.games.signals.chips import chips
from equipoise.games.signals.rounds import Floats, Indices, SignalRound, find_pairs
from equipoise.games.signals.stage_game import PUBLIC, StageGame
from equipoise.games.signals.views import views

Behaviour = Mapping[int, NDArray[np.floating]]
"""For decision nodes of the betting tree, the probability of each action (rows) in each view (columns).

One column alone stands for all views."""


@dataclass(frozen=True, eq=False)
class StageAbstraction:
    """A game, the same without its last rounds, and what is done in those.

    Attributes
    ----------
    whole, short
        The games.
    nodes
        Where each node of the short betting tree is in the whole one.
    later
        The behaviour at every decision node that the short tree lacks.
    """

    whole: StageGame
    short: StageGame
    nodes: NDArray[np.int64]
    later: Behaviour


def truncate(game: StageGame, rounds: int, later: Behaviour | None = None) -> StageAbstraction:
    """Return ``game`` cut after ``rounds`` rounds, by a roll-out unless ``later`` behaviour is given."""
    tree = game.tree
    if not 1 <= rounds < tree.rounds:
        raise EquipoiseError(
            f"{game.name}: stages: found {rounds}, expected 1 to {tree.rounds - 1} of the "
            f"{tree.rounds} rounds."
        )
    if game.players != 2:
        raise EquipoiseError(f"{game.name}: stages: found {game.players} players, expected two.")
    acts = tree.player != TERMINAL
    beyond = acts & (tree.round >= rounds)
    above = np.where(tree.parent < 0, False, beyond[tree.parent])
    cuts = np.flatnonzero(beyond & ~above).tolist()
    nodes = np.flatnonzero(~above)
    missing = np.flatnonzero(beyond).tolist()
    after: Behaviour = _ChecksAndCalls(game, missing) if later is None else later
    if later is not None:
        _require_behaviour(game, missing, later)
        after = {node: later[node] for node in missing}
    columns = _Columns(tree, nodes)
    outcomes = dict(game.outcomes)
    for cut in cuts:
        if later is None:
            columns.end_as(cut, _passive_leaf(tree, cut), game.rounds - 1)
        else:
            kind = f"after {tree.histories[cut]}"
            outcomes[kind] = Continuation(game, cut, after)
            columns.end_in(cut, kind, game.rounds - 1)
    short = replace(game, tree=columns.tree(), outcomes=outcomes)
    return StageAbstraction(game, short, nodes, after)


class _Columns:
    """A betting tree in the making: some nodes of another one, of which some become leaves."""

    def __init__(self, tree: BettingTree, nodes: NDArray[np.int64]) -> None:
        number: NDArray[np.int32] = np.full(len(tree.parent) + 1, -1, dtype=np.int32)
        number[nodes] = np.arange(len(nodes))
        self._number, self._whole, self._nodes = number, tree, nodes
        self._kinds = list(tree.kinds)
        self._arrays = {
            name: getattr(tree, name)[nodes].copy()
            for name in ("round", "player", "base", "scale", "kind")
        }

    def end_as(self, node: int, leaf: int, turn: int) -> None:
        """Let the game end at ``node`` as it does at ``leaf``, in round ``turn`` if signals decide."""
        tree, place = self._whole, self._number[node]
        decided = tree.kind[leaf] != NO_OUTCOME
        self._set(place, turn if decided else int(tree.round[node]), int(tree.kind[leaf]))
        self._arrays["base"][place], self._arrays["scale"][place] = (
            tree.base[leaf],
            tree.scale[leaf],
        )

    def end_in(self, node: int, kind: str, turn: int) -> None:
        """Let the game end at ``node`` with an outcome of a new kind, at scale one."""
        place = self._number[node]
        self._kinds.append(kind)
        self._set(place, turn, len(self._kinds) - 1)
        self._arrays["base"][place], self._arrays["scale"][place] = 0.0, 1.0

    def _set(self, place: int, turn: int, kind: int) -> None:
        for name, value in (("round", turn), ("player", TERMINAL), ("kind", kind)):
            self._arrays[name][place] = value

    def tree(self) -> BettingTree:
        """Return the tree; kinds that nothing ends in any more are dropped."""
        used = sorted(set(self._arrays["kind"].tolist()) - {NO_OUTCOME})
        again = np.full(len(self._kinds) + 1, NO_OUTCOME, dtype=np.int32)
        again[used] = np.arange(len(used))
        self._arrays["kind"] = again[self._arrays["kind"]]
        return BettingTree(
            players=self._whole.players,
            parent=self._number[self._whole.parent[self._nodes]],
            action=tuple(self._whole.action[node] for node in self._nodes),
            kinds=tuple(self._kinds[k] for k in used),
            **self._arrays,
        )


def _passive_leaf(tree: BettingTree, node: int) -> int:
    """Return the leaf that checking and calling leads to."""
    passive = chips(tree).passive
    while tree.player[node] != TERMINAL:
        node = int(passive[node])
    return node


class _ChecksAndCalls(Mapping[int, NDArray[np.floating]]):
    """The behaviour of a roll-out: check, or call. One column stands for all views."""

    def __init__(self, game: StageGame, nodes: Sequence[int]) -> None:
        self._game, self._nodes = game, nodes

    def __getitem__(self, node: int) -> NDArray[np.floating]:
        tree = self._game.tree
        passive = chips(tree).passive[node]
        return np.array([[float(child == passive)] for child in tree.children(node)])

    def __iter__(self) -> Iterator[int]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


def _require_behaviour(game: StageGame, nodes: Sequence[int], later: Behaviour) -> None:
    """Raise unless ``later`` says what to do at all of ``nodes``."""
    tree, named = game.tree, views(game)
    for node in nodes:
        width = named.count(int(tree.round[node]), int(tree.player[node]))
        shape = (len(tree.children(node)), width)
        found = None if node not in later else later[node].shape
        if found != shape:
            raise EquipoiseError(
                f"{game.name}: later behaviour after '{tree.histories[node]}': found "
                f"{'none' if found is None else f'an array of shape {found}'}, expected {shape[0]} "
                f"actions by {shape[1]} views."
            )


@dataclass(frozen=True, eq=False)
class Continuation:
    """What follows ``node`` when both players behave as ``later`` says: an outcome by views."""

    whole: StageGame
    node: int
    later: Behaviour

    def over(self, rounds: Sequence[SignalRound]) -> Floats:
        """Return what player 1 expects in each deal of the last round."""
        seen = lineages(rounds)
        worth: Floats = np.zeros(len(rounds[-1].weight))
        tree = self.whole.tree

        def add(node: int, chance: Floats) -> None:
            turn, player = int(tree.round[node]), int(tree.player[node])
            if player != TERMINAL:
                block = self.later[node][:, seen[player][turn]]
                for row, child in zip(block, tree.children(node), strict=True):
                    add(child, chance * row)
                return
            payment = np.full(len(worth), tree.base[node, 0])
            if tree.kind[node] != NO_OUTCOME:
                deal = rounds[turn]
                value = deal.values[tree.kinds[tree.kind[node]]]
                if turn < len(rounds) - 1:
                    value = value[find_pairs(deal, seen[0][turn], seen[1][turn])]
                payment += tree.scale[node] * value
            worth[:] += chance * payment

        add(self.node, np.ones(len(worth)))
        return worth

    @cached_property
    def _worth(self) -> dict[tuple[int, int], float]:
        """The value of each pair of views of the last round."""
        rounds = views(self.whole).rounds
        first, second = (own.tolist() for own in rounds[-1].pairs)
        return dict(zip(zip(first, second, strict=True), self.over(rounds).tolist(), strict=True))

    def __call__(self, public: Deal, private: tuple[Deal, ...]) -> tuple[float, float]:
        """Return the expected payments after one deal."""
        shown, held = iter(public), tuple(map(iter, private))
        deal = tuple(next(shown if who == PUBLIC else held[who]) for who in self.whole.receivers)
        named, last = views(self.whole), self.whole.rounds - 1
        first, second = (
            named.number(last, self.whole.view(player, deal), player) for player in (0, 1)
        )
        value = self._worth[first, second]
        return value, -value


def lineages(rounds: Sequence[SignalRound]) -> tuple[list[Indices], list[Indices]]:
    """Return, for each player and round, her view in each deal of the last round."""
    found: tuple[list[Indices], list[Indices]] = ([], [])
    for player in (0, 1):
        view = rounds[-1].pairs[player]
        for turn in range(len(rounds) - 1, -1, -1):
            found[player].insert(0, view)
            view = rounds[turn].parents[player][view]
    return found
