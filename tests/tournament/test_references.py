"""Fictitious play and regret matching+ of tournaments against slow references, step by step."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from equipoise.games.tournaments.stochastic import ExplicitGame
from equipoise.solvers.stochastic import fictitious
from equipoise.solvers.stochastic.jamfold import _match_regrets

ACTIONS = (2, 3, 2)


def drawn(seed: int) -> tuple[list, np.ndarray]:
    """Three states, each of which one joint action leads to another and the rest to prizes; values of states."""
    random = np.random.default_rng(seed)
    tables = [random.uniform(0, 10, (*ACTIONS, 3)).tolist() for _ in range(3)]
    for state, table in enumerate(tables):
        a, b, c = (int(random.integers(n)) for n in ACTIONS)
        table[a][b][c] = (state + 1) % 3
    return tables, random.uniform(0, 10, (3, 3))


def played(tables: list, values: np.ndarray, steps: int, mixed: list) -> tuple[list, float]:
    """Brown (1951) in every state: average in the best reply to what the others have played on average.

    Return the averages, and how near a reply came to a tie.
    """
    nearest = np.inf
    for step in range(steps):
        after = []
        for state, table in enumerate(tables):
            replies = []
            for player in range(3):
                worth = [0.0] * ACTIONS[player]
                for joint in product(*(range(n) for n in ACTIONS)):
                    entry = table
                    for action in joint:
                        entry = entry[action]
                    pays = values[entry][player] if isinstance(entry, int) else entry[player]
                    chance = 1.0
                    for other in range(3):
                        if other != player:
                            chance *= mixed[state][other][joint[other]]
                    worth[joint[player]] += chance * pays
                first, second = sorted(worth)[-1], sorted(worth)[-2]
                nearest = min(nearest, first - second)
                reply = [float(w == first) for w in worth]
                before = mixed[state][player]
                replies.append(
                    [b + (r - b) / (step + 1) for b, r in zip(before, reply, strict=True)]
                )
            after.append(replies)
        mixed = after
    return mixed, nearest


@pytest.mark.parametrize("seed", range(6))
def test_fictitious_play_is_browns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, values = drawn(seed)
    game = ExplicitGame.of(tables, ACTIONS)
    uniform = [[[1 / n] * n for n in ACTIONS] for _ in tables]
    for steps in (1, 2, 7, 30):
        monkeypatch.setattr(fictitious, "STEPS", steps)
        found = fictitious.fictitious_play(game, values.ravel(), None, -1.0)
        expected, nearest = played(tables, values, steps, uniform)
        assert nearest > 1e-9, "a tie, which rounding would decide: draw another game"
        flat = [[p for player in state for p in player] for state in expected]
        np.testing.assert_allclose(found[:, :, 0], flat, atol=1e-12)


def matched(
    constant: np.ndarray, K: np.ndarray, ends: list, owner: list, free: list, start: np.ndarray,
    steps: int,
) -> np.ndarray:  # fmt: skip
    """Regret matching+ (Tammelin 2014) on one polymatrix game, hand by hand; plan t counts t^2 times."""
    decisions, hands = constant.shape
    play = [[float(p) for p in row] for row in start]
    regrets = [[[0.0, 0.0] for _ in range(hands)] for _ in range(decisions)]
    total, weight = np.zeros((decisions, hands)), 0.0
    for t in range(1, steps + 1):
        for player in sorted(set(owner)):
            own = [d for d in range(decisions) if owner[d] == player]
            # All decisions of a player answer the same play.
            advantage = {}
            for d in own:
                for h in range(hands):
                    links = [(K[k][h], source) for k, (to, source) in enumerate(ends) if to == d]
                    met = sum(
                        row[g] * play[source][g] for row, source in links for g in range(hands)
                    )
                    advantage[d, h] = constant[d][h] + met
            for d in own:
                for h in range(hands):
                    p, gain, kept = play[d][h], advantage[d, h], regrets[d][h]
                    if not free[d]:
                        continue
                    value = p * gain  # folding is worth nothing, going in the advantage
                    kept[0] = max(kept[0] + 0.0 - value, 0.0)
                    kept[1] = max(kept[1] + gain - value, 0.0)
                    if kept[0] + kept[1] > 0:
                        play[d][h] = kept[1] / (kept[0] + kept[1])
        total += t * t * np.array(play)
        weight += t * t
    return total / weight


@pytest.mark.parametrize("seed", range(4))
def test_regret_matching_of_hands_is_tammelins(seed: int) -> None:
    random = np.random.default_rng(seed)
    states, hands, owner = 2, 4, [0, 0, 1, 2]
    ends = [(0, 2), (1, 2), (1, 3), (2, 0), (2, 1), (3, 1), (3, 2)]
    constant = random.normal(size=(states, 4, hands))
    K = random.normal(size=(states, len(ends), hands, hands)).astype(np.float32)
    free = np.array([[True] * 4, [True, False, True, True]])
    start = random.uniform(size=(states, 4, hands))
    for steps in (1, 2, 12):
        found = np.empty_like(start)
        _match_regrets(
            constant, K, np.array(ends), np.array(owner), free, start, steps, 0, states, found
        )
        for s in range(states):
            slow = matched(constant[s], K[s], ends, owner, free[s].tolist(), start[s], steps)
            # Plays are kept in single precision.
            np.testing.assert_allclose(found[s], slow, atol=2e-5)
