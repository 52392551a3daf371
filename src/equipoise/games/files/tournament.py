"""Tournaments as TOML files, and as the metadata of their strategies.

::

    players = 3                # two or three
    chips = 13500              # all that are in play
    blinds = [300, 600]
    prizes = [50, 30, 20]      # from the first place on
    ante = 0                   # optional: what everybody posts
    unit = 300                 # optional: stacks are multiples of this
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, parse_toml
from equipoise.games.tournaments.tournament import Tournament

FIELDS = ("players", "chips", "blinds", "prizes", "ante", "unit")


def load_tournament(path: str | Path) -> Tournament:
    """Read the tournament that the TOML file at ``path`` describes."""
    try:
        return tournament_of(parse_toml(Path(path).read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{path}: cannot be read ({error}), expected a TOML file.") from None
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def tournament_of(rules: Mapping[str, Any], place: str = "") -> Tournament:
    """Return the tournament with these ``rules``, which stand at ``place``."""
    given = Fields(rules, place)
    given.only(*FIELDS)
    blinds = given.numbers("blinds")
    if len(blinds) != 2 or not all(isinstance(blind, int) for blind in blinds):
        given.fail("blinds", "two whole numbers")
    return Tournament(
        players=given.whole("players"),
        chips=given.whole("chips"),
        blinds=(int(blinds[0]), int(blinds[1])),
        prizes=tuple(float(prize) for prize in given.numbers("prizes")),
        ante=given.whole("ante", 0),
        unit=given.whole("unit", 0),
    )


def rules_of(tournament: Tournament) -> dict[str, Any]:
    """Return the rules as TOML and JSON can say them."""
    return {name: list(x) if isinstance(x, tuple) else x for name, x in asdict(tournament).items()}
