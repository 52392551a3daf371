"""Files of strategies, logs, checkpoints and abstractions, each a :mod:`equipoise.bundle`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Partition
from equipoise.abstraction.street_buckets import StreetBuckets
from equipoise.bundle import FORMAT, Arrays, Bundle, Metadata, load, save
from equipoise.errors import EquipoiseError, short
from equipoise.games.base import in_words
from equipoise.games.files.fields import Fields
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.strategy.profile import Layout, Strategy
from equipoise.strategy.quantise import from_units, to_units

__all__ = [
    "ABSTRACTION",
    "CHECKPOINT",
    "FORMAT",
    "STRATEGY",
    "Bundle",
    "Metadata",
    "buckets_of",
    "load",
    "load_abstraction",
    "load_solved",
    "load_strategy",
    "log_of",
    "method_of",
    "packed",
    "save",
    "save_abstraction",
    "save_strategy",
    "spec_of",
    "strategy_of",
]

STRATEGY, CHECKPOINT, ABSTRACTION = "strategy", "checkpoint", "abstraction"
_BUCKETS = "buckets_on_streets"
_Made = TypeVar("_Made")

UPGRADES = {"tournament": "equipoise.strategy.tournament:upgraded"}
"""What strategies' bundles of some families were once called, and what makes them as they are now."""

_FLOATS, _UNITS = ("<f8", "<f4"), "<u2"
# The name of a spot has a weight for each of up to 1,326 hands of both players, and what they were promised.
_LONGEST_SPEC = 1 << 20
# Without and with the share of the game that was in play, and with gaps that bounds have too few digits for.
_LOG_COLUMNS = (6, 7, 8)
_ANY_SIGN = (2, 3, 7)  # the bounds, and the gap
# No machine counts or runs further: 2^53, up to which floats know every whole number.
_MOST = 2.0**53


def save_strategy(
    path: str | Path,
    strategy: Strategy,
    *,
    log: NDArray[np.float64] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Write ``strategy``, the log of the solve that found it, and what else is known about it."""
    arrays, own = packed(strategy)
    if log is not None:
        arrays["log"] = log
    save(path, STRATEGY, arrays, {**(metadata or {}), **own})


def packed(strategy: Strategy) -> tuple[Arrays, Metadata]:
    """Return ``strategy`` as arrays and metadata, from which :func:`strategy_of` makes it again.

    A strategy of a game too large to list brings the buckets that it plays by, and is kept in whole numbers.
    """
    arrays: Arrays = {f"behaviour.{i}": vector for i, vector in enumerate(strategy.behaviour)}
    own: Metadata = {
        "game": strategy.game,
        "fingerprint": strategy.fingerprint,
        "players": len(strategy.behaviour),
    }
    if strategy.layout is not None:
        own["layout"] = {"nodes": strategy.layout.nodes, "buckets": strategy.layout.buckets}
    if isinstance(strategy.abstraction, StreetBuckets):
        tables, known = strategy.abstraction.to_arrays()
        arrays.update({f"{_BUCKETS}.{name}": table for name, table in tables.items()})
        own[_BUCKETS] = known
        for i, vector in enumerate(strategy.behaviour):
            arrays[f"behaviour.{i}"] = to_units(vector)
    return arrays, own


def buckets_of(path: str | Path, bundle: Bundle, game: PokerGame) -> StreetBuckets | None:
    """Return the buckets of ``game`` that the strategy in ``bundle``, loaded from ``path``, plays by."""
    if _BUCKETS not in bundle.metadata:
        return None
    prefix = f"{_BUCKETS}."
    arrays = {
        name.removeprefix(prefix): own
        for name, own in bundle.arrays.items()
        if name.startswith(prefix)
    }
    known = Fields(bundle.metadata, f"{path}: metadata").table(_BUCKETS)
    return _street_buckets(path, game, arrays, known.data, bundle.metadata.get("game"))


def load_solved(path: str | Path, *, verify: bool = True) -> Bundle:
    """Return the bundle of a strategy of any family; that of an earlier version as it would be now."""
    bundle = load(path, verify=verify)
    if bundle.kind in UPGRADES:
        module, _, name = UPGRADES[bundle.kind].partition(":")
        upgraded: Bundle = getattr(import_module(module), name)(path, bundle)
        return upgraded
    if bundle.kind != STRATEGY:
        raise EquipoiseError(
            f"{path}: found a file of kind '{bundle.kind:.60}', expected '{STRATEGY}'."
        )
    return bundle


def load_strategy(path: str | Path, *, verify: bool = True) -> Strategy:
    """Return the strategy stored at ``path``."""
    bundle = load(path, STRATEGY, verify=verify)
    return replace(strategy_of(path, bundle), source=spec_of(path, bundle))


def strategy_of(path: str | Path, bundle: Bundle) -> Strategy:
    """Return the strategy that ``bundle``, loaded from ``path``, holds."""
    known = Fields(bundle.metadata, f"{path}: metadata")
    names = [name for name in bundle.arrays if name.startswith("behaviour.")]
    if not names and "family" in known.data:
        raise EquipoiseError(
            f"{path}: found a strategy of a {in_words(known.text('family'))}, expected one with "
            "information sets."
        )
    players = known.whole("players", least=1)
    if set(names) != {f"behaviour.{i}" for i in range(len(names))} or len(names) != players:
        raise EquipoiseError(
            f"{path}: found arrays {_list(bundle.arrays)} for {players} players, expected one "
            "behaviour array a player."
        )
    vectors = tuple(bundle.arrays[f"behaviour.{i}"] for i in range(players))
    vectors = tuple(from_units(own) if own.dtype.str == _UNITS else own for own in vectors)
    for player, vector in enumerate(vectors):
        if vector.ndim != 1 or vector.dtype.str not in _FLOATS or len(vector) == 0:
            raise EquipoiseError(
                f"{path}: array behaviour.{player} has type {vector.dtype} and shape "
                f"{vector.shape}, expected a vector of floats."
            )
    layout = None if "layout" not in known else _layout(path, known.data["layout"], vectors)
    return Strategy(known.text("game"), known.text("fingerprint"), vectors, layout)


def spec_of(path: str | Path, bundle: Bundle) -> str | None:
    """Return the game that the strategy in ``bundle``, loaded from ``path``, says it is of."""
    known = Fields(bundle.metadata, f"{path}: metadata")
    if "spec" not in known:
        return None
    spec = known.text("spec")
    if not 0 < len(spec) <= _LONGEST_SPEC:  # of any characters: names of files have joiners, too
        known.fail("spec", f"a game in at most {_LONGEST_SPEC} characters")
    return spec


def method_of(known: Fields) -> str:
    """Return how the strategy was found; earlier versions called it the algorithm."""
    return known.text("method", known.text("algorithm", "unknown"))


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
        if any(actions < 1 for own in layout.nodes for _, actions in own):
            raise ValueError
    except (KeyError, IndexError, OverflowError, TypeError, ValueError):
        raise EquipoiseError(
            f"{path}: the layout cannot be read, expected decision nodes and buckets a round."
        ) from None
    if found != expected:
        raise EquipoiseError(
            f"{path}: found vectors of lengths {found}, expected {expected} by their layout."
        )
    return layout


def save_abstraction(path: str | Path, abstraction: Partition | StreetBuckets) -> None:
    """Write the maps of an abstraction."""
    save(path, ABSTRACTION, *abstraction.to_arrays())


def load_abstraction(path: str | Path, game: StageGame | None = None) -> Partition | StreetBuckets:
    """Return the abstraction stored at ``path``; buckets on streets need their ``game``."""
    bundle = load(path, ABSTRACTION)
    if bundle.metadata.get("form") != "streets":
        return _made(path, lambda: Partition.from_arrays(bundle.arrays, bundle.metadata))
    if not isinstance(game, PokerGame):
        raise EquipoiseError(
            f"{path}: found buckets of poker hands, expected the game '{bundle.metadata.get('game')}' beside."
        )
    known = bundle.metadata
    return _street_buckets(path, game, bundle.arrays, known, known.get("game"))


def _street_buckets(
    path: str | Path,
    game: PokerGame,
    arrays: Mapping[str, NDArray[Any]],
    known: Mapping[str, Any],
    told: Any,
) -> StreetBuckets:
    """Return buckets of ``game``; those that do not fit it, and are ``told`` to be of another one, name both."""
    try:
        return StreetBuckets.from_arrays(game, arrays, known)
    except EquipoiseError as error:
        if told is None or told == game.name:
            raise EquipoiseError(f"{path}: {error}") from None
        raise EquipoiseError(
            f"{path}: found buckets of the game {short(told)}, expected some of {short(game.name)}."
        ) from None


def _made(path: str | Path, make: Callable[[], _Made]) -> _Made:
    """Return what ``make`` makes of the file at ``path``, which its errors name."""
    try:
        return make()
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def log_of(path: str | Path, bundle: Bundle) -> NDArray[np.float64]:
    """Return the log in ``bundle``, loaded from ``path``: one row a measurement of the gap."""
    log = bundle.arrays.get("log")
    if log is None or log.dtype != np.float64 or log.ndim != 2 or log.shape[1] not in _LOG_COLUMNS:
        raise EquipoiseError(
            f"{path}: found no log of a solve, expected a strategy or checkpoint with one."
        )
    require_log(path, log)
    return log


def require_log(path: str | Path, log: NDArray[Any]) -> None:
    """Raise unless ``log`` has rows, all of finite numbers, with counts and times from zero up."""
    if len(log) == 0:
        raise EquipoiseError(f"{path}: found an empty log, expected one with measurements.")
    counts = np.delete(log, [column for column in _ANY_SIGN if column < log.shape[1]], axis=1)
    if not np.isfinite(log).all() or counts.min() < 0 or counts.max() > _MOST:
        raise EquipoiseError(
            f"{path}: found a log with numbers out of range, expected finite bounds, and counts and "
            "times from zero up."
        )


def _list(names: Iterable[str]) -> str:
    """Return some names, for a sentence."""
    text = ", ".join(sorted(names))
    return text if len(text) <= 60 else f"{text[:57]}..."
