"""Files of strategies, logs, checkpoints and abstractions, each a :mod:`equipoise.bundle`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Abstraction
from equipoise.bundle import FORMAT, Arrays, Bundle, Metadata, load, save
from equipoise.errors import EquipoiseError
from equipoise.strategy.profile import Layout, Strategy

__all__ = [
    "ABSTRACTION",
    "CHECKPOINT",
    "FORMAT",
    "STRATEGY",
    "Bundle",
    "load",
    "load_abstraction",
    "load_strategy",
    "log_of",
    "save",
    "save_abstraction",
    "save_strategy",
    "strategy_of",
]

STRATEGY, CHECKPOINT, ABSTRACTION = "strategy", "checkpoint", "abstraction"


def save_strategy(
    path: str | Path,
    strategy: Strategy,
    *,
    log: NDArray[np.float64] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write ``strategy``, the log of the solve that found it, and what else is known about it."""
    arrays: Arrays = {f"behaviour.{i}": vector for i, vector in enumerate(strategy.behaviour)}
    if log is not None:
        arrays["log"] = log
    own: Metadata = {
        "game": strategy.game,
        "fingerprint": strategy.fingerprint,
        "players": len(strategy.behaviour),
    }
    if strategy.layout is not None:
        own["layout"] = {"nodes": strategy.layout.nodes, "buckets": strategy.layout.buckets}
    save(path, STRATEGY, arrays, {**(metadata or {}), **own})


def load_strategy(path: str | Path, *, verify: bool = True) -> Strategy:
    """Return the strategy stored at ``path``."""
    return strategy_of(path, load(path, STRATEGY, verify=verify))


def strategy_of(path: str | Path, bundle: Bundle) -> Strategy:
    """Return the strategy that ``bundle``, loaded from ``path``, holds."""
    known = bundle.metadata
    players = known.get("players")
    names = [f"behaviour.{i}" for i in range(players)] if isinstance(players, int) else []
    if not names or not {"game", "fingerprint"} <= known.keys() or set(names) - set(bundle.arrays):
        raise EquipoiseError(
            f"{path}: found metadata {sorted(known)} and arrays {sorted(bundle.arrays)}, expected "
            "game, fingerprint, players and one behaviour array a player."
        )
    vectors = tuple(bundle.arrays[name] for name in names)
    for name, vector in zip(names, vectors, strict=True):
        if vector.ndim != 1 or vector.dtype.kind != "f":
            raise EquipoiseError(
                f"{path}: array {name} has type {vector.dtype} and shape {vector.shape}, expected "
                "a vector of floats."
            )
    layout = None if "layout" not in known else _layout(path, known["layout"], vectors)
    return Strategy(str(known["game"]), str(known["fingerprint"]), vectors, layout)


def _layout(path: str | Path, described: Any, vectors: tuple[NDArray[Any], ...]) -> Layout:
    """Return the layout that the metadata describe, if the vectors have the lengths it says."""
    found = tuple(len(vector) for vector in vectors)
    try:
        layout = Layout(
            nodes=tuple(
                tuple((int(turn), int(actions)) for turn, actions in own)
                for own in described["nodes"]
            ),
            buckets=tuple(tuple(int(count) for count in row) for row in described["buckets"]),
        )
        expected = tuple(int(layout.starts(player)[-1]) for player in range(len(vectors)))
    except (KeyError, IndexError, TypeError, ValueError):
        raise EquipoiseError(
            f"{path}: the layout cannot be read, expected decision nodes and buckets a round."
        ) from None
    if found != expected:
        raise EquipoiseError(
            f"{path}: found vectors of lengths {found}, expected {expected} by their layout."
        )
    return layout


def save_abstraction(path: str | Path, abstraction: Abstraction) -> None:
    """Write the maps of an abstraction."""
    save(path, ABSTRACTION, *abstraction.to_arrays())


def load_abstraction(path: str | Path) -> Abstraction:
    """Return the abstraction stored at ``path``."""
    bundle = load(path, ABSTRACTION)
    try:
        return Abstraction.from_arrays(bundle.arrays, bundle.metadata)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def log_of(path: str | Path, bundle: Bundle) -> NDArray[np.float64]:
    """Return the log in ``bundle``, loaded from ``path``: one row a measurement of the gap."""
    log = bundle.arrays.get("log")
    if log is None or log.dtype != np.float64 or log.ndim != 2 or log.shape[1] != 6:
        raise EquipoiseError(
            f"{path}: found no log of a solve, expected a strategy or checkpoint with one."
        )
    return log
