"""``equipoise tournament``: jam/fold equilibria of whole tournaments, checked ex post."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.icm import numbers, whole_numbers
from equipoise.cli.output import duration, note, print_json
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.result import Result
    from equipoise.solvers.driver import Progress

EPILOG = """Methods, outside and inside:\n
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
    method: Annotated[
        str | None,
        typer.Option(*options.MethodNames, help="One of those below.", show_default="pi-fp"),
    ] = None,
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
    from equipoise.cli.report import exit_code, print_result, written_or_told
    from equipoise.files import require_plots
    from equipoise.games.tournaments.tournament import tournament
    from equipoise.road.tournament import sheets
    from equipoise.road.verbs import solve
    from equipoise.solvers.driver import Gap

    blind = whole_numbers("--blinds", blinds)
    if len(blind) != 2:
        raise EquipoiseError(f"--blinds: found '{blinds}', expected a small and a big one.")
    given = None if stacks is None else whole_numbers("--stacks", stacks)
    if given is not None:
        players = len(given) if players is None else players
        chips = sum(given) if chips is None else chips
    named = {"players": players, "chips": chips}
    rules = tournament(
        **{name: value for name, value in named.items() if value is not None},
        blinds=(blind[0], blind[1]),
        prizes=None if prizes is None else tuple(numbers("--prizes", prizes)),
        ante=ante,
        unit=unit or 0,
    )
    shown = _shown(rules, given)
    if plots is not None:
        require_plots(plots, "-ranges.html", "-ranges.png")
    place = out or Path(f"tournament-{rules.chips}.eqp")
    result = solve(
        rules,
        method,
        None if gain is None else Gap(gain),
        iterations=iterations,
        time=time,
        out=place,
        resume=resume,
        force=force,
        show=lambda stop: nullcontext(None if json else _report),
        note=note,
        inner=inner,
    )
    files = [] if result.saved is None else [result.saved]
    drawn: list[Path] | None = []
    if plots is not None:
        from equipoise.plots.tournament import draw

        drawn = written_or_told(lambda: draw(plots, result.strategy, result.strategy.values, shown))
        files += drawn or []
    if json:
        print_json(_fields(result, shown, files))
    else:
        print_result(result, tables=sheets(result.strategy, shown))
        for file in files:
            note(f"wrote {file}")
    return exit_code(result, place, is_drawn=drawn is not None)


def _shown(rules: Tournament, stacks: list[int] | None) -> tuple[int, ...]:
    """Return the stacks to report, in chips: those asked for, or equal ones as far as units allow."""
    shown = [rules.unit * stack for stack in rules.equal_stacks] if stacks is None else stacks
    rules.state(shown)
    return tuple(shown)


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


def _fields(result: Result, shown: tuple[int, ...], files: list[Path]) -> dict[str, Any]:
    """Return everything that was found, for machines."""
    import numpy as np

    from equipoise.games.files.tournament import rules_of
    from equipoise.games.tournaments.tournament import POSITIONS, Hands, decisions, describe
    from equipoise.road.tournament import furthest_from_icm

    strategy, found, m = result.strategy, result.found, len(shown)
    rules = strategy.tournament
    hands = Hands(rules, m)
    place = hands.number[rules.state(shown)]
    values, chip_model = (v.reshape(-1, m) for v in (strategy.values[m], hands.icm()))
    known = result.summary()
    gain = known["gap"]
    return {
        "tournament": rules_of(rules),
        "states": {k: len(Hands(rules, k).states) for k in strategy.plays},
        "method": found.method,
        "status": result.status.value,
        "gain": gain,
        "share": None if gain is None else gain / rules.pool,
        "certified": "table_error" in known,
        "table_error": known.get("table_error"),
        "iterations": found.iterations,
        "seconds": found.seconds,
        "cpu_seconds": found.cpu_seconds,
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
        "icm_error": furthest_from_icm(strategy),
        "files": [str(file) for file in files],
    }
