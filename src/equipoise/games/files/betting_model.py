"""Betting models as TOML: which bets are on offer, apart from stacks, blinds and cards.

A file has the fields of an offer at its top, for all rounds (``cap`` may list one number a round), or in one
``[[round]]`` for each::

    name = "tartanian2"
    bets = ["50%", "100%", "all-in"]     # while nobody has bet
    raises = ["2/3", "all-in"]           # after a bet; the same as bets unless given
    commit = 0.5                         # no other bet commits more than half a stack
    commit_of = "stack"                  # or "rest": what is left of it
    blinds_bet = true                    # whether blinds are a bet
    over_cap = false                     # whether all-in stays on offer when a cap is reached

The fields mean what :class:`equipoise.games.signals.bet_sizes.Offer` says. The rounds of a rule file
(:mod:`equipoise.games.files.rules`) have the same fields.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, parse_toml
from equipoise.games.signals.bet_sizes import (
    COMMIT_OF,
    BetSize,
    BettingModel,
    CommitOf,
    Offer,
    bet_size,
)
from equipoise.games.signals.stages import MOST_RAISES

OFFER = ("bets", "raises", "cap", "blinds_bet", "over_cap", "commit", "commit_of")
"""The fields of an offer."""

_MOST_ROUNDS = 100


def load_model(path: str | Path) -> BettingModel:
    """Return the betting model in the TOML file at ``path``."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise EquipoiseError(f"{path}: cannot be read ({reason}).") from None
    try:
        return parse_model(text, Path(path).stem)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def parse_model(text: str, name: str = "") -> BettingModel:
    """Return the betting model that ``text`` describes; ``name`` is its name unless it has one."""
    fields = Fields(parse_toml(text), "")
    fields.only("name", "description", "round", *OFFER)
    own = fields.text("name", name)
    rounds = fields.tables("round")
    if rounds:
        for key in OFFER:
            if key in fields:
                fields.fail(key, "no [[round]] beside it")
        for turn in rounds:
            turn.only(*OFFER)
        return BettingModel(
            own, tuple(replace(read_offer(turn), is_strict=True) for turn in rounds)
        )
    if not isinstance(fields.data.get("cap"), list):
        return BettingModel(own, (replace(read_offer(fields), is_strict=True),))
    caps = fields.numbers("cap")
    if not 1 <= len(caps) <= _MOST_ROUNDS:
        fields.fail("cap", f"1 to {_MOST_ROUNDS} numbers")
    return BettingModel(
        own,
        tuple(
            replace(read_offer(Fields({**fields.data, "cap": cap}, "")), is_strict=True)
            for cap in caps
        ),
    )


def read_offer(fields: Fields) -> Offer:
    """Read what is on offer in a round; without ``bets``, it is whatever the game offers."""
    commit_of = fields.text("commit_of", "stack")
    if commit_of not in COMMIT_OF:
        fields.fail("commit_of", " or ".join(f"'{name}'" for name in COMMIT_OF))
    commit = float(fields.number("commit")) if "commit" in fields else None
    if commit is not None and not 0 < commit <= 1:
        fields.fail("commit", "a part of a stack, above 0 and up to 1")
    if "raises" in fields and "bets" not in fields:
        fields.fail("raises", "'bets' beside it")
    bets = _sizes(fields, "bets") if "bets" in fields else None
    of: CommitOf = "rest" if commit_of == "rest" else "stack"
    return Offer(
        bets=bets,
        raises=_sizes(fields, "raises") if "raises" in fields else bets,
        cap=fields.whole("cap", least=1, most=MOST_RAISES) if "cap" in fields else None,
        blinds_bet=fields.flag("blinds_bet", default=True),
        over_cap=fields.flag("over_cap", default=False),
        commit=commit,
        commit_of=of,
    )


def _sizes(fields: Fields, key: str) -> tuple[BetSize, ...]:
    """Read a list of sizes."""
    sizes = fields.data[key]
    if not isinstance(sizes, list) or not all(
        isinstance(size, str | int | float) for size in sizes
    ):
        fields.fail(key, 'a list of sizes, such as ["50%", "2.5x", 3, "all-in"]')
    try:
        return tuple(bet_size(size) for size in sizes)
    except EquipoiseError as error:
        raise EquipoiseError(f"{fields.at(key)}: {error}") from None


def model_text(model: BettingModel) -> str:
    """Return the TOML file that :func:`parse_model` reads as ``model``."""
    lines = [f"name = {_quoted(model.name)}"]
    for offer in model.rounds:
        lines += ["", "[[round]]"]
        for key in ("bets", "raises"):
            sizes: tuple[BetSize, ...] | None = getattr(offer, key)
            if sizes is not None:
                lines.append(f"{key} = [{', '.join(map(_size_text, sizes))}]")
        if offer.cap is not None:
            lines.append(f"cap = {offer.cap}")
        lines.append(f"blinds_bet = {str(offer.blinds_bet).lower()}")
        lines.append(f"over_cap = {str(offer.over_cap).lower()}")
        if offer.commit is not None:
            lines += [f"commit = {float(offer.commit)!r}", f'commit_of = "{offer.commit_of}"']
    return "\n".join(lines) + "\n"


def _size_text(size: BetSize) -> str:
    return str(size) if size.unit == "chips" else _quoted(str(size))


def _quoted(text: str) -> str:
    """Return ``text`` as a TOML string."""
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'
