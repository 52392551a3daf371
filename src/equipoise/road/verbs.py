"""The verbs: load, abstract, solve, certify, open; the same for every family, and the same as the commands."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, require_path, require_type, short
from equipoise.games.base import in_words, load
from equipoise.road.checkpoints import Checkpoints, checkpoint_of, require_free, save_somewhere
from equipoise.road.families import Family, Found, Wish, family_of
from equipoise.road.families import family as family_called
from equipoise.road.result import Result
from equipoise.road.steps import Steps
from equipoise.solvers.driver import Gap, Monitor, Relative, Status, Stop

if TYPE_CHECKING:
    from equipoise.abstraction.base import Partition
    from equipoise.abstraction.street_buckets import StreetBuckets
    from equipoise.certificates import Certificate
    from equipoise.games.files.fields import Fields

__all__ = ["abstract", "certify", "load", "open", "solve"]

# A gap above its target by less than this part of what is at stake is above it by rounding alone, and meets it.
_ROUNDING = 1e-13
# What searches for equilibria of general games once called their ends.
_STATUS_BEFORE = {"equilibrium": Status.CONVERGED, "limit": Status.TIME_LIMIT}

Note = Callable[[str], None]
Show = Callable[[Stop], AbstractContextManager[Monitor | None]]


def abstract(
    game: Any,
    method: str = "gameshrink",
    buckets: str | Sequence[int] | None = None,
    *,
    refine: Partition | str | Path | None = None,
    **streamed: Any,
) -> Partition | StreetBuckets:
    """Return which signals of ``game`` are not told apart.

    Parameters
    ----------
    game
        A game with signals, or what :func:`load` makes one from.
    method
        A name of :data:`equipoise.road.abstractions.ABSTRACTIONS`, with options or without:
        ``"potential(distance=emd)"``.
    buckets
        For methods that lose something, how many buckets each round may have: ``"13-50-250"``.
    refine
        An abstraction, or its file, whose buckets are only divided further: what it tells apart stays apart.
    streamed
        For poker too large to list: ``seed``, ``device``, and ``each``, which is told the progress.
    """
    from equipoise.abstraction.base import Partition
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.road.abstractions import listed, made
    from equipoise.strategy.store import load_abstraction

    game = _loaded(game)
    if not isinstance(game, StageGame):
        raise EquipoiseError(
            f"abstract: {short(game)} has no signals, expected a game with signals."
        )
    require_type("abstract: the method", method, str, "its name")
    if isinstance(refine, str | Path):
        refine = listed(game, load_abstraction(refine))
    if refine is not None:
        require_type("refine", refine, Partition, "an abstraction or its file")
        refine.check(game)
    streamed |= {"seed": _seed(streamed["seed"])} if "seed" in streamed else {}
    return made(game, method, buckets, refine=refine, **streamed)


def certify(game: Any, strategy: Any, *, rigorous: bool = False, **options: Any) -> Certificate:
    """Return what ``strategy`` earns in ``game``, and what its best opponents could gain.

    Nothing but the rules and the strategy goes in. With ``rigorous`` the gains are upper bounds that
    hold despite rounding. Some families have more ``options``.
    """
    game = rules_of(game)
    kind = family_of(game)
    for name in options:
        if name not in kind.checks:
            expected = f"one of {', '.join(kind.checks)}" if kind.checks else "none"
            raise EquipoiseError(
                f"certify: found the option '{name}' for a {in_words(kind.name)}, expected {expected}."
            )
    options |= {"seed": _seed(options["seed"])} if "seed" in options else {}
    return kind.certify(game, strategy, rigorous=rigorous, **options)


def solve(
    game: Any,
    method: str | None = None,
    gap: float | str | Stop | None = None,
    *,
    iterations: float | None = None,
    time: float | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
    checkpoint: float = 30.0,
    family: str | None = None,
    spec: str | None = None,
    show: Show | None = None,
    note: Note | None = None,
    each: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Result:
    """Go the whole road: abstract, solve, lift, certify.

    Parameters
    ----------
    game
        A game, or what :func:`load` makes one from.
    method
        How to solve, by name; by default, what suits the game.
    gap
        What the players together may still gain: a number, or as in ``"1e-6r"`` parts of what is at
        stake. By default, what suits the game.
    iterations, time
        Limits, in iterations and seconds; a tree that takes longer to build than that is refused.
    seed
        For methods that draw at random.
    out, resume, force, checkpoint
        Where to save the result, and beside it a checkpoint about every so many seconds; whether to
        continue from one; whether to replace another game's file.
    family
        Solve it as a game of another family that it belongs to, too: a zero-sum tree is a general-sum one.
    spec
        What :func:`load` makes the game from, where ``game`` does not say: its file, for example.
    show, note, each
        How to show progress and say sentences, and how to count what is done of other long steps: what the
        command line passes. Nothing is said without them; ``note=print, each=print`` is enough to watch.
    options
        What the game's family knows (zero-sum: ``abstraction``, ``buckets``, ``actions``, ``stages``,
        ``model``, ``eliminate``; general-sum: ``weights``, ``breakpoints``, ``encoding``; bayesian: ``products``,
        ``propose``).
    """
    from equipoise.games.trees.growth import growth

    for what, name in ("out", out), ("spec", spec):
        if name is not None:
            require_path(what, name)
    require_type("method", method, (str, NoneType), "its name")
    require_type("checkpoint", checkpoint, Real, "a number of seconds")
    seed = _seed(seed)
    if isinstance(game, os.PathLike):
        game = os.fspath(game)
    limits = Stop(
        iterations=math.inf if iterations is None else iterations,
        seconds=math.inf if time is None else time,
    )
    steps, note = Steps(), note or (lambda sentence: None)
    with steps.take("load"), growth(seconds=limits.seconds):
        loaded = _loaded(game)
        if out is not None and family is not None:
            _require_kept(loaded, family, spec)
        rules = rules_of(loaded, family)
    kind = family_of(rules) if family is None else _as_another(rules, family)
    name, fingerprint = kind.identity(rules)
    spec = spec or (game if isinstance(game, str) else name)
    place = None if out is None else Path(out)
    target = target_rule(gap)
    if place is not None and resume:
        before = _finished(kind, loaded, spec, place, target, steps, note)
        if before is not None:
            return before
    if place is not None:
        require_free(place, name, fingerprint, force)
    wish = Wish(
        method=method,
        gap=target,
        limits=limits,
        seed=seed,
        options=options,
        note=note,
        checkpoints=None if place is None else Checkpoints(place, checkpoint, resume, note),
        steps=steps,
    )
    if show is not None:
        wish = replace(wish, show=show)
    if each is not None:
        wish = replace(wish, each=each)
    found = kind.solve(rules, wish)
    proof = None
    if found.is_certified:
        with steps.take("certify"):
            proof = kind.certify(rules, found.strategy, **found.checks)
    else:
        note(
            f"{_measured(found)}; it is not certified: 'equipoise certify' takes its time for that."
        )
    status = found.status if proof is None else _judge(found, proof)
    taken = tuple(steps.taken)
    result = Result(loaded, rules, spec, kind.name, found, status, proof, taken, seed)
    return result if place is None else _saved(result, place, steps, note)


def open(path: str | Path, game: Any = None) -> Result:
    """Return the result saved at ``path``; of ``game``, if the file it came from has moved."""
    from equipoise.games.files.fields import Fields
    from equipoise.solvers.log import log_rows
    from equipoise.strategy.store import load_solved, log_of, method_of, spec_of

    require_path("open", path)
    path = Path(path)
    bundle = load_solved(path)
    known = Fields(bundle.metadata, f"{path}: metadata")
    if game is None:
        spec = spec_of(path, bundle) or known.text("game")
    else:
        spec = game if isinstance(game, str) else known.text("game")
    loaded = _loaded(spec if game is None else game)
    rules = rules_of(loaded)
    kind = family_of(rules)
    strategy = kind.unpack(path, bundle, rules)
    log = tuple(log_rows(log_of(path, bundle))) if "log" in bundle.arrays else ()
    found = Found(
        strategy=strategy,
        target=_target(known),
        stake=0.0,
        method=method_of(known),
        why=known.text("why", "solved before"),
        status=_status(path, known.text("status", Status.CONVERGED.value)),
        iterations=known.whole("iterations", 0),
        seconds=known.number("seconds", 0.0),
        cpu_seconds=known.number("cpu_seconds", 0.0),
        log=log,
        checks=kind.usual_checks(rules),
    )
    seed = known.whole("seed", 0)
    return Result(loaded, rules, spec, kind.name, found, found.status, seed=seed, saved=path)


def rules_of(game: Any, family: str | None = None) -> Any:
    """Return the game that ``game`` is or names; as its tree, a matrix or a general game with signals.

    A ``family`` is named where it is to be solved as a game of another one than its own.
    """
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.signals.unroll import unroll
    from equipoise.games.trees.normal import NormalGame

    found = _loaded(game)
    if isinstance(found, StageGame) and "general-sum" in (found.family, family):
        return unroll(found)
    return found.tree if isinstance(found, NormalGame) else found


def _require_kept(game: Any, family: str, spec: str | None) -> None:
    """Raise where a file would hold a strategy of a tree that its game does not become when it is opened."""
    from equipoise.games.signals.stage_game import StageGame

    if isinstance(game, StageGame) and game.family != family:
        name = spec or game.name
        raise EquipoiseError(
            f"--out: found the game with signals '{name}', expected a tree or a matrix: "
            f"'equipoise convert {name} FILE.efg' makes one, or 'equipoise solve {name}'."
        )


def _seed(found: Any) -> int:
    """Return what all draws follow from, which must be a whole number from 0 up."""
    expected = "a whole number from 0 up"
    require_type("seed", found, Integral, expected)
    if found < 0:
        raise EquipoiseError(f"seed: found {short(found)}, expected {expected}.")
    return int(found)


def _loaded(game: Any) -> Any:
    """Return the game that ``game`` is or names."""
    return load(game) if isinstance(game, str | os.PathLike) else game


def _as_another(game: Any, family: str) -> Family:
    """Return the family called so, which ``game`` must belong to, too: trees are what they pay."""
    from equipoise.road.behavioural import Behavioural

    own, other = family_of(game), family_called(family)
    if own.name != other.name and not (
        isinstance(own, Behavioural) and isinstance(other, Behavioural)
    ):
        raise EquipoiseError(
            f"solve: found a {in_words(own.name)}, expected one that can be solved as a {in_words(other.name)}."
        )
    return other


def _target(known: Fields) -> float | tuple[float, ...]:
    """Return the target that a file names: for all players together, or one each."""
    if isinstance(known.data.get("target"), list):
        return tuple(known.numbers("target"))
    return known.number("target", 0.0)


def target_rule(gap: float | str | Stop | None, option: str = "--gap") -> Stop | None:
    """Return the rule that ``gap`` means: a number in the game's units, or one with an r."""
    if gap is None or isinstance(gap, Stop):
        return gap
    text = str(gap).strip().lower()
    try:
        return Relative(float(text[:-1])) if text.endswith("r") else Gap(float(text))
    except (ValueError, EquipoiseError):
        raise EquipoiseError(
            f"{option}: found {short(str(gap))}, expected a number >= 0 such as 0.01, or 1e-6r in parts of what "
            "is at stake."
        ) from None


def _measured(found: Found) -> str:
    """Say how far the measurements of a solve came."""
    if found.gap is None:
        return "There was no time to measure any strategy, and the one returned is only a beginning"
    return f"The strategy is the best that was measured, with a gap of {found.gap:.3g}"


def _judge(found: Found, proof: Certificate) -> Status:
    """Return the status: the certificate, not the solver, says whether the target is met."""
    if proof.meets(found.target, _ROUNDING * found.stake):
        return Status.CONVERGED
    return Status.UNCERTIFIED if found.status is Status.CONVERGED else found.status


def _saved(result: Result, place: Path, steps: Steps, note: Note) -> Result:
    """Save ``result`` at ``place``, or elsewhere if that fails; a solved game needs no checkpoint."""
    from equipoise.files import discard

    with steps.take("save"):
        saved = save_somewhere(place, result.save, note)
    if result.status is Status.CONVERGED and saved is not None:
        discard(checkpoint_of(place))
    return replace(result, saved=saved, steps=tuple(steps.taken))


def _finished(
    kind: Family, game: Any, spec: str, place: Path, target: Stop | None, steps: Steps, note: Note
) -> Result | None:
    """Return what is at ``place`` if there is nothing left to resume: it meets the target already.

    The certificate is computed anew, so that a game whose payoffs have changed is solved again.
    """
    if checkpoint_of(place).exists() or not place.exists():
        return None
    try:
        result = open(place, game)
        stake = kind.stake(result.rules)
        wanted = result.found.target if target is None else target.at(stake).gap
    except EquipoiseError:
        return None  # Whether it may be replaced is another question, asked before it is.
    if getattr(result.strategy, "is_abstract", False):
        return None  # Its target was one in a model, of which a certificate in the full game says nothing.
    with steps.take("certify"):
        proof = result.certificate
    if not proof.meets(wanted, _ROUNDING * stake):
        return None
    note(f"{place}: this solve is finished, its strategy meets the target of {_text(wanted)}.")
    found = replace(result.found, target=wanted)
    return replace(
        result,
        spec=spec,
        found=found,
        status=Status.CONVERGED,
        proof=proof,
        steps=tuple(steps.taken),
    )


def _text(target: float | tuple[float, ...]) -> str:
    """Return a target in words."""
    each = target if isinstance(target, tuple) else (target,)
    return ", ".join(f"{number:.3g}" for number in each)


def _status(path: Path, text: str) -> Status:
    """Return the status that the file at ``path`` names."""
    try:
        return _STATUS_BEFORE.get(text) or Status(text)
    except ValueError:
        known = ", ".join(status.value for status in Status)
        raise EquipoiseError(
            f"{path}: status: found '{text:.40}', expected one of {known}."
        ) from None
