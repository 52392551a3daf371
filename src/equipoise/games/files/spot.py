"""Spots as TOML files: the parameters of :func:`equipoise.games.poker.spots.spot`, one a line.

::

    board = "Td9d6hQc"
    oop = "66+,A8s+,KQo"       # the first player's range; or 1,326 numbers
    ip = "QQ-22,AQs-A2s:0.5"
    pot = 200
    stack = 900
    bets = "60%,e,a"           # optional, as all that follows
    raises = "2.5x"
    donk = "50%"
    cap = 3
    add_allin = 1.5
    force_allin = 0.15
    merge = 0.1
    rake = 0.05
    rake_cap = 4
    chip = 0.5                 # bets are multiples of this, and at least this much:
    smallest = 2
    lock = "k: b120 AA,KQs:0.7"
    keeper = "oop"             # who solves the spot anew, and what the other was promised
    promised = "120.5 AA; 60 KQs,QJs"
    gadget = "maxmargin"
    joint = "beliefs.npy"      # what pairs of hands count for: 1,326 x 1,326 numbers
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, parse_toml
from equipoise.games.poker.spots import Spot, spot

_TEXTS = ("board", "bets", "raises", "donk", "lock", "keeper", "gadget", "joint", "ranks", "suits")


def load_spot(path: str | Path) -> Spot:
    """Read the spot that the TOML file at ``path`` describes."""
    try:
        return spot_of(Fields(parse_toml(Path(path).read_text(encoding="utf-8")), ""))
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{path}: cannot be read ({error}), expected a TOML file.") from None
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def spot_of(fields: Fields) -> Spot:
    """Return the spot with these parameters."""
    known = inspect.signature(spot).parameters
    fields.only(*known)
    for name, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and name not in fields:
            fields.fail(name, "it to be given")
    return spot(**{name: _reader(fields, name)(name) for name in fields.data})


def _reader(fields: Fields, name: str) -> Callable[[str], Any]:
    """Return what reads a field of its type."""
    if name in ("oop", "ip", "promised"):
        return fields.text if isinstance(fields.data[name], str) else fields.numbers
    if name == "cap" and not isinstance(fields.data[name], str):
        return fields.whole
    return fields.text if name in (*_TEXTS, "cap") else fields.number
