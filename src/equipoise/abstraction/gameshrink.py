"""GameShrink: lossless abstraction of games with ordered signals (Gilpin 2009, chapter 5).

Two views are merged when no relation between views tells them apart. The methods differ in which
relations count and share the refinement of :mod:`equipoise.numerics.refinement`.

``sound`` (the default)
    Lineage and beliefs: the coarsest stable abstraction, lossless by the theorem in
    :mod:`equipoise.abstraction.lossless`.
``histogram``
    Lineage and the frequencies of outcomes (in poker: win, tie and loss counts). Isomorphism of
    children is an equivalence relation, so two nodes of a signal tree have a perfect matching
    between their children exactly when the multisets of (child class, edge weight) are equal.
    Hence this is what algorithms 1 and 2 compute on a player's signal tree, in near-linear instead
    of quadratic time. It gives the published 13/205/1774 buckets of Rhode Island Hold'em, and it is
    **not** lossless: ``docs/soundness.md`` has the counter-example.
``suits``
    No merging beyond the symmetries that views already have (renaming suits, in a card game).

The algorithms as printed, with bipartite matching and union-find, are in
:mod:`equipoise.abstraction.literal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from equipoise.abstraction.base import PLAYERS, Partition
from equipoise.abstraction.lossless import beliefs, kind, kind_sizes, lineage, marginal
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import SignalRound
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import signal_rounds
from equipoise.numerics.refinement import Relation, coarsest_stable, levels_of, number_classes

Method = Literal["sound", "histogram", "suits"]
METHODS: tuple[Method, ...] = get_args(Method)


def gameshrink(game: StageGame | Sequence[SignalRound], method: Method = "sound") -> Partition:
    """Return the abstraction of ``game`` by ``method`` (see the module).

    ``game`` is a two-player zero-sum game with signals, or what nature deals in one.
    """
    name, rounds = _signals(game)
    if method not in METHODS:
        raise EquipoiseError(
            f"GameShrink method: found '{method}', expected one of {', '.join(METHODS)}."
        )
    if method == "suits":
        return replace(Partition.identity(rounds, game=name), method=method)
    sizes, relations = kind_sizes(rounds), lineage(rounds)
    if method == "sound":
        relations += beliefs(rounds)
    else:
        _add_outcome_frequencies(rounds, sizes, relations)
    classes = coarsest_stable(sizes, relations)
    maps = [[classes[kind(r, i)] for i in PLAYERS] for r in range(len(rounds))]
    return Partition.of(rounds, maps, game=name, method=method)


def _signals(game: StageGame | Sequence[SignalRound]) -> tuple[str, Sequence[SignalRound]]:
    """Return the name and the signal rounds of ``game``, or refuse what has none."""
    if isinstance(game, StageGame):
        return game.name, signal_rounds(game)
    if isinstance(game, Sequence) and game and isinstance(game[0], SignalRound):
        return "", game
    raise EquipoiseError(
        f"GameShrink: found a {type(game).__name__}, expected a game with signals, whose actions "
        "are public (in other games, merging isomorphic subtrees can change the equilibrium)."
    )


def _add_outcome_frequencies(
    rounds: Sequence[SignalRound], sizes: list[int], relations: list[Relation]
) -> None:
    """Add relations that say how often each outcome follows a view, whoever holds what.

    The outcomes that occur are a kind of their own, in which no two are alike.
    """
    for r, signals in enumerate(rounds):
        for value in signals.values.values():
            outcome = number_classes(levels_of(value))
            atoms = np.arange(outcome.max() + 1)
            here, size = len(sizes), len(atoms)
            sizes.append(size)
            relations.append(Relation.of((here, here), (size, size), atoms, atoms, atoms + 1.0))
            for i in PLAYERS:
                odds = signals.weight / marginal(signals, i)[signals.pairs[i]]
                shape = signals.views[i], size
                ends = kind(r, i), here
                relations.append(Relation.of(ends, shape, signals.pairs[i], outcome, odds))
