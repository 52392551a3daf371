"""The Betting Model Language: Listing 7.1 of Gilpin (2009) and the tree it is a part of, both ways."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files.bml import bml, load_bml, write_bml
from equipoise.games.files.bml_read import parse_bml
from equipoise.games.files.convert import convert
from equipoise.games.poker import no_limit_holdem
from equipoise.games.poker.game import holdem
from equipoise.games.signals.bet_sizes import betting_model
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.no_limit import no_limit

# As printed, up to its comments "other ... omitted".
LISTING = """\
      <decision player='2' sequence='' parent='-1'>
        <action name='F' number='0' />
        <action name='C' number='1' />
        <action name='R1' number='2' />
        <action name='A' number='3' />
      </decision>
      <decision player='1' sequence='C' parent='-1'>
        <action name='k' number='0' />
        <action name='r1' number='1' />
        <action name='a' number='2' />
      </decision>
---
      <decision player='2' sequence='Ca' parent='1'>
        <action name='F' number='19' />
        <action name='C' number='20' />
      </decision>
---
      <decision player='1' sequence='A' parent='-1'>
        <action name='f' number='32' />
        <action name='c' number='33' />
      </decision>
---
      <leaf seq1='2' seq2='19' type='fold'
        sequence='CaF' payoff='2.0' />
      <leaf seq1='2' seq2='20' type='showdown'
        sequence='CaC' potshare='1000.0' />
---
      <leaf seq1='32' seq2='3' type='fold'
        sequence='Af' payoff='-2.0' />
      <leaf seq1='33' seq2='3' type='showdown'
        sequence='Ac' potshare='1000.0' />
"""

# The whole tree before the flop: sequence, player, parent, then name, number and chips put in.
DECISIONS = """
 2 -1 F0 C1:2 R1=2:6 A3:1000
C 1 -1 k0:2 r1=1:6 a2:1000
Cr1 2 1 F4 C5:6 R1=6:18 A7:1000
Cr1R1 1 1 f3 c4:18 r1=5:54 a6:1000
Cr1R1r1 2 6 F8 C9:54 R1=10:162 A11:1000
Cr1R1r1R1 1 5 f7 c8:162 r1=9:486 a10:1000
Cr1R1r1R1r1 2 10 F12 C13:486 A14:1000
Cr1R1r1R1r1A 1 9 f11 c12:1000
Cr1R1r1R1a 2 10 F15 C16:1000
Cr1R1r1A 1 5 f13 c14:1000
Cr1R1a 2 6 F17 C18:1000
Cr1A 1 1 f15 c16:1000
Ca 2 1 F19 C20:1000
R1 1 -1 f17 c18:6 r1=19:18 a20:1000
R1r1 2 2 F21 C22:18 R1=23:54 A24:1000
R1r1R1 1 19 f21 c22:54 r1=23:162 a24:1000
R1r1R1r1 2 23 F25 C26:162 R1=27:486 A28:1000
R1r1R1r1R1 1 23 f25 c26:486 a27:1000
R1r1R1r1R1a 2 27 F29 C30:1000
R1r1R1r1A 1 23 f28 c29:1000
R1r1R1a 2 23 F31 C32:1000
R1r1A 1 19 f30 c31:1000
R1a 2 2 F33 C34:1000
A 1 -1 f32 c33:1000
""".strip("\n").split("\n")

FOLDS = """F +1, Cr1F +2, Cr1R1f -6, Cr1R1r1F +18, Cr1R1r1R1f -54, Cr1R1r1R1r1F +162, Cr1R1r1R1r1Af -486,
Cr1R1r1R1aF +162, Cr1R1r1Af -54, Cr1R1aF +18, Cr1Af -6, CaF +2, R1f -2, R1r1F +6, R1r1R1f -18,
R1r1R1r1F +54, R1r1R1r1R1f -162, R1r1R1r1R1aF +486, R1r1R1r1Af -162, R1r1R1aF +54, R1r1Af -18,
R1aF +6, Af -2"""


@pytest.fixture(scope="module")
def listing() -> str:
    """The betting of no-limit hold'em that the listing is a part of."""
    return bml(no_limit_holdem("tartanian-listing").tree)


def test_the_listing_is_in_the_file_character_by_character(listing: str) -> None:
    assert listing.startswith("<bml name='CustomBetting'>\n  <round number='1'>\n    <decisions>\n")
    for part in LISTING.split("---\n"):
        assert part in listing


def first_round(text: str) -> str:
    return text[: text.index("<round number='2'>")]


def test_every_index_and_parent_before_the_flop(listing: str) -> None:
    pattern = r"<decision player='(.)' sequence='(\w*)' parent='(-?\d+)'>(.*?)</decision>"
    found = re.findall(pattern, first_round(listing), re.DOTALL)
    assert len(found) == len(DECISIONS) == 24
    for (player, sequence, parent, inside), line in zip(found, DECISIONS, strict=True):
        start, seat, above, *actions = re.split(" ", line)
        assert (sequence, player, parent) == (start, seat, above)
        numbers = [
            f"{name}{number}" for name, number in re.findall(r"name='(\w+)' number='(\d+)'", inside)
        ]
        assert numbers == [action.partition(":")[0].replace("=", "") for action in actions]


def test_every_payoff_before_the_flop(listing: str) -> None:
    leaves = re.findall(
        r"type='(\w+)'\s+sequence='(\w+)' (?:payoff|potshare)='(.*?)'", first_round(listing)
    )
    kinds = [kind for kind, _, _ in leaves]
    assert [kinds.count(kind) for kind in ("fold", "continue", "showdown")] == [23, 11, 12]
    worth = {sequence: float(amount) for _, sequence, amount in leaves}
    for leaf in FOLDS.replace("\n", " ").split(", "):
        sequence, payoff = leaf.split(" ")
        assert worth[sequence] == float(payoff)
    for line in DECISIONS:
        sequence, player, _, *actions = line.split(" ")
        for action in actions:
            name, _, put_in = action.partition(":")
            after = sequence + (name.partition("=")[0] if "=" in name else name[0])
            if put_in:
                # What a player has put in is the share once the other has called, or checked.
                answer = after + ("Ck" if player == "1" else "ck")[after == "C"]
                assert worth[after if after in worth else answer] == float(put_in)


def same(first: BettingTree, second: BettingTree) -> bool:
    """Say whether two trees have the same actions and payments."""
    arrays = ("parent", "round", "player", "base", "scale", "kind")
    return first.action == second.action and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in arrays
    )


@pytest.mark.parametrize("model", ["tartanian", "tartanian-listing", "tartanian2"])
def test_round_trip(model: str) -> None:
    tree = no_limit_holdem(model).tree
    text = bml(tree)
    again = holdem("again", parse_bml(text)).tree
    assert same(again, tree)
    assert bml(again) == text


@settings(max_examples=60, deadline=None)
@given(
    stack=st.integers(3, 60),
    rounds=st.integers(1, 4),
    sizes=st.lists(st.sampled_from(["50%", "100%", "2/3", "33%", "min", 5]), max_size=3),
    cap=st.integers(1, 4),
    small=st.integers(1, 2),
)
def test_any_betting_comes_back(
    stack: int, rounds: int, sizes: list[str], cap: int, small: int
) -> None:
    model = betting_model("any", bets=[*sizes, "all-in"], cap=cap, is_strict=False)
    firsts = (1, 0, 0, 0)[:rounds]
    stack = min(stack, 3 + 60 // rounds**2)  # deep stacks over many rounds have millions of nodes
    tree = no_limit(rounds, stacks=stack, model=model, blinds=(2, small), first=firsts, chip=1)
    assert same(holdem("again", parse_bml(bml(tree))).tree, holdem("once", tree).tree)


def test_a_file_is_a_game(tmp_path: Path) -> None:
    short = no_limit(2, stacks=20, bets=["100%", "all-in"], blinds=(2, 1), first=(1, 0), chip=1)
    path = tmp_path / "short.bml"
    write_bml(short, path, "it's short")
    game = load(str(path))
    assert same(game.tree, holdem("short", short).tree)  # type: ignore[union-attr] # poker
    assert "name='it&apos;s short'" in path.read_text()
    convert(str(path), tmp_path / "again.bml")
    assert load_bml(tmp_path / "again.bml").tree.histories == game.tree.histories  # type: ignore[union-attr]
    with pytest.raises(EquipoiseError, match="has no betting tree, expected poker"):
        convert("kuhn", tmp_path / "kuhn.bml")


SHORT = bml(no_limit(1, stacks=12, bets=["100%", "all-in"], blinds=(2, 1), first=1, chip=1))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<bml", "<xml", "BML: not XML"),
        ("name='F' number='0'", "name='F' number='1'", "round 1, decision '': found the number 1 of player 2 used before"),
        ("name='F' number='0'", "name='F' number='99'", "round 1: found the number 99 among"),
        ("name='F'", "name='f'", "round 1, decision '': found the action 'f'"),
        ("name='F'", "name='X'", "round 1, decision '': found the action 'X'"),
        ("name='F'", "name='C'", "round 1, decision '': found the action 'C' twice"),
        ("sequence='C' parent='-1'", "sequence='C' parent='3'", "round 1, 'C': found parent 3, expected -1"),
        ("seq1='-1' seq2='0'", "seq1='0' seq2='0'", "round 1, 'F': found seq1 and seq2 (0, 0), expected (-1, 0)"),
        ("sequence='Cr1F' payoff='2.0'", "sequence='Cr1F' payoff='3.0'", "round 1, 'Cr1F': found a payoff of 3, expected 2"),
        ("sequence='Cr1C' potshare='6.0'", "sequence='Cr1C' potshare='3.0'", "round 1, 'Cr1': found a raise to 3, below the minimum: expected one to 4"),
        ("sequence='CaC' potshare='12.0'", "sequence='CaC' potshare='-1'", "round 1, leaf 'CaC': found the potshare '-1'"),
        ("sequence='CaC' potshare='12.0'", "sequence='CaX' potshare='12.0'", "round 1, 'CaC': found no such decision or leaf"),
        ("type='showdown'", "type='tie'", "round 1, leaf 'Ck': found the type 'tie'"),
        ("player='1'", "player='3'", "round 1, decision 'C': found player='3'"),
        ("number='1'>", "number='2'>", "round 1: found the number '2', expected rounds in order"),
        ("<decisions>", "<!-- --><decisions><leaf/>", "round 1: found <leaf>, expected <decision>"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_by_one_sentence(old: str, new: str, sentence: str) -> None:
    assert old in SHORT
    with pytest.raises(EquipoiseError) as error:
        parse_bml(SHORT.replace(old, new, 1))
    assert str(error.value).startswith(sentence)


def test_a_round_goes_on_from_the_pot_of_the_one_before() -> None:
    text = bml(no_limit(2, stacks=6, bets=["all-in"], blinds=(2, 1), first=(1, 0), chip=1))
    old = "sequence='Ck/kK' potshare='2.0'"
    assert old in text
    with pytest.raises(EquipoiseError, match=r"^round 2, 'Ck/': found pot shares of 3, expected 2"):
        parse_bml(text.replace(old, old.replace("2.0", "3.0")))


def test_documents_that_may_explode_are_refused() -> None:
    with pytest.raises(EquipoiseError, match="found a document type"):
        parse_bml("<!DOCTYPE bml [<!ENTITY a 'aa'>]><bml/>")
    with pytest.raises(EquipoiseError, match="found no first decision"):
        parse_bml("<bml/>")
    with pytest.raises(EquipoiseError, match="cannot be read"):
        load_bml("nowhere.bml")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(SHORT) - 1))
    length = data.draw(st.integers(0, 12))
    text = data.draw(st.text("<>/='\"&; 0123456789-.abcfkrRACFdenopst", max_size=6))
    try:
        tree = parse_bml(SHORT[:place] + text + SHORT[place + length :])
    except EquipoiseError:
        return
    assert parse_bml(bml(tree)).histories == tree.histories
