"""Strategies that nobody solved for: always call, always raise, always fold, anything at random.

Poor players, and good tests. Those that look at no cards are strategies of a poker game of any size, with one
bucket a round, and what the best response wins from them is published for limit hold'em (Johanson et al. 2011).
Those at random show what a strategy of so many buckets costs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.abstraction.base import Abstraction
from equipoise.abstraction.bucket_table import BucketTable
from equipoise.cards.deck import Cards
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Indices
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Layout, Strategy

# What poker's actions are called, here and in OpenSpiel; sized bets (b3, r6) begin with one of the letters.
_PASSIVE = ("k", "c", "check", "call")
_AGGRESSIVE = ("r", "b", "raise", "bet")
_FOLD = ("f", "fold")

ALWAYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "always-call": (_PASSIVE,),
    "always-raise": (_AGGRESSIVE, _PASSIVE),
    "always-fold": (_FOLD, _PASSIVE),
}
"""Kinds of actions that each wants, most first.

Whoever always calls checks, too; whoever always raises takes the largest bet, and calls where no more is
allowed; whoever always folds checks where that costs nothing.
"""

SIMPLE = (*ALWAYS, "uniform")
"""The names of the strategies."""


def preferred(actions: Sequence[str], *wishes: Sequence[str]) -> str | None:
    """Return the action of the first kind that is open; of several sizes, the largest."""
    for names in wishes:
        found = [a for a in actions if a.lower() in names or _kind(a) in names]
        if found:
            return found[-1]
    return None


def simple_strategy(game: PokerGame, name: str) -> Strategy:
    """Return the strategy called ``name`` for both players of ``game``."""
    if name not in SIMPLE:
        raise EquipoiseError(f"strategy: found '{name}', expected one of {', '.join(SIMPLE)}.")
    blind = BucketTable(game, (1,) * game.rounds, (_nothing,) * game.rounds, method="blind")
    layout, tree = Layout.of(game.tree, blind.buckets), game.tree
    vectors = []
    for player in (0, 1):
        parts = [1.0]
        for node in np.flatnonzero(tree.player == player).tolist():
            parts += _choice(name, [tree.action[child] for child in tree.successors[node]])
        vectors.append(np.array(parts))
    fingerprint = f"{game_fingerprint(game)}/{blind.digest}"
    return Strategy(game.name, fingerprint, tuple(vectors), layout, game, blind)


def random_strategy(game: PokerGame, table: Abstraction, *, seed: int = 0) -> Strategy:
    """Return a strategy at random over buckets: near to pure ones in some, mixed in others."""
    layout = Layout.of(game.tree, table.buckets)
    random, vectors = np.random.default_rng(seed), []
    for player in (0, 1):
        parts = [np.ones(1)]
        for turn, actions in layout.nodes[player]:
            width = layout.buckets[turn][player]
            parts.append(random.dirichlet(np.full(actions, 0.5), width).T.reshape(-1))
        vectors.append(np.concatenate(parts))
    fingerprint = f"{game_fingerprint(game)}/{table.digest}"
    return Strategy(game.name, fingerprint, tuple(vectors), layout, game, table)


def _choice(name: str, actions: Sequence[str]) -> list[float]:
    """Return the probability of each of ``actions``."""
    if name == "uniform":
        return [1 / len(actions)] * len(actions)
    wanted = preferred(actions, *ALWAYS[name])
    if wanted is None:
        raise EquipoiseError(
            f"{name}: found the actions {', '.join(actions)}, expected those of poker (check, bet, fold, "
            "call, raise)."
        )
    return [float(action == wanted) for action in actions]


def _kind(action: str) -> str:
    """Return the letter of a sized bet: ``r`` for ``r6``."""
    return action[0] if action[1:].replace(".", "", 1).isdigit() else ""


def _nothing(hands: Cards) -> Indices:
    """Tell no hands apart."""
    return np.zeros(len(hands), dtype=np.uint32)
