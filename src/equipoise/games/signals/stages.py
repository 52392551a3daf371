"""Stage games: what players do in one round, and how rounds make a tree.

A tree is assembled from one *stage game* a round (G^j of Definition 5 in Gilpin and Sandholm 2007).
A stage game is a function from the :class:`Pot` at the start of the round to a nested tree of
:class:`DecisionNode` and :class:`StageEnd`; an end is the end of the game, or hands its pot to the
next round. A round without a decision is a stage game that is an end at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, SHOWDOWN, TERMINAL, BettingTree

_T = TypeVar("_T", int, float)

MOST_RAISES = 100
"""Most bets and raises in a round."""

NODE_LIMIT = 2_000_000
"""Most nodes of a betting tree."""


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
class StageEnd:
    """The end of a stage game.

    Without a ``payment`` the game goes on: with the stage game of the next round, or, where Λ of
    Definition 12 in Gilpin (2009) says so, with ``then`` in its place.
    """

    pot: Pot
    payment: Payment | None = None
    then: Stage | None = None


@dataclass(frozen=True)
class DecisionNode:
    """A node of a stage game: who acts, and where each action leads."""

    player: int
    actions: Mapping[str, DecisionNode | StageEnd]


Stage = Callable[[Pot], DecisionNode | StageEnd]


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


def showdown_payment(pot: Pot) -> Payment:
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


def forced_bets(players: int, antes: float, blinds: Sequence[float]) -> tuple[float, ...]:
    """Return what each player posts as a blind, after checking blinds and antes."""
    if players < 2:
        raise EquipoiseError(f"players: found {players}, expected at least 2.")
    posted = tuple(blinds) or (0.0,) * players
    if len(posted) != players:
        raise EquipoiseError(
            f"blinds: found {len(posted)} amounts, expected one for each of {players} players."
        )
    if antes < 0 or min(posted) < 0:
        raise EquipoiseError("antes and blinds: found a negative amount, expected none below zero.")
    return posted


def per_round(name: str, value: _T | Sequence[_T], rounds: int) -> tuple[_T, ...]:
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

    def add(self, parent: int, action: str, turn: int, node: DecisionNode | Payment) -> int:
        """Append a node and return its number."""
        self.parent.append(parent)
        self.action.append(action)
        self.round.append(turn)
        self.player.append(node.player if isinstance(node, DecisionNode) else TERMINAL)
        self.payment.append(None if isinstance(node, DecisionNode) else node)
        if len(self.parent) > NODE_LIMIT:
            raise EquipoiseError(
                f"betting: found more than {NODE_LIMIT:,} nodes, expected fewer rounds, sizes or raises."
            )
        return len(self.parent) - 1


def assemble(stages: Sequence[Stage], paid: Sequence[float]) -> BettingTree:
    """Unroll one stage game a round into a tree; ``paid`` is in the pot before the first."""
    players = len(paid)
    arrays = _Arrays()

    def grow(node: DecisionNode | StageEnd, turn: int, parent: int, action: str) -> None:
        while isinstance(node, StageEnd) and node.payment is None and turn + 1 < len(stages):
            turn += 1
            node = (node.then or stages[turn])(node.pot)
        if isinstance(node, StageEnd):
            arrays.add(parent, action, turn, node.payment or showdown_payment(node.pot))
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
