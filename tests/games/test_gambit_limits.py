"""Where the readers of Gambit's formats stop: the last thing taken and the first one refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.files.gambit.efg import parse_efg
from equipoise.games.files.gambit.nfg import parse_nfg
from equipoise.games.files.gambit.tokens import Tokens, escaped, quote, rational, unescape
from equipoise.games.files.gambit.write import nfg_lines
from equipoise.games.trees.normal import from_matrices


def table(players: int) -> str:
    names, ones = '"p" ' * players, "1 " * players
    return f'NFG 1 R "many" {{ {names}}} {{ {ones}}} {ones}'


def test_thirty_players_and_no_more() -> None:
    assert len(parse_nfg(table(30), "a.nfg").players) == 30
    for players in (31, 0):
        with pytest.raises(EquipoiseError, match=f"found {players} players, expected 1 to 30"):
            parse_nfg(table(players), "a.nfg")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1e300", Fraction(10) ** 300),
        ("-1e300", -(Fraction(10) ** 300)),
        ("0e1000", Fraction(0)),
        ("1e-1000", Fraction(1, 10**1000)),
        ("0." + "0" * 4000 + "1", Fraction(1, 10**4001)),
        ("+2/4", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
    ],
)
def test_numbers_that_are_taken(word: str, value: Fraction) -> None:
    assert Tokens(f"{word} x", "f").number("a number") == value


@pytest.mark.parametrize(
    "word",
    ["1.1e300", "-2e300", "1e301", "0e1001", "0e-1001", "1/0", "1//2", "1e", "nan", "inf", ".", "1_0",
     "0" * 8001],
)  # fmt: skip
def test_numbers_that_are_refused(word: str) -> None:
    with pytest.raises(EquipoiseError, match=r"f, line 1: found .*, expected a number"):
        Tokens(f"{word} x", "f").number("a number")


def test_whole_numbers() -> None:
    assert Tokens("1 x", "f").integer("n") == 1
    assert Tokens("0 x", "f").integer("n", least=0) == 0
    assert Tokens("9" * 18 + " x", "f").integer("n") == 10**18 - 1
    for word, least in (("0", 1), ("1", 2), ("9" * 19, 1), ("1.0", 1), ("-1", 0)):
        with pytest.raises(EquipoiseError, match=rf"expected n \(a whole number >= {least}\)"):
            Tokens(f"{word} x", "f").integer("n", least)


def test_lines_are_counted_from_one_at_what_is_wrong() -> None:
    tokens = Tokens("a\n\nb\nc", "f")
    tokens.symbol("a")
    with pytest.raises(EquipoiseError, match="f, line 3: found 'b', expected 'x' or 'y'"):
        tokens.symbol("x", "y")
    tokens.symbol("b")
    with pytest.raises(EquipoiseError, match=r"f, line 3: that will not do\."):
        tokens.refuse("that will not do")
    tokens.symbol("c")
    tokens.end()
    with pytest.raises(EquipoiseError, match="found the end of the file, expected a number"):
        tokens.number("a number")
    with pytest.raises(EquipoiseError, match="a quotation mark that nothing closes"):
        Tokens('"open', "f").text("a text")


def test_long_words_are_shown_in_part() -> None:
    for length, shown in ((40, "x" * 40), (41, "x" * 37 + "...")):
        with pytest.raises(EquipoiseError) as refused:
            Tokens("x" * length, "f").number("a number")
        assert f"found '{shown}', expected" in str(refused.value)
    with pytest.raises(EquipoiseError, match=r'found "a\\x07b", expected'):
        Tokens('"a\x07b"', "f").number("a number")


def test_escapes_up_to_the_last_character() -> None:
    for character, written in (
        ("\uffff", "\\uffff"),
        ("\U00010000", "\\U00010000"),
        ("\U0010ffff", "\\U0010ffff"),
        ("\x7f", "\\u007f"),
        ('"', '\\"'),
    ):
        assert escaped(character) == written
        assert quote(character) == f'"{written}"'
        assert unescape(written) == character
    assert quote("~ !") == '"~ !"'
    assert unescape("\\U00110000") == "\\U00110000"


def test_payoffs_are_one_a_player() -> None:
    assert Tokens("1, 2 3 } x", "f").payoffs(3) == (1, 2, 3)
    with pytest.raises(EquipoiseError, match="'}' after 2 payoffs"):
        Tokens("1 2 3 } x", "f").payoffs(2)
    with pytest.raises(EquipoiseError, match="found 1 payoffs, expected 2"):
        Tokens("1 } x", "f").payoffs(2)


def test_rationals_that_a_file_can_hold() -> None:
    assert rational(Fraction(-1, 3), "g") == "-1/3"
    assert len(rational(Fraction(2**13_000 - 1), "g")) > 3900
    for large in (Fraction(2**13_000), Fraction(1, 2**13_000)):
        with pytest.raises(EquipoiseError, match="g: found a rational number of over 3,900 digits"):
            rational(large, "g")


def test_other_actions_in_a_set_are_listed_in_part() -> None:
    def tree(second: str) -> str:
        first = " ".join(f'"{i}"' for i in range(5))
        leaves = 't "" 0 ' * 4
        return (
            f'EFG 2 R "t" {{ "A" "B" }} p "" 1 1 {{ "l" "r" }} 0 '
            f'p "" 2 1 {{ {first} }} 0 {leaves} t "" 0 p "" 2 1 {{ {second} }} 0 {leaves}'
        )

    five = " ".join(f'"{i}"' for i in range(1, 6))
    with pytest.raises(
        EquipoiseError, match=r"\['1', '2', '3', '4', '5'\], expected \['0', .*'4'\]"
    ):
        parse_efg(tree(five), "t.efg")
    with pytest.raises(EquipoiseError, match=rf"\['{'x' * 20}', '1'\], expected"):
        parse_efg(tree(f'"{"x" * 21}" "1"'), "t.efg")
    with pytest.raises(EquipoiseError, match=r"\['1', '2', '3', '4', '5', \.\.\.\], expected"):
        parse_efg(tree(f'{five} "6"'), "t.efg")


def test_tables_end_where_they_should() -> None:
    outcomes = 'NFG 1 R "t" { "A" "B" } { 2 1 } { { "" 1 2 } { "" 3 4 } } '
    game = parse_nfg(outcomes + "2 0", "t.nfg")
    assert game.payoff.tolist() == [[[3, 4]], [[0, 0]]]
    for more, words in (
        ("2 0 1", "found '1', expected the end of the file after 2 outcome numbers"),
        ("2", "found 1 outcome numbers, expected 2"),
        ("2 3", "found outcome 3, expected a number from 0 to 2"),
        ('2 ""', 'found "", expected outcome number 2 of 2'),
    ):
        with pytest.raises(EquipoiseError, match=words):
            parse_nfg(outcomes + more, "t.nfg")
    payoffs = 'NFG 1 R "t" { "A" "B" } { 2 1 } '
    assert parse_nfg(payoffs + "1 2 3 4", "t.nfg").payoff.tolist() == [[[1, 2]], [[3, 4]]]
    for more, words in (
        ("1 2 3 4 5", "found '5', expected the end of the file after 4 payoffs"),
        ("1 2 3", "found 3 payoffs, expected 4"),
    ):
        with pytest.raises(EquipoiseError, match=words):
            parse_nfg(payoffs + more, "t.nfg")


def test_labels_that_are_later_numbers_are_escaped() -> None:
    # Gambit calls strategies 1, 2, ... first, and refuses a name that is still in use further on.
    game = from_matrices("t", [[1], [2], [3]], actions=[("2", "1", "3"), ("1",)])
    assert list(nfg_lines(game))[2:4] == ['{ "\\u0032" "1" "3" }', '{ "1" }']
