"""Two backends, one contract: arrays agree with compiled loops on given vectors.

array-api-strict refuses whatever is not in the standard.
"""

from __future__ import annotations

import importlib
import itertools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.files.rules import parse_rules
from equipoise.numerics.device import Device
from equipoise.sequence.backends import array_payoff, board_matrices
from equipoise.sequence.backends.array_payoff import ArrayPayoff
from equipoise.sequence.backends.arrays import ArrayTreeplex
from equipoise.sequence.build import SequenceForm, build
from equipoise.sequence.prox import Prox
from equipoise.sequence.treeplex import Treeplex

LIBRARIES = ["array_api_compat.numpy", "array_api_strict"]
EXACT = 1e-12


def _signals(game: Any) -> SequenceForm:
    return build(game, gameshrink(game), tiles=False)


def _spot() -> Any:
    """Suits other than clubs are alike until the river; somebody may be all-in on the turn."""
    rules = {"bets": "50%,a", "raises": "a", "ranks": "8TJQK"}
    return poker.spot("8cTcQcQd", "KTs,JJ", "QJs,TT,KJo:0.5", 100, 150, **rules)


# Player 1 comes to the last round from round 1, past the second, or from the second.
SKIPPED = """
ante = 1
ordered = false
signals = { names = ["a", "b", "c", "d"] }
ranking = { order = ["a", "b", "c", "d"] }
[[round]]
private = 1
[round.stage]
player = 1
actions.far = { then = { stake = 1 } }
actions.near = { player = 2, actions = { x = {}, y = { fold = 2 } } }
[[round]]
public = 1
bet = 1
cap = 1
[[round]]
private = [1, 0]
bet = 1
cap = 1
"""
ALONE = """
ante = 1
signals = { names = ["a", "b", "c"] }
ranking = { order = ["a", "b", "c"] }
[[round]]
private = 1
stage = { player = 1, actions = { k = {}, f = { fold = 1 } } }
"""


FORMS = {
    "matrix": lambda: build(load("kuhn(cards=2)")),
    "kuhn": lambda: build(load("kuhn")),
    "liars dice": lambda: build(load("liars_dice(sides=3)")),
    "leduc with signals": lambda: _signals(poker.leduc()),
    "rhode island": lambda: _signals(poker.rhode_island(4, 2)),
    "a round that some skip": lambda: build(parse_rules(SKIPPED), tiles=False),
    "one player alone": lambda: build(parse_rules(ALONE), tiles=False),
    "a spot, boards side by side": lambda: build(_spot()).plain,
}


@pytest.fixture(scope="module", params=FORMS)
def form(request: pytest.FixtureRequest) -> SequenceForm:
    return FORMS[request.param]()


@pytest.fixture(params=LIBRARIES)
def device(request: pytest.FixtureRequest) -> Device:
    return Device(importlib.import_module(request.param))


@pytest.fixture(params=[0, 1], ids=["player 1", "player 2"])
def space(request: pytest.FixtureRequest, form: SequenceForm) -> Treeplex:
    return (form.X, form.Y)[request.param]


def _random(space: Treeplex, seed: int, zeros: bool = False) -> Any:
    random = np.random.default_rng(seed)
    weights = random.random(space.size)
    if zeros:
        weights[random.random(space.size) < 0.4] = 0.0
    return space.behaviour(weights)


def _close(mine: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        mine, theirs, rtol=EXACT, atol=EXACT * max(1, np.abs(theirs).max(initial=0))
    )


@pytest.mark.parametrize("zeros", [False, True], ids=["full", "zeros"])
def test_plans_and_behaviour(space: Treeplex, device: Device, zeros: bool) -> None:
    arrays, behaviour = ArrayTreeplex(space, device), _random(space, 1, zeros)
    plan = space.plan(behaviour)
    _close(arrays.get(arrays.plan(arrays.put(behaviour))), plan)
    _close(arrays.get(arrays.behaviour(arrays.put(plan))), space.behaviour(plan))
    play = behaviour - 0.2
    reached = arrays.reach(arrays.put(play), arrays.filled(0.0), device.zeros((5,)))
    _close(arrays.get(reached), _reached(space, play))
    _close(arrays.get(arrays.uniform()), space.uniform())


def _reached(space: Treeplex, play: Any) -> Any:
    play = play.copy()
    play[0] = 1.0
    return space.plan(space.behaviour(play))


def test_best_responses(space: Treeplex, device: Device) -> None:
    arrays = ArrayTreeplex(space, device)
    gradient = np.random.default_rng(2).normal(size=space.size)
    value, plan = space.best_response(gradient)
    found, response = arrays.best_response(arrays.put(gradient))
    assert found == pytest.approx(value, rel=EXACT, abs=EXACT)
    assert arrays.support(arrays.put(gradient)) == pytest.approx(value, rel=EXACT, abs=EXACT)
    np.testing.assert_array_equal(arrays.get(response), plan)


def test_ties_go_to_the_first_action(space: Treeplex, device: Device) -> None:
    arrays = ArrayTreeplex(space, device)
    _, plan = space.best_response(np.zeros(space.size))
    np.testing.assert_array_equal(
        arrays.get(arrays.best_response(arrays.put(np.zeros(space.size)))[1]), plan
    )


@pytest.mark.parametrize("optimism", [0.0, 1.0])
def test_regrets(space: Treeplex, device: Device, optimism: float) -> None:
    from equipoise.solvers.saddle.regret import Stretch, reach_blocks, regret_blocks

    random = np.random.default_rng(3)
    regret, gradient = random.normal(size=(2, space.size))
    play = random.normal(size=space.size) if optimism else regret
    row = np.array([0.7, 0.3, optimism, 0.25, 0.4])
    arrays = ArrayTreeplex(space, device)
    r, g = arrays.put(regret), arrays.put(gradient)
    p = arrays.put(play) if optimism else r
    factors = device.put(row)
    arrays.regrets(r, p, g, factors)
    whole = space.blocks, np.uint32(0), np.uint32(len(space.blocks.start)), np.uint32(0)
    average = np.ones(space.size)
    scratch, plan = np.empty((3, space.widest)), np.ones(space.size)
    regret_blocks(Stretch(*whole, gradient, gradient), regret, play, row, scratch[0], scratch[1:])
    _close(arrays.get(r)[1:], regret[1:])
    _close(arrays.get(p)[1:], play[1:])
    reach_blocks(Stretch(*whole, plan, plan), play, average, row, scratch[0], scratch[1:])
    mean = arrays.filled(1.0)
    _close(arrays.get(arrays.reach(p, mean, factors)), plan)
    _close(average, 0.75 + 0.25 * plan)
    _close(arrays.get(mean), average)


@pytest.mark.parametrize("kind", ["entropy", "euclidean"])
def test_prox(space: Treeplex, device: Device, kind: Any) -> None:
    arrays, prox = ArrayTreeplex(space, device), Prox(space, kind, centre=_random(space, 4))
    gradient = 3.0 * np.random.default_rng(5).normal(size=space.size)
    origin = np.log(prox.centre) if kind == "entropy" else prox.centre
    value, behaviour = arrays.smoothed_maximum(
        arrays.put(gradient),
        device.put(prox.weight[arrays.set_order]),
        arrays.put(origin),
        entropic=kind == "entropy",
    )
    expected = prox.maximum(gradient)
    assert float(value) == pytest.approx(expected.value, rel=EXACT, abs=EXACT)
    _close(arrays.get(arrays.plan(behaviour)), expected.plan)


def test_tiles_are_for_compiled_loops(device: Device) -> None:
    with pytest.raises(EquipoiseError, match="tiles=False"):
        ArrayTreeplex(build(poker.rhode_island(4, 2)).X, device)


def test_bands_follow_each_other_and_the_empty_sequence_is_one_of_its_own(
    space: Treeplex, device: Device
) -> None:
    bands = ArrayTreeplex(space, device).bands
    assert (bands[0].first, bands[0].last, bands[0].width) == (0, 1, 1)
    assert [band.first for band in bands[1:]] == [band.last for band in bands[:-1]]
    assert bands[-1].last == space.size
    widths = [band.width for band in bands[1:]]
    assert all(one != other for one, other in itertools.pairwise(widths))


def test_places_left_over_make_no_list_long() -> None:
    form = build(_spot()).plain.A.by_board
    assert form is not None
    for street, player in itertools.product((0, 1), (0, 1)):
        links, room = form.links[street][player], form.rooms[street][player]
        assert room % 4 == 0
        empty = np.arange(room) >= form.inner.streets[street].widths[player][:, None]
        above = form.rooms[street - 1][player] if street else 1
        count = np.bincount(links[empty], minlength=above)
        assert len(count) == above
        assert count.max() - count.min() <= 1


def test_vectors_of_another_length_are_refused(space: Treeplex, device: Device) -> None:
    arrays = ArrayTreeplex(space, device)
    wrong = device.put(np.ones(space.size + 1))
    for verb in (arrays.plan, arrays.behaviour, arrays.support, arrays.best_response):
        with pytest.raises(EquipoiseError, match=rf"expected \({space.size},\)"):
            verb(wrong)


@pytest.mark.parametrize("share", [0.0, np.inf], ids=["whole matrices", "by components"])
def test_products(
    form: SequenceForm, device: Device, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_payoff, "_BATCHED_SHARE", share)
    X, Y = ArrayTreeplex(form.X, device), ArrayTreeplex(form.Y, device)
    x, y = form.X.plan(_random(form.X, 6)), form.Y.plan(_random(form.Y, 7, zeros=True))
    A = ArrayPayoff(form.A, X, Y)
    assert A.shape == form.A.shape
    _close(X.get(A.times(Y.put(y))), form.A.times(y))
    _close(Y.get(A.transpose_times(X.put(x))), form.A.transpose_times(x))


@pytest.mark.parametrize("pairs", [1, 700])
def test_boards_are_compared_some_at_a_time(
    device: Device, pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each alone where one has more pairs than may be compared at once, and a few where it has less."""
    form = build(_spot()).plain
    X, Y = ArrayTreeplex(form.X, device), ArrayTreeplex(form.Y, device)
    y = form.Y.plan(_random(form.Y, 9))
    together = X.get(ArrayPayoff(form.A, X, Y).times(Y.put(y)))
    monkeypatch.setattr(board_matrices, "_PAIRS", pairs)
    _close(X.get(ArrayPayoff(form.A, X, Y).times(Y.put(y))), together)


def test_components_of_unequal_sizes_are_filled_up(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_payoff, "_BATCHED_SHARE", np.inf)
    random = np.random.default_rng(8)
    matrix = sparse.block_diag([random.random(shape) for shape in [(1, 2), (3, 1), (2, 4)]], "csr")
    found = array_payoff._batches(matrix)
    assert found is not None
    rows = random.random((5, matrix.shape[1]))
    product = array_payoff._Batched(matrix, *found, device)(device.put(rows))
    _close(device.get(product), (matrix @ rows.T).T)


def test_the_array_road_needs_no_compiler() -> None:
    code = (
        "import sys, equipoise.sequence.backends.array_payoff as module; "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
