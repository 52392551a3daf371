"""``equipoise nash``: an equilibrium of any game in the form of a tree or a matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import duration, number, print_facts, print_json, print_table
from equipoise.errors import EquipoiseError

FOUND, STOPPED_SHORT = 0, 1


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
        float, typer.Option(help="Stop when no player could gain more than this.")
    ] = 1e-9,
    time: Annotated[float, typer.Option(help="Stop after about this many seconds.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="Where to save the strategy.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Find a Nash equilibrium by mixed-integer programming, and certify it.

    Any number of players, any payments: where `solve` wants two players and a zero sum.
    """
    from equipoise import certify
    from equipoise.cli.checkpoints import require_free, save_somewhere
    from equipoise.cli.loading import load_game
    from equipoise.games.signals.unroll import unroll
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.solvers.general.mip import nash
    from equipoise.strategy.store import save_strategy

    rules = load_game(game)
    tree = rules if isinstance(rules, ExtensiveGame) else unroll(rules)
    if out is not None:
        require_free(out, tree.name, tree.fingerprint, force)
    answer = nash(
        tree, weights=_weights(weights), breakpoints=breakpoints, target=epsilon, time_limit=time
    )
    proof = certify(tree, answer.strategy)
    most = max(proof.gains)
    fields = {
        "game": game,
        "status": answer.status,
        "values": proof.values,
        "gains": proof.gains,
        "epsilon": most,
        "programs": answer.programs,
        "seconds": answer.seconds,
    }
    saved: Path | None = None
    if out is not None:
        known = {**fields, "spec": game, "algorithm": "mip"}
        saved = save_somewhere(
            out, lambda place: save_strategy(place, answer.strategy, metadata=known)
        )
        fields["strategy"] = saved and str(saved)
    if json:
        print_json(fields)
    else:
        rows = zip(tree.players, proof.values, proof.gains, strict=True)
        print_table(("player", "value", "gain"), [(n, number(v), number(g)) for n, v, g in rows])
        facts = {"game": game, "status": answer.status, "epsilon": f"{most:.3g} (certified)"}
        facts["time"] = f"{duration(answer.seconds)}, {answer.programs} programs"
        print_facts(facts if out is None else {**facts, "strategy": str(saved or "not saved")})
    return FOUND if saved == out and most <= max(epsilon, 1e-12) else STOPPED_SHORT


def _weights(text: str | None) -> list[float] | None:
    """Read ``1,1``."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise EquipoiseError(f"--weights: found '{text}', expected numbers such as 1,1.") from None
