"""Games by name: ``load("leduc(ranks=5,suits=2)")``, ``load("game.efg")``, ``load("openspiel:pig")``.

Every row of the registry names the function that makes the game as ``"module:function"``; it is
imported when the game is asked for, so listing the games costs nothing. To add a game, add a row.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, get_type_hints

from equipoise.errors import EquipoiseError, quoted, require_type, short

if TYPE_CHECKING:
    from equipoise.games.files.bayesian import Problem
    from equipoise.games.poker.spots import Spot
    from equipoise.games.repeated.game import RepeatedGame
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.games.trees.normal import NormalGame

    Explicit = ExtensiveGame | NormalGame | StageGame
    Game = Explicit | Tournament | RepeatedGame | Problem | Spot


@dataclass(frozen=True)
class Entry:
    """A row of the registry: where the game is made, and what it is, in one line."""

    home: str
    description: str

    def function(self) -> Callable[..., Game]:
        """Import and return the function that makes the game."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Game] = getattr(import_module(module), name)
        return function


GAMES: dict[str, Entry] = {
    "kuhn": Entry("equipoise.games.trees.classic:kuhn", "Kuhn poker with any number of cards"),
    "leduc": Entry("equipoise.games.trees.classic:leduc", "Leduc poker, ranks x suits, as a tree"),
    "liars_dice": Entry("equipoise.games.trees.classic:liars_dice", "liar's dice, one die each"),
    "no_limit_leduc": Entry(
        "equipoise.games.poker.game:no_limit_leduc", "Leduc poker with stacks and all-ins, as data"
    ),
    "rhode_island": Entry(
        "equipoise.games.poker.game:rhode_island", "Rhode Island Hold'em, as data"
    ),
    "limit_holdem": Entry(
        "equipoise.games.poker.game:limit_holdem", "limit Texas Hold'em, as data"
    ),
    "no_limit_holdem": Entry(
        "equipoise.games.poker.game:no_limit_holdem",
        "no-limit Texas Hold'em with the bets of a betting model",
    ),
    "spot": Entry(
        "equipoise.games.poker.spots:spot", "the rest of a hold'em hand: board, ranges, pot, sizes"
    ),
    "auction": Entry("equipoise.games.library:auction", "open-cry auction, private values"),
    "bargaining": Entry("equipoise.games.library:bargaining", "offers, with a court in the end"),
    "standoff": Entry("equipoise.games.library:standoff", "escalation between hidden strengths"),
    "tract": Entry("equipoise.games.library:tract", "bids for an oil tract of common value"),
    "tournament": Entry(
        "equipoise.games.tournaments.tournament:tournament", "jam/fold poker tournament, as data"
    ),
    "unrevealing": Entry(
        "equipoise.games.repeated.game:unrevealing",
        "repeated game, one side informed: better to say nothing",
    ),
    "revealing": Entry(
        "equipoise.games.repeated.game:revealing",
        "repeated game, one side informed: better to tell all",
    ),
    "partial": Entry(
        "equipoise.games.repeated.game:partial",
        "repeated game, one side informed: better to tell a part",
    ),
    "irrational": Entry(
        "equipoise.games.repeated.game:irrational",
        "repeated game whose optimal lottery has irrational odds",
    ),
}

FILES: dict[str, Entry] = {
    ".efg": Entry("equipoise.games.files.gambit:read_efg", "Gambit's extensive-form games"),
    ".nfg": Entry("equipoise.games.files.gambit:read_nfg", "Gambit's normal-form games"),
    ".game": Entry("equipoise.games.files.acpc:read_acpc", "the poker competition's definitions"),
    ".bml": Entry("equipoise.games.files.bml:load_bml", "no-limit hold'em's betting as XML"),
    ".toml": Entry("equipoise.games.files.toml:load_toml", "games of every family as rule files"),
}

SOURCES: dict[str, Entry] = {
    "openspiel": Entry(
        "equipoise.games.files.openspiel:load_openspiel", "any small OpenSpiel game"
    ),
}


def load(spec: str | os.PathLike[str], *, nodes: int | None = None) -> Game:
    """Return the game that ``spec`` names; a tree may have up to ``nodes`` nodes.

    A spec is a registered name, with parameters or without (``kuhn``, ``leduc(ranks=5,suits=2)``),
    a path with a known ending (``game.efg``), or ``openspiel:NAME``, where OpenSpiel reads NAME and
    its parameters. In registered names ``-`` and ``_`` are the same.
    """
    from equipoise.games.trees.growth import growth

    expected = "the name of a game or of a file"
    require_type("load", spec, (str, os.PathLike), expected)
    text = os.fspath(spec)
    if "\0" in text:
        raise EquipoiseError(
            f"load: found {short(text)}, expected {expected}: none has that character."
        )
    with growth(nodes):
        return _load(text)


def load_explicit(spec: str, *, nodes: int | None = None) -> Explicit:
    """Return the tree, matrix or game with signals that ``spec`` names; refuse other families."""
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.games.trees.normal import NormalGame

    game = load(spec, nodes=nodes)
    if not isinstance(game, ExtensiveGame | NormalGame | StageGame):
        raise EquipoiseError(
            f"game {quoted(spec)}: found a {in_words(game.family)}, expected a tree, a matrix or a game "
            "with signals."
        )
    return game


def in_words(family: str) -> str:
    """Return what a sentence calls a game of the family with this name.

    >>> in_words("bayesian"), in_words("zero-sum")
    ('Bayesian game', 'zero-sum game')
    """
    return f"{_SPELLED.get(family, family):.40} game"


_SPELLED = {"bayesian": "Bayesian"}


def _load(text: str) -> Game:
    spec = text.strip()
    suffix = PurePath(spec).suffix.lower()
    if suffix in FILES:
        # Blanks around a name are a slip, unless a file is called so.
        return FILES[suffix].function()(text if os.path.lexists(text) else spec)
    source, colon, rest = spec.partition(":")
    if colon and source.lower() in SOURCES:
        return SOURCES[source.lower()].function()(rest)
    name, parameters = parse(spec)
    return _make(name, _entry(name), parameters)


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Split ``name(key=value,...)`` into the name and its parameters, which must be literals."""
    match = re.fullmatch(r"([^()]*?)\s*(?:\((.*)\))?", spec, re.DOTALL)
    if match is None:
        raise EquipoiseError(
            f"game {quoted(spec)}: found unmatched parentheses, expected a name such as 'leduc' or "
            "'leduc(ranks=5,suits=2)'."
        )
    name, inside = match[1].strip(), match[2]
    if inside is None or not inside.strip():
        return name, {}
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        return name, {str(_known(k)): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise EquipoiseError(
            f"game {quoted(spec)}: found the parameters ({inside[:60]}), expected name=value pairs "
            "whose values are numbers, True, False or quoted text."
        ) from None


def _known(keyword: ast.keyword) -> str:
    """Return the keyword's name, which a ``**mapping`` does not have."""
    if keyword.arg is None:
        raise ValueError
    return keyword.arg


def _entry(name: str) -> Entry:
    """Return the row of ``name``, or say which name was probably meant."""
    entry = GAMES.get(name.replace("-", "_"))
    if entry is not None:
        return entry
    others = f", a file ending in {' or '.join(FILES)}, or openspiel:NAME"
    advice = _suggest(name.replace("-", "_").lower(), GAMES, others)
    raise EquipoiseError(f"unknown game {quoted(name)}, {advice}")


def _suggest(name: str, known: Mapping[str, Any], others: str = "") -> str:
    """Return a question if some known name is close to ``name``, and otherwise all of them."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"expected one of {', '.join(known)}{others}."


def _make(name: str, entry: Entry, parameters: dict[str, Any]) -> Game:
    """Call the function of ``entry`` after checking names and types of its parameters."""
    function = entry.function()
    known = inspect.signature(function).parameters
    hints = get_type_hints(function)
    for key, value in parameters.items():
        if key not in known:
            advice = _suggest(key, known) if known else "expected none."
            raise EquipoiseError(f"game '{name}': unknown parameter '{key}', {advice}")
        _check_type(f"game '{name}': {key}", value, hints.get(key))
    missing = [
        k for k, p in known.items() if p.default is inspect.Parameter.empty and k not in parameters
    ]
    if missing:
        raise EquipoiseError(f"game '{name}': the parameter {missing[0]} is missing, expected it.")
    try:
        return function(**parameters)
    except (MemoryError, OverflowError):
        raise EquipoiseError(
            f"game '{name}': {parameters} make a game too large for this machine, expected a "
            "smaller one."
        ) from None


_TYPES = {int: "a whole number", float: "a finite number", bool: "True or False", str: "a text"}


def _check_type(place: str, value: Any, expected: Any) -> None:
    """Raise unless ``value`` is of the simple type ``expected``; other types are the game's affair."""
    if isinstance(value, float) and not math.isfinite(value):
        raise EquipoiseError(f"{place} is {value}, expected a finite number.")
    if expected not in _TYPES:
        return
    found = type(value)
    if found is not expected and not (expected is float and found is int):
        raise EquipoiseError(f"{place} is {value!r}, expected {_TYPES[expected]}.")
