"""What a rule file says the signals are worth: its ranking and its outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, is_number
from equipoise.games.signals.chance import Deal
from equipoise.games.signals.stage_game import OutcomeFunction, Ranking, StageGame, deals
from equipoise.games.trees.extensive import Number, exact


def signal_number(name: Any, signals: Sequence[str], place: str) -> int:
    """Return the position of the signal called ``name``."""
    if name not in signals:
        raise EquipoiseError(f"{place}: found {name!r}, expected one of {', '.join(signals)}.")
    return signals.index(name)


def read_ranking(fields: Fields, signals: Sequence[str]) -> Ranking:
    """Read the order ⪰: a number for each signal, added up over a player's own signals."""
    fields.only("order", "beats", "values")
    if len(fields.data) != 1:
        raise EquipoiseError(f"{fields.place}: expected one of 'order', 'beats', 'values'.")
    if "values" in fields:
        rank = _values(fields, signals)
    else:
        ranks = _order(fields, signals) if "order" in fields else _beats(fields, signals)
        rank = [Fraction(number) for number in ranks]
    return lambda public, private: sum((rank[s] for s in private), Fraction(0))


def _values(fields: Fields, signals: Sequence[str]) -> list[Fraction]:
    """Read ``values``: one number for every signal."""
    values = fields.table("values")
    for name in values.data:
        signal_number(name, signals, values.place)
    return [exact(values.number(name), values.at(name)) for name in signals]


def _order(fields: Fields, signals: Sequence[str]) -> list[int]:
    """Read ``order``: every signal once, weakest first, equals in a list of their own."""
    levels = fields.data["order"]
    if not isinstance(levels, list):
        fields.fail("order", "a list of signals, weakest first")
    rank: dict[int, int] = {}
    for level, members in enumerate(levels):
        for name in members if isinstance(members, list) else [members]:
            signal = signal_number(name, signals, fields.at("order"))
            if signal in rank:
                raise EquipoiseError(
                    f"{fields.at('order')}: found {name!r} twice, expected an order (a signal "
                    "cannot rank above itself)."
                )
            rank[signal] = level
    missing = [name for s, name in enumerate(signals) if s not in rank]
    if missing:
        fields.fail("order", f"every signal, {missing[0]!r} too")
    return [rank[s] for s in range(len(signals))]


def _beats(fields: Fields, signals: Sequence[str]) -> list[int]:
    """Read ``beats``: pairs, stronger first, whose transitive closure must be a weak order.

    It is one exactly when ranking a signal by how many it beats gives the relation back.
    """
    pairs = fields.data["beats"]
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        fields.fail("beats", "a list of pairs, the stronger first")
    place, every = fields.at("beats"), range(len(signals))
    beats = [[False] * len(signals) for _ in every]
    for strong, weak in pairs:
        beats[signal_number(strong, signals, place)][signal_number(weak, signals, place)] = True
    for via in every:
        for a in every:
            for b in every:
                beats[a][b] = beats[a][b] or (beats[a][via] and beats[via][b])
    rank = [sum(row) for row in beats]
    for a in every:
        if beats[a][a]:
            raise EquipoiseError(
                f"{place}: {signals[a]!r} beats itself in the end, expected an order."
            )
        for b in every:
            if beats[a][b] != (rank[a] > rank[b]):
                raise EquipoiseError(
                    f"{place}: {signals[a]!r} and {signals[b]!r} are not compared, though one of "
                    "them beats more signals; expected an order that settles every pair."
                )
    return rank


def read_outcome(fields: Fields, signals: Sequence[str], players: int) -> OutcomeFunction:
    """Read a kind of outcome: its value to player 1, which player 2 pays."""
    if players != 2:
        raise EquipoiseError(f"{fields.place}: found {players} players, expected two.")
    fields.only("of", "values", "table")
    if ("table" in fields) == ("values" in fields):
        raise EquipoiseError(f"{fields.place}: expected either 'of' and 'values' or a 'table'.")
    if "table" in fields:
        return _table_outcome(fields.table("table"), signals)
    return _sum_outcome(fields, signals)


def _sum_outcome(fields: Fields, signals: Sequence[str]) -> OutcomeFunction:
    """Add up the values of the signals of those whom ``of`` lists."""
    values, counted = _values(fields, signals), fields.data.get("of")
    known = (1, 2, "public")
    if not isinstance(counted, list) or not counted or any(who not in known for who in counted):
        fields.fail("of", "a list of 1, 2 and 'public'")

    def outcome(public: Deal, private: tuple[Deal, ...]) -> Sequence[Number]:
        shown = {1: private[0], 2: private[1], "public": public}
        worth = sum((values[s] for who in counted for s in shown[who]), Fraction(0))
        return worth, -worth

    return outcome


def _table_outcome(table: Fields, signals: Sequence[str]) -> OutcomeFunction:
    """Look the value up by player 1's signals, then player 2's, then the public ones."""

    def outcome(public: Deal, private: tuple[Deal, ...]) -> Sequence[Number]:
        cell: Any = table.data
        place = table.place
        for s in (*private[0], *private[1], *public):
            place = f"{place}.{signals[s]}"
            cell = cell.get(signals[s]) if isinstance(cell, Mapping) else None
        if not is_number(cell):
            raise EquipoiseError(f"{place}: found {cell!r}, expected a number for this deal.")
        worth = exact(cell, place)
        return worth, -worth

    return outcome


def try_outcomes(game: StageGame) -> None:
    """Ask for every outcome on every deal, so that a hole in a table shows at once."""
    for turn in range(game.rounds):
        for kind in game.tree.kinds_ending(turn):
            for deal, _ in deals(game, turn):
                game.value(kind, deal)
