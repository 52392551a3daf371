"""The last round solved anew by qualitative models, as the player GS4-MIP did (Ganzfried and Sandholm 2010, section 8.2).

In each public situation, betting and cards, a player's private signal is the strength of her hand, with
probabilities by Bayes' rule as if both had played by the coarse strategy. The three models of their appendix C
are solved in one program. They are models of a round with one bet and one raise in which nobody raises after a check; so
the game whose last round is solved here is :func:`river_island`, Rhode Island with that last round, and no mapping
to more bets is needed, of which the paper gives one example.

As in the player, signals are independent and a line: the hands of one strength are an interval of it, evenly
filled, and where a threshold falls into the interval they do both, in proportion (their section 6.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from qualitative_river import MODELS

from equipoise.cards.deck import Deck
from equipoise.games.bayesian.betting_round import BettingRound, river
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.games.bayesian.parametric import ParametricModel, parse_models
from equipoise.games.poker.canonical import board_classes
from equipoise.games.poker.game import PokerGame, poker_game
from equipoise.games.signals.limit import limit_stage
from equipoise.games.signals.stages import DecisionNode, Pot, Stage, StageEnd, assemble, won_by_last
from equipoise.games.signals.views import Views, views
from equipoise.solvers.bayesian.qualitative import Answer, qualitative
from equipoise.strategy.profile import Strategy

BETS = (1000.0, 2000.0, 2000.0)
LAST = 2

# What actions are called in :func:`river`, and in a betting tree.
PLAYED = {"bet": "b", "check": "k", "raise": "r", "call": "c", "fold": "f"}

Floats = NDArray[np.float64]


def river_stage(bet: float) -> Stage:
    """Return the stage of :func:`equipoise.games.bayesian.betting_round.river`: no raise after a check."""

    def answer(pot: Pot, player: int, *, may_raise: bool) -> DecisionNode:
        folded, called = pot.fold(player), pot.put(player, bet)
        actions: dict[str, DecisionNode | StageEnd] = {
            "f": StageEnd(folded, won_by_last(folded)),
            "c": StageEnd(called),
        }
        if may_raise:
            actions["r"] = answer(pot.put(player, 2 * bet), 1 - player, may_raise=False)
        return DecisionNode(player, actions)

    def stage(pot: Pot) -> DecisionNode:
        check = DecisionNode(
            1, {"k": StageEnd(pot), "b": answer(pot.put(1, bet), 0, may_raise=False)}
        )
        return DecisionNode(0, {"k": check, "b": answer(pot.put(0, bet), 1, may_raise=True)})

    return stage


def river_island(ranks: int = 13, suits: int = 4, cap: int = 3) -> PokerGame:
    """Return Rhode Island hold'em with one bet and one raise, and none after a check, in the last round.

    In the rounds before it there are at most ``cap`` bets.
    """
    stages = [*(limit_stage(bet, cap) for bet in BETS[:LAST]), river_stage(BETS[LAST])]
    return poker_game(
        f"rhode_island(ranks={ranks},suits={suits}), last round of one raise",
        deck=Deck.small(ranks, suits),
        hole=1,
        board=(0, 1, 1),
        tree=assemble(stages, paid=(500, 500)),
        showdown="three-card",
    )


class Board(NamedTuple):
    """A whole board: for each hole card that is left, its view in the last round, and its hand's strength.

    Strengths are numbered from the best one, 0, on.
    """

    views: NDArray[np.int64]
    strength: NDArray[np.int64]


def boards(game: PokerGame, seen: Views) -> Iterator[Board]:
    """Yield a board of each class."""
    for board in board_classes(game, LAST)[0]:
        holes = np.setdiff1d(np.arange(game.deck.size), board)[:, None].astype(np.uint8)
        common = np.broadcast_to(board, (len(holes), len(board)))
        assert seen.canonical is not None
        numbers = seen.canonical.numbers(LAST, np.concatenate([holes, common], axis=1))
        ranks = game.strength(game.deck, holes, common)
        strength = np.unique(-ranks.astype(np.int64), return_inverse=True)[1]
        yield Board(numbers, strength.reshape(-1))


class LastRounds:
    """The last rounds of a game, with a strategy of it that says how players came there."""

    def __init__(self, game: PokerGame, base: Strategy) -> None:
        assert base.layout is not None
        self.game, self.base, self.seen = game, base, views(game)
        self.starts = [base.layout.starts(player).tolist() for player in (0, 1)]
        owners = game.tree.player
        self.number = np.where(owners == 0, np.cumsum(owners == 0), np.cumsum(owners == 1)) - 1

    @property
    def roots(self) -> list[int]:
        """The public nodes at which the last round begins."""
        tree = self.game.tree
        is_last = (tree.round == LAST) & (tree.player >= 0)
        return np.flatnonzero(is_last & (tree.round[tree.parent] < LAST)).tolist()

    def entries(self, node: int, action: int) -> slice:
        """Return where a strategy has what the player to act does, hand by hand."""
        assert self.base.layout is not None
        player, turn = int(self.game.tree.player[node]), int(self.game.tree.round[node])
        count = self.base.layout.buckets[turn][player]
        begin = self.starts[player][self.number[node]] + action * count
        return slice(begin, begin + count)

    @cache  # noqa: B019 - lives as long as the study
    def reach(self, root: int, player: int) -> Floats:
        """Return how likely a player's own choices lead to a last round, by her view in the round before."""
        tree, found = self.game.tree, np.ones(self.seen.count(LAST - 1))
        at = np.arange(len(found))
        held = {LAST - 1: at}
        for turn in range(LAST - 1, 0, -1):
            held[turn - 1] = self.seen.parent(turn, held[turn])
        child, node = root, int(tree.parent[root])
        while node >= 0:
            if tree.player[node] == player:
                own = self.base.behaviour[player][self.entries(node, self.action(node, child))]
                found *= own[held[int(tree.round[node])]]
            child, node = node, int(tree.parent[node])
        return found

    def action(self, node: int, child: int) -> int:
        """Return the number of the action that leads to ``child``."""
        return list(self.game.tree.successors[node]).index(child)

    def beliefs(self, root: int, board: Board) -> Floats:
        """Return how likely each pair of strengths is, as if both had played by the strategy."""
        before = self.seen.parent(LAST, board.views)
        own = [self.reach(root, player)[before] for player in (0, 1)]
        joint = np.outer(*own)
        np.fill_diagonal(joint, 0.0)  # the same card
        count = int(board.strength.max()) + 1
        pairs = board.strength[:, None] * count + board.strength
        return np.bincount(pairs.ravel(), joint.ravel(), count * count).reshape(count, count)

    def pot(self, root: int) -> float:
        """Return the pot with which a last round begins, in bets."""
        tree = self.game.tree
        shown = root
        while tree.player[shown] >= 0:  # after two checks the pot is what it was
            shown = int(tree.successors[shown][0])
        return float(2 * tree.scale[shown] / BETS[LAST])


def solve_qualitatively(
    game: PokerGame, base: Strategy, seconds: float = 10.0
) -> tuple[Strategy, Counter[str]]:
    """Return a strategy with all last rounds solved by the three models, and how each of them went.

    Where one of the players never comes by the strategy nothing is known of her, and the strategy stays.
    """
    rounds, went = LastRounds(game, base), Counter[str]()
    vectors = tuple(own.copy() for own in base.behaviour)
    listed = list(boards(game, rounds.seen))
    for root in rounds.roots:
        betting = river(rounds.pot(root))
        for board in listed:
            joint = rounds.beliefs(root, board)
            if joint.sum() <= 0:
                went["never reached"] += 1
                continue
            answer = qualitative(
                BayesianGame(betting, signals(joint)), _models(betting), time_limit=seconds
            )
            went[f"{answer.status.value}: {answer.model.name}"] += 1
            _write(rounds, root, board, betting, answer, vectors)
    return Strategy(base.game, base.fingerprint, vectors, base.layout, base.source), went


@cache
def _models(betting: BettingRound) -> list[ParametricModel]:
    return [
        model
        for number, text in enumerate(MODELS, 1)
        for model in parse_models(text, betting, f"model {number}")
    ]


def signals(joint: Floats) -> Signals:
    """Return the players' strengths as independent signals: strength k is the line from k to k + 1."""
    edges = np.arange(len(joint) + 1.0)
    ends = [np.concatenate([[0.0], np.cumsum(joint.sum(axis=axis))]) for axis in (1, 0)]
    return Signals.continuous(*(Cdf(edges, end / end[-1]) for end in ends))


def _write(
    rounds: LastRounds,
    root: int,
    board: Board,
    betting: BettingRound,
    answer: Answer,
    vectors: tuple[Floats, ...],
) -> None:
    """Write what the regions of an answer do, decision by decision, over a strategy's last round."""
    tree, strengths = rounds.game.tree, int(board.strength.max()) + 1
    even = np.full(strengths, 1.0 / strengths)  # of finite signals, of which only the number counts
    mixtures = answer.regions.profile(BayesianGame(betting, Signals.discrete(even, even))).mixture
    for history, (player, actions) in betting.actions.items():
        node = root
        for taken in history:
            node = _child(tree, node, PLAYED[taken])
        leads = np.array([_share(betting, player, (*history, action)) for action in actions])
        shares = mixtures[player] @ leads.T
        total = shares.sum(axis=1, keepdims=True)
        play = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / len(actions))
        for number, action in enumerate(actions):
            child = _child(tree, node, PLAYED[action])
            own = vectors[player][rounds.entries(node, rounds.action(node, child))]
            own[board.views] = play[board.strength, number]


def _child(tree: Any, node: int, label: str) -> int:
    return next(c for c in tree.successors[node] if tree.action[c] == label)


@cache
def _share(betting: BettingRound, player: int, history: tuple[str, ...]) -> tuple[float, ...]:
    """Say for each plan of a player whether it can come to a history."""
    leaves = [leaf.history[: len(history)] == history for leaf in betting.leaves]
    return tuple((betting.reach[player][:, leaves].max(axis=1) > 0).astype(float).tolist())
