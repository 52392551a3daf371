"""Flops up to a renaming of suits: 1,755 of 22,100, each with the number that it stands for.

For a spot whose ranges or locks tell suits apart there are more: only what they leave alike is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.cards.deck import STANDARD, STANDARD_RANKS, STANDARD_SUITS, Deck
from equipoise.errors import EquipoiseError, quoted, whole_number
from equipoise.games.poker.ranges import all_hands, read_joint, read_range
from equipoise.games.poker.runouts import symmetries

_BATCH = 1024  # flops looked at at a time


def deck_of(rules: Mapping[str, Any]) -> Deck:
    """Return the deck that a spot's ``rules`` name, the usual one unless they do."""
    return Deck(rules.get("ranks", STANDARD_RANKS), rules.get("suits", STANDARD_SUITS))


@lru_cache(maxsize=4)
def canonical_flops(
    deck: Deck = STANDARD, renamings: tuple[tuple[int, ...], ...] | None = None
) -> dict[str, int]:
    """Return the flops that are not alike, highest cards first, and how many each stands for.

    Alike are those that one of the ``renamings`` (a card for every card) makes of each other, or any renaming of suits.

    >>> len(canonical_flops()), sum(canonical_flops().values())
    (1755, 22100)
    """
    flops = np.array(list(combinations(range(deck.size), 3)), dtype=np.int64).reshape(-1, 3)[
        :, ::-1
    ]
    maps = symmetries(deck, ()) if renamings is None else map(np.array, renamings)
    images = [np.sort(own[flops], axis=1)[:, ::-1] for own in maps]
    codes = [(own * [deck.size**2, deck.size, 1]).sum(axis=1) for own in images]
    code, count = np.unique(np.max(codes, axis=0), return_counts=True)
    cards = np.stack(
        [code // deck.size**2, code // deck.size % deck.size, code % deck.size], axis=1
    )
    return {
        deck.text(row): int(n) for row, n in zip(cards[::-1].tolist(), count[::-1], strict=True)
    }


def alike_for(rules: Mapping[str, Any], deck: Deck = STANDARD) -> tuple[tuple[int, ...], ...]:
    """Return the renamings of suits that leave the ranges and locks of a spot's ``rules`` as they are.

    Rules that cannot be read are left to the spot, which says what is wrong.
    """
    if "joint" in rules or "promised" in rules:
        return (tuple(range(deck.size)),)
    locks = [part.partition(":")[2] for part in str(rules.get("lock", "")).split("|")]
    held = [item.strip().partition(" ")[2] for part in locks for item in part.split(";")]
    rows = []
    for given in (rules.get("oop", ""), rules.get("ip", ""), *held):
        try:
            rows.append(read_range(given, deck))
        except EquipoiseError:
            continue
    return tuple(tuple(own.tolist()) for own in symmetries(deck, rows))


def never_come(rules: Mapping[str, Any], flops: Collection[str], deck: Deck = STANDARD) -> set[str]:
    """Return those of the ``flops`` on which the ranges of a spot's ``rules`` have no two hands that may meet.

    Rules that cannot be read are left to the spot, which says what is wrong.
    """
    hands = all_hands(deck)
    try:
        first, second = (np.flatnonzero(read_range(rules[name], deck)) for name in ("oop", "ip"))
        joint = read_joint(rules["joint"], deck) if "joint" in rules else None
    except (EquipoiseError, KeyError):
        return set()
    shared = (hands[first][:, None, :, None] == hands[second][None, :, None, :]).any(axis=(2, 3))
    meet = ~shared if joint is None else ~shared & (joint[np.ix_(first, second)] > 0)
    names, never = list(flops), set()
    for begin in range(0, len(names), _BATCH):
        some = names[begin : begin + _BATCH]
        out = np.zeros((len(some), deck.size), dtype=bool)
        out[np.arange(len(some))[:, None], [deck.parse(name) for name in some]] = True
        live = [~out[:, hands[own]].any(axis=2) for own in (first, second)]
        # Sums of ones below 2^24: exact in single precision.
        met = live[0].astype(np.float32) @ meet.astype(np.float32)
        never |= {
            name
            for name, is_met in zip(some, (met * live[1]).any(axis=1), strict=True)
            if not is_met
        }
    return never


def is_chosen(text: str) -> bool:
    """Say whether ``text`` names no flop, but ``all`` or so many of them."""
    return text.strip() == "all" or whole_number(text.strip()) is not None


def read_flops(
    text: str,
    deck: Deck = STANDARD,
    renamings: tuple[tuple[int, ...], ...] | None = None,
    without: Collection[str] = (),
) -> dict[str, float]:
    """Return flops and their weights: ``all``, so many of them (``25``), or a list (``Td9d6h:3,AhKd2c``).

    A number takes flops at equal steps through all, by how many each stands for, from the highest to the lowest;
    each then stands for as many. Flops that are not named one by one are others than those ``without``.

    >>> list(read_flops("3"))
    ['As8h2d', 'Qs8h3d', '9s5h4s']
    """
    found: dict[str, float] = {}
    if is_chosen(text):
        counts = canonical_flops(deck, renamings)
        every = {flop: count for flop, count in counts.items() if flop not in without}
        if not every:
            raise EquipoiseError("flops: found none that leaves both players a hand, expected one.")
        wanted = whole_number(text.strip())
        if wanted is None:
            return {flop: float(count) for flop, count in every.items()}
        if not 1 <= wanted <= len(every):
            raise EquipoiseError(f"flops: found {wanted}, expected 1 to {len(every):,}, or 'all'.")
        ends = np.cumsum(list(every.values()))
        middles = (np.arange(wanted) + 0.5) * ends[-1] / wanted
        names = list(every)
        for place in np.searchsorted(ends, middles, side="right").tolist():
            found[names[place]] = found.get(names[place], 0.0) + ends[-1] / wanted
        return found
    for token in filter(None, (part.strip() for part in text.split(","))):
        flop, colon, weight = token.partition(":")
        try:
            amount = float(weight) if colon else 1.0
        except ValueError:
            amount = -1.0
        if (
            len(deck.parse(flop)) != 3
            or len(set(deck.parse(flop).tolist())) < 3
            or not 0 < amount < np.inf
        ):
            raise EquipoiseError(
                f"flops: found {quoted(token)}, expected three cards and perhaps ':' and a weight."
            )
        found[flop] = found.get(flop, 0.0) + amount
    if not found:
        raise EquipoiseError("flops: found none, expected 'all', a number, or a list of flops.")
    return found
