"""Families of games: what the road asks of each, and where each is found.

A game says which family it belongs to (``game.family``). A new family is a row of :data:`FAMILIES` and a
module with a :class:`Family`; then loading, solving, saving, opening and certifying work for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.base import in_words
from equipoise.road.steps import Steps

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.road.checkpoints import Checkpoints
    from equipoise.road.result import Result
    from equipoise.solvers.driver import Arrays, Hooks, Monitor, Status, Stop
    from equipoise.solvers.log import LogRow
    from equipoise.strategy.local import LocalStrategy
    from equipoise.strategy.store import Bundle, Metadata

FAMILIES: dict[str, str] = {
    "zero-sum": "equipoise.road.zero_sum:ZeroSum",
    "tournament": "equipoise.road.tournament:Tournaments",
    "general-sum": "equipoise.road.general_sum:GeneralSum",
    "bayesian": "equipoise.road.bayesian:Bayesian",
    "repeated": "equipoise.road.repeated:Repeated",
    "spot": "equipoise.road.spots:Spots",
}
"""Each family's name, and the class that stands for it as ``module:class``."""


def _shows_nothing(stop: Stop) -> AbstractContextManager[Monitor | None]:
    return nullcontext(None)


def _ignore(sentence: str) -> None:
    """Say nothing."""


def _ignore_all(what: str, done: int, total: int) -> None:
    """Count nothing."""


@dataclass(frozen=True)
class Wish:
    """What a user wants of a solve.

    Attributes
    ----------
    method
        How to solve, by name; ``None`` leaves it to the family.
    gap
        What the players may still gain; ``None`` for the family's default.
    limits
        Limits on iterations and seconds.
    seed
        For methods that draw at random.
    options
        What only this family knows (an abstraction, models, ...).
    show
        Given the stop rule, a context that shows the solve in it.
    note
        Called with sentences that a user should see.
    each
        Called during long steps other than solving: what is done, how much of it, and of how much.
    checkpoints
        Where to keep what an interrupted solve needs, if anywhere.
    steps
        Measures what is done.
    """

    method: str | None
    gap: Stop | None
    limits: Stop
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    show: Callable[[Stop], AbstractContextManager[Monitor | None]] = _shows_nothing
    note: Callable[[str], None] = _ignore
    each: Callable[[str, int, int], None] = _ignore_all
    checkpoints: Checkpoints | None = None
    steps: Steps = field(default_factory=Steps)

    def only(self, family: str, *known: str) -> dict[str, Any]:
        """Return the options that are given; refuse those that mean nothing to ``family``."""
        given = {
            name: value
            for name, value in self.options.items()
            if value is not None and value is not False
        }
        for name in given:
            if name not in known:
                expected = f"one of {', '.join(known)}" if known else "none"
                raise EquipoiseError(
                    f"solve: found the option '{name}' for a {in_words(family)}, expected {expected}."
                )
        return given

    def before(self) -> Bundle | None:
        """Return the checkpoint to continue from, if there is one and it is wanted."""
        return None if self.checkpoints is None else self.checkpoints.before()

    def hooks(
        self, own: dict[str, Any], monitor: Monitor | None, held: Bundle | None = None
    ) -> Hooks:
        """Return what the driver needs to show and keep a solve with the identity ``own``.

        It continues from the checkpoint ``held``, which must be one of the same solve.
        """
        kept = self.checkpoints
        if kept is None:
            return {"monitor": monitor}
        if held is not None:
            kept.require(held, own)
        return {
            "monitor": monitor,
            "checkpoint": kept.saver(own),
            "checkpoint_seconds": kept.seconds,
            "resume": None if held is None else held.arrays,
        }


@dataclass(frozen=True, eq=False)
class Found:
    """What a family's solver found.

    Attributes
    ----------
    strategy
        A strategy of the full game.
    target
        What the certificate must show: the gap in the user's units, or a gain for each player.
    stake
        What is at stake, in the same units: rounding is relative to it.
    method, why
        The method as the command line spells it, and why it was chosen.
    details
        What is particular to the family, ready for JSON.
    is_certified
        Whether to certify the strategy at once: not where a certificate takes as long as measuring,
        and the solve was stopped before it had measured anything.
    checks
        How to certify it: options of the family's certificate.
    """

    strategy: Any
    target: float | tuple[float, ...]
    stake: float
    method: str
    why: str
    status: Status
    iterations: int
    seconds: float
    cpu_seconds: float
    log: tuple[LogRow, ...]
    details: dict[str, Any] = field(default_factory=dict)
    is_certified: bool = True
    checks: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Found by {self.method}: {self.status.value}, {self.strategy!r}>"

    @property
    def gap(self) -> float | None:
        """The smallest gap that the solver measured, if it did."""
        return min((row.gap for row in self.log), default=None)


class Sheet(NamedTuple):
    """Something to show: a column of text, then columns of text or numbers."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str | float, ...]]


class Asked(NamedTuple):
    """Which information sets somebody wants to see: of a player (from 0), with a text, so many."""

    player: int | None = None
    match: str | None = None
    limit: int | None = None

    def of(self, player: int, label: str) -> bool:
        """Say whether the information set ``label`` of ``player`` is among them."""
        return self.player in (None, player) and (self.match is None or self.match in label)


class Lines(NamedTuple):
    """The first of the information sets that were asked for, and how many there are."""

    shown: list[LocalStrategy]
    total: int


class Family(Protocol):
    """All that the road asks of a family of games; what has a body may be left as it is."""

    draws: ClassVar[bool] = False
    """Whether :meth:`draw` has anything to draw."""
    checks: ClassVar[tuple[str, ...]] = ()
    """Options of :meth:`certify` beside ``rigorous``."""
    holds_rules: ClassVar[bool] = False
    """Whether a strategy file holds the rules of its game, so that the family's name stands for them."""

    @property
    def name(self) -> str:
        """The name in :data:`FAMILIES`."""

    def identity(self, game: Any) -> tuple[str, str]:
        """Return the name and the fingerprint that strategies of ``game`` carry."""

    def stake(self, game: Any) -> float:
        """Return what is at stake: the largest minus the smallest payoff."""

    def solve(self, game: Any, wish: Wish) -> Found:
        """Find a strategy of ``game``."""

    def certify(self, game: Any, strategy: Any, *, rigorous: bool = False) -> Certificate:
        """Show how good ``strategy`` is, from the rules alone."""

    def usual_checks(self, game: Any) -> dict[str, Any]:
        """Return the options of :meth:`certify` where nobody has named any: for games that take hours, an estimate."""
        return {}

    def pack(self, strategy: Any) -> tuple[Arrays, Metadata]:
        """Return ``strategy`` as arrays and metadata; ``game`` and ``fingerprint`` are its game's identity unless named."""

    def unpack(self, path: Path, bundle: Bundle, game: Any) -> Any:
        """Return the strategy that a file holds, which must be one of ``game``."""

    def sizes(self, game: Any) -> dict[str, Any]:
        """Return how large ``game`` is, ready for JSON."""
        return {}

    def figures(self, certificate: Certificate) -> dict[str, Any]:
        """Return what a summary says of ``certificate``."""
        return certificate.summary()

    def facts(self, result: Result) -> dict[str, Any]:
        """Return what a summary for people says of a result, beside how it was found."""
        proof = result.certificate
        known = self.figures(proof)
        how = "certified" if proof.is_exact else "estimated"
        gap = f"{max(known['gap'], 0.0):.3g} ({how} in the full game)"
        if "value" not in known:
            return {"gap": gap, **result.found.details}
        return {
            "value": f"{known['value']:.9g} to player 1",
            "bounds": f"{known['lower']:.9g} to {known['upper']:.9g}",
            "gap": gap,
            **proof.remarks(),
            **result.found.details,
        }

    def verdict(self, game: Any, certificate: Any) -> tuple[Sheet, dict[str, Any]]:
        """Return what people are told of ``certificate``: a table, and what it comes to."""
        columns = (certificate.values, certificate.best_responses, certificate.gains)
        rows = list(zip(player_names(game), *columns, strict=True))
        is_bound = certificate.rigorous or certificate.forgetful
        facts = {
            "game": self.identity(game)[0],
            "gap": f"{'at most ' if is_bound else ''}{certificate.gap:.9g}",
            **certificate.remarks(),
        }
        return Sheet("", ("player", "value", "best response", "gain"), rows), facts

    def tables(self, result: Result) -> Iterator[Sheet]:
        """Yield what there is to show of a strategy beside its information sets."""
        yield from ()

    def lines(self, result: Result, asked: Asked) -> Lines | None:
        """Return what a strategy does in the information sets that are asked for, if it has any."""
        return None

    def draw(self, result: Result, stem: Path) -> tuple[Path, ...]:
        """Draw a strategy as files whose names begin with ``stem``; some families have no pictures."""
        return ()


def player_names(game: Any) -> tuple[str, ...]:
    """Return what the players are called."""
    if isinstance(game.players, int):
        return tuple(f"player {i + 1}" for i in range(game.players))
    return tuple(game.players)


def family_of(game: Any) -> Family:
    """Return the family of ``game``."""
    from equipoise.road.result import Result

    name = getattr(game, "family", None)
    if not isinstance(name, str) or isinstance(game, Result):
        raise EquipoiseError(
            f"found a {type(game).__name__}, expected a game: load(...) gives one."
        )
    return family(name)


def family(name: str) -> Family:
    """Return the family called ``name``."""
    require_type("family", name, str, f"one of {', '.join(FAMILIES)}")
    if name not in FAMILIES:
        raise EquipoiseError(
            f"family '{name:.40}': unknown, expected one of {', '.join(FAMILIES)}."
        )
    module, _, kind = FAMILIES[name].partition(":")
    found: Family = getattr(import_module(module), kind)()
    return found
