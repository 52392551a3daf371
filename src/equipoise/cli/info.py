"""``equipoise info``: how large a game is, before anyone tries to solve it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.cli import options
from equipoise.cli.output import number, print_facts, print_json

if TYPE_CHECKING:
    from equipoise.games.extensive import ExtensiveGame


def command(game: options.Game, json: options.Json = False) -> None:
    """Show the sizes of a game: nodes, information sets, sequences, and its linear program."""
    from equipoise.cli.loading import load_tree

    rules = load_tree(game)
    sizes = tree_sizes(rules)
    if json:
        print_json(sizes)
        return
    facts = {
        "players": number(sizes["players"]),
        "nodes": number(sizes["nodes"]),
        "information sets": number(sizes["infosets"]),
        "sequences": ", ".join(number(count) for count in sizes["sequences"]),
    }
    if sizes["lp"] is None:
        facts["linear program"] = "none (not a two-player zero-sum game)"
    else:
        rows, columns, nonzeros = (number(sizes["lp"][k]) for k in ("rows", "columns", "nonzeros"))
        facts["linear program"] = f"{rows} rows, {columns} columns, {nonzeros} nonzeros"
    print_facts({"game": rules.name, **facts})


def tree_sizes(game: ExtensiveGame) -> dict[str, Any]:
    """Return the sizes of a game tree; ``lp`` is ``None`` unless it is two-player zero-sum."""
    return {
        "players": len(game.players),
        "nodes": game.nodes,
        "infosets": game.infosets,
        "sequences": [game.sequences(player) for player in range(len(game.players))],
        "lp": _program_size(game),
    }


def _program_size(game: ExtensiveGame) -> dict[str, int] | None:
    """Return the size of the linear program max { f·q : A'x >= F'q, Ex = e, x >= 0 }.

    It has a row for each sequence of player 2 and each constraint of player 1 (one an information
    set and one for the empty sequence), the columns are the same with the players exchanged, and
    its nonzeros are those of A, E and F. That is how the published sizes count (seed 000, table 8.1).
    """
    from equipoise.errors import EquipoiseError
    from equipoise.sequence.build import build

    try:
        form = build(game)
    except EquipoiseError:
        return None
    spaces = (form.X, form.Y)
    return {
        "rows": form.Y.size + form.X.infosets + 1,
        "columns": form.X.size + form.Y.infosets + 1,
        "nonzeros": form.A.nonzeros + sum(space.size + space.infosets for space in spaces),
    }
