"""``equipoise certify`` of strategies by name, and of poker board by board."""

from __future__ import annotations

import numpy as np
import pytest
from commandline import Cli

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.strategy.simple import simple_strategy


def test_a_strategy_by_name(cli: Cli) -> None:
    exact = cli("certify", "no-limit-leduc", "always-call", "--json")
    assert (exact.code, exact.err) == (0, "")
    fields = exact.fields
    assert fields["flops"] == fields["of"] == 3
    assert fields["exploitability"] == pytest.approx(sum(fields["best_responses"]) / 2)
    on_arrays = cli("certify", "no-limit-leduc", "always-call", "--device", "numpy", "--json")
    assert on_arrays.fields["gap"] == pytest.approx(fields["gap"], rel=1e-5)


def test_a_sample_says_what_it_is(cli: Cli) -> None:
    text = cli("certify", "no-limit-leduc", "uniform", "--flops", 2)
    assert text.code == 0
    assert "2 flops drawn at random: an estimate" in " ".join(text.out.split())
    fields = cli("certify", "no-limit-leduc", "uniform", "--flops", 2, "--json").fields
    assert len(fields["standard_errors"]) == 2


def test_names_and_devices_that_do_not_fit(cli: Cli) -> None:
    given_as_a_tree = cli("certify", "kuhn", "always-call")
    assert given_as_a_tree.code == 2
    assert "'kuhn', expected a poker game that is given by its rounds" in given_as_a_tree.err
    there_is_none = cli("certify", "no-limit-leduc", "uniform", "--device", "abacus")
    assert there_is_none.code == 2
    assert "abacus" in there_is_none.err


@pytest.mark.parametrize("flops", ["1", "many", "-3", "9" * 30])
def test_so_many_flops_are_a_number_or_all(cli: Cli, flops: str) -> None:
    for command in (("certify", "no-limit-leduc", "uniform"), ("solve", "limit-holdem")):
        told = cli(*command, "--flops", flops)
        assert told.code == 2
        assert "expected a number from 2 up, or all" in told.err


def test_all_flops_are_what_a_certificate_takes_anyway(cli: Cli) -> None:
    game = ("certify", "no-limit-leduc", "always-call", "--json")
    assert cli(*game, "--flops", "all").fields == cli(*game).fields


def test_a_solve_refuses_flops_before_it_begins() -> None:
    for wrong in ("many", 1, 2.5):
        with pytest.raises(EquipoiseError, match="expected a whole number from 2 up, or all"):
            equipoise.solve("limit-holdem", flops=wrong)
    strategy = simple_strategy(poker.limit_holdem(), "always-fold")
    with pytest.raises(EquipoiseError, match="found a sample of 'many'"):
        equipoise.certify("limit-holdem", strategy, flops="many")


def test_where_the_gains_come_from(cli: Cli) -> None:
    game = ("certify", "no-limit-leduc", "uniform")
    fields = cli(*game, "--by", "round", "--json").fields
    first, second = fields["by_round"]
    assert (first["name"], second["name"]) == ("round 1", "round 2")
    assert first["gains"] == pytest.approx(fields["gains"])
    assert second["exploitability"] < first["exploitability"]
    assert first["exploitability"] == pytest.approx(fields["exploitability"])
    fields = cli(*game, "--by", "hand", "--json").fields
    hands = fields["by_hand"]
    assert sum(hand["dealt"] for hand in hands) == pytest.approx(1)
    assert sum(hand["exploitability"] for hand in hands) == pytest.approx(first["exploitability"])
    amounts = [hand["exploitability"] for hand in hands]
    assert amounts == sorted(amounts, reverse=True)
    for by, words in (("round", "round 2"), ("hand", "gains by hole cards")):
        told = cli(*game, "--by", by)
        assert words in told.out
        assert "in chips a hand" in told.out
        header = next(line.split() for line in told.out.splitlines() if "exploitability  " in line)
        assert header[0] == {"round": "from", "hand": "hand"}[by]
    assert "found 'street', expected round or hand" in cli(*game, "--by", "street").err


def test_what_takes_boards_is_refused_by_its_own_name(cli: Cli) -> None:
    for game in ("partial", "kuhn"):
        assert cli("solve", game, "--out", "found.eqp", "--force").code == 0
        told = cli("certify", game, "found.eqp", "--by", "round")
        assert told.code == 2
        assert f"--by: found '{game}', expected a poker game." in told.err
    assert cli("solve", "partial", "--out", "found.eqp", "--force").code == 0
    told = cli("certify", "partial", "found.eqp", "--parts", "parts.eqp")
    assert told.code == 2
    assert "found the option 'parts' for a repeated game" in told.err
    told = cli("certify", "no-limit-leduc", "uniform", "--flops", 2, "--rigorous")
    assert told.code == 2
    assert "--rigorous: found a certificate board by board" in told.err


def test_options_of_another_type_are_told() -> None:
    game = poker.no_limit_leduc()
    strategy = simple_strategy(game, "uniform")
    for options, words in (
        ({"parts": 5}, "parts: found 5, expected the name of a file."),
        ({"flops": 2, "seed": -1}, "seed: found -1, expected a whole number from 0 up."),
        ({"flops": 2, "seed": 0.5}, "seed: found 0.5, expected a whole number from 0 up."),
    ):
        with pytest.raises(EquipoiseError) as told:
            equipoise.certify(game, strategy, **options)
        assert str(told.value) == words
    with pytest.raises(EquipoiseError, match="seed: found -1"):
        equipoise.solve("kuhn", seed=-1)
    with pytest.raises(EquipoiseError, match="seed: found -1"):
        equipoise.abstract("limit-holdem", "potential", "2-2-2-2", seed=-1)
    with pytest.raises(EquipoiseError, match="pairs: found 5, expected the name of a file"):
        equipoise.solve("limit-holdem", model="laptop", pairs=5)
    few = equipoise.certify(game, strategy, flops=np.int64(2), seed=np.uint8(1))
    assert few.gains == equipoise.certify(game, strategy, flops=2, seed=1).gains


def test_holdem_is_told_in_blinds_by_169_hands(cli: Cli) -> None:
    fields = cli(
        "certify", "limit-holdem", "always-fold", "--flops", 2, "--by", "hand", "--json"
    ).fields
    hands = {hand["name"]: hand for hand in fields["by_hand"]}
    assert len(hands) == 169
    dealt = {name: round(hands[name]["dealt"] * 1326) for name in ("AA", "AKs", "72o")}
    assert dealt == {"AA": 6, "AKs": 4, "72o": 12}
    told = sum(hand["exploitability_mbb"] for hand in hands.values())
    assert told == pytest.approx(fields["exploitability_mbb"])
    # The small blind folds before any card matters, and against who folds then, every hand wins three chips more.
    assert hands["72o"]["gains"][1] == pytest.approx(0, abs=1e-12)
    assert hands["72o"]["gains"][0] >= 3 * 12 / 1326 - 1e-9
