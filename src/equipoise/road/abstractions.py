"""Ways to abstract a game with signals, by the names that users type.

A name is that of a row of :data:`ABSTRACTIONS`, in brackets the number of buckets of each round and what
else the method knows: ``expectation(13-50-250)``, ``potential(13-50-250,distance=emd)``. ``A>B`` is B made
within the buckets of A: an abstraction that refines another; in ``A|B`` player 1 sees the buckets of A, and player 2
those of B. Abstractions carry the name that makes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.base import Partition
    from equipoise.abstraction.street_buckets import StreetBuckets
    from equipoise.games.signals.stage_game import StageGame

# What a function is given besides the options that users may name.
_GIVEN = ("rounds", "buckets", "game", "method", "refine", "vectors")
# What only the road can do for a method: solve a shorter game first.
_SOLVED = {"strategy": ("stages",)}
_PLAYED_GAP = "1e-5r"
_TERM = re.compile(r"\s*([a-z][a-z0-9-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)


class AbstractionEntry(NamedTuple):
    """Where a method lives (``module:function``), with which arguments, and what it is.

    A lossy method takes the rounds of deals and numbers of buckets, and options by name.
    """

    path: str
    arguments: Mapping[str, Any]
    why: str
    is_lossy: bool = True

    def make(self, *given: Any, **options: Any) -> Partition:
        """Call the function."""
        found: Partition = self.function(*given, **{**self.arguments, **options})
        return found

    @property
    def function(self) -> Any:
        """The function itself."""
        module, _, name = self.path.partition(":")
        return getattr(import_module(module), name)

    @property
    def options(self) -> list[str]:
        """What users may say by name."""
        known = signature(self.function).parameters if self.is_lossy else ()
        return [name for name in known if name not in (*_GIVEN, *self.arguments)]


def _gameshrink(method: str, why: str) -> AbstractionEntry:
    path = "equipoise.abstraction.gameshrink:gameshrink"
    return AbstractionEntry(path, {"method": method}, why, is_lossy=False)


def _lossy(path: str, why: str, **arguments: Any) -> AbstractionEntry:
    return AbstractionEntry(f"equipoise.abstraction.{path}", arguments, why)


ABSTRACTIONS: dict[str, AbstractionEntry] = {
    "gameshrink": _gameshrink("sound", "merges what no belief can tell apart: lossless"),
    "histogram": _gameshrink(
        "histogram", "compares outcome counts, as first published: not lossless"
    ),
    "suits": _gameshrink("suits", "only renames suits: lossless, and the largest"),
    "expectation": _lossy(
        "expectation:expectation", "as many buckets as asked for, by the probability of winning"
    ),
    "expectation-squared": _lossy(
        "expectation:expectation", "by its square: strong hands more finely", power=2.0
    ),
    "potential": _lossy(
        "potential:potential",
        "by histograms over what may follow (distance=l2, l1 or emd; temporary=N; leaves=strength, "
        "outcomes or opponents)",
    ),
    "strategy": _lossy(
        "behaviour:strategy_based",
        "the first round by how it is played when the game is shorter, the others by potential (stages=N: "
        "how many rounds are solved)",
    ),
    "threshold": _lossy(
        "threshold:threshold",
        "merges what differs least, in chains (thresholds=0-0.1-0.2 instead of buckets)",
    ),
}
"""Every method of abstraction by the name that users type."""

# GameShrink calls its default by another name, and so do the abstractions that it made.
_FORMER = {"sound": "gameshrink"}


def is_abstraction(name: str) -> bool:
    """Say whether ``name`` spells an abstraction, right or wrong in its brackets, or none."""
    return name == "none" or re.split(r"[(>|]", name)[0].strip() in {*ABSTRACTIONS, *_FORMER}


def parse(name: str) -> tuple[str, str | None, dict[str, str]]:
    """Split ``method(buckets,option=value,...)`` into its parts."""
    parsed = _TERM.fullmatch(name)
    method = _FORMER.get(parsed[1], parsed[1]) if parsed else name
    if parsed is None or method not in ABSTRACTIONS:
        close = get_close_matches(method, ABSTRACTIONS, n=1, cutoff=0.6)
        hint = (
            f"did you mean '{close[0]}'?"
            if close
            else f"expected one of {', '.join(ABSTRACTIONS)}."
        )
        raise EquipoiseError(f"abstraction: found '{name:.60}', {hint}")
    buckets, options = None, {}
    for part in filter(None, (part.strip() for part in (parsed[2] or "").split(","))):
        key, equals, value = (text.strip() for text in part.partition("="))
        if equals and key != "buckets":
            options[key] = value
        elif buckets is not None:
            raise EquipoiseError(
                f"abstraction '{name:.60}': found buckets twice, expected them once."
            )
        else:
            buckets = value if equals else key
    return method, buckets, options


def made(
    game: StageGame,
    name: str,
    buckets: str | Sequence[int] | None = None,
    *,
    refine: Partition | None = None,
    **streamed: Any,
) -> Partition | StreetBuckets:
    """Return the abstraction of ``game`` that ``name`` spells, within the buckets of ``refine``.

    Poker too large to list is abstracted street by street; what is ``streamed`` says how
    (:func:`equipoise.road.street_abstractions.by_streets`).
    """
    from equipoise.games.signals.views import signal_rounds, views

    if "|" in name:
        return _facing(game, name, buckets, refine)
    *before, last = name.split(">")
    for coarser in before:
        finer = made(game, coarser, refine=refine)
        refine = listed(game, finer)
    method, own, given = parse(last)
    entry = ABSTRACTIONS[method]
    wanted = own if buckets is None else buckets
    if not views(game).is_listed:
        return _streamed(game, method, wanted, given, refine, streamed)
    if not entry.is_lossy:
        if wanted is not None or given or refine is not None:
            raise EquipoiseError(
                f"abstraction '{method}': found buckets, options or something to refine, expected none: "
                "it makes as many buckets as the game needs."
            )
        return entry.make(game)
    known = [*entry.options, *_SOLVED.get(method, ())]
    for key in given:
        if key not in known:
            allowed = f"one of {', '.join(known)}" if known else "none"
            raise EquipoiseError(
                f"abstraction '{method}': found the option '{key:.40}', expected {allowed}."
            )
    options = {key: _value(method, key, value) for key, value in given.items()}
    if wanted is None and "thresholds" not in options:
        raise EquipoiseError(
            f"abstraction '{method}': found no buckets, expected their numbers round by round, such as "
            "13-50-250."
        )
    counts = None if wanted is None else _counts(wanted)
    if method in _SOLVED:
        options["vectors"] = [_played(game, options.pop("stages", game.rounds - 1))]
    spelled = f"{method}({','.join(_spell(counts, given))})"
    return entry.make(
        signal_rounds(game),
        counts,
        **options,
        game=game.name,
        method=spelled if refine is None else f"{refine.method}>{spelled}",
        refine=refine,
    )


def _facing(game: StageGame, name: str, buckets: Any, refine: Partition | None) -> Partition:
    """Return the abstraction ``A|B``, in which player 1 sees the buckets of A and player 2 those of B."""
    parts = name.split("|")
    if len(parts) != 2:
        raise EquipoiseError(
            f"abstraction '{name:.60}': found {len(parts)} players' abstractions, expected two, such as "
            "expectation(13-50-250)|gameshrink."
        )
    if buckets is not None or refine is not None:
        raise EquipoiseError(
            f"abstraction '{name:.60}': found buckets or something to refine, expected all of it in the name, "
            "such as A(4-8-20)>B(4-12-60)|C."
        )
    first, second = (listed(game, made(game, part)) for part in parts)
    return first.facing(second)


def _streamed(
    game: StageGame,
    method: str,
    wanted: str | Sequence[int] | None,
    given: Mapping[str, str],
    refine: Partition | None,
    streamed: Mapping[str, Any],
) -> StreetBuckets:
    """Return an abstraction of poker too large to list."""
    from equipoise.games.poker.game import PokerGame
    from equipoise.road.street_abstractions import by_streets

    if refine is not None or not isinstance(game, PokerGame):
        raise EquipoiseError(
            f"abstraction '{method}': found '{game.name}', whose deals are too many to list, expected a "
            "poker game, and nothing to refine."
        )
    counts = None if wanted is None else _counts(wanted)
    options = {key: _value(method, key, value) for key, value in given.items()}
    spelled = f"{method}({','.join(_spell(counts, given))})"
    return by_streets(game, method, counts, options, spelled=spelled, **streamed)


def listed(game: StageGame, found: Partition | StreetBuckets) -> Partition:
    """Return an abstraction that can be refined."""
    from equipoise.abstraction.base import Partition

    if not isinstance(found, Partition):
        raise EquipoiseError(
            f"abstraction '{found.method}': found '{game.name}', whose deals are too many to list, "
            "expected a game that can be refined."
        )
    return found


def _played(game: StageGame, stages: Any) -> tuple[Any, Any]:
    """Return how both players play each view of the first round where the game has only ``stages`` rounds."""
    from equipoise.road.verbs import solve
    from equipoise.strategy.vectors import strategy_vectors

    if not isinstance(stages, int) or not 1 <= stages <= game.rounds:
        raise EquipoiseError(
            f"abstraction 'strategy': stages: found {stages!s:.40}, expected 1 to the game's {game.rounds} rounds."
        )
    wanted: dict[str, Any] = {"stages": stages} if stages != game.rounds else {}
    found = solve(game, abstraction="gameshrink", gap=_PLAYED_GAP, **wanted)
    first, second = (strategy_vectors(game, found.strategy, player, 0) for player in (0, 1))
    return first, second


def _spell(counts: Sequence[int] | None, given: Mapping[str, str]) -> list[str]:
    """Return what goes between the brackets of a name."""
    return [
        *([] if counts is None else ["-".join(map(str, counts))]),
        *(f"{key}={value}" for key, value in sorted(given.items())),
    ]


def _counts(wanted: str | Sequence[int]) -> tuple[int, ...]:
    """Return numbers of buckets, given as such or as ``13-50-250``."""
    try:
        parts = wanted.split("-") if isinstance(wanted, str) else map(str, wanted)
        counts = tuple(int(part) if part.isdecimal() else 0 for part in parts)
        if not counts or min(counts) < 1:
            raise ValueError
    except (TypeError, ValueError):
        raise EquipoiseError(
            f"buckets: found '{wanted!s:.60}', expected a number from 1 up for each round, such as "
            "13-50-250."
        ) from None
    return counts


def _value(method: str, key: str, text: str) -> Any:
    """Return what the value of an option means: whole numbers, words, or numbers with dashes between."""
    try:
        if key == "thresholds":
            return tuple(float(part) for part in text.split("-"))
        return int(text) if text[:1].isdigit() else text
    except ValueError:
        raise EquipoiseError(
            f"abstraction '{method}': found {key}={text:.40}, expected numbers such as "
            f"{'0-0.1-0.2' if key == 'thresholds' else '50'}."
        ) from None
