"""Certificates on trees in general position, against walks through the tree."""

from __future__ import annotations

import numpy as np
import pytest
from tests.games.random_duels import random_duel

from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError
from equipoise.games.files.gambit.efg import parse_efg
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.strategy.profile import Strategy


def random_strategy(game: ExtensiveGame, seed: int) -> Strategy:
    """Weights that do not sum to one; some are zero."""
    random = np.random.default_rng(seed)
    vectors = []
    for player in (0, 1):
        vector = random.random(game.sequences(player)) + 0.1
        for i in np.flatnonzero(game.infoset_player == player)[::3]:
            vector[game.first_sequence[i]] = 0.0
        vectors.append(vector)
    return Strategy(game.name, game.fingerprint, tuple(vectors))


def slow(game: ExtensiveGame, strategy: Strategy, player: int) -> tuple[float, float]:
    """What ``player`` earns, and what her best response would."""
    children: list[list[int]] = [[] for _ in range(game.nodes)]
    for node in range(1, game.nodes):
        children[game.parent[node]].append(node)

    def odds(node: int) -> list[float]:
        if game.player[node] == CHANCE:
            return [float(game.numbers[game.probability[child]]) for child in children[node]]
        i = game.infoset[node]
        first = game.first_sequence[i]
        own = strategy.behaviour[game.player[node]][first : first + game.action_count[i]]
        return (own / own.sum()).tolist()

    def earns(node: int, pure: dict[int, int]) -> float:
        if game.player[node] == TERMINAL:
            return float(game.numbers[game.payoff[game.outcome[node], player]])
        if int(game.infoset[node]) in pure:
            return earns(children[node][pure[int(game.infoset[node])]], pure)
        return sum(p * earns(c, pure) for p, c in zip(odds(node), children[node], strict=True))

    def arrives(node: int) -> float:
        """How often nature and the others come to ``node``."""
        reach = 1.0
        while node:
            above = int(game.parent[node])
            if game.player[above] != player:
                reach *= odds(above)[children[above].index(node)]
            node = above
        return reach

    pure: dict[int, int] = {}
    for i in np.flatnonzero(game.infoset_player == player)[::-1].tolist():
        nodes = np.flatnonzero(game.infoset == i).tolist()
        worth = [
            sum(arrives(v) * earns(children[v][a], pure) for v in nodes)
            for a in range(game.action_count[i])
        ]
        pure[i] = int(np.argmax(worth))
    return earns(0, {}), earns(0, pure)


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_values_and_best_responses(seed: int, rigorous: bool) -> None:
    game = random_duel(seed)
    strategy = random_strategy(game, seed)
    proof = certify_tree(game, strategy, rigorous)
    assert proof.rigorous is rigorous
    assert not proof.forgetful
    for player in (0, 1):
        value, best = slow(game, strategy, player)
        assert proof.values[player] == pytest.approx(value, abs=1e-11)
        assert proof.best_responses[player] == pytest.approx(best, abs=1e-11)
        assert proof.gains[player] == pytest.approx(best - value, abs=1e-11)


def test_one_set_without_weight_is_named() -> None:
    game = random_duel(1)
    for player in (0, 1):
        vectors = [v.copy() for v in random_strategy(game, 1).behaviour]
        i = int(np.flatnonzero(game.infoset_player == player)[2])
        first = game.first_sequence[i]
        vectors[player][first : first + game.action_count[i]] = 0.0
        with pytest.raises(EquipoiseError) as refused:
            certify_tree(game, Strategy(game.name, game.fingerprint, tuple(vectors)))
        words = f"information set {game.infoset_label[i]!r} of player {player + 1} has no positive"
        assert words in str(refused.value)


def test_who_forgets_is_said() -> None:
    # The player forgets her first move: a bound is all that there is.
    leaves = "".join(f't "" {n} "" {{ {n} 0 }} ' for n in (1, 2, 3, 4))
    first, second, third, fourth = leaves.split("t ")[1:]
    text = (
        'EFG 2 R "f" { "A" "B" } p "" 1 1 { "l" "r" } 0 '
        f'p "" 1 2 {{ "x" "y" }} 0 t {first}t {second}p "" 1 2 0 t {third}t {fourth}'
    )
    game = parse_efg(text, "f.efg")
    uniform = tuple(np.full(game.sequences(p), 0.5) for p in (0, 1))
    proof = certify_tree(game, Strategy(game.name, game.fingerprint, uniform))
    assert proof.forgetful
    assert proof.values == (2.5, 0.0)
    assert proof.best_responses[0] >= 4.0
