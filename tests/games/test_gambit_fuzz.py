"""Whatever bytes a file holds, the outcome is a valid game or one sentence: nothing else."""

import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.files.gambit import parse_efg, parse_nfg, read_efg, read_nfg
from equipoise.games.files.gambit.write import efg_lines, nfg_lines
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.games.trees.normal import NormalGame

DATA = Path(__file__).parent / "data"
FILES = sorted([*DATA.glob("*.efg"), *DATA.glob("*.nfg")])
PIECES = [
    "{", "}", ",", '"', '""', "\\", '\\"', "0", "1", "2", "-1", "1/0", "1/3", "nan", "inf", "1e400",
    "-.5", "1e-9", "99999999999999999999", "c", "p", "t", "EFG", "NFG", "R", "\x00", "\n", "é", " ",
]  # fmt: skip


def mutated(text: str, chance: random.Random) -> str:
    """Damage a file at a few places: words lost, doubled, swapped, replaced; cut; raw characters."""
    words = re.findall(r'"(?:[^"\\]|\\.)*"|[{},]|[^\s{},"]+|\s+', text)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        place, other = chance.randrange(len(words)), chance.randrange(len(words))
        kind = chance.randrange(7)
        if kind == 0:
            del words[place]
        elif kind == 1:
            words.insert(place, words[other])
        elif kind == 2:
            words[place], words[other] = words[other], words[place]
        elif kind == 3:
            words[place] = chance.choice(PIECES)
        elif kind == 4:
            words.insert(place, chance.choice(PIECES))
        elif kind == 5:
            del words[place : place + chance.randrange(1, 20)]
        else:
            words[place] = "".join(chance.sample(words[place], len(words[place])))
        words = words or [" "]
    return "".join(words)


def check_sentence(error: EquipoiseError) -> None:
    """One line, with the file and, once it could be decoded at all, the line."""
    assert re.match(r"\S+(, line [0-9]+)?: ", str(error))
    assert str(error).isprintable()


def outcome(parse: Callable[[str, str], ExtensiveGame | NormalGame], text: str) -> bool:
    """Parse; return whether it is a game, after checking that it is a valid one."""
    try:
        game = parse(text, "fuzz")
    except EquipoiseError as error:
        check_sentence(error)
        return False
    if isinstance(game, NormalGame):
        assert np.isfinite(game.payoffs).all()
        again = parse_nfg("\n".join(nfg_lines(game)), "again")
        assert (again.payoff == game.payoff).all()
        assert again.actions == game.actions
        return True
    assert np.isfinite(game.payoffs).all()
    for node in np.flatnonzero(game.player == -1):
        below = np.flatnonzero(game.parent == node)
        assert sum((game.numbers[i] for i in game.probability[below]), Fraction(0)) == 1
    again_tree = parse_efg("\n".join(efg_lines(game)), "again")
    assert again_tree.fingerprint == game.fingerprint
    assert again_tree.numbers == game.numbers
    return True


def run(path: Path, count: int, seed: int) -> int:
    parse = parse_efg if path.suffix == ".efg" else parse_nfg
    chance = random.Random(seed)
    text = path.read_text()
    return sum(outcome(parse, mutated(text, chance)) for _ in range(count))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_damaged_files_give_a_game_or_a_sentence(path: Path) -> None:
    games = run(path, 300, seed=1)
    assert 0 < games < 300  # the damage is neither harmless nor always fatal


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_many_damaged_files_give_a_game_or_a_sentence(path: Path) -> None:
    assert 0 < run(path, 4000, seed=2) < 4000


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_truncation_gives_a_game_or_a_sentence(path: Path) -> None:
    text = path.read_text()
    parse = parse_efg if path.suffix == ".efg" else parse_nfg
    complete = [cut for cut in range(len(text)) if outcome(parse, text[:cut])]
    # Only the last word of a file can lose characters and leave no gap.
    last_word = len(text) - len(text.split()[-1]) - 1
    assert all(cut >= last_word for cut in complete)


@settings(deadline=None)
@given(
    st.binary(max_size=200), st.sampled_from([b"", b"EFG 2 R ", b"NFG 1 R ", b'EFG 2 R "" {""}'])
)
def test_random_bytes_give_a_game_or_a_sentence(
    tmp_path_factory, data: bytes, start: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.dat"
    path.write_bytes(start + data)
    for read in (read_efg, read_nfg):
        try:
            read(path)
        except EquipoiseError as error:
            check_sentence(error)


WORDS = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


@given(WORDS, st.sampled_from(['EFG 2 R "" { "A" "B" } ', 'NFG 1 R "" { "A" "B" } { 1 2 } ', ""]))
def test_random_words_give_a_game_or_a_sentence(words: str, start: str) -> None:
    outcome(parse_efg, start + words)
    outcome(parse_nfg, start + words)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        'EFG 2 R "" ' + "{" * 200_000,
        'EFG 2 R "' + '\\"' * 200_000,
        'EFG 2 R "" { "A" } ' + 'c "" 1 "" { "x" 1 } 0 ' * 50_000,
        'EFG 2 R "" { "A" } t "" 1 "" { ' + "9" * 200_000 + " }",
        'EFG 2 R "" { "A" } p "" 1 1 "" { ' + '"a" ' * 100_000 + "} 0",
        'NFG 1 R "" { ' + '"A" ' * 50_000 + "} {" + "1 " * 50_000 + "}",
    ],
    ids=["braces", "players", "quotes", "chance", "digits", "actions", "many players"],
)
def test_large_nonsense_is_refused(text: str) -> None:
    assert not outcome(parse_efg, text)
    assert not outcome(parse_nfg, text)
