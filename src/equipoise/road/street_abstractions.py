"""Ways to abstract poker too large to list, by the names that users type.

The rows of :data:`equipoise.road.abstractions.ABSTRACTIONS` that work street by street, and what may be said of
them in brackets: ``potential(20-100-400-1200,temporary=10,flops=32,boards=20000)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.street_buckets import StreetBuckets
    from equipoise.games.poker.game import PokerGame

METHODS: dict[str, dict[str, Any]] = {
    "expectation": {"feature": "expectation"},
    "expectation-squared": {"feature": "expectation", "power": 2.0},
    "potential": {"feature": "potential"},
    "threshold": {"feature": "threshold"},
}
"""The methods, as arguments of :func:`equipoise.abstraction.street_abstraction.divided`."""

_OPTIONS = ("boards", "distance", "flops", "temporary")
_DISTANCES = ("l2", "l1", "emd")
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
    for key, value in given.items():
        if key not in _OPTIONS:
            raise EquipoiseError(
                f"abstraction '{method}': found the option '{key:.40}', expected one of "
                f"{', '.join(_OPTIONS)}."
            )
        is_known = (
            value in _DISTANCES if key == "distance" else isinstance(value, int) and value > 1
        )
        if not is_known and not (value == "all" and key in ("flops", "boards")):
            expected = "l2, l1 or emd" if key == "distance" else "a whole number from 2 up"
            raise EquipoiseError(
                f"abstraction '{method}': found {key}={value!s:.40}, expected {expected}."
            )
    flops, boards = given.get("flops", _FLOPS), given.get("boards", _BOARDS)
    return divided(
        game,
        buckets,
        **METHODS[method],
        temporary=given.get("temporary", 10),
        metric=given.get("distance", "l2"),
        classes=None if flops == "all" else flops,
        boards=None if boards == "all" else boards,
        seed=seed,
        device=None if device in (None, "compiled") else devices.device(str(device), "float32"),
        method=spelled,
        each=each,
    )
