"""TOML files: what a file describes follows from what it holds.

Every row of :data:`READERS` has a field that only files of one kind have at their top, and where such
files are read as ``"module:function"``. A file with none of these fields has the rules of a game with
signals. To add a kind of file, add a row.
"""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

READERS: dict[str, str] = {
    "board": "equipoise.games.files.spot:load_spot",
    "chips": "equipoise.games.files.tournament:load_tournament",
    "state": "equipoise.games.repeated.game:read_repeated",
    "game": "equipoise.games.files.bayesian:read",
    "leaf": "equipoise.games.files.bayesian:read",
}
_RULES = "equipoise.games.files.rules:load_rules"


def load_toml(path: str | Path) -> Any:
    """Return the game that the TOML file at ``path`` describes."""
    fields = _top(path)
    home = next((home for field, home in READERS.items() if field in fields), _RULES)
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)(path)


def _top(path: str | Path) -> set[str]:
    """Return the fields at the top of a file; of one that cannot be read, whose reader says why, none."""
    try:
        return set(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return set()
