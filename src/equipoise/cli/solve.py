"""``equipoise solve``: rules in, a certified strategy out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.info import by_round
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.cli.steps import Steps, peak_memory_mb
from equipoise.errors import EquipoiseError
from equipoise.games.base import GAMES
from equipoise.solve.methods import AUTO, METHODS

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.certify import Certificate
    from equipoise.games.extensive import ExtensiveGame
    from equipoise.games.ordered import StageGame
    from equipoise.sequence.build import SequenceForm
    from equipoise.solve.base import Method, Solution, Status, Stop
    from equipoise.strategy.profile import Strategy

CONVERGED, STOPPED_SHORT, INTERRUPTED = 0, 1, 130

EPILOG = "\n".join(
    [
        "Algorithms:\n",
        f"- **auto**, the default: {AUTO}",
        *(f"- **{name}**: {row.why}" for name, row in METHODS.items()),
        "\nGames:\n",
        *(f"- **{name}**: {entry.description}" for name, entry in GAMES.items()),
    ]
)

_PREVIEW = 10

# What both players together may gain by default: in a tree, and relative to what is at stake in a
# game with signals, where it is rounded down to a power of ten (Rhode Island hold'em: 0.1 chips).
_TREE_GAP, _RELATIVE_GAP = 1e-6, 1e-5


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    spec: str
    abstraction: Path | None
    method: str | None
    algorithm: str | None
    gap: float | None
    limits: Stop
    seed: int
    out: Path
    resume: bool
    checkpoint_seconds: float
    force: bool
    is_shown: bool


@dataclass(frozen=True, eq=False)
class Result:
    """What came of it; ``strategy`` is the solution's, in the full game."""

    game: ExtensiveGame | StageGame
    coarse: Abstraction | None
    solution: Solution
    why: str
    strategy: Strategy
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
        float | None,
        typer.Option(
            help="Stop when both players together could gain no more than this.",
            show_default="1e-6; with signals, some 100,000th of what is at stake: 0.1 chips in "
            "Rhode Island",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="How to abstract a game with signals: gameshrink, histogram or suits, as in "
            "'equipoise abstract', or none.",
            show_default="gameshrink",
        ),
    ] = None,
    abstraction: Annotated[
        Path | None, typer.Option(help="Use this abstraction, as 'equipoise abstract' writes it.")
    ] = None,
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
    """Solve a game, certify what was found in the full game, and save it.

    A game with signals is abstracted before it is solved, and the solution lifted back.
    """
    from equipoise.cli.checkpoints import default_file
    from equipoise.solve.base import Status, Stop

    if not checkpoint >= 0:
        raise EquipoiseError(f"--checkpoint: found {checkpoint}, expected a number >= 0.")
    request = Request(
        spec=game,
        abstraction=abstraction,
        method=method,
        algorithm=algorithm,
        gap=gap,
        limits=Stop(
            gap=gap or 0.0,
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
    """Load, abstract, build, solve, lift, certify and save, in that order."""
    from equipoise import certify
    from equipoise.cli.checkpoints import checkpoint_of, require_free
    from equipoise.cli.loading import load_game
    from equipoise.sequence.build import build
    from equipoise.solve.base import Status
    from equipoise.strategy.lift import lift

    steps = Steps()
    with steps.take("load"):
        game = load_game(request.spec)
    coarse = _abstract(request, game, steps)
    with steps.take("build"):
        form = build(game, coarse)
    # What is saved is a strategy of the full game, whatever model of it is solved.
    require_free(request.out, form.name, form.fingerprint.partition("/")[0], request.force)
    stop = replace(request.limits, gap=default_gap(form) if request.gap is None else request.gap)
    with steps.take("solve"):
        solution, method, why = _solve(request, form, stop)
    # Kept as precise as it was solved: in single precision a file is half as large.
    strategy = solution.strategy.astype(getattr(method, "dtype", "float64"))
    if coarse is not None:
        with steps.take("lift"):
            strategy = lift(strategy, coarse)
    with steps.take("certify"):
        proof = certify.gap(game, strategy)
    # The certificate, not the solver, says whether the target is met.
    status = solution.status
    if proof.gap <= stop.gap:
        status = Status.CONVERGED
    elif status is Status.CONVERGED:
        status = Status.UNCERTIFIED
    result = Result(game, coarse, solution, why, strategy, proof, status, steps)
    with steps.take("save"):
        _save(request, result)
    if status is Status.CONVERGED:
        checkpoint_of(request.out).unlink(missing_ok=True)
    return result


def _abstract(
    request: Request, game: ExtensiveGame | StageGame, steps: Steps
) -> Abstraction | None:
    """Return the abstraction to solve a game with signals through; a tree has none."""
    from equipoise.cli.abstract import abstract
    from equipoise.games.ordered import StageGame

    if isinstance(game, StageGame):
        with steps.take("abstract"):
            return abstract(game, request.method, request.abstraction)
    if request.method is not None or request.abstraction is not None:
        raise EquipoiseError(
            f"--method, --abstraction: '{game.name}' has no signals, expected a game with some."
        )
    return None


def default_gap(form: SequenceForm) -> float:
    """Return the target for a user who names none."""
    from equipoise.solve.auto import stake

    if form.tree is None:
        return _TREE_GAP
    return float(10.0 ** math.floor(math.log10(_RELATIVE_GAP * stake(form.tree))))


def _solve(request: Request, form: SequenceForm, stop: Stop) -> tuple[Solution, Method, str]:
    """Run the solve loop under a live display, with checkpoints, from the beginning or from one.

    Return the method, too, and why it was chosen.
    """
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
    before = {} if checkpoint is None else checkpoint.metadata
    algorithm = request.algorithm or str(before.get("algorithm", "auto"))
    # A resumed solve goes on as it began, though its target may be another now.
    target = float(before.get("target", stop.gap))
    method, why = choose(algorithm, form, target)
    own = {**identity(form, algorithm, method, request.seed), "target": target}
    if checkpoint is not None:
        require_same(place, checkpoint, own, form)
    with live(stop, request.is_shown) as monitor:
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
    return solution, method, why


def choose(algorithm: str, form: SequenceForm, target: float) -> tuple[Method, str]:
    """Return the method that ``algorithm`` names, and why it is used."""
    from equipoise.solve import auto
    from equipoise.solve.methods import method

    if algorithm == "auto":
        return auto.choose(form, target)
    return method(algorithm), "as asked for"


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
        "steps": [step._asdict() for step in result.steps.taken],
        **({} if result.coarse is None else _buckets(result.coarse)),
    }


def _buckets(coarse: Abstraction) -> dict[str, Any]:
    """Return what the summary says of an abstraction."""
    return {"abstraction": coarse.method, "buckets": by_round(coarse.buckets)}


def _save(request: Request, result: Result) -> None:
    """Write the strategy, its log and its summary."""
    from equipoise import __version__
    from equipoise.solve.base import log_array
    from equipoise.strategy.store import save_strategy

    save_strategy(
        request.out,
        result.strategy,
        log=log_array(result.solution.log),
        metadata={
            **summary(request, result),
            "spec": request.spec,
            "seed": request.seed,
            "equipoise": __version__,
        },
    )


def _print(request: Request, result: Result) -> None:
    """Print the summary, where time and memory went, and the first lines of the strategy."""
    from equipoise.cli.show import print_decisions
    from equipoise.strategy.table import decisions, infosets

    facts = summary(request, result)
    print_facts(
        {
            "game": facts["game"],
            "status": f"{facts['status']} ({result.status.remedy})",
            "value": f"{number(facts['value'])} to player 1",
            "bounds": f"{number(facts['lower'])} to {number(facts['upper'])}",
            "gap": f"{facts['gap']:.3g} (certified in the full game)",
            "algorithm": f"{facts['algorithm']}, {number(facts['iterations'])} iterations",
            "because": result.why,
            **({} if result.coarse is None else {"buckets": _text(facts["buckets"])}),
            "strategy": str(request.out),
        }
    )
    header = ("step", "time", "CPU time", "peak memory")
    rows = [
        (name, duration(wall), duration(cpu), f"{memory:.0f} MB")
        for name, wall, cpu, memory in result.steps.taken
    ]
    print_table(header, rows)
    print_decisions(islice(decisions(result.game, result.strategy), _PREVIEW))
    left = infosets(result.game) - _PREVIEW
    if left > 0:
        note(f"{left:,} more information sets: equipoise show {request.out}")


def _text(buckets: Sequence[Any]) -> str:
    return " / ".join(str(count) for count in buckets)
