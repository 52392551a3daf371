"""``equipoise spot``: a board, two ranges and bet sizes in, the rest of the hand solved."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.output import note, number, print_facts, print_json
from equipoise.cli.report import exit_code, print_result
from equipoise.errors import EquipoiseError, quoted

if TYPE_CHECKING:
    from equipoise.games.poker.spots import Spot

EPILOG = """Ranges: AA, AKs, AKo, AK, AhKd, 66+, A8s+, QQ-22, A5s-A2s, random (all hands), with weights as in
AKs:0.5; or 1,326 numbers, 2c2d first.\n
Sizes: 60% of the pot, 2.5x the bet, 50 chips, a (all-in), e (the share of the pot that, bet on every street
left, is all-in in the end); several with commas, streets set off by /, players by |. In bets 2.5x, with no bet to
multiply, is the smallest bet; of ranges T9s+ is T9s alone: the first card stays.\n
The first player (OOP) acts first on every street. The value is what she takes of the pot, in chips."""

_TARGET = (
    "Stop when this is reached: 0.5% is the mean of what both players could gain, in parts of the pot; "
    "a number without % is both gains together, in chips."
)


def _share(text: str) -> float:
    """Return the share that ``text`` writes, as a number or in hundredths."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise typer.BadParameter(
            f"found {quoted(text)}, expected a share such as 0.05 or 5%."
        ) from None


def command(
    file: Annotated[
        Path | None, typer.Argument(help="A spot as a TOML file, in place of the options.")
    ] = None,
    board: Annotated[str | None, typer.Option(help="Three to five cards: Td9d6h.")] = None,
    oop: Annotated[str | None, typer.Option(help="The range of the first player to act.")] = None,
    ip: Annotated[str | None, typer.Option(help="The range of the last player to act.")] = None,
    pot: Annotated[float | None, typer.Option(help="Chips in the pot.")] = None,
    stack: Annotated[float | None, typer.Option(help="Chips that each player has left.")] = None,
    bets: Annotated[
        str | None, typer.Option(help="Sizes of bets.", show_default="none: hands are checked down")
    ] = None,
    raises: Annotated[
        str | None, typer.Option(help="Sizes of raises.", show_default="those of bets")
    ] = None,
    donk: Annotated[
        str | None,
        typer.Option(
            help="Sizes of bets of a first player who has called on the street before.",
            show_default="those of bets",
        ),
    ] = None,
    cap: Annotated[
        str | None,
        typer.Option(help="Most bets and raises on a street.", show_default="as stacks allow"),
    ] = None,
    add_allin: Annotated[
        float | None,
        typer.Option(
            help="Add all-in where it is at most this share of the pot.",
            parser=_share,
            metavar="SHARE",
        ),
    ] = None,
    force_allin: Annotated[
        float | None,
        typer.Option(
            help="Make bets all-in that leave at most this share of the pot behind.",
            parser=_share,
            metavar="SHARE",
        ),
    ] = None,
    merge: Annotated[
        float | None,
        typer.Option(
            help="Leave out sizes within about this share of a larger one.",
            parser=_share,
            metavar="SHARE",
        ),
    ] = None,
    rake: Annotated[
        float | None,
        typer.Option(
            help="The share of pots that the house takes: 0.05, or 5%.",
            parser=_share,
            metavar="SHARE",
        ),
    ] = None,
    rake_cap: Annotated[float | None, typer.Option(help="The most it takes, in chips.")] = None,
    chip: Annotated[
        float | None,
        typer.Option(
            help="Round bets to multiples of this; 0 does not.",
            show_default="1 where pot and stack are whole numbers from 100 up",
        ),
    ] = None,
    smallest: Annotated[
        float | None, typer.Option(help="The smallest bet.", show_default="one chip")
    ] = None,
    lock: Annotated[
        str | None,
        typer.Option(help="What hands do at some point: 'k: b120 AA,KQs:0.7; k 72o | ...'."),
    ] = None,
    keeper: Annotated[
        str | None,
        typer.Option(help="Who solves the spot anew: oop or ip. The other may take --promised."),
    ] = None,
    promised: Annotated[
        str | None,
        typer.Option(
            help="What the other's hands were promised, in chips: '120.5 AA; 60 KQs,QJs'."
        ),
    ] = None,
    gadget: Annotated[
        str | None,
        typer.Option(
            help="resolve: she enters or takes it; maxmargin: she chooses her hand, for what it wins beyond.",
            show_default="resolve",
        ),
    ] = None,
    joint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="What pairs of hands count for: 1,326 x 1,326 numbers (.npy)."
        ),
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(help="The ranks of another deck, low to high.")
    ] = None,
    suits: Annotated[str | None, typer.Option(help="Its suits.")] = None,
    target: Annotated[str, typer.Option(metavar="NUMBER", help=_TARGET)] = "0.5%",
    method: Annotated[
        str | None,
        typer.Option(*options.MethodNames, help="As in 'equipoise solve'.", show_default="auto"),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="cuda, torch, cupy or numpy arrays.", show_default="compiled loops"),
    ] = None,
    compress: Annotated[
        bool,
        typer.Option(
            "--compress", help="Keep regrets and averages in 16 bits a number: half the memory."
        ),
    ] = False,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    time: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to save the strategy.", show_default="spot-BOARD.eqp")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint beside --out, if any.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace --out even if it holds something else.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Solve the rest of a hand of hold'em with every card told apart, and certify what was found."""
    from equipoise.cli.progress import live
    from equipoise.road.verbs import solve

    given = {
        "board": board,
        "oop": oop,
        "ip": ip,
        "pot": pot,
        "stack": stack,
        "bets": bets,
        "raises": raises,
        "donk": donk,
        "cap": cap,
        "add_allin": add_allin,
        "force_allin": force_allin,
        "merge": merge,
        "rake": rake,
        "rake_cap": rake_cap,
        "chip": chip,
        "smallest": smallest,
        "lock": lock,
        "keeper": keeper,
        "promised": promised,
        "gadget": gadget,
        "joint": joint,
        "ranks": ranks,
        "suits": suits,
    }
    rules = _rules(file, {name: value for name, value in given.items() if value is not None})
    place = out or Path(f"spot-{rules.deck.text(rules.board)}.eqp")
    chosen = _with(method, device, compress)
    _tell_sizes(rules, chosen, json)
    result = solve(
        rules,
        chosen,
        gap_of(target, rules.pot),
        iterations=iterations,
        time=time,
        out=place,
        resume=resume,
        force=force,
        spec=None if file is None else str(file),
        show=lambda stop: live(stop, is_shown=not json),
        note=note,
    )
    if json:
        print_json({**result.summary(), "strategy": result.saved and str(result.saved)})
    else:
        print_result(result)
    return exit_code(result, place)


def _rules(file: Path | None, given: dict[str, Any]) -> Spot:
    """Return the spot of a file, or that of the options."""
    from equipoise.games.files.fields import Fields
    from equipoise.games.files.spot import load_spot, spot_of

    if file is None:
        return spot_of(Fields(given, "spot"))
    if given:
        name = next(iter(given)).replace("_", "-")
        raise EquipoiseError(f"--{name}: found it beside the file {file}, expected one of the two.")
    return load_spot(file)


def gap_of(target: str, pot: float) -> float:
    """Return both gains together, in chips, that ``target`` means."""
    text = target.strip()
    try:
        wanted = float(text[:-1]) * pot / 50 if text.endswith("%") else float(text)
    except ValueError:
        wanted = -1.0
    if not 0 <= wanted < math.inf:
        raise EquipoiseError(
            f"--target: found '{target}', expected a share of the pot such as 0.5%, or chips."
        )
    return wanted


def _with(named: str | None, device: str | None, compress: bool) -> str | None:
    """Return the method: on a device if one is named, in 16 bits a number if that is wanted."""
    if not (device or compress):
        return named
    from dataclasses import replace

    from equipoise.road.spots import DEFAULT
    from equipoise.solvers.methods import method
    from equipoise.solvers.saddle.cfr import CFR, PACKED

    changes: dict[str, Any] = {"device": device} if device else {}
    changes |= {"dtype": PACKED} if compress else {}
    chosen = method(DEFAULT if named in (None, "auto") else str(named))
    if not isinstance(chosen, CFR):
        option = "--device" if device else "--compress"
        raise EquipoiseError(
            f"{option}: found the method {chosen.name}, expected one of regrets: dcfr, cfr+, ..."
        )
    return replace(chosen, **changes).name


def _tell_sizes(rules: Spot, named: str | None, json: bool) -> None:
    """Say before a solve how large it is; with ``--json`` on the other stream, before the object."""
    from equipoise.road.spots import sizes
    from equipoise.solvers.methods import method

    found = sizes(rules, None if named in (None, "auto") else method(str(named)))
    if json:
        note(
            f"spot: {sum(found['sequences']):,} sequences, {found['memory_mb']:,.1f} MB by estimate."
        )
        return
    print_facts(
        {
            "board": rules.deck.text(rules.board),
            "hands": " against ".join(map(number, found["hands"])),
            "betting": f"{number(found['lines'])} lines",
            "boards": " / ".join(map(number, found["boards"])),
            "memory": f"{found['memory_mb']:,.1f} MB",
        }
    )
