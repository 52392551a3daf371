"""Strategies of spots: what both players do with every hand, on every board and line.

The numbers are laid out as in :class:`equipoise.sequence.from_spot.SpotLayout`: those of boards that are alike up
to a renaming of suits are held once. Whoever asks names the very cards: an information set is called by the hand,
the cards that have come after the board, and the history, ``AhAs4d|k,B60,c/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.poker.runouts import DEAD, board_tree
from equipoise.games.poker.spots import Spot
from equipoise.games.signals.betting import TERMINAL
from equipoise.sequence.from_spot import SpotLayout
from equipoise.strategy.local import BehaviourStrategy, LocalStrategy, unknown
from equipoise.strategy.lookup import Table

if TYPE_CHECKING:
    from equipoise.strategy.store import Bundle, Metadata

_SUM = 1e-4  # probabilities in single precision add up to one within this


@dataclass(frozen=True, eq=False)
class SpotStrategy(BehaviourStrategy):
    """Behaviour of both players in a spot.

    >>> from equipoise import poker, solve
    >>> found = solve(poker.spot("2c7d9hTsJc", "AA,65s", "KK,QQ", 100, 100, "a"))
    >>> found.strategy.at("")["AhAs"]["b100"] > 0.9
    True
    """

    spot: Spot
    behaviour: tuple[NDArray[Any], NDArray[Any]]

    def __repr__(self) -> str:
        sizes = " and ".join(f"{len(own):,}" for own in self.behaviour)
        return f"<SpotStrategy on {self.spot.deck.text(self.spot.board)}: {sizes} sequences>"

    @cached_property
    def layout(self) -> SpotLayout:
        """Where the numbers are."""
        return SpotLayout(self.spot)

    def decision(self, history: str = "", cards: str = "") -> tuple[int, Sequence[int]]:
        """Return the node that ``history`` leads to, and the ``cards`` that have come after the board."""
        tree, deck = self.spot.tree, self.spot.deck
        require_type("history", history, str, "a text such as 'k,b60'")
        require_type("cards", cards, str, "a text such as '4d'")
        node = tree.find(history)
        if tree.player[node] == TERMINAL:
            raise EquipoiseError(f"history '{history}': the hand is over, expected a decision.")
        dealt = deck.parse(cards)
        street = int(tree.round[node])
        if len(dealt) != street:
            raise EquipoiseError(
                f"cards '{cards}': found {len(dealt)}, expected {street} after the board "
                f"{deck.text(self.spot.board)} for the history '{history}'."
            )
        both = np.concatenate([self.spot.board, dealt])
        if len(set(both.tolist())) < len(both):
            raise EquipoiseError(
                f"cards '{cards}': found a card of the board, expected others than "
                f"{deck.text(self.spot.board)}."
            )
        return node, dealt.tolist()

    def probabilities(self, node: int, dealt: Sequence[int]) -> NDArray[np.float64]:
        """Return for each hand of the range and each action its probability; NaN for hands that are dead."""
        player, street = int(self.spot.tree.player[node]), len(dealt)
        boards = board_tree(self.spot)
        place, renaming = boards.locate(dealt)
        bucket = boards.hands(player, place, renaming, street)
        width = int(self.layout.widths[street][player][place])
        start = int(self.layout.starts[street][player][place]) + int(self.layout.slot[node]) * width
        actions = len(self.spot.tree.successors[node])
        block = self.behaviour[player][start : start + actions * width].reshape(actions, width)
        found = np.full((len(bucket), actions), np.nan)
        live = bucket != DEAD
        found[live] = block[:, bucket[live]].T
        return found

    def at(self, history: str = "", cards: str = "") -> Table:
        """Return what is done after a history (``k,B60,c/``) and the cards that have come: a row a hand."""
        node, dealt = self.decision(history, cards)
        found = self.probabilities(node, dealt)
        tree, deck = self.spot.tree, self.spot.deck
        hands = self.spot.hands[int(tree.player[node])]
        live = np.flatnonzero(~np.isnan(found[:, 0]))
        labels = tuple(deck.text(hands[i][::-1]) for i in live)
        place = {frozenset(hands[i].tolist()): row for row, i in enumerate(live)}

        def find(label: str) -> int:
            row = place.get(frozenset(deck.parse(label).tolist()))
            if row is None:
                raise EquipoiseError(
                    f"hand '{label}': not in the range on this board, expected one of "
                    f"{', '.join(labels[:5])}, ..."
                )
            return row

        actions = tuple(tree.action[child] for child in tree.successors[node])
        return Table(history, actions, labels, found[live], find)

    def local(self, label: str) -> LocalStrategy:
        """Return what is done with a hand, on a board, after a history: ``AhAs4d|k,B60,c/``."""
        text, bar, history = label.rpartition("|")
        cards, tree, deck = self.spot.deck.parse(text), self.spot.tree, self.spot.deck
        if not bar or len(cards) < 2:
            raise unknown(label, self)
        table = self.at(history, deck.text(cards[2:]))
        play = table[deck.text(cards[:2])]
        return LocalStrategy(
            int(tree.player[tree.find(history)]), label, tuple(play), tuple(play.values())
        )

    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield what is done with every hand: on every board, but those that are alike up to suits once."""
        tree, deck, streets = self.spot.tree, self.spot.deck, board_tree(self.spot).streets
        for node in np.flatnonzero(tree.player >= 0).tolist():
            player, history = int(tree.player[node]), tree.histories[node]
            actions = tuple(tree.action[child] for child in tree.successors[node])
            hands = [deck.text(hand[::-1]) for hand in self.spot.hands[player]]
            for board in streets[int(tree.round[node])]:
                dealt = board.cards[len(self.spot.board) :]
                rows, came = self.probabilities(node, dealt.tolist()).tolist(), deck.text(dealt)
                for hand, row in zip(hands, rows, strict=True):
                    if row[0] == row[0]:
                        yield LocalStrategy(player, f"{hand}{came}|{history}", actions, tuple(row))


def nudged(strategy: SpotStrategy, history: str, action: str, by: float) -> str:
    """Return the lock in which all hands take ``action`` more often, or less often, than ``strategy`` does.

    The history is one of the first street; the text is what :func:`equipoise.poker.spot` takes as ``lock``.
    """
    from equipoise.games.poker.spot_locks import nudge

    spot = strategy.spot
    require_type("nudged: by", by, Real, "a probability to add or, below zero, to take")
    node, _ = strategy.decision(history, "")
    actions = tuple(spot.tree.action[child] for child in spot.tree.successors[node])
    hands = spot.hands[int(spot.tree.player[node])]
    play = strategy.probabilities(node, [])
    return f"{history}: {nudge(play, hands, actions, action, by, spot.deck)}"


def packed(strategy: SpotStrategy) -> tuple[dict[str, NDArray[Any]], Metadata]:
    """Return the strategy as arrays and metadata."""
    arrays = {f"behaviour.{i}": own for i, own in enumerate(strategy.behaviour)}
    spot = strategy.spot
    return arrays, {"game": spot.name, "fingerprint": spot.fingerprint}


def strategy_of(path: Path, bundle: Bundle, spot: Spot) -> SpotStrategy:
    """Return the strategy of ``spot`` that ``bundle``, loaded from ``path``, holds."""
    found = bundle.metadata.get("fingerprint")
    if found != spot.fingerprint:
        raise EquipoiseError(
            f"{path}: found a strategy of '{bundle.metadata.get('game')!s:.80}' with fingerprint "
            f"{found!s:.40}, expected one of '{spot.name:.80}' with {spot.fingerprint}."
        )
    sizes = board_tree(spot).sequences
    vectors = []
    for player, size in enumerate(sizes):
        vector = bundle.arrays.get(f"behaviour.{player}")
        if vector is None or vector.shape != (size,) or vector.dtype.kind != "f":
            raise EquipoiseError(
                f"{path}: array behaviour.{player} is missing or has another shape, expected "
                f"({size},) numbers."
            )
        if not np.isfinite(vector).all() or vector.min() < 0:
            raise EquipoiseError(f"{path}: array behaviour.{player} has numbers out of range.")
        vectors.append(vector)
    strategy = SpotStrategy(spot, (vectors[0], vectors[1]))
    for player in (0, 1):
        _require_sums(path, strategy, player)
    return strategy


def _require_sums(path: Path, strategy: SpotStrategy, player: int) -> None:
    """Raise unless the probabilities of every hand add up to one at every decision."""
    blocks = strategy.layout.treeplex(player).blocks
    is_played = blocks.buckets > 0
    starts, hands = blocks.start[is_played].astype(np.int64), blocks.buckets[is_played]
    if not len(starts):
        return
    sums = np.add.reduceat(strategy.behaviour[player], starts, dtype=np.float64) / hands
    worst = int(np.abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > _SUM:
        raise EquipoiseError(
            f"{path}: the probabilities of player {player + 1} sum to {sums[worst]:.6g} at a "
            "decision, expected 1."
        )
