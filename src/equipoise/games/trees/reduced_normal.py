"""The reduced normal form of a tree.

A reduced pure strategy chooses an action at every information set that the player's own earlier
choices do not rule out. Their number grows exponentially with the tree, so it is counted first. A
player who forgets chooses alike wherever she cannot tell where she is: her strategies are those of
the perfect-recall refinement (:mod:`equipoise.games.trees.recall`) that do so.
Payoffs are computed exactly: each terminal node adds its payoffs, times nature's probability, to all
profiles that lead to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.games.trees.recall import refined_sets, with_recall

MOST_CELLS = 1_000_000
_MANY = 10**18
_MOST_ENTRIES = 200_000_000
_MOST_PLAYERS = 30


def reduced_normal_form(game: ExtensiveGame, most_cells: int = MOST_CELLS) -> NormalGame:
    """Return the reduced normal form of ``game``, refused above ``most_cells`` profiles."""
    players = range(len(game.players))
    recalled = with_recall(game)
    _check_size(recalled, [count_plans(recalled, player) for player in players], most_cells)
    origin = refined_sets(game)[0] if recalled is not game else np.arange(game.infosets)
    choices, plans = zip(*(_plans(game, recalled, origin, i) for i in players), strict=True)
    return NormalGame(
        name=game.name,
        players=game.players,
        actions=tuple(_labels(game, player, choices[player]) for player in players),
        payoff=_payoff(recalled, plans),
    )


def _own_sets(game: ExtensiveGame, player: int) -> list[tuple[int, int, int]]:
    """Return (parent sequence, first sequence, actions) of the player's sets, parents first."""
    own = np.flatnonzero(game.infoset_player == player)
    columns = (game.parent_sequence[own], game.first_sequence[own], game.action_count[own])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def count_plans(game: ExtensiveGame, player: int) -> int:
    """Return how many reduced pure strategies ``player`` has; beyond 10^18 it stays there.

    An information set has as many plans as its actions have together; those after one sequence
    multiply.
    """
    below = [1] * game.sequences(player)
    for parent, first, actions in reversed(_own_sets(game, player)):
        here = min(sum(below[first : first + actions]), _MANY)
        below[parent] = min(below[parent] * here, _MANY)
    return below[0]


def _check_size(game: ExtensiveGame, counts: list[int], most_cells: int) -> None:
    """Raise, with the size, if the table or one player's list of strategies would be too large."""
    if len(counts) > _MOST_PLAYERS:
        raise EquipoiseError(
            f"{game.name}: found {len(counts)} players, expected at most {_MOST_PLAYERS} for a "
            "normal form."
        )
    cells = math.prod(counts)
    if cells > most_cells:
        shape = " x ".join(f"{n:,}" if n < _MANY else "over 10^18" for n in counts)
        size = f"{cells:,}" if cells < _MANY else "over 10^18"
        raise EquipoiseError(
            f"{game.name}: its reduced normal form has {shape} = {size} cells, expected at most "
            f"{most_cells:,}."
        )
    for player, count in enumerate(counts):
        if count * game.sequences(player) > _MOST_ENTRIES:
            raise EquipoiseError(
                f"{game.name}: player {player + 1} has {count:,} reduced strategies of "
                f"{game.sequences(player):,} sequences each, expected a smaller tree."
            )


def _plans(
    game: ExtensiveGame, recalled: ExtensiveGame, origin: NDArray[Any], player: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the player's reduced pure strategies, one a row.

    First the action at each of her sets (-1 where she never gets), then which sequences of the
    refinement are played; ``origin`` says which set each set of the refinement is part of.
    """
    sets = np.flatnonzero(game.infoset_player == player)
    column = np.zeros(game.infosets, dtype=np.intp)
    column[sets] = np.arange(len(sets))
    of = column[origin[recalled.infoset_player == player]]
    choices = np.full((1, len(sets)), -1, dtype=np.int32)
    plans = np.zeros((1, recalled.sequences(player)), dtype=np.bool_)
    plans[0, 0] = True
    for (parent, first, actions), own in zip(_own_sets(recalled, player), of, strict=True):
        reached = plans[:, parent]
        is_open = reached & (choices[:, own] < 0)
        copies = np.where(is_open, actions, 1)
        start = np.cumsum(copies) - copies
        plans, choices = np.repeat(plans, copies, axis=0), np.repeat(choices, copies, axis=0)
        rows = np.flatnonzero(np.repeat(is_open, copies))
        choices[rows, own] = rows - np.repeat(start, copies)[rows]
        rows = np.flatnonzero(np.repeat(reached, copies))
        plans[rows, first + choices[rows, own]] = True
    return choices, plans


def _labels(game: ExtensiveGame, player: int, choices: NDArray[Any]) -> tuple[str, ...]:
    """Name each strategy by its actions in the order of the sets, ``-`` where it never gets."""
    sets = np.flatnonzero(game.infoset_player == player).tolist()
    columns = [
        [actions[place] if place >= 0 else "-" for place in chosen]
        for actions, chosen in zip(
            (game.infoset_actions[k] for k in sets), choices.T.tolist(), strict=True
        )
    ]
    return tuple("/".join(name) for name in zip(*columns, strict=True)) if columns else ("-",)


def _payoff(game: ExtensiveGame, plans: Sequence[NDArray[np.bool_]]) -> NDArray[Any]:
    """Return the payoff array of the normal form, exactly, as whole numbers over one denominator."""
    players = len(game.players)
    entries = _entries(game)
    common = math.lcm(*(value.denominator for values in entries.values() for value in values))
    scaled = {key: [int(value * common) for value in values] for key, values in entries.items()}
    bound = sum(max(map(abs, values)) for values in scaled.values())
    dtype = np.int64 if bound < 2**62 else object
    table = np.zeros((players, *(len(plan) for plan in plans)), dtype=dtype)
    leading = [[np.flatnonzero(column) for column in plan.T] for plan in plans]
    for key, values in scaled.items():
        profiles = np.ix_(*(leading[player][s] for player, s in enumerate(key)))
        for player, value in enumerate(values):
            table[player][profiles] += value
    exact = np.empty(table.shape, dtype=object)
    # Distinct values are few: one rational object serves all of its cells.
    known = {value: Fraction(value, common) for value in np.unique(table).tolist()}
    exact.reshape(-1)[:] = [known[value] for value in table.reshape(-1).tolist()]
    return np.moveaxis(exact, 0, -1).copy()


def _entries(game: ExtensiveGame) -> dict[tuple[int, ...], list[Fraction]]:
    """Return payoffs times nature's probability, summed over terminal nodes with equal sequences."""
    reach = _exact_reach(game)
    entries: dict[tuple[int, ...], list[Fraction]] = {}
    rows = game.payoff[game.outcome[game.terminals]].tolist()
    keys = game.last_sequence[:, game.terminals].T.tolist()
    for node, key, row in zip(game.terminals.tolist(), keys, rows, strict=True):
        total = entries.setdefault(tuple(key), [Fraction(0)] * len(game.players))
        for player, place in enumerate(row):
            total[player] += reach[node] * game.numbers[place]
    return entries


def _exact_reach(game: ExtensiveGame) -> list[Fraction]:
    """Return the product of nature's probabilities on the way to each node."""
    reach: list[Fraction] = []
    for parent, place in zip(game.parent.tolist(), game.probability.tolist(), strict=True):
        above = reach[parent] if parent >= 0 else Fraction(1)
        # Place 0 of the table is the number 1: most edges are not nature's.
        reach.append(above * game.numbers[place] if place else above)
    return reach
