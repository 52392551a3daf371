"""Random small spots, the same written out as trees (every deal, every card, every line), and laws of both."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from equipoise.certificates.spots import certify_spot
from equipoise.certificates.tree import certify_tree
from equipoise.games.poker import Spot, spot
from equipoise.games.poker.ranges import all_hands
from equipoise.games.poker.runouts import board_tree
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import build
from equipoise.solvers.base import measure
from equipoise.strategy.profile import Strategy
from equipoise.strategy.spots import SpotStrategy

RANKS, SUITS = "89TJQK", "cdhs"


def random_spot(
    random: np.random.Generator,
    cards: int,
    hands: int = 4,
    ranks: str = RANKS,
    suits: str = SUITS,
    **rules: Any,
) -> Spot:
    """A spot with a board of so many cards, and ranges of so many hands, some weights below one."""
    deck = [rank + suit for rank in ranks for suit in suits]
    board = "".join(random.permutation(deck)[:cards])
    every = ["".join(pair) for pair in combinations(deck, 2)]
    free = [h for h in every if h[:2] not in board and h[2:] not in board]
    ranges = []
    for _ in range(2):
        own = random.permutation(free)[:hands]
        ranges.append(",".join(f"{h}:{random.choice([1, 1, 0.5, 0.25])}" for h in own))
    sizes = ["50%", "100%", "a", "e", "33%,a"]
    given = {
        "pot": 100,
        "stack": int(random.integers(20, 300)),
        "bets": str(random.choice(sizes)),
        "raises": str(random.choice(["", "2.5x", "a", "60%"])),
        "cap": int(random.integers(1, 4)),
        "ranks": ranks,
        "suits": suits,
    }
    return spot(board, *ranges, **(given | rules))


def symmetric_spot(cards: str = "8cTcQc", **rules: Any) -> Spot:
    """A spot in which suits other than clubs are alike."""
    given = {"pot": 100, "stack": 150, "bets": "50%", "raises": "a", "cap": 2}
    return spot(cards, "KTs,JJ", "QJs,TT", ranks="8TJQK", suits=SUITS, **(given | rules))


ENTER = -1
"""In place of a node: where a player who was promised something leaves or enters, or chooses her hand."""


def explicit(game: Spot) -> ExtensiveGame:
    """Return the spot as a tree: nature deals both hands, then a card before each street.

    A player who was promised something leaves or enters when she has seen her hand, or chooses it at first.
    """
    tree, deck = game.tree, game.deck
    builder = TreeBuilder("explicit spot", game.players)
    half = game.pot / 2
    ranks: dict[Any, int] = {}

    def strength(hand: Any, board: Any) -> int:
        key = (tuple(hand), tuple(sorted(board)))
        if key not in ranks:
            cards = np.array(board, dtype=np.uint8)
            ranks[key] = int(game.strengths(cards, np.array([hand], dtype=np.uint8))[0])
        return ranks[key]

    promise = game.promise
    owed = {
        tuple(hand): value - half
        for hand, value in zip(
            all_hands(deck).tolist(), [] if promise is None else promise.values, strict=False
        )
    }

    def charged(paid: list[float], hands: Any) -> list[float]:
        """Take what her hand was promised off what she is paid, if she chose it."""
        if promise is None or not promise.is_margin:
            return paid
        own = owed[tuple(hands[promise.player].tolist())]
        return [n + (-own if i == promise.player else own) for i, n in enumerate(paid)]

    def grow(place: int, node: int, hands: Any, board: tuple[int, ...], street: int) -> None:
        turn = int(tree.round[node])
        is_fold = tree.player[node] == TERMINAL and tree.kind[node] == NO_OUTCOME
        if street < turn and not is_fold:
            left = [c for c in range(deck.size) if c not in (*hands[0], *hands[1], *board)]
            moves = [(deck.text(card), 1.0 / len(left)) for card in left]
            for card, after in zip(left, builder.chance(place, moves), strict=True):
                grow(after, node, hands, (*board, card), street + 1)
            return
        if tree.player[node] == TERMINAL:
            sign = 0
            if not is_fold:
                one, two = (strength(hand, board) for hand in hands)
                sign = (one > two) - (one < two)
            base, scale = tree.base[node], tree.scale[node]
            paid = (half + base[0] + scale * sign, half + base[1] - scale * sign)
            builder.end(place, charged([float(number) for number in paid], hands))
            return
        player = int(tree.player[node])
        actions = [tree.action[child] for child in tree.successors[node]]
        told = (tuple(hands[player].tolist()), board[len(game.board) :], node)
        for child, after in zip(
            tree.successors[node], builder.decide(place, player, told, actions), strict=True
        ):
            grow(after, child, hands, board, turn)

    numbers = {tuple(hand): i for i, hand in enumerate(all_hands(deck).tolist())}

    def believed(one: Any, two: Any) -> float:
        """Return what a pair of hands counts for beside their weights."""
        if game.joint is None:
            return 1.0
        return float(game.joint[numbers[tuple(one.tolist())], numbers[tuple(two.tolist())]])

    def enter(place: int, hands: Any) -> None:
        """Let her leave or enter, if she may."""
        if promise is None or promise.is_margin:
            grow(place, 0, hands, tuple(game.board.tolist()), 0)
            return
        own = tuple(hands[promise.player].tolist())
        left, entered = builder.decide(place, promise.player, (own, (), ENTER), ["leave", "enter"])
        paid = [half - owed[own], half - owed[own]]
        paid[promise.player] = half + owed[own]
        builder.end(left, paid)
        grow(entered, 0, hands, tuple(game.board.tolist()), 0)

    deals = [
        ((one, two), w1 * w2 * believed(one, two))
        for one, w1 in zip(game.hands[0], game.reach[0], strict=True)
        for two, w2 in zip(game.hands[1], game.reach[1], strict=True)
        if not set(one.tolist()) & set(two.tolist())
    ]

    def deal(place: int, own: list[Any]) -> None:
        """Deal one of some pairs of hands."""
        total = sum(weight for _, weight in own)
        moves = [(deck.text(one) + deck.text(two), weight / total) for (one, two), weight in own]
        for (hands, _), after in zip(own, builder.chance(place, moves), strict=True):
            enter(after, hands)

    if promise is None or not promise.is_margin:
        deal(builder.root, deals)
        return builder.build()
    player, chosen = promise.player, game.hands[promise.player]
    names = [deck.text(hand) for hand in chosen]
    places = builder.decide(builder.root, player, ((), (), ENTER), names)
    for hand, place in zip(chosen, places, strict=True):
        deal(place, [own for own in deals if (own[0][player] == hand).all()])
    return builder.build()


def on_tree(game: Spot, tree: ExtensiveGame, strategy: SpotStrategy) -> Strategy:
    """Return ``strategy`` as one of the spot written out; information sets are looked up one by one."""
    vectors = [np.ones(tree.sequences(player)) for player in (0, 1)]
    for place, key in enumerate(tree.infoset_label):
        hand, dealt, node = eval(key)
        player, first = int(tree.infoset_player[place]), int(tree.first_sequence[place])
        if node == ENTER:
            vectors[player][first : first + int(tree.action_count[place])] = _entering(
                game, strategy, hand
            )
            continue
        row = np.flatnonzero((game.hands[player] == np.array(hand)).all(axis=1))
        found = strategy.probabilities(node, list(dealt))[row[0]]
        vectors[player][first : first + len(found)] = found / found.sum()
    return Strategy(tree.name, tree.fingerprint, tuple(vectors), source=tree)


def _entering(game: Spot, strategy: SpotStrategy, hand: tuple[int, ...]) -> Any:
    """Return what a player who was promised something does with a hand, or with which ones she enters."""
    promise, boards = game.promise, board_tree(game)
    assert promise is not None
    own = strategy.behaviour[promise.player][1 : boards.begin(promise.player)]
    if promise.is_margin:
        return own
    row = int(np.flatnonzero((game.hands[promise.player] == np.array(hand)).all(axis=1))[0])
    return own.reshape(2, -1)[:, boards.streets[0][0].buckets[promise.player][row]]


def random_strategy(game: Spot, random: np.random.Generator) -> SpotStrategy:
    """A strategy that does anything anywhere, alike where hands and boards are alike."""
    from equipoise.sequence.from_spot import SpotLayout

    vectors = []
    for player, size in enumerate(board_tree(game).sequences):
        weights = random.random(size) ** 3 + 1e-3
        space = SpotLayout(game).treeplex(player)
        vectors.append(space.behaviour(space.plan(space.behaviour(weights))))
    return SpotStrategy(game, (vectors[0], vectors[1]))


def require_certified_as_written_out(game: Spot, strategy: SpotStrategy) -> None:
    """The law of certificates: best responses in the spot are those in the same game as a tree."""
    tree = explicit(game)
    found, truth = certify_spot(game, strategy), certify_tree(tree, on_tree(game, tree, strategy))
    assert found.values == pytest.approx(truth.values, abs=1e-9)
    assert found.best_responses == pytest.approx(truth.best_responses, abs=1e-9)
    assert found.gains == pytest.approx(truth.gains, abs=1e-9)


def require_measured_as_certified(game: Spot, strategy: SpotStrategy) -> None:
    """The law of forms: where payments cancel, bounds are best responses, and products those of a matrix."""
    form = build(game)
    plans = [s.plan(b) for s, b in zip((form.X, form.Y), strategy.behaviour, strict=True)]
    lower, upper = measure(form, *plans)
    proof, half = certify_spot(game, strategy), game.pot / 2
    assert half + upper == pytest.approx(proof.best_responses[0], abs=1e-9)
    assert half - lower == pytest.approx(proof.best_responses[1], abs=1e-9)
    np.testing.assert_allclose(form.A.matrix() @ plans[1], form.A.times(plans[1]), atol=1e-12)
