"""Ranges: how much of each two-card hand a player may hold, in the usual notation.

A range is a number from 0 to 1 for every hand; in text it is a list of tokens, each with a weight if that
is not one:

``AA``, ``AKs``, ``AKo``, ``AK``, ``AhKd``
    all hands of a kind (suited, off-suit, both), or a single one;
``66+``, ``A8s+``
    that pair and all higher ones; that kicker and all higher ones below the first card;
``QQ-22``, ``A5s-A2s``, ``JTs-54s``
    all from one to the other, the first card or the distance between the cards being the same;
``random``
    every hand;
``AKs:0.5``
    with half the weight; where tokens overlap, the last one counts.

Hands are numbered as ``itertools.combinations`` of the deck yields them: 1,326 of 52 cards, ``2c2d`` first. As many
numbers, set off by white space or commas, are a range in text, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, groupby
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.cards.deck import STANDARD, Cards, Deck
from equipoise.cards.starting import starting_hands
from equipoise.errors import EquipoiseError, quoted

Weights = NDArray[np.float64]

_TOKEN = re.compile(r"(?P<hands>[^:]+?)(?:\s*:\s*(?P<weight>[0-9.eE+-]+))?")
_KINDS = ("", "s", "o")
_EVERY = "random"
_SMALL = 1e-6
_LIKE_NUMBERS = 64  # pairs of the ranks 2 to 9


@lru_cache(maxsize=8)
def all_hands(deck: Deck = STANDARD) -> Cards:
    """Return every two-card hand, a row each, in the order of a range's numbers."""
    hands = np.array(list(combinations(range(deck.size), 2)), dtype=np.uint8).reshape(-1, 2)
    hands.flags.writeable = False
    return hands


@lru_cache(maxsize=8)
def _numbers(deck: Deck) -> dict[tuple[int, int], int]:
    return {pair: i for i, pair in enumerate(combinations(range(deck.size), 2))}


@lru_cache(maxsize=8)
def _kinds(deck: Deck) -> list[tuple[str, list[tuple[int, int]], list[int]]]:
    """Return every kind of hands with its hands and their numbers."""
    numbers = _numbers(deck)
    found = ((kind, _hands_of(kind, kind, deck)) for kind in _every_kind(deck))
    return [(kind, hands, [numbers[hand] for hand in hands]) for kind, hands in found]


def hand_number(hands: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Return the numbers of hands, lower card first, among all of a deck of ``size`` cards."""
    low, high = hands[:, 0].astype(np.int64), hands[:, 1].astype(np.int64)
    return np.asarray(low * (2 * size - low - 1) // 2 + high - low - 1)


def parse_range(text: str, deck: Deck = STANDARD, unnamed: float = 0.0) -> Weights:
    """Return the weight of every hand in the range that ``text`` writes, ``unnamed`` for all others.

    >>> int(parse_range("66+,AKs:0.5").sum())
    56
    """
    weights = np.full(math.comb(deck.size, 2), unnamed)
    for token in filter(None, (part.strip() for part in text.split(","))):
        match = _TOKEN.fullmatch(token)
        if match is None:
            _refuse(token, "hands such as 'AKs' or '66+', and perhaps ':' and a weight")
        weight = _weight(token, match["weight"])
        for kind in _expanded(match["hands"].strip(), token, deck):
            for hand in _hands_of(kind, token, deck):
                weights[_numbers(deck)[hand]] = weight
    return weights


def read_range(given: str | ArrayLike, deck: Deck = STANDARD) -> Weights:
    """Return a range given in text or as one number a hand."""
    if isinstance(given, str):
        numbers = numbers_in(given)
        if numbers is None:
            return parse_range(given, deck)
        given = numbers
    count = math.comb(deck.size, 2)
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (count,):
        raise EquipoiseError(
            f"Range: found {np.size(given)} values, expected a text or {count:,} numbers, one a hand."
        )
    wrong = np.flatnonzero(~((weights >= 0) & (weights <= 1)))
    if len(wrong):
        hand = deck.text(all_hands(deck)[wrong[0]][::-1])
        raise EquipoiseError(
            f"Range: found {weights[wrong[0]]:g} for {hand}, expected a weight from 0 to 1."
        )
    return weights


def numbers_in(text: str) -> list[float] | None:
    """Return the numbers that ``text`` lists, one a hand, or nothing if it is a list of hands.

    Of hands, ``99,88,76`` look like numbers; but there are few of those.

    >>> numbers_in("99,88,76"), len(numbers_in("0.5 " * 1326))
    (None, 1326)
    """
    tokens = text.replace(",", " ").split()
    if len(tokens) <= _LIKE_NUMBERS:
        return None
    try:
        return [float(token) for token in tokens]
    except ValueError:
        return None


def read_joint(given: str | ArrayLike, deck: Deck = STANDARD) -> NDArray[np.float64]:
    """Return the weights of all pairs of hands: a row and a column a hand, as an array or from a ``.npy`` file."""
    count = math.comb(deck.size, 2)
    try:
        found = np.load(given, allow_pickle=False) if isinstance(given, str) else given
        weights = np.array(found).astype(np.float64, casting="same_kind")
    except (EOFError, OSError, TypeError, ValueError):
        what = quoted(given) if isinstance(given, str) else "no numbers"
        raise EquipoiseError(
            f"joint: found {what}, expected an array or a file of NumPy's (.npy)."
        ) from None
    if weights.shape != (count, count):
        raise EquipoiseError(
            f"joint: found an array of shape {weights.shape}, expected ({count}, {count}): a row and a "
            "column for every hand."
        )
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise EquipoiseError("joint: found a weight that is no number from zero up, expected such.")
    return weights


def scaled(weights: Weights) -> Weights:
    """Return weights with the largest one, if they are too small or too large for what is made of them.

    Only proportions matter; but products of two weights go into single precision.
    """
    most = float(weights.max(initial=0.0))
    return weights if most == 0 or _SMALL <= most <= 1 / _SMALL else weights / most


def range_text(weights: ArrayLike, deck: Deck = STANDARD) -> str:
    """Write a range so that :func:`parse_range` reads the same numbers.

    >>> range_text(parse_range("AA,KK,QQ,A5s,A4s:0.25,AhKd"))
    'QQ+,A5s,A4s:0.25,AhKd'
    """
    given = read_range(np.asarray(weights), deck).tolist()
    whole: dict[str, float] = {}
    single: list[str] = []
    for kind, hands, numbers in _kinds(deck):
        found = [given[number] for number in numbers]
        is_whole = len(set(found)) == 1
        whole[kind] = found[0] if is_whole else 0.0
        if is_whole:
            continue
        single += [
            _weighted(deck.text(hand[::-1]), weight)
            for hand, weight in zip(hands, found, strict=True)
            if weight > 0
        ]
    return ",".join([*_runs(whole, deck), *single])


def kind_of(hand: ArrayLike, deck: Deck = STANDARD) -> str:
    """Return the kind of a hand: ``AA``, ``AKs`` or ``AKo``."""
    low, high = sorted(np.asarray(hand).tolist())
    first, second = (int(deck.rank_of(card)) for card in (high, low))
    if first == second:
        return 2 * deck.ranks[first]
    is_suited = deck.suit_of(high) == deck.suit_of(low)
    return f"{deck.ranks[first]}{deck.ranks[second]}{'s' if is_suited else 'o'}"


def _runs(weights: dict[str, float], deck: Deck) -> Iterator[str]:
    """Write kinds of hands, those that follow one another with one weight as one token."""

    def line(kind: str) -> tuple[str, str]:
        return ("pair", "") if kind[0] == kind[1] else (kind[0], kind[2:])

    for _, own in groupby(weights, key=line):
        kinds = list(own)
        top = kinds[0]
        for weight, group in groupby(kinds, key=lambda kind: weights[kind]):
            run = list(group)
            if weight == 0:
                continue
            if len(run) == 1:
                name = run[0]
            elif run[0] == top:
                name = f"{run[-1]}+"
            else:
                name = f"{run[0]}-{run[-1]}"
            yield _weighted(name, weight)


def _weighted(name: str, weight: float) -> str:
    return name if weight == 1 else f"{name}:{weight!r}".removesuffix(".0")


def _every_kind(deck: Deck) -> Iterator[str]:
    """Yield the kinds of hands: pairs from the top, then each first card's kickers from the top."""
    ranks = deck.ranks[::-1]
    if len(deck.suits) > 1:
        yield from (2 * rank for rank in ranks)
    for kind in ("s", "o") if len(deck.suits) > 1 else ("s",):
        for i, high in enumerate(ranks):
            yield from (f"{high}{low}{kind}" for low in ranks[i + 1 :])


def _hands_of(kind: str, token: str, deck: Deck) -> list[tuple[int, int]]:
    """Return the hands of a kind, each with its lower card first."""
    try:
        rows = starting_hands(kind, deck)
    except EquipoiseError:
        _refuse(token, f"two ranks of {deck.ranks} and perhaps 's' or 'o', or two cards")
    pairs = [(int(min(row)), int(max(row))) for row in rows]
    if not pairs:
        _refuse(token, "hands that the deck has")
    return pairs


def _expanded(hands: str, token: str, deck: Deck) -> Sequence[str]:
    """Return the kinds of hands that ``66+``, ``A5s-A2s`` or ``random`` stand for."""
    if hands == _EVERY:
        return list(_every_kind(deck))
    if hands.endswith("+"):
        high, low, kind = _split(hands[:-1], token, deck)
        if high == low:
            return [_name(rank, rank, kind, deck) for rank in range(high, len(deck.ranks))]
        return [_name(high, rank, kind, deck) for rank in range(low, high)]
    first, dash, last = (part.strip() for part in hands.partition("-"))
    if not dash:
        return [hands]
    (high, low, kind), (high2, low2, kind2) = (_split(h, token, deck) for h in (first, last))
    is_pair, is_pair2 = high == low, high2 == low2
    if kind != kind2 or is_pair != is_pair2:
        _refuse(token, "two ends of one kind, such as 'QQ-22' or 'A5s-A2s'")
    if high == high2 and not is_pair:
        return [_name(high, rank, kind, deck) for rank in range(min(low, low2), max(low, low2) + 1)]
    gap = high - low
    if gap != high2 - low2:
        _refuse(token, "ends with the same first card or the same distance, as in 'JTs-54s'")
    tops = range(min(high, high2), max(high, high2) + 1)
    return [_name(top, top - gap, kind, deck) for top in tops]


def _split(hands: str, token: str, deck: Deck) -> tuple[int, int, str]:
    """Return the places of both ranks, the higher first, and the kind."""
    if len(hands) not in (2, 3) or not set(hands[:2]) <= set(deck.ranks) or hands[2:] not in _KINDS:
        _refuse(token, f"two ranks of {deck.ranks} and perhaps 's' or 'o'")
    places = sorted((deck.ranks.index(symbol) for symbol in hands[:2]), reverse=True)
    if places[0] == places[1] and hands[2:]:
        _refuse(token, "a pair without 's' or 'o'")
    return places[0], places[1], hands[2:]


def _name(high: int, low: int, kind: str, deck: Deck) -> str:
    return f"{deck.ranks[high]}{deck.ranks[low]}{kind}"


def _weight(token: str, text: str | None) -> float:
    try:
        weight = 1.0 if text is None else float(text)
    except ValueError:
        weight = math.nan
    if not 0 <= weight <= 1:
        _refuse(token, "a weight from 0 to 1")
    return weight


def _refuse(token: str, expected: str) -> NoReturn:
    raise EquipoiseError(f"Range: found {quoted(token)}, expected {expected}.")
