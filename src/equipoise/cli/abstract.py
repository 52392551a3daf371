"""``equipoise abstract``: which signals of a game need not be told apart."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import options
from equipoise.cli.info import bucket_text, by_round
from equipoise.cli.output import duration, print_facts, print_json
from equipoise.cli.steps import Steps
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.abstraction.gameshrink import Method
    from equipoise.games.signals.stage_game import StageGame

# As the command line spells a method: GameShrink's own name for it, and what it is.
METHODS: dict[str, tuple[Method, str]] = {
    "gameshrink": ("sound", "merges what no belief can tell apart: lossless"),
    "histogram": ("histogram", "compares outcome counts, as first published: not lossless"),
    "suits": ("suits", "only renames suits: lossless, and the largest"),
}
NONE = "none"
EPILOG = "Methods:\n\n" + "\n".join(f"- **{name}**: {why}" for name, (_, why) in METHODS.items())


def command(
    game: options.Game,
    method: Annotated[str, typer.Option(help="One of those below.")] = "gameshrink",
    out: Annotated[
        Path | None, typer.Option(help="Where to save it.", show_default="GAME-METHOD.eqp")
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Abstract a game with signals and save the abstraction."""
    from equipoise.abstraction.gameshrink import gameshrink
    from equipoise.cli.checkpoints import default_file
    from equipoise.files import require_writable
    from equipoise.games.base import load
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.strategy.store import save_abstraction

    _require_known(method, METHODS)
    place = out or default_file(game, f"-{method}")
    require_writable(place)
    steps = Steps()
    with steps.take("load"):
        rules = load(game)
    if not isinstance(rules, StageGame):
        raise EquipoiseError(f"{game}: found a game without signals, expected one with rounds.")
    with steps.take("abstract"):
        found = gameshrink(rules, METHODS[method][0])
    save_abstraction(place, found)
    fields = {
        "game": rules.name,
        "method": method,
        "buckets": by_round(found.buckets),
        "seconds": steps.taken[-1].seconds,
        "cpu_seconds": steps.taken[-1].cpu_seconds,
        "abstraction": str(place),
    }
    if json:
        print_json(fields)
        return
    print_facts(
        {
            "game": rules.name,
            "method": f"{method} ({METHODS[method][1]})",
            "buckets": bucket_text(by_round(found.buckets)),
            "time": duration(steps.taken[-1].seconds),
            "abstraction": str(place),
        }
    )


def abstract(game: StageGame, method: str | None, file: Path | None) -> Abstraction | None:
    """Return the abstraction that a solve goes through, of ``file`` or by ``method``.

    Without either it is GameShrink's; the method ``none`` solves the game with all its views.
    """
    from equipoise.abstraction.gameshrink import gameshrink
    from equipoise.cli.loading import load_abstraction

    if file is not None:
        if method is not None:
            raise EquipoiseError("--method: found --abstraction as well, expected one of the two.")
        return load_abstraction(file, game)
    method = method or "gameshrink"
    _require_known(method, (*METHODS, NONE))
    return None if method == NONE else gameshrink(game, METHODS[method][0])


def _require_known(method: str, known: Iterable[str]) -> None:
    if method not in known:
        raise EquipoiseError(f"--method: found '{method}', expected one of {', '.join(known)}.")
