"""``equipoise dealer`` and ``equipoise join``: the poker competition's protocol on the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli import options
from equipoise.cli.completion import complete_agent
from equipoise.cli.output import note, number, print_facts, print_json

Host = Annotated[
    str, typer.Option("--host", help="Where the dealer listens; this machine alone by default.")
]


def command(
    game: options.Game,
    hands: Annotated[int, typer.Option("--hands", help="Hands to deal.")] = 1000,
    ports: Annotated[
        list[int] | None,
        typer.Option("--port", min=0, max=65535, help="A port for each player; any by default."),
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--name", help="A name for each player, for the log.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What the cards follow from.")] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds to connect, and for every action.")
    ] = 60.0,
    host: Host = "127.0.0.1",
    log: Annotated[
        Path | None, typer.Option("--log", help="Write the hands, a line each, and the score.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Deal poker to programs that speak the competition's protocol (MATCHSTATE, 2.0.0).

    Every player connects to a port of her own, with `equipoise join` or any other program.
    """
    import asyncio

    from equipoise.files import require_writable, write_atomically
    from equipoise.play.acpc import poker_rules
    from equipoise.play.dealer import Dealer, Dealing

    rules = poker_rules(game)
    players = range(rules.players)
    dealing = Dealing(
        game=rules,
        hands=hands,
        seed=seed,
        names=tuple(names or [f"player-{i + 1}" for i in players]),
        timeout=timeout,
        host=host,
        ports=tuple(ports or [0 for _ in players]),
    )
    if log is not None:
        require_writable(log)
    dealer = Dealer(dealing, note)

    async def deal() -> Any:
        found = await dealer.open()
        for name, port in zip(dealing.names, found, strict=True):
            note(f"{name}: waiting on {host}:{port}.")
        return await dealer.run()

    dealt = asyncio.run(deal())
    if log is not None:
        text = "\n".join((*dealt.log, dealt.score_line(dealing.names), ""))
        write_atomically(log, lambda file: file.write(text.encode()))
    if json:
        print_json(
            {
                "game": rules.name,
                "hands": hands,
                "players": dealing.names,
                "totals": dealt.totals,
                "late": dealt.late,
                "wrong": dealt.wrong,
                "connections": dealt.connections,
            }
        )
        return
    print_facts(
        {
            "game": f"{rules.name}, {hands:,} hands",
            **{
                name: f"{dealt.totals[i]:+,g} chips, {dealt.late[i]} answers late, {dealt.wrong[i]} wrong"
                for i, name in enumerate(dealing.names)
            },
        }
    )


def join_command(
    game: options.Game,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT", help="Who plays, as for match.", autocompletion=complete_agent
        ),
    ],
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The dealer's port.")],
    host: Host = "127.0.0.1",
    seed: Annotated[int, typer.Option("--seed", min=0, help="What the agent draws from.")] = 0,
    json: options.Json = False,
) -> None:
    """Let an agent play on a dealer that speaks the competition's protocol."""
    import asyncio

    from equipoise.play.acpc import poker_rules
    from equipoise.play.agents import agent as agent_called
    from equipoise.play.client import Client

    rules = poker_rules(game)
    client = Client(rules, agent_called(agent, rules), seed)
    seen = asyncio.run(client.play(host, port))
    if json:
        print_json(
            {
                "game": rules.name,
                "agent": agent,
                "hands": seen.hands,
                "total": seen.total,
                "connections": seen.connections,
                "ignored": seen.ignored,
            }
        )
    else:
        mean = seen.total / seen.hands if seen.hands else 0.0
        print_facts(
            {
                "game": f"{rules.name}, {seen.hands:,} hands",
                agent: f"{seen.total:+,g} chips, {number(mean)} a hand",
            }
        )
