"""Typed reading of tables: what is taken, what is refused, and the place that is named."""

from __future__ import annotations

import math
from typing import Any

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, is_number, parse_toml, shown

DATA: dict[str, Any] = {
    "t": "text", "f": False, "w": 3, "x": 1.5, "ns": [1, 2.5], "ts": ["a"], "d": {"e": {"k": 1}},
    "rows": [{"k": 1}, {"k": 2}],
}  # fmt: skip
ROOT, INNER = Fields(DATA, ""), Fields(DATA, "a.b")


def test_what_is_there_is_read() -> None:
    assert "t" in ROOT
    assert "no" not in ROOT
    assert ROOT.text("t") == "text"
    assert ROOT.flag("f", default=True) is False
    assert ROOT.whole("w") == ROOT.whole("w", least=3) == ROOT.whole("w", most=3) == 3
    assert ROOT.number("x") == 1.5
    assert ROOT.number("w") == 3
    assert ROOT.numbers("ns") == [1, 2.5]
    assert ROOT.texts("ts") == ["a"]
    assert ROOT.table("d").table("e").whole("k") == 1
    ((name, child),) = ROOT.children("d")
    assert (name, child.whole("k")) == ("e", 1)
    assert [row.whole("k") for row in ROOT.tables("rows")] == [1, 2]
    ROOT.only(*DATA)


def test_what_is_missing_has_a_default_or_is_empty() -> None:
    assert ROOT.text("no", "else") == "else"
    assert ROOT.flag("no", default=True) is True
    assert ROOT.whole("no", 7) == 7
    assert ROOT.whole("no", 0) == 0
    assert ROOT.number("no", 0.0) == 0.0
    assert ROOT.numbers("no") == ROOT.texts("no") == ROOT.tables("no") == []
    assert list(ROOT.children("no")) == []


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda f: f.text("w"), "a.b.w: found 3, expected a text."),
        (lambda f: f.text("no"), "a.b.no: found nothing, expected a text."),
        (lambda f: f.flag("w", default=True), "a.b.w: found 3, expected true or false."),
        (lambda f: f.whole("x"), "a.b.x: found 1.5, expected a whole number of at least 0."),
        (lambda f: f.whole("f"), "a.b.f: found False, expected a whole number of at least 0."),
        (lambda f: f.whole("no"), "a.b.no: found nothing, expected a whole number of at least 0."),
        (lambda f: f.whole("w", least=4), "a.b.w: found 3, expected a whole number of at least 4."),
        (lambda f: f.whole("w", most=2), "a.b.w: found 3, expected a whole number of at most 2."),
        (lambda f: f.number("t"), "a.b.t: found 'text', expected a number."),
        (lambda f: f.number("no"), "a.b.no: found nothing, expected a number."),
        (lambda f: f.number("f"), "a.b.f: found False, expected a number."),
        (lambda f: f.numbers("ts"), "a.b.ts: found ['a'], expected a list of numbers."),
        (lambda f: f.numbers("w"), "a.b.w: found 3, expected a list of numbers."),
        (lambda f: f.texts("ns"), "a.b.ns: found [1, 2.5], expected a list of texts."),
        (lambda f: f.texts("t"), "a.b.t: found 'text', expected a list of texts."),
        (lambda f: f.table("w"), "a.b.w: found 3, expected a table."),
        (lambda f: f.table("no"), "a.b.no: found None, expected a table."),
        (lambda f: list(f.children("w")), "a.b.w: found 3, expected a table."),
        (lambda f: list(f.table("d").children("e")), "a.b.d.e.k: found 1, expected a table."),
        (lambda f: f.tables("d"), "expected a list of tables ([[a.b.d]])."),
        (lambda f: f.tables("ns"), "a.b.ns 1: found 1, expected a table."),
        (lambda f: f.tables("rows")[1].text("k"), "a.b.rows 2.k: found 2, expected a text."),
        (lambda f: f.only("t", "f"), "a.b.w: unknown field, expected one of t, f."),
    ],
)
def test_what_is_wrong_is_named(read: Any, words: str) -> None:
    with pytest.raises(EquipoiseError) as refused:
        read(INNER)
    assert words in str(refused.value)


def test_places_at_the_root_have_no_dot() -> None:
    assert (ROOT.at("t"), INNER.at("t")) == ("t", "a.b.t")


@pytest.mark.parametrize("value", [0, -1.5, 10**300, 1e308])
def test_numbers_are_finite_floats(value: Any) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", [True, False, None, "1", math.inf, math.nan, 10**400, [1]])
def test_other_things_are_no_numbers(value: Any) -> None:
    assert is_number(value) is False


def test_values_are_shown_in_part() -> None:
    assert shown("a") == "'a'"
    assert len(shown("x" * 200)) == 80
    assert shown(10**5000) == "a number of thousands of digits"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = ", "not TOML: "),
        ("a = " + "[" * 10_000, "brackets nest too deeply|not TOML"),
        ("a = " + "9" * 5000, "not TOML"),
    ],
)
def test_toml_that_cannot_be_read(text: str, words: str) -> None:
    with pytest.raises(EquipoiseError, match=words) as refused:
        parse_toml(text)
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith(".")
    assert not str(refused.value).endswith("..")
    assert parse_toml("a = 1") == {"a": 1}
