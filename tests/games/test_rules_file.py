"""Rule files: poker written as one is poker, the library is sound, bad input is named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import (
    library,
    library_game,
    load_rules,
    parse_rules,
    rules_game,
)
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.chance import Joint
from equipoise.games.signals.no_limit import no_limit
from equipoise.games.signals.stage_game import OrderedGame, StageGame
from equipoise.games.signals.unroll import SignalRules, unroll
from equipoise.games.signals.views import signal_rounds
from equipoise.games.trees.extensive import CHANCE, TERMINAL
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP

RHODE_ISLAND = """
name = "rhode-island"
ante = 500

[deck]
ranks = "23456789TJQKA"
suits = "cdhs"
showdown = "three-card"

[[round]]
private = 1
bet = 1000
cap = 3

[[round]]
public = 1
bet = 2000
cap = 3

[[round]]
public = 1
bet = 2000
cap = 3
"""

DUEL = """
ante = 1

[signals]
names = ["low", "mid", "high"]

[[round]]
private = 1
bet = 1
cap = 1

[ranking]
order = ["low", "mid", "high"]
"""


def same_tree(first: BettingTree, second: BettingTree) -> bool:
    columns = ("parent", "round", "player", "base", "scale", "kind")
    return (first.action, first.kinds) == (second.action, second.kinds) and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in columns
    )


def test_rhode_island_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rhode-island.toml"
    path.write_text(RHODE_ISLAND, encoding="utf-8")
    ours, known = load_rules(path), poker.rhode_island()
    assert isinstance(ours, PokerGame)
    assert ours.name == "rhode-island"
    assert ours.deck == known.deck
    assert same_tree(ours.tree, known.tree)
    for mine, theirs in zip(signal_rounds(ours), signal_rounds(known), strict=True):
        assert np.array_equal(mine.weight, theirs.weight)
        assert np.array_equal(mine.pairs, theirs.pairs)


def test_kuhn_without_cards() -> None:
    """Three ordered signals and one bet are Kuhn poker; value -1/18."""
    game = parse_rules(DUEL, "duel.toml")
    assert isinstance(game, OrderedGame)
    assert game.name == "duel"
    assert same_tree(game.tree, poker.kuhn().tree)
    assert solve(build(unroll(game)), LP()).value == pytest.approx(-1 / 18, abs=1e-12)


@pytest.mark.parametrize(
    "ranking",
    [
        'beats = [["high", "mid"], ["mid", "low"]]',
        "values = { low = -3, mid = 0, high = 0.5 }",
        'order = [["low"], ["mid"], ["high"]]',
    ],
)
def test_rankings_in_other_words(ranking: str) -> None:
    game = parse_rules(DUEL.replace('order = ["low", "mid", "high"]', ranking))
    for mine, theirs in zip(signal_rounds(game), signal_rounds(parse_rules(DUEL)), strict=True):
        assert np.array_equal(mine.values["showdown"], theirs.values["showdown"])


def test_equals_tie() -> None:
    game = parse_rules(
        DUEL.replace('order = ["low", "mid", "high"]', 'order = ["low", ["mid", "high"]]')
    )
    assert game.value("showdown", (1, 2)) == (0, 0)
    assert game.value("showdown", (0, 2)) == (-1, 1)


def test_library_has_three_games_that_are_not_poker() -> None:
    games = [library_game(name) for name in library()]
    assert len([game for game in games if not isinstance(game, PokerGame)]) >= 3
    assert len([game for game in games if isinstance(game, OrderedGame)]) >= 3
    with pytest.raises(EquipoiseError, match="'chess': unknown, expected one of"):
        library_game("chess")


def test_tract_as_a_matrix_game() -> None:
    """Two roads: the sequence form, and every pair of pure strategies in one payoff matrix."""
    game = library_game("tract")
    rules, tree = SignalRules(game), unroll(game)
    sets = [
        [
            label
            for label, owner in zip(tree.infoset_label, tree.infoset_player, strict=True)
            if owner == i
        ]
        for i in range(2)
    ]
    pure = [
        [dict(zip(own, choice, strict=True)) for choice in product((0, 1), repeat=len(own))]
        for own in sets
    ]

    def value(state: tuple[tuple[int, ...], int], plans: tuple[dict[str, int], ...]) -> float:
        player = rules.player(state)
        if player == TERMINAL:
            return float(rules.payoffs(state)[0])
        if player == CHANCE:
            moves = rules.chance(state)
            return sum(
                float(p) * value(rules.next(state, i), plans) for i, (_, p) in enumerate(moves)
            )
        return value(rules.next(state, plans[player][rules.information(state)]), plans)

    matrix = np.array([[value(rules.initial(), (x, y)) for y in pure[1]] for x in pure[0]])
    rows, columns = matrix.shape
    # max v: matrix' p >= v, p in the simplex.
    found = linprog(
        np.append(np.zeros(rows), -1),
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0)[None],
        b_eq=[1],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert -found.fun == pytest.approx(solve(build(tree), LP()).value, abs=1e-9)


def test_a_leaf_may_choose_the_next_stage() -> None:
    """``then`` is Λ of Definition 12: what follows depends on how the stage ended."""
    text = """
    [signals]
    names = ["a", "b", "c"]
    [[round]]
    private = 1
    [round.stage]
    player = 1
    actions.stop = { pay = 1, over = true }
    actions.go = { then = { player = 2, actions = { x = { pay = 2, over = true }, y = {} } } }
    actions.stay = { then = { player = 1, actions = { z = {} } } }
    [[round]]
    public = 1
    [ranking]
    order = ["a", "b", "c"]
    """
    tree = parse_rules(text).tree
    assert tree.histories == (
        "",
        "stop",
        "go/",
        "go/X",
        "go/Y",
        "stay/",
        "stay/z",
    )
    assert tree.player.tolist() == [0, -1, 1, -1, -1, 0, -1]
    unreachable = text.replace(
        "actions.stay = { then = { player = 1, actions = { z = {} } } }", "actions.stay = {}"
    )
    with pytest.raises(EquipoiseError, match="rules: round 2: found no stage game"):
        parse_rules(unreachable)


def test_the_board_is_dealt_before_an_early_showdown() -> None:
    early = RHODE_ISLAND.replace(
        "bet = 1000\ncap = 3",
        'stage = { player = 1, actions = { go = {}, show = { outcome = "showdown" } } }',
    )
    tree = parse_rules(early).tree
    node = tree.find("show//")
    assert tree.round[node] == 2
    assert tree.scale[node] == 500
    assert tree.round[tree.find("go/")] == 1


ODD_DECK = """
ante = 1
deck = {{ ranks = "{ranks}", suits = "cd", showdown = "{showdown}" }}
[[round]]
private = {hole}
stage = {{}}
[[round]]
public = {board}
stage = {{}}
"""


@pytest.mark.parametrize(
    ("ranks", "board", "straight", "pair"),
    [
        ("2345678", "2c3d4c", "8c5c", "7c7d"),  # an eight is no ace
        ("6789TJQKA", "6c7d8c", "Ac9c", "6d9c"),  # A-6-7-8-9 is one in short-deck hold'em
        ("234A", "2c3c", "Ad", "2d"),
        ("34QA", "3c4c", "Ad", "3d"),  # no deuce for the ace to come before
    ],
)
def test_straights_of_odd_decks(ranks: str, board: str, straight: str, pair: str) -> None:
    showdown, hole = ("five-card", 2) if len(board) == 6 else ("three-card", 1)
    text = ODD_DECK.format(ranks=ranks, showdown=showdown, hole=hole, board=len(board) // 2)
    game = parse_rules(text)
    assert isinstance(game, PokerGame)
    public, first, second = (
        tuple(game.deck.parse(cards).tolist()) for cards in (board, straight, pair)
    )
    wins = game.ranking(public, first) > game.ranking(public, second)
    assert wins == (ranks in ("6789TJQKA", "234A"))


def test_the_page_about_signals_runs() -> None:
    """Its Python and its first file are the same game, its stage game can be played, and so on."""
    page = Path(__file__).parents[2] / "docs" / "games-with-signals.md"
    blocks = re.findall(r"```(python|toml)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    file, stage, leduc = (text for language, text in blocks if language == "toml")
    code = next(text for language, text in blocks if language == "python")
    names: dict[str, Any] = {}
    exec(code, names)
    assert unroll(parse_rules(file)).fingerprint == names["tree"].fingerprint
    assert parse_rules(file).chance == names["game"].chance
    head, rest = file.split("[[round]]")
    parse_rules(head + stage + "[[round]]" + rest.replace("private = 1", "public = 1"))
    assert same_tree(parse_rules(leduc).tree, poker.no_limit_leduc().tree)


NO_LIMIT = """
ante = 1
blinds = [1, 2]
stacks = [20, 30]
smallest = 2
pot_limit = true
chip = 1
deck = { ranks = "JQK", suits = "cd", showdown = "pair" }
[[round]]
private = 1
bets = ["50%", 3]
raises = ["2.5x", "min", "all-in"]
cap = 4
[[round]]
public = 1
bets = ["75%"]
first = 2
"""


def test_no_limit_files_and_python_make_the_same_tree() -> None:
    tree = no_limit(
        2,
        stacks=(20, 30),
        bets=[["50%", 3], ["75%"]],
        raises=[["2.5x", "min", "all-in"], ["75%"]],
        cap=(4, 100),
        antes=1,
        blinds=(1, 2),
        first=(0, 1),
        smallest=2,
        pot_limit=True,
        chip=1,
    )
    assert same_tree(parse_rules(NO_LIMIT).tree, tree)


BAD = {
    "cap too high": (DUEL.replace("cap = 1", "cap = 1000000"), r"round 1\.cap: found 1000000"),
    "stacks missing": (NO_LIMIT.replace("stacks", "#"), "smallest: found 2, expected 'stacks'"),
    "bets without stacks": (
        DUEL.replace("bet = 1", 'bets = ["50%"]'),
        r"round 1\.bets: .* expected 'stacks'",
    ),
    "raises without bets": (
        DUEL.replace("bet = 1", 'raises = ["50%"]'),
        r"round 1\.raises: .* expected 'bets'",
    ),
    "limit betting with stacks": (
        NO_LIMIT.replace('bets = ["75%"]', "bet = 2\ncap = 2"),
        r"round 2\.bet: found 2, expected 'bets'",
    ),
    "three stacks": (NO_LIMIT.replace("[20, 30]", "[20, 30, 40]"), "stacks: found"),
    "stacks below the blinds": (NO_LIMIT.replace("[20, 30]", "2"), "stacks: found 2, expected at"),
    "unknown size": (NO_LIMIT.replace("75%", "much"), r"round 2\.bets: found the size 'much'"),
    "sizes that are no list": (NO_LIMIT.replace('["75%"]', '"75%"'), r"round 2\.bets: found '75%'"),
    "cap of zero": (DUEL.replace("cap = 1", "cap = 0"), r"round 1\.cap: found 0"),
    "no cap": (DUEL.replace("cap = 1", ""), r"round 1\.cap: found nothing"),
    "negative bet": (DUEL.replace("bet = 1", "bet = -1"), r"round 1\.bet: found -1"),
    "too few signals": (
        DUEL.replace("private = 1", "private = 2"),
        "signals: found 3, expected at least the 4",
    ),
    "overlapping signals": (
        DUEL.replace('names = ["low"', 'names = ["mid"'),
        r"signals\.names: .* overlap",
    ),
    "no signals": (DUEL.replace('names = ["low", "mid", "high"]', "names = []"), r"signals\.names"),
    "zero weight": (
        DUEL.replace('"high"]\n\n[[', '"high"]\nweights = [1, 0, 1]\n\n[['),
        "weights: found 0",
    ),
    "ranked twice": (
        DUEL.replace('order = ["low", "mid"', 'order = ["low", "high", "mid"'),
        r"ranking\.order: found 'high' twice, expected an order",
    ),
    "not ranked": (DUEL.replace('order = ["low", "mid"', 'order = ["low"'), r"ranking\.order"),
    "a cycle": (
        DUEL.replace(
            'order = ["low", "mid", "high"]',
            'beats = [["low", "mid"], ["mid", "high"], ["high", "low"]]',
        ),
        r"ranking\.beats: 'low' beats itself",
    ),
    "half an order": (
        DUEL.replace('order = ["low", "mid", "high"]', 'beats = [["high", "low"]]'),
        r"ranking\.beats: .* not compared",
    ),
    "unknown signal": (
        DUEL.replace('order = ["low"', 'order = ["tiny"'),
        r"ranking\.order: found 'tiny'",
    ),
    "unknown field": (DUEL.replace("ante", "anti"), "anti: unknown field"),
    "negative ante": (DUEL.replace("ante = 1", "ante = -1"), "ante: found -1"),
    "no ranking": (DUEL.partition("[ranking]")[0], "outcomes: the tree ends in 'showdown'"),
    "not TOML": ("a = = 1", "not TOML"),
    "no rounds": (DUEL.partition("[[round]]")[0], "round: found none"),
    "deck without ranks": (RHODE_ISLAND.replace('"23456789TJQKA"', '""'), r"Deck\.ranks"),
    "rank twice": (RHODE_ISLAND.replace('"23456789TJQKA"', '"AAK"'), r"Deck\.ranks: found 'AAK'"),
    "small deck": (
        RHODE_ISLAND.replace('"23456789TJQKA"', '"JQK"').replace('"cdhs"', '"c"'),
        "deck: found 3 cards, expected at least the 4",
    ),
    "six suits": (RHODE_ISLAND.replace('"cdhs"', '"abcdef"'), "Deck of 13 ranks and 6 suits"),
    "other hand size": (
        RHODE_ISLAND.replace("public = 1", "public = 2"),
        "showdown: found 1 hole and 4 board cards",
    ),
    "unknown showdown": (RHODE_ISLAND.replace("three-card", "chess"), "showdown: found 'chess'"),
    "late hole card": (
        RHODE_ISLAND.replace("public = 1", "private = 1"),
        r"round\.private: expected equal hole cards",
    ),
    "deck and signals": (RHODE_ISLAND + '[signals]\nnames = ["a"]\n', r"signals: expected either"),
    "decreasing utility": (
        DUEL.replace("bet = 1\ncap = 1", 'stage = { outcome = "prize" }')
        + "[outcome.prize]\nof = [1]\nvalues = { low = 3, mid = 2, high = 1 }\n",
        "outcome 'prize' pays player 1",
    ),
    "payments beyond what floats can add": (
        DUEL.replace("bet = 1\ncap = 1", 'stage = { outcome = "showdown", scale = 1e308 }'),
        r"payments: after '.*' found 1e\+308, expected at most 1e300",
    ),
    "hole in a table": (
        DUEL.replace("bet = 1\ncap = 1", 'stage = { outcome = "prize" }').partition("[ranking]")[0]
        + "[outcome.prize.table]\nlow.mid = 1\n",
        r"outcome\.prize\.table\.low\.high: found None",
    ),
}


@pytest.mark.parametrize(("text", "match"), BAD.values(), ids=BAD.keys())
def test_bad_files_name_file_and_field(text: str, match: str) -> None:
    with pytest.raises(EquipoiseError, match=rf"bad\.toml: (.*: )?({match})"):
        parse_rules(text, "bad.toml")


def test_missing_file() -> None:
    with pytest.raises(EquipoiseError, match=r"nowhere\.toml: cannot be read"):
        load_rules("nowhere.toml")


def _toml(value: object) -> str:
    """Write plain data as a TOML value."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def _nodes(depth: int) -> st.SearchStrategy[dict[str, object]]:
    amount = st.integers(0, 9) | st.floats(0, 9).map(lambda x: round(x, 3))
    leaf = st.one_of(
        st.fixed_dictionaries({}, optional={"stake": amount, "pay": amount}),
        st.fixed_dictionaries({"fold": st.integers(1, 2), "stake": amount}),
        st.fixed_dictionaries({"over": st.just(True), "pay": amount}),
        st.fixed_dictionaries({"outcome": st.just("showdown")}, optional={"scale": amount}),
    )
    if depth == 0:
        return leaf
    labels = st.from_regex(r"[a-z][a-z0-9-]{0,4}", fullmatch=True)
    actions = st.dictionaries(labels, _nodes(depth - 1), min_size=1, max_size=3)
    return st.fixed_dictionaries({"player": st.integers(1, 2), "actions": actions})


ROUNDS = st.one_of(
    st.fixed_dictionaries(
        {"public": st.integers(0, 1), "private": st.integers(0, 1), "stage": _nodes(2)}
    ),
    st.fixed_dictionaries(
        {"private": st.integers(0, 1), "bet": st.integers(1, 4), "cap": st.integers(1, 2)}
    ),
)
FILES = st.fixed_dictionaries(
    {
        "ante": st.integers(0, 3),
        "signals": st.just({"names": ["a", "b", "c", "d", "e", "f"]}),
        "round": st.lists(ROUNDS, min_size=1, max_size=2),
        "ranking": st.permutations(["a", "b", "c", "d", "e", "f"]).map(lambda o: {"order": o}),
    }
)


@settings(max_examples=40, deadline=None)
@given(FILES)
def test_text_and_data_are_one_game(data: dict[str, object]) -> None:
    """Whatever the data says, its TOML text says too: the same game, or the same complaint."""
    text = "\n".join(f"{key} = {_toml(value)}" for key, value in data.items())
    expected, found = _read(rules_game, data), _read(parse_rules, text)
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
    else:
        assert same_tree(found.tree, expected.tree)
        assert unroll(found).fingerprint == unroll(expected).fingerprint


def _read(reader: Callable[[Any, str], StageGame], what: object) -> StageGame | str:
    """Return the game, or the complaint."""
    try:
        return reader(what, "file")
    except EquipoiseError as error:
        return str(error)


def test_private_signals_may_differ_by_player() -> None:
    alike = parse_rules(DUEL.replace("private = 1", "private = [1, 1]"))
    assert alike.private == parse_rules(DUEL).private
    for wrong in ("[1]", "[1, 1, 1]", "[1, -1]", "[1, 0.5]", "[1000000, 1]"):
        with pytest.raises(EquipoiseError, match=r"private: found .*, expected 2 whole numbers"):
            parse_rules(DUEL.replace("private = 1", f"private = {wrong}"))


def test_the_library_is_sorted_and_says_what_it_has() -> None:
    assert list(library()) == sorted(library())
    for name in library():
        assert library_game(name).name == name


def test_players_are_two_unless_said_and_never_one() -> None:
    assert parse_rules(DUEL).players == 2
    assert parse_rules("players = 3\n" + DUEL).players == 3
    for wrong in (1, 101):
        with pytest.raises(EquipoiseError, match=f"players: found {wrong}, expected"):
            parse_rules(f"players = {wrong}\n" + DUEL)


@pytest.mark.parametrize("key", ["public", "private"])
def test_a_round_shows_a_hundred_signals_at_most(key: str) -> None:
    """A hundred are too many for this game only; one more is too many for any."""
    text = DUEL.replace("private = 1", f"{key} = 100")
    with pytest.raises(EquipoiseError, match="signals: found 3, expected at least the"):
        parse_rules(text)
    with pytest.raises(EquipoiseError, match=f"{key}: found 101"):
        parse_rules(text.replace("100", "101"))
    with pytest.raises(EquipoiseError, match="signals: found 3, expected at least the 101"):
        parse_rules(DUEL.replace("private = 1", "private = [1, 100]"))
    with pytest.raises(EquipoiseError, match="expected 2 whole numbers from 0 to 100"):
        parse_rules(DUEL.replace("private = 1", "private = [1, 101]"))


def test_players_may_see_different_numbers_of_signals() -> None:
    text = DUEL.replace("private = 1", "private = [2, 0]").partition("[ranking]")[0]
    stage = "stage = { over = true, pay = 1 }"
    game = parse_rules(text.replace("bet = 1\ncap = 1", stage))
    assert game.private == ((2, 0),)
    assert game.public == (0,)


def test_a_ranking_makes_an_ordered_game_unless_the_file_says_no() -> None:
    assert isinstance(parse_rules("ordered = true\n" + DUEL), OrderedGame)
    staged = parse_rules("ordered = false\n" + DUEL)
    assert not isinstance(staged, OrderedGame)
    assert staged.value("showdown", (0, 2)) == (-1, 1)
    plain = DUEL.replace("bet = 1\ncap = 1", "stage = { over = true }").partition("[ranking]")[0]
    assert not isinstance(parse_rules("ordered = false\n" + plain), OrderedGame)
    with pytest.raises(EquipoiseError, match=r"ordered: found true without a \[ranking\]"):
        parse_rules("ordered = true\n" + plain)


def test_an_unordered_game_may_pay_less_for_more() -> None:
    """``ordered = false`` takes back the check that higher signals are worth more."""
    text = DUEL.replace("bet = 1\ncap = 1", 'stage = { outcome = "prize" }')
    text += "[outcome.prize]\nof = [1]\nvalues = { low = 3, mid = 2, high = 1 }\n"
    assert parse_rules("ordered = false\n" + text).value("prize", (0, 1)) == (3, -3)
    with pytest.raises(EquipoiseError, match="outcome 'prize' pays player 1"):
        parse_rules("ordered = true\n" + text)


@pytest.mark.parametrize("name", ["lo w", "", "low-", "a.b"])
def test_one_odd_name_among_good_ones_is_refused(name: str) -> None:
    with pytest.raises(EquipoiseError, match=r"signals\.names: .* letters and digits"):
        parse_rules(DUEL.replace('names = ["low"', f'names = ["{name}"'))


JOINT = """
[signals]
names = ["low", "high"]
[[signals.joint]]
deal = ["low", "high"]
weight = 3
[[signals.joint]]
deal = ["high", "low"]
[[signals.joint]]
deal = ["high", "high"]
weight = 4
[[round]]
private = 1
stage = { over = true }
"""


def test_joint_weights_are_probabilities_up_to_a_factor() -> None:
    """A weight that is left out is one, and a signal may be dealt twice."""
    chance = parse_rules(JOINT).chance
    assert isinstance(chance, Joint)
    expected = {(0, 1): Fraction(3, 8), (1, 0): Fraction(1, 8), (1, 1): Fraction(1, 2)}
    assert dict(chance.table) == expected


def test_bad_joint_deals_are_named() -> None:
    twice = JOINT.replace('deal = ["high", "low"]', 'deal = ["low", "high"]')
    with pytest.raises(EquipoiseError, match=r"joint 2\.deal: .* every deal once"):
        parse_rules(twice)
    head, first, *_ = JOINT.replace("weight = 3", "weight = 0").split("[[signals.joint]]")
    never = f"{head}[[signals.joint]]{first}[[round]]\nprivate = 1\nstage = {{ over = true }}\n"
    with pytest.raises(EquipoiseError, match="joint: found the weight 0, expected a positive one"):
        parse_rules(never)
    with pytest.raises(EquipoiseError, match=r"joint 1\.deal: found 'tiny', expected one of"):
        parse_rules(
            JOINT.replace('["low"', '["tiny"', 2).replace('names = ["tiny"', 'names = ["low"')
        )
    with pytest.raises(EquipoiseError, match="odds: unknown field"):
        parse_rules(JOINT.replace("weight = 3", "odds = 3"))
    with pytest.raises(EquipoiseError, match="total: unknown field"):
        parse_rules(JOINT.replace("[[signals", "total = 8\n[[signals", 1))


CARDS = DUEL.partition("[ranking]")[0].replace(
    '[signals]\nnames = ["low", "mid", "high"]', '[deck]\nranks = "JQK"\nshowdown = "high-card"'
)


def test_a_deck_has_one_suit_unless_said() -> None:
    game = parse_rules(CARDS)
    assert isinstance(game, PokerGame)
    assert game.deck == poker.kuhn().deck
    assert game.hole == 1


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (("private = 1", "private = [1, 2]"), "expected equal hole cards in round 1"),
        (("ante = 1", "ante = 1\nranking = { order = [] }"), r"ranking: a deck has its own"),
        (("ante = 1", "ante = 1\noutcome = { x = {} }"), r"outcome: a deck has its own"),
        (("ranks =", "jokers = 2\nranks ="), r"jokers: unknown field"),
    ],
)
def test_what_a_deck_cannot_have(change: tuple[str, str], match: str) -> None:
    with pytest.raises(EquipoiseError, match=match):
        parse_rules(CARDS.replace(*change))


ORDER = 'order = ["low", "mid", "high"]'


@pytest.mark.parametrize(
    ("ranking", "match"),
    [
        (f"{ORDER}\nvalues = {{ low = 1, mid = 2, high = 3 }}", "ranking: expected one of 'order'"),
        ("", "ranking: expected one of 'order'"),
        ("best = 1", "best: unknown field"),
        ('order = "low"', r"ranking\.order: found 'low', expected a list of signals"),
        ('beats = "low"', r"ranking\.beats: found 'low', expected a list of pairs"),
        ('beats = [["high", "mid"], "low"]', r"ranking\.beats: found .* a list of pairs"),
        ('beats = [["high", "mid"], ["low"]]', r"ranking\.beats: found .* a list of pairs"),
        ("values = { low = 1, mid = 2 }", r"values\.high: found nothing"),
        ("values = { low = 1, mid = 2, high = 3, top = 4 }", "found 'top', expected one of low"),
    ],
)
def test_rankings_are_one_order_of_all_signals(ranking: str, match: str) -> None:
    with pytest.raises(EquipoiseError, match=match):
        parse_rules(DUEL.replace(ORDER, ranking))


def test_beats_may_leave_equals_and_follow_from_others() -> None:
    """high beats mid and odd, both beat low; that high beats low follows, and mid ties with odd."""
    pairs = '[["high", "mid"], ["high", "odd"], ["mid", "low"], ["odd", "low"]]'
    text = DUEL.replace(
        "[signals]\n" + ORDER.replace("order", "names"), "[signals]\nnames = [NAMES]"
    )
    text = text.replace("NAMES", '"low", "mid", "odd", "high"')
    game = parse_rules(text.replace(ORDER, f"beats = {pairs}"))
    assert game.value("showdown", (3, 0)) == (1, -1)
    assert game.value("showdown", (1, 2)) == (0, 0)
    assert game.value("showdown", (0, 2)) == (-1, 1)


PRIZE = (
    DUEL.replace("private = 1\nbet = 1\ncap = 1", "private = 1\npublic = 1\nSTAGE")
    .replace("STAGE", 'stage = { outcome = "prize" }')
    .partition("[ranking]")[0]
)


@pytest.mark.parametrize(
    ("of", "worth"), [("[1]", 1), ("[2]", 10), ('["public"]', 100), ('[1, 2, "public"]', 111)]
)
def test_an_outcome_counts_the_signals_of_those_it_lists(of: str, worth: int) -> None:
    """A deal lists public signals first, then each player's."""
    game = parse_rules(
        f"{PRIZE}[outcome.prize]\nof = {of}\nvalues = {{ low = 1, mid = 10, high = 100 }}\n"
    )
    assert game.value("prize", (2, 0, 1)) == (worth, -worth)


def test_a_table_reads_player_1_then_player_2_then_what_is_public() -> None:
    cells = product(("low", "mid", "high"), repeat=3)
    rows = [f"{'.'.join(cell)} = {n}" for n, cell in enumerate(cells)]
    game = parse_rules(f"{PRIZE}[outcome.prize.table]\n" + "\n".join(rows))
    assert game.value("prize", (2, 0, 1)) == (5, -5)


@pytest.mark.parametrize(
    ("outcome", "match"),
    [
        ("of = []\nvalues = { low = 1, mid = 2, high = 3 }", r"prize\.of: .* a list of 1, 2"),
        ("of = 1\nvalues = { low = 1, mid = 2, high = 3 }", r"prize\.of: .* a list of 1, 2"),
        ("of = [[1]]\nvalues = { low = 1, mid = 2, high = 3 }", r"prize\.of: .* a list of 1, 2"),
        ("of = [3]\nvalues = { low = 1, mid = 2, high = 3 }", r"prize\.of: .* a list of 1, 2"),
        ("of = [1]", "prize: expected either 'of' and 'values' or a 'table'"),
        ("values = { low = 1 }\ntable = { low = 1 }", "prize: expected either 'of'"),
        ("of = [1]\nworth = { low = 1 }", "worth: unknown field"),
        ("table = { low = { mid = 1 } }", r"prize\.table\.mid\.high\.low: found None"),
    ],
)
def test_bad_outcomes_are_named(outcome: str, match: str) -> None:
    with pytest.raises(EquipoiseError, match=match):
        parse_rules(f"{PRIZE}[outcome.prize]\n{outcome}\n")


def test_outcomes_are_for_two_players() -> None:
    text = f"{PRIZE}[outcome.prize]\nof = [1]\nvalues = {{ low = 1, mid = 2, high = 3 }}\n"
    names = '"low", "mid", "high", "top"'
    text = text.replace('"low", "mid", "high"', names)
    with pytest.raises(EquipoiseError, match=r"outcome\.prize: found 3 players, expected two"):
        parse_rules("players = 3\n" + text)
