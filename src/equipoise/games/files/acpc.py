"""Game definitions of the Annual Computer Poker Competition (``*.game``), read and written.

A definition is lines between ``GAMEDEF`` and ``END GAMEDEF``: ``limit`` or ``nolimit``, and ``name = numbers``.
Players and positions count from 1, a blind is what a player puts in before the deal, ``raiseSize`` has one number
a round, ``maxRaises`` counts raises without the blind. How hands compare is not in a definition; it follows
from the numbers of cards, as in the competition: one card (Kuhn), a pair (Leduc), five of seven (Texas
hold'em), and for one card and a board of two the three-card hands of Rhode Island hold'em.

In a no-limit definition every whole number of chips is a bet, so only small stacks make a game here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError, quoted
from equipoise.files import write_atomically
from equipoise.games.poker.game import PokerGame, poker_game
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.chips import ACTIVE, chips
from equipoise.games.signals.limit import limit
from equipoise.games.signals.no_limit import no_limit

_MOST_CHARACTERS = 100_000
_LARGEST = 1_000_000
_LARGEST_STACK = 50  # every whole bet is an action

_KNOWN = {
    name.lower(): name
    for name in (
        "numPlayers", "numRounds", "blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits",
        "numRanks", "numHoleCards", "numBoardCards", "stack",
    )
}  # fmt: skip
_SHOWDOWNS = {(1, 0): "high-card", (1, 1): "pair", (1, 2): "three-card"}
_TREE_ARRAYS = ("parent", "round", "player", "base", "scale", "kind")


def read_acpc(path: str | Path) -> PokerGame:
    """Return the game that the definition at ``path`` describes; its players are the positions."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(_MOST_CHARACTERS + 1).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not ASCII text"
        raise EquipoiseError(
            f"{path}: cannot be read ({reason}), expected a game definition."
        ) from None
    try:
        return parse_acpc(text, Path(path).stem)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def parse_acpc(text: str, name: str) -> PokerGame:
    """Return the game that a definition describes, called ``name``."""
    if len(text) > _MOST_CHARACTERS:
        _refuse("the file", f"more than {_MOST_CHARACTERS:,} characters", "a definition")
    kind, fields = _lines(text)
    players = _one(fields, "numPlayers", 2, 10)
    rounds = _one(fields, "numRounds", 1, 4)
    hole = _one(fields, "numHoleCards", 1, 4)
    board = _numbers(fields, "numBoardCards", rounds, 0, 10)
    deck = Deck.small(_one(fields, "numRanks", 1, 13), _one(fields, "numSuits", 1, 4))
    return poker_game(
        name,
        deck=deck,
        hole=hole,
        board=board,
        tree=_tree(kind, fields, players, rounds),
        showdown=_SHOWDOWNS.get((hole, sum(board)), "five-card"),
    )


def _lines(text: str) -> tuple[str, Mapping[str, list[int]]]:
    """Return ``limit`` or ``nolimit``, and the numbers of every field."""
    kind, fields = "", dict[str, list[int]]()
    for place, line in _inside(text):
        words = line.lower()
        if words in ("limit", "nolimit"):
            kind = words
            continue
        key, equals, rest = words.partition("=")
        name = _KNOWN.get(key.strip())
        if not equals or name is None or not re.fullmatch(r"[ \t0-9]{1,200}", rest):
            _refuse(place, quoted(line), "a known name, '=' and numbers")
        fields[name] = [int(word[:9]) for word in rest.split()]
    if not kind:
        _refuse("the definition", "neither limit nor nolimit", "one of them")
    return kind, fields


def _inside(text: str) -> list[tuple[str, str]]:
    """Return the lines of the definition without comments, each with its place."""
    lines = [
        (f"line {number}", words)
        for number, line in enumerate(text.splitlines(), 1)
        if (words := line.partition("#")[0].strip())
    ]
    marks = [words.lower() for _, words in lines]
    if not marks or marks[0] != "gamedef" or "end gamedef" not in marks:
        found = "nothing" if not lines else quoted(lines[0][1])
        _refuse("the file", f"{found} at its beginning", "lines from GAMEDEF to END GAMEDEF")
    return lines[1 : marks.index("end gamedef")]


def _tree(kind: str, fields: Mapping[str, list[int]], players: int, rounds: int) -> BettingTree:
    blinds = _numbers(fields, "blind", players, 0, _LARGEST)
    first = [seat - 1 for seat in _numbers(fields, "firstPlayer", rounds, 1, players, [1] * rounds)]
    # Equal blinds are antes: nobody owes anything, and the first bet is a bet.
    is_ante = len(set(blinds)) == 1
    posted = {"antes": blinds[0]} if is_ante else {"blinds": blinds}
    if kind == "limit":
        sizes = _numbers(fields, "raiseSize", rounds, 1, _LARGEST)
        raises = _numbers(fields, "maxRaises", rounds, 0, 99)
        caps = [most + (turn == 0 and not is_ante) for turn, most in enumerate(raises)]
        if min(caps) < 1:
            _refuse("maxRaises", "0", "at least one bet in every round")
        return limit(rounds, bets=sizes, cap=caps, first=first, players=players, **posted)
    stacks = _numbers(fields, "stack", players, 1, _LARGEST)
    if players != 2 or max(stacks) > _LARGEST_STACK:
        _refuse(
            "nolimit",
            f"{players} players with up to {max(stacks):,} chips",
            f"two with at most {_LARGEST_STACK}: every whole bet is an action; a TOML file names the sizes",
        )
    every = list(range(1, max(stacks) + 1))
    return no_limit(rounds, stacks=stacks, bets=every, first=first, chip=1, **posted)


def _numbers(
    fields: Mapping[str, list[int]],
    name: str,
    count: int,
    least: int,
    most: int,
    default: list[int] | None = None,
) -> list[int]:
    """Return the numbers of a field: one a round, or one a player."""
    found = fields.get(name, default)
    if found is None or len(found) != count or not all(least <= n <= most for n in found):
        shown = "nothing" if found is None else " ".join(map(str, found))
        _refuse(name, shown, f"{count} numbers from {least} to {most:,}")
    return found


def _one(fields: Mapping[str, list[int]], name: str, least: int, most: int) -> int:
    return _numbers(fields, name, 1, least, most)[0]


def write_acpc(game: PokerGame, path: str | Path) -> None:
    """Write the definition of a game with limit betting, of which all can be read back."""
    text = acpc_text(game)
    write_atomically(path, lambda file: file.write(text.encode()))


def acpc_text(game: PokerGame) -> str:
    """Return the definition of ``game``; raise if a definition cannot say what it is."""
    text = _definition(game)
    try:
        again = parse_acpc(text, game.name)
    except EquipoiseError as error:
        raise EquipoiseError(f"{game.name}: as a game definition: {error}") from None
    same = all(
        np.array_equal(getattr(game.tree, name), getattr(again.tree, name)) for name in _TREE_ARRAYS
    )
    if not same or again.suited != game.suited or again.public != game.public:
        _refuse(game.name, "rules that a game definition cannot say", "limit poker")
    return text


def _definition(game: PokerGame) -> str:
    """Read the numbers of a limit game off its betting tree."""
    if game.players != 2 or any(label[1:] for label in game.tree.action):
        _refuse(game.name, "no limit betting between two players", "limit poker for two")
    tree, known = game.tree, chips(game.tree)
    root = int(tree.player[0])
    blinds = [0.0, 0.0]
    blinds[root], blinds[1 - root] = float(known.paid[0]), float(known.matched[0])
    is_ante = known.fold[0] < 0
    sizes, raises, first = [], [], []
    for turn in range(game.rounds):
        nodes = np.flatnonzero((tree.round == turn) & (tree.player >= 0)).tolist()
        if not nodes:
            _refuse(game.name, f"no decision in round {turn + 1}", "betting in every round")
        bets = [c for v in nodes for c in tree.successors[v] if tree.action[c].startswith(ACTIVE)]
        grown = {float(known.matched[c] - known.matched[tree.parent[c]]) for c in bets}
        sizes.append(max(grown, default=0.0))
        most = max(int(known.bets[v]) for v in nodes)
        raises.append(most - (turn == 0 and not is_ante))
        first.append(int(tree.player[known.start[nodes[0]]]) + 1)
    return "\n".join(
        (
            "GAMEDEF",
            "limit",
            f"numPlayers = {game.players}",
            f"numRounds = {game.rounds}",
            f"blind = {_words(blinds)}",
            f"raiseSize = {_words(sizes)}",
            f"firstPlayer = {_words(first)}",
            f"maxRaises = {_words(raises)}",
            f"numSuits = {len(game.deck.suits)}",
            f"numRanks = {len(game.deck.ranks)}",
            f"numHoleCards = {game.hole}",
            f"numBoardCards = {_words(game.public)}",
            "END GAMEDEF",
            "",
        )
    )


def _words(numbers: Sequence[float]) -> str:
    if any(number != int(number) for number in numbers):
        _refuse("chips", " ".join(f"{n:g}" for n in numbers), "whole numbers")
    return " ".join(str(int(number)) for number in numbers)


def _refuse(place: str, found: str, expected: str) -> NoReturn:
    raise EquipoiseError(f"{place}: found {found}, expected {expected}.")
