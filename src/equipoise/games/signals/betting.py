"""What players do: the public tree of actions over all rounds, independent of the signals.

Nature's deals between rounds are not nodes here: a node whose ``round`` is larger than its parent's
is reached after the signals of its round have been revealed.

A tree is assembled from one *stage game* a round (G^j of Definition 5 in Gilpin and Sandholm 2007).
A stage game is a function from the :class:`Pot` at the start of the round to a nested tree of
:class:`Decision` and :class:`Leaf`; a leaf ends the game or hands its pot to the next round.
:func:`limit_stage` is the betting of limit poker, :mod:`equipoise.games.signals.explicit` reads any tree
written out as data, and :func:`limit` is the common case of limit betting in every round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError

TERMINAL = -1
NO_OUTCOME = -1
SHOWDOWN = "showdown"

_T = TypeVar("_T", int, float)


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A public action tree in preorder (a parent before its children, siblings in action order).

    At a terminal node ``v`` player ``i`` is paid ``base[v, i] + scale[v] * kind_i(signals)``, where
    the kind is ``kinds[kind[v]]`` (``NO_OUTCOME``: the payment does not depend on the signals).

    Attributes
    ----------
    players
        Number of players.
    parent
        Parent of each node; -1 at the root.
    action
        Label of the edge into each node; empty at the root.
    round
        Round in which the node's player acts, or in which the game ended.
    player
        Who acts at each node; ``TERMINAL`` where the game is over.
    base, scale, kind, kinds
        Payments, as above. ``base`` has one column a player.
    """

    players: int
    parent: NDArray[np.int32]
    action: tuple[str, ...]
    round: NDArray[np.int32]
    player: NDArray[np.int32]
    base: NDArray[np.float64]
    scale: NDArray[np.float64]
    kind: NDArray[np.int32]
    kinds: tuple[str, ...]

    @property
    def rounds(self) -> int:
        """Number of rounds that play can come to."""
        return int(self.round.max()) + 1

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, in action order."""
        lists: list[list[int]] = [[] for _ in self.parent]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                lists[parent].append(node)
        return tuple(map(tuple, lists))

    def children(self, node: int) -> list[int]:
        """Children of ``node`` in action order."""
        return list(self.successors[node])

    @cached_property
    def acted(self) -> NDArray[np.int32]:
        """The round of each player's last action on the way to each node; -1 where there is none."""
        rounds: NDArray[np.int32] = np.full((len(self.parent), self.players), -1, dtype=np.int32)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                rounds[node] = rounds[parent]
                rounds[node, self.player[parent]] = self.round[parent]
        return rounds

    def kinds_ending(self, turn: int) -> list[str]:
        """Return the kinds of outcome that can end the game in round ``turn``."""
        ends = self.kind[(self.player == TERMINAL) & (self.round == turn)]
        return [kind for k, kind in enumerate(self.kinds) if k in ends]

    @cached_property
    def histories(self) -> tuple[str, ...]:
        """The way to every node in text: ``kK/bRc/kBr``.

        Actions of player 2 are in upper case; ``/`` stands where the signals of the next round are
        revealed. If some label has several characters, labels within a round are set off by commas.
        """
        comma = "," if any(len(label) > 1 for label in self.action) else ""
        texts = ["/" * int(self.round[0])]
        for node in range(1, len(self.parent)):
            parent = int(self.parent[node])
            before, label = texts[parent], self.action[node]
            if before and not before.endswith("/"):
                before += comma
            shown = label.upper() if self.player[parent] == 1 else label
            texts.append(before + shown + "/" * int(self.round[node] - self.round[parent]))
        return tuple(texts)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {text: node for node, text in enumerate(self.histories)}

    def find(self, history: str) -> int:
        """Return the node that ``history`` leads to."""
        node = self._nodes.get(history)
        if node is None:
            known = next(i for i in range(len(history), -1, -1) if history[:i] in self._nodes)
            place = self._nodes[history[:known]]
            after = [self.histories[child] for child in self.successors[place]]
            raise EquipoiseError(
                f"history '{history}': '{history[known:]}' cannot follow '{history[:known]}', "
                f"expected {' or '.join(after) or 'nothing, the game is over'}."
            )
        return node


def played_out(tree: BettingTree, last: int) -> BettingTree:
    """Return the tree in which every outcome waits for the signals of round ``last``.

    A leaf where the signals decide moves to that round: all signals are revealed first, as all cards
    come after an all-in, so that nobody acts on them.
    """
    decided = (tree.player == TERMINAL) & (tree.kind != NO_OUTCOME)
    return replace(tree, round=np.where(decided, last, tree.round).astype(np.int32))


@dataclass(frozen=True)
class Pot:
    """What has been put in so far, and by whom.

    ``paid`` are contributions a showdown or a fold decides about; ``live`` says who has not folded;
    ``settled`` are payments that are final already and part of the ``base`` of every leaf below.
    """

    paid: tuple[float, ...]
    live: tuple[bool, ...]
    settled: tuple[float, ...]

    def put(self, player: int, amount: float) -> Pot:
        """``player`` adds ``amount``."""
        paid = list(self.paid)
        paid[player] += amount
        return replace(self, paid=tuple(paid))

    def fold(self, player: int) -> Pot:
        """``player`` gives up the pot."""
        live = list(self.live)
        live[player] = False
        return replace(self, live=tuple(live))


@dataclass(frozen=True)
class Payment:
    """The payment of a leaf: ``base + scale * kind(signals)``; no kind means ``base`` alone."""

    base: tuple[float, ...]
    scale: float = 0.0
    kind: str | None = None


@dataclass(frozen=True)
class Leaf:
    """The end of a stage game.

    Without a ``payment`` the game goes on: with the stage game of the next round, or, where Λ of
    Definition 12 in Gilpin (2009) says so, with ``then`` in its place.
    """

    pot: Pot
    payment: Payment | None = None
    then: Stage | None = None


@dataclass(frozen=True)
class Decision:
    """A node of a stage game: who acts, and where each action leads."""

    player: int
    actions: Mapping[str, Decision | Leaf]


Stage = Callable[[Pot], Decision | Leaf]


def won_by_last(pot: Pot) -> Payment:
    """Payment when all but one player have folded: the last one takes every contribution."""
    winner = pot.live.index(True)
    total = sum(pot.paid)
    return Payment(
        tuple(
            done - put + (total if i == winner else 0.0)
            for i, (done, put) in enumerate(zip(pot.settled, pot.paid, strict=True))
        )
    )


def showdown(pot: Pot) -> Payment:
    """Payment when the signals decide who takes the pot.

    With two players the kind ``showdown`` is +1, 0 or -1 to player 1 for a win, tie or loss: with
    equal contributions ``c`` the payment is ``0 + c * kind``. With more players the kind is each
    player's share of the pot; it is named after those still in when some have folded
    (``showdown:1,3``), because the same signals then give other shares.
    """
    total = sum(pot.paid)
    if len(pot.paid) == 2:
        base = (total / 2 - pot.paid[0], total / 2 - pot.paid[1])
        settled = tuple(done + own for done, own in zip(pot.settled, base, strict=True))
        return Payment(settled, total / 2, SHOWDOWN)
    settled = tuple(done - put for done, put in zip(pot.settled, pot.paid, strict=True))
    return Payment(settled, total, showdown_kind(pot.live))


def showdown_kind(live: Sequence[bool]) -> str:
    """Name of the outcome kind of a showdown among the ``live`` players."""
    if all(live):
        return SHOWDOWN
    return f"{SHOWDOWN}:{','.join(str(i + 1) for i, is_in in enumerate(live) if is_in)}"


def limit_stage(bet: float, cap: int, first: int = 0, opened: int = 0) -> Stage:
    """One round of limit betting.

    Players who are in act in turn, beginning with seat ``first``. Facing no bet: check (k) or bet
    (b); facing one: fold (f), call (c) or raise (r). Every bet and raise adds ``bet`` to what must
    be matched; together there are at most ``cap`` of them, ``opened`` of which (a blind counts as
    one) have been made when the round begins.
    """
    if bet <= 0:
        raise EquipoiseError(f"bet: found {bet}, expected a positive amount.")
    if cap < 1 or cap != int(cap):
        raise EquipoiseError(f"cap: found {cap}, expected a whole number of at least 1.")

    def act(pot: Pot, waiting: tuple[int, ...], bets: int) -> Decision | Leaf:
        if sum(pot.live) == 1:
            return Leaf(pot, won_by_last(pot))
        if not waiting:
            return Leaf(pot)
        player, rest = waiting[0], waiting[1:]
        owed = max(pot.paid) - pot.paid[player]
        actions: dict[str, Decision | Leaf] = {}
        if owed > 0:
            actions["f"] = act(pot.fold(player), rest, bets)
            actions["c"] = act(pot.put(player, owed), rest, bets)
        else:
            actions["k"] = act(pot, rest, bets)
        if bets < cap:
            others = _seats_after(player, pot.live)
            actions["r" if bets else "b"] = act(pot.put(player, owed + bet), others, bets + 1)
        return Decision(player, actions)

    def stage(pot: Pot) -> Decision | Leaf:
        players = len(pot.live)
        if first not in range(players):
            raise EquipoiseError(f"first: found seat {first}, expected 0 to {players - 1}.")
        start = (first - 1) % players
        others = _seats_after(start, pot.live)
        return act(pot, (*others, start) if pot.live[start] else others, opened)

    return stage


def _seats_after(player: int, live: Sequence[bool]) -> tuple[int, ...]:
    """Seats of those in, other than ``player``, in the order they act after ``player``."""
    seats = len(live)
    return tuple(seat for k in range(1, seats) if live[seat := (player + k) % seats])


def limit(
    rounds: int,
    *,
    bets: Sequence[float],
    cap: int | Sequence[int],
    antes: float = 0,
    blinds: Sequence[float] = (),
    first: int | Sequence[int] = 0,
    players: int = 2,
) -> BettingTree:
    """Limit poker betting over ``rounds`` rounds.

    Parameters
    ----------
    bets
        Size of a bet or raise in each round.
    cap
        Most bets and raises in a round, all players together (one number, or one a round).
    antes, blinds
        What every player puts in before the deal; and, instead of or besides, one forced amount a
        player. A blind counts as the first bet of round one.
    first
        Seat (from 0) that acts first, one number or one a round.
    """
    if players < 2:
        raise EquipoiseError(f"players: found {players}, expected at least 2.")
    if rounds < 1:
        raise EquipoiseError(f"rounds: found {rounds}, expected at least 1.")
    sizes = _per_round("bets", bets, rounds)
    caps = _per_round("cap", cap, rounds)
    firsts = _per_round("first", first, rounds)
    forced = tuple(blinds) or (0.0,) * players
    if len(forced) != players:
        raise EquipoiseError(
            f"blinds: found {len(forced)} amounts, expected one for each of {players} players."
        )
    if antes < 0 or min(forced) < 0:
        raise EquipoiseError("antes and blinds: found a negative amount, expected none below zero.")
    opened = [int(j == 0 and max(forced) > 0) for j in range(rounds)]
    stages = [limit_stage(*rules) for rules in zip(sizes, caps, firsts, opened, strict=True)]
    return assemble(stages, paid=tuple(antes + blind for blind in forced))


def _per_round(name: str, value: _T | Sequence[_T], rounds: int) -> tuple[_T, ...]:
    """Spread a single number over the rounds, or check that there is one a round."""
    values = tuple(value) if isinstance(value, Sequence) else (value,) * rounds
    if len(values) != rounds:
        raise EquipoiseError(
            f"{name}: found {len(values)} values, expected one for each of {rounds} rounds."
        )
    return values


@dataclass
class _Arrays:
    """The columns of a tree while it is being assembled."""

    parent: list[int] = field(default_factory=list)
    action: list[str] = field(default_factory=list)
    round: list[int] = field(default_factory=list)
    player: list[int] = field(default_factory=list)
    payment: list[Payment | None] = field(default_factory=list)

    def add(self, parent: int, action: str, turn: int, node: Decision | Payment) -> int:
        """Append a node and return its number."""
        self.parent.append(parent)
        self.action.append(action)
        self.round.append(turn)
        self.player.append(node.player if isinstance(node, Decision) else TERMINAL)
        self.payment.append(None if isinstance(node, Decision) else node)
        return len(self.parent) - 1


def assemble(stages: Sequence[Stage], paid: Sequence[float]) -> BettingTree:
    """Unroll one stage game a round into a tree; ``paid`` is in the pot before the first."""
    players = len(paid)
    arrays = _Arrays()

    def grow(node: Decision | Leaf, turn: int, parent: int, action: str) -> None:
        while isinstance(node, Leaf) and node.payment is None and turn + 1 < len(stages):
            turn += 1
            node = (node.then or stages[turn])(node.pot)
        if isinstance(node, Leaf):
            arrays.add(parent, action, turn, node.payment or showdown(node.pot))
            return
        own = arrays.add(parent, action, turn, node)
        for label, child in node.actions.items():
            grow(child, turn, own, label)

    start = Pot(tuple(map(float, paid)), (True,) * players, (0.0,) * players)
    grow(stages[0](start), 0, -1, "")
    return _finish(arrays, players)


def _finish(arrays: _Arrays, players: int) -> BettingTree:
    """Freeze the columns into a :class:`BettingTree`."""
    payments = [payment or Payment((0.0,) * players) for payment in arrays.payment]
    kinds = tuple(dict.fromkeys(p.kind for p in payments if p.kind is not None))
    number = {kind: k for k, kind in enumerate(kinds)}
    return BettingTree(
        players=players,
        parent=np.array(arrays.parent, dtype=np.int32),
        action=tuple(arrays.action),
        round=np.array(arrays.round, dtype=np.int32),
        player=np.array(arrays.player, dtype=np.int32),
        base=np.array([p.base for p in payments], dtype=np.float64),
        scale=np.array([p.scale for p in payments], dtype=np.float64),
        kind=np.array(
            [NO_OUTCOME if p.kind is None else number[p.kind] for p in payments], dtype=np.int32
        ),
        kinds=kinds,
    )
