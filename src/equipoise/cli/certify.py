"""``equipoise certify``: how much the best opponent could win against a strategy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import number, print_facts, print_json, print_table
from equipoise.cli.progress import status_line

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.certificates.streamed import StreamedCertificate
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
            metavar="STRATEGY",
            help="A strategy file, as solve writes it, or text (*.txt); in poker also always-call, "
            "always-raise, always-fold or uniform.",
        ),
    ],
    rigorous: Annotated[
        bool, typer.Option("--rigorous", help="Bounds that hold despite rounding; slower.")
    ] = False,
    flops: Annotated[
        int | None,
        typer.Option(
            help="Estimate from so many flops (classes of first common cards) drawn at random.",
            show_default="all",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="Where to go through the boards of large poker games: numpy, torch, cuda, cupy.",
            show_default="compiled loops",
        ),
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Recompute value, best responses and gap of a strategy from the rules of the game alone."""
    from equipoise import certify
    from equipoise.certificates.streamed import StreamedCertificate
    from equipoise.cli.loading import player_names, strategy_of_game
    from equipoise.games.tournaments.tournament import Tournament
    from equipoise.road.verbs import rules_of

    rules = rules_of(game)
    if isinstance(rules, Tournament):
        _certify_tournament(None if game == "tournament" else rules, strategy, rigorous, json)
        return
    with status_line(is_shown=not json) as say:

        def each(done: int, total: int) -> None:
            if say is not None:
                say(f"certifying: {done:,} of {total:,} flops", done / total)

        given = {"flops": flops, "device": device, "each": each if say else None}
        wanted = {name: value for name, value in given.items() if value is not None}
        played = strategy_of_game(strategy, rules)
        proof = certify(rules, played, rigorous=rigorous, **wanted)
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
    if isinstance(proof, StreamedCertificate):
        facts |= _in_bets(proof)
    print_facts(facts)


def _in_bets(proof: StreamedCertificate) -> dict[str, str]:
    """Return what poker players want to know, and how sure it is."""
    facts = {}
    if proof.big_blind:
        per_hand = proof.in_mbb(proof.exploitability)
        facts["exploitability"] = f"{per_hand:.4f} thousandths of a big blind a hand"
    if proof.is_exact:
        facts["boards"] = f"all, after {proof.of:,} classes of flops"
    else:
        error = number(proof.exploitability_error)
        facts["boards"] = (
            f"those after {proof.classes:,} flops drawn at random: an estimate, too large on average; "
            f"standard error {error}"
        )
    return facts


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
