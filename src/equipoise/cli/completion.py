"""What the shell offers when a user presses Tab: games, methods, files.

``equipoise --install-completion`` teaches the shell to ask. Nothing heavy is imported to answer.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path


def complete_game(incomplete: str) -> list[str]:
    """Return named games and game files that begin with ``incomplete``."""
    from equipoise.games.base import FILES, GAMES

    return [name for name in GAMES if name.startswith(incomplete)] + _files(incomplete, FILES)


def complete_strategy(incomplete: str) -> list[str]:
    """Return strategy files that begin with ``incomplete``."""
    from equipoise.road.checkpoints import SUFFIX

    return _files(incomplete, (SUFFIX,))


def complete_agent(incomplete: str) -> list[str]:
    """Return agents and strategy files that begin with ``incomplete``."""
    word, colon, rest = incomplete.partition(":")
    if colon:
        return [f"{word}:{path}" for path in complete_strategy(rest)] if word == "nemesis" else []
    names = ("uniform", "always-call", "always-raise", "always-fold", "learner", "nemesis:")
    return [name for name in names if name.startswith(incomplete)] + complete_strategy(incomplete)


def complete_method(incomplete: str) -> list[str]:
    """Return methods that begin with ``incomplete``; after a wrapper's name, those it can wrap."""
    from equipoise.solvers.methods import METHODS, WRAPPERS

    outer, colon, _ = incomplete.rpartition(":")
    around = outer.split(":") if colon else []
    names = [*METHODS, *(f"{name}:" for name in WRAPPERS if name not in around)]
    if not colon:
        names.insert(0, "auto")
    elif not set(around) <= WRAPPERS.keys():
        return []
    names = [f"{outer}{colon}{name}" for name in names]
    return [name for name in names if name.startswith(incomplete)]


def _files(incomplete: str, endings: Collection[str]) -> list[str]:
    """Return folders, and files with one of these endings, whose path begins with ``incomplete``."""
    folder, _, start = incomplete.rpartition("/")
    prefix = f"{folder}/" if folder or incomplete.startswith("/") else ""
    try:
        entries = sorted(Path(prefix or ".").iterdir())
    except OSError:
        return []
    return [
        f"{prefix}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if entry.name.startswith(start)
        and (start.startswith(".") or not entry.name.startswith("."))
        and (entry.is_dir() or entry.suffix.lower() in endings)
    ]
