"""Numbers that a file or a name can give are checked before anything of that size is made."""

from __future__ import annotations

import tracemalloc

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files.bayesian import problem
from equipoise.games.files.fields import parse_toml
from equipoise.games.files.rules import parse_rules
from equipoise.games.repeated.game import parse_repeated
from equipoise.games.trees.classic import kuhn, leduc, liars_dice

HUGE = 10**9
RULES = """
players = {players}
[signals]
names = ["low", "high"]
[[round]]
public = {public}
private = {private}
bet = 1
cap = {cap}
[ranking]
order = ["low", "high"]
"""
GOOD = {"players": 2, "public": 0, "private": 1, "cap": 1}
MEMORY = 20_000_000


def refused_in_little_memory(make, *arguments) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(EquipoiseError) as caught:
            make(*arguments)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [HUGE, 10**30, 10**4300], ids=["huge", "huger", "hugest"])
@pytest.mark.parametrize("field", [*GOOD, "private list"])
def test_rules(field: str, value: int) -> None:
    assert parse_rules(RULES.format(**GOOD)).players == 2
    # Hexadecimal, because decimal numbers of thousands of digits are no TOML to Python.
    text = f"0x{value:x}"
    changed = {"private": f"[{text}, 1]"} if field == "private list" else {field: text}
    refused_in_little_memory(parse_rules, RULES.format(**{**GOOD, **changed}))


def test_signals_of_bayesian_games() -> None:
    assert problem({"game": "kuhn", "signals": {"deck": 3}}).game.players == 2
    for size in (HUGE, 10**4300):
        refused_in_little_memory(problem, {"game": "kuhn", "signals": {"deck": size}})


@pytest.mark.parametrize("parse", [parse_rules, parse_repeated, parse_toml])
@pytest.mark.parametrize(
    "text", [f"players = {'9' * 5000}", "x = " + "[" * 100_000, "x = ", "x = 1\nx = 2"]
)
def test_text_that_is_no_toml(parse, text: str) -> None:
    with pytest.raises(EquipoiseError, match="not TOML") as caught:
        parse(text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn(cards=1000000000)",
        "kuhn(cards=10000)",
        "leduc(ranks=100000)",
        "leduc(ranks=1000,suits=10)",
        "liars_dice(sides=99)",
        "liars_dice(sides=30)",
        f"kuhn(cards={'9' * 4000})",
        "rhode-island(ranks=1000000000)",
    ],
)
def test_games_by_name(spec: str) -> None:
    refused_in_little_memory(load, spec)


def test_trees_have_as_many_nodes_as_is_checked() -> None:
    assert [kuhn(n).nodes for n in (2, 3, 5)] == [1 + n + 9 * n * (n - 1) for n in (2, 3, 5)]
    for cards, game in ((4, leduc(2, 2)), (6, leduc())):
        assert game.nodes == 1 + cards + cards * (cards - 1) * (15 + 75 * (cards - 2))
    assert [liars_dice(s).nodes for s in (1, 2, 3)] == [
        1 + s + s * s * (2 ** (2 * s + 1) - 1) for s in (1, 2, 3)
    ]
