"""``equipoise certify``: how much the best opponent could win against a strategy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import number, print_facts, print_json, print_table

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.games.tournaments.tournament import Tournament


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
            metavar="STRATEGY", help="A strategy file, as solve writes it, or text (*.txt)."
        ),
    ],
    rigorous: Annotated[
        bool, typer.Option("--rigorous", help="Bounds that hold despite rounding; slower.")
    ] = False,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Recompute value, best responses and gap of a strategy from the rules of the game alone."""
    from equipoise import certify
    from equipoise.cli.loading import player_names, strategy_of_game
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.verbs import rules_of

    rules = rules_of(game)
    if isinstance(rules, Tournament):
        _certify_tournament(None if game == "tournament" else rules, strategy, rigorous, json)
        return
    proof = certify(rules, strategy_of_game(strategy, rules), rigorous=rigorous)
    if json:
        print_json(_fields(proof))
        return
    columns = zip(player_names(rules), proof.values, proof.best_responses, proof.gains, strict=True)
    rows = [(name, *map(number, numbers)) for name, *numbers in columns]
    print_table(("player", "value", "best response", "gain"), rows)
    bound = "at most " if rigorous or proof.forgetful else ""
    facts = {"game": rules.name, "gap": f"{bound}{number(proof.gap)}"}
    if proof.forgetful:
        facts["best responses"] = "upper bounds: of players who remember their own moves"
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


def _certify_tournament(
    rules: Tournament | None, strategy: Path, rigorous: bool, json: bool
) -> None:
    """Print the ex-post check of a tournament's strategy; without rules, by those in the file."""
    from equipoise.certificates.tournament import TournamentCertificate
    from equipoise.road.verbs import certify, open

    result = open(strategy, rules)
    proof = certify(result.game, result.strategy, rigorous=rigorous)
    assert isinstance(proof, TournamentCertificate)
    if json:
        print_json({"gain": proof.gain, "share": proof.share, "table_error": proof.error})
        return
    rows = [(f"{m} players", number(part.gain)) for m, part in proof.parts.items()]
    print_table(("with", "most that any player can gain at any state"), rows)
    print_facts(
        {
            "gain": f"{number(proof.gain)}, {proof.share:.5%} of the prizes",
            "tables": f"values off by at most {proof.error:.6f} for rounded ones",
        }
    )
