"""Reach, value and best response in every information set."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build, treeplex
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Iterations
from equipoise.solvers.saddle.cfr import TABLE
from equipoise.solvers.saddle.lp import LP
from equipoise.strategy.keys import keys_of
from equipoise.strategy.profile import Strategy


def random_strategy(game: ExtensiveGame, seed: int) -> Strategy:
    chance = np.random.default_rng(seed)
    behaviour = []
    for player in range(len(game.players)):
        plex = treeplex(game, player)
        vector = np.ones(plex.size)
        for start, actions in zip(plex.blocks.start, plex.blocks.actions, strict=True):
            vector[start : start + actions] = chance.dirichlet(np.ones(actions))
        behaviour.append(vector)
    return Strategy(game.name, game.fingerprint, tuple(behaviour), source=game)


def by_walking(
    game: ExtensiveGame, strategy: Strategy
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Reach and value of every set, and of every action, node by node: the slow road."""
    children: list[list[int]] = [[] for _ in range(game.nodes)]
    for node in range(1, game.nodes):
        children[game.parent[node]].append(node)
    reach, total = np.zeros(game.infosets), np.zeros(game.infosets)
    players = range(len(game.players))
    come = [np.zeros(game.sequences(player)) for player in players]
    after = [np.zeros(game.sequences(player)) for player in players]

    def walk(node: int, coming: float) -> np.ndarray:
        player = int(game.player[node])
        if player == TERMINAL:
            return game.payoffs[game.outcome[node]]
        first = 0 if player == CHANCE else int(game.first_sequence[game.infoset[node]])
        worth = np.zeros(len(game.players))
        for slot, child in enumerate(children[node]):
            if player == CHANCE:
                p = game.floats[game.probability[child]]
            else:
                p = strategy.behaviour[player][first + slot]
            below = walk(child, coming * p)
            worth += p * below
            if player >= 0:
                come[player][first + slot] += coming
                after[player][first + slot] += coming * below[player]
        if player >= 0:
            reach[game.infoset[node]] += coming
            total[game.infoset[node]] += coming * worth[player]
        return worth

    walk(0, 1.0)
    with np.errstate(invalid="ignore"):
        return reach, total / reach, [a / b for a, b in zip(after, come, strict=True)]


@pytest.mark.parametrize("spec", ["kuhn", "liars_dice(sides=3)"])
def test_reach_and_values_are_those_of_a_walk(spec: str) -> None:
    game = load(spec)
    assert isinstance(game, ExtensiveGame)
    strategy = random_strategy(game, 4)
    found = certify(game, strategy, infosets=True).infosets
    assert found is not None
    reach, values, actions = by_walking(game, strategy)
    np.testing.assert_allclose(found.reach, reach, rtol=1e-12)
    np.testing.assert_allclose(found.values, values, rtol=0, atol=1e-12)
    for mine, theirs in zip(found.actions, actions, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
    assert (found.best_responses >= found.values - 1e-12).all()
    assert (found.best_responses > found.values + 1e-3).any()


def test_actions_at_the_root_have_values_too() -> None:
    game = from_matrices("square", [[1.0, 0.0], [0.0, 3.0]]).tree
    strategy = random_strategy(game, 2)
    found = certify(game, strategy, infosets=True).infosets
    assert found is not None
    for mine, theirs in zip(found.actions, by_walking(game, strategy)[2], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_where_nobody_comes_nothing_is_known() -> None:
    """Player 1 always passes: player 2 is never bet at, and her bets are never answered."""
    game = load("kuhn")
    behaviour = []
    for player in range(2):
        vector = np.full(game.sequences(player), 0.5)
        vector[0] = 1.0
        for k in np.flatnonzero(game.infoset_player == player).tolist():
            first = int(game.first_sequence[k])
            if player == 0:
                vector[first : first + 2] = 1.0, 0.0
        behaviour.append(vector)
    strategy = Strategy(game.name, game.fingerprint, tuple(behaviour), source=game)
    found = certify(game, strategy, infosets=True).infosets
    assert found is not None
    # What is worth knowing is where the others come: an own move that is never made can be judged.
    never = [k for k, label in enumerate(keys_of(game).labels()) if label.endswith("b")]
    answers = [k for k in never if game.infoset_player[k] == 1]
    assert len(answers) == 3
    assert np.isnan(found.values[answers]).all()
    assert np.isnan(found.best_responses[answers]).all()
    others = np.setdiff1d(np.arange(game.infosets), answers)
    assert np.isfinite(found.values[others]).all()


def test_first_sets_add_up_to_the_certificate() -> None:
    game = load("kuhn")
    strategy = random_strategy(game, 1)
    proof = certify(game, strategy, infosets=True)
    assert proof.infosets is not None
    opening = [proof.infosets[card] for card in "JQK"]
    assert [standing.reach for standing in opening] == pytest.approx([1 / 3] * 3)
    assert sum(s.reach * s.value for s in opening) == pytest.approx(proof.value)
    assert sum(s.reach * s.best_response for s in opening) == pytest.approx(proof.best_responses[0])


def test_at_an_equilibrium_nobody_could_do_better_where_play_comes() -> None:
    game = load("kuhn")
    proof = certify(game, solve(build(game), LP()).strategy, infosets=True)
    assert proof.infosets is not None
    come = proof.infosets.reach > 0
    best, values = proof.infosets.best_responses[come], proof.infosets.values[come]
    np.testing.assert_allclose(best, values, rtol=0, atol=1e-9)
    # The jack checks, folds to a bet and loses its ante (Kuhn 1950).
    assert proof.infosets["Jpb"].value == pytest.approx(-1.0)


def test_games_with_signals_are_told_card_by_card_and_only_when_asked() -> None:
    game = poker.kuhn()
    strategy = solve(build(game), TABLE["cfr+"], Iterations(10)).strategy
    assert certify(game, strategy).infosets is None
    found = certify(game, strategy, infosets=True).infosets
    assert found is not None
    assert found["K|"].reach == pytest.approx(1 / 3)
    with pytest.raises(EquipoiseError, match="there is none of that name"):
        found["A|"]
