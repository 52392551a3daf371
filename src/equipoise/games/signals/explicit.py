"""A stage game written out as nested data: what a rule file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields
from equipoise.games.signals.betting import SHOWDOWN
from equipoise.games.signals.stages import (
    DecisionNode,
    Payment,
    Pot,
    Stage,
    StageEnd,
    showdown_payment,
    won_by_last,
)


def explicit_stage(description: Mapping[str, Any], where: str = "stage") -> Stage:
    """Return the stage game that ``description`` writes out.

    An inner node is ``{"player": 1, "actions": {label: node, ...}}`` (players count from 1; labels
    are lower-case words). A leaf is a table with any of

    ``stake``
        amount all players, or a list of what each player, add to the pot;
    ``pay``
        final payment: to player 1, from player 2; or a list with one entry a player;
    ``fold``
        the player who gives up the pot: with two players the game is over, the other takes it;
    ``outcome``, ``scale``
        the game is over and pays ``scale`` (default 1) times this kind of outcome, and the pot goes
        back to those who filled it; ``showdown`` without a scale is for the pot;
    ``buyer``
        beside ``outcome``: the player (of two) who gets what the outcome is worth, and for it gives
        the other player what she has in the pot;
    ``over = true``
        the game is over with what has been paid; the pot goes back to those who filled it;
    ``then``
        a node: the next round's stage game after this leaf, in place of the usual one.

    A leaf with none of ``fold``, ``outcome``, ``over`` goes on to the next round, in the last round
    to a showdown.
    """
    return lambda pot: _grow(Fields.of(description, where), pot)


def _grow(node: Fields, pot: Pot) -> DecisionNode | StageEnd:
    """Read a node and everything below it."""
    if "actions" not in node:
        return _leaf(node, pot)
    node.only("player", "actions")
    player = _player(node, "player", pot)
    actions = dict(node.children("actions"))
    if not actions:
        node.fail("actions", "at least one action")
    for label in actions:
        if not _is_label(label):
            raise EquipoiseError(
                f"{node.at('actions')}: found the label {label!r}, expected a lower-case word "
                "(a letter first, then letters, digits and '-')."
            )
    below = {label: replace(child, place=node.at(label)) for label, child in actions.items()}
    return DecisionNode(player, {label: _grow(child, pot) for label, child in below.items()})


def _leaf(node: Fields, pot: Pot) -> StageEnd:
    """Read a leaf."""
    node.only("stake", "pay", "fold", "outcome", "scale", "buyer", "over", "then")
    if sum(key in node for key in ("fold", "outcome", "over", "then")) > 1:
        raise EquipoiseError(
            f"{node.place}: found more than one of 'fold', 'outcome', 'over', 'then', expected one."
        )
    for i, amount in enumerate(_stakes(node, len(pot.paid))):
        pot = pot.put(i, amount)
    pay = _payments(node, len(pot.paid))
    pot = replace(pot, settled=tuple(a + b for a, b in zip(pot.settled, pay, strict=True)))
    if "fold" in node:
        pot = pot.fold(_player(node, "fold", pot))
        return StageEnd(pot, won_by_last(pot) if sum(pot.live) == 1 else None)
    if "outcome" in node:
        return StageEnd(pot, _outcome(node, pot))
    for key in ("scale", "buyer"):
        if key in node:
            node.fail(key, "an 'outcome' beside it")
    if "then" in node:
        return StageEnd(pot, then=partial(_grow, node.table("then")))
    return StageEnd(pot, Payment(pot.settled) if node.flag("over", default=False) else None)


def _outcome(node: Fields, pot: Pot) -> Payment:
    """Read the payment of a leaf where the signals decide."""
    kind, scale = node.text("outcome"), float(node.number("scale", 1))
    if "buyer" in node:
        if len(pot.paid) != 2:
            node.fail("buyer", "a game of two players")
        buyer = _player(node, "buyer", pot)
        price = pot.paid[buyer] if buyer == 1 else -pot.paid[buyer]
        base = (pot.settled[0] + price, pot.settled[1] - price)
        return Payment(base, scale if buyer == 0 else -scale, kind)
    if kind == SHOWDOWN and "scale" not in node:
        return showdown_payment(pot)
    return Payment(pot.settled, scale, kind)


def _player(node: Fields, key: str, pot: Pot) -> int:
    """Return the seat of the player that a field names, who must still be in."""
    player = node.whole(key, least=1)
    if player > len(pot.live):
        node.fail(key, f"a player from 1 to {len(pot.live)}")
    if not pot.live[player - 1]:
        node.fail(key, "a player who has not folded")
    return player - 1


def _is_label(label: str) -> bool:
    """Whether ``label`` can name an action: its upper case must differ and it must not split."""
    return (
        label.isascii()
        and label[:1].isalpha()
        and label.islower()
        and label.replace("-", "a").isalnum()
    )


def _stakes(node: Fields, players: int) -> list[float]:
    """Read what goes into the pot: a list, or the same from everyone."""
    if isinstance(node.data.get("stake"), list):
        amounts = node.numbers("stake")
    else:
        amounts = [node.number("stake", 0)] * players
    if len(amounts) != players or min(amounts) < 0:
        node.fail("stake", f"{players} amounts from zero up")
    return [float(amount) for amount in amounts]


def _payments(node: Fields, players: int) -> list[float]:
    """Read final payments: a list, or between two players one number, to the first."""
    if isinstance(node.data.get("pay"), list):
        amounts = node.numbers("pay")
    else:
        amount = node.number("pay", 0)
        amounts = [amount, -amount] if players == 2 or amount else [0] * players
    if len(amounts) != players:
        node.fail("pay", f"a list of {players} amounts")
    return [float(amount) for amount in amounts]
