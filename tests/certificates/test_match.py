"""Agents against each other: antisymmetry, the nemesis is the worst, and the sequence form's numbers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.certificates.test_agreement import strategy_of

import equipoise
from equipoise.certificates.match import against_nemesis, expected_values, head_to_head, seated
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.signals.stage_game import StageGame
from equipoise.sequence.build import build
from equipoise.strategy.profile import Strategy


@pytest.fixture(scope="module")
def leduc() -> StageGame:
    return poker.leduc()


@pytest.fixture(scope="module")
def agents(leduc: StageGame) -> list[Strategy]:
    random = np.random.default_rng(3)
    return [strategy_of(leduc, style, random) for style in ("uniform", "random", "pure")]


def bilinear(game: StageGame, first: Strategy, second: Strategy) -> float:
    """Return <x, A y> from the sequence form."""
    form = build(game)
    assert form.canonical is not None
    plans = []
    for player, (space, agent) in enumerate(((form.X, first), (form.Y, second))):
        behaviour = np.empty(space.size)
        behaviour[form.canonical(player)] = agent.behaviour[player]
        plans.append(space.plan(behaviour))
    x, y = plans
    return form.units.shift + form.units.unit * float(x @ form.A.times(y))


def test_what_one_earns_the_other_loses(leduc: StageGame, agents: list[Strategy]) -> None:
    for a in agents:
        for b in agents:
            mine, theirs = head_to_head(leduc, a, b), head_to_head(leduc, b, a)
            assert mine.first == pytest.approx(-theirs.second, abs=1e-12)
            assert mine.mean == pytest.approx(-theirs.mean, abs=1e-12)
            assert mine.first == pytest.approx(bilinear(leduc, a, b), abs=1e-12)
        assert head_to_head(leduc, a, a).mean == pytest.approx(0.0, abs=1e-12)


def test_nobody_is_worse_than_the_nemesis(leduc: StageGame, agents: list[Strategy]) -> None:
    solved = equipoise.solve(leduc, gap=1e-4)
    for a in agents:
        worst = against_nemesis(leduc, a)
        gap = equipoise.certify(leduc, a).gap
        assert worst.mean == pytest.approx(-gap / 2, abs=1e-12)
        for b in (*agents, solved.strategy):
            met = head_to_head(leduc, a, b)
            assert worst.first <= met.first + 1e-12
            assert worst.second <= met.second + 1e-12
        # An equilibrium loses to nobody, but for its gap.
        assert head_to_head(leduc, solved.strategy, a).mean >= -1e-4


def test_what_kuhn_players_earn() -> None:
    """Hand count, of an agent that always bets and calls."""
    game = load("kuhn")
    players = game.infoset_player
    wild = []
    for player in (0, 1):
        vector = np.zeros(game.sequences(player))
        vector[0] = 1.0
        for place in np.flatnonzero(players == player):
            vector[game.first_sequence[place] + 1] = 1.0  # bet or call
        wild.append(vector)
    agent = Strategy(game.name, game.fingerprint, tuple(wild), source=game)
    # Two who always put in two chips show down every hand: each wins half of the time.
    assert expected_values(game, (agent, agent)) == pytest.approx((0.0, 0.0), abs=1e-12)
    # Who knows it calls with a king, folds a jack (loses 1) and is even with a queen.
    assert against_nemesis(game, agent).first == pytest.approx(-(2 - 1) / 3, abs=1e-12)


def test_who_cannot_meet(leduc: StageGame, agents: list[Strategy]) -> None:
    other = strategy_of(poker.leduc(4, 2), "uniform", np.random.default_rng(1))
    with pytest.raises(EquipoiseError, match="expected one game"):
        head_to_head(leduc, agents[0], other)
    with pytest.raises(EquipoiseError, match="found 1 agents, expected one for each of 2"):
        seated(agents[0])
