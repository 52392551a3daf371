"""Games by name: what loads, and the sentence for what does not."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.base import FILES, GAMES, SOURCES, load, parse

SMALL = {"kuhn", "leduc", "liars_dice(sides=2)"}


@pytest.mark.parametrize("spec", sorted(SMALL))
def test_named_games_load(spec: str) -> None:
    assert load(spec).name.startswith(spec.split("(")[0])


def test_parameters_reach_the_game() -> None:
    assert load("leduc(ranks=5,suits=2)").name == "leduc(ranks=5,suits=2)"
    assert load(" kuhn ( cards = 5 ) ").name == "kuhn(cards=5)"
    assert load("kuhn()").name == "kuhn"


def test_dash_and_underscore_are_the_same() -> None:
    assert load("liars-dice(sides=2)").fingerprint == load("liars_dice(sides=2)").fingerprint


@pytest.mark.parametrize("entry", [*GAMES.values(), *FILES.values(), *SOURCES.values()])
def test_every_row_names_a_function_and_says_what_it_is(entry) -> None:
    assert callable(entry.function())
    assert entry.description


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("leduk", "unknown game 'leduk', did you mean 'leduc'?"),
        ("Leduc", "did you mean 'leduc'?"),
        ("nonsense", "expected one of kuhn, leduc"),
        ("", "unknown game ''"),
        ("game.txt", "a file ending in .efg or .nfg"),
        ("leduc(ranks=5", "unmatched parentheses"),
        ("leduc)ranks=5(", "unmatched parentheses"),
        ("leduc(5)", "expected name=value"),
        ("leduc(ranks=__import__('os'))", "expected name=value"),
        ("leduc(ranks=1)+f(suits=2)", "expected name=value"),
        ("leduc(**{'ranks': 2})", "expected name=value"),
        ("leduc(ranks=nan)", "expected name=value"),
        ("leduc(ranks=" + "-" * 5000 + "1)", "expected name=value"),
        ("leduc(ranks=" + "(" * 5000 + "1", "unmatched parentheses"),
        ("leduc(rank=5)", "unknown parameter 'rank', did you mean 'ranks'?"),
        ("leduc(colours=5)", "unknown parameter 'colours', expected one of ranks, suits."),
        ("leduc(ranks=-5)", "ranks is -5, expected a whole number from 1 to 10,000"),
        ("leduc(ranks=1e999)", "ranks is inf, expected a finite number"),
        ("leduc(ranks=2.5)", "ranks is 2.5, expected a whole number"),
        ("leduc(ranks=True)", "ranks is True, expected a whole number"),
        ("leduc(ranks='3')", "ranks is '3', expected a whole number"),
    ],
)
def test_bad_names_are_told_in_a_sentence(spec: str, words: str) -> None:
    with pytest.raises(EquipoiseError) as error:
        load(spec)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@given(st.text())
def test_no_text_does_anything_but_parse_or_refuse(text: str) -> None:
    for spec in (text, f"leduc({text})"):
        try:
            name, parameters = parse(spec)
        except EquipoiseError:
            continue
        assert isinstance(name, str)
        assert all(key.isidentifier() for key in parameters)


def test_listing_the_games_imports_nothing_heavy() -> None:
    code = (
        "import sys; from equipoise.games.base import GAMES; "
        "print([m for m in ('numpy', 'numba', 'scipy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["auction", "bargaining", "standoff", "tract", "limit_holdem"])
def test_games_with_signals_load_by_name(name: str) -> None:
    assert load(name).name == name


def test_rule_files_load_by_path(tmp_path) -> None:
    path = tmp_path / "pennies.toml"
    path.write_text(
        '[signals]\nnames = ["h", "t"]\n[[round]]\nstage = { pay = 1, over = true }\n',
        encoding="utf-8",
    )
    assert load(str(path)).name == "pennies"


@pytest.mark.parametrize("name", [" lead.nfg", "tail.nfg ", " sub/both.nfg "])
def test_blanks_belong_to_a_name_that_a_file_has(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for title, spelled in {"blanks": name, "none": name.strip()}.items():
        path = tmp_path / spelled
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'NFG 1 R "{title}" {{ "A" "B" }} {{ 1 1 }} 0 0')
    assert load(name).name == load(Path(name)).name == "blanks"
    assert load(f" {name.strip()}  ").name == "none"
