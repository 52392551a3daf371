"""Zero-sum repeated games with incomplete information on one side (Gilpin 2009, chapter 11).

Nature draws a state k from a known prior p and tells it to player 1 alone. Then the matrix game A^k
is played again and again: each stage the players see each other's actions and never the payoffs.
Player 1, the informed one, receives the long-run average of A^k at the actions played.

The *non-revealing function* v(q) is the value of the average game A(q) = sum_k q_k A^k, in which
nobody knows the state; its concavification at the prior, cav v(p), is the value of the repeated
game (Aumann and Maschler). :mod:`equipoise.solvers.repeated.cav` computes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, parse_toml
from equipoise.games.trees.extensive import are_payoffs
from equipoise.numerics.minimax import Saddles, minimax, unit_scale

Floats = NDArray[np.float64]

SUM_TOLERANCE = 1e-9
"""How far a distribution may be from summing to one; within, it is rescaled."""
_CHUNK = 4096
"""Average games held in memory at once."""


class RepeatedGame:
    """K matrix games of one shape and the prior over them.

    One state is allowed: the game is then an ordinary matrix game, repeated, and there is nothing to
    reveal. States of prior zero are allowed too: they never occur.

    Attributes
    ----------
    matrices
        Payoffs to player 1 by state, row (player 1's action) and column (player 2's).
    prior
        Probabilities of the states.
    states, rows, columns
        Labels, for printing; numbers from 1 where none are given.
    name
        What to call the game.
    unit_matrices, shift, range
        The payoffs brought into [0, 1], where ``matrices = shift + range * unit_matrices``.
    """

    family: ClassVar[str] = "repeated"
    players: ClassVar[tuple[str, str]] = ("informed", "uninformed")

    def __init__(
        self,
        matrices: Sequence[ArrayLike] | Floats,
        prior: ArrayLike,
        *,
        states: Sequence[str] = (),
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        name: str = "repeated game",
    ) -> None:
        self.matrices = _payoffs(matrices)
        count, height, width = self.matrices.shape
        self.prior = distribution(prior, count, "prior")
        self.states = _labels(states, count, "states")
        self.rows = _labels(rows, height, "rows")
        self.columns = _labels(columns, width, "columns")
        self.name = name
        self.shift, self.range = unit_scale(self.matrices)
        self.unit_matrices: Floats = (self.matrices - self.shift) / self.range
        for array in (self.matrices, self.prior, self.unit_matrices):
            array.setflags(write=False)

    def __repr__(self) -> str:
        count, height, width = self.matrices.shape
        return f"RepeatedGame({self.name!r}, {count} states, {height} x {width})"

    @cached_property
    def fingerprint(self) -> str:
        """Digest of what strategies depend on: the labels of states and actions."""
        labels = "\0".join("\1".join(own) for own in (self.states, self.rows, self.columns))
        return hashlib.sha256(labels.encode()).hexdigest()[:16]

    @property
    def rounding(self) -> float:
        """Bound of the rounding error of evaluating a bound: sums of at most 2 (K + m + n) products."""
        largest = float(np.abs(self.matrices).max()) + self.range
        return 8 * sum(self.matrices.shape) * float(np.finfo(np.float64).eps) * largest

    def average(self, q: ArrayLike) -> Floats:
        """Return A(q) = sum_k q_k A^k, the payoffs when nobody knows the state."""
        return np.asarray(np.tensordot(self._distributions(q)[0], self.matrices, 1))

    def nonrevealing(self, q: ArrayLike) -> Saddles:
        """Solve the average game at each row of ``q``: v(q) lies in ``[lower, upper]``.

        ``x`` and ``y`` are optimal strategies of the two players there.
        """
        points = self._distributions(q)
        parts = [
            minimax(np.tensordot(points[start : start + _CHUNK], self.unit_matrices, 1))
            for start in range(0, len(points), _CHUNK)
        ]
        return Saddles(
            x=np.concatenate([part.x for part in parts]),
            y=np.concatenate([part.y for part in parts]),
            lower=self.shift + self.range * np.concatenate([part.lower for part in parts]),
            upper=self.shift + self.range * np.concatenate([part.upper for part in parts]),
        )

    def values(self, q: ArrayLike) -> Floats:
        """Return v(q) at each row of ``q``."""
        solved = self.nonrevealing(q)
        return np.asarray(0.5 * (solved.lower + solved.upper))

    def _distributions(self, q: ArrayLike) -> Floats:
        """Return ``q`` as rows of probabilities."""
        points = np.atleast_2d(_array(q, "q"))
        return np.stack([distribution(point, len(self.prior), "q") for point in points])


def distribution(weights: ArrayLike, size: int, place: str) -> Floats:
    """Return ``weights`` as a probability vector of ``size``, or say what is wrong with it."""
    vector = _array(weights, place)
    if vector.shape != (size,):
        raise EquipoiseError(
            f"Repeated game, {place}: found shape {vector.shape}, expected {size} probabilities, "
            "one a state."
        )
    if not np.isfinite(vector).all() or (vector < 0).any():
        raise EquipoiseError(
            f"Repeated game, {place}: found {vector.tolist()}, expected probabilities, none "
            "negative, infinite or NaN."
        )
    total = float(vector.sum())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise EquipoiseError(f"Repeated game, {place}: found a sum of {total:.12g}, expected 1.")
    return vector / total


def _payoffs(matrices: Sequence[ArrayLike] | Floats) -> Floats:
    """Return the stack of matrices, or say which one is at fault."""
    parts = [_array(part, f"matrix {k + 1}") for k, part in enumerate(matrices)]
    if not parts:
        raise EquipoiseError("Repeated game: found no matrices, expected one a state.")
    for k, part in enumerate(parts):
        place = f"Repeated game, matrix {k + 1}"
        if part.ndim != 2 or part.size == 0:
            raise EquipoiseError(f"{place}: found shape {part.shape}, expected rows and columns.")
        if part.shape != parts[0].shape:
            raise EquipoiseError(
                f"{place}: found shape {part.shape}, expected that of matrix 1, {parts[0].shape}."
            )
        if not are_payoffs(part):
            worst = part.flat[np.abs(part).argmax()]
            raise EquipoiseError(
                f"{place}: found {worst}, expected payoffs between -1e300 and 1e300."
            )
    return np.stack(parts)


def _array(values: ArrayLike, place: str) -> Floats:
    """Return ``values`` as floats; a fraction written as a string ('1/3') is a number too."""
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return values
    try:
        raw = np.asarray(values, dtype=object)
        flat = [_number(entry) for entry in raw.ravel()]
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise EquipoiseError(
            f"Repeated game, {place}: found rows of different lengths or entries that are not "
            "numbers, expected numbers (or fractions such as '1/3')."
        ) from None
    return np.array(flat, dtype=np.float64).reshape(raw.shape)


def _number(entry: Any) -> float:
    """Read one entry."""
    if isinstance(entry, bool):
        raise TypeError
    return float(Fraction(entry)) if isinstance(entry, str) else float(entry)


def _labels(given: Sequence[str], size: int, place: str) -> tuple[str, ...]:
    """Return the labels, or 1, 2, 3... where there are none."""
    if given and len(given) != size:
        raise EquipoiseError(
            f"Repeated game, {place}: found {len(given)} labels, expected {size}, one each."
        )
    return tuple(given) or tuple(str(i + 1) for i in range(size))


def load_repeated(name: str | Path) -> RepeatedGame:
    """Return the example of that name, or read the game from that file."""
    return EXAMPLES[str(name)] if str(name) in EXAMPLES else read_repeated(name)


def read_repeated(path: str | Path) -> RepeatedGame:
    """Read a game from a TOML file.

    It holds ``prior`` and, for every state, a table ``[[state]]`` with its ``payoffs`` and, if you
    like, a ``name``; ``name``, ``rows`` and ``columns`` (labels of the actions) are optional too.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise EquipoiseError(
            f"{path}: cannot be read ({error.strerror}), expected a file of a repeated game or one "
            f"of the examples {', '.join(EXAMPLES)}."
        ) from None
    except UnicodeDecodeError:
        raise EquipoiseError(f"{path}: found bytes that are not UTF-8, expected text.") from None
    try:
        return parse_repeated(text, Path(path).stem)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def parse_repeated(text: str, name: str = "repeated game") -> RepeatedGame:
    """Read a game from the text of a file, as :func:`read_repeated` describes it."""
    fields = Fields(parse_toml(text), "")
    fields.only("name", "prior", "rows", "columns", "state")
    tables = fields.tables("state")
    for table in tables:
        table.only("name", "payoffs")
    for table, field in [*((table, "payoffs") for table in tables), (fields, "prior")]:
        if not isinstance(table.data.get(field), list):
            table.fail(field, "a list of numbers")
    return RepeatedGame(
        [table.data["payoffs"] for table in tables],
        fields.data["prior"],
        states=[table.text("name", str(k + 1)) for k, table in enumerate(tables)],
        rows=fields.texts("rows"),
        columns=fields.texts("columns"),
        name=fields.text("name", name),
    )


def _example(name: str, a: list[list[float]], b: list[list[float]]) -> RepeatedGame:
    """Return a game of two equally likely states A and B."""
    rows, columns = np.shape(a)
    labels = {"rows": ("U", "D", "S")[:rows], "columns": "LR" if columns == 2 else "LMR"}
    return RepeatedGame([a, b], [0.5, 0.5], states="AB", name=name, **labels)


def unrevealing() -> RepeatedGame:
    """Return the game of figure 11.1 of Gilpin 2009: knowledge is of no use but in secret."""
    return _example("unrevealing", [[1, 0], [0, 0]], [[0, 0], [0, 1]])


def revealing() -> RepeatedGame:
    """Return the game of figure 11.3 of Gilpin 2009: all is told."""
    return _example("revealing", [[-1, 0], [0, 0]], [[0, 0], [0, -1]])


def partial() -> RepeatedGame:
    """Return the game of figure 11.4 of Gilpin 2009: a part is told."""
    return _example("partial", [[4, 0, 2], [4, 0, -2]], [[0, 4, -2], [0, 4, 2]])


def irrational() -> RepeatedGame:
    """Return a game whose optimal lottery is irrational.

    It is the unrevealing one with a third row S (stop) that pays 1/2 in state A and -1 in state B.
    """
    return _example("irrational", [[1, 0], [0, 0], [0.5, 0.5]], [[0, 0], [0, 1], [-1, -1]])


EXAMPLES: dict[str, RepeatedGame] = {
    game.name: game for game in (unrevealing(), revealing(), partial(), irrational())
}
"""The games above, by name."""
