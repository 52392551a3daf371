"""What a rule file says players do: antes, blinds and stacks, and the stage game of each round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from equipoise.errors import EquipoiseError
from equipoise.games.files.betting_model import OFFER, read_offer
from equipoise.games.files.fields import Fields
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.explicit import explicit_stage
from equipoise.games.signals.limit import limit_stage
from equipoise.games.signals.no_limit import NoLimit, no_limit_stage, smallest_bet
from equipoise.games.signals.stages import MOST_RAISES, Pot, Stage, assemble

TOP = ("ante", "blinds", "stacks", "smallest", "pot_limit", "chip")
"""Fields at the top of a file that are about betting."""


def read_tree(fields: Fields, rounds: Sequence[Fields], players: int) -> BettingTree:
    """Read the betting of a file whose rounds are ``rounds``."""
    ante, blinds = fields.number("ante", 0), fields.numbers("blinds") or [0] * players
    if ante < 0:
        fields.fail("ante", "an amount from zero up")
    if len(blinds) != players or min(blinds) < 0:
        fields.fail("blinds", f"{players} amounts from zero up")
    stacked = _stacks(fields, ante, blinds)
    none = [0] * players
    stages = [
        _stage(turn, stacked, blinds if j == 0 else none, len(rounds) - j)
        for j, turn in enumerate(rounds)
    ]
    return assemble(stages, paid=[ante + blind for blind in blinds])


def _stacks(fields: Fields, ante: float, blinds: Sequence[float]) -> NoLimit | None:
    """Read the stacks, and what bounds bets beside them."""
    if "stacks" not in fields:
        for key in ("smallest", "pot_limit", "chip"):
            if key in fields:
                fields.fail(key, "'stacks' beside it")
        return None
    if len(blinds) != 2:
        fields.fail("stacks", "a game of two players")
    if isinstance(fields.data["stacks"], list):
        stacks = [float(amount) for amount in fields.numbers("stacks")]
    else:
        stacks = [float(fields.number("stacks"))] * 2
    if len(stacks) != 2 or min(stacks) <= 0:
        fields.fail("stacks", "a positive amount, or one for each of 2 players")
    least = float(fields.number("smallest")) if "smallest" in fields else smallest_bet(ante, blinds)
    pot_limit, chip = fields.flag("pot_limit", default=False), float(fields.number("chip", 0))
    return NoLimit((stacks[0], stacks[1]), least, pot_limit, chip)


def _stage(turn: Fields, stacked: NoLimit | None, blinds: Sequence[float], left: int) -> Stage:
    """Read one round's stage game: limit or no-limit betting, or a tree written out.

    With this round there are ``left`` to come.
    """
    if "stage" in turn:
        turn.only("public", "private", "stage")
        return explicit_stage(turn.table("stage").data, turn.at("stage"))
    turn.only("public", "private", "bet", "first", *OFFER)
    if "bets" in turn:
        if stacked is None:
            turn.fail("bets", "'stacks' at the top of the file")
        return _no_limit(turn, stacked, blinds, left)
    for key in OFFER:
        if key in turn and key != "cap":
            turn.fail(key, "'bets' beside it")
    if "bet" not in turn:
        return partial(_missing_stage, turn.place)
    if stacked is not None:
        turn.fail("bet", "'bets' in a game with stacks")
    if turn.number("bet") <= 0:
        turn.fail("bet", "a positive amount")
    opened = int(max(blinds) > 0)
    return limit_stage(float(turn.number("bet")), _cap(turn), _first(turn, len(blinds)), opened)


def _no_limit(turn: Fields, stacked: NoLimit, blinds: Sequence[float], left: int) -> Stage:
    if "bet" in turn:
        turn.fail("bet", "no 'bets' beside it")
    offer, posted = read_offer(turn), (float(blinds[0]), float(blinds[1]))
    return no_limit_stage(stacked, (offer, offer), _first(turn, 2), posted, left)


def _cap(turn: Fields) -> int:
    return turn.whole("cap", least=1, most=MOST_RAISES)


def _first(turn: Fields, players: int) -> int:
    """Read who acts first; return the seat."""
    first = turn.whole("first", 1, least=1)
    return first - 1 if first <= players else turn.fail("first", f"a player from 1 to {players}")


def _missing_stage(place: str, pot: Pot) -> NoReturn:
    """Stand for a round that names no stage game: fine unless play comes to it."""
    raise EquipoiseError(
        f"{place}: found no stage game, expected 'bet' and 'cap', 'bets', a 'stage', or a 'then' at "
        "every leaf before it."
    )
