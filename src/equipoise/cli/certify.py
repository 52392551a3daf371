"""``equipoise certify``: how much the best opponent could win against a strategy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import note, print_facts, print_json
from equipoise.cli.progress import counting
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.certificates import Certificate


def command(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME",
            help="A game, as for solve, or 'tournament', whose strategies hold their rules.",
        ),
    ],
    strategy: Annotated[
        Path,
        typer.Argument(
            metavar="STRATEGY",
            help="A strategy file, as solve writes it, or text (*.txt); in poker also always-call, "
            "always-raise, always-fold or uniform.",
        ),
    ],
    rigorous: Annotated[
        bool, typer.Option("--rigorous", help="Bounds that hold despite rounding; slower.")
    ] = False,
    flops: options.Flops = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Which flops are drawn.", show_default="0")
    ] = None,
    device: options.Device = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="round|hand",
            help="Of poker, where the gains come from: by the round from which on opponents respond, or by hole cards.",
        ),
    ] = None,
    parts: Annotated[
        Path | None,
        typer.Option(
            help="Where to keep what is certified of large poker games, flop by flop, or to go on from if it was "
            "stopped."
        ),
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Recompute value, best responses and gap of a strategy from the rules of the game alone."""
    from equipoise.cli.loading import strategy_of_game
    from equipoise.cli.report import print_tables
    from equipoise.road.families import family_of
    from equipoise.road.leaks import WAYS, Leaks
    from equipoise.road.verbs import certify, open, rules_of

    if by is not None and by not in WAYS:
        raise EquipoiseError(f"--by: found '{by:.40}', expected {' or '.join(WAYS)}.")
    rules = rules_of(game)
    kind = family_of(rules)
    if kind.holds_rules and game == kind.name:
        rules = open(strategy).rules
    if by is not None and getattr(rules, "poker", None) is None:
        raise EquipoiseError(f"--by: found '{kind.identity(rules)[0]:.60}', expected a poker game.")
    with counting(is_shown=not json) as each:
        given = {
            "flops": None if flops == "all" else flops,
            "seed": seed,
            # Board by board, so that it is known what is gained where.
            "device": device or (None if by is None else "compiled"),
            "parts": parts,
            "note": note if "note" in kind.checks else None,
            "each": partial(each, "certifying, flops") if "each" in kind.checks else None,
        }
        wanted = {name: value for name, value in given.items() if value is not None}
        played = strategy_of_game(strategy, rules)
        proof = certify(rules, played, rigorous=rigorous, **wanted)
    where = None if by is None else Leaks(rules, proof, by)
    if json:
        print_json({**_fields(proof), **({} if where is None else where.fields())})
        return
    table, facts = kind.verdict(rules, proof)
    print_tables([table] if where is None else [table, where.sheet()])
    print_facts(facts)


def _fields(proof: Certificate) -> dict[str, Any]:
    """Return the certificate for machines: what all have in common, and what a family adds."""
    from equipoise.certificates import Certificate

    return {
        **({} if type(proof) is Certificate else proof.summary()),
        "value": proof.value,
        "best_responses": proof.best_responses,
        "gains": proof.gains,
        "gap": proof.gap,
        **({"bounds": True} if proof.forgetful else {}),
    }
