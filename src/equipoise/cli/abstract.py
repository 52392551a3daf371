"""``equipoise abstract``: which signals of a game need not be told apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.info import bucket_text
from equipoise.cli.output import duration, note, print_facts, print_json
from equipoise.cli.report import CONVERGED, STOPPED_SHORT
from equipoise.errors import EquipoiseError
from equipoise.road.abstractions import ABSTRACTIONS, parse
from equipoise.road.steps import Steps
from equipoise.road.zero_sum import by_round, is_listed

EPILOG = "Methods:\n\n" + "\n".join(
    f"- **{name}**: {entry.why}" for name, entry in ABSTRACTIONS.items()
)


def command(
    game: options.Game,
    method: Annotated[
        str,
        typer.Option(help="One of those below; options in brackets: 'potential(distance=emd)'."),
    ] = "gameshrink",
    buckets: options.Buckets = None,
    refine: Annotated[
        Path | None,
        typer.Option(
            help="Divide the buckets of this abstraction further, and merge none of them."
        ),
    ] = None,
    model: options.Model = None,
    device: options.Device = None,
    seed: Annotated[int, typer.Option(min=0, help="For methods that draw at random.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Where to save it.", show_default="GAME-METHOD.eqp")
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> int:
    """Abstract a game with signals and save the abstraction."""
    from equipoise.cli.progress import counting
    from equipoise.files import require_writable
    from equipoise.games.base import load_explicit
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.road.checkpoints import default_file, save_somewhere
    from equipoise.road.models import models, with_model
    from equipoise.road.verbs import abstract
    from equipoise.strategy.store import save_abstraction

    words = re.findall(r"[\w.]+", model or f"{method} {buckets or ''}")
    place = out or default_file(game, "".join(f"-{word}" for word in words))
    require_writable(place)
    steps = Steps()
    with steps.take("load"):
        rules = load_explicit(game)
    if not isinstance(rules, StageGame):
        raise EquipoiseError(f"{game}: found a game without signals, expected one with rounds.")
    if model is not None:
        wanted = with_model(rules, {"model": model, "buckets": buckets})
        method, buckets = wanted["abstraction"], wanted["buckets"]
        for smaller in models(rules, wanted):
            rules = smaller.game
    with steps.take("abstract"), counting(is_shown=not json) as each:
        streamed = {} if is_listed(rules) else {"device": device, "seed": seed, "each": each}
        found = abstract(rules, method, buckets, refine=refine, **streamed)
    saved = save_somewhere(place, lambda path: save_abstraction(path, found), note)
    if buckets is not None and bucket_text(by_round(found.buckets)) != bucket_text(
        buckets.split("-")
    ):
        note(
            f"{found.method}: it tells no more than {bucket_text(by_round(found.buckets))} buckets apart, "
            f"of the {bucket_text(buckets.split('-'))} it might have made."
        )
    fields = {
        "game": rules.name,
        "method": found.method,
        "buckets": by_round(found.buckets),
        "seconds": steps.taken[-1].seconds,
        "cpu_seconds": steps.taken[-1].cpu_seconds,
        "abstraction": saved and str(saved),
    }
    code = CONVERGED if saved == place else STOPPED_SHORT
    if json:
        print_json(fields)
        return code
    print_facts(
        {
            "game": rules.name,
            "method": f"{method} ({ABSTRACTIONS[parse(re.split('[>|]', method)[-1])[0]].why})",
            "buckets": bucket_text(by_round(found.buckets)),
            "time": duration(steps.taken[-1].seconds),
            "abstraction": "not saved" if saved is None else str(saved),
        }
    )
    return code
