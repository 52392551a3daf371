"""Gambit's normal-form games, ``.nfg``.

A prologue (``NFG 1 R "title" { "player" ... }``, the strategies, ``"comment"``), then either all
payoffs or outcomes and their numbers, for every profile of strategies, the first player's varying
fastest::

    { 3 2 }  or  { { "up" "mid" "down" } { "left" "right" } }

    1 1  0 2  0 2  1 1  0 3  2 0                         payoff version
    { { "tie" 1, 1 } { "loss" 0, 2 } } 1 2 2 1 0 0       outcome version; 0 pays nothing
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.games.files.gambit.tokens import (
    CLOSE,
    END,
    OPEN,
    TEXT,
    WORD,
    Tokens,
    distinct,
    read_text,
)
from equipoise.games.trees.normal import NormalGame

_MOST_PLAYERS = 30  # NumPy's arrays have at most 32 axes (64 since version 2)


def read_nfg(path: str | Path) -> NormalGame:
    """Read a game from a ``.nfg`` file."""
    return parse_nfg(read_text(path), str(path))


def parse_nfg(text: str, source: str) -> NormalGame:
    """Read a game from the text of a ``.nfg`` file; ``source`` is its name in errors."""
    tokens = Tokens(text, source)
    title, players = tokens.prologue("NFG", "1")
    if not 1 <= len(players) <= _MOST_PLAYERS:
        tokens.refuse(f"found {len(players)} players, expected 1 to {_MOST_PLAYERS}")
    counts, labels = _strategies(tokens, len(players))
    tokens.accept(TEXT)  # the comment
    table = _outcome_table(tokens, counts) if tokens.kind == OPEN else _payoffs(tokens, counts)
    return NormalGame(
        name=title,
        players=distinct(players),
        actions=labels or tuple(distinct([""] * count) for count in counts),
        payoff=np.moveaxis(table.reshape((len(players), *counts), order="F"), 0, -1).copy(),
    )


def _strategies(tokens: Tokens, players: int) -> tuple[list[int], tuple[tuple[str, ...], ...]]:
    """Read how many strategies each player has, and their labels if there are any."""
    tokens.require(OPEN, "'{' and then the players' strategies")
    counts: list[int] = []
    labels: list[tuple[str, ...]] = []
    while not tokens.accept(CLOSE):
        if len(counts) == players:
            tokens.fail(f"'}}' after the strategies of {players} players")
        whose = f"player {len(counts) + 1}"
        if tokens.kind == OPEN and len(labels) == len(counts):
            labels.append(distinct(tokens.texts(f"a strategy of {whose}")))
            counts.append(len(labels[-1]))
            if not labels[-1]:
                tokens.refuse(f"{whose} has no strategies, expected one or more")
        elif labels:
            tokens.fail(f"a list of the strategies of {whose} in braces")
        else:
            counts.append(tokens.integer(f"the number of strategies of {whose}"))
    if len(counts) < players:
        tokens.refuse(f"found the strategies of {len(counts)} players, expected {players}")
    return counts, tuple(labels)


def _payoffs(tokens: Tokens, counts: list[int]) -> NDArray[Any]:
    """Read the payoffs of every profile, player by player."""
    players = len(counts)
    expected = math.prod(counts) * players
    values: list[Fraction] = []
    while tokens.kind == WORD and len(values) < expected:
        values.append(tokens.number(f"payoff {len(values) + 1} of {expected}"))
    _finish(tokens, "payoff", len(values), expected)
    return _array(values)


def _outcome_table(tokens: Tokens, counts: list[int]) -> NDArray[Any]:
    """Read the outcomes and the number of one for every profile."""
    players = len(counts)
    tokens.require(OPEN, "'{' and then the outcomes")
    outcomes = [tuple(Fraction(0) for _ in counts)]
    while not tokens.accept(CLOSE):
        tokens.require(OPEN, "'{' and then an outcome, or '}'")
        tokens.text("the label of an outcome in quotation marks")
        outcomes.append(tokens.payoffs(players))
    expected = math.prod(counts)
    values: list[Fraction] = []
    cells = 0
    while tokens.kind == WORD and cells < expected:
        number = tokens.integer(f"the number of outcome {cells + 1} of {expected}", least=0)
        if number >= len(outcomes):
            tokens.refuse(
                f"found outcome {number}, expected a number from 0 to {len(outcomes) - 1}"
            )
        values.extend(outcomes[number])
        cells += 1
    _finish(tokens, "outcome number", cells, expected)
    return _array(values)


def _finish(tokens: Tokens, what: str, found: int, expected: int) -> None:
    """Make sure that the file ends after the expected number of entries."""
    if tokens.kind == END and found < expected:
        tokens.refuse(f"found {found} {what}s, expected {expected}")
    if tokens.kind != END:
        tokens.fail(
            f"{what} {found + 1} of {expected}"
            if found < expected
            else f"the end of the file after {expected} {what}s"
        )


def _array(values: list[Fraction]) -> NDArray[Any]:
    """Return an array of rationals; NumPy would make other things of some lists."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
