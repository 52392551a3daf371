"""What comes of a solve: a strategy, how good it is, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.road.families import Found, family

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.road.steps import Step
    from equipoise.solvers.driver import Status
    from equipoise.solvers.log import LogRow


@dataclass(frozen=True, eq=False)
class Result:
    """A strategy of a game with its certificate and the road to it.

    Attributes
    ----------
    game, spec
        The game, and what :func:`equipoise.load` makes it from.
    rules
        The game as the strategy knows it: that of a matrix, or of a general-sum game with signals, is
        one of its tree.
    family
        The family of games that it belongs to.
    found
        What the solver found, and how.
    status
        Why the solve ended; whether it is solved is the certificate's word, not the solver's.
    proof
        The certificate; ``None`` where it has not been asked for since the result was opened.
    steps
        Where time and memory went.
    seed
        What the solve drew at random from.
    saved
        Where it is saved, if it is.

    >>> import equipoise
    >>> result = equipoise.solve("kuhn")
    >>> result  # doctest: +ELLIPSIS
    <Result 'kuhn': converged, value -0.0555556, gap ..., by lp-dense>
    >>> result.strategy["Kb"]
    {'p': 0.0, 'b': 1.0}
    """

    game: Any
    rules: Any
    spec: str
    family: str
    found: Found
    status: Status
    proof: Certificate | None = None
    steps: tuple[Step, ...] = ()
    seed: int = 0
    saved: Path | None = field(default=None)

    def __repr__(self) -> str:
        known = "" if self.proof is None else f"value {self.value:.6g}, gap {self._gap:.3g}, "
        return f"<Result '{self.spec}': {self.status.value}, {known}by {self.method}>"

    @property
    def _gap(self) -> float:
        return max(self.certificate.gap, 0.0)

    @property
    def strategy(self) -> Any:
        """The strategy, of the full game."""
        return self.found.strategy

    @cached_property
    def certificate(self) -> Certificate:
        """How good the strategy is in the full game, from rules and strategy alone.

        Of poker too large to list it is an estimate from a few flops; :func:`equipoise.certify` takes more.
        """
        if self.proof is not None:
            return self.proof
        return family(self.family).certify(self.rules, self.strategy, **self.found.checks)

    @property
    def value(self) -> float:
        """What player 1 earns."""
        return self.certificate.value

    @property
    def method(self) -> str:
        """How it was solved, as ``solve`` takes it."""
        return self.found.method

    @property
    def log(self) -> tuple[LogRow, ...]:
        """The measurements on the way."""
        return self.found.log

    def summary(self) -> dict[str, Any]:
        """Return what is worth keeping, ready for JSON.

        Bounds and gap are the certificate's; without one, the gap is the solver's, if it has measured any.
        """
        from equipoise.road.steps import peak_memory_mb

        known = {"gap": self.found.gap}
        if self.proof is not None or self.found.is_certified:
            known = family(self.family).figures(self.certificate)
        return {
            "game": self.spec,
            "family": self.family,
            "method": self.method,
            "status": self.status.value,
            **known,
            "iterations": self.found.iterations,
            "seconds": self.found.seconds,
            "cpu_seconds": self.found.cpu_seconds,
            "peak_memory_mb": peak_memory_mb(),
            "steps": [step._asdict() for step in self.steps],
            **self.found.details,
        }

    def save(self, path: str | Path) -> None:
        """Write the strategy, its log and the summary to one file, which :func:`equipoise.open` reads."""
        from equipoise import __version__
        from equipoise.solvers.log import log_array
        from equipoise.strategy.store import STRATEGY, save

        kind = family(self.family)
        arrays, own = kind.pack(self.strategy)
        if "fingerprint" not in own:
            # What says whose file this is, before it may be replaced.
            name, fingerprint = kind.identity(self.rules)
            own = {"game": name, "fingerprint": fingerprint, **own}
        if self.log:
            arrays = {**arrays, "log": log_array(self.log)}
        known: Mapping[str, Any] = {
            **self.summary(),
            "target": self.found.target,
            "why": self.found.why,
            "spec": self.spec,
            "seed": self.seed,
            "equipoise": __version__,
        }
        save(path, STRATEGY, arrays, {**known, **own})
