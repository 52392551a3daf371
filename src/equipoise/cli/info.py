"""``equipoise info``: how large a game is, before anyone tries to solve it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import number, print_facts, print_json
from equipoise.errors import EquipoiseError
from equipoise.road.zero_sum import by_round

if TYPE_CHECKING:
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame


def command(
    game: options.Game,
    abstraction: Annotated[
        Path | None, typer.Option(help="Count buckets of this abstraction instead of signals.")
    ] = None,
    buckets: Annotated[
        str | None,
        typer.Option(
            metavar="K1-K2-...",
            help="Count so many buckets in each round, whichever they are: 10-150-750-3750.",
        ),
    ] = None,
    actions: options.Actions = None,
    stages: options.Stages = None,
    model: options.Model = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Show the sizes of a game: nodes, information sets, sequences, and its linear program."""
    from equipoise.games.base import load
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.games.trees.normal import NormalGame
    from equipoise.road.families import family_of
    from equipoise.road.models import models, with_model

    rules = load(game)
    wanted = with_model(rules, {"actions": actions, "stages": stages, "model": model})
    if isinstance(rules, StageGame):
        within = [rules, *(smaller.game for smaller in models(rules, wanted))]
        counts = None if abstraction is not None else buckets or wanted.get("buckets")
        if abstraction is not None and buckets is not None:
            raise EquipoiseError("--buckets: found --abstraction as well, expected one of the two.")
        sizes = signal_sizes(within[-1], abstraction, _granularity(counts))
    elif abstraction is not None or buckets is not None or wanted:
        given = {"abstraction": abstraction, "buckets": buckets, **wanted}
        option = next(name for name, value in given.items() if value is not None)
        raise EquipoiseError(f"--{option}: '{rules.name}' has no signals, expected a game with.")
    elif isinstance(rules, ExtensiveGame | NormalGame):
        sizes = tree_sizes(rules.tree if isinstance(rules, NormalGame) else rules)
    else:
        sizes = family_of(rules).sizes(rules)
    if json:
        print_json(sizes)
    else:
        print_facts({"game": rules.name, **(_facts(sizes) if "lp" in sizes else _counts(sizes))})


def tree_sizes(game: ExtensiveGame) -> dict[str, Any]:
    """Return the sizes of a game tree; ``lp`` is ``None`` unless it is two-player zero-sum."""
    from equipoise.games.signals.sizes import program_size
    from equipoise.sequence.build import build

    sizes: dict[str, Any] = {
        "players": len(game.players),
        "nodes": game.nodes,
        "infosets": game.infosets,
        "sequences": [game.sequences(player) for player in range(len(game.players))],
        "perfect_recall": game.forgetful is None,
        "lp": None,
    }
    try:
        form = build(game)
    except EquipoiseError:
        return sizes
    spaces = form.X, form.Y
    sequences, infosets = [own.size for own in spaces], [own.infosets for own in spaces]
    rows, columns = program_size(infosets, sequences)
    sizes["lp"] = {
        "rows": rows,
        "columns": columns,
        "nonzeros": form.A.nonzeros + sum(sequences) + sum(infosets),
    }
    return sizes


def _granularity(buckets: str | None) -> tuple[int, ...] | None:
    """Return the numbers of buckets in ``10-150-750-3750``."""
    if buckets is None:
        return None
    if re.fullmatch(r"[0-9]{1,12}(-[0-9]{1,12})*", buckets) is None:
        raise EquipoiseError(
            f"--buckets: found '{buckets:.60}', expected numbers such as 13-50-250."
        )
    return tuple(map(int, buckets.split("-")))


def signal_sizes(
    game: StageGame, abstraction: Path | None = None, buckets: tuple[int, ...] | None = None
) -> dict[str, Any]:
    """Return the sizes of a game with signals, counted from its factors; nodes are the full game's."""
    from equipoise.cli.loading import load_abstraction
    from equipoise.games.signals.sizes import acting_rounds, betting_sizes
    from equipoise.games.signals.sizes import sizes as count

    rounds = None
    if abstraction is not None:
        rounds = load_abstraction(abstraction, game).deals(game)
    found = count(game, rounds, buckets)
    return {
        "players": game.players,
        "rounds": acting_rounds(game.tree),
        "nodes": found.nodes,
        "signal_tree_nodes": found.signal_tree_nodes,
        "infosets": sum(found.infosets),
        "sequences": list(found.sequences),
        "lp": None
        if found.rows is None
        else {"rows": found.rows, "columns": found.columns, "nonzeros": found.nonzeros},
        "buckets": by_round(list(zip(*found.views, strict=True))),
        "betting": asdict(betting_sizes(game.tree)),
    }


def bucket_text(buckets: Sequence[Any]) -> str:
    """Return the buckets of each round in words: 13 / 325 / 7969."""
    return " / ".join(str(count) for count in buckets)


def program_text(program: dict[str, int | None]) -> str:
    """Return the size of a linear program in words: 7 rows, 8 columns, 20 nonzeros."""
    return ", ".join(
        f"{'unknown' if count is None else number(count)} {name}" for name, count in program.items()
    )


def _betting_text(decisions: int, leaves: int, round_starts: Sequence[int]) -> str:
    """Return the size of a betting tree in words."""
    starts = " / ".join(number(count) for count in round_starts)
    return f"{number(decisions)} decisions, {number(leaves)} leaves; rounds begin after {starts} histories"


def _counts(sizes: dict[str, Any]) -> dict[str, str]:
    """Return the sizes of a family without a linear program in words."""
    return {
        name: number(count) if isinstance(count, int | float) else " and ".join(map(number, count))
        for name, count in sizes.items()
    }


def _facts(sizes: dict[str, Any]) -> dict[str, str]:
    """Return ``sizes`` in words."""
    facts = {
        "players": number(sizes["players"]),
        "nodes": number(sizes["nodes"]),
        "information sets": number(sizes["infosets"]),
        "sequences": " and ".join(number(count) for count in sizes["sequences"]),
        "linear program": "none (not a two-player zero-sum game)",
    }
    if not sizes.get("perfect_recall", True):
        facts["linear program"] = "none (a player forgets: no perfect recall)"
    if sizes["lp"] is not None:
        facts["linear program"] = program_text(sizes["lp"])
    if "buckets" in sizes:
        facts["signal tree"] = f"{number(sizes['signal_tree_nodes'])} nodes"
        facts["rounds"] = number(sizes["rounds"])
        facts["buckets"] = bucket_text(sizes["buckets"])
        facts["betting"] = _betting_text(**sizes["betting"])
    return facts
