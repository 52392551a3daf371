"""What the hands of a spot are worth at a point of the game, and what each action costs them.

At a decision, on a board, with reach r1 and r2 (weight in the range times the probability of one's own play up to
there), a hand h of player i meets the hands k of the other that share no card with it with weight r[k]. Its
*equity* is the share of those that it beats when all cards are out (ties half), its *value* what it takes of the
pot, in chips, when both play on as the strategy says; chips put in since the spot began are counted as paid, as
everywhere. The *cost* of an action is what it earns less than the best of the hand's actions: actions of no
cost are those that an equilibrium may mix.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.spots import SpotWalk, StreetHands
from equipoise.games.poker.ranges import all_hands, kind_of, range_text
from equipoise.strategy.spots import SpotStrategy

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HandsAt:
    """The hands of one player at a point, a row each: only those that the board leaves alive.

    Attributes
    ----------
    player
        What the player is called.
    hands
        The hands, two cards a row.
    reach
        How much of each hand is still there: its weight times the probability of having played so.
    equity, value
        As in the module's docstring; NaN for hands that can meet no hand of the other.
    actions, play, action_value
        What may be done here if it is this player's turn, with which probability each hand does it, and what
        it is then worth.
    """

    player: str
    hands: NDArray[np.uint8]
    reach: Floats
    equity: Floats
    value: Floats
    actions: tuple[str, ...]
    play: Floats
    action_value: Floats

    @property
    def cost(self) -> Floats:
        """What each action earns less than the best one."""
        if not self.actions:
            return self.action_value
        return np.asarray(self.action_value.max(axis=1, keepdims=True) - self.action_value)


@dataclass(frozen=True, eq=False)
class PointReport:
    """Both players' hands at a point of a spot."""

    strategy: SpotStrategy
    history: str
    cards: str
    players: tuple[HandsAt, HandsAt]
    met: tuple[Floats, Floats]

    def mean(self, player: int, column: Floats) -> float:
        """Return the mean of a column over a player's range, each hand by how often it is met."""
        weight = self.players[player].reach * self.met[player]
        known = weight > 0
        return float(weight[known] @ column[known] / weight[known].sum()) if known.any() else np.nan

    def totals(self) -> list[dict[str, Any]]:
        """Return for each player the combos, equity and value of the range, and what it does here."""
        found: list[dict[str, Any]] = []
        for i, own in enumerate(self.players):
            row: dict[str, Any] = {
                "player": own.player,
                "combos": float(own.reach.sum()),
                "equity": self.mean(i, own.equity),
                "value": self.mean(i, own.value),
                "range": self.range_of(i),
            }
            if own.actions:
                row["play"] = {a: self.mean(i, own.play[:, j]) for j, a in enumerate(own.actions)}
            found.append(row)
        return found

    def range_of(self, player: int) -> str:
        """Return a player's range at this point in the notation that ranges are given in, largest weight 1."""
        own, deck = self.players[player], self.strategy.spot.deck
        weights = np.zeros(len(all_hands(deck)))
        place = {tuple(hand): i for i, hand in enumerate(all_hands(deck).tolist())}
        rows = [place[tuple(sorted(hand))] for hand in own.hands.tolist()]
        weights[rows] = np.round(own.reach / max(float(own.reach.max(initial=0)), 1e-300), 4)
        return range_text(weights, deck)

    def rows(self, player: int) -> list[dict[str, Any]]:
        """Return a row for each hand of a player, ready for JSON and CSV."""
        own, deck = self.players[player], self.strategy.spot.deck
        found = []
        for i, hand in enumerate(own.hands):
            row: dict[str, Any] = {
                "player": own.player,
                "hand": deck.text(hand[::-1]),
                "kind": kind_of(hand, deck),
                "reach": float(own.reach[i]),
                "equity": float(own.equity[i]),
                "value": float(own.value[i]),
            }
            for j, action in enumerate(own.actions):
                row[f"play {action}"] = float(own.play[i, j])
                row[f"value {action}"] = float(own.action_value[i, j])
                row[f"cost {action}"] = float(own.cost[i, j])
            found.append({k: None if v != v else v for k, v in row.items()})
        return found


def report(strategy: SpotStrategy, history: str = "", cards: str = "") -> PointReport:
    """Return what hands are worth after ``history`` and the ``cards`` that have come since the board.

    Where no hand of a player plays to the point, the other's hands meet none there, and have no value; hers have one.
    """
    spot = strategy.spot
    node, dealt = strategy.decision(history, cards)
    walk = SpotWalk(spot, strategy)
    at = np.array([dealt], dtype=np.int64).reshape(1, -1)
    reach = reach_at(walk, node, dealt)
    street, hands, worth, signs = walk.point(at, node, reach)
    tree, share = spot.tree, 1.0 / (spot.pairs * walk.boards.deals(street))
    final = 1.0 / (spot.pairs * walk.boards.deals(walk.last))
    acting, players, met_by = int(tree.player[node]), [], []
    for i in (0, 1):
        other = reach[1 - i][0] * spot.reach[1 - i]
        meets = hands.met if i == 0 else hands.met.T
        met = share * (meets @ (other * hands.live[1 - i][0]))
        won = (signs if i == 0 else -signs.T) @ other * final
        live = hands.live[i][0] > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            value = spot.pot / 2 + worth[node].value[i][0] / met
            equity = 0.5 + 0.5 * won / met
            each = [
                spot.pot / 2 + worth[child].value[i][0] / met
                for child in (tree.successors[node] if i == acting else ())
            ]
        is_met = met > 1e-12 * met.max()
        value[~is_met] = equity[~is_met] = np.nan
        named = tuple(tree.action[child] for child in tree.successors[node]) if each else ()
        empty = np.zeros((int(live.sum()), 0))
        players.append(
            HandsAt(
                spot.players[i],
                spot.hands[i][live],
                (reach[i][0] * spot.reach[i])[live],
                equity[live],
                value[live],
                named,
                hands.behaviour(node)[0].T[live] if each else empty,
                np.where(is_met, each, np.nan).T[live] if each else empty,
            )
        )
        met_by.append(met[live])
    return PointReport(strategy, history, cards, (players[0], players[1]), (met_by[0], met_by[1]))


def reach_at(walk: SpotWalk, node: int, dealt: Any) -> tuple[Floats, Floats]:
    """Return with which probability each hand plays to ``node``, on the boards that were dealt on the way.

    A player who was promised something first enters, or chooses her hand.
    """
    spot, tree = walk.spot, walk.tree
    found = [np.ones((1, len(own))) for own in spot.hands]
    if spot.promise is not None:
        found[spot.promise.player] = walk.entered()[None].copy()
    path = [node]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    for child, above in pairwise(path):
        player, street = int(tree.player[above]), int(tree.round[above])
        hands = StreetHands(walk, np.array([dealt[:street]], dtype=np.int64).reshape(1, -1))
        found[player] *= hands.behaviour(above)[:, tree.successors[above].index(child)]
    board = [*spot.board.tolist(), *dealt]
    for own, cards in zip(found, spot.hands, strict=True):
        own[:, np.isin(cards, board).any(axis=1)] = 0.0
    return found[0], found[1]
