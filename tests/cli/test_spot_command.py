"""``equipoise spot``, ``hands`` and ``flops``: from options and files to tables, and one sentence for what is wrong."""

from __future__ import annotations

import csv
import inspect
import json
from pathlib import Path

import pytest
from commandline import Cli

from equipoise.cli.spot import command as spot_command
from equipoise.games.poker import spot

SMALL = {
    "--board": "2c7d9hTsJc",
    "--oop": "AA,QQ,65s,KQs",
    "--ip": "KK,88,ATs",
    "--pot": "100",
    "--stack": "200",
    "--bets": "50%",
}


def _options(**changed: str | None) -> list[str]:
    given = SMALL | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    return [part for name, value in given.items() if value is not None for part in (name, value)]


def test_a_spot_is_solved_saved_and_looked_at(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "a.eqp"
    done = cli("spot", *_options(), "--target", "0.5%", "--out", str(out), "--json")
    status, text, told = done.code, done.out, done.err
    assert status == 0, told
    found = json.loads(text)
    assert found["exploitability_pct"] <= 0.5
    assert found["lower"] <= found["value"] <= found["upper"]
    assert "MB by estimate" in told
    table = tmp_path / "hands.csv"
    done = cli("hands", str(out), "--at", "k", "--csv", str(table), "--json")
    status, text, told = done.code, done.out, done.err
    assert status == 0, told
    rows = json.loads(text)
    assert [own["player"] for own in rows["ranges"]] == ["OOP", "IP"]
    assert set(rows["ranges"][1]["play"]) == {"k", "b50"}
    assert table.read_text().startswith("player,hand,kind,reach,equity,value,play k")
    assert cli("hands", str(out)).code == cli("show", str(out)).code == 0


def test_all_that_a_spot_is_told_is_an_option() -> None:
    named = inspect.signature(spot_command).parameters
    assert set(inspect.signature(spot).parameters) <= set(named)


def test_another_deck_and_the_smallest_bet(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "a.eqp"
    deck = {
        "board": "8cTcQcQdJc",
        "oop": "KTs,JJ",
        "ip": "QJs,TT",
        "ranks": "8TJQK",
        "suits": "cdh",
    }
    done = cli("spot", *_options(**deck, smallest="70"), "--out", str(out), "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["hands"] == [3, 2]
    assert "b70" in json.loads(cli("hands", str(out), "--json").out)["ranges"][0]["play"]


def test_shares_in_hundredths(cli: Cli) -> None:
    limit = ("--iterations", "1", "--force", "--json")
    for changed in ({"rake": "5%"}, {"rake": "0.05"}):
        game = cli("spot", *_options(**changed), *limit).fields["game"]
        assert game.endswith(",rake=0.05)")


def test_what_is_told_before_a_solve(cli: Cli) -> None:
    done = cli("spot", *_options(), "--target", "5%", "--out", "b.eqp")
    status, text = done.code, done.out
    assert status == 0
    assert "memory" in text
    assert "lines" in text
    assert "% of the pot a player, " in text


def test_a_locked_spot_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "a.eqp"
    lock = ": b50 AA; k QQ,65s,KQs"
    done = cli("spot", *_options(lock=lock), "--out", str(out), "--json")
    status, told = done.code, done.err
    assert status == 0, told
    text = cli("hands", str(out), "--json").out
    aces = [row for row in json.loads(text)["hands"] if row["kind"] == "AA"]
    assert all(row["play b50"] == pytest.approx(1) for row in aces)


def test_promises_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    """At a deadline: what was found by then, and its gap; and the file opens again."""
    out = tmp_path / "a.eqp"
    promised = {"keeper": "oop", "promised": "70 KK; 40 88,ATs", "gadget": "maxmargin"}
    limit = ["--target", "0", "--time", "0.1", "--out", str(out), "--json"]
    done = cli("spot", *_options(**promised), *limit)
    assert done.code == 1, done.err
    found = json.loads(done.out)
    assert found["status"] == "time limit"
    assert found["exploitability_pct"] == pytest.approx(found["gap"] / 2)  # of a pot of 100
    assert cli("show", str(out)).code == 0


def test_arrays_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("array_api_compat")
    options = ["--device", "numpy", "--out", str(tmp_path / "a.eqp"), "--json"]
    done = cli("spot", *_options(), *options)
    status, text, told = done.code, done.out, done.err
    assert status == 0, told
    assert "device=numpy" in json.loads(text)["method"]


def test_flops_on_the_command_line(cli: Cli, tmp_path: Path) -> None:
    rules = {"oop": "AhAs,7h6h", "ip": "KhKs,9h8h", "pot": 10, "stack": 20, "bets": "a", "cap": 1}
    file = tmp_path / "rules.toml"
    file.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in rules.items()))
    for wrong in ("x", "0", "nan", "inf%"):
        done = cli("flops", str(file), "--target", wrong)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert f"--target: found '{wrong}'" in done.err
    done = cli("flops", str(file), "--flops", "2c2d2s:2,Qs8d3c", "--target", "0.5%", "--json")
    status, text, told = done.code, done.out, done.err
    assert status == 0, told
    found = json.loads(text)
    assert found["flops"] == 2
    assert Path(found["table"]).read_text().count("\n") == 3


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"board": "2c2c9hTsJc"}, "2c"),
        ({"board": "2c7d"}, "found 2 cards in '2c7d', expected three to five"),
        ({"board": "2c7d9hZs"}, "Z"),
        ({"oop": ""}, "oop: found an empty range"),
        ({"oop": "2c2d"}, "oop: found no hand without a card of the board 2c7d9hTsJc"),
        ({"oop": "AKx"}, "found 'AKx'"),
        ({"ip": "AA:2"}, "found 'AA:2', expected a weight from 0 to 1"),
        ({"oop": "AhAs", "ip": "AhAd"}, "every two hands share a card"),
        ({"stack": "-5"}, "stack: found -5, expected an amount from 1e-06 to"),
        ({"pot": "0"}, "pot: found 0, expected an amount from 1e-06 to"),
        ({"pot": None}, "pot"),
        ({"bets": ""}, "bets: found '', with which nobody may bet"),
        ({"bets": "60%,z"}, "'z'"),
        ({"bets": "-20%"}, "-20%"),
        ({"raises": "2.5y"}, "2.5y"),
        ({"bets": "50%/60%"}, "found 2 streets in '50%/60%'"),
        ({"bets": "1%|2%|3%"}, "found 3 players in '1%|2%|3%'"),
        ({"cap": "x"}, "cap: found 'x'"),
        ({"rake": "1.5"}, "rake"),
        ({"rake": "150%"}, "rake: found 1.5, expected a share from 0 up to 1"),
        ({"rake": "five"}, "'--rake': found 'five', expected a share such as 0.05 or 5%"),
        ({"rake_cap": "4"}, "rake_cap: found 4 without a rake, expected both"),
        ({"target": "x%"}, "--target: found 'x%'"),
        ({"target": "inf"}, "--target: found 'inf', expected a share of the pot"),
        ({"lock": ": x AA"}, "lock: found 'x', expected one of k, b50"),
        ({"device": "abacus"}, "device is abacus, expected one of compiled"),
        ({"device": "numpy", "method": "lp"}, "--device: found the method lp"),
        ({"method": "lp", "lock": ": b50 AA"}, "found the method lp"),
    ],
)
def test_one_sentence_for_bad_input(
    cli: Cli, changed: dict[str, str | None], sentence: str
) -> None:
    done = cli("spot", *_options(**changed), "--out", "wrong.eqp")
    status, text, told = done.code, done.out, done.err
    assert status == 2, (status, text, told)
    assert sentence in told, told
    assert told.count("\n") <= 1
    assert "Traceback" not in told
    assert not Path("wrong.eqp").exists()


def test_more_memory_than_there_is(cli: Cli) -> None:
    every = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
    options = _options(
        board="Td9d6h", oop=every, ip=every, stack="3000", bets="33%,75%", raises="2.5x,4x"
    )
    done = cli("spot", *options, "--json")
    status, told = done.code, done.err
    assert status == 2
    assert "MB that are free" in told


def test_flops_of_another_deck(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        'oop = "AA,KK"\nip = "QQ,AA"\npot = 10\nstack = 10\nranks = "9TJQKA"\n', encoding="utf-8"
    )
    table = tmp_path / "table.csv"
    fields = cli(
        "flops", tmp_path / "rules.toml", "--flops", "5", "--target", "5", "--out", table, "--json"
    ).fields
    assert (fields["flops"], fields["left_out"]) == (5, 0)
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {card for row in rows for card in row["flop"][::2]} <= {*"9TJQKA"}
    assert sum(float(row["weight"]) for row in rows) == pytest.approx(2024)


def test_flops_that_never_come_are_left_out_and_counted(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    text = (
        'oop = "KsKh,KsQd"\nip = "KdKc"\npot = 10\nstack = 10\nranks = "9TJQKA"\nsuits = "cdhs"\n'
    )
    file.write_text(text, encoding="utf-8")
    done = cli("flops", file, "--flops", "3", "--target", "5", "--json")
    # A flop with Ks, Kd or Kc, or both Kh and Qd: 2,024 less C(21, 3), and the 19 with both.
    assert done.fields["left_out"] == 2024 - 1330 + 19
    assert f"{done.fields['left_out']} flops leave a player no hand" in done.err
    done = cli("flops", file, "--flops", "KsQdJd", "--target", "5", "--out", tmp_path / "b.csv")
    assert done.code
    assert "no hand without a card of the board KsQdJd" in done.err
