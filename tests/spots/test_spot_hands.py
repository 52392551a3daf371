"""What hands are worth at a point: against certificates, the game written out, and the rules of poker."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from random_spots import random_spot, random_strategy, symmetric_spot

import equipoise
from equipoise.certificates.spot_hands import report
from equipoise.certificates.spots import certify_spot
from equipoise.games.poker import parse_range, spot
from equipoise.games.poker.flops import alike_for, canonical_flops, never_come, read_flops
from equipoise.plots.range_grid import draw
from equipoise.road.flop_table import solve_flops, totals
from equipoise.road.spots import Spots

GAMES = {
    "river": lambda random: random_spot(random, 5, hands=8),
    "turn, raked": lambda random: random_spot(random, 4, hands=5, rake=0.05),
    "flop, alike": lambda random: symmetric_spot(bets="a", raises="", cap=1),
}


@pytest.mark.parametrize("name", GAMES)
def test_the_mean_of_a_range_is_what_the_certificate_says(name: str) -> None:
    random = np.random.default_rng(4)
    game = GAMES[name](random)
    strategy = random_strategy(game, random)
    values = certify_spot(game, strategy).values
    found = [own["value"] for own in report(strategy).totals()]
    assert found == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_values_are_means_over_actions_and_over_cards(name: str) -> None:
    random = np.random.default_rng(5)
    game = GAMES[name](random)
    strategy = random_strategy(game, random)
    here = report(strategy)
    own = here.players[0]
    known = ~np.isnan(own.value)
    mixed = (own.play * own.action_value).sum(axis=1)
    np.testing.assert_allclose(mixed[known], own.value[known], atol=1e-9)
    assert own.cost[known].min() >= 0
    # Against a check, the other player's value of what she does next is what the first one leaves.
    after = report(strategy, "k")
    assert sum(own["value"] for own in after.totals()) == pytest.approx(
        sum(after.mean(i, after.players[i].value) for i in (0, 1)), abs=1e-9
    )


def test_equities_are_those_of_all_cards_dealt() -> None:
    from equipoise.cards.equity import all_in
    from equipoise.cards.starting import starting_hands

    game = spot("Td9d6h", "AhAs", "KhKs", 100, 100, "a")
    strategy = random_strategy(game, np.random.default_rng(0))
    outcomes = all_in(starting_hands("AhAs"), starting_hands("KhKs"), game.deck.parse("Td9d6h"))
    assert report(strategy).totals()[0]["equity"] == pytest.approx(float(outcomes.value), abs=1e-12)


def test_reach_follows_the_strategy() -> None:
    game = symmetric_spot("8cTcQcQd")
    strategy = equipoise.solve(game, gap=1.0).strategy
    after = report(strategy, "k,K/", "8h")
    first = report(strategy).players[0]
    checks = dict(zip(map(tuple, first.hands.tolist()), first.play[:, 0], strict=True))
    for hand, reach in zip(after.players[0].hands.tolist(), after.players[0].reach, strict=True):
        assert reach == pytest.approx(checks[tuple(hand)], abs=1e-6)
    weights = parse_range(after.range_of(0), game.deck)
    assert weights.max() == 1
    with pytest.raises(equipoise.EquipoiseError, match="the hand is over"):
        report(strategy, "b50,F")


def test_reach_is_the_product_of_what_was_played() -> None:
    """From the flop to the river, hand by hand."""
    game = symmetric_spot(bets="a", raises="", cap=1)
    strategy = random_strategy(game, np.random.default_rng(6))
    there = report(strategy, "k,K/k,K/", "8hKd")
    checks = [(("", ""), ("k,K/", "8h")), (("k", ""), ("k,K/k", "8h"))]
    for own, asked in zip(there.players, checks, strict=True):
        played = [strategy.at(*place) for place in asked]
        for hand, reach in zip(own.hands, own.reach, strict=True):
            shares = [table[game.deck.text(hand)]["k"] for table in played]
            assert reach == pytest.approx(np.prod(shares), abs=1e-12)


def test_off_the_path_hands_do_what_is_sensible() -> None:
    """The nuts do not fold where they never come to; nothing plays there by accident."""
    game = spot("2c7d9hTsJc", "KQs,65s,AA", "88,ATs,KK", 100, 200, "50%,a", "a")
    strategy = equipoise.solve(game, gap=0.1).strategy
    tree = game.tree
    for node in np.flatnonzero(tree.player == 0).tolist():
        actions = [tree.action[child] for child in tree.successors[node]]
        if actions[0] == "f":
            assert strategy.at(tree.histories[node])["KhQh"]["f"] < 0.01


def test_flops_are_counted() -> None:
    flops = canonical_flops()
    assert len(flops) == 1755
    assert sum(flops.values()) == 22100
    some = read_flops("25")
    assert len(some) == 25
    assert sum(some.values()) == pytest.approx(22100)
    assert read_flops("Td9d6h:3,AhKd2c") == {"Td9d6h": 3.0, "AhKd2c": 1.0}
    for wrong in ("0", "1756", "Td9d", "Td9d6h:x", "Td9d6h:inf", "TdTd6h", ""):
        with pytest.raises(equipoise.EquipoiseError):
            read_flops(wrong)


RULES = {"oop": "AhAs,7h6h", "ip": "KhKs,9h8h", "pot": 10, "stack": 20, "bets": "a", "cap": 1}


def test_a_batch_that_was_stopped_ends_in_the_same_table(tmp_path) -> None:
    flops = read_flops("Td9d6c,2c2d2s:2,Qs8d3c")
    whole, parts = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = solve_flops(RULES, flops, 1.0, whole)

    def stop(done: int, of: int, row: dict) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_flops(RULES, flops, 1.0, parts, each=stop)
    assert len(list(csv.DictReader(parts.open()))) == 2
    again: list[str] = []
    solve_flops(RULES, flops, 1.0, parts, each=lambda done, of, row: again.append(row["flop"]))
    assert again == ["Qs8d3c"]
    assert parts.read_text() == whole.read_text()
    means = totals(rows)
    assert means["value"] + means["value_ip"] == pytest.approx(10, abs=1e-5)
    # What a flop counts for is that of the last command, in the table, too, and nothing is solved again.
    counted = solve_flops(RULES, read_flops("2c2d2s:5,Td9d6c"), 1.0, parts)
    there = {row["flop"]: row for row in csv.DictReader(parts.open())}
    assert [float(there[row["flop"]]["weight"]) for row in counted] == [5, 1]
    assert len(there) == 3
    with pytest.raises(equipoise.EquipoiseError, match="other rules or another target"):
        solve_flops(RULES, flops, 2.0, whole)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("10.0,", '"10,0",', 1), "found '10,0' as value"),
        (lambda text: text.replace("10.0,", "nan,", 1), "found 'nan' as value"),
        (lambda text: text.replace("10.0,", "", 1), "found None as rules|of other rules"),
        (lambda text: text.replace("\n", ",7\n").replace(",7", "", 1), "more than a row has"),
        (lambda text: "a note of mine\n", "of other rules"),
    ],
)
def test_tables_that_were_changed_are_refused(tmp_path, change, told: str) -> None:
    place, flops = tmp_path / "a.csv", {"Td9d6c": 1.0, "2c2d2s": 2.0}
    solve_flops(RULES, {"Td9d6c": 1.0}, 1.0, place)
    header, row = place.read_text().splitlines()
    cells = row.split(",")
    cells[2] = "10.0"
    place.write_text(changed := change("\n".join([header, ",".join(cells), ""])))
    with pytest.raises(equipoise.EquipoiseError, match=rf"a\.csv: .*({told}).*, expected"):
        solve_flops(RULES, flops, 1.0, place)
    assert place.read_text() == changed


def _toml(path) -> None:
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in RULES.items()))


def test_pictures_are_drawn(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from equipoise.plots.range_grid import draw

    strategy = equipoise.solve(symmetric_spot("8cTcQcQd"), gap=5.0).strategy
    files = draw(report(strategy), tmp_path / "p")
    assert [file.name for file in files] == ["p-grid.png", "p-values.png"]
    assert all(file.stat().st_size > 5000 for file in files)


@pytest.mark.parametrize("is_joint", [False, True])
def test_tables_count_hands_as_often_as_they_are_there(is_joint: bool) -> None:
    """What a range does is the probability of its actions in the game: cards that the other holds are gone."""
    beliefs = np.random.default_rng(3).random((1326, 1326)) if is_joint else None
    game = spot("2c7d9hTs", "AA,QQ,65s", "KK,A8s,ATs", 100, 200, "50%,a", joint=beliefs)
    result = equipoise.solve(game, iterations=20)
    sheets = {
        sheet.title: dict(zip(sheet.header, sheet.rows[0], strict=True))
        for sheet in Spots().tables(result)
    }
    for title, history in (("OOP", ""), ("IP after k", "k"), ("IP after b50", "b50")):
        play = report(result.strategy, history).totals()[1 if history else 0]["play"]
        assert {name: sheets[title][name] for name in play} == pytest.approx(play, abs=1e-4)


@pytest.mark.parametrize(
    ("rules", "suits"),
    [
        ({"oop": "AA,KQs", "ip": "22+", "lock": ": k AA:0.5 | k: b5 KK; k QQ"}, 24),
        ({"oop": "AhAs", "ip": "22+"}, 4),
        ({"oop": "AA", "ip": "KK", "lock": ": k AhAs"}, 4),
        ({"oop": "AhAs,KcQc", "ip": "22+"}, 2),
        ({"oop": "AA", "ip": "KK", "joint": "beliefs.npy"}, 1),
    ],
)
def test_flops_are_alike_if_the_ranges_say_so(rules: dict[str, str], suits: int) -> None:
    """Of all 22,100 flops 19,600 leave two aces alone, whichever two the range holds."""
    renamings = alike_for(rules)
    assert len(renamings) == suits
    flops = canonical_flops(renamings=renamings)
    assert sum(flops.values()) == 22100
    assert (len(flops) == 1755) == (suits == 24)
    if suits < 24:
        assert sum(n for flop, n in flops.items() if "Ah" not in flop and "As" not in flop) == 19600
    assert sum(read_flops("30", renamings=renamings).values()) == pytest.approx(22100)


def test_a_point_that_a_locked_range_never_plays_to(tmp_path: Path) -> None:
    """Hands that are never met have no value; those that never come there have one against the others."""
    game = spot("2c7d9hTsJc", "AA,QQ", "KK", 100, 200, "50%", lock=": k AA,QQ")
    strategy = equipoise.solve(game, iterations=5).strategy
    found = report(strategy, "b50")
    first, second = found.totals()
    assert (first["combos"], first["range"], second["combos"]) == (0.0, "", 6.0)
    assert np.isnan([first["value"], second["value"], *second["play"].values()]).all()
    assert all(row["value"] is None and row["cost c"] is None for row in found.rows(1))
    assert {row["hand"] for row in found.rows(1)} == {*strategy.at("b50")}
    assert all(row["equity"] == (row["kind"] == "AA") for row in found.rows(0))
    assert len(draw(found, tmp_path / "point")) == 2


def test_reach_is_by_the_lock_and_not_by_what_was_stored() -> None:
    game = spot("2c7d9hTsJc", "AA,QQ", "KK", 100, 200, "50%", lock=": k AA:0.25")
    strategy = random_strategy(game, np.random.default_rng(3))
    found = report(strategy, "k")
    stored = strategy.at("")
    for row in found.rows(0):
        is_held = row["kind"] == "AA"
        assert row["reach"] == pytest.approx(
            0.25 if is_held else stored[row["hand"]]["k"], abs=1e-6
        )
    assert max(abs(stored[hand]["k"] - 0.25) for hand in ("AsAh", "AdAc")) > 0.01


def test_flops_that_leave_a_player_no_hand_never_come() -> None:
    """With three aces out there are none to hold; and two hands that share a card never meet."""
    flops = canonical_flops()
    never = never_come({"oop": "AA", "ip": "KK"}, flops)
    assert {flop[::2] for flop in never} == {"AAA", "KKK"}
    assert sum(flops[flop] for flop in never) == 8
    assert not never & {*read_flops("all", without=never)}
    assert sum(read_flops("25", without=never).values()) == pytest.approx(22092)
    assert read_flops("AsAhAd", without=never) == {"AsAhAd": 1.0}
    only = never_come({"oop": "AhAs", "ip": "AhKh"}, flops)
    with pytest.raises(equipoise.EquipoiseError, match="none that leaves both players a hand"):
        read_flops("3", without=only)
