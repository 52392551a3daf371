"""Promises: what the opponent's hands may have in place of a spot, so that solving it anew does no harm.

A player, the *keeper*, has a strategy of the whole hand, and solves the rest of it anew. The opponent was promised a
value for each of her hands: what a best response to the old strategy takes of the pot. A spot with promises is
the game in which she makes use of them. With ``resolve`` she looks at her hand, and enters the spot or leaves
with what it was promised (Burch, Johanson and Bowling 2014); with ``maxmargin`` she chooses her hand, and wins
what it takes of the pot less what it was promised (Moravcik et al. 2016). Either way no hand is worth more to her
than before if the keeper plays the equilibrium and the old strategy kept its promises; the second makes the
worst of the margins as large as it gets. Margins are of the mean over the hands that a hand may meet, in chips.

In text promises are amounts and ranges, ``120.5 AA; 60 KQs,QJs``; where ranges overlap, the last one counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.poker.ranges import Weights, all_hands, parse_range, range_text

RESOLVE, MAXMARGIN = "resolve", "maxmargin"
GADGETS = (RESOLVE, MAXMARGIN)
KEEPERS = ("oop", "ip")
_MOST = 1e12


@dataclass(frozen=True, eq=False)
class Promise:
    """What each hand of ``player`` was promised, in chips of the pot, and what she may do with it.

    ``values`` has a number for every hand of the deck; those of hands that she cannot hold are zero.
    """

    player: int
    gadget: str
    values: NDArray[np.float64]

    @property
    def is_margin(self) -> bool:
        """Whether she chooses her hand."""
        return self.gadget == MAXMARGIN

    def sequences(self, hands: int) -> int:
        """Return how many sequences entering takes, with so many hands to tell apart."""
        return hands if self.is_margin else 2 * hands


def read_promise(
    keeper: str | None,
    promised: str | ArrayLike | None,
    gadget: str,
    weights: tuple[Weights, Weights],
    deck: Deck,
) -> Promise | None:
    """Return what the parameters of a spot promise the player who is not the ``keeper``."""
    if gadget not in GADGETS:
        _refuse("gadget", str(gadget), f"one of {', '.join(GADGETS)}")
    if keeper is None and promised is None:
        if gadget != RESOLVE:
            _refuse("gadget", gadget, "keeper and promised beside it")
        return None
    if keeper is None or promised is None:
        given, missing = ("promised", "keeper") if keeper is None else ("keeper", "promised")
        raise EquipoiseError(f"spot: {given}: found it without {missing}, expected both.")
    if keeper not in KEEPERS:
        _refuse("keeper", str(keeper), f"one of {', '.join(KEEPERS)}")
    player = 1 - KEEPERS.index(keeper)
    values = _values(promised, deck)
    held = weights[player] > 0
    missing_hands = np.flatnonzero(held & np.isnan(values))
    if len(missing_hands):
        hand = deck.text(all_hands(deck)[missing_hands[0]][::-1])
        raise EquipoiseError(
            f"spot: promised: found no value for {hand}, expected one for every hand of "
            f"{KEEPERS[player]}."
        )
    return Promise(player, gadget, np.where(held, values, 0.0))


def promise_text(values: ArrayLike, deck: Deck) -> str:
    """Write promised values so that they are read again as they are; hands with NaN are left out."""
    given = np.asarray(values, dtype=np.float64)
    parts = []
    for value in np.unique(given[~np.isnan(given)]).tolist():
        parts.append(f"{value!r} {range_text((given == value).astype(float), deck)}")
    return "; ".join(parts)


def _values(promised: str | ArrayLike, deck: Deck) -> NDArray[np.float64]:
    """Return the number promised to every hand of the deck, NaN where there is none."""
    count = len(all_hands(deck))
    if not isinstance(promised, str):
        try:
            values = np.array(promised, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape != (count,) or (np.abs(values) >= _MOST).any():
            raise EquipoiseError(
                f"spot: promised: found {np.size(promised)} values, expected a text or {count:,} "
                f"numbers below {_MOST:g}, one a hand."
            )
        return values
    values = np.full(count, np.nan)
    for item in filter(None, (item.strip() for item in promised.split(";"))):
        amount, _, hands = item.partition(" ")
        try:
            value = float(amount)
        except ValueError:
            value = np.nan
        if not abs(value) < _MOST or not hands.strip():
            _refuse("promised", item, "an amount and a range, as in '120.5 AA,KQs'")
        try:
            values[parse_range(hands, deck) > 0] = value
        except EquipoiseError as error:
            raise EquipoiseError(f"spot: promised: {error}") from None
    return values


def _refuse(name: str, found: str, expected: str) -> NoReturn:
    raise EquipoiseError(f"spot: {name}: found {quoted(found)}, expected {expected}.")
