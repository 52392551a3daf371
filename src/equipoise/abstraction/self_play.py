"""Later behaviour fitted to games that were played (Gilpin 2009, section 7.2 and Figures 7.1 to 7.3).

How often each action is taken is counted by the *value* of the player's hand and by where the betting of the round
stands, and by nothing else: not by what was done in earlier rounds. The value of a hand is

    v = 990 (w - l + d / 2),    w, l, d the probabilities that it wins, loses and draws against a hand that is

drawn by chance: with 990 hands that an opponent may hold on the river, the formula of the thesis. (A hand that
always draws is worth 495 by it, not 0.) Values are rounded to the nearest multiple of 25, and the frequencies
of each bin are replaced by the mean of its own and its neighbours'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import add_up
from equipoise.abstraction.stages import Behaviour, lineages
from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import SHOWDOWN, TERMINAL, BettingTree
from equipoise.games.signals.rounds import Floats, SignalRound
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds

_HANDS = 990
WIDTH = 25
"""Hand values are rounded to multiples of this."""
_BINS = 2 * round(_HANDS / WIDTH) + 1

Point = tuple[int, int, tuple[int, ...], int]
"""A place in the betting of a round: the round, the player, her and the others' choices so far, her actions."""


@dataclass(frozen=True, eq=False)
class Habits:
    """How often actions were taken, by place in a round's betting and by bin of the hand's value.

    Attributes
    ----------
    values
        The middle of each bin.
    counts
        For each point, games by bin (rows) and action (columns).
    labels
        For each point, its actions, and the history of the round up to it.
    games
        How many games were played; infinite for exact frequencies.
    """

    values: Floats
    counts: dict[Point, Floats]
    labels: dict[Point, tuple[tuple[str, ...], str]]
    games: float
    _fitted: dict[Point, Floats] = field(default_factory=dict)

    def frequencies(self, point: Point) -> Floats:
        """Return smoothed frequencies: bins by actions. Bins without games are as the nearest with some."""
        if point not in self._fitted:
            self._fitted[point] = _smoothed(self.counts[point])
        return self._fitted[point]


def self_play(
    game: StageGame,
    behaviour: Behaviour,
    rounds: int,
    *,
    games: int | None = None,
    seed: int = 0,
) -> Habits:
    """Return the habits, after the first ``rounds`` rounds, of players who play ``behaviour``.

    ``games`` are drawn with ``seed``; without a number of them the frequencies are exact, those of infinitely
    many.
    """
    if games is not None and games < 1:
        raise EquipoiseError(f"{game.name}: self-play: found {games} games, expected at least 1.")
    signals = signal_rounds(game)
    values = [
        [hand_values(signals, turn, player) for turn in range(game.rounds)] for player in (0, 1)
    ]
    middles: Floats = WIDTH * (np.arange(_BINS) - _BINS // 2).astype(np.float64)
    habits = Habits(middles, {}, {}, np.inf if games is None else games)
    random = None if games is None else np.random.default_rng(seed)
    dealt = signals[-1].weight
    if random is not None and games is not None:
        dealt = random.multinomial(games, dealt / dealt.sum()).astype(np.float64)
    seen, tree = lineages(signals), game.tree
    chosen = points(tree)

    def play(node: int, weight: Floats) -> None:
        turn, player = int(tree.round[node]), int(tree.player[node])
        if player == TERMINAL or not weight.any():
            return
        view = seen[player][turn]
        parts = _split(weight, behaviour[node][:, view], random)
        point = chosen[node]
        if turn >= rounds and point is not None:
            place = _bin(values[player][turn])[view]
            counts = habits.counts.setdefault(point, np.zeros((_BINS, len(parts))))
            counts += np.stack([add_up(place, part, _BINS) for part in parts], axis=1)
            habits.labels.setdefault(point, _label(tree, node))
        for part, child in zip(parts, tree.children(node), strict=True):
            play(child, part)

    play(0, dealt)
    return habits


def follow(game: StageGame, habits: Habits, rounds: int) -> Behaviour:
    """Return the behaviour of players with these ``habits`` after the first ``rounds`` rounds.

    Where play never came to, actions are equally likely.
    """
    signals, tree = signal_rounds(game), game.tree
    chosen = points(tree)
    found: dict[int, NDArray[np.floating]] = {}
    for node in np.flatnonzero((tree.player != TERMINAL) & (tree.round >= rounds)).tolist():
        turn, player = int(tree.round[node]), int(tree.player[node])
        worth = hand_values(signals, turn, player)
        actions, point = len(tree.children(node)), chosen[node]
        if point in habits.counts:
            table = habits.frequencies(point)
            found[node] = table[_bin(worth)].T
        else:
            found[node] = np.full((actions, len(worth)), 1 / actions)
    return found


def hand_values(rounds: Sequence[SignalRound], turn: int, player: int) -> Floats:
    """Return the value of each view of a round, over all that may still be revealed."""
    last = rounds[-1]
    if SHOWDOWN not in last.values:
        raise EquipoiseError("hand values: found no showdown in the last round, expected poker.")
    won = last.values[SHOWDOWN] * (1 if player == 0 else -1)
    each = last.weight * (won + (won == 0) / 2)
    view = last.pairs[player]
    for later in range(len(rounds) - 1, turn, -1):
        view = rounds[later].parents[player][view]
    size = rounds[turn].views[player]
    # Views that no deal has (none in poker) are worth nothing.
    chance = add_up(view, last.weight, size)
    return _HANDS * add_up(view, each, size) / np.where(chance > 0, chance, 1.0)


def points(tree: BettingTree) -> list[Point | None]:
    """Return where in its round's betting each decision node is."""
    found: list[Point | None] = []
    path: list[tuple[int, ...]] = []
    for node, parent in enumerate(tree.parent.tolist()):
        is_first = parent < 0 or tree.round[node] > tree.round[parent]
        path.append(() if is_first else (*path[parent], tree.successors[parent].index(node)))
        key = (
            int(tree.round[node]),
            int(tree.player[node]),
            path[node],
            len(tree.successors[node]),
        )
        found.append(None if tree.player[node] == TERMINAL else key)
    return found


def _bin(values: Floats) -> NDArray[np.int64]:
    """Return the bin of each hand value: the nearest multiple of the width."""
    return np.floor(values / WIDTH + 0.5).astype(np.int64) + _BINS // 2


def _label(tree: BettingTree, node: int) -> tuple[tuple[str, ...], str]:
    """Return the actions at ``node``, and the history of its round as text."""
    actions = tuple(tree.action[child] for child in tree.children(node))
    return actions, tree.histories[node].rpartition("/")[2]


def _split(
    weight: Floats, behaviour: NDArray[np.floating], random: np.random.Generator | None
) -> list[Floats]:
    """Divide the games of each deal among the actions: exactly, or by chance."""
    if random is None:
        return [weight * row for row in behaviour]
    parts, left = [], weight.astype(np.int64)
    rest = np.ones(len(weight))
    for row in behaviour[:-1]:
        share = np.clip(row / np.where(rest > 0, rest, 1.0), 0.0, 1.0)
        taken = random.binomial(left, share)
        parts.append(taken.astype(np.float64))
        left, rest = left - taken, rest - row
    return [*parts, left.astype(np.float64)]


def _smoothed(counts: Floats) -> Floats:
    """Return the frequencies of each bin, averaged with those of its neighbours."""
    played = np.flatnonzero(counts.sum(axis=1) > 0)
    every = np.arange(len(counts))
    nearest = played[np.abs(every[:, None] - played[None, :]).argmin(axis=1)]
    frequency = counts[nearest] / counts[nearest].sum(axis=1, keepdims=True)
    padded = np.concatenate([frequency[:1], frequency, frequency[-1:]])
    smooth: Floats = (padded[:-2] + padded[1:-1] + padded[2:]) / 3
    # An end has one neighbour alone.
    smooth[0], smooth[-1] = frequency[:2].mean(axis=0), frequency[-2:].mean(axis=0)
    return smooth
