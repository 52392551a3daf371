"""The betting of spots: sizes in text, thresholds, donk bets, rake; trees as a known solver builds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files.spot import load_spot
from equipoise.games.poker import Spot, spot
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


def small(board: str = "2c7d9hTsJc", **rules: object) -> Spot:
    return spot(board, "AA,KQs", "KK,AQs", **({"pot": 100, "stack": 400} | rules))  # type: ignore[arg-type]


def actions(game: Spot, history: str = "") -> list[str]:
    node = game.tree.find(history)
    return [game.tree.action[child] for child in game.tree.successors[node]]


# postflop-solver counts 111 and 161 terminal lines for these two.
@pytest.mark.parametrize(
    ("board", "rules", "lines"),
    [
        (
            "Td9d6hQc",
            {
                "pot": 200,
                "stack": 900,
                "bets": "60%,e,a",
                "donk": "50%",
                "add_allin": 1.5,
                "force_allin": 0.15,
                "merge": 0.1,
            },
            111,
        ),
        ("Td9d6h", {"pot": 180, "stack": 910, "bets": "60%", "force_allin": 0.15}, 161),
    ],
)
def test_trees_have_as_many_lines_as_the_peer_counts(
    board: str, rules: dict[str, object], lines: int
) -> None:
    game = spot(board, OOP, IP, raises="2.5x", **rules)  # type: ignore[arg-type]
    assert (game.tree.player == TERMINAL).sum() == lines


def test_sizes() -> None:
    # Pot 100, 400 behind: a share, chips, all-in; geometric over two streets: (1 + 2s)^2 = 9, s = 1.
    game = small("2c7d9hTs", bets="60%,25,a,e", raises="2.5x,10c")
    assert actions(game) == ["k", "b25", "b60", "b100", "b400"]
    # Facing 60: 2.5 times is 150; ten chips more are less than the least raise, to 120.
    assert actions(game, "b60") == ["f", "c", "r120", "r150"]
    assert actions(small("2c7d9hTs", bets="2e|1e"), "k") == ["k", "b400"]


def test_streets_and_players() -> None:
    game = small("2c7d9h", bets="10%|20%/30%/40%,a", raises="a/-".replace("/-", "/a/a"))
    assert actions(game) == ["k", "b10"]
    assert actions(game, "k") == ["k", "b20"]
    assert actions(game, "k,K/") == ["k", "b30"]
    assert actions(game, "k,K/k,K/") == ["k", "b40", "b400"]


def test_rules_for_earlier_streets_go_with_a_river() -> None:
    """One set of rules serves a whole hand, though nobody can donk where the last street begins."""
    game = small("2c7d9hTsJc", bets="50%", donk="20%")
    assert game.tree.histories == small("2c7d9hTsJc", bets="50%").tree.histories


def test_donk_bets_follow_a_call_of_the_first_player() -> None:
    game = small("2c7d9h", bets="50%", raises="", donk="-/20%")
    assert actions(game, "k,B50,c/") == ["k", "b100"]  # the turn has the usual sizes
    assert actions(game, "k,B50,c/k,B100,c/") == ["k", "b80"]
    assert actions(game, "k,B50,c/k,K/") == ["k", "b100"]
    assert actions(game, "b50,C/b100,C/") == ["k", "b200"]


def test_thresholds_do_nothing_unless_asked_for() -> None:
    assert actions(small(bets="380")) == ["k", "b380"]
    # After 380 are called, the pot is 860 and 20 are left, less than a tenth of it.
    assert actions(small(bets="380", force_allin=0.1)) == ["k", "b400"]
    assert actions(small(bets="50", add_allin=3.9)) == ["k", "b50"]
    assert actions(small(bets="50", add_allin=4)) == ["k", "b50", "b400"]
    assert actions(small(bets="95%,100%")) == ["k", "b95", "b100"]
    assert actions(small(bets="95%,100%", merge=0.1)) == ["k", "b100"]


def test_chips_are_whole_where_amounts_are() -> None:
    assert actions(small(pot=101, bets="50%")) == ["k", "b51"]
    assert actions(small(pot=101, bets="50%", chip=0)) == ["k", "b50.5"]
    assert actions(small(pot=5, stack=20, bets="50%")) == ["k", "b2.5"]


def test_all_in_is_all_there_is() -> None:
    """Chips that cannot be divided do not keep one back, nor does the rounding of numbers."""
    for size in ("a", "e", "97.3"):
        game = small(pot=180, stack=97.3, bets=size, chip=1)
        assert actions(game) == ["k", "b97.3"]
        assert actions(game, "b97.3") == ["f", "c"]
    for pot, stack, bets in ((180, 97, "e"), (333, 0.3, "2e"), (7, 17.3, "1e,a")):
        game = small(pot=pot, stack=stack, bets=bets, raises="a", chip=0)
        assert actions(game, f"b{stack}") == ["f", "c"]
    # After two calls 6.1 / 2 + 900 less what is in the pot is a ten-thousand-millionth of a chip below nothing.
    for board, pot, stack, bets in (
        ("2c7d9hTs", 6.1, 900, "70%,200%"),
        ("2c7d9hTs", 99.9, 250, "50%"),
        ("2c7d9h", 1, 100, "2e/50%/1e"),
    ):
        tree = small(board, pot=pot, stack=stack, bets=bets, raises="a").tree
        ends = (tree.player == TERMINAL) & (tree.kind != NO_OUTCOME)
        assert tree.scale[ends].max() == pytest.approx(pot / 2 + stack, rel=1e-12)


def test_a_cap_is_limit_betting() -> None:
    game = small(bets="10", raises="10", cap=3)
    assert actions(game, "b10,R20") == ["f", "c", "r30"]
    assert actions(game, "b10,R20,r30") == ["f", "c"]
    assert actions(small("2c7d9hTs", bets="10", cap="1/2"), "b10") == ["f", "c"]


def test_rake_is_taken_from_pots_up_to_a_cap() -> None:
    tree = small(bets="50", raises="").tree
    taxed = small(bets="50", raises="", rake=0.05, rake_cap=8).tree
    folded = (tree.player == TERMINAL) & (tree.kind == NO_OUTCOME)
    shown = (tree.player == TERMINAL) & (tree.kind != NO_OUTCOME)
    # A bet that is not called is no part of the pot: 5% of 100; called, 5% of 200 is above the cap.
    assert np.allclose(taxed.base[folded].sum(axis=1), -5)
    lost = tree.scale - taxed.scale
    assert sorted(set((2 * lost[shown]).round(9))) == [5, 8]
    # The loser of a showdown loses what he lost, the winner pays; a shared pot costs both alike.
    assert np.allclose(taxed.base[shown] - taxed.scale[shown, None], -tree.scale[shown, None])
    assert np.allclose(taxed.base[shown, 0], taxed.base[shown, 1])


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"board": "2c7d"}, "found 2 cards in '2c7d', expected three to five"),
        ({"board": "2c7d7d"}, "found a card twice"),
        ({"board": "2c7d9x"}, "found suit 'x'"),
        ({"oop": "AKx"}, "oop: Range: found 'AKx'"),
        ({"oop": ""}, "oop: found an empty range"),
        ({"oop": "0 " * 1325}, "oop: Range: found 1325 values, expected a text or 1,326 numbers"),
        (
            {"oop": [0.0, 1.5] * 663},
            "oop: Range: found 1.5 for 2h2c, expected a weight from 0 to 1",
        ),
        ({"ip": "1 " * 1325 + "nan"}, "ip: Range: found nan for AsAh, expected a weight from 0"),
        ({"ip": "2c7d"}, "ip: found no hand without a card of the board 2c7d9hTsJc"),
        ({"oop": "AhAd", "ip": "AhKs"}, "every two hands share a card"),
        ({"oop": "AhAs,KK:1e-20", "ip": "AhQh,AsQs"}, "or weigh nothing beside those that do"),
        ({"pot": 0}, "pot: found 0, expected an amount from 1e-06 to"),
        ({"stack": -5}, "stack: found -5, expected an amount from 1e-06 to"),
        ({"bets": "60%,foo"}, "bets: found the size 'foo'"),
        ({"raises": "0%"}, "raises: found the size '0%'"),
        ({"bets": "1%/2%/3%"}, "bets: found 3 streets"),
        ({"bets": "1%|2%|3%"}, "bets: found 3 players"),
        ({"cap": "x"}, "cap: found 'x'"),
        ({"rake": 2}, "rake: found 2"),
        ({"merge": -1}, "merge: found -1"),
        ({"pot": 1e-320}, "pot: found 9.99989e-321, expected an amount from 1e-06 to"),
        (
            {"pot": 1e11, "stack": 1e-6},
            "stack: found 1e-06 beside a pot of 1e.11, expected one that",
        ),
        ({"cap": 0}, "cap"),
        ({"chip": -2}, "chip: found -2, expected an amount from zero to"),
        ({"smallest": 0}, "smallest: found 0, expected an amount from 1e-06 to"),
        (
            {"bets": "1/2"},
            "expected one list for all; half of the pot is written 50%",
        ),
        ({"add_allin": -1}, "spot: add_allin: found -1, expected a share from zero up"),
        ({"force_allin": np.nan}, "spot: force_allin: found nan, expected a share from zero up"),
        ({"donk": "foo"}, "donk: found the size 'foo'"),
        ({"donk": "5%/6%"}, "donk: found 2 streets in '5%/6%', expected one list for all;"),
        ({"lock": ": k AA:2"}, "lock: Range: found 'AA:2', expected a weight from 0 to 1"),
        ({"lock": ": k"}, "lock: found 'k', expected an action and a range, as in 'b60"),
        ({"bets": ""}, "bets: found '', with which nobody may bet, expected sizes such as '50%,a'"),
        ({"bets": "|", "raises": "2x"}, "bets: found '|', '2x', with which nobody may bet"),
        ({"raises": "2x"}, "bets: found '2x', with which nobody may bet"),
        ({"bets": "60%,0"}, "bets: found the size '0', expected a share of the pot such as '75%'"),
        ({"bets": ["50%", "a"]}, "bets: found .'50%', 'a'., expected a text such as '60%,a'"),
        ({"raises": 2.5}, "raises: found 2.5, expected a text such as"),
        ({"board": None}, "board: found None, expected three to five cards such as"),
        ({"pot": "100"}, "pot: found '100', expected a number"),
        ({"stack": None}, "stack: found None, expected a number"),
        ({"merge": None}, "merge: found None, expected a number"),
        ({"chip": "x"}, "chip: found 'x', expected a number"),
        ({"pot": 10**400}, "spot: pot: found 10*.*0, expected a number"),
        ({"stack": 10**5000}, "spot: stack: found a int, expected a number"),
        ({"rake": 10**400}, "rake: found 10*.*0, expected a share from 0 up to 1"),
        ({"rake_cap": 4}, "rake_cap: found 4 without a rake, expected both"),
        ({"rake": "x"}, "rake: found 'x', expected a share from 0 up to 1"),
        ({"rake": 0.1, "rake_cap": "x"}, "rake_cap: found 'x', expected an amount from zero up"),
        ({"lock": 3}, "lock: found 3, expected a text such as"),
        ({"keeper": 1, "promised": "3 AA"}, "keeper: found '1', expected one of oop, ip"),
        ({"gadget": "maxmargin"}, "gadget: found 'maxmargin', expected keeper and promised beside"),
    ],
)
def test_bad_input_is_one_sentence(rules: dict[str, object], sentence: str) -> None:
    given = {"board": "2c7d9hTsJc", "oop": "AA", "ip": "KK", "pot": 100, "stack": 400} | rules
    with pytest.raises(EquipoiseError, match=sentence.replace("|", r"\|")):
        spot(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [None, b"board = '\xff'", "folder"])
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | str | None) -> None:
    path = tmp_path / "spot.toml"
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(EquipoiseError, match=r"spot.toml: cannot be read .*expected a TOML file"):
        load_spot(path)


NUMBERS = [0.5 if i % 3 else 0.0 for i in range(1326)]


@pytest.mark.parametrize(
    "rules",
    [
        {"bets": "60%|a", "raises": "a", "donk": "30%", "cap": 1},
        {"bets": "60%,a", "cap": "2", "rake": 0.05, "rake_cap": 4},
        {"bets": "10%,12%,30%", "add_allin": 9.5, "force_allin": 0.2, "merge": 0.1},
        {"bets": "33%", "smallest": 20, "chip": 7.5, "lock": ": k AA"},
        {"bets": "a", "keeper": "ip", "promised": "120.5 AA,KK,QQ", "gadget": "maxmargin"},
        {"bets": "a", "keeper": "oop", "promised": [float(i % 90) for i in range(1326)]},
        {"bets": "a", "oop": NUMBERS, "ip": NUMBERS[::-1]},
        {"bets": "a", "oop": " ".join(map(str, NUMBERS)), "ip": ",".join(map(str, NUMBERS[::-1]))},
    ],
)
def test_a_file_says_what_a_call_says(tmp_path: Path, rules: dict[str, Any]) -> None:
    given: dict[str, Any] = {
        "board": "2c7d9hTs",
        "oop": "AA,QQ",
        "ip": "KK,JJ",
        "pot": 100,
        "stack": 400,
    }
    given |= rules
    path = tmp_path / "spot.toml"
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in given.items()))
    game = spot(**given)
    assert load_spot(path).fingerprint == game.fingerprint
    plain = {name: own for name, own in given.items() if name in ("board", "pot", "stack")}
    assert game.fingerprint != spot(**{"oop": "AA,QQ", "ip": "KK,JJ", **plain}).fingerprint


def test_numbers_in_text_are_numbers() -> None:
    """A shell has no lists; and the name of a spot is the same whichever way its ranges were given."""
    listed = spot("2c7d9hTs", NUMBERS, "KK", 100, 400, "a")
    written = spot("2c7d9hTs", "\n".join(map(str, NUMBERS)), "KK", 100, 400, "a")
    assert written.name == listed.name
    assert written.fingerprint == listed.fingerprint


def test_a_file_and_a_name_make_the_same_spot(tmp_path: object) -> None:
    from pathlib import Path

    game = spot("Td9d6hQc", OOP, IP, 200, 900, "60%,e,a", "2.5x", donk="50%", cap=4, rake=0.01)
    assert load(game.name).fingerprint == game.fingerprint  # type: ignore[union-attr]
    path = Path(str(tmp_path)) / "spot.toml"
    path.write_text(
        f'board = "Td9d6hQc"\noop = "{OOP}"\nip = "{IP}"\npot = 200\nstack = 900\n'
        'bets = "60%,e,a"\nraises = "2.5x"\ndonk = "50%"\ncap = 4\nrake = 0.01\n'
    )
    assert load(str(path)).fingerprint == game.fingerprint  # type: ignore[union-attr]
    path.write_text('board = "Td9d6hQc"\noop = "AA"\nip = "KK"\npot = 200\nstuck = 900\n')
    with pytest.raises(EquipoiseError, match=r"spot.toml: stuck: unknown field"):
        load(str(path))
    path.write_text('board = "Td9d6hQc"\noop = "AA"\nip = "KK"\npot = 200\n')
    with pytest.raises(EquipoiseError, match=r"stack: found nothing"):
        load(str(path))
