"""Locks: what some hands do at a point of a spot is part of the rules, and the rest is solved around it.

``k,B120: f 77-22; c AA,KQs:0.7 | k: ...`` reads: after k,B120, 77 to 22 fold, aces call, and KQs calls with
probability 0.7; what is left of a hand's probability is shared evenly by the actions that are not named for it.
With ``AA:0`` they never do. Hands that no range names are free. A lock on a later street holds on every board.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError, quoted, require_type
from equipoise.games.poker.ranges import all_hands, parse_range, range_text
from equipoise.games.signals.betting import TERMINAL, BettingTree

_ONE = 1e-4  # probabilities that add up to one within this are taken to add up to one


@dataclass(frozen=True, eq=False)
class Lock:
    """What hands do at ``node``: a row for every hand of the deck, an action a column; NaN where free."""

    node: int
    play: NDArray[np.float64]

    @property
    def is_held(self) -> NDArray[np.bool_]:
        """Whether each hand of the deck is locked."""
        return ~np.isnan(self.play[:, 0])


def read_locks(text: str | None, tree: BettingTree, deck: Deck) -> tuple[Lock, ...]:
    """Return the locks that ``text`` writes."""
    if text is not None:
        require_type("lock", text, str, "a text such as 'k: b60 AA,KQs:0.7'")
    found: dict[int, Lock] = {}
    for part in (text or "").split("|"):
        if not part.strip():
            continue
        history, colon, rest = (piece.strip() for piece in part.partition(":"))
        if not colon:
            _refuse(part, "a history, ':', an action and a range, as in 'k: b60 AA,KQs:0.7'")
        node = tree.find(history)
        if tree.player[node] == TERMINAL:
            _refuse(history, "a history after which somebody acts")
        if node in found:
            _refuse(history, "each history once")
        found[node] = Lock(node, _play(rest, [tree.action[c] for c in tree.successors[node]], deck))
    return tuple(found.values())


def _play(text: str, actions: list[str], deck: Deck) -> NDArray[np.float64]:
    """Read what hands do at one point."""
    named = np.full((len(all_hands(deck)), len(actions)), np.nan)
    for item in filter(None, (item.strip() for item in text.split(";"))):
        action, _, hands = item.partition(" ")
        if action not in actions:
            _refuse(action, f"one of {', '.join(actions)}")
        try:
            weights = parse_range(hands, deck, unnamed=np.nan)
        except EquipoiseError as error:
            raise EquipoiseError(f"lock: {error}") from None
        is_named = ~np.isnan(weights)
        if not is_named.any():
            _refuse(item, "an action and a range, as in 'b60 AA,KQs:0.7'")
        named[is_named, actions.index(action)] = weights[is_named]
    total, is_held = np.nansum(named, axis=1), ~np.isnan(named).all(axis=1)
    if (total > 1 + _ONE).any():
        hand = deck.text(all_hands(deck)[int(np.argmax(total))])
        _refuse(
            text, f"probabilities that add up to at most one, not {total.max():g} as for {hand}"
        )
    is_open = np.isnan(named)
    others, is_whole = is_open.sum(axis=1), total > 1 - _ONE
    if (is_held & (others == 0) & ~is_whole).any():
        _refuse(text, "probabilities that add up to one where every action is named")
    spare = np.where(is_whole, 0.0, 1.0 - total) / np.maximum(others, 1)
    play = np.where(is_open, spare[:, None], named)
    play[~is_held] = np.nan
    return np.asarray(play / play.sum(axis=1, keepdims=True))


def nudge(
    play: NDArray[np.float64],
    hands: NDArray[np.uint8],
    actions: tuple[str, ...],
    action: str,
    by: float,
    deck: Deck,
) -> str:
    """Write the lock in which ``hands`` take ``action`` more often ``by`` this much, or less often.

    Probabilities stay between nought and one, and the other actions keep their proportions.
    """
    if action not in actions:
        _refuse(action, f"one of {', '.join(actions)}")
    place = actions.index(action)
    wanted = np.clip(play[:, place] + by, 0.0, 1.0)
    rest = np.delete(np.arange(len(actions)), place)
    left = play[:, rest].sum(axis=1)
    even = np.full((len(play), len(rest)), 1.0 / max(len(rest), 1))
    shares = np.where(left[:, None] > 0, play[:, rest] / np.maximum(left, 1e-300)[:, None], even)
    moved = play.copy()
    moved[:, place], moved[:, rest] = wanted, shares * (1.0 - wanted)[:, None]
    numbers = {tuple(hand): i for i, hand in enumerate(all_hands(deck).tolist())}
    rows = [numbers[tuple(sorted(hand))] for hand in hands.tolist()]
    parts = []
    for j, name in enumerate(actions):
        weights = np.zeros(len(numbers))
        weights[rows] = moved[:, j].round(6)
        if weights.any():
            parts.append(f"{name} {range_text(weights, deck)}")
    return "; ".join(parts)


def _refuse(found: str, expected: str) -> NoReturn:
    raise EquipoiseError(f"lock: found {quoted(found.strip())}, expected {expected}.")
