"""Signal games and their models as TOML files.

::

    game = "river"                       # or a [[leaf]] for every end of the round
    pot = 2.0

    [signals]
    P1 = [[0, 0], [0.4, 0.7], [1, 1]]    # breakpoints (x, F(x)) of a distribution function
    P2 = "uniform"

    [models]                             # none: the models are proposed
    first = '''
    P1: bet-call |a| bet-fold |b| check-call |c| check-fold |d| bet-fold
    P2: raise/bet |e| call/bet |f| call/check |g| raise/check |h| fold/check |i| fold/bet
    order: e <= a, b <= f <= c, i <= d
    '''

Instead of one entry a player, ``[signals]`` may hold ``finite`` (a list of probabilities for each
player), ``deck`` (two cards from so many, not put back) or ``joint`` (a table of probabilities, with
``edges`` if its cells are intervals). A leaf has a ``path`` such as ``"P1 bet, P2 call"`` and either
``pay`` or ``win`` and ``lose``, with ``contenders`` if not everybody is in the showdown.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian import BayesianGame, Cdf, Signals
from equipoise.games.parametric import ParametricModel, parse
from equipoise.games.rounds import (
    BettingRound,
    Leaf,
    bet_or_check,
    kuhn,
    parse_path,
    raise_or_fold,
    river,
)

_ROUNDS: dict[str, tuple[Callable[..., BettingRound], set[str]]] = {
    "bet-or-check": (bet_or_check, {"pot"}),
    "river": (river, {"pot"}),
    "kuhn": (kuhn, {"better"}),
    "raise-or-fold": (raise_or_fold, set()),
}


@dataclass(frozen=True)
class Problem:
    """What a file asks: a game, and models of it (perhaps none)."""

    title: str
    game: BayesianGame
    models: tuple[ParametricModel, ...]


def read(path: str | Path) -> Problem:
    """Read the problem in the file ``path``."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{path}: cannot be read ({error}), expected a TOML file.") from None
    try:
        return problem(tomllib.loads(text), Path(path).stem)
    except tomllib.TOMLDecodeError as error:
        raise EquipoiseError(f"{path}: {error}; expected a TOML file.") from None
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def problem(table: Mapping[str, Any], title: str = "signal game") -> Problem:
    """Return the problem that the parsed ``table`` describes."""
    _only(table, {"title", "game", "pot", "better", "leaf", "signals", "models"}, "file")
    betting = _round(table)
    signals = _signals(table.get("signals"), betting.players)
    models: list[ParametricModel] = []
    given = table.get("models", {})
    if not isinstance(given, Mapping):
        raise EquipoiseError("models: expected a table of named models.")
    for name, text in given.items():
        if not isinstance(text, str):
            raise EquipoiseError(f"models.{name}: expected a text such as 'P1: bet | check'.")
        models += parse(text, betting, f"model '{name}'")
    return Problem(str(table.get("title", title)), BayesianGame(betting, signals), tuple(models))


def _only(table: Mapping[str, Any], known: set[str], where: str) -> None:
    """Refuse fields that nobody would read."""
    for field in table:
        if field not in known:
            raise EquipoiseError(
                f"{where}: found the field '{field}', expected only {', '.join(sorted(known))}."
            )


def _round(table: Mapping[str, Any]) -> BettingRound:
    """Return the named or written-out betting round."""
    if ("game" in table) == ("leaf" in table):
        raise EquipoiseError("file: expected either 'game' or [[leaf]] entries.")
    if "leaf" in table:
        leaves = table["leaf"]
        if not isinstance(leaves, list) or not all(isinstance(leaf, Mapping) for leaf in leaves):
            raise EquipoiseError("leaf: expected [[leaf]] entries.")
        written = tuple(_leaf(leaf, k) for k, leaf in enumerate(leaves, start=1))
        return BettingRound(written, table.get("better", "low"))
    name = table["game"]
    if name not in _ROUNDS:
        raise EquipoiseError(f"game: found {name!r}, expected one of {', '.join(_ROUNDS)}.")
    make, options = _ROUNDS[name]
    given = {key: table[key] for key in ("pot", "better") if key in table}
    _only(given, options, f"game '{name}'")
    if "pot" in given and (not _is_number(given["pot"]) or given["pot"] <= 0):
        raise EquipoiseError(f"pot: found {given['pot']!r}, expected a positive number.")
    return make(**given)


def _leaf(table: Mapping[str, Any], number: int) -> Leaf:
    """Return the leaf of a [[leaf]] entry."""
    where = f"leaf {number}"
    _only(table, {"path", "pay", "win", "lose", "contenders"}, where)
    if not isinstance(table.get("path"), str):
        raise EquipoiseError(f"{where}: expected a path such as 'P1 bet, P2 call'.")
    path = parse_path(table["path"])
    if "pay" in table:
        _only(table, {"path", "pay"}, where)
        pay = _numbers(table["pay"], f"{where}, pay")
        return Leaf(path, pay, pay)
    win, lose = (_numbers(table.get(key), f"{where}, {key}") for key in ("win", "lose"))
    contenders = _numbers(table.get("contenders", range(1, len(win) + 1)), f"{where}, contenders")
    return Leaf(path, win, lose, tuple(int(i) - 1 for i in contenders))


def _signals(table: Any, players: int) -> Signals:
    """Return the signals of the [signals] table; uniform ones if it is absent."""
    if table is None:
        return Signals.uniform(players)
    if not isinstance(table, Mapping):
        raise EquipoiseError("signals: expected a table.")
    names = [f"P{i + 1}" for i in range(players)]
    kinds = {"finite", "deck", "joint"} & set(table)
    if len(kinds) > 1:
        raise EquipoiseError(f"signals: found {' and '.join(sorted(kinds))}, expected one of them.")
    if "finite" in kinds:
        _only(table, {"finite"}, "signals")
        rows = table["finite"]
        if not isinstance(rows, list) or len(rows) != players:
            raise EquipoiseError(f"signals.finite: expected {players} lists of probabilities.")
        return Signals.discrete(*(_numbers(row, "signals.finite") for row in rows))
    if "deck" in kinds:
        _only(table, {"deck"}, "signals")
        if not isinstance(table["deck"], int):
            raise EquipoiseError("signals.deck: expected a whole number of cards.")
        return Signals.deck(table["deck"])
    if "joint" in kinds:
        _only(table, {"joint", "edges"}, "signals")
        edges = _numbers(table["edges"], "signals.edges") if "edges" in table else None
        if not isinstance(table["joint"], list):
            raise EquipoiseError("signals.joint: expected a table of probabilities.")
        rows = [_numbers(row, "signals.joint") for row in table["joint"]]
        if len({len(row) for row in rows}) != 1:
            raise EquipoiseError(
                "signals.joint: found rows of different lengths, expected a square table."
            )
        return Signals.dependent(rows, edges)
    _only(table, set(names), "signals")
    return Signals.continuous(
        *(_cdf(table.get(name, "uniform"), f"signals.{name}") for name in names)
    )


def _cdf(value: Any, where: str) -> Cdf:
    """Return the distribution function of a player."""
    if value == "uniform":
        return Cdf.uniform()
    try:
        return Cdf.points(value)
    except EquipoiseError as error:
        raise EquipoiseError(f"{where}: {error}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(value: Any, where: str) -> tuple[float, ...]:
    """Return a list of numbers."""
    if not isinstance(value, list | range) or not all(_is_number(v) for v in value):
        raise EquipoiseError(f"{where}: found {value!r}, expected a list of numbers.")
    return tuple(float(v) for v in value)
