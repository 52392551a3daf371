"""Where the decisions of a game with signals are in its sequence form, and what cards are held there.

Solvers see sequences and no cards. What a rule of thumb of poker needs to know comes to it from here, as arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.views import views
from equipoise.sequence.build import SequenceForm

Numbers = NDArray[np.int64]


class FormDecision(NamedTuple):
    """A decision point of a player: what was played in its round before it, and the sequences it ends in.

    ``node`` is its number in the betting tree; ``numbers[a, k]`` is the sequence of action ``actions[a]`` with bucket ``k``; ``is_first`` says that the
    player has not acted in the game before.
    """

    node: int
    round: int
    path: tuple[str, ...]
    actions: tuple[str, ...]
    numbers: Numbers
    is_first: bool


class Ranks(NamedTuple):
    """Ranks of cards for each bucket of a round, 0 the lowest: the best own card, and the best one on the board.

    Where a bucket holds several hands, their mean; without a board, -1.
    """

    own: NDArray[np.float64]
    board: NDArray[np.float64]


def decisions(form: SequenceForm, player: int) -> list[FormDecision]:
    """Return the decisions of ``player`` in the betting tree's preorder."""
    tree = form.tree
    if tree is None or form.canonical is None:
        raise EquipoiseError(
            f"{form.name}: found no betting rounds, expected a game with signals, such as a TOML file with "
            "a [[round]]; a game tree does not tell them."
        )
    order = form.canonical(player).astype(np.int64)
    found, begin = [], 1
    for node in np.flatnonzero(tree.player == player).tolist():
        turn, after = int(tree.round[node]), tree.children(node)
        buckets = form.buckets[turn][player]
        end = begin + len(after) * buckets
        path, above = [], node
        while tree.parent[above] >= 0 and tree.round[tree.parent[above]] == turn:
            path.append(tree.action[above])
            above = int(tree.parent[above])
        found.append(
            FormDecision(
                node,
                turn,
                tuple(reversed(path)),
                tuple(tree.action[child] for child in after),
                order[begin:end].reshape(len(after), buckets),
                bool(tree.acted[node, player] < 0),
            )
        )
        begin = end
    return found


def ranks(form: SequenceForm, player: int) -> list[Ranks]:
    """Return the ranks of what ``player`` sees in every round of a poker game."""
    game = form.game
    known = views(game) if isinstance(game, PokerGame) else None
    if not isinstance(game, PokerGame) or not isinstance(known, CanonicalViews):
        raise EquipoiseError(
            f"{form.name}: found no cards, expected a poker game of two players, such as a TOML file with "
            "a [deck]; a game tree does not tell them."
        )
    rounds = []
    for turn, buckets in enumerate(form.buckets):
        every = np.arange(known.count(turn))
        rank = game.deck.rank_of(known.hands(turn, every))
        own = rank[:, : game.hole].max(axis=1)
        board = rank[:, game.hole :].max(axis=1, initial=-1)
        place = every if form.abstraction is None else form.abstraction.bucket(turn, every, player)
        held = np.bincount(place, minlength=buckets[player])
        sums = (np.bincount(place, values, buckets[player]) for values in (own, board))
        rounds.append(Ranks(*(total / held for total in sums)))
    return rounds
