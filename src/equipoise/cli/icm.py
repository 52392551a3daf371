"""``equipoise icm``: what stacks are worth by the Independent Chip Model."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from equipoise.cli import options
from equipoise.cli.output import number, print_json, print_table
from equipoise.errors import EquipoiseError


def command(
    stacks: Annotated[str, typer.Option(help="Chips of each player, for example 50/30/20.")],
    prizes: Annotated[str, typer.Option(help="Prizes from the first place on, for example 70/30.")],
    json: options.Json = False,
) -> int:
    """Value stacks by the Independent Chip Model (Malmuth-Harville).

    It ignores position, blinds and skill; `equipoise tournament` computes the equilibrium.
    """
    from equipoise.games.tournaments.icm import icm

    chips, money = numbers("--stacks", stacks), numbers("--prizes", prizes)
    values = icm(chips, money).tolist()
    if json:
        print_json({"stacks": chips, "prizes": money, "values": values})
        return 0
    rows = [
        (str(player), number(stack), f"{value:.3f}", f"{value / sum(money):.2%}")
        for player, (stack, value) in enumerate(zip(chips, values, strict=True), start=1)
    ]
    print_table(("player", "chips", "value", "share of the prizes"), rows)
    return 0


def numbers(option: str, text: str) -> list[float]:
    """Return the finite numbers in ``text``, which slashes separate."""
    try:
        found = [float(part) for part in text.split("/")]
        if not all(map(math.isfinite, found)):
            raise ValueError
        return found
    except ValueError:
        raise EquipoiseError(
            f"{option}: found '{text}', expected numbers with slashes between them, such as 50/30/20."
        ) from None


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the whole numbers in ``text``, which slashes separate."""
    found = numbers(option, text)
    if any(value != int(value) for value in found):
        raise EquipoiseError(f"{option}: found '{text}', expected whole numbers of chips.")
    return [int(value) for value in found]
