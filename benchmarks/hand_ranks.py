"""Seven-card hand ranks per second of one core, beside other evaluators from PyPI.

    python benchmarks/hand_ranks.py

Every evaluator gets the same random hands, already in its own representation of cards, and must
order them as ours does before it is timed. The others take one hand per call; ours takes a whole
array, and is also shown taking one hand per call. Times are CPU times, the best of several passes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np

from equipoise.cards.deck import STANDARD
from equipoise.cards.evaluate import FIVE_CARD, evaluator

PASSES = 5
HANDS = 2_000_000


@dataclass(frozen=True)
class Contestant:
    """A way to rank ``hands`` hands: one pass, and how to read its results as strengths."""

    name: str
    hands: int
    run: Callable[[], Sequence[Any]]
    strength: Callable[[Any], int] = int


def main() -> None:
    """Time every evaluator that is installed and print the table."""
    hands = random_hands(HANDS)
    reference = evaluator(FIVE_CARD, 7)(hands)
    rows = [(one, best_time(one, reference)) for one in contestants(hands)]
    ours = rows[0][0].hands / rows[0][1]
    print(f"{'evaluator':<28}{'hands':>11}{'CPU s':>9}{'hands/s':>14}{'ours / theirs':>16}")
    for one, seconds in rows:
        rate = one.hands / seconds
        print(f"{one.name:<28}{one.hands:>11,}{seconds:>9.4f}{rate:>14,.0f}{ours / rate:>16,.1f}")


def random_hands(count: int) -> np.ndarray:
    """Return ``count`` uniform seven-card hands."""
    rng, chunk = np.random.default_rng(2009), 100_000
    draws = (rng.random((chunk, 52)).argpartition(7, axis=1)[:, :7] for _ in range(count // chunk))
    return np.concatenate([draw.astype(np.uint8) for draw in draws])


def best_time(one: Contestant, reference: np.ndarray) -> float:
    """Return the least CPU time of a pass, having checked that it orders the hands as we do."""
    strength = np.array([one.strength(result) for result in one.run()])
    _, theirs = np.unique(strength, return_inverse=True)
    _, ours = np.unique(reference[: one.hands], return_inverse=True)
    if not np.array_equal(theirs, ours):
        raise SystemExit(f"{one.name} orders some hands differently")
    times = []
    for _ in range(PASSES):
        start = time.process_time()
        one.run()
        times.append(time.process_time() - start)
    return min(times)


def contestants(hands: np.ndarray) -> Iterator[Contestant]:
    """Yield ours, then each peer that can be imported."""
    rank = evaluator(FIVE_CARD, 7)
    yield Contestant("equipoise", len(hands), lambda: rank(hands))
    few = list(hands[:20_000])
    yield Contestant("equipoise, a hand per call", len(few), lambda: [rank(hand) for hand in few])
    for peer in (phevaluator, eval7, treys, pokerkit):
        try:
            yield peer(hands)
        except ImportError:
            print(f"{peer.__name__}: not installed (pip install 'equipoise[bench]')")


def phevaluator(hands: np.ndarray) -> Contestant:
    """Return PH Evaluator's compiled look-up, which numbers cards as we do; 1 is the best hand."""
    from phevaluator.evaluator import evaluate_7cards

    rows = hands[:200_000].tolist()
    return Contestant(
        "phevaluator",
        len(rows),
        lambda: [evaluate_7cards(*row) for row in rows],
        lambda rank: -rank,
    )


def eval7(hands: np.ndarray) -> Contestant:
    """Return eval7's Cython evaluator."""
    import eval7

    deck = [eval7.Card(STANDARD.text(card)) for card in range(52)]
    rows = [[deck[card] for card in row] for row in hands[:200_000].tolist()]
    return Contestant("eval7", len(rows), lambda: [eval7.evaluate(row) for row in rows])


def treys(hands: np.ndarray) -> Contestant:
    """Return treys, in Python; 1 is the best hand."""
    import treys

    deck = [treys.Card.new(STANDARD.text(card)) for card in range(52)]
    rows = [[deck[card] for card in row] for row in hands[:5_000].tolist()]
    rank = treys.Evaluator().evaluate
    return Contestant(
        "treys", len(rows), lambda: [rank(row[:2], row[2:]) for row in rows], lambda rank: -rank
    )


def pokerkit(hands: np.ndarray) -> Contestant:
    """Return PokerKit's standard high hands, in Python."""
    from pokerkit import Card, StandardHighHand

    deck = [next(iter(Card.parse(STANDARD.text(card)))) for card in range(52)]
    rows = [tuple(deck[card] for card in row) for row in hands[:1_000].tolist()]
    return Contestant(
        "pokerkit",
        len(rows),
        lambda: [StandardHighHand.from_game(row) for row in rows],
        lambda hand: hand.entry.index,
    )


if __name__ == "__main__":
    main()
