"""``equipoise solve``: rules in, a certified strategy out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, note, number, print_facts, print_json
from equipoise.cli.steps import Steps, peak_memory_mb
from equipoise.errors import EquipoiseError
from equipoise.games.base import GAMES
from equipoise.solve.methods import METHODS

if TYPE_CHECKING:
    from equipoise.certify import Certificate
    from equipoise.games.extensive import ExtensiveGame
    from equipoise.sequence.build import SequenceForm
    from equipoise.solve.base import Method, Solution, Status, Stop

CONVERGED, STOPPED_SHORT, INTERRUPTED = 0, 1, 130

EPILOG = "\n".join(
    [
        "Algorithms:\n",
        *(f"- **{name}**: {row.why}" for name, row in METHODS.items()),
        "\nGames:\n",
        *(f"- **{name}**: {entry.description}" for name, entry in GAMES.items()),
    ]
)

_PREVIEW = 10


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    spec: str
    algorithm: str | None
    stop: Stop
    seed: int
    out: Path
    resume: bool
    checkpoint_seconds: float
    force: bool
    is_shown: bool


@dataclass(frozen=True, eq=False)
class Result:
    """What came of it."""

    game: ExtensiveGame
    solution: Solution
    proof: Certificate
    status: Status
    steps: Steps


def command(
    game: options.Game,
    algorithm: Annotated[
        str | None,
        typer.Option(help="How to solve: auto or one of those below.", show_default="auto"),
    ] = None,
    gap: Annotated[
        float, typer.Option(help="Stop when both players together could gain no more than this.")
    ] = 1e-6,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    time: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to save the strategy.", show_default="GAME.eqp")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint beside --out, if any.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="For methods that draw at random.")] = 0,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Solve a game, certify what was found, and save it."""
    from equipoise.cli.checkpoints import default_file
    from equipoise.solve.base import Status, Stop

    if not checkpoint >= 0:
        raise EquipoiseError(f"--checkpoint: found {checkpoint}, expected a number >= 0.")
    request = Request(
        spec=game,
        algorithm=algorithm,
        stop=Stop(
            gap=gap,
            iterations=math.inf if iterations is None else iterations,
            seconds=math.inf if time is None else time,
        ),
        seed=seed,
        out=out or default_file(game),
        resume=resume,
        checkpoint_seconds=checkpoint,
        force=force,
        is_shown=not json,
    )
    result = run(request)
    if json:
        print_json({**summary(request, result), "strategy": str(request.out)})
    else:
        _print(request, result)
    if result.status is Status.CONVERGED:
        return CONVERGED
    return INTERRUPTED if result.status is Status.INTERRUPTED else STOPPED_SHORT


def run(request: Request) -> Result:
    """Load, build, solve, certify and save, in that order."""
    from equipoise import certify
    from equipoise.cli.checkpoints import checkpoint_of, require_free
    from equipoise.cli.loading import load_tree
    from equipoise.sequence.build import build
    from equipoise.solve.base import Status

    steps = Steps()
    with steps.take("load"):
        game = load_tree(request.spec)
    with steps.take("build"):
        form = build(game)
    require_free(request.out, form, request.force)
    with steps.take("solve"):
        solution = _solve(request, form)
    with steps.take("certify"):
        proof = certify.gap(game, solution.strategy)
    # The certificate, not the solver, says whether the target is met.
    status = solution.status
    if proof.gap <= request.stop.gap:
        status = Status.CONVERGED
    elif status is Status.CONVERGED:
        status = Status.UNCERTIFIED
    result = Result(game, solution, proof, status, steps)
    with steps.take("save"):
        _save(request, result)
    if status is Status.CONVERGED:
        checkpoint_of(request.out).unlink(missing_ok=True)
    return result


def _solve(request: Request, form: SequenceForm) -> Solution:
    """Run the solve loop under a live display, with checkpoints, from the beginning or from one."""
    from equipoise.cli.checkpoints import checkpoint_of, identity, require_same, saver
    from equipoise.cli.progress import live
    from equipoise.solve.base import solve
    from equipoise.strategy.store import CHECKPOINT, load

    place = checkpoint_of(request.out)
    checkpoint = load(place, CHECKPOINT) if request.resume and place.exists() else None
    if request.resume and checkpoint is None:
        note(f"{place}: no such checkpoint, starting from the beginning.")
    elif not request.resume and place.exists():
        note(f"{place}: an unfinished solve, which this one replaces; --resume would continue it.")
    before = None if checkpoint is None else checkpoint.metadata.get("algorithm")
    algorithm = request.algorithm or str(before or "auto")
    method = choose(algorithm, form)
    own = identity(form, algorithm, method, request.seed)
    if checkpoint is not None:
        require_same(place, checkpoint, own, form)
    with live(request.stop, request.is_shown) as monitor:
        return solve(
            form,
            method,
            request.stop,
            seed=request.seed,
            monitor=monitor,
            checkpoint=saver(place, own),
            checkpoint_seconds=request.checkpoint_seconds,
            resume=None if checkpoint is None else checkpoint.arrays,
        )


def choose(algorithm: str, form: SequenceForm) -> Method:
    """Return the method that ``algorithm`` names."""
    from equipoise.solve.methods import method

    return method(algorithm if algorithm != "auto" else "lp")


def summary(request: Request, result: Result) -> dict[str, Any]:
    """Return what is worth keeping about a solve; the bounds and the gap are the certificate's."""
    solution, proof = result.solution, result.proof
    return {
        "game": request.spec,
        "algorithm": solution.method,
        "status": result.status.value,
        "value": proof.value,
        "lower": -proof.best_responses[1],
        "upper": proof.best_responses[0],
        "gap": proof.gap,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "cpu_seconds": solution.cpu_seconds,
        "peak_memory_mb": peak_memory_mb(),
    }


def _save(request: Request, result: Result) -> None:
    """Write the strategy, its log and its summary."""
    from equipoise import __version__
    from equipoise.solve.base import log_array
    from equipoise.strategy.store import save_strategy

    save_strategy(
        request.out,
        result.solution.strategy,
        log=log_array(result.solution.log),
        metadata={
            **summary(request, result),
            "spec": request.spec,
            "seed": request.seed,
            "equipoise": __version__,
        },
    )


def _print(request: Request, result: Result) -> None:
    """Print the summary and the first lines of the strategy."""
    from equipoise.cli.show import print_decisions
    from equipoise.strategy.table import decisions

    facts = summary(request, result)
    print_facts(
        {
            "game": facts["game"],
            "status": f"{facts['status']} ({result.status.remedy})",
            "value": f"{number(facts['value'])} to player 1",
            "bounds": f"{number(facts['lower'])} to {number(facts['upper'])}",
            "gap": f"{facts['gap']:.3g} (certified in the full game)",
            "algorithm": f"{facts['algorithm']}, {number(facts['iterations'])} iterations",
            "time": ", ".join(f"{s.name} {duration(s.seconds)}" for s in result.steps.taken),
            "memory": f"{facts['peak_memory_mb']:.0f} MB at most",
            "strategy": str(request.out),
        }
    )
    lines = list(decisions(result.game, result.solution.strategy))
    print_decisions(lines[:_PREVIEW])
    if len(lines) > _PREVIEW:
        note(f"{len(lines) - _PREVIEW:,} more information sets: equipoise show {request.out}")
