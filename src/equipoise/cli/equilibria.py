"""``equipoise nash --all``: every equilibrium of a two-player matrix game, in exact numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from equipoise.cli.output import note, print_json, print_table
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.solvers.general.matrix import Equilibrium


def print_all(spec: str, time: float, json: bool) -> None:
    """Print the extreme equilibria of the game ``spec``, by component, if ``time`` suffices for all."""
    from equipoise.games.base import load_explicit
    from equipoise.games.trees.normal import NormalGame
    from equipoise.solvers.general.extreme import components

    game = load_explicit(spec)
    if not isinstance(game, NormalGame) or len(game.players) != 2:
        raise EquipoiseError(
            f"--all: found '{spec}', expected a matrix game of two players (*.nfg)."
        )
    found = components(game, time)
    if json:
        listed = [[_fields(point) for point in part.extreme] for part in found]
        print_json({"game": spec, "components": listed})
        return
    rows = [
        (str(number), *(_mix(game.actions[i], own) for i, own in enumerate((point.x, point.y))),
         *map(str, point.payoffs))
        for number, part in enumerate(found, start=1)
        for point in part.extreme
    ]  # fmt: skip
    values = (f"value to {name}" for name in game.players)
    print_table(("component", *game.players, *values), rows)
    if len(rows) > len(found):
        note("a component with several lines is a set of equilibria, of which they are the corners")


def _fields(point: Equilibrium) -> dict[str, Any]:
    """Return an equilibrium in the words of the JSON object; exact numbers are text."""
    return {
        "x": [str(weight) for weight in point.x],
        "y": [str(weight) for weight in point.y],
        "values": [str(value) for value in point.payoffs],
    }


def _mix(actions: Sequence[str], weights: Sequence[Fraction]) -> str:
    """Return what is played, and how often."""
    return ", ".join(
        f"{action} {weight}" for action, weight in zip(actions, weights, strict=True) if weight
    )
