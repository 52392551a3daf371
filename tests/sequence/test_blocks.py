"""Treeplexes of small blocks against dictionaries: every pass, entry by entry."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.games.random_duels import random_duel

from equipoise.abstraction.base import Partition
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import rules_game
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.normal import from_matrices
from equipoise.sequence.build import build, game_fingerprint, units_of
from equipoise.sequence.treeplex import SAME, Treeplex

LINK = np.array([1, 0, 1, 2])
# (actions, buckets, parent base, link): linked to the empty sequence, below single buckets, along
# the same buckets, and twice by one array; the last block hangs below the last sequences but its own.
ROWS: list[tuple[int, int, int, Any]] = [
    (2, 3, 0, np.array([0, 0, 0])),
    (3, 3, 4, None),
    (2, 4, 1, LINK),
    (1, 4, 16, None),
    (2, 4, 7, LINK),
    (3, 1, 24, None),
]
SPACE = Treeplex.from_rows(ROWS)
RANDOM = np.random.default_rng(11)

Set = tuple[int, list[int]]


def information_sets() -> list[Set]:
    """The parent and the sequences of each information set, from the definition of a block."""
    found, start = [], 1
    for actions, buckets, parent, link in ROWS:
        for k in range(buckets):
            above = parent + (k if link is None else int(link[k]))
            found.append((above, [start + a * buckets + k for a in range(actions)]))
        start += actions * buckets
    return found


SETS = information_sets()
SIZE = 1 + sum(len(own) for _, own in SETS)


def test_sizes_parents_and_shared_links() -> None:
    assert SPACE.size == SIZE == 39
    assert SPACE.infosets == len(SETS) == 19
    assert SPACE.widest == 4
    assert SPACE.parents().tolist() == [above for above, _ in SETS]
    assert SPACE.parents().dtype == np.uint32
    blocks = SPACE.blocks
    assert blocks.start.tolist() == [1, 7, 16, 24, 28, 36]
    assert blocks.link.tolist() == [0, SAME, 3, SAME, 3, SAME]
    assert blocks.links.tolist() == [0, 0, 0, 1, 0, 1, 2]
    assert all(array.dtype == np.uint32 for array in blocks)


def test_constraints_are_the_definition() -> None:
    E, e = SPACE.constraints()
    expected = np.zeros((1 + len(SETS), SIZE))
    expected[0, 0] = 1
    for row, (above, own) in enumerate(SETS, 1):
        expected[row, own] = 1
        expected[row, above] -= 1
    np.testing.assert_array_equal(E.toarray(), expected)
    assert e.tolist() == [1.0] + [0.0] * len(SETS)


def weights(zeros: float = 0.0) -> np.ndarray:
    return RANDOM.uniform(0.1, 1.0, SIZE) * (RANDOM.random(SIZE) >= zeros)


def slow_behaviour(plan: np.ndarray) -> np.ndarray:
    found = np.ones(SIZE)
    for _, own in SETS:
        positive = [max(plan[s], 0.0) for s in own]
        total = sum(positive)
        for s, p in zip(own, positive, strict=True):
            found[s] = p / total if total > 0 else 1 / len(own)
    return found


def slow_plan(behaviour: np.ndarray) -> np.ndarray:
    found = np.ones(SIZE) * behaviour[0]
    for above, own in SETS:
        for s in own:
            found[s] = found[above] * behaviour[s]
    return found


def test_behaviour_and_plan_entry_by_entry() -> None:
    for zeros in (0.0, 0.3, 0.7, 1.0):
        vector = weights(zeros) - (0.2 if zeros == 0.3 else 0.0)
        vector[0] = 1.0
        behaviour = SPACE.behaviour(vector)
        np.testing.assert_allclose(behaviour, slow_behaviour(vector), rtol=1e-15)
        np.testing.assert_allclose(SPACE.plan(behaviour), slow_plan(behaviour), rtol=1e-14)
        # In place, too; and a plan of any total.
        scaled = behaviour * np.where(np.arange(SIZE) == 0, 0.5, 1.0)
        expected = slow_plan(scaled)
        assert SPACE.plan(scaled, scaled) is scaled
        np.testing.assert_allclose(scaled, expected, rtol=1e-14)
        assert SPACE.behaviour(vector, vector) is vector
        np.testing.assert_array_equal(vector, behaviour)


def test_uniform_play() -> None:
    np.testing.assert_allclose(SPACE.uniform(), slow_behaviour(np.zeros(SIZE)), rtol=1e-15)
    assert SPACE.uniform().dtype == np.float64
    assert SPACE.uniform(np.float32).dtype == np.float32


def test_best_responses_are_backward_induction() -> None:
    for _ in range(20):
        gradient = RANDOM.normal(size=SIZE)
        before = gradient.copy()
        worth, choice = gradient.copy(), np.zeros(SIZE)
        choice[0] = 1.0
        for above, own in reversed(SETS):
            best = max(own, key=lambda s: worth[s])
            choice[best] = 1.0
            worth[above] += worth[best]
        value, plan = SPACE.best_response(gradient)
        assert value == pytest.approx(worth[0], rel=1e-13)
        assert SPACE.support(gradient) == pytest.approx(worth[0], rel=1e-13)
        np.testing.assert_array_equal(plan, slow_plan(choice))
        np.testing.assert_array_equal(gradient, before)
        assert SPACE.support(gradient, overwrite=True) == pytest.approx(worth[0], rel=1e-13)
        assert not np.array_equal(gradient, before)


def test_ties_go_to_the_first_action() -> None:
    _, plan = SPACE.best_response(np.zeros(SIZE))
    first = np.zeros(SIZE)
    first[[0, *(own[0] for _, own in SETS)]] = 1.0
    np.testing.assert_array_equal(plan, slow_plan(first))


@pytest.mark.parametrize("pass_", ["plan", "behaviour", "best_response", "support"])
def test_vectors_of_other_lengths_are_refused(pass_: str) -> None:
    for wrong in (np.ones(SIZE - 1), np.ones(SIZE + 1), np.ones((SIZE, 1))):
        with pytest.raises(EquipoiseError, match=r"has shape .*, expected \(39,\)"):
            getattr(SPACE, pass_)(wrong)


def test_more_sequences_than_32_bits_are_refused() -> None:
    with pytest.raises(EquipoiseError, match=r"found 4294967296 sequences, expected fewer than 2"):
        Treeplex.from_rows([(2**31 - 1, 2, 0, None), (1, 1, 0, None)])
    most = Treeplex.from_rows([(2**31 - 1, 2, 0, None)])
    assert most.size == 2**32 - 1


def test_a_player_who_never_moves_has_one_plan() -> None:
    none = Treeplex.from_rows([])
    assert (none.size, none.infosets, none.widest) == (1, 0, 1)
    assert none.plan(none.uniform()).tolist() == [1.0]
    assert none.best_response(np.array([3.0]))[0] == none.support(np.array([3.0])) == 3.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_payoffs_of_trees_are_sums_over_their_leaves(seed: int) -> None:
    game = random_duel(seed)
    form = build(game)
    x, y = (RANDOM.normal(size=space.size) for space in (form.X, form.Y))
    matrix = np.zeros((form.X.size, form.Y.size))
    for leaf in game.terminals.tolist():
        odds, node, last = 1.0, leaf, [0, 0]
        while node:
            above = int(game.parent[node])
            player, i = int(game.player[above]), int(game.infoset[above])
            if player < 0:
                odds *= float(game.numbers[game.probability[node]])
            elif last[player] == 0:
                last[player] = int(game.first_sequence[i] + game.slot[node])
            node = above
        matrix[tuple(last)] += odds * float(game.numbers[game.payoff[game.outcome[leaf], 0]])
    # A form counts in units of its own: a power of two, so nothing is rounded.
    assert form.units.shift == 0
    matrix /= form.units.unit
    np.testing.assert_allclose(form.A.matrix().toarray(), matrix, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(form.A.times(y), matrix @ y, atol=1e-10)
    np.testing.assert_allclose(form.A.transpose_times(x), matrix.T @ x, atol=1e-10)
    out = np.full(form.X.size, np.nan)
    assert form.A.times(y, out) is out
    np.testing.assert_allclose(out, matrix @ y, atol=1e-10)
    assert form.A.shape == matrix.shape
    assert form.A.nonzeros == np.count_nonzero(matrix)
    assert (form.name, form.fingerprint) == (game.name, game.fingerprint)


def test_parents_of_information_sets_are_last_own_sequences() -> None:
    game = random_duel(2)
    for player, space in enumerate((build(game).X, build(game).Y)):
        own = np.flatnonzero(game.infoset_player == player)
        for place, above in zip(own, space.parents(), strict=True):
            for node in np.flatnonzero(game.infoset == place):
                assert game.last_sequence[player, node] == above


def test_fingerprints_tell_forms_apart() -> None:
    assert len({build(random_duel(seed)).fingerprint for seed in range(5)}) == 5


def test_forms_are_of_zero_sum_games_and_trees_need_no_abstraction() -> None:
    with pytest.raises(EquipoiseError, match=r"zero-sum|constant"):
        build(from_matrices("dilemma", [[3, 0], [5, 1]], [[3, 5], [0, 1]]))
    coarse = Partition.identity(signal_rounds(poker.kuhn()))
    with pytest.raises(EquipoiseError, match="found an abstraction for a tree"):
        build(random_duel(1), coarse)
    assert build(poker.kuhn(), coarse).fingerprint.startswith(build(poker.kuhn()).fingerprint + "/")


@pytest.mark.parametrize("pay", [[0.3, -0.3], [0.3, -1.3]])
def test_payments_cancel_or_not_as_the_rules_have_them(pay: list[float]) -> None:
    # Not as the form has them: without what is paid for sure, only the rounding of it may be left.
    rules: dict[str, Any] = {
        "ante": 0.1,
        "signals": {"names": ["a", "b"]},
        "ranking": {"order": ["a", "b"]},
        "round": [{"private": 1, "stage": {"stake": [0, 1.7], "fold": 1, "pay": pay}}],
    }
    game = rules_game(rules, "settled")
    if sum(pay) == 0:
        assert build(game).units.shift == pytest.approx(0.2)
        return
    with pytest.raises(
        EquipoiseError, match=r"found payments of 0\.2 and -1\.2, expected a zero-sum"
    ):
        build(game)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_deals_are_what_nature_did(seed: int) -> None:
    game = random_duel(seed)
    deals = build(game).A.deals
    assert deals is not None
    path: dict[int, tuple[int, ...]] = {0: ()}
    odds = {(): 1.0}
    for node in range(1, game.nodes):
        above = int(game.parent[node])
        path[node] = path[above]
        if game.player[above] == -1:
            path[node] += (int(game.slot[node]),)
    for leaf in game.terminals.tolist():
        odds[path[leaf]] = game.chance_reach[leaf]
    number = {path[leaf]: int(n) for leaf, n in zip(game.terminals, deals.node, strict=True)}
    assert len(set(number.values())) == len(number)
    every = {p[:n] for p in number for n in range(len(p) + 1)}
    assert len(deals.parent) == len(every)
    assert deals.parent[0] == -1
    goes_on = {p[:-1] for p in every if p}
    for end, place in number.items():
        assert deals.probability[place] == (0.0 if end in goes_on else odds[end])
        above = place
        for _ in end:
            above = int(deals.parent[above])
        assert above == 0


def test_fingerprints_of_games_with_signals_are_of_betting_and_signals() -> None:
    games = [poker.kuhn(), poker.kuhn(4), poker.leduc(), poker.leduc(3, 3), poker.leduc(4)]
    prints = [game_fingerprint(game) for game in games]
    assert len({*prints}) == len(games)
    assert all(len(one) == 16 for one in prints)
    assert game_fingerprint(poker.kuhn()) == prints[0]
    # Another betting tree on the same signals: its actions, their order, or who acts.
    tree = games[0].tree
    for part, values in (
        ("action", tuple(reversed(tree.action))),
        ("player", np.where(tree.player < 0, tree.player, 1 - tree.player)),
        ("parent", np.maximum(tree.parent - 1, -1)),
        ("round", tree.round + 1),
    ):
        other = copy(games[0])
        object.__setattr__(other, "tree", replace(tree, **{part: values}))
        assert game_fingerprint(other) != prints[0]


def test_units_are_known_before_a_form_is_built() -> None:
    for game in (random_duel(1), poker.kuhn(), poker.leduc(3, 1)):
        assert units_of(game) == build(game).units
