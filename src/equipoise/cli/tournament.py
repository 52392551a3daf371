"""``equipoise tournament``: jam/fold equilibria of whole tournaments, checked ex post."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.icm import numbers, whole_numbers
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.result import Result
    from equipoise.solvers.driver import Progress
    from equipoise.solvers.stochastic.jamfold import Floats

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
    algorithm: Annotated[
        str | None, typer.Option(help="One of those below.", show_default="pi-fp")
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
    from equipoise.cli.report import exit_code
    from equipoise.files import require_plots
    from equipoise.games.tournaments.tournament import tournament
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
        algorithm,
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
    if plots is not None:
        from equipoise.plots.tournament import draw

        files += draw(plots, result.strategy, result.strategy.values, shown)
    fields = fields_of(result, shown, files)
    if json:
        print_json(fields)
    else:
        print_fields(fields, result)
    return exit_code(result, place)


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


def print_tournament(result: Result) -> None:
    """Print what was found, with the ranges at equal stacks."""
    files = [] if result.saved is None else [result.saved]
    print_fields(fields_of(result, _shown(result.game, None), files), result)


def fields_of(result: Result, shown: tuple[int, ...], files: list[Path]) -> dict[str, Any]:
    """Return everything that was found, for machines."""
    import numpy as np

    from equipoise.games.files.tournament import rules_of
    from equipoise.games.tournaments.tournament import POSITIONS, Hands, decisions, describe

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
        "algorithm": found.method,
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
        "icm_error": max(
            (_icm_error(rules, k, strategy.values[k]) for k in strategy.plays),
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


def _icm_text(off: dict[str, Any]) -> str:
    """Say where the chip model is furthest off."""
    return (
        f"off by up to {abs(off['icm'] - off['value']):.4f}: {off['icm']:.4f} instead of "
        f"{off['value']:.4f} for the {off['position']} of {'/'.join(map(str, off['stacks']))}"
    )


def print_fields(fields: dict[str, Any], result: Result) -> None:
    """Print everything that was found, for people."""
    states = ", ".join(f"{count:,} with {m} players" for m, count in fields["states"].items())
    proven = "certified" if fields["certified"] else "as the solver measured it"
    gain = "not measured: there was no time for it, and values are those the solver began with"
    if fields["gain"] is not None:
        gain = f"{fields['gain']:.6f}, {fields['share']:.5%} of the prizes ({proven})"
    facts = {
        "states": states,
        "status": f"{fields['status']} ({result.status.remedy})",
        "gain": gain,
        "algorithm": f"{fields['algorithm']}, {number(fields['iterations'])} outer iterations",
        "time": f"{duration(fields['seconds'])} ({duration(fields['cpu_seconds'])} of CPU time)",
    }
    if fields["table_error"] is not None:
        facts["tables"] = f"values off by at most {fields['table_error']:.6f} for rounded ones"
    if fields["gain"] is not None:
        facts["ICM"] = _icm_text(fields["icm_error"])
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
