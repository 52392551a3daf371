"""The road of a solve: load, abstract, build, solve, lift, certify, save."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.cli.info import by_round
from equipoise.cli.output import note
from equipoise.cli.steps import Steps, peak_memory_mb
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.abstraction.dominated import Survivors
    from equipoise.certificates import Certificate
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.sequence.build import SequenceForm
    from equipoise.sequence.reductions.restrict import Restricted
    from equipoise.solvers.base import Method, Solution
    from equipoise.solvers.driver import Row, Status, Stop
    from equipoise.strategy.profile import Strategy

# What both players together may gain by default, in parts of what is at stake: in a tree, and in a game
# with signals. In the user's units it is rounded down to a power of ten (Rhode Island: 0.1 chips).
_TREE_GAP, _SIGNALS_GAP = 1e-6, 1e-5

# A gap above its target by less than this part of what is at stake is above it by rounding alone.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    spec: str
    abstraction: Path | None
    method: str | None
    eliminate: bool
    algorithm: str | None
    gap: Stop | None
    limits: Stop
    seed: int
    out: Path
    resume: bool
    checkpoint_seconds: float
    force: bool
    is_shown: bool


@dataclass(frozen=True, eq=False)
class Found:
    """What was found: a strategy of the full game, and how; the solver's own plans are let go."""

    model: dict[str, Any]
    strategy: Strategy
    target: float
    stake: float
    algorithm: str
    why: str
    status: Status
    iterations: int
    seconds: float
    cpu_seconds: float
    log: tuple[Row, ...]


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a request; the status is what the certificate says.

    ``saved`` is where the strategy is: at the place asked for, elsewhere, or nowhere.
    """

    game: ExtensiveGame | StageGame
    found: Found
    proof: Certificate
    status: Status
    steps: Steps
    saved: Path | None = None


def run(request: Request) -> Result:
    """Go the whole road and measure each step."""
    from equipoise import certify
    from equipoise.cli.checkpoints import checkpoint_of, save_somewhere
    from equipoise.cli.loading import load_game
    from equipoise.files import discard
    from equipoise.solvers.driver import Status

    steps = Steps()
    with steps.take("load"):
        game = load_game(request.spec)
    before = _finished(request, game, steps) if request.resume else None
    if before is not None:
        return before
    found = _find(request, game, steps)
    with steps.take("certify"):
        proof = certify(game, found.strategy)
    # The certificate, not the solver, says whether the target is met.
    status = found.status
    if proof.gap <= found.target:
        status = Status.CONVERGED
    elif status is Status.CONVERGED:
        is_rounding = proof.gap <= found.target + _ROUNDING * found.stake
        status = Status.EXHAUSTED if is_rounding else Status.UNCERTIFIED
    result = Result(game, found, proof, status, steps)
    with steps.take("save"):
        saved = save_somewhere(request.out, lambda place: _save(place, request, result))
    if status is Status.CONVERGED and saved is not None:
        discard(checkpoint_of(request.out))
    return replace(result, saved=saved)


def _finished(request: Request, game: ExtensiveGame | StageGame, steps: Steps) -> Result | None:
    """Return what is at ``--out`` if there is nothing left to resume: it meets the target already.

    The certificate is computed anew, so that a game whose payoffs have changed is solved again.
    """
    from equipoise import certify
    from equipoise.cli.checkpoints import checkpoint_of
    from equipoise.cli.loading import load_strategy, require_strategy_of
    from equipoise.games.files.fields import Fields
    from equipoise.sequence.build import units_of
    from equipoise.solvers.driver import Status, log_rows
    from equipoise.strategy.store import log_of

    if checkpoint_of(request.out).exists() or not request.out.exists():
        return None
    try:
        strategy, bundle = load_strategy(request.out)
        require_strategy_of(request.out, strategy, game)
        known = Fields(bundle.metadata, "")
        stake = units_of(game).stake
        target = known.number("target") if request.gap is None else request.gap.at(stake).gap
        found = Found(
            model={},
            strategy=strategy,
            target=target,
            stake=stake,
            algorithm=known.text("algorithm"),
            why="solved before",
            status=Status.CONVERGED,
            iterations=known.whole("iterations"),
            seconds=known.number("seconds"),
            cpu_seconds=known.number("cpu_seconds"),
            log=tuple(log_rows(log_of(request.out, bundle))),
        )
    except EquipoiseError:
        return None  # Whether it may be replaced is another question, asked before it is.
    with steps.take("certify"):
        proof = certify(game, strategy)
    if not proof.gap <= target:
        return None
    note(f"{request.out}: this solve is finished, its strategy meets the target of {target:.3g}.")
    return Result(game, found, proof, Status.CONVERGED, steps, request.out)


def _find(request: Request, game: ExtensiveGame | StageGame, steps: Steps) -> Found:
    """Abstract, build, solve and lift."""
    from equipoise.cli.checkpoints import require_free
    from equipoise.sequence.build import build
    from equipoise.strategy.lift import lift

    coarse = _abstract(request, game, steps)
    with steps.take("build"):
        form = build(game, coarse)
    # What is saved is a strategy of the full game, whatever model of it is solved.
    require_free(request.out, form.name, form.fingerprint.partition("/")[0], request.force)
    stop = (request.limits | (request.gap or default_gap(form))).at(form.units.stake)
    left = _eliminate(game, coarse, steps) if request.eliminate else None
    with steps.take("solve"):
        small = None if left is None else _restrict(form, left)
        solution, method, why = _solve(request, form, small, stop)
    # Kept as precise as it was solved: in single precision a file is half as large.
    strategy = solution.strategy.astype(getattr(method, "dtype", "float64"))
    if coarse is not None:
        with steps.take("lift"):
            strategy = lift(strategy, coarse)
    return Found(
        model={
            **({} if coarse is None else _buckets(coarse)),
            **({} if left is None else _undominated(left)),
        },
        strategy=strategy,
        target=stop.gap,
        stake=form.units.stake,
        algorithm=solution.method,
        why=why,
        status=solution.status,
        iterations=solution.iterations,
        seconds=solution.seconds,
        cpu_seconds=solution.cpu_seconds,
        log=solution.log,
    )


def _abstract(
    request: Request, game: ExtensiveGame | StageGame, steps: Steps
) -> Abstraction | None:
    """Return the abstraction to solve a game with signals through; a tree has none."""
    from equipoise.cli.abstract import abstract
    from equipoise.games.signals.stage_game import StageGame

    if isinstance(game, StageGame):
        with steps.take("abstract"):
            return abstract(game, request.method, request.abstraction)
    if request.method is not None or request.abstraction is not None:
        raise EquipoiseError(
            f"--method, --abstraction: '{game.name}' has no signals, expected a game with some."
        )
    return None


def _eliminate(
    game: ExtensiveGame | StageGame, coarse: Abstraction | None, steps: Steps
) -> Survivors:
    """Return the actions that are left when dominated ones are eliminated."""
    from equipoise.abstraction.base import coarsen
    from equipoise.abstraction.dominated import eliminate
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.signals.views import signal_rounds

    if not isinstance(game, StageGame):
        raise EquipoiseError(
            f"--eliminate: '{game.name}' has no signals, expected a game with some."
        )
    with steps.take("eliminate"):
        rounds = signal_rounds(game)
        return eliminate(game.tree, rounds if coarse is None else coarsen(rounds, coarse))


def _restrict(form: SequenceForm, left: Survivors) -> Restricted:
    from equipoise.sequence.reductions.restrict import restrict

    return restrict(form, left.sequences(0), left.sequences(1))


def default_gap(form: SequenceForm) -> Stop:
    """Return the target for a user who names none."""
    from equipoise.solvers.driver import Gap

    share = (_TREE_GAP if form.tree is None else _SIGNALS_GAP) * form.units.stake
    return Gap(10.0 ** math.floor(math.log10(share)) if share > 0 else 0.0)


def _solve(
    request: Request, form: SequenceForm, small: Restricted | None, stop: Stop
) -> tuple[Solution, Method, str]:
    """Run the solve loop under a live display, with checkpoints, from the beginning or from one.

    Return the method, too, and why it was chosen. It runs on ``small``, if there is one.
    """
    from equipoise.cli.checkpoints import checkpoint_of, identity, require_same, saver
    from equipoise.cli.progress import live
    from equipoise.games.files.fields import Fields
    from equipoise.solvers.base import solve
    from equipoise.solvers.saddle.reduced import Shrinking
    from equipoise.strategy.store import CHECKPOINT, load

    place = checkpoint_of(request.out)
    checkpoint = load(place, CHECKPOINT) if request.resume and place.exists() else None
    if request.resume and checkpoint is None:
        note(f"{place}: no such checkpoint, starting from the beginning.")
    elif not request.resume and place.exists():
        note(f"{place}: an unfinished solve, which this one replaces; --resume would continue it.")
    before = Fields({} if checkpoint is None else checkpoint.metadata, str(place))
    algorithm = request.algorithm or before.text("algorithm", "auto")
    # A resumed solve goes on as it began, though its target may be another now.
    target = before.number("target", stop.gap)
    method, why = choose(algorithm, form if small is None else small.form, target)
    if small is not None:
        method = Shrinking(method, small)
    own = {**identity(form, algorithm, method, request.seed), "target": target}
    if checkpoint is not None:
        require_same(place, checkpoint, own, form)
    with live(stop, request.is_shown) as monitor:
        try:
            solution = solve(
                form,
                method,
                stop,
                seed=request.seed,
                monitor=monitor,
                checkpoint=saver(place, own),
                checkpoint_seconds=request.checkpoint_seconds,
                resume=None if checkpoint is None else checkpoint.arrays,
            )
        except ArithmeticError as error:
            if checkpoint is None:
                raise
            raise EquipoiseError(
                f"{place}: found numbers that no solve ends in ({error}), expected a checkpoint as "
                "it was written: solve without --resume to start anew."
            ) from None
    return solution, method, why


def choose(algorithm: str, form: SequenceForm, target: float) -> tuple[Method, str]:
    """Return the method that ``algorithm`` names, and why it is used."""
    from equipoise.solvers import auto
    from equipoise.solvers.methods import method

    if algorithm == "auto":
        return auto.choose(form, target)
    return method(algorithm), "as asked for"


def summary(request: Request, result: Result) -> dict[str, Any]:
    """Return what is worth keeping about a solve; the bounds and the gap are the certificate's."""
    found, proof = result.found, result.proof
    return {
        "game": request.spec,
        "algorithm": found.algorithm,
        "status": result.status.value,
        "value": proof.value,
        "lower": proof.value - proof.gains[1],
        "upper": proof.best_responses[0],
        "gap": proof.gap,
        "iterations": found.iterations,
        "seconds": found.seconds,
        "cpu_seconds": found.cpu_seconds,
        "peak_memory_mb": peak_memory_mb(),
        "steps": [step._asdict() for step in result.steps.taken],
        **found.model,
    }


def _buckets(coarse: Abstraction) -> dict[str, Any]:
    """Return what the summary says of an abstraction."""
    return {"abstraction": coarse.method, "buckets": by_round(coarse.buckets)}


def _undominated(left: Survivors) -> dict[str, Any]:
    """Return what the summary says of an elimination: the linear program over what is left."""
    rows, columns = left.program_size()
    return {"undominated": {"rows": rows, "columns": columns}}


def _save(place: Path, request: Request, result: Result) -> None:
    """Write the strategy, its log and its summary."""
    from equipoise import __version__
    from equipoise.solvers.driver import log_array
    from equipoise.strategy.store import save_strategy

    save_strategy(
        place,
        result.found.strategy,
        log=log_array(result.found.log),
        metadata={
            **summary(request, result),
            "target": result.found.target,
            "spec": request.spec,
            "seed": request.seed,
            "equipoise": __version__,
        },
    )
