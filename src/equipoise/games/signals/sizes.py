"""Exact sizes of a game with signals, computed from its factors and never by walking its tree.

What the published numbers of Rhode Island hold'em (Gilpin 2009, sections 5.2.1 and 10.2) count:

* *sequences* of a player: the empty one, and one for every action at every decision node and view
  (883,741 with 13, 205 and 1,774 buckets);
* *rows* of the linear program max { f·q : A'x >= F'q, Ex = e, x >= 0 }: one for every information
  set of player 1, one more for the empty sequence, and one for every sequence of player 2; its
  *columns* are the same with the players exchanged (91,224,226 each without abstraction, views being
  all hands with suits told apart; 1,237,238 with those buckets);
* *nonzeros*: those of A, where a leaf of the betting tree has one entry for every pair of buckets
  (those in which the players acted last) that can meet and whose expected payment there is not zero
  (ties cancel), and those of E and F, one for every sequence and one for every information set
  (50,428,638 with those buckets);
* *nodes* of the game tree: one chance node before each single signal, and one node for every
  history and deal, as OpenSpiel counts (9,457 for Leduc poker). Rhode Island hold'em has
  6,705,372,545; the thesis says "exceeding 3.1 billion" without saying how it counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.rounds import SignalRound
from equipoise.games.signals.stage_game import StageGame, signal_tree_nodes
from equipoise.games.signals.views import signal_rounds

_TIE = 1e-10  # payments this small, relative to what is at stake, are rounding errors of a tie


@dataclass(frozen=True)
class Sizes:
    """Sizes of a game. Tuples have one entry a player, ``views`` one row a player.

    ``rows``, ``columns`` and ``nonzeros`` are of the sequence-form linear program; they are ``None``
    unless there are two players, ``nonzeros`` also where the deals are too many to compare.
    """

    nodes: int
    signal_tree_nodes: int
    views: tuple[tuple[int, ...], ...]
    infosets: tuple[int, ...]
    sequences: tuple[int, ...]
    rows: int | None
    columns: int | None
    payoff_nonzeros: int | None
    nonzeros: int | None


def sizes(
    game: StageGame,
    rounds: Sequence[SignalRound] | None = None,
    buckets: Sequence[int] | None = None,
) -> Sizes:
    """Return the sizes of ``game``: unabstracted, or with the views (buckets) of ``rounds``.

    Given only the number of ``buckets`` of each round in which players act, the same for every player, all
    but the nonzeros are known. ``nodes`` and ``signal_tree_nodes`` are always those of the unabstracted game.
    """
    tree = game.tree
    if buckets is not None:
        _require_buckets(game, buckets)
        views = (tuple(buckets),) * game.players
    elif rounds is None:
        views = tuple(
            tuple(game.view_count(player, turn) for turn in range(game.rounds))
            for player in range(game.players)
        )
    else:
        if len(rounds) != game.rounds:
            raise EquipoiseError(
                f"{game.name}: sizes: found {len(rounds)} rounds of signals, expected {game.rounds}."
            )
        views = tuple(tuple(deal.views[player] for deal in rounds) for player in range(2))
    infosets, sequences = sequence_counts(tree, views)
    rows = columns = entries = nonzeros = None
    if game.players == 2:
        rows, columns = program_size(infosets, sequences)
        if rounds is not None:
            entries = payoff_nonzeros(tree, rounds)
        elif buckets is None:
            entries = _raw_nonzeros(game)
        nonzeros = None if entries is None else entries + sum(infosets) + sum(sequences)
    return Sizes(
        nodes=tree_nodes(game),
        signal_tree_nodes=signal_tree_nodes(game),
        views=views,
        infosets=infosets,
        sequences=sequences,
        rows=rows,
        columns=columns,
        payoff_nonzeros=entries,
        nonzeros=nonzeros,
    )


def _require_buckets(game: StageGame, buckets: Sequence[int]) -> None:
    """Raise unless each round in which players act may have so many buckets."""
    rounds = acting_rounds(game.tree)
    if len(buckets) != rounds or min(buckets) < 1:
        raise EquipoiseError(
            f"{game.name}: buckets: found {'-'.join(map(str, buckets))}, expected a positive number "
            f"for each of {rounds} rounds."
        )
    for turn, count in enumerate(buckets):
        most = min(game.view_count(player, turn) for player in range(game.players))
        if count > most:
            raise EquipoiseError(
                f"{game.name}: buckets: found {count} in round {turn + 1}, expected no more than its "
                f"{most} hands."
            )


def acting_rounds(tree: BettingTree) -> int:
    """Return the number of rounds up to the last in which somebody acts."""
    return int(tree.round[tree.player != TERMINAL].max(initial=-1)) + 1


@dataclass(frozen=True)
class BettingSizes:
    """Sizes of a betting tree: decision nodes, leaves, and the histories that begin each round."""

    decisions: int
    leaves: int
    round_starts: tuple[int, ...]


def betting_sizes(tree: BettingTree) -> BettingSizes:
    """Return the sizes of what players do; a history that is over begins no round."""
    acts = tree.player != TERMINAL
    before = np.where(tree.parent < 0, -1, tree.round[tree.parent])
    starts = np.bincount(tree.round[acts & (tree.round > before)])
    return BettingSizes(int(acts.sum()), int((~acts).sum()), tuple(starts.tolist()))


def program_size(infosets: Sequence[int], sequences: Sequence[int]) -> tuple[int, int]:
    """Return rows and columns of max { f·q : A'x >= F'q, Ex = e, x >= 0 } (see the module)."""
    return sequences[1] + infosets[0] + 1, sequences[0] + infosets[1] + 1


def sequence_counts(
    tree: BettingTree, views: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return each player's information sets and sequences, given her views in each round."""
    infosets = [0] * tree.players
    sequences = [1] * tree.players
    for node, player in enumerate(tree.player.tolist()):
        if player != TERMINAL:
            count = views[player][int(tree.round[node])]
            infosets[player] += count
            sequences[player] += count * len(tree.successors[node])
    return tuple(infosets), tuple(sequences)


def tree_nodes(game: StageGame) -> int:
    """Count the nodes of the explicit tree, chance nodes included."""
    tree = game.tree
    # Signals out before each round; a chance node reveals the next one.
    started = (0, *game.revealed)
    prefixes = [game.chance.prefixes(length) for length in range(game.revealed[-1] + 1)]
    total = 0
    for node, turn in enumerate(tree.round.tolist()):
        before = int(tree.round[tree.parent[node]]) if node else -1
        total += sum(prefixes[started[before + 1] : started[turn + 1]])
        total += prefixes[started[turn + 1]]
    return total


def payoff_nonzeros(tree: BettingTree, rounds: Sequence[SignalRound]) -> int:
    """Count the nonzeros of the payoff matrix A over the views of ``rounds``."""

    def count(leaf: _Leaf) -> int:
        return int(_pays(tree, rounds, leaf).sum())

    return _over_leaves(tree, count)


def limit_nonzeros(tree: BettingTree, pairs: Sequence[int], decided: Sequence[int]) -> int:
    """Count the nonzeros of A in limit poker from numbers of bucket pairs alone.

    In round ``j``, ``pairs[j]`` pairs of buckets can meet: each is an entry of every fold. At a
    showdown only the ``decided[j]`` pairs count whose expected outcome is not a tie.
    """

    def count(leaf: _Leaf) -> int:
        return pairs[leaf.round] if leaf.kind == NO_OUTCOME else decided[leaf.round]

    return _over_leaves(tree, count)


def _raw_nonzeros(game: StageGame) -> int | None:
    """Count the nonzeros of the unabstracted A, or return ``None`` if its deals cannot be listed.

    In poker symmetric views do, except for all-ins: all deals are equally likely, so a pair of
    classes stands for a share of all pairs of hands that is its probability, and in the round of the
    showdown it settles who wins. Before that round it does not: suits shared between hands matter.
    """
    has_all_in = any(leaf.is_early and leaf.kind != NO_OUTCOME for leaf in _leaves(game.tree))
    try:
        rounds = signal_rounds(game, symmetry=not has_all_in)
    except EquipoiseError:
        return None
    if not isinstance(game, PokerGame) or has_all_in:
        return payoff_nonzeros(game.tree, rounds)

    def count(leaf: _Leaf) -> int:
        if leaf.kind == NO_OUTCOME:
            return _hands(game, leaf.acted) if leaf.base else 0
        deal = rounds[leaf.round]
        share = deal.weight[_pays(game.tree, rounds, leaf)].sum()
        return round(float(share) * game.pair_count(leaf.round))

    return _over_leaves(game.tree, count)


def _hands(game: PokerGame, acted: tuple[int, int]) -> int:
    """Count the pairs of hands in which two players can have acted last, in these rounds."""
    acting = [(player, turn) for player, turn in enumerate(acted) if turn >= 0]
    if len(acting) == 2:
        return game.pair_count(max(acted))
    return game.view_count(*acting[0]) if acting else 1


class _Leaf(NamedTuple):
    """What leaves that pay alike have in common; ``acted`` are the rounds of the last actions."""

    round: int
    acted: tuple[int, int]
    base: float
    scale: float
    kind: int

    @property
    def is_early(self) -> bool:
        """Whether some player has seen less than what is out at the end."""
        return min(self.acted) < self.round


def _leaves(tree: BettingTree) -> Counter[_Leaf]:
    """Count the leaves that pay alike."""
    return Counter(
        _Leaf(
            int(tree.round[v]),
            (int(tree.acted[v, 0]), int(tree.acted[v, 1])),
            float(tree.base[v, 0]),
            float(tree.scale[v]),
            int(tree.kind[v]),
        )
        for v in np.flatnonzero(tree.player == TERMINAL)
    )


def _over_leaves(tree: BettingTree, count: Callable[[_Leaf], int]) -> int:
    """Sum ``count`` over the leaves, asking once for leaves that pay the same."""
    return sum(times * count(leaf) for leaf, times in _leaves(tree).items())


def _pays(tree: BettingTree, rounds: Sequence[SignalRound], leaf: _Leaf) -> NDArray[np.bool_]:
    """Say for each pair of views whether the expected payment of such a leaf is not zero.

    The views are those in which the players acted last; where that is the round of the leaf, the
    pairs are in the order of the round's deals.
    """
    deal, at_stake = rounds[leaf.round], abs(leaf.base) + abs(leaf.scale)
    payment: NDArray[np.float64] = np.full(len(deal.weight), leaf.base)
    if leaf.kind != NO_OUTCOME:
        payment += leaf.scale * deal.values[tree.kinds[leaf.kind]]
    if not leaf.is_early:
        return np.abs(payment) > _TIE * at_stake
    first, second = (_views_in(rounds, player, leaf.round, leaf.acted[player]) for player in (0, 1))
    _, pair = np.unique(first * (second.max() + 1) + second, return_inverse=True)
    total = np.bincount(pair, deal.weight * payment)
    return np.abs(total) > _TIE * at_stake * np.bincount(pair, deal.weight)


def _views_in(
    rounds: Sequence[SignalRound], player: int, turn: int, before: int
) -> NDArray[np.int64]:
    """Return, for each deal of round ``turn``, the player's view in round ``before`` (-1: nothing)."""
    view = rounds[turn].pairs[player]
    for later in range(turn, before, -1):
        view = rounds[later].parents[player][view]
    return view.astype(np.int64)
