"""Many plays at once: two agents whose distributions are known, a batch of hands as arrays.

Every hand is a row. Nature's cards of all hands are drawn and numbered together; then all hands take one
step down the betting tree (or game tree) at a time, each by its own uniform number. Nothing is as large as
the game: an agent's vector is read at the places that the hands come to.

The same numbers deal the same cards and choose the same actions as in
:class:`equipoise.play.episode.Episode`, which is the slow road that this one is tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.canonical import CanonicalViews
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import CHANCE, ExtensiveGame
from equipoise.play.agents import Agent, Mixed, StrategyPlayer, fallback
from equipoise.play.observation import Observation
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.table import require_strategy
from equipoise.strategy.views import require_buckets, view_layout

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Game = ExtensiveGame | StageGame


@dataclass(frozen=True, eq=False)
class Behaviour:
    """An agent as arrays: action ``a`` at node ``v`` has probability ``vector[begin[v] + a * stride[v] + k]``.

    Attributes
    ----------
    vectors
        One a player: the agent's part in each seat.
    begin, stride
        Where a node's numbers begin in the vector of the player who acts there, and how far its actions
        are apart.
    column
        In a game with signals, the place k of each hand (rows: hole cards, then board) of a player in a round;
        without it the agent does not look at its signals, and k is 0.
    """

    vectors: tuple[NDArray[Any], ...]
    begin: Ints
    stride: Ints
    column: Callable[[int, int, NDArray[np.uint8]], Ints] | None = None


class Plays(NamedTuple):
    """What came of a batch.

    The last node of each hand, what player 1 was paid, the deal (of poker), and how often each player's
    strategy said nothing.
    """

    leaves: Ints
    payoffs: Floats
    cards: NDArray[np.uint8]
    missing: tuple[int, ...]

    def states(self, game: Game) -> Iterator[Any]:
        """Yield the last state of every hand, as an episode has it: signals that came out, and a node."""
        if not isinstance(game, StageGame):
            yield from self.leaves.tolist()
            return
        for leaf, cards in zip(self.leaves.tolist(), self.cards.tolist(), strict=True):
            yield tuple(cards[: game.revealed[game.tree.round[leaf]]]), leaf


def behaviour_of(agent: Agent, game: Game) -> Behaviour | None:
    """Return an agent as arrays, if it is one whose distributions do not depend on the past.

    In a game with signals that is not poker between two, hands are not numbered in batches.
    """
    if isinstance(game, StageGame) and (not isinstance(game, PokerGame) or game.players != 2):
        return None
    if isinstance(agent, StrategyPlayer):
        known = agent.strategy
        return _of_strategy(game, known) if isinstance(known, Strategy) else None
    if isinstance(agent, Mixed) and agent.is_blind:
        return _of_blind(game, agent)
    return None


def _of_strategy(game: Game, strategy: Strategy) -> Behaviour | None:
    if isinstance(game, ExtensiveGame):
        require_strategy(game, strategy)
        first = np.where(game.infoset >= 0, game.first_sequence[np.maximum(game.infoset, 0)], 0)
        return Behaviour(strategy.behaviour, first.astype(np.int64), np.ones(game.nodes, np.int64))
    assert isinstance(game, PokerGame)
    known, coarse = views(game), strategy.abstraction if strategy.is_abstract else None
    assert isinstance(known, CanonicalViews)
    if coarse is None:
        require_strategy(game, strategy)
        return Behaviour(
            strategy.behaviour,
            *_places(game, view_layout(game)),
            lambda turn, player, hands: known.numbers(turn, hands),
        )
    return Behaviour(
        strategy.behaviour,
        *_places(game, require_buckets(game, strategy)),
        lambda turn, player, hands: coarse.bucket(turn, known.numbers(turn, hands), player).astype(
            np.int64
        ),
    )


def _places(game: StageGame, layout: Layout) -> tuple[Ints, Ints]:
    """Return where the numbers of each node begin, and the width of its round."""
    tree = game.tree
    begin, stride = np.zeros((2, len(tree.parent)), dtype=np.int64)
    for player in range(game.players):
        own = np.flatnonzero(tree.player == player)
        begin[own] = layout.starts(player)[:-1]
        stride[own] = [layout.buckets[turn][player] for turn in tree.round[own].tolist()]
    return begin, stride


def _of_blind(game: Game, agent: Mixed) -> Behaviour:
    """Ask an agent that sees nothing but the actions open to it, once a node or information set."""
    if isinstance(game, ExtensiveGame):
        owners = game.infoset_player.tolist()
        choices: Sequence[Sequence[str]] = game.infoset_actions
        players = len(game.players)
    else:
        tree, players = game.tree, game.players
        owners = tree.player.tolist()
        choices = [[tree.action[v] for v in below] for below in tree.successors]
    vectors: list[list[float]] = [[1.0] for _ in range(players)]
    starts = np.zeros(len(owners), dtype=np.int64)
    for place, (owner, actions) in enumerate(zip(owners, choices, strict=True)):
        if owner >= 0:
            seen = Observation(game.name, owner, owner, "", tuple(actions))
            starts[place] = len(vectors[owner])
            vectors[owner] += [agent.policy(seen)[action] for action in actions]
    begin = starts[game.infoset] if isinstance(game, ExtensiveGame) else starts
    return Behaviour(tuple(map(np.array, vectors)), begin, np.ones(len(begin), np.int64))


class _Steps(NamedTuple):
    """A tree as every hand walks it: nature of a game tree is one more player, the last."""

    player: Ints
    first: Ints
    widths: Ints
    children: Ints
    depth: int
    chances: int


@lru_cache(maxsize=8)
def _steps(game: Game) -> _Steps:
    if isinstance(game, StageGame):
        tree = game.tree
        parent, player = tree.parent, tree.player.astype(np.int64)
        draws = len(game.receivers)
    else:
        parent, player = game.parent, game.player.astype(np.int64)
        player = np.where(player == CHANCE, len(game.players), player)
        chance = _on_the_way(parent, game.player == CHANCE)
        draws = int(chance.max()) + 1
    children = np.argsort(parent, kind="stable").astype(np.int64)
    first = np.searchsorted(parent[children], np.arange(len(parent) + 1))
    depth = int(_on_the_way(parent, player >= 0).max()) + 1
    return _Steps(player, first[:-1], np.diff(first), children, depth, draws)


def _on_the_way(parent: NDArray[Any], counted: NDArray[np.bool_]) -> Ints:
    """Return how many of the ``counted`` nodes are on the way to each node; parents come first."""
    total = np.zeros(len(parent), dtype=np.int64)
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            total[node] = total[above] + counted[above]
    return total


def natures(game: Game) -> int:
    """Return how many uniform numbers nature needs for one play."""
    return _steps(game).chances


def choices(game: Game) -> int:
    """Return how many uniform numbers the players need for one play, nature of a tree included."""
    return _steps(game).depth


def simulate(game: Game, seats: Sequence[Behaviour], dealt: Floats, chosen: Floats) -> Plays:
    """Play one hand a row of ``dealt`` (numbers of nature) and ``chosen`` (numbers of the players).

    Hands of a tree use the numbers of nature in the order of her moves, those of the players in the order of
    theirs, as an episode does.
    """
    if len(dealt) != len(chosen) or dealt.shape[1] < natures(game):
        raise EquipoiseError(
            f"simulate: found numbers of shape {dealt.shape} and {chosen.shape}, expected a row a hand."
        )
    if isinstance(game, StageGame):
        assert isinstance(game, PokerGame)
        cards = deal_cards(game, dealt)
        leaves, missing = _walk(game, seats, _columns(game, seats, cards), dealt, chosen)
        return Plays(leaves, _paid(game, leaves, cards), cards, missing)
    leaves, missing = _walk(game, seats, {}, dealt, chosen)
    pays = game.payoffs[game.outcome[leaves], 0]
    return Plays(leaves, pays, np.zeros((len(leaves), 0), dtype=np.uint8), missing)


def deal_cards(game: PokerGame, numbers: Floats) -> NDArray[np.uint8]:
    """Deal without replacement: the k-th number picks among the cards that are left, in their order."""
    dealt = np.zeros((len(numbers), len(game.receivers)), dtype=np.int64)
    for k in range(dealt.shape[1]):
        card = (numbers[:, k] * (game.deck.size - k)).astype(np.int64)
        for taken in np.sort(dealt[:, :k], axis=1).T:
            card += taken <= card
        dealt[:, k] = card
    return dealt.astype(np.uint8)


def split_cards(
    game: PokerGame, cards: NDArray[np.uint8]
) -> tuple[tuple[NDArray[np.uint8], ...], NDArray[np.uint8]]:
    """Return the hole cards of each player, and the board."""
    hole = game.hole
    own = tuple(cards[:, i * hole : (i + 1) * hole] for i in range(game.players))
    return own, cards[:, game.players * hole :]


def hands_of(
    game: PokerGame, turn: int, hole: NDArray[np.uint8], board: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return rows of hole cards and the board of a round."""
    return np.concatenate([hole, board[:, : sum(game.public[: turn + 1])]], axis=1)


def _columns(
    game: PokerGame, seats: Sequence[Behaviour], cards: NDArray[np.uint8]
) -> dict[tuple[int, int], Ints]:
    """Return the place of every hand among those of its player and round."""
    holes, board = split_cards(game, cards)
    return {
        (player, turn): seat.column(turn, player, hands_of(game, turn, holes[player], board))
        for player, seat in enumerate(seats)
        if seat.column is not None
        for turn in range(game.tree.rounds)
    }


def _walk(
    game: Game,
    seats: Sequence[Behaviour],
    columns: dict[tuple[int, int], Ints],
    dealt: Floats,
    chosen: Floats,
) -> tuple[Ints, tuple[int, ...]]:
    """Take all hands down the tree, a step at a time; return where they end, and fallbacks by player."""
    steps = _steps(game)
    turns = game.tree.round if isinstance(game, StageGame) else None
    vectors = [seat.vectors[player] for player, seat in enumerate(seats)]
    begins, strides = [seat.begin for seat in seats], [seat.stride for seat in seats]
    if isinstance(game, ExtensiveGame):
        vectors.append(game.floats[game.probability[steps.children]])
        begins.append(steps.first)
        strides.append(np.ones(game.nodes, dtype=np.int64))
    node = np.zeros(len(chosen), dtype=np.int64)
    used = np.zeros((2, len(chosen)), dtype=np.int64)
    missing = [0] * (len(seats) + 1)
    active: Ints = np.arange(len(chosen))
    while len(active := active[steps.player[node[active]] >= 0]):
        who = steps.player[node[active]]
        for player in np.unique(who).tolist():
            rows = active[who == player]
            at = node[rows]
            first = begins[player][at]
            for turn in range(len(game.public) if isinstance(game, StageGame) else 0):
                if turns is not None and (player, turn) in columns:
                    here = np.flatnonzero(turns[at] == turn)
                    first[here] += columns[player, turn][rows[here]]
            source = int(isinstance(game, ExtensiveGame) and player == len(seats))
            number = (chosen, dealt)[source][rows, used[source, rows]]
            used[source, rows] += 1
            shares = _shares(vectors[player], first, strides[player][at], steps.widths[at])
            missing[player] += _fall_back(game, at, shares)
            node[rows] = steps.children[steps.first[at] + _slots(shares, number)]
    return node, tuple(missing[: len(seats)])


def _shares(vector: NDArray[Any], first: Ints, stride: Ints, widths: Ints) -> Floats:
    """Return the numbers of every action (rows) for every hand; zero where it is not open."""
    shares = np.zeros((int(widths.max()), len(first)))
    for k in range(len(shares)):
        is_open = k < widths
        shares[k, is_open] = vector[(first + k * stride)[is_open]]
    return shares


def _fall_back(game: Game, nodes: Ints, shares: Floats) -> int:
    """Fill in what an agent does where its numbers are all zero; return how many hands that are."""
    empty = np.flatnonzero(shares.sum(axis=0) <= 0)
    for row in empty.tolist():
        node = int(nodes[row])
        if isinstance(game, StageGame):
            actions = tuple(game.tree.action[child] for child in game.tree.successors[node])
        else:
            actions = game.infoset_actions[game.infoset[node]]
        policy = fallback(Observation(game.name, 0, 0, "", actions))
        shares[: len(actions), row] = [policy[action] for action in actions]
    return len(empty)


def _slots(shares: Floats, number: Floats) -> Ints:
    """Return the action that each number chooses: the first whose share of the total covers it."""
    left = number * shares.sum(axis=0)
    slot = np.zeros(len(number), dtype=np.int64)
    is_found = np.zeros(len(number), dtype=np.bool_)
    for k, share in enumerate(shares):
        is_possible = ~is_found & (share > 0)
        slot[is_possible] = k
        is_found |= is_possible & (left < share)
        left -= share
    return slot


def _paid(game: PokerGame, leaves: Ints, cards: NDArray[np.uint8]) -> Floats:
    """Return what player 1 is paid at the end of each hand."""
    tree = game.tree
    pays: Floats = tree.base[leaves, 0].copy()
    shown = np.flatnonzero(tree.kind[leaves] != NO_OUTCOME)
    if len(shown):
        holes, board = split_cards(game, cards[shown])
        first, second = (game.strength(game.deck, own, board).astype(np.int64) for own in holes)
        pays[shown] += tree.scale[leaves[shown]] * np.sign(first - second)
    return pays
