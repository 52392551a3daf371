"""Betting models: the sizes of no-limit hold'em trees under each reading of the text, and models as TOML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.files.betting_model import load_model, model_text, parse_model
from equipoise.games.poker import no_limit_holdem
from equipoise.games.poker.betting_models import MODELS
from equipoise.games.signals.bet_sizes import BetSize, BettingModel, Offer, bet_size, betting_model
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.sizes import betting_sizes, sequence_counts

BUCKETS = (10, 150, 750, 3750)  # of Tartanian (Gilpin 2009, section 7.4.3)


def tree(model: BettingModel) -> BettingTree:
    """Return the betting of hold'em with 1000 chips and blinds of 1 and 2, player 1 the big blind."""
    return no_limit(4, stacks=1000, model=model, blinds=(2, 1), first=(1, 0, 0, 0), chip=1)


def reading(**changes: Any) -> BettingModel:
    """Return the model in the text, blinds counted as a bet, read with ``changes``."""
    text = replace(MODELS["tartanian"].rounds[0], blinds_bet=True)
    cap = changes.pop("cap", (4, 3, 3, 3))
    caps = cap if isinstance(cap, tuple) else (cap,)
    return BettingModel("reading", tuple(replace(text, cap=most, **changes) for most in caps))


# Two counts agree: these trees, and a program written for this table that shares no code with them.
READINGS = {
    "cap 3 also stops all-ins": (
        reading(),
        (8590, 14390, (1, 7, 83, 607)),
        36_865_091,
    ),
    "all-in over the cap": (
        reading(over_cap=True),
        (8940, 15090, (1, 7, 83, 607)),
        38_336_621,
    ),
    "no cap": (MODELS["tartanian-listing"], (9796, 16338, (1, 11, 111, 691)), 41_079_941),
    "cap 3, half of what is left": (
        reading(commit_of="rest"),
        (9198, 15542, (1, 7, 83, 623)),
        40_021_091,
    ),
    "no cap, half of what is left": (
        reading(cap=None, commit_of="rest"),
        (10668, 17938, (1, 11, 111, 727)),
        45_390_941,
    ),
    "blinds are no bet": (MODELS["tartanian"], (15888, 26642, (1, 13, 153, 1117)), 68_262_041),
    "tartanian2": (MODELS["tartanian2"], (19376, 32946, (1, 13, 157, 1281)), 84_208_001),
}


@pytest.mark.parametrize("name", READINGS)
def test_sizes_under_each_reading_of_the_text(name: str) -> None:
    model, expected, sequences = READINGS[name]
    betting = tree(model)
    found = betting_sizes(betting)
    assert (found.decisions, found.leaves, found.round_starts) == expected
    _, counts = sequence_counts(betting, [BUCKETS, BUCKETS])
    assert counts == (sequences, sequences + 10)  # the small blind may also fold at once


def test_any_number_of_bets_enlarges_the_model_by_about_15_percent() -> None:
    # Gilpin (2009), footnote 5 of chapter 7; true if the cap stops all-ins, too.
    capped, free = betting_sizes(tree(reading())), betting_sizes(tree(reading(cap=None)))
    assert free.decisions / capped.decisions == pytest.approx(1.14, abs=0.001)
    over = betting_sizes(tree(reading(over_cap=True)))
    assert free.decisions / over.decisions < 1.10


def test_first_action_of_the_small_blind() -> None:
    # Section 7.4.2: he adds 0, 1, 3, 5 or 999 chips to the one that he has posted.
    betting = no_limit_holdem().tree
    assert [betting.action[v] for v in betting.children(0)] == ["f", "c", "r4", "r6", "r1000"]
    listed = no_limit_holdem("tartanian-listing").tree
    assert [listed.action[v] for v in listed.children(0)] == ["f", "c", "r6", "r1000"]


def test_a_bet_that_commits_half_the_stack_is_on_offer_and_one_chip_more_is_not() -> None:
    half = betting_model("half", bets=[6, 7, "all-in"], cap=1, commit=0.5)
    betting = no_limit(1, stacks=14, antes=1, model=half, chip=1)
    assert [betting.action[v] for v in betting.children(0)] == ["k", "b6", "b13"]
    rest = betting_model("rest", bets=[6, 7, "all-in"], cap=1, commit=0.5, commit_of="rest")
    betting = no_limit(1, stacks=15, antes=1, model=rest, chip=1)
    assert [betting.action[v] for v in betting.children(0)] == ["k", "b6", "b7", "b14"]


TARTANIAN = """
name = "tartanian"
bets = ["50%", "100%", "all-in"]
raises = ["100%", "all-in"]
cap = [4, 3, 3, 3]
blinds_bet = false
commit = 0.5
"""


def test_a_model_as_toml() -> None:
    assert parse_model(TARTANIAN) == MODELS["tartanian"]


SIZES = st.one_of(
    st.sampled_from([BetSize("min"), BetSize("all-in")]),
    st.integers(1, 999).map(lambda n: bet_size(f"{n}%")),
    st.tuples(st.integers(1, 99), st.integers(1, 99)).map(lambda p: bet_size(f"{p[0]}/{p[1]}")),
    st.integers(1, 50).map(lambda n: bet_size(f"{n / 10}x")),
    st.integers(1, 500).map(lambda n: bet_size(float(n))),
)
OFFERS = st.builds(
    Offer,
    bets=st.lists(SIZES, max_size=3).map(tuple),
    raises=st.lists(SIZES, max_size=3).map(tuple),
    cap=st.none() | st.integers(1, 100),
    blinds_bet=st.booleans(),
    over_cap=st.booleans(),
    commit=st.none(),
    is_strict=st.just(True),
)


@given(st.builds(BettingModel, st.text(), st.lists(OFFERS, min_size=1, max_size=4).map(tuple)))
def test_models_are_what_their_toml_says(model: BettingModel) -> None:
    assert parse_model(model_text(model)) == model


def test_named_models_are_what_their_toml_says() -> None:
    for model in MODELS.values():
        assert parse_model(model_text(model)) == model


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bets = [0]", "bets: found the size 0"),
        ("bets = 3", "bets: found 3, expected a list of sizes"),
        ("raises = ['50%']", "raises: found ['50%'], expected 'bets' beside it"),
        ("cap = 0", "cap: found 0, expected a whole number of at least 1"),
        ("cap = []", "cap: found [], expected 1 to 100 numbers"),
        ("commit = 2", "commit: found 2, expected a part of a stack"),
        ("commit_of = 'pot'", "commit_of: found 'pot', expected 'stack' or 'rest'"),
        ("sizes = ['50%']", "sizes: unknown field, expected one of name"),
        ("cap = 3\n[[round]]\ncap = 2", "cap: found 3, expected no [[round]] beside it"),
    ],
)
def test_bad_models_are_refused_by_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(EquipoiseError) as error:
        parse_model(text)
    assert str(error.value).startswith(sentence)


def test_bad_files_are_refused_by_name(tmp_path: Path) -> None:
    place = tmp_path / "mine.toml"
    with pytest.raises(EquipoiseError, match=r"mine\.toml: cannot be read \("):
        load_model(place)
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(EquipoiseError, match=r"mine\.toml: cannot be read \(it is not UTF-8 text"):
        load_model(place)
    place.write_text("cap = 0")
    with pytest.raises(EquipoiseError, match=r"mine\.toml: cap: found 0"):
        load_model(place)
    place.write_text("cap = 2")
    assert load_model(place).name == "mine"


def test_a_raise_below_the_minimum_is_refused() -> None:
    model = parse_model("name = 'small'\nbets = ['50%']\nraises = ['10%']")
    with pytest.raises(
        EquipoiseError, match=r"found the size '10%', a raise to 2.4, below the minimum"
    ):
        no_limit(1, stacks=20, blinds=(1, 2), model=model)


def test_rounds_of_the_model_and_of_the_game() -> None:
    with pytest.raises(EquipoiseError, match="found 4 rounds, expected 1 or the game's 2"):
        no_limit(2, stacks=20, blinds=(1, 2), model=MODELS["tartanian"])
    with pytest.raises(EquipoiseError, match="model: found bets, raises or a cap beside it"):
        no_limit(1, stacks=20, blinds=(1, 2), model=MODELS["tartanian"], cap=3)
    with pytest.raises(EquipoiseError, match="betting model 'nobody': unknown, expected tartanian"):
        no_limit_holdem("nobody")
