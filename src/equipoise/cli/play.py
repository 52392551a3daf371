"""``equipoise play``: a person against a strategy, in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.completion import complete_agent
from equipoise.cli.output import console
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.play.agents import Agent
    from equipoise.play.coach import Coach
    from equipoise.play.terminal import Screen


def command(
    game: options.Game,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="AGENT",
            help="Whom to play: a strategy file, or an agent as for match.",
            autocompletion=complete_agent,
        ),
    ],
    seat: Annotated[
        str, typer.Option("--seat", help="Which player you are: 1, 2, or alternate.")
    ] = "alternate",
    coach: Annotated[
        bool,
        typer.Option("--coach", help="Tell what the strategy would do, and what your choice cost."),
    ] = False,
    hands: Annotated[
        int | None, typer.Option("--hands", min=1, help="Stop after so many hands.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Deal the same cards again.", show_default="any"),
    ] = None,
    nodes: options.Nodes = None,
) -> None:
    """Play a game yourself. Type an action, ? to ask the coach, q to stop."""
    import secrets

    from equipoise.cli.loading import load_game
    from equipoise.play.agents import agent
    from equipoise.play.terminal import Sitting

    rules = load_game(game)
    opponent = agent(against, rules)
    sitting = Sitting(
        game=rules,
        agent=opponent,
        screen=_screen(),
        seat=seat,
        seed=secrets.randbelow(1 << 32) if seed is None else seed,
        coach=_coaches(rules, opponent) if coach else None,
    )
    sitting.play(hands)


def _coaches(rules: Any, opponent: Agent) -> Callable[[int], Coach]:
    """Return what makes a coach for each seat, from the opponent's own strategy."""
    from equipoise.play.agents import StrategyPlayer
    from equipoise.play.coach import Coach
    from equipoise.play.explore import explorer
    from equipoise.strategy.profile import Strategy

    if not isinstance(opponent, StrategyPlayer) or not isinstance(opponent.strategy, Strategy):
        raise EquipoiseError(
            f"--coach: found the opponent {opponent.name}, expected a strategy file to learn from."
        )
    look = explorer(rules, opponent.strategy)
    return lambda seat: Coach(look, seat)


def _screen() -> Screen:
    """Return the terminal; at the end of its input the person leaves."""
    from equipoise.play.terminal import LeaveError, Screen

    out = console()

    def ask(prompt: str) -> str:
        out.print(prompt, end="")
        line = sys.stdin.readline()
        if not line:
            raise LeaveError
        return line

    def say(line: str) -> None:
        out.print(line, soft_wrap=True)

    return Screen(say, ask, _has_symbols(sys.stdout.encoding))


def _has_symbols(encoding: str | None) -> bool:
    """Say whether suits can be printed as symbols."""
    try:
        "♣♦♥♠".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
