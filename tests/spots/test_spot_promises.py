"""Spots solved anew: promises are kept, by programs, by regrets, and in the game that they are a part of."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from random_spots import (
    RANKS,
    SUITS,
    random_spot,
    random_strategy,
    require_certified_as_written_out,
    require_measured_as_certified,
)

import equipoise
from equipoise import load
from equipoise.cards.deck import Deck
from equipoise.certificates.spot_hands import report
from equipoise.certificates.spot_rest import rest_of
from equipoise.certificates.spots import SpotWalk, certify_spot
from equipoise.errors import EquipoiseError
from equipoise.games.poker import Spot, spot
from equipoise.games.poker.ranges import all_hands, parse_range, range_text
from equipoise.games.poker.runouts import board_tree
from equipoise.games.poker.spot_promises import GADGETS, KEEPERS, promise_text
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Status
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.spots import SpotStrategy

DECK = Deck(RANKS, SUITS)
KINDS = list(product(GADGETS, ("turn", "river", "raked"), (0, 1)))


def promising(random: np.random.Generator, gadget: str, kind: str, player: int) -> Spot:
    """A random spot, with promises to ``player`` around what hands take of the pot."""
    return random_spot(
        random,
        4 if kind == "turn" else 5,
        hands=3 if kind == "turn" else 6,
        rake=0.05 if kind == "raked" else 0.0,
        keeper=KEEPERS[1 - player],
        promised=random.uniform(-20.0, 120.0, len(all_hands(DECK))),
        gadget=gadget,
    )


@pytest.mark.parametrize(("gadget", "kind", "player"), KINDS)
def test_a_certificate_is_that_of_the_game_written_out(gadget: str, kind: str, player: int) -> None:
    random = np.random.default_rng(player)
    game = promising(random, gadget, kind, player)
    require_certified_as_written_out(game, random_strategy(game, random))


@pytest.mark.parametrize(("gadget", "kind", "player"), [k for k in KINDS if k[1] != "raked"])
def test_the_form_measures_what_the_certificate_says(gadget: str, kind: str, player: int) -> None:
    random = np.random.default_rng(player)
    game = promising(random, gadget, kind, player)
    require_measured_as_certified(game, random_strategy(game, random))


@pytest.mark.parametrize(("gadget", "kind", "player"), KINDS)
def test_regrets_keep_promises_as_programs_do(gadget: str, kind: str, player: int) -> None:
    game = promising(np.random.default_rng(player + 4), gadget, kind, player)
    found = equipoise.solve(game, gap=0.2)
    assert found.certificate.gap <= 0.2
    if kind != "raked":
        exact = solve(build(game), LP())
        assert found.certificate.value == pytest.approx(exact.value, abs=0.2)


RULES = {"bets": "50%", "raises": "a", "cap": 2, "chip": 0.0}


@pytest.fixture(scope="module")
def coarse() -> SpotStrategy:
    """A strategy of a turn on a short deck that was solved for too short a time."""
    game = random_spot(np.random.default_rng(3), 4, hands=9, **RULES, stack=120)
    return equipoise.solve(game, gap=0.0, iterations=6).strategy


@pytest.mark.parametrize("gadget", GADGETS)
@pytest.mark.parametrize("keeper", KEEPERS)
def test_rivers_solved_anew_lose_nothing_in_the_whole_hand(
    coarse: SpotStrategy, gadget: str, keeper: str
) -> None:
    """Certified in the hand from the turn on: all rivers, all lines, every card told apart."""
    player = KEEPERS.index(keeper)
    before = certify_spot(coarse.spot, coarse)
    behaviour = [own.astype(np.float64) for own in coarse.behaviour]
    new, allowed = SpotStrategy(coarse.spot, (behaviour[0], behaviour[1])), 0.0
    for history, cards in _rivers(coarse.spot):
        rest = rest_of(coarse, history, cards, keeper=keeper, gadget=gadget, **RULES)
        found = equipoise.solve(rest, gap=0.02)
        worst = certify_spot(rest, found.strategy).gap
        allowed = max(allowed, worst * len(rest.hands[1 - player]))
        _put(found.strategy, new, player, history, cards)
    after = certify_spot(coarse.spot, new)
    assert after.best_responses[1 - player] < before.best_responses[1 - player] + allowed
    # And something was won, here.
    assert after.best_responses[1 - player] < before.best_responses[1 - player] - 0.5


def _rivers(game: Spot) -> list[tuple[str, str]]:
    """Every line to the river on which somebody may act, and every card that may come."""
    tree = game.tree
    starts = [
        node
        for node in range(1, len(tree.parent))
        if tree.player[node] >= 0 and tree.round[node] > tree.round[tree.parent[node]]
    ]
    cards = np.setdiff1d(np.arange(game.deck.size), game.board)
    return [(tree.histories[n], game.deck.text([card])) for n in starts for card in cards.tolist()]


def _put(found: SpotStrategy, into: SpotStrategy, player: int, history: str, cards: str) -> None:
    """Write what a player does in the rest of a hand into a strategy of the whole hand."""
    small, large = found.spot, into.spot
    for node in np.flatnonzero(small.tree.player == player).tolist():
        place = large.tree.find(history + small.tree.histories[node])
        _, dealt = into.decision(history, cards)
        own = found.probabilities(node, [])
        board, renaming = board_tree(large).locate(dealt)
        bucket = board_tree(large).hands(player, board, renaming, len(dealt))
        width = int(into.layout.widths[1][player][board])
        start = int(into.layout.starts[1][player][board]) + int(into.layout.slot[place]) * width
        numbers = {tuple(hand): i for i, hand in enumerate(large.hands[player].tolist())}
        for hand, shares in zip(small.hands[player].tolist(), own, strict=True):
            for action, share in enumerate(shares):
                at = start + action * width + bucket[numbers[tuple(hand)]]
                into.behaviour[player][at] = share


def test_a_rest_has_the_values_of_the_whole(coarse: SpotStrategy) -> None:
    """By Bayes' rule: what hands take of the pot does not change where the hand is cut."""
    game = coarse.spot
    history, cards = _rivers(game)[0]
    rest = rest_of(coarse, history, cards, **RULES)
    whole = report(coarse, history, cards)
    first, second = (np.full(size, 0.5) for size in board_tree(rest).sequences)
    cut = SpotStrategy(rest, (first, second))
    for inner in np.flatnonzero(rest.tree.player >= 0).tolist():
        player = int(rest.tree.player[inner])
        place = game.tree.find(history + rest.tree.histories[inner])
        rows = np.isin(
            np.flatnonzero(game.weights[player] > 0), np.flatnonzero(rest.weights[player] > 0)
        )
        own = coarse.probabilities(place, coarse.decision(history, cards)[1])[rows]
        width = len(own)
        start = int(cut.layout.starts[0][player][0]) + int(cut.layout.slot[inner]) * width
        cut.behaviour[player][start : start + own.size] = own.T.ravel()
    for player in (0, 1):
        apart = report(cut).players[player]
        joined = whole.players[player]
        kept = joined.reach > 0
        added = rest.pot / 2 - game.pot / 2
        np.testing.assert_allclose(apart.reach, joined.reach[kept], atol=1e-6)
        np.testing.assert_allclose(apart.equity, joined.equity[kept], atol=1e-6)
        np.testing.assert_allclose(apart.value, joined.value[kept] + added, atol=1e-4)


Hand = tuple[int, ...]


@pytest.mark.parametrize("keeper", KEEPERS)
def test_promises_are_what_a_best_response_takes(coarse: SpotStrategy, keeper: str) -> None:
    """Hand against hand, action by action."""
    game, player = coarse.spot, 1 - KEEPERS.index(keeper)
    numbers = {tuple(hand): i for i, hand in enumerate(all_hands(DECK).tolist())}
    compared = 0
    for history, cards in _rivers(game)[::5]:
        node, dealt = coarse.decision(history, cards)
        rest = rest_of(coarse, history, cards, keeper=keeper, **RULES)
        assert rest.promise is not None
        own, other = (report(coarse, history, cards).players[i] for i in (player, 1 - player))
        reach = dict(zip(map(tuple, other.hands.tolist()), other.reach.tolist(), strict=True))
        for hand in map(tuple, own.hands.tolist()):
            met = {held: r for held, r in reach.items() if r and not set(held) & set(hand)}
            if met:
                won = _best(coarse, dealt, player, node, hand, met) / sum(met.values())
                promised = rest.promise.values[numbers[hand]]
                assert promised == pytest.approx(rest.pot / 2 + won, abs=1e-9)
                compared += 1
    assert compared > 20


def _best(
    strategy: SpotStrategy,
    dealt: list[int],
    player: int,
    node: int,
    hand: Hand,
    met: dict[Hand, float],
) -> float:
    """Return what a best response wins on a river at a node with a hand, from hands met so often."""
    game, tree = strategy.spot, strategy.spot.tree
    if tree.player[node] == TERMINAL:
        board = np.array([*game.board, *dealt], dtype=np.uint8)
        held = np.array([hand, *met], dtype=np.uint8)
        own, *others = game.strengths(board, held).tolist()
        scale = 0.0 if tree.kind[node] == NO_OUTCOME else tree.scale[node]
        paid = tree.base[node, player] + scale * np.sign(own - np.array(others))
        return float(paid @ np.array([*met.values()]))
    below = tree.successors[node]
    if tree.player[node] == player:
        return max(_best(strategy, dealt, player, child, hand, met) for child in below)
    rows = {tuple(held): i for i, held in enumerate(game.hands[1 - player].tolist())}
    play = strategy.probabilities(node, dealt).astype(np.float64)
    play /= play.sum(axis=1, keepdims=True)
    total = 0.0
    for action, child in enumerate(below):
        left = {held: reach * play[rows[held], action] for held, reach in met.items()}
        total += _best(strategy, dealt, player, child, hand, left)
    return total


@pytest.mark.parametrize("gadget", GADGETS)
def test_a_deadline_ends_in_a_strategy_and_its_gap(gadget: str) -> None:
    game = promising(np.random.default_rng(1), gadget, "river", 1)
    result = equipoise.solve(game, gap=0.0, time=0.05)
    assert result.found.status is Status.TIME_LIMIT
    assert 0 < result.certificate.gap < game.pot
    assert result.summary()["gap"] == result.certificate.gap


@pytest.mark.parametrize("believed", [False, True])
def test_hands_that_meet_none_are_not_chosen(believed: bool) -> None:
    """Also where rounding would leave something of nothing, or beliefs keep two hands apart."""
    own = "AhKs:0.637,AhQs:0.27,KdQc:0.041,KdJh:0.017,AhKd:0.813,AhJs:0.913,KdTc:0.607,Ah8c:0.729"
    joint = None
    if believed:
        own, joint = "AA,KQs", np.ones((1326, 1326))
        joint[:, parse_range("AhKd") > 0] = 0.0
    rules = {"cap": 1, "keeper": "oop", "promised": "50 random", "gadget": "maxmargin"}
    game = spot("2c7d9hTsJc", own, "AhKd,QhQd,8d8h", 100, 100, "50%", joint=joint, **rules)
    assert len(game.hands[1]) == 2
    assert equipoise.solve(game, gap=0.5, iterations=400).certificate.gap <= 0.5


def test_promises_are_read_as_they_are_written() -> None:
    values = np.full(len(all_hands(DECK)), np.nan)
    values[:40] = np.repeat([12.5, -3.0, 12.5, 1 / 3], 10)
    game = random_spot(np.random.default_rng(2), 5)
    held = [np.isfinite(values), np.isfinite(values)]
    both = [range_text(own.astype(float), DECK) for own in held]
    given = {"pot": 50, "stack": 60, "bets": "a", "ranks": RANKS, "suits": SUITS, "keeper": "oop"}
    board = DECK.text(game.board)
    found = spot(board, *both, **given, promised=values)
    assert load(found.name).fingerprint == found.fingerprint
    again = spot(board, *both, **given, promised=promise_text(values, DECK))
    assert again.fingerprint == found.fingerprint
    stored = spot(board, *both, **given, promised=promise_text(values, DECK), gadget="maxmargin")
    assert stored.fingerprint != again.fingerprint


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"promised": "5 TT,JJ"}, "promised: found it without keeper"),
        ({"keeper": "oop"}, "keeper: found it without promised"),
        ({"keeper": "me", "promised": "5 TT,JJ"}, "keeper: found 'me', expected one of oop, ip"),
        (
            {"keeper": "oop", "promised": "5 TT"},
            "found no value for JdJc, expected one for every hand of ip",
        ),
        (
            {"keeper": "oop", "promised": "TT,JJ"},
            "promised: found 'TT,JJ', expected an amount and a range",
        ),
        ({"keeper": "oop", "promised": [1.0]}, "promised: found 1 values, expected a text or"),
        ({"keeper": "oop", "promised": "5 TX"}, "promised: Range: found 'TX'"),
        (
            {"keeper": "oop", "promised": "1e300 TT,JJ"},
            "promised: found '1e300 TT,JJ', expected an",
        ),
        ({"keeper": "oop", "promised": {"TT": 5}}, "promised: found 1 values, expected a text or"),
        ({"gadget": "swap"}, "gadget: found 'swap', expected one of resolve, maxmargin"),
    ],
)
def test_promises_that_mean_nothing(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        spot("8c9cQdKh", "QQ,KQ", "TT,JJ", 50, 60, "a", ranks=RANKS, suits=SUITS, **wrong)


def test_where_no_street_begins(coarse: SpotStrategy) -> None:
    with pytest.raises(EquipoiseError, match="found a street that has begun"):
        rest_of(coarse, coarse.spot.tree.histories[1], **RULES)
    with pytest.raises(EquipoiseError, match="keeper: found 'x', expected one of oop, ip"):
        rest_of(coarse, *_rivers(coarse.spot)[0], keeper="x", **RULES)
    with pytest.raises(EquipoiseError, match="history: found 3, expected a text such as"):
        rest_of(coarse, 3, **RULES)  # type: ignore[arg-type]  # what a user might type
    with pytest.raises(EquipoiseError, match="cards: found 4, expected a text such as"):
        rest_of(coarse, "", 4, **RULES)  # type: ignore[arg-type]  # what a user might type
    with pytest.raises(EquipoiseError, match="rest_of: found 'pot', which the point decides"):
        rest_of(coarse, *_rivers(coarse.spot)[0], pot=5)
    with pytest.raises(
        EquipoiseError, match="strategy: found 'a', expected the strategy of a spot"
    ):
        rest_of("a", "")  # type: ignore[arg-type]  # what a user might type


def test_arrays_keep_no_promises() -> None:
    game = promising(np.random.default_rng(1), "resolve", "river", 1)
    with pytest.raises(EquipoiseError, match="expected one on the processor"):
        equipoise.solve(game, "dcfr(device=numpy)", gap=1.0)


@pytest.mark.parametrize(("gadget", "kind", "player"), [k for k in KINDS if k[1] != "raked"])
def test_what_hands_are_worth_is_of_those_that_enter(gadget: str, kind: str, player: int) -> None:
    """What both win in the spot, and what is paid for promises, add up to the certificate."""
    random = np.random.default_rng(10 + player)
    game = promising(random, gadget, kind, player)
    strategy = random_strategy(game, random)
    promise, found = game.promise, report(strategy)
    assert promise is not None
    own, entered = found.players[player], SpotWalk(game, strategy).entered()
    share = game.reach[player] * game.met[player] / game.pairs
    held = game.weights[player] > 0
    owed = share @ (promise.values[held] * (-entered if promise.is_margin else 1 - entered))
    if promise.is_margin:
        owed += game.pot / 2
    won = float(share @ entered) * found.totals()[player]["value"]
    assert own.reach == pytest.approx(game.reach[player] * entered)
    assert won + owed == pytest.approx(certify_spot(game, strategy).values[player], abs=1e-9)
