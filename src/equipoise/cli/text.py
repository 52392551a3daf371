"""``equipoise export`` and ``equipoise import``: strategies as text, for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import number, print_facts, print_json

TextFile = Annotated[
    Path, typer.Option("--text", help="The text: a line 'player|information set  p1 p2 ...' each.")
]


def export_command(
    strategy: options.StrategyFile,
    text: TextFile,
    game: Annotated[
        str | None, typer.Option(help="The game, if the file it came from has moved.")
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Write a strategy as text, one line an information set (docs/strategy-text.md)."""
    from equipoise.cli.loading import load_game, load_strategy, require_strategy_of
    from equipoise.strategy.store import spec_of
    from equipoise.strategy.text import write_text

    profile, bundle = load_strategy(strategy)
    rules = load_game(game or spec_of(strategy, bundle) or profile.game)
    require_strategy_of(strategy, profile, rules)
    lines = write_text(text, rules, profile)
    if json:
        print_json({"game": profile.game, "infosets": lines, "text": str(text)})
    else:
        print_facts({"game": profile.game, "lines": number(lines), "text": str(text)})


def import_command(
    game: options.Game,
    text: TextFile,
    out: Annotated[
        Path | None, typer.Option(help="Where to save the strategy.", show_default="TEXT.eqp")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Read a strategy of a game from text, whoever wrote it, and save it."""
    from equipoise.cli.loading import load_game
    from equipoise.road.checkpoints import SUFFIX, require_free
    from equipoise.strategy.store import save_strategy
    from equipoise.strategy.text import read_text

    rules = load_game(game)
    profile = read_text(text, rules)
    place = out or Path(text.with_suffix(SUFFIX).name)
    require_free(place, profile.game, profile.fingerprint, force)
    save_strategy(place, profile, metadata={"spec": game, "text": str(text)})
    if json:
        print_json({"game": profile.game, "strategy": str(place)})
    else:
        print_facts({"game": profile.game, "strategy": str(place)})
