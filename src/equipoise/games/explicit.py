"""A stage game written out as nested data: what a rule file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.betting import (
    SHOWDOWN,
    Decision,
    Leaf,
    Payment,
    Pot,
    Stage,
    showdown,
    won_by_last,
)


def explicit_stage(description: Mapping[str, Any], where: str = "stage") -> Stage:
    """A stage game written out as nested data (what a TOML or JSON file holds).

    An inner node is ``{"player": 1, "actions": {label: node, ...}}`` (players count from 1; labels
    are lower-case words). A leaf is a table with any of

    ``stake``
        amount both players, or a list of what each player, add to the pot;
    ``pay``
        final payment: to player 1, from player 2; or a list with one entry a player;
    ``fold``
        the player who gives up the pot: the game is over, the other takes it;
    ``outcome``, ``scale``
        the game is over and pays ``scale`` (default 1) times this kind of outcome;
        ``showdown`` without a scale is for the pot;
    ``over = true``
        the game is over with what has been paid; the pot goes back to those who filled it.

    A leaf with none of the last three goes on to the next round (in the last round: to a showdown).
    """

    def grow(node: Any, pot: Pot, place: str) -> Decision | Leaf:
        if not isinstance(node, Mapping):
            raise EquipoiseError(
                f"{place}: found {node!r}, expected a table with 'actions' or a leaf."
            )
        if "actions" not in node:
            return _explicit_leaf(node, pot, place)
        _only(node, {"player", "actions"}, place)
        actions = node["actions"]
        player = _player(node.get("player"), pot, f"{place}.player")
        if not isinstance(actions, Mapping) or not actions:
            raise EquipoiseError(
                f"{place}.actions: found {actions!r}, expected at least one action."
            )
        for label in actions:
            if not _is_label(label):
                raise EquipoiseError(
                    f"{place}.actions: found the label {label!r}, expected a lower-case word "
                    "(letters first, then letters, digits and '-')."
                )
        return Decision(
            player,
            {label: grow(child, pot, f"{place}.{label}") for label, child in actions.items()},
        )

    return lambda pot: grow(description, pot, where)


_LEAF = {"stake", "pay", "fold", "outcome", "scale", "over"}


def _explicit_leaf(node: Mapping[str, Any], pot: Pot, place: str) -> Leaf:
    """Read a leaf of :func:`explicit_stage`."""
    _only(node, _LEAF, place)
    players = len(pot.paid)
    for i, amount in enumerate(
        _amounts(node.get("stake", 0), players, f"{place}.stake", same=True)
    ):
        pot = pot.put(i, amount)
    pay = _amounts(node.get("pay", 0), players, f"{place}.pay", same=False)
    pot = replace(pot, settled=tuple(a + b for a, b in zip(pot.settled, pay, strict=True)))
    if sum(key in node for key in ("fold", "outcome", "over")) > 1:
        raise EquipoiseError(
            f"{place}: found more than one of 'fold', 'outcome', 'over', expected one."
        )
    if "fold" in node:
        pot = pot.fold(_player(node["fold"], pot, f"{place}.fold"))
        return Leaf(pot, won_by_last(pot) if sum(pot.live) == 1 else None)
    if "outcome" in node:
        kind = node["outcome"]
        if not isinstance(kind, str):
            raise EquipoiseError(
                f"{place}.outcome: found {kind!r}, expected the name of an outcome."
            )
        if kind == SHOWDOWN and "scale" not in node:
            return Leaf(pot, showdown(pot))
        scale = _number(node.get("scale", 1), f"{place}.scale")
        return Leaf(pot, Payment(pot.settled, scale, kind))
    if "scale" in node:
        raise EquipoiseError(f"{place}.scale: found a scale without an 'outcome', expected both.")
    if node.get("over", False):
        return Leaf(pot, Payment(pot.settled))
    return Leaf(pot)


def _only(node: Mapping[str, Any], known: set[str], place: str) -> None:
    """Refuse keys that mean nothing here."""
    for key in node:
        if key not in known:
            raise EquipoiseError(
                f"{place}.{key}: unknown field, expected one of {', '.join(sorted(known))}."
            )


def _player(player: Any, pot: Pot, place: str) -> int:
    """Return the seat of the player numbered ``player`` in the file, who must still be in."""
    if not isinstance(player, int) or player not in range(1, len(pot.live) + 1):
        raise EquipoiseError(
            f"{place}: found {player!r}, expected a player from 1 to {len(pot.live)}."
        )
    if not pot.live[player - 1]:
        raise EquipoiseError(f"{place}: player {player} has folded and cannot act.")
    return player - 1


def _is_label(label: str) -> bool:
    """Whether ``label`` can name an action: its upper case must differ and it must not split."""
    return label[:1].isalpha() and label == label.lower() and label.replace("-", "a").isalnum()


def _number(value: Any, place: str) -> float:
    """Read one finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise EquipoiseError(f"{place}: found {value!r}, expected a number.")
    return float(value)


def _amounts(value: Any, players: int, place: str, *, same: bool) -> tuple[float, ...]:
    """Read one number a player: a list, or one number (the ``same`` to all, or paid by 2 to 1)."""
    if isinstance(value, list | tuple):
        if len(value) != players:
            raise EquipoiseError(f"{place}: found {len(value)} amounts, expected {players}.")
        return tuple(_number(v, place) for v in value)
    amount = _number(value, place)
    if same:
        return (amount,) * players
    if players != 2 and amount:
        raise EquipoiseError(f"{place}: found one number, expected a list of {players} amounts.")
    return (amount, -amount, *(0.0,) * (players - 2))
