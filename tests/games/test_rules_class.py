"""Rules written in Python that answer nonsense, or nothing: always a sentence, never a traceback."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.extensive import CHANCE, TERMINAL
from equipoise.games.trees.growth import MOST_MOVES

METHODS = ("initial", "player", "actions", "chance", "next", "information", "payoffs")


class Coin:
    """Nature tosses, player 1 guesses without seeing, player 2 is paid what player 1 loses."""

    players: Any = 2

    def initial(self) -> Any:
        return ()

    def player(self, state: Any) -> Any:
        return (CHANCE, 0, TERMINAL)[len(state)]

    def actions(self, state: Any) -> Any:
        return ["heads", "tails"]

    def chance(self, state: Any) -> Any:
        return [("heads", Fraction(1, 2)), ("tails", Fraction(1, 2))]

    def next(self, state: Any, index: int) -> Any:
        return (*state, index)

    def information(self, state: Any) -> Any:
        return "guess"

    def payoffs(self, state: Any) -> Any:
        gain = 1 if state[0] == state[1] else -1
        return gain, -gain


def broken(method: str, answer: Any) -> Coin:
    """The coin with one method that answers, or raises, something else."""

    def say(self: Coin, *arguments: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return type("Coin", (Coin,), {method: say})()


class Unhashable:
    __hash__ = None  # type: ignore[assignment]


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Incomparable:
    """Equal to nothing that has its hash, not even to say so."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equals")


def test_the_rules_that_are_broken_below_are_right() -> None:
    game = from_rules(Coin())
    assert (game.nodes, game.infosets, game.forgetful) == (7, 1, None)


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [
        ("payoffs", None, "Coin.payoffs((0, 0)): found None, expected a list of 2 numbers."),
        ("payoffs", [1], "found [1], expected a list of 2 numbers"),
        ("payoffs", (1, "1"), "found (1, '1'), expected a list of 2 numbers"),
        ("payoffs", (1, float("nan")), "Coin.payoffs((0, 0)): found the number nan, expected one between"),
        ("payoffs", (1e301, 0), "Coin.payoffs((0, 0)): found the number 1e+301, expected one between -1e300"),
        ("payoffs", (0, -(10**5000)), "Coin.payoffs((0, 0)): found the number -1e5000, expected one"),
        ("payoffs", (1, 1j), "expected a list of 2 numbers"),
        ("information", [1], "Coin.information((0,)): found [1], expected a key that can be hashed"),
        ("information", Unhashable(), "expected a key that can be hashed"),
        ("actions", (a for a in "xy"), "Coin.actions((0,)): found <generator"),
        ("actions", None, "Coin.actions((0,)): found None, expected a list of labels"),
        ("actions", [1, 2], "found [1, 2], expected a list of labels"),
        ("actions", [], "Coin.actions((0,)): found [], expected at least one label"),
        ("actions", ["x", "x"], "found ['x', 'x'], expected at least one label and none twice"),
        ("chance", None, "Coin.chance(()): found None, expected a list of (label, probability)"),
        ("chance", [], "Coin.chance(()): found [], expected a list of (label, probability)"),
        ("chance", ["x"], "Coin.chance(()): found ['x'], expected a list of (label, probability)"),
        ("chance", [("x", None)], "found [('x', None)], expected a list of (label, probability)"),
        ("chance", [("x", "1")], "expected a list of (label, probability)"),
        ("chance", [("x", 0.5), ("y", 0.4)], "Coin.chance(()): found the probabilities ['1/2', '2/5'], which sum to 0.9"),
        ("chance", [("x", 2), ("y", -1)], "expected nonnegative numbers that sum to 1"),
        ("player", None, "Coin.player(()): found None, expected a player from 0 to 1, CHANCE (-1) or TERMINAL (-2)"),
        ("player", 2, "Coin.player(()): found 2, expected a player from 0 to 1"),
        ("player", -3, "Coin.player(()): found -3"),
        ("player", "0", "Coin.player(()): found '0'"),
        ("next", ValueError("lost"), "Coin.next((), 1): raised ValueError (lost), expected an answer."),
        ("payoffs", ZeroDivisionError(), "Coin.payoffs((0, 0)): raised ZeroDivisionError, expected"),
        ("initial", KeyError("deck"), "Coin.initial(): raised KeyError ('deck'), expected an answer."),
        ("initial", "x" * 10**6, "Coin.player('xxx"),
    ],
)  # fmt: skip
def test_nonsense_is_told_with_the_method_and_the_state(
    method: str, answer: Any, words: str
) -> None:
    with pytest.raises(EquipoiseError) as error:
        from_rules(broken(method, answer))
    message = str(error.value)
    assert words in message
    assert message.startswith("Coin: Coin.")
    assert len(message) < 400
    if isinstance(answer, Exception):
        assert error.value.__cause__ is answer


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_method_is_named(method: str) -> None:
    missing = type("Coin", (), {k: v for k, v in vars(Coin).items() if k != method})
    with pytest.raises(EquipoiseError, match=rf"Coin\.{method}\(.*found no such method, expected"):
        from_rules(missing())


@pytest.mark.parametrize("players", [None, 0, -1, True, 2.5, [], [1, 2], "AB"])
def test_players_are_a_number_or_names(players: Any) -> None:
    rules = Coin()
    rules.players = players
    with pytest.raises(EquipoiseError, match=r"Coin\.players: found .*, expected a number"):
        from_rules(rules)


def test_a_state_without_words_is_named_by_its_type() -> None:
    with pytest.raises(EquipoiseError, match=r"Coin\.player\(<?.*Unprintable"):
        from_rules(broken("initial", Unprintable()))


def test_endless_rules_are_refused() -> None:
    class Endless(Coin):
        def player(self, state: Any) -> Any:
            return 0

    with pytest.raises(
        EquipoiseError, match=f"no end after {MOST_MOVES:,} moves, expected a finite"
    ):
        from_rules(Endless())


@pytest.mark.parametrize(
    ("key", "words"), [(Unprintable, "written as text"), (Incomparable, "compared with others")]
)
def test_keys_that_nothing_can_be_done_with(key: type, words: str) -> None:
    class Keyed(Coin):
        def information(self, state: Any) -> Any:
            return key()

    with pytest.raises(EquipoiseError, match=f"that cannot be {words} .RuntimeError"):
        from_rules(Keyed())


def test_a_state_changed_in_place_is_refused() -> None:
    class Careless(Coin):
        def initial(self) -> Any:
            return []

        def next(self, state: Any, index: int) -> Any:
            state.append(index)
            return state

    with pytest.raises(
        EquipoiseError, match="found the very state it was given, expected a new one"
    ):
        from_rules(Careless())


def test_numpy_s_numbers_and_arrays_will_do() -> None:
    class Arrays(Coin):
        def player(self, state: Any) -> Any:
            return np.int64(super().player(state))

        def actions(self, state: Any) -> Any:
            return np.array(["heads", "tails"])

        def payoffs(self, state: Any) -> Any:
            return np.array(super().payoffs(state))

        def chance(self, state: Any) -> Any:
            return [("heads", np.float64(0.5)), ("tails", np.float32(0.5))]

    assert from_rules(Arrays()).fingerprint == from_rules(Coin()).fingerprint


class _Named:
    """What stands for an object in examples, so that those that fail can be shown."""

    def __init__(self, name: str, made: Any) -> None:
        self.name, self.made = name, made

    def __repr__(self) -> str:
        return self.name


NONSENSE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(-1, 2), max_size=3),
    st.lists(st.tuples(st.text(max_size=1), st.floats()), max_size=3),
    st.builds(object),
    st.sampled_from(
        [
            ValueError("x"),
            TypeError(),
            RecursionError(),
            StopIteration(),
            _Named("Unprintable", Unprintable()),
            _Named("Incomparable", Incomparable()),
        ]
    ),
)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from((*METHODS, "players")), NONSENSE, min_size=1))
def test_random_rules_make_a_game_or_a_sentence(answers: dict[str, Any]) -> None:
    rules: Any = Coin()
    for method, drawn in answers.items():
        answer = drawn.made if isinstance(drawn, _Named) else drawn
        if method == "players":
            rules = type("Coin", (type(rules),), {"players": answer})()
        else:
            rules = type(
                "Coin", (type(rules),), {method: vars(type(broken(method, answer)))[method]}
            )()
    message = ""
    try:
        from_rules(rules)
    except EquipoiseError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize("name", ["players", "payoffs"])
def test_a_property_that_raises(name: str) -> None:
    def fail(rules: Coin) -> Any:
        raise KeyError("no file")

    rules = type("Coin", (Coin,), {name: property(fail)})()
    with pytest.raises(
        EquipoiseError, match=rf"Coin\.{name}(\(\))?: raised KeyError \('no file'\)"
    ):
        from_rules(rules)


class Moody(tuple[Any, ...]):
    """A tuple that does not say how long it is."""

    def __len__(self) -> int:
        raise RuntimeError("no length")


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("actions", Moody("xy")),
        ("chance", Moody([("x", 1)])),
        ("chance", [Moody(("x", 1))]),
        ("payoffs", Moody((1, -1))),
        ("players", Moody("xy")),
    ],
)
def test_lists_that_raise_when_they_are_read(method: str, answer: Any) -> None:
    rules = broken(method, answer)
    if method == "players":
        rules = type("Coin", (Coin,), {method: answer})()
    words = rf"Coin\.{method}(\(.*\))?: raised RuntimeError \(no length\), expected an answer"
    with pytest.raises(EquipoiseError, match=words):
        from_rules(rules)


@pytest.mark.parametrize("number", [np.float64(1), np.array(1.0)])
@pytest.mark.parametrize("method", ["actions", "chance", "payoffs"])
def test_numpy_s_numbers_are_no_lists(method: str, number: Any) -> None:
    with pytest.raises(
        EquipoiseError, match=rf"Coin\.{method}\(.*\): found .*, expected a list of"
    ):
        from_rules(broken(method, number))


def test_more_players_than_there_can_be() -> None:
    class Crowd(Coin):
        players = 10**9

    with pytest.raises(EquipoiseError, match="1000000000 players, expected at most 10,000"):
        from_rules(Crowd(), "crowd")
