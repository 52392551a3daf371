"""Regrets and averages in 16 bits a number: rows, iterations, and what is certified in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from random_spots import random_spot, symmetric_spot
from typer.testing import CliRunner

import equipoise
from equipoise.cli.app import app
from equipoise.errors import EquipoiseError
from equipoise.games.poker import spot
from equipoise.road.spots import sizes
from equipoise.sequence.build import build
from equipoise.solvers.base import Context, measure
from equipoise.solvers.methods import method
from equipoise.solvers.saddle.packed_rows import (
    SIGNED,
    UNSIGNED,
    PackedRows,
    moment,
    pack_rows,
    unpack,
    unpack_rows,
)

RULE = "dcfr(beta=0.5,dtype=int16,gamma=4)"
SINGLE = "dcfr(beta=0.5,dtype=float32,gamma=4)"
KINDS = {SIGNED: np.int16, UNSIGNED: np.uint16}
RIVER = ("2c7d9hTsJc", "AA,QQ,65s,KQs", "KK,88,ATs", 100, 200, "50%,a", "a")


@njit
def _pack(packed: Any, rows: Any, width: Any, values: Any, digits: Any, time: Any) -> None:
    pack_rows(packed, np.uint64(0), np.uint64(0), rows, width, values, digits, time)


@njit
def _unpack(packed: Any, rows: Any, width: Any, out: Any) -> None:
    unpack_rows(packed, np.uint64(0), np.uint64(0), rows, width, out)


def packed(values: np.ndarray, digits: int, iteration: int = 1) -> PackedRows:
    """Return rows of numbers, packed by the kernel."""
    rows, width = values.shape
    found = PackedRows.of(values.size, rows, KINDS[digits])
    own = np.ascontiguousarray(values, dtype=np.float32).ravel()
    sizes = np.uint64(rows), np.uint64(width)
    _pack(found, *sizes, own, np.int32(digits), moment(iteration))
    return found


def unpacked(found: PackedRows) -> np.ndarray:
    rows = len(found.unit)
    out = np.empty(len(found.numbers), dtype=np.float32)
    _unpack(found, np.uint64(rows), np.uint64(len(out) // rows), out)
    return out.reshape(rows, -1)


def slowly_packed(values: np.ndarray, digits: int, iteration: int, start: int = 0) -> PackedRows:
    """The module's docstring, number by number, in whole numbers and doubles."""
    found = PackedRows.of(values.size, len(values), KINDS[digits])
    for j, row in enumerate(values.astype(np.float64)):
        unit = 2.0**-100
        while np.abs(row).max(initial=0) >= unit * 2**digits:
            unit *= 2
        found.unit[j] = unit
        for k, v in enumerate(row):
            place = start + j * values.shape[1] + k
            u = ((place * 0x9E3779B9 + iteration * 0x6A09E667) % 2**32 >> 8) / 2**24
            down = np.floor(v / unit)
            number = min(int(down) + int(v / unit - down > u), 2**digits - 1)
            found.numbers[j * values.shape[1] + k] = number
    return found


def random_rows(random: np.random.Generator, digits: int) -> np.ndarray:
    """Rows of the most unlike sizes, with zeros; one is all zeros, and some are smaller than any unit."""
    values = random.normal(size=(40, 37)) * 10.0 ** random.uniform(-8, 8, size=(40, 37))
    values *= 10.0 ** random.uniform(-20, 20, size=(40, 1))
    values[random.random(values.shape) < 0.1] = 0
    values[7] = 0
    values[8] *= 1e-30
    return (np.abs(values) if digits == UNSIGNED else values).astype(np.float32)


@pytest.mark.parametrize("digits", KINDS)
def test_packing_is_within_a_unit_and_as_written(digits: int) -> None:
    random = np.random.default_rng(digits)
    values = random_rows(random, digits)
    found, truth = packed(values, digits, 5), slowly_packed(values, digits, 5)
    np.testing.assert_array_equal(found.numbers, truth.numbers)
    np.testing.assert_array_equal(found.unit, truth.unit)
    error = np.abs(unpacked(found) - values)
    # One unit, of which a row's largest number has at least half of all there are.
    largest = np.abs(values).max(axis=1)
    assert (error <= found.unit[:, None]).all()
    usual = largest > 1e-20
    assert (found.unit[usual] <= 2.0 ** (1 - digits) * largest[usual]).all()
    assert (unpacked(found)[values == 0] == 0).all()


@pytest.mark.parametrize("digits", KINDS)
def test_what_was_packed_is_packed_again_to_the_same(digits: int) -> None:
    once = packed(random_rows(np.random.default_rng(3), digits), digits, 1)
    again = packed(unpacked(once), digits, 2)
    np.testing.assert_array_equal(once.numbers, again.numbers)


@pytest.mark.parametrize("digits", KINDS)
def test_over_time_nothing_is_lost(digits: int) -> None:
    """The mean over n times is within c / n of the number: parts of the root of two lie evenly (Weyl 1916)."""
    values = random_rows(np.random.default_rng(4), digits)[:3, :5]
    values /= (
        np.abs(values).max(axis=1, keepdims=True) * 1.1
    )  # units stay the same, and nothing is cut off
    times = 1000
    mean = np.mean([unpacked(packed(values, digits, t)) for t in range(times)], axis=0, dtype=float)
    unit = packed(values, digits).unit[:, None]
    assert (np.abs(mean - values) < 5 / times * unit).all()


def test_boards_are_unpacked_by_themselves() -> None:
    bounds, slots = np.array([0, 3, 3, 8], dtype=np.uint32), np.uint64(2)
    numbers = np.arange(16, dtype=np.int16)
    both = PackedRows(numbers, np.array([1, 2, 9, 9, 4, 8], dtype=np.float32))
    whole, last = np.empty(16, dtype=np.float32), np.empty(10, dtype=np.float32)
    unpack(both, slots, bounds, np.uint64(0), np.uint64(3), whole)
    unpack(both, slots, bounds, np.uint64(1), np.uint64(3), last)
    units = np.repeat([1, 2, 4, 8], [3, 3, 5, 5])
    np.testing.assert_array_equal(whole, numbers * units)
    np.testing.assert_array_equal(last, whole[6:])


def boards_of(run: Any, player: int) -> list[tuple[slice, slice, int]]:
    """Return for each board of the last street its sequences after the trunk, its rows, and its buckets."""
    sweeps, found = run.sweeps, []
    slots, bounds = int(sweeps.players[player].slots), sweeps.bounds[player].astype(int)
    for p in range(len(bounds) - 1):
        rows = slice(p * slots, (p + 1) * slots)
        found.append(
            (slice(slots * bounds[p], slots * bounds[p + 1]), rows, bounds[p + 1] - bounds[p])
        )
    return found


def copied(run: Any, whole: Any) -> None:
    """Give the run in single precision the numbers of the packed one."""
    for player, (side, own) in enumerate(zip(run.sides, whole.sides, strict=True)):
        trunk = len(side.regret)
        own.average[:] = run.point()[player]
        own.regret[:trunk] = side.regret
        for place, rows, width in boards_of(run, player):
            units = np.repeat(side.regrets.unit[rows], width)
            own.regret[trunk:][place] = side.regrets.numbers[place] * units
        whole.sweeps.hold(player)


def require_packed(
    run: Any, player: int, vector: np.ndarray, kept: PackedRows, digits: int
) -> None:
    """The rows are those of ``vector``, as the slow reference packs them."""
    for place, rows, width in boards_of(run, player):
        values = vector[place].reshape(-1, width)
        truth = slowly_packed(values, digits, run.iterations + 1, place.start)
        np.testing.assert_array_equal(kept.unit[rows], truth.unit)
        # Sums may be added up in another order: then a number close to the dither goes the other way.
        off = np.abs(kept.numbers[place].astype(int) - truth.numbers)
        assert off.max(initial=0) <= 1
        assert (off > 0).mean() < 0.01


@pytest.mark.parametrize(
    "lock",
    ["", ": k AA; b50 QQ | b50,R200: f KQs,AA", ": k AA | k,K/: b50 QQ; k AA | k,K/k: b50 KK"],
)
def test_an_iteration_is_one_in_single_precision_packed(lock: str) -> None:
    """From the same numbers, one player's plan and the other's regrets, and then the other way."""
    form = build(spot("2c7d9hTs", *RIVER[1:3], 100, 200, "50%", "a", lock=lock))
    whole, run = (method(name).start(form, Context()) for name in (SINGLE, RULE))
    run.advance(9)
    row = run.method.schedule(10, 1, 100, run.weight)[0][0].astype(np.float32)
    run.sweeps.time = moment(10)
    for source in (1, 0):
        copied(run, whole)
        for each in (whole, run):
            each.sweeps.turn(source, row)
        gave, took, fixed = run.sides[source], run.sides[1 - source], form.A.runouts.fixed
        average, regret = whole.sides[source].average, whole.sides[1 - source].regret
        if fixed[1 - source] is not None:
            places = fixed[1 - source].places
            regret[places[places >= len(took.regret)]] = 0  # not kept with the others
        np.testing.assert_allclose(took.regret, regret[: len(took.regret)], rtol=1e-4, atol=1e-8)
        np.testing.assert_allclose(gave.average, average[: len(gave.average)], rtol=1e-6)
        require_packed(run, 1 - source, regret[len(took.regret) :], took.regrets, SIGNED)
        require_packed(run, source, average[len(gave.average) :], gave.averages, UNSIGNED)


@pytest.mark.parametrize("rules", [{}, {"rake": 0.05, "rake_cap": 9}])
def test_a_packed_solve_is_certified_at_the_gap_it_says(rules: dict[str, Any]) -> None:
    game = random_spot(np.random.default_rng(5), 4, hands=12, **rules)
    result = equipoise.solve(game, RULE, gap=0.05)
    assert result.status.value == "converged"
    assert result.found.gap == pytest.approx(result.certificate.gap, abs=1e-3)
    assert result.certificate.gap < 0.06
    other = equipoise.solve(game, gap=0.05)
    if not rules:  # where the house takes a part, equilibria differ in value
        assert result.certificate.value == pytest.approx(other.certificate.value, abs=0.05)


def test_symmetric_runouts_and_flops() -> None:
    game = symmetric_spot(bets="a", raises="", cap=1)
    result = equipoise.solve(game, RULE, gap=0.2)
    assert result.certificate.gap < 0.21


def test_locks_hold() -> None:
    game = spot(*RIVER, lock=": b50 AA; k QQ,65s,KQs")
    held, truth = (equipoise.solve(game, name, gap=0.05) for name in (RULE, SINGLE))
    assert held.certificate.gap < 0.06
    assert held.certificate.value == pytest.approx(truth.certificate.value, abs=0.05)
    assert held.strategy.at("")["AhAs"]["b50"] == 1


def test_the_engine_measures_the_point_it_hands_out() -> None:
    form = build(symmetric_spot("8cTcQcQd"))
    run = method(RULE).start(form, Context())
    run.advance(30)
    bounds, point = run.bounds(), run.point()
    unit = form.units.unit
    assert (unit * bounds[0], unit * bounds[1]) == pytest.approx(measure(form, *point), abs=1e-3)
    for plan, kept in zip(point, run.kept(), strict=True):
        np.testing.assert_array_equal(plan, kept)


def test_a_run_goes_on_from_its_state_to_the_same_bytes() -> None:
    form = build(random_spot(np.random.default_rng(1), 4, hands=8))
    whole, first, second = (method(RULE).start(form, Context()) for _ in range(3))
    whole.advance(25)
    first.advance(11)
    second.restore({key: np.array(value) for key, value in first.state().items()})
    second.iterations = first.iterations
    second.advance(9)
    second.advance(5)
    assert whole.state().keys() == second.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, second.state()[name], err_msg=name)


def test_it_begins_with_uniform_play_alone() -> None:
    form = build(symmetric_spot("8cTcQcQd"))
    start = form.X.plan(form.X.uniform()), form.Y.plan(form.Y.uniform())
    method(SINGLE).start(form, Context(start=start))
    with pytest.raises(EquipoiseError, match="dtype is int16, which begins with uniform play"):
        method(RULE).start(form, Context(start=start))


def test_a_solve_resumed_ends_in_the_same_bytes(tmp_path) -> None:
    game = random_spot(np.random.default_rng(1), 4, hands=8)
    short = equipoise.solve(game, RULE, gap=0.1, iterations=20, out=tmp_path / "a.eqp")
    assert short.status.value == "iteration limit"
    more = equipoise.solve(game, RULE, gap=0.1, out=tmp_path / "a.eqp", resume=True)
    whole = equipoise.solve(game, RULE, gap=0.1)
    assert more.found.iterations == whole.found.iterations > 20
    for one, other in zip(more.strategy.behaviour, whole.strategy.behaviour, strict=True):
        np.testing.assert_array_equal(one, other)
    equipoise.solve(game, RULE, gap=1e-9, iterations=3, out=tmp_path / "b.eqp")
    with pytest.raises(EquipoiseError, match="found a solve with method"):
        equipoise.solve(game, SINGLE, gap=0.1, out=tmp_path / "b.eqp", resume=True)


def test_what_is_kept_is_what_was_estimated() -> None:
    game = random_spot(np.random.default_rng(2), 4, hands=40, bets="50%,a")
    for name in (RULE, SINGLE, "dcfr", "pcfr+"):
        run = method(name).start(build(game), Context())
        held = sum(a.nbytes for k, a in run.state().items() if k not in ("weight", "horizon"))
        assert sizes(game, method(name))["memory_mb"] == round(held / 1e6, 1)
    assert sizes(game, method(RULE))["memory_mb"] < 0.6 * sizes(game)["memory_mb"]


@pytest.mark.parametrize(
    ("game", "name", "sentence"),
    [
        ("kuhn", RULE, "dtype is int16, which is for spots without joint beliefs"),
        ("spot", "pcfr+(dtype=int16)", "expected float32 or float64 for a method with"),
        ("spot", "dcfr(dtype=int16,device=numpy)", "int16 on numpy, expected float32 or float64"),
        ("spot", "dcfr(dtype=int8)", "dtype is int8, expected float32 or float64, or int16 for"),
        ("joint", RULE, "which is for spots without joint beliefs"),
    ],
)
def test_what_cannot_be_packed_is_refused(game: str, name: str, sentence: str) -> None:
    rules = {"spot": spot(*RIVER), "joint": None}.get(game, game)
    if game == "joint":
        rules = spot(*RIVER, joint=np.ones((1326, 1326)))
    with pytest.raises(EquipoiseError, match=sentence):
        equipoise.solve(rules, name, gap=0.5)


def test_the_command_line_packs(tmp_path) -> None:
    given = ["spot", "--board", RIVER[0], "--oop", RIVER[1], "--ip", RIVER[2], "--pot", "100"]
    given += ["--stack", "200", "--bets", "50%", "--out", str(tmp_path / "a.eqp"), "--compress"]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 0, done.output
    assert "dtype=int16" in equipoise.open(tmp_path / "a.eqp").summary()["method"]
    refused = CliRunner().invoke(app, [*given, "--method", "egt"])
    assert isinstance(refused.exception, EquipoiseError)
    assert "--compress: found the method egt, expected one of regrets" in str(refused.exception)
