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

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import (
    Better,
    BettingRound,
    Leaf,
    bet_or_check,
    kuhn_round,
    parse_path,
    raise_or_fold,
    river,
)
from equipoise.games.bayesian.distributions import Cdf, Signals
from equipoise.games.bayesian.game import BayesianGame, SignalGame
from equipoise.games.bayesian.parametric import ParametricModel, parse_models
from equipoise.games.files.fields import Fields, parse_toml

NAMES = ("bet-or-check", "river", "kuhn", "raise-or-fold")
# Of a deck: every pair of cards is an entry of a table.
_MOST_CARDS = 1000
KINDS = ("finite", "deck", "joint")


@dataclass(frozen=True)
class Problem:
    """What a file asks: a game, and models of it (perhaps none)."""

    title: str
    game: SignalGame
    models: tuple[ParametricModel, ...] = ()
    family: ClassVar[str] = "bayesian"

    def __repr__(self) -> str:
        return f"<Problem '{self.title}': {self.game.players} players, {len(self.models)} models>"

    @property
    def name(self) -> str:
        """The title."""
        return self.title

    @property
    def players(self) -> int:
        """Number of players."""
        return self.game.players

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what strategies depend on: the plans of the players, and the line of signals."""
        signals = self.game.signals
        known = (self.game.plans, signals.line, signals.finite)
        return hashlib.sha256(repr(known).encode()).hexdigest()[:16]


def read(path: str | Path) -> Problem:
    """Read the problem in the file ``path``."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return problem(parse_toml(text), Path(path).stem)
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{path}: cannot be read ({error}), expected a TOML file.") from None
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def problem(data: Mapping[str, Any], title: str = "signal game") -> Problem:
    """Return the problem that ``data`` (a parsed file) describes."""
    fields = Fields(data, "")
    fields.only("title", "game", "pot", "better", "leaf", "signals", "models")
    betting = _round(fields)
    signals = _signals(fields, betting.players)
    models: list[ParametricModel] = []
    if "models" in fields:
        given = fields.table("models")
        for name in given.data:
            models += parse_models(given.text(name), betting, f"model '{name}'")
    return Problem(fields.text("title", title), BayesianGame(betting, signals), tuple(models))


def _round(fields: Fields) -> BettingRound:
    """Return the named or written-out betting round."""
    if ("game" in fields) == ("leaf" in fields):
        raise EquipoiseError("found both or neither of game and [[leaf]], expected one of them.")
    better = cast(
        Better, fields.text("better", "high" if fields.data.get("game") == "kuhn" else "low")
    )
    pot = fields.number("pot", 1.0)
    if pot <= 0:
        fields.fail("pot", "a positive number")
    name = fields.text("game", "")
    if "leaf" in fields:
        _refuse(fields, "pot")
        return BettingRound(tuple(_leaf(leaf) for leaf in fields.tables("leaf")), better)
    if name in ("bet-or-check", "river"):
        _refuse(fields, "better")
        return (bet_or_check if name == "bet-or-check" else river)(float(pot))
    _refuse(fields, "pot")
    if name == "kuhn":
        return kuhn_round(better)
    if name != "raise-or-fold":
        fields.fail("game", f"one of {', '.join(NAMES)}")
    _refuse(fields, "better")
    return raise_or_fold()


def _refuse(fields: Fields, key: str) -> None:
    """Refuse a field that this game does not know."""
    if key in fields:
        fields.fail(key, "no such field in this game")


def _leaf(fields: Fields) -> Leaf:
    """Return the leaf of a [[leaf]] entry."""
    path = parse_path(fields.text("path"))
    if "pay" in fields:
        fields.only("path", "pay")
        pay = _floats(fields, "pay")
        return Leaf(path, pay, pay)
    fields.only("path", "win", "lose", "contenders")
    win, lose = _floats(fields, "win"), _floats(fields, "lose")
    contenders = fields.numbers("contenders") or range(1, len(win) + 1)
    return Leaf(path, win, lose, tuple(int(i) - 1 for i in contenders))


def _signals(fields: Fields, players: int) -> Signals:
    """Return the signals of the [signals] table; uniform ones if it is absent."""
    if "signals" not in fields:
        return Signals.uniform(players)
    table = fields.table("signals")
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) > 1:
        raise EquipoiseError(f"signals: found {' and '.join(kinds)}, expected one of them.")
    if kinds == ["finite"]:
        table.only("finite")
        return Signals.discrete(*_rows(table, "finite", players))
    if kinds == ["deck"]:
        table.only("deck")
        return Signals.deck(table.whole("deck", least=2, most=_MOST_CARDS))
    if kinds == ["joint"]:
        table.only("joint", "edges")
        edges = _floats(table, "edges") if "edges" in table else None
        return Signals.dependent(_rows(table, "joint", None), edges)
    names = [f"P{i + 1}" for i in range(players)]
    table.only(*names, *KINDS)
    return Signals.continuous(*(_cdf(table, name) for name in names))


def _cdf(table: Fields, name: str) -> Cdf:
    """Return the distribution function of a player."""
    value = table.data.get(name, "uniform")
    if value == "uniform":
        return Cdf.uniform()
    try:
        return Cdf.points(value)
    except EquipoiseError as error:
        raise EquipoiseError(f"{table.at(name)}: {error}") from None


def _rows(table: Fields, key: str, count: int | None) -> list[tuple[float, ...]]:
    """Read a list of (``count``) lists of numbers, all of one length."""
    value = table.data[key]
    if not isinstance(value, list) or len(value) != (count or len(value)):
        table.fail(key, f"{count or 'some'} lists of numbers")
    row = Fields({f"{i + 1}": own for i, own in enumerate(value)}, table.at(key))
    rows = [_floats(row, name) for name in row.data]
    if len({len(own) for own in rows}) != 1:
        table.fail(key, "lists of the same length")
    return rows


def _floats(fields: Fields, key: str) -> tuple[float, ...]:
    return tuple(float(number) for number in fields.numbers(key))
