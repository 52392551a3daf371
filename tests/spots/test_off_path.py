"""What players do where their own plans never lead: the best against a trembling hand, at no cost on the path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_spots import random_spot

import equipoise
from equipoise.games.poker import Spot
from equipoise.sequence import off_path
from equipoise.sequence.build import build
from equipoise.sequence.from_spot import SpotLayout
from equipoise.sequence.off_path import HARDLY, settled
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.methods import method
from equipoise.strategy.spots import SpotStrategy

TREMBLE = 0.01


def found(game: Spot) -> tuple[Any, Any]:
    """Return the form of a spot, and its plans after a hundred iterations."""
    form = build(game)
    rule = "dcfr(dtype=float32,beta=0.5,gamma=4)"
    return form, solve(form, method(rule), Iterations(100)).plans


def sets(space: Any) -> Any:
    """Yield for each information set, last first, its sequences and its parent."""
    blocks = space.blocks
    for b in reversed(range(len(blocks.start))):
        width, links = int(blocks.buckets[b]), blocks.links[int(blocks.link[b]) :]
        for k in range(width):
            up = k if blocks.link[b] == 2**32 - 1 else int(links[k])
            yield (
                int(blocks.start[b]) + k + width * np.arange(blocks.actions[b]),
                int(blocks.parent[b]) + up,
            )


def trembling(space: Any, behaviour: Any) -> Any:
    """Return the plan of a behaviour by a player whose hand trembles."""
    plan = np.ones(space.size)
    for own, parent in reversed(list(sets(space))):
        even = 1 / len(own)
        plan[own] = plan[parent] * ((1 - TREMBLE) * behaviour[own] + TREMBLE * even)
    return plan


def lost(form: Any, plans: Any, behaviour: Any) -> float:
    """Return what both lose where their ``plans`` hardly lead, in the game in which all hands tremble.

    They play ``behaviour``, beside what is best at those sets alone.
    """
    spaces = form.X, form.Y
    one, two = (trembling(*pair) for pair in zip(spaces, behaviour, strict=True))
    total = 0.0
    for space, plan, own, played, gain in zip(
        spaces, plans, behaviour, (one, two), (form.A.times(two), -form.A.transpose_times(one)),
        strict=True,
    ):  # fmt: skip
        total -= gain @ played
        worth = gain.copy()
        for here, parent in sets(space):
            is_path = plan[here].sum() > HARDLY
            value = own[here] @ worth[here] if is_path else worth[here].max()
            worth[parent] += (1 - TREMBLE) * value + TREMBLE * worth[here].mean()
        total += worth[0]
    return total * form.units.unit


@pytest.mark.parametrize("cards", [4, 5])
def test_little_is_lost_off_the_path_and_nothing_on_it(cards):
    """Over some random spots: a twentieth of what averages lose there (it comes to less), and no larger gap."""
    before = after = 0.0
    for seed in range(4):
        game = random_spot(np.random.default_rng(seed), cards, hands=8, bets="50%,a", cap=2)
        form, plans = found(game)
        spaces = form.X, form.Y
        plain = [space.behaviour(plan) for space, plan in zip(spaces, plans, strict=True)]
        made = settled(form, SpotLayout(game), tuple(plan.copy() for plan in plans))
        before += lost(form, plans, plain)
        after += lost(form, plans, made)
        for space, plan, old, new in zip(spaces, plans, plain, made, strict=True):
            for own, _ in sets(space):
                assert new[own].sum() == pytest.approx(1, abs=1e-6)
                if plan[own].sum() > 2 * HARDLY:
                    np.testing.assert_allclose(new[own], old[own], atol=1e-6)
        assert certified(game, made).gap <= certified(game, plain).gap + HARDLY * form.units.stake
    assert before > 0.005  # chips, or there is nothing to see
    assert after < before / 20


def test_boards_may_be_taken_any_number_at_a_time(monkeypatch):
    game = random_spot(np.random.default_rng(1), 4, hands=8, bets="50%,a", cap=2)
    form, plans = found(game)
    truth = settled(form, SpotLayout(game), tuple(plan.copy() for plan in plans))
    for batch in (1, 400):
        monkeypatch.setattr(off_path, "_BATCH", batch)
        made = settled(form, SpotLayout(game), tuple(plan.copy() for plan in plans))
        for one, other in zip(made, truth, strict=True):
            np.testing.assert_array_equal(one, other)


RIVER = ("2c7d9hTsJc", "AA,KQs,65s", "KK,88,ATs", 100, 300, "50%", "a")


def test_what_a_lock_holds_is_held_off_the_path_too():
    """All check, by a lock; had they bet, and been raised, the best hand would fold, by another."""
    game = equipoise.poker.spot(*RIVER, lock=": k AA,KQs,65s | b50,R300: f KQs")
    strategy = equipoise.solve(game, gap=0.5).strategy
    assert strategy.at("")["KhQh"]["k"] == 1
    assert strategy.at("b50,R300")["KhQh"]["f"] == 1
    assert strategy.at("b50,R300")["6h5h"]["f"] == 1  # free to, and without a chance


ALL = "AA,KQs,65s"
ROWS = "2c7d9hTsJc", ALL, "KK,88,ATs", 100, 300, "50%", "3x,a"


@pytest.mark.parametrize(("later", "raises"), [("c", 1), ("f", 0)])
def test_what_a_lock_holds_later_counts_where_nobody_comes(later, raises):
    """By locks nobody bets, and had somebody, and been raised, would go all in: eights raise if they call that."""
    lock = f": k {ALL} | b50,R150: r300 {ALL} | b50,R150,r300: {later} 88"
    game = equipoise.poker.spot(*ROWS, lock=lock)
    found = equipoise.solve(game, gap=0.5)
    free = equipoise.solve(equipoise.poker.spot(*ROWS, lock=f": k {ALL}"), gap=0.5)
    assert found.strategy.at("b50")["8d8c"]["r150"] == raises
    assert found.certificate.value == pytest.approx(free.certificate.value, abs=0.5)


def test_a_lock_of_some_hands_closes_nothing():
    """Where one hand is free to come, what the other does is her equilibrium, not a best answer."""
    game = equipoise.poker.spot(*ROWS, lock=": k AA,65s")
    layout = SpotLayout(game)
    assert not layout.closed(0).any()
    assert not layout.closed(1).any()
    some = SpotLayout(equipoise.poker.spot(*ROWS, lock=f": k {ALL}")).closed(1)
    assert some.any()
    assert not some.all()


@pytest.mark.parametrize("rule", ["lp", "pcfr+(dtype=float32)"])
def test_whatever_the_method_hands_know_what_to_do(rule):
    """By a lock nobody bets; had somebody, and been raised, the best hand would call and the worst fold."""
    game = equipoise.poker.spot(*RIVER, lock="" if rule == "lp" else ": k AA,KQs,65s")
    answers = equipoise.solve(game, method=rule, gap=0.5).strategy.at("b50,R300")
    assert answers["KhQh"]["c"] > 0.999
    assert answers["6h5h"]["f"] > 0.999


def certified(game: Spot, behaviour: Any) -> Any:
    """Return the certificate of a behaviour in a spot."""
    return equipoise.certify(game, SpotStrategy(game, tuple(behaviour)))
