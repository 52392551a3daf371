"""Models as text: what is read, what is refused, what refines what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from signal_games import BET_OR_CHECK, RAISE_OR_FOLD, RIVER, models

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import bet_or_check, raise_or_fold, river
from equipoise.games.bayesian.parametric import (
    ParametricModel,
    common_refinement,
    embeddings,
    parse_models,
    refines,
    us_refines,
)


def test_a_model_reads_as_it_is_written() -> None:
    (model,) = parse_models(BET_OR_CHECK, bet_or_check())
    assert model.regions == (("bet", "check", "bet"), ("call", "fold"))
    assert model.thresholds == (("a", "b"), ("c",))
    assert model.closure == {("a", "b"), ("a", "c"), ("c", "b")}
    assert parse_models(model.text, bet_or_check())[0].closure == model.closure


def test_bare_bars_get_names_and_comments_are_skipped() -> None:
    (model,) = parse_models(
        "# a guess\nP1: bet | check | bet  # three\n\nP2: call | fold", bet_or_check()
    )
    assert model.thresholds == (("P1.1", "P1.2"), ("P2.1",))


def test_blanks_around_plans_do_not_matter() -> None:
    text = "P1:check - call|check-fold\nP2: fold / bet | fold/ check"
    (model,) = parse_models(text, river())
    assert model.regions == (("check-call", "check-fold"), ("fold/bet", "fold/check"))
    with pytest.raises(EquipoiseError, match="expected a history after which P1 acts"):
        parse_models("P1 at start: in | out", [("in", "out")])


def test_a_conditional_model_is_the_plain_one() -> None:
    # Figures 6 and 7 of Ganzfried and Sandholm 2010: the same model in two representations.
    (model,) = parse_models(RAISE_OR_FOLD, raise_or_fold())
    assert model.regions == (
        ("raise", "fold"),
        ("call/raise", "fold/raise", "fold/fold"),
        ("call/call/call", "fold/call/call", "fold/fold/call", "fold/fold/fold"),
    )
    assert model.thresholds == (("a",), ("b", "c"), ("d", "e", "f"))


def test_thresholds_left_unordered_make_several_models() -> None:
    text = "\n".join(RAISE_OR_FOLD.strip().splitlines()[:-1])
    found = parse_models(text, raise_or_fold(), "open")
    # Two orders of player 2's thresholds, six of player 3's.
    assert len(found) == 12
    assert len({m.regions for m in found}) == 12
    assert found[0].name == "open (1)"


def test_a_change_that_own_earlier_actions_rule_out_is_no_region() -> None:
    text = """
    P1 at start: bet |b| check |d| bet
    P1 after bet raise: call |a| fold
    P1 after check bet: call |c| fold
    P2: raise/bet | fold/check
    order: a <= b <= c <= d
    """
    (model,) = parse_models(text, river())
    plans = ("bet-call", "bet-fold", "check-call", "check-fold", "bet-fold")
    assert model.regions[0] == plans
    assert model.thresholds[0] == ("a", "b", "c", "d")
    # If she stops calling bets where she still bets herself, nothing changes there.
    (model,) = parse_models(text.replace("b <= c", "c <= b").replace("a <= c", "a <= c"), river())
    assert model.regions[0] == ("bet-call", "bet-fold", "check-fold", "bet-fold")
    assert model.thresholds[0] == ("a", "b", "d")


def test_the_published_example_of_refinement() -> None:
    # "If Q' = {1, 2} while Q = {1, 2, 3, 2}, then P is a refinement of P', but not a US-refinement."
    fine = ParametricModel((("1", "2", "3", "2"),), (("a", "b", "c"),))
    coarse = ParametricModel((("1", "2"),), (("a",),))
    assert refines(fine, coarse)
    assert not us_refines(fine, coarse)
    assert us_refines(fine, fine)


def test_the_first_river_model_is_a_us_refinement_of_the_second() -> None:
    first, second, third = models(river(), *RIVER)
    assert us_refines(first, second)
    assert us_refines(second, first)
    # "It is easy to see that the first model is a US-refinement of the other two."
    assert us_refines(first, third)
    assert common_refinement([third, second, first]) == first.regions


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=3))
def test_a_common_refinement_contains_every_sequence(sequences: list[list[str]]) -> None:
    found = [
        ParametricModel((tuple(s),), (tuple(f"{k}.{i}" for i in range(len(s) - 1)),))
        for k, s in enumerate(sequences)
        if s
    ]
    if found:
        (merged,) = common_refinement(found)
        assert all(embeddings(m.regions[0], merged) > 0 for m in found)
        assert len(merged) <= sum(len(m.regions[0]) for m in found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P1: bet | check", "no line for P2"),
        ("P1: bet | chek\nP2: call | fold", "line 1: found the plan 'chek' of P1, expected one of bet, check"),
        ("P1: bet | | check\nP2: call | fold", "line 1: found an empty region"),
        ("P1: bet |a| check\nP2: call |a| fold", "two thresholds called 'a'"),
        ("P1: bet |a| check |b| bet\nP2: call |c| fold\norder: b <= a", "cycle a <= b <= a"),
        ("P1: bet |a| check |b| bet\nP2: call |c| fold\norder: b <= c, c <= a", "cycle"),
        ("P1: bet |a| check\nP2: call |c| fold\norder: a <= x", "found the threshold 'x', expected one of a, c"),
        ("P1: bet |a| check\nP2: call |c| fold\norder: a", "line 3: found 'a', expected a chain"),
        ("P1: bet |a| check\nP1: bet |d| check\nP2: call |c| fold", "line 2: found P1 described twice"),
        ("P3: bet | check", "line 1: found P3, expected P1 to P2"),
        (f"P{'1' * 5000}: bet | check", "expected P1 to P2"),
        ("player one bets", "line 1: found 'player one bets'"),
        ("P1: bet | check\nP2 after check: call | fold", "line 2: found 'check', expected a history"),
        ("P1: bet | check\nP2 after bet: call | raise", "line 2: found the action 'raise', expected one of call, fold"),
    ],
)  # fmt: skip
def test_bad_models_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(EquipoiseError, match=message):
        parse_models(text, bet_or_check())


def test_a_conditional_model_must_cover_every_history() -> None:
    text = RAISE_OR_FOLD.replace("P3 after raise fold: call |e| fold\n", "").replace("<= e ", "")
    with pytest.raises(EquipoiseError, match="no line 'P3 after raise fold'"):
        parse_models(text, raise_or_fold())


def test_a_conditional_model_may_not_be_cyclic() -> None:
    text = RAISE_OR_FOLD.replace("order: d <= b <= e <= a <= f <= c", "order: d <= e <= f <= d")
    with pytest.raises(EquipoiseError, match="cycle d <= e <= d"):
        parse_models(text, raise_or_fold())
