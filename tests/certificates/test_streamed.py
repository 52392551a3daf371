"""Certificates board by board: against the public tree, for views and for buckets, on any array library."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import array_api_strict
import numpy as np
import pytest
from tests.certificates.test_agreement import strategy_of
from tests.certificates.test_public import GAMES

from equipoise.abstraction.bucket_table import random_table
from equipoise.cards.board_products import BoardProducts, HalfProducts
from equipoise.cards.board_ranks import BoardRanks
from equipoise.cards.board_sums import HalfShowdowns, Meetings, SignedShowdowns, SortedShowdowns
from equipoise.cards.deck import Deck
from equipoise.certificates import streamed
from equipoise.certificates.board_walk import BoardWalk, Part
from equipoise.certificates.gap import certify
from equipoise.certificates.public import certify_public
from equipoise.certificates.sampled import left_out, stacked
from equipoise.certificates.streamed import StreamedCertificate, certify_streamed
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import BestCards, PokerGame, poker_game
from equipoise.games.poker.streets import Streets, sets
from equipoise.games.signals.limit import limit
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.unroll import unroll
from equipoise.numerics.device import Device
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Strategy
from equipoise.strategy.simple import SIMPLE, random_strategy, simple_strategy

SHORT = poker_game(
    "short hold'em",
    deck=Deck.small(4, 2),
    hole=2,
    board=(0, 2, 1),
    tree=limit(3, bets=(2, 2, 4), cap=2, blinds=(1, 2), first=(0, 1, 1)),
    showdown="five-card",
    big_blind=2,
)
ALL_IN = poker_game(
    "short no-limit",
    deck=Deck.small(4, 2),
    hole=2,
    board=(0, 2, 1),
    tree=no_limit(3, stacks=8, antes=1, bets=("100%", "all-in")),
    showdown="five-card",
)
# Cards come three times, so that more than one board comes before those of the last round.
SLOW = poker_game(
    "slow hold'em",
    deck=Deck.small(4, 2),
    hole=2,
    board=(0, 1, 1, 1),
    tree=limit(4, bets=(2, 2, 4, 4), cap=1, blinds=(1, 2), first=(0, 1, 1, 1)),
    showdown="five-card",
)
EVERY = {
    **GAMES,
    "rhode island": poker.rhode_island(3, 2),
    "short hold'em": SHORT,
    "all-ins": ALL_IN,
    "slow hold'em": SLOW,
}
STRICT = Device(array_api_strict, None, "float64")


def bucket_strategy(game: PokerGame, children: tuple[int, ...], seed: int) -> Strategy:
    """Return a strategy at random over random buckets."""
    return random_strategy(game, random_table(game, children, seed=seed), seed=seed)


def assert_same(found: Any, expected: Any) -> None:
    scale = max(map(abs, expected.best_responses)) + 1
    for name in ("values", "best_responses", "gains"):
        got, wanted = getattr(found, name), getattr(expected, name)
        assert got == pytest.approx(wanted, rel=0, abs=1e-12 * scale), name


@pytest.mark.parametrize("style", ["random", "zero-reach"])
@pytest.mark.parametrize("name", EVERY)
def test_views_as_on_the_public_tree(name: str, style: str) -> None:
    game = EVERY[name]
    strategy = strategy_of(game, style, np.random.default_rng(5))
    expected = certify_public(game, strategy)
    assert_same(certify_streamed(game, strategy), expected)
    assert_same(certify_streamed(game, strategy, device=STRICT), expected)


@pytest.mark.parametrize("name", ["leduc", "rhode island", "short hold'em", "all-ins"])
def test_buckets_as_lifted(name: str) -> None:
    game = EVERY[name]
    strategy = bucket_strategy(game, (2, 3, 2)[: game.rounds], seed=7)
    assert strategy.abstraction is not None
    expected = certify_public(game, lift(strategy, strategy.abstraction))
    assert_same(certify_streamed(game, strategy), expected)
    assert_same(certify_streamed(game, strategy, device=STRICT), expected)
    assert_same(certify(game, strategy), expected)


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_strategies_as_lifted(name: str) -> None:
    strategy = simple_strategy(SHORT, name)
    assert strategy.abstraction is not None
    expected = certify_public(SHORT, lift(strategy, strategy.abstraction))
    assert_same(certify_streamed(SHORT, strategy), expected)


@pytest.mark.parametrize("name", ["leduc", "short hold'em", "all-ins"])
def test_single_precision_is_near(name: str) -> None:
    strategy = bucket_strategy(EVERY[name], (2, 3, 2)[: EVERY[name].rounds], seed=7)
    exact = certify_streamed(EVERY[name], strategy)
    for device in (None, STRICT):
        found = certify_streamed(EVERY[name], strategy, device=device, precision="single")
        assert found.best_responses == pytest.approx(exact.best_responses, rel=1e-5)
        assert found.value == pytest.approx(exact.value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("parts", "error"), [(1, 2**-8), (2, 2**-15)])
def test_products_in_bfloat16(parts: int, error: float) -> None:
    xp = pytest.importorskip("array_api_compat.torch")
    random, hands, device = np.random.default_rng(0), sets(9, 2), Device(xp, None, "float32")
    exact, halves = BoardProducts(hands, Device(np)), HalfProducts(hands, device, parts)
    reach, buckets = random.random((7, 5)), random.integers(0, 7, (3, len(hands)))
    ranks = random.integers(0, 5, buckets.shape)
    put, error = device.put, error * float(reach.sum())
    far, near = exact.near(reach, buckets), halves.near(halves.table(reach), put(buckets))
    signs, compared = exact.signs(ranks), halves.signs(put(ranks))
    expected, found = exact.margins(signs, far), halves.margins(compared, near)
    np.testing.assert_allclose(device.get(found), expected, atol=error)
    expected = exact.totals(exact.by_card(far), exact.own(far))
    found = halves.totals(halves.by_card(near), halves.own(near))
    np.testing.assert_allclose(device.get(found), expected, atol=error)
    meetings = Meetings(hands, np, np.float64)
    np.testing.assert_allclose(expected, meetings.totals(reach[buckets]), atol=1e-12)


@pytest.mark.parametrize("precision", [None, "single", "bf16"])
def test_with_torch(precision: str | None) -> None:
    xp = pytest.importorskip("array_api_compat.torch")
    strategy = bucket_strategy(SHORT, (2, 3, 2), seed=7)
    expected = certify_streamed(SHORT, strategy)
    found = certify_streamed(SHORT, strategy, device=Device(xp), precision=precision)
    error = {None: 1e-12, "single": 1e-5, "bf16": 2**-7}[precision]
    assert found.best_responses == pytest.approx(expected.best_responses, rel=error)


def test_the_last_pass_on_a_gpu_is_one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    xp = pytest.importorskip("array_api_compat.torch")
    game = EVERY["leduc"]
    strategy = bucket_strategy(game, (2, 3), seed=7)
    monkeypatch.setattr(BoardWalk, "_halves", lambda self, precision: 2)
    monkeypatch.setattr(
        Device, "fused", lambda self, work: xp.compile(work, backend="eager", fullgraph=True)
    )
    found = certify_streamed(game, strategy, device=Device(xp, None, "float32"))
    expected = certify(game, strategy)
    assert found.best_responses == pytest.approx(expected.best_responses, rel=1e-4)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy, found = bucket_strategy(SHORT, (2, 3, 2), seed=7), []
    for threads in ("1", "3"):
        monkeypatch.setenv("EQUIPOISE_THREADS", threads)
        seen: list[int] = []
        proof = certify_streamed(
            SHORT, strategy, each=lambda done, of, seen=seen: seen.append(done)
        )
        assert seen == list(range(1, proof.of + 1))
        found.append(proof)
    assert found[0].best_responses == found[1].best_responses
    assert found[0].values == found[1].values


def test_an_error_ends_the_other_parts() -> None:
    def each(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify_streamed(SHORT, simple_strategy(SHORT, "uniform"), each=each)


def test_best_responses_by_hand_add_up() -> None:
    found = certify_streamed(SHORT, simple_strategy(SHORT, "uniform"))
    for own, total in zip(found.by_hand, found.best_responses, strict=True):
        assert own.sum() == pytest.approx(total)
    assert found.is_exact
    assert found.classes == found.of == len(Streets(SHORT).first)


def test_whoever_always_folds_in_holdem_loses_his_blinds() -> None:
    game = poker.limit_holdem()
    found = certify(game, simple_strategy(game, "always-fold"), flops=2)
    assert isinstance(found, StreamedCertificate)
    # The small blind is gone before any card matters. From the big blind 2 chips are won at once, or
    # after the flop: the larger of the two, by luck of the sample.
    assert found.best_responses[1] == pytest.approx(1, abs=1e-12)
    assert 2 <= found.best_responses[0] < 3
    expected = 1000 * sum(found.best_responses) / 2 / 2
    assert found.summary()["exploitability_mbb"] == pytest.approx(expected)


@pytest.mark.parametrize("more", [0, 1, 10**9])
def test_as_many_draws_as_there_are_classes_are_all_of_them(more: int) -> None:
    strategy = simple_strategy(SHORT, "uniform")
    expected = certify_streamed(SHORT, strategy)
    found = certify_streamed(SHORT, strategy, sample=expected.of + more)
    assert found.is_exact
    assert found.errors == found.interval == ()
    assert found.best_responses == expected.best_responses


def test_samples_scatter_as_their_errors_say() -> None:
    strategy = simple_strategy(SHORT, "uniform")
    exact = certify_streamed(SHORT, strategy).best_responses
    found = [certify_streamed(SHORT, strategy, sample=12, seed=seed) for seed in range(24)]
    for player in (0, 1):
        drawn = np.array([one.best_responses[player] for one in found])
        error = np.array([one.errors[player] for one in found])
        # The standard deviation of 24 draws is itself known to a seventh of it; the bias is upwards.
        assert 0.6 < drawn.std(ddof=1) / np.sqrt((error**2).mean()) < 1.6
        assert -1 < (drawn.mean() - exact[player]) / (drawn.std(ddof=1) / np.sqrt(24)) < 6


def test_errors_are_those_of_leaving_out_one_class_at_a_time() -> None:
    """The jackknife of Tukey (1958), from certificates of all classes but one."""
    walk = BoardWalk(SHORT, simple_strategy(SHORT, "uniform"))
    parts = [walk.part(number) for number in (0, 2, 2, 5, 7)]

    def certificate(some: list[Part], *, is_sample: bool) -> StreamedCertificate:
        weights = np.full(len(some), walk.streets.copies.sum() / len(some))
        return streamed._certificate(walk, some, weights, is_sample=is_sample)

    without = np.array(
        [
            certificate(parts[:k] + parts[k + 1 :], is_sample=False).best_responses
            for k in range(len(parts))
        ]
    )
    variance = 4 / 5 * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    found = certificate(parts, is_sample=True).errors
    np.testing.assert_allclose(found, np.sqrt(variance), rtol=1e-9)
    assert min(found) > 0


def test_both_estimates_err_outwards() -> None:
    """E[L] <= V <= E[V'], the expectations by going through all pairs of classes that may be drawn."""
    strategy = bucket_strategy(SHORT, (2, 3, 2), seed=7)
    walk, exact = BoardWalk(SHORT, strategy), certify_streamed(SHORT, strategy)
    every = [walk.part(number) for number in range(exact.of)]
    chance = walk.streets.copies / walk.streets.copies.sum()
    weights = np.full(2, walk.streets.copies.sum() / 2)
    below, above = np.zeros(2), np.zeros(2)
    for one, two in combinations_with_replacement(range(exact.of), 2):
        parts, likely = [every[one], every[two]], chance[one] * chance[two] * (1 + (one < two))
        found = streamed._certificate(walk, parts, weights, is_sample=True)
        below += likely * left_out(walk, parts)[1].mean(axis=0)
        above += likely * np.array(found.best_responses)
    assert (below < exact.best_responses).all()
    assert (above > exact.best_responses).all()


def test_intervals_are_right_as_often_as_they_say() -> None:
    """At least 54 of 60, where 57 are expected."""
    strategy = bucket_strategy(SHORT, (2, 3, 2), seed=7)
    exact = certify_streamed(SHORT, strategy).exploitability
    drawn = [certify_streamed(SHORT, strategy, sample=10, seed=seed).interval for seed in range(60)]
    assert all(0 <= low < high for low, high in drawn)
    assert sum(low <= exact <= high for low, high in drawn) >= 54


def test_a_response_to_the_other_parts_by_its_slope() -> None:
    """How often she comes to each node, with each hand, by differences of what best responses earn."""
    walk = BoardWalk(SHORT, bucket_strategy(SHORT, (2, 3, 2), seed=7))
    parts = [walk.part(number) for number in (0, 2, 5, 7)]
    total, deals = walk.streets.copies.sum(), walk.deals(SHORT.rounds - 1)
    carried, earned = stacked(parts)
    known = [own[0] for own in earned]
    without, alone = left_out(walk, parts)
    for k in range(len(parts)):
        for player in (0, 1):
            others = [np.delete(own, k, axis=0).mean(axis=0) * total for own in carried]

            def best(moved: Any, others: Any = others, player: int = player) -> float:
                both = [moved if i == player else others[i] for i in (0, 1)]
                return float(walk.before(both, known)[player][0].sum() / deals)

            at, slope = best(others[player]), np.zeros_like(others[player])
            for place in np.ndindex(*slope.shape):
                moved = others[player].copy()
                moved[place] -= 1e-3
                slope[place] = (at - best(moved)) / 1e-3
            own = carried[player][k] * total
            np.testing.assert_allclose(without[k, player], at, rtol=1e-12)
            expected = at + (slope * (own - others[player])).sum()
            np.testing.assert_allclose(alone[k, player], expected, rtol=1e-6, atol=1e-6)
            # What is best after draw k alone is no worse there.
            assert alone[k, player] <= best(own) + 1e-9


@pytest.mark.parametrize("columns", [1, 130])
@pytest.mark.parametrize(("cards", "hole"), [(7, 1), (2, 2), (7, 2), (12, 2)])
def test_sums_over_hands_every_way(cards: int, hole: int, columns: int) -> None:
    random, hands = np.random.default_rng(0), sets(cards, hole)
    ranks = random.integers(0, 5, (3, len(hands)))
    reach = random.random((3, len(hands), columns))
    meets = np.array([[not set(a) & set(b) for b in hands.tolist()] for a in hands.tolist()])
    signs = np.sign(ranks[:, :, None] - ranks[:, None, :]) * meets
    meetings = Meetings(hands, np, np.float64)
    strict = Meetings(hands, array_api_strict, array_api_strict.float64)
    put = array_api_strict.asarray
    expected = np.einsum("bij,bjc->bic", signs, reach)
    signed = SignedShowdowns(strict, put(ranks), array_api_strict, array_api_strict.float64)
    for compiled in (SortedShowdowns, HalfShowdowns):
        np.testing.assert_allclose(compiled(meetings, ranks).margins(reach), expected, atol=1e-12)
    single = SortedShowdowns(meetings, ranks).margins(reach.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-4)
    np.testing.assert_allclose(np.asarray(signed.margins(put(reach))), expected, atol=1e-12)
    totals = np.einsum("ij,bjc->bic", meets, reach)
    np.testing.assert_allclose(meetings.totals(reach), totals, atol=1e-12)
    np.testing.assert_allclose(np.asarray(strict.totals(put(reach))), totals, atol=1e-12)


@pytest.mark.parametrize("game", [poker.limit_holdem(), poker.rhode_island(), SHORT], ids=repr)
def test_ranks_of_boards_are_ranks_of_hands(game: PokerGame) -> None:
    streets, strength = Streets(game), game.strength
    assert isinstance(strength, BestCards)
    random, size = np.random.default_rng(1), sum(game.public)
    boards = np.array([random.permutation(game.deck.size)[:size] for _ in range(8)], dtype=np.uint8)
    street = streets.streets[-1]
    ranks = BoardRanks(strength.evaluator(game.deck, game.hole + size), array_api_strict)
    found = np.asarray(ranks(boards, streets.left(boards), street.hands))
    held = streets.held(boards, street)
    beside = np.repeat(boards, held.shape[1], axis=0)
    expected = strength(game.deck, held.reshape(-1, game.hole), beside)
    np.testing.assert_array_equal(found.reshape(-1), expected)


def test_hands_are_found_on_the_next_street() -> None:
    streets = Streets(SHORT)
    flop, turn = streets.streets
    board = streets.first[3:4]
    before = streets.held(board, flop)[0]
    longer = streets.extended(board, turn)
    for dealt, after in enumerate(streets.held(longer, turn)):
        for hand, place in zip(before.tolist(), turn.place[dealt].tolist(), strict=True):
            if place == len(after):
                assert longer[dealt, -1] in hand
            else:
                assert after[place].tolist() == hand


def test_refusals() -> None:
    with pytest.raises(EquipoiseError, match="sample of 1, expected a whole number from 2 up"):
        certify(SHORT, simple_strategy(SHORT, "uniform"), flops=1)
    with pytest.raises(EquipoiseError, match="precision 'half', expected one of double, single"):
        certify_streamed(SHORT, simple_strategy(SHORT, "uniform"), precision="half")
    with pytest.raises(EquipoiseError, match="'bf16' without PyTorch"):
        certify_streamed(SHORT, simple_strategy(SHORT, "uniform"), precision="bf16")
    with pytest.raises(EquipoiseError, match="has no boards to sample"):
        certify(unroll(EVERY["kuhn"]), simple_strategy(SHORT, "uniform"), flops=3)
    with pytest.raises(EquipoiseError, match="'never', expected one of always-call"):
        simple_strategy(SHORT, "never")
    # Neither those of buckets nor those of boards that are asked for are rounded outwards.
    uniform = simple_strategy(SHORT, "uniform")
    for played, asked in (
        (bucket_strategy(SHORT, (2, 3, 2), seed=7), {}),
        (uniform, {"flops": 2}),
        (uniform, {"device": "compiled"}),
    ):
        with pytest.raises(EquipoiseError, match="--rigorous: found a certificate board by board"):
            certify(SHORT, played, rigorous=True, **asked)  # type: ignore[arg-type]
