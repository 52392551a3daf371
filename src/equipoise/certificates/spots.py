"""Certificates of spots: best responses with every card told apart.

Every board that may come is dealt, none stands for another; hands meet hands in matrices written out in full
(+1, 0 and -1 by strength, zero where they share a card), so that nothing of the sorted sums or the
symmetries of the solver enters, but that the strategy is looked up by them. All boards of the last street that
follow one board are evaluated together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.certificate import Certificate
from equipoise.errors import EquipoiseError
from equipoise.games.poker.runouts import DEAD, board_tree
from equipoise.games.poker.spots import Spot
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL
from equipoise.strategy.spots import SpotStrategy

Floats = NDArray[np.float64]

_PAIRS = 1_000_000  # pairs of hands, over boards, whose signs are held at once


@dataclass(frozen=True, repr=False)
class SpotCertificate(Certificate):
    """What both players take of the pot, and could gain.

    ``pot`` is what there was to be won at the start.
    """

    pot: float = 1.0

    @property
    def exploitability_pct(self) -> float:
        """The mean of both gains, in hundredths of the pot."""
        return 50.0 * self.gap / self.pot

    def summary(self) -> dict[str, Any]:
        """Return the certificate in the words of JSON objects."""
        return {**super().summary(), "exploitability_pct": self.exploitability_pct}


def certify_spot(spot: Spot, strategy: SpotStrategy) -> SpotCertificate:
    """Return the certificate of ``strategy``."""
    if strategy.spot.fingerprint != spot.fingerprint:
        raise EquipoiseError(
            f"found a strategy of '{strategy.spot.name:.80}', expected one of '{spot.name:.80}'."
        )
    found = SpotWalk(spot, strategy).totals()
    half = spot.pot / 2
    return SpotCertificate(
        values=(half + found.value[0], half + found.value[1]),
        best_responses=(half + found.best[0], half + found.best[1]),
        gains=(found.best[0] - found.value[0], found.best[1] - found.value[1]),
        pot=spot.pot,
    )


class Worth(NamedTuple):
    """What the hands of each player are worth at a node: if played best, and as they are played.

    Arrays have a row a board and a column a hand.
    """

    best: tuple[Any, Any]
    value: tuple[Any, Any]


class SpotWalk:
    """One evaluation of a strategy over all boards."""

    def __init__(self, spot: Spot, strategy: SpotStrategy) -> None:
        self.spot, self.strategy, self.tree = spot, strategy, spot.tree
        self.boards = board_tree(spot)
        self.layout = strategy.layout
        self.last = spot.streets - 1

    def totals(self) -> Worth:
        """Return the sums over all hands."""
        start = [np.ones((1, len(own))) for own in self.spot.hands]
        promise, entered = self.spot.promise, self.entered()
        if promise is not None:
            start[promise.player] = entered[None]
        worth, _ = self._street(np.zeros((1, 0), dtype=np.int64), {0: (start[0], start[1])})
        weights = self.spot.reach
        sums = [[float((own[i] @ weights[i])[0]) for i in (0, 1)] for own in worth[0]]
        if promise is not None:
            player = promise.player
            best, value = (own[player][0] * weights[player] for own in worth[0])
            sums[0][player], sums[1][player], paid = self._kept(best, value, entered)
            for own in sums:
                own[1 - player] -= paid
        return Worth((sums[0][0], sums[0][1]), (sums[1][0], sums[1][1]))

    def entered(self) -> Floats:
        """Return with which probability each hand of the promised player enters, or is chosen."""
        promise = self.spot.promise
        if promise is None:
            return np.ones(0)
        board, own = self.boards.streets[0][0], self.strategy.behaviour[promise.player]
        shares = own[1 : self.boards.begin(promise.player)].astype(np.float64)
        if promise.is_margin:
            return np.asarray((shares / shares.sum())[board.buckets[promise.player]])
        left, entered = shares.reshape(2, -1)
        return np.asarray((entered / (left + entered))[board.buckets[promise.player]])

    def _kept(self, best: Floats, value: Floats, entered: Floats) -> tuple[float, float, float]:
        """Return what the promised player can win, what she wins, and how much of it is paid for promises.

        ``best`` and ``value`` are what her hands win in the spot, if played best and as they are played.
        """
        spot, promise = self.spot, self.spot.promise
        assert promise is not None
        share = spot.reach[promise.player] * spot.met[promise.player] / spot.pairs
        worth = share * (promise.values[spot.weights[promise.player] > 0] - spot.pot / 2)
        if promise.is_margin:
            paid = -float(entered @ worth)
            return float((best - worth).max()), float(entered @ value) + paid, paid
        paid = float((1.0 - entered) @ worth)
        return float(np.maximum(best, worth).sum()), float(entered @ value) + paid, paid

    def _street(
        self, dealt: NDArray[np.int64], arrive: dict[int, tuple[Floats, Floats]]
    ) -> tuple[dict[int, Worth], Floats | None]:
        """Return what hands are worth where a street begins, on the boards with the cards ``dealt``.

        ``arrive`` has, for every node that begins the street, the probabilities with which both play to it.
        Also return the signs of hands summed over the boards to come, where all-ins need them.
        """
        _, worth, signs = self._all_nodes(dealt, arrive)
        return {node: worth[node] for node in arrive}, signs

    def point(
        self, dealt: NDArray[np.int64], node: int, reach: tuple[Floats, Floats]
    ) -> tuple[int, StreetHands, dict[int, Worth], Floats]:
        """Return what hands are worth at ``node`` and after it, on one board, if it is reached so.

        Also return the street, its hands, and the signs of hands summed over the boards to come.
        """
        hands, worth, signs = self._all_nodes(dealt, {node: reach})
        assert signs is not None
        return dealt.shape[1], hands, worth, signs

    def _all_nodes(
        self, dealt: NDArray[np.int64], arrive: dict[int, tuple[Floats, Floats]]
    ) -> tuple[StreetHands, dict[int, Worth], Floats | None]:
        """Return the hands of a street, what they are worth at all its nodes, and the signs."""
        street = dealt.shape[1]
        hands = StreetHands(self, dealt)
        reach = {
            node: (own[0] * hands.live[0], own[1] * hands.live[1]) for node, own in arrive.items()
        }
        order = self._down(street, hands, reach)
        worth: dict[int, Worth] = {}
        signs: Floats | None = None
        if street < self.last:
            below, signs = self._next(
                dealt, {v: reach[v] for v in order if self._is_later(v, street)}
            )
            worth.update(below)
        ends = [node for node in order if self.tree.player[node] == TERMINAL]
        worth.update(self._leaves(ends, street, hands, reach, signs))
        for node in reversed(order):
            if node not in worth:
                worth[node] = self._decide(node, hands, worth)
        if street == self.last:
            signs = hands.wins.sum(axis=0)
        return hands, worth, signs

    def _is_later(self, node: int, street: int) -> bool:
        """Say whether somebody decides at ``node``, on a later street."""
        return bool(self.tree.round[node] > street and self.tree.player[node] != TERMINAL)

    def _down(
        self, street: int, hands: StreetHands, reach: dict[int, tuple[Floats, Floats]]
    ) -> list[int]:
        """Carry the probabilities of playing to every node of the street; return the nodes in order."""
        order, waiting = [], list(reach)
        while waiting:
            node = waiting.pop()
            order.append(node)
            if self.tree.player[node] == TERMINAL or self.tree.round[node] > street:
                continue
            player = int(self.tree.player[node])
            for action, child in enumerate(self.tree.successors[node]):
                own = list(reach[node])
                own[player] = own[player] * hands.behaviour(node)[:, action]
                reach[child] = (own[0], own[1])
                waiting.append(child)
        return order

    def _next(
        self, dealt: NDArray[np.int64], reach: dict[int, tuple[Floats, Floats]]
    ) -> tuple[dict[int, Worth], Floats]:
        """Return the worth of the nodes that begin the next street, added up over its boards."""
        (before,) = dealt  # one board at a time, but for those of the last street
        free = np.setdiff1d(np.arange(self.spot.deck.size), [*self.spot.board, *before])
        pairs = len(self.spot.hands[0]) * len(self.spot.hands[1])
        is_last = len(before) + 1 == self.last
        batch = max(1, _PAIRS // pairs) if is_last else 1
        total: dict[int, Worth] = {}
        signs = np.zeros((len(self.spot.hands[0]), len(self.spot.hands[1])))
        for low in range(0, len(free), batch):
            cards = free[low : low + batch]
            boards = np.concatenate([np.tile(before, (len(cards), 1)), cards[:, None]], axis=1)
            found, more = self._street(boards, reach)
            assert more is not None
            signs += more
            for node, worth in found.items():
                kinds = [[own.sum(axis=0, keepdims=True) for own in kind] for kind in worth]
                if node in total:
                    kinds = [
                        [a + b for a, b in zip(kind, old, strict=True)]
                        for kind, old in zip(kinds, total[node], strict=True)
                    ]
                total[node] = Worth((kinds[0][0], kinds[0][1]), (kinds[1][0], kinds[1][1]))
        return total, signs

    def _leaves(
        self,
        nodes: list[int],
        street: int,
        hands: StreetHands,
        reach: dict[int, tuple[Floats, Floats]],
        signs: Floats | None,
    ) -> dict[int, Worth]:
        """Return what leaves pay every hand against all hands that it can meet, all leaves at once."""
        if not nodes:
            return {}
        share = 1.0 / (self.spot.pairs * self.boards.deals(street))
        paid: list[Floats] = []
        for player in (0, 1):
            weights = self.spot.reach[1 - player][:, None]
            other = np.stack([reach[node][1 - player] for node in nodes], axis=2) * weights
            met = hands.met if player == 0 else hands.met.T
            own = share * self.tree.base[nodes, player] * (met @ other)
            is_shown = self.tree.kind[nodes] != NO_OUTCOME
            if is_shown.any():
                won = self._signs(street, hands, signs, player) @ other[:, :, is_shown]
                own[:, :, is_shown] += self.tree.scale[nodes][is_shown] * won
            paid.append(own * hands.live[player][:, :, None])
        found = {}
        for i, node in enumerate(nodes):
            both = (paid[0][:, :, i], paid[1][:, :, i])
            found[node] = Worth(both, both)
        return found

    def _signs(self, street: int, hands: StreetHands, signs: Floats | None, player: int) -> Floats:
        """Return for each hand of ``player`` and each of the other's what it wins of one chip."""
        share = 1.0 / (self.spot.pairs * self.boards.deals(self.last))
        if street < self.last:
            assert signs is not None
            return share * signs if player == 0 else -share * signs.T
        wins = hands.wins
        return share * wins if player == 0 else -share * wins.transpose(0, 2, 1)

    def _decide(self, node: int, hands: StreetHands, worth: dict[int, Worth]) -> Worth:
        """Return what a decision is worth: the best action, or as it is played; to the other, the sum."""
        player = int(self.tree.player[node])
        below = [worth[child] for child in self.tree.successors[node]]
        play = hands.behaviour(node)
        best: list[Any] = [None, None]
        value: list[Any] = [None, None]
        best[player] = np.max([own.best[player] for own in below], axis=0)
        held = hands.held(node)
        if held is not None:
            fixed = sum(play[:, a] * own.best[player] for a, own in enumerate(below))
            best[player] = np.where(held, fixed, best[player])
        value[player] = sum(play[:, a] * own.value[player] for a, own in enumerate(below))
        other = 1 - player
        best[other] = sum(own.best[other] for own in below)
        value[other] = sum(own.value[other] for own in below)
        return Worth((best[0], best[1]), (value[0], value[1]))


class StreetHands:
    """The hands of both players on some boards of a street: who is live, plays what and beats whom."""

    def __init__(self, walk: SpotWalk, dealt: NDArray[np.int64]) -> None:
        self.walk, self.spot, self.dealt = walk, walk.spot, dealt
        self._played: dict[int, Floats] = {}
        located = [walk.boards.locate(cards) for cards in dealt.tolist()]
        street = dealt.shape[1]
        self.buckets = [
            np.stack([walk.boards.hands(player, *place, street) for place in located])
            for player in (0, 1)
        ]
        self.places = [place for place, _ in located]
        self.live = [(own != DEAD).astype(np.float64) for own in self.buckets]

    @property
    def met(self) -> Floats:
        """What every pair of hands counts for: nothing if they share a card, one if their weights say all."""
        return self.spot.meets

    @cached_property
    def wins(self) -> Floats:
        """For each whole board and pair of hands, +1 if the first wins and -1 if it loses."""
        ranks = []
        for player in (0, 1):
            own = np.zeros(self.live[player].shape, dtype=np.int64)
            for row, cards in enumerate(self.dealt):
                board = np.concatenate([self.spot.board, cards.astype(np.uint8)])
                live = self.live[player][row] > 0
                own[row, live] = self.spot.strengths(board, self.spot.hands[player][live])
            ranks.append(own)
        signs: Floats = np.sign(ranks[0][:, :, None] - ranks[1][:, None, :]).astype(np.float64)
        signs *= self.met
        signs *= self.live[0][:, :, None]
        signs *= self.live[1][:, None, :]
        return signs

    def behaviour(self, node: int) -> Floats:
        """Return what each hand does at ``node``: board, action, hand; distributions over the actions."""
        if node not in self._played:
            tree, layout = self.walk.tree, self.walk.layout
            player, street = int(tree.player[node]), self.dealt.shape[1]
            actions, rows = len(tree.successors[node]), []
            for place, bucket in zip(self.places, self.buckets[player], strict=True):
                width = int(layout.widths[street][player][place])
                start = int(layout.starts[street][player][place]) + int(layout.slot[node]) * width
                vector = self.walk.strategy.behaviour[player]
                block = vector[start : start + actions * width].reshape(actions, width)
                # Where a board kills every hand of a range, nothing is played, and anything will do.
                rows.append(block[:, bucket] if width else np.ones((actions, len(bucket))))
            found = np.stack(rows).astype(np.float64)
            totals = found.sum(axis=1, keepdims=True)
            if totals.min() <= 0:
                raise EquipoiseError(
                    f"Strategy of '{self.spot.name:.80}': player {player + 1} has a hand without a "
                    "positive probability, expected a distribution over the actions."
                )
            played = found / totals
            for lock in self.spot.locks:
                if lock.node == node:
                    # The rules say what these hands do, whatever the strategy does.
                    play = lock.play[self.spot.weights[player] > 0].T
                    played = np.where(np.isnan(play)[None], played, play[None])
            self._played[node] = played
        return self._played[node]

    def held(self, node: int) -> NDArray[np.bool_] | None:
        """Return which hands a lock holds at ``node``, if there is one."""
        player = int(self.walk.tree.player[node])
        for lock in self.spot.locks:
            if lock.node == node:
                return lock.is_held[self.spot.weights[player] > 0]
        return None
