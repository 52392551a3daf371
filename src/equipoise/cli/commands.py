"""The commands by name, and the group that imports the module of a command when it is asked for, not before.

The page of ``equipoise --help`` is made from the table alone. What a command takes, and the rest of its help,
are in its module.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "solve": "Solve a game, certify what was found in the full game, and save it.",
    "spot": "Solve the rest of a hand of hold'em with every card told apart, and certify what was found.",
    "hands": "Show reach, equity and value of every hand at a point of a spot, and what each action costs.",
    "flops": "Solve a spot on many flops; stopped at any time, the same command goes on where it was.",
    "info": "Show the sizes of a game: nodes, information sets, sequences, and its linear program.",
    "abstract": "Abstract a game with signals and save the abstraction.",
    "certify": "Recompute value, best responses and gap of a strategy from the rules of the game alone.",
    "show": "Show what a strategy does in each information set.",
    "plot": "Plot the gap against time and iterations, and print how it fell; several files share one plot.",
    "serve": "Play, explore, watch and check strategies in a browser.",
    "convert": "Write a game as a Gambit file, exactly: payoffs and probabilities stay rational.",
    "repeated": "Solve a repeated game in which one player knows the state, certified from both sides.",
    "export": "Write a strategy as text, one line an information set (docs/strategy-text.md).",
    "import": "Read a strategy of a game from text, whoever wrote it, and save it.",
    "qualitative": "Find an equilibrium in action regions, and certify it.",
    "nash": "Find a Nash equilibrium, and certify it.",
    "compare": "Let agents of a two-player zero-sum game meet: each other, an equilibrium, and their nemeses.",
    "play": "Play a game yourself. Type an action, ? to ask the coach, q to stop.",
    "match": "Let two agents play against each other, and say what is luck and what is not.",
    "field": "Let every agent play every other, and rank them: by chips, by instant runoff, by wins.",
    "dealer": "Deal poker to programs that speak the competition's protocol (MATCHSTATE, 2.0.0).",
    "join": "Let an agent play on a dealer that speaks the competition's protocol.",
    "tournament": "Solve a jam/fold tournament, and check what any player could gain by deviating for ever.",
    "icm": "Value stacks by the Independent Chip Model (Malmuth-Harville).",
    "equity": "Say how often each of some hold'em hands or ranges wins, all other cards dealt every way.",
}
"""The first paragraph of each command's docstring, which ``tests/cli/test_commands.py`` compares."""

SHARED = {"export": "text", "import": "text", "field": "match", "join": "dealer"}
"""The modules of commands that have none of their own."""


def load_command(name: str) -> Any:
    """Return the command ``name`` of Typer: ``command`` of its own module, ``NAME_command`` of a shared one.

    A module's ``EPILOG`` ends the page of the command that it is named after.
    """
    module = import_module(f"equipoise.cli.{SHARED.get(name, name)}")
    alone = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown"
    )
    if name in SHARED:
        alone.command(name)(getattr(module, f"{name}_command"))
    else:
        alone.command(name, epilog=getattr(module, "EPILOG", None))(module.command)
    return typer.main.get_command(alone)


class LazyGroup(TyperGroup):
    """The commands of the table: listed by name and summary, and loaded when one is to be run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, summary in COMMANDS.items():
            self.add_command(TyperCommand(name, help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command that ``args`` begin with, the command, and what follows."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and load_command(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C aborts it, where today's Typer would exit without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None
