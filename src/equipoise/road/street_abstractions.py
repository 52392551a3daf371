"""Ways to abstract poker too large to list, by the names that users type.

The rows of :data:`equipoise.road.abstractions.ABSTRACTIONS` that work street by street, and what may be said of
them in brackets: ``potential(20-100-400-1200,temporary=10,flops=32,boards=20000)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.street_buckets import StreetBuckets
    from equipoise.games.poker.game import PokerGame
    from equipoise.games.signals.rounds import Indices

METHODS: dict[str, dict[str, Any]] = {
    "expectation": {"feature": "expectation"},
    "expectation-squared": {"feature": "expectation", "power": 2.0},
    "potential": {"feature": "potential"},
    "strategy": {"feature": "potential"},
    "threshold": {"feature": "threshold"},
}
"""The methods, as arguments of :func:`equipoise.abstraction.street_abstraction.divided`."""

# What may be said in brackets: one of some words, a whole number, or "all" of them.
_WORDS = {"distance": ("l2", "l1", "emd"), "leaves": ("strength", "opponents")}
_OPTIONS = ("boards", "distance", "flops", "leaves", "temporary")
_OF_STRATEGY = ("stages",)
# Centres hardly move with more flops than these, nor the deals of a thousand buckets with more boards.
_FLOPS, _BOARDS = 32, 20_000


def by_streets(
    game: PokerGame,
    method: str,
    buckets: Sequence[int] | None,
    given: Mapping[str, Any],
    *,
    spelled: str,
    seed: int = 0,
    device: str | None = None,
    each: Callable[[str, int, int], None] | None = None,
) -> StreetBuckets:
    """Return the abstraction of ``game`` by ``method``, with the options ``given``."""
    from equipoise.abstraction.street_abstraction import divided
    from equipoise.sequence.backends import devices

    if method not in METHODS:
        raise EquipoiseError(
            f"abstraction '{method}': found '{game.name}', whose deals are too many to list, expected one of "
            f"{', '.join(METHODS)}."
        )
    if buckets is None:
        raise EquipoiseError(
            f"abstraction '{method}': found no buckets, expected their numbers round by round, such as "
            "20-100-400-1200."
        )
    buckets = _every_round(game, buckets)
    for key, value in given.items():
        known = (*_OPTIONS, *_OF_STRATEGY) if method == "strategy" else _OPTIONS
        if key not in known:
            raise EquipoiseError(
                f"abstraction '{method}': found the option '{key:.40}', expected one of {', '.join(known)}."
            )
        words = _WORDS.get(key, ("all",) if key in ("flops", "boards") else ())
        is_number = key not in _WORDS and isinstance(value, int) and value > 1
        if value not in words and not is_number:
            expected = " or ".join(words) if key in _WORDS else "a whole number from 2 up"
            raise EquipoiseError(
                f"abstraction '{method}': found {key}={value!s:.40}, expected {expected}."
            )
    flops, boards = given.get("flops", _FLOPS), given.get("boards", _BOARDS)
    holes = None
    if method == "strategy":
        holes = _played_alike(game, buckets, given, seed=seed, device=device, each=each)
    return divided(
        game,
        buckets,
        **METHODS[method],
        temporary=given.get("temporary", 10),
        metric=given.get("distance", "l2"),
        leaves=given.get("leaves", "strength"),
        holes=holes,
        classes=None if flops == "all" else flops,
        boards=None if boards == "all" else boards,
        seed=seed,
        device=None if device in (None, "compiled") else devices.device(str(device), "float32"),
        method=spelled,
        each=each,
    )


def _every_round(game: PokerGame, buckets: Sequence[int]) -> Sequence[int]:
    """Return numbers for all rounds, given those in which somebody acts: after them, no more is told apart."""
    acting = 1 + int(game.tree.round[game.tree.player >= 0].max())
    later = game.rounds - acting if len(buckets) == acting else 0
    return (*buckets, *(buckets[-1] for _ in range(later)))


def _played_alike(
    game: PokerGame,
    buckets: Sequence[int],
    given: Mapping[str, Any],
    *,
    seed: int,
    device: str | None,
    each: Callable[[str, int, int], None] | None,
) -> Indices:
    """Return buckets of the classes of hole cards by how they are played in a shorter game.

    There no two of them are alike, and each has as many children as a bucket has here, so GS4's first game of
    169 / 6,760 / 54,080 belongs to its 20 / 800 / 4,800 (Gilpin 2009, section 6.6).
    """
    from equipoise.abstraction.behaviour import alike
    from equipoise.games.signals.views import views
    from equipoise.road.families import Wish
    from equipoise.road.zero_sum import ZeroSum
    from equipoise.solvers.driver import Stop
    from equipoise.strategy.vectors import strategy_vectors

    stages, holes = given.get("stages", game.rounds - 1), views(game).count(0)
    if not isinstance(stages, int) or not 1 <= stages <= game.rounds:
        raise EquipoiseError(
            f"abstraction 'strategy': stages: found {stages!s:.40}, expected 1 to the game's {game.rounds} rounds."
        )
    first = "-".join(str(-(-count * holes // buckets[0])) for count in buckets[:stages])
    options = ",".join(f"{key}={value}" for key, value in given.items() if key not in _OF_STRATEGY)
    wanted: dict[str, Any] = {"abstraction": f"potential({options})", "buckets": first}
    if stages < game.rounds:
        wanted["stages"] = str(stages)
    wish = Wish(None, None, Stop(), seed, {**wanted, "device": device})
    found = ZeroSum().solve(game, wish if each is None else replace(wish, each=each)).strategy
    coarse = found.abstraction
    assert coarse is not None, "poker too large to list is played by buckets"
    own = coarse.bucket(0, np.arange(holes))
    vectors = np.hstack([strategy_vectors(game, found, player, 0)[own] for player in (0, 1)])
    return alike(vectors, game, buckets[0])
