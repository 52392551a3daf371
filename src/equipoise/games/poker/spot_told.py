"""What a spot is told: read, checked, and written again as the name by which it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from equipoise.cards.deck import Cards, Deck
from equipoise.errors import EquipoiseError, quoted, real, require_type
from equipoise.games.poker.ranges import (
    Weights,
    all_hands,
    numbers_in,
    range_text,
    read_range,
    scaled,
)
from equipoise.games.poker.spot_promises import RESOLVE

_LEAST, _MOST = 1e-6, 1e12  # of an amount; sums of smaller and larger ones would lose the small

_PLAIN = {
    "lock": "",
    "gadget": RESOLVE,
    "add_allin": 0.0,
    "force_allin": 0.0,
    "merge": 0.0,
    "rake": 0.0,
}


def amount(name: str, found: Any, least: float = _LEAST) -> float:
    """Return a number of chips, or say what is wrong with it."""
    chips = real(f"spot: {name}", found, "a number")
    if not least <= chips < _MOST:
        low = f"{least:g}" if least else "zero"
        raise EquipoiseError(
            f"spot: {name}: found {chips:g}, expected an amount from {low} to {_MOST:g}."
        )
    return chips


def share(name: str, found: Any) -> float:
    """Return a share of the pot, or say what is wrong with it."""
    number = real(f"spot: {name}", found, "a number")
    if not 0 <= number < np.inf:
        raise EquipoiseError(f"spot: {name}: found {number:g}, expected a share from zero up.")
    return number


def read_board(board: str, deck: Deck) -> Cards:
    """Read the cards on the board."""
    require_type("spot: board", board, str, "three to five cards such as 'Td9d6h'")
    try:
        cards = deck.parse(board)
    except EquipoiseError as error:
        raise EquipoiseError(f"spot: board: {error}") from None
    if len(cards) not in (3, 4, 5):
        raise EquipoiseError(
            f"spot: board: found {len(cards)} cards in {quoted(board)}, expected three to five."
        )
    return cards


def read_hands(name: str, given: str | ArrayLike, board: Cards, deck: Deck) -> Weights:
    """Read a range, without the hands that the board excludes."""
    try:
        weights = read_range(given, deck)
    except EquipoiseError as error:
        raise EquipoiseError(f"spot: {name}: {error}") from None
    if not weights.any():
        raise EquipoiseError(f"spot: {name}: found an empty range, expected at least one hand.")
    weights[np.isin(all_hands(deck), board).any(axis=1)] = 0.0
    if not weights.any():
        raise EquipoiseError(
            f"spot: {name}: found no hand without a card of the board {deck.text(board)}, expected one."
        )
    return scaled(weights)


def range_told(given: str | ArrayLike, weights: Weights, deck: Deck) -> str:
    """Return how a name writes a range: as it was given, unless that was in numbers."""
    is_hands = isinstance(given, str) and numbers_in(given) is None
    return str(given) if is_hands else range_text(weights, deck)


def name_of(told: Mapping[str, Any]) -> str:
    """Return the name of a spot that was told this; what is as by default is left out."""
    given = ",".join(f"{key}={_plain(own)!r}" for key, own in told.items() if _is_told(key, own))
    return f"spot({given})"


def _is_told(key: str, value: Any) -> bool:
    """Say whether a parameter is not what it is by default; of most, that is nothing at all."""
    return value is not None and value != _PLAIN.get(key)


def _plain(value: Any) -> Any:
    """Return numbers as Python's, whole ones as such."""
    if not isinstance(value, Real):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number
