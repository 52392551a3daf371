"""``equipoise tournament``: jam/fold equilibria of whole tournaments, checked ex post."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.icm import numbers, whole_numbers
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.certificates.tournament import TournamentCertificate
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.solvers.driver import Arrays, Monitor, Progress, Stop
    from equipoise.solvers.stochastic.jamfold import Floats
    from equipoise.solvers.stochastic.tournament import TournamentSolution

CONVERGED, STOPPED_SHORT, INTERRUPTED = 0, 1, 130

# The tournament of Ganzfried and Sandholm 2008.
_PLAYERS, _CHIPS, _PRIZES = 3, 13_500, (50.0, 30.0, 20.0)

EPILOG = """Algorithms, outside and inside:\n
- **pi-fp**, the default: policy iteration over equilibria of single hands; the fastest
- **vi-fp**: value iteration over equilibria of single hands; the first published, it can converge to
  what is no equilibrium
- **fp-pi**: fictitious play over best responses to the whole tournament, by policy iteration
- **fp-vi**: the same by value iteration from pessimistic values"""


def command(
    players: Annotated[
        int | None,
        typer.Option(help="Two or three.", show_default="as many as --stacks names, or 3"),
    ] = None,
    chips: Annotated[
        int | None,
        typer.Option(help="All chips in play.", show_default="the sum of --stacks, or 13500"),
    ] = None,
    blinds: Annotated[str, typer.Option(help="Small and big blind.")] = "300/600",
    prizes: Annotated[
        str | None,
        typer.Option(
            help="Prizes from the first place on.", show_default="50/30/20; 50/30 for two players"
        ),
    ] = None,
    ante: Annotated[int, typer.Option(help="What everybody posts.")] = 0,
    unit: Annotated[
        int | None,
        typer.Option(
            help="Stacks are multiples of this.", show_default="what divides blinds and ante"
        ),
    ] = None,
    stacks: Annotated[
        str | None,
        typer.Option(
            help="Show this state: chips by position, those who act first first.",
            show_default="equal stacks",
        ),
    ] = None,
    algorithm: Annotated[str, typer.Option(help="One of those below.")] = "pi-fp",
    inner: Annotated[
        str, typer.Option(help="How to solve a hand: regret (fast) or fictitious play.")
    ] = "regret",
    gain: Annotated[
        float | None,
        typer.Option(
            help="Stop when no player can gain more than this, in money, at any state.",
            show_default="1/100,000 of the prizes",
        ),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many outer ones.")] = None,
    time: Annotated[
        float | None,
        typer.Option(
            help="Stop after this many seconds; what was measured is certified after that."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to save the strategy.", show_default="tournament-CHIPS.eqp"),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(help="Name of the charts without ending; none are drawn without it."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint beside --out, if any.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Solve a jam/fold tournament, and check what any player could gain by deviating for ever.

    Every state is solved: all stacks, all positions, with all players left and with fewer.
    """
    from equipoise.certificates.tournament import certify_tournament
    from equipoise.files import discard, require_plots
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.checkpoints import checkpoint_of, save_somewhere
    from equipoise.solvers.driver import Status, Stop
    from equipoise.solvers.stochastic.tournament import GAIN

    small_big = whole_numbers("--blinds", blinds)
    if len(small_big) != 2:
        raise EquipoiseError(f"--blinds: found '{blinds}', expected a small and a big one.")
    given = None if stacks is None else whole_numbers("--stacks", stacks)
    if players is None:
        players = _PLAYERS if given is None else len(given)
    if chips is None:
        chips = _CHIPS if given is None else sum(given)
    rules = Tournament(
        players=players,
        chips=chips,
        blinds=(small_big[0], small_big[1]),
        prizes=_PRIZES[:players] if prizes is None else tuple(numbers("--prizes", prizes)),
        ante=ante,
        unit=unit or 0,
    )
    shown = _shown(rules, given)
    out = out or Path(f"tournament-{chips}.eqp")
    _require_free(out, rules, force)
    if plots is not None:
        require_plots(plots, "-ranges.html", "-ranges.png")
    stop = Stop(
        gap=GAIN * rules.pool if gain is None else gain,
        iterations=math.inf if iterations is None else iterations,
        seconds=math.inf if time is None else time,
    )
    solution = _solve(rules, algorithm, inner, stop, out, resume, None if json else _report)
    # What there was no time to measure is not measured here either: that takes as long.
    is_certified = solution.status is not Status.INTERRUPTED and math.isfinite(solution.gain)
    proof = certify_tournament(solution.strategy) if is_certified else None
    # The certificate, not the solver, says whether the target is met.
    if proof is not None and proof.gain <= stop.gap:
        solution = replace(solution, status=Status.CONVERGED)
    elif solution.status is Status.CONVERGED:
        solution = replace(solution, status=Status.UNCERTIFIED)
    saved = save_somewhere(out, lambda place: _save(place, solution, proof, inner), note)
    if saved is not None and solution.status is Status.CONVERGED:
        discard(checkpoint_of(out))
    files = [] if saved is None else [saved]
    if plots is not None:
        from equipoise.plots.tournament import draw

        files += draw(plots, solution.strategy, solution.values, shown)
    fields = _fields(solution, proof, shown, files)
    if json:
        print_json(fields)
    else:
        _print(fields, solution)
    if solution.status is Status.CONVERGED and saved == out:
        return CONVERGED
    return INTERRUPTED if solution.status is Status.INTERRUPTED else STOPPED_SHORT


def _shown(rules: Tournament, stacks: list[int] | None) -> tuple[int, ...]:
    """Return the stacks to report, in chips: those asked for, or equal ones as far as units allow."""
    if stacks is None:
        shown = [rules.unit * stack for stack in rules.equal_stacks]
    else:
        shown = stacks
    rules.state(shown)
    return tuple(shown)


def _require_free(out: Path, rules: Tournament, force: bool) -> None:
    """Raise if saving at ``out`` would destroy something else."""
    from equipoise.files import require_writable
    from equipoise.strategy.tournament import load_tournament

    require_writable(out)
    if force or not out.exists():
        return
    advice = "name another --out, or add --force to replace it"
    try:
        held, _ = load_tournament(out)
    except EquipoiseError:
        raise EquipoiseError(
            f"{out}: found a file that is no tournament's strategy, expected a free name: {advice}."
        ) from None
    if held.tournament != rules:
        raise EquipoiseError(
            f"{out}: found the strategy of another tournament, expected a free name: {advice}."
        )


def _solve(
    rules: Tournament,
    algorithm: str,
    inner: str,
    stop: Stop,
    out: Path,
    resume: bool,
    monitor: Monitor | None,
) -> TournamentSolution:
    """Solve, with a checkpoint beside ``out`` while it is short of its target."""
    from equipoise.bundle import load
    from equipoise.games.files.tournament import rules_of
    from equipoise.road.checkpoints import Checkpoints, checkpoint_of
    from equipoise.solvers.stochastic.tournament import solve_tournament
    from equipoise.strategy.store import CHECKPOINT

    path = checkpoint_of(out)
    own = {"tournament": rules_of(rules), "algorithm": algorithm, "inner": inner}
    start: Arrays | None = None
    if resume and path.exists():
        held = load(path, CHECKPOINT)
        for name, expected in own.items():
            if held.metadata.get(name) != expected:
                raise EquipoiseError(
                    f"{path}: found a solve with {name} {held.metadata.get(name)}, expected "
                    f"{expected}: solve without --resume to start anew."
                )
        start = held.arrays
    before = _finished(out, stop) if resume and start is None and out.exists() else None
    return before or solve_tournament(
        rules,
        algorithm,
        stop,
        inner=inner,
        monitor=monitor,
        checkpoint=Checkpoints(out, note=note).saver(own),
        resume=start,
    )


def _finished(out: Path, stop: Stop) -> TournamentSolution | None:
    """Return the strategy at ``out`` if it meets the target: there is nothing left to resume."""
    from equipoise.certificates.tournament import certify_tournament
    from equipoise.solvers.driver import Status, log_rows
    from equipoise.solvers.stochastic.tournament import TournamentSolution
    from equipoise.strategy.store import load, log_of
    from equipoise.strategy.tournament import load_tournament

    bundle = load(out)
    if not len(bundle.arrays.get("log", ())):
        return None
    strategy, _ = load_tournament(out)
    log = tuple(log_rows(log_of(out, bundle)))
    gain = certify_tournament(strategy).gain
    if gain > stop.gap:
        return None
    note(f"{out}: this solve is finished, its strategy meets the target of {stop.gap:.3g}.")
    algorithm = str(bundle.metadata.get("algorithm", "unknown"))
    return TournamentSolution(
        strategy, algorithm, Status.CONVERGED, gain, log[-1].iterations,
        log[-1].seconds, log[-1].cpu_seconds, log,
    )  # fmt: skip


def _report(progress: Progress) -> None:
    """Say how an outer iteration went, once it is measured."""
    from equipoise.solvers.stochastic.stochastic import StochasticRun

    run = progress.run
    if isinstance(run, StochasticRun) and progress.is_checked:
        row = progress.rows[-1]
        note(
            f"{run.game.players} players, iteration {row.iterations}: gain {row.gap:.6f} after "
            f"{duration(row.seconds)}"
        )


def _save(
    out: Path, solution: TournamentSolution, proof: TournamentCertificate | None, inner: str
) -> None:
    """Write the strategy."""
    from equipoise.solvers.driver import log_array
    from equipoise.strategy.tournament import save_tournament

    known = {
        "algorithm": solution.algorithm,
        "inner": inner,
        "gain": None if proof is None else proof.gain,
    }
    save_tournament(out, solution.strategy, solution.values, log_array(solution.log), known)


def _fields(
    solution: TournamentSolution,
    proof: TournamentCertificate | None,
    shown: tuple[int, ...],
    files: list[Path],
) -> dict[str, Any]:
    """Return everything that was found, for machines."""
    import numpy as np

    from equipoise.games.files.tournament import rules_of
    from equipoise.games.tournaments.tournament import POSITIONS, Hands, decisions, describe

    strategy, m = solution.strategy, len(shown)
    rules = strategy.tournament
    gain = solution.gain if proof is None else proof.gain
    is_measured = math.isfinite(gain)
    hands = Hands(rules, m)
    place = hands.number[rules.state(shown)]
    values, chip_model = (v.reshape(-1, m) for v in (solution.values[m], hands.icm()))
    return {
        "tournament": rules_of(rules),
        "states": {k: len(Hands(rules, k).states) for k in strategy.plays},
        "algorithm": solution.algorithm,
        "status": solution.status.value,
        "gain": gain if is_measured else None,
        "share": gain / rules.pool if is_measured else None,
        "certified": proof is not None,
        "table_error": None if proof is None else proof.error,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "cpu_seconds": solution.cpu_seconds,
        "stacks": list(shown),
        "positions": list(POSITIONS[m]),
        "values": values[place].tolist(),
        "icm": chip_model[place].tolist(),
        "ranges": {
            describe(m, decision): share
            for decision, share in zip(decisions(m), strategy.shares(shown).tolist(), strict=True)
        },
        "frequencies": {
            describe(m, decision): None if np.isnan(often) else often
            for decision, often in zip(
                decisions(m), strategy.frequencies(shown).tolist(), strict=True
            )
        },
        "icm_error": max(
            (_icm_error(rules, k, solution.values[k]) for k in strategy.plays),
            key=lambda error: abs(float(error["value"]) - float(error["icm"])),
        ),
        "files": [str(file) for file in files],
    }


def _icm_error(rules: Tournament, players: int, values: Floats) -> dict[str, Any]:
    """Return the state with ``players`` left, and the position, of which ICM is furthest off."""
    import numpy as np

    from equipoise.games.tournaments.tournament import POSITIONS, Hands

    hands = Hands(rules, players)
    value, chip_model = (v.reshape(-1, players) for v in (values, hands.icm()))
    off = np.abs(value - chip_model)
    worst, position = np.unravel_index(int(off.argmax()), off.shape)
    return {
        "stacks": [stack * rules.unit for stack in hands.states[int(worst)]],
        "position": POSITIONS[players][int(position)],
        "value": float(value[worst, position]),
        "icm": float(chip_model[worst, position]),
    }


def _print(fields: dict[str, Any], solution: TournamentSolution) -> None:
    """Print everything that was found, for people."""
    states = ", ".join(f"{count:,} with {m} players" for m, count in fields["states"].items())
    proven = "certified" if fields["certified"] else "as the solver measured it"
    gain = "not measured: there was no time for it, and values are those the solver began with"
    if fields["gain"] is not None:
        gain = f"{fields['gain']:.6f}, {fields['share']:.5%} of the prizes ({proven})"
    facts = {
        "states": states,
        "status": f"{fields['status']} ({solution.status.remedy})",
        "gain": gain,
        "algorithm": f"{fields['algorithm']}, {number(fields['iterations'])} outer iterations",
        "time": f"{duration(fields['seconds'])} ({duration(fields['cpu_seconds'])} of CPU time)",
    }
    if fields["table_error"] is not None:
        facts["tables"] = f"values off by at most {fields['table_error']:.6f} for rounded ones"
    off = fields["icm_error"]
    facts["ICM"] = (
        f"off by up to {abs(off['icm'] - off['value']):.4f}: {off['icm']:.4f} instead of "
        f"{off['value']:.4f} for the {off['position']} of {'/'.join(map(str, off['stacks']))}"
    )
    print_facts(facts)
    rows = [
        (name, number(stack), f"{value:.4f}", f"{icm:.4f}")
        for name, stack, value, icm in zip(
            fields["positions"], fields["stacks"], fields["values"], fields["icm"], strict=True
        )
    ]
    print_table(("position", "chips", "value", "ICM"), rows)
    print_table(
        ("decision", "share of hands", "how often"),
        [
            (name, f"{share:.1%}", "never asked" if often is None else f"{often:.1%}")
            for (name, share), often in zip(
                fields["ranges"].items(), fields["frequencies"].values(), strict=True
            )
        ],
    )
    for file in fields["files"]:
        note(f"wrote {file}")
