"""``equipoise nash``: an equilibrium of any game in the form of a tree or a matrix."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, note, number, print_facts, print_json, print_table
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.certificates.certificate import Certificate
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.solvers.general.nash import NashAnswer

FOUND, STOPPED_SHORT = 0, 1

_SHOWN = 100


def command(
    game: options.Game,
    weights: Annotated[
        str | None,
        typer.Option(help="Two players: prefer large payments, weighted so (for example 1,1)."),
    ] = None,
    breakpoints: Annotated[
        int | None,
        typer.Option(help="Three or more: start from products that are piecewise linear."),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Stop when no player could gain more than this.",
            show_default="1e-9 of what is at stake for her",
        ),
    ] = None,
    time: Annotated[float, typer.Option(help="Stop after about this many seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where to save the strategy.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    nodes: options.Nodes = None,
    every: Annotated[
        bool, typer.Option("--all", help="List all equilibria of a two-player matrix, exactly.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Find a Nash equilibrium, and certify it.

    Any number of players, any payments: where `solve` wants two players and a zero sum. Two players'
    equilibria are found by complementary pivoting, those of more by mixed-integer programming.
    """
    from equipoise import certify
    from equipoise.cli.progress import status_line
    from equipoise.solvers.general.nash import nash

    if every:
        from equipoise.cli.equilibria import print_all

        if out is not None or weights is not None:
            raise EquipoiseError("--all: found --out or --weights, which are for one equilibrium.")
        print_all(game, json)
        return FOUND
    tree = _load(game, out, force)
    with status_line(is_shown=not json) as monitor:
        answer = nash(
            tree,
            weights=_weights(weights),
            breakpoints=breakpoints,
            target=epsilon,
            seed=seed,
            time_limit=time,
            monitor=monitor,
        )
    proof = certify(tree, answer.strategy)
    fields = _fields(game, answer, proof)
    saved: Path | None = None
    if out is not None:
        saved = _save(out, game, answer, fields)
        fields["strategy"] = saved and str(saved)
    if json:
        from equipoise.cli.show import decision_fields
        from equipoise.strategy.table import decisions

        profile = decision_fields(decisions(tree, answer.strategy))
        print_json({**fields, "profile": profile})
    else:
        _print(tree, answer, fields)
    return FOUND if saved == out and fields["status"] == "equilibrium" else STOPPED_SHORT


def _load(spec: str, out: Path | None, force: bool) -> ExtensiveGame:
    """Return the game as a tree, and make sure that its profile can be saved at ``out``."""
    from equipoise.cli.loading import load_game
    from equipoise.games.signals.unroll import unroll
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.road.checkpoints import require_free

    rules = load_game(spec)
    if isinstance(rules, ExtensiveGame):
        if out is not None:
            require_free(out, rules.name, rules.fingerprint, force)
        return rules
    if out is not None:
        raise EquipoiseError(
            f"--out: found the game with signals '{spec}', expected a tree or a matrix: "
            f"'equipoise convert {spec} FILE.efg' makes one."
        )
    return unroll(rules)


def _save(out: Path, spec: str, answer: NashAnswer, fields: dict[str, Any]) -> Path | None:
    """Save the profile at ``out``, or elsewhere if that fails; return where."""
    from equipoise.road.checkpoints import save_somewhere
    from equipoise.strategy.store import save_strategy

    known = {**fields, "spec": spec, "algorithm": answer.method}
    return save_somewhere(
        out, lambda place: save_strategy(place, answer.strategy, metadata=known), note
    )


def _fields(spec: str, answer: NashAnswer, proof: Certificate) -> dict[str, Any]:
    """Return what was found, for machines. The certificate says whether it is an equilibrium."""
    is_found = all(g <= most for g, most in zip(proof.gains, answer.targets, strict=True))
    return {
        "game": spec,
        "status": "equilibrium" if is_found else "limit",
        "values": proof.values,
        "gains": proof.gains,
        "epsilon": max(proof.gains),
        "targets": answer.targets,
        "algorithm": answer.method,
        "programs": answer.programs,
        "seconds": answer.seconds,
    }


def _print(tree: ExtensiveGame, answer: NashAnswer, fields: dict[str, Any]) -> None:
    """Print values, certificate and profile, for people."""
    from equipoise.cli.show import print_decisions
    from equipoise.strategy.table import decisions

    rows = zip(tree.players, fields["values"], fields["gains"], strict=True)
    print_table(("player", "value", "gain"), [(n, number(v), number(g)) for n, v, g in rows])
    status = fields["status"]
    if status == "limit":
        target = min(answer.targets)
        status = f"best profile in the time (a gain above {target:.3g}: raise --time or --epsilon)"
    programs = f", {answer.programs} programs" if answer.programs else ""
    print_facts(
        {
            "game": fields["game"],
            "status": status,
            "epsilon": f"{fields['epsilon']:.3g} (certified)",
            "algorithm": fields["algorithm"],
            "time": f"{duration(answer.seconds)}{programs}",
            **({"strategy": fields["strategy"] or "not saved"} if "strategy" in fields else {}),
        }
    )
    print_decisions(islice(decisions(tree, answer.strategy), _SHOWN))
    if tree.infosets > _SHOWN:
        place = fields.get("strategy")
        where = "add --out or --json" if place is None else f"equipoise show {place}"
        note(f"{tree.infosets - _SHOWN:,} more information sets: {where}")


def _weights(text: str | None) -> list[float] | None:
    """Read ``1,1``."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise EquipoiseError(f"--weights: found '{text}', expected numbers such as 1,1.") from None
