"""``equipoise serve``: the web application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.output import note
from equipoise.errors import EquipoiseError

_SHORTEST_TOKEN = 12


def command(
    port: Annotated[int, typer.Option(help="Where to listen; 0 for any free port.")] = 8765,
    folder: Annotated[
        Path, typer.Option(help="The folder of strategies (*.eqp), and for those solved here.")
    ] = Path(),
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    host: Annotated[
        str, typer.Option(help="Where to listen: this machine alone, unless told otherwise.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help="What others must know to enter; needed with another --host."),
    ] = None,
) -> None:
    """Play, explore, watch and check strategies in a browser.

    Everything is served from this machine, and to nobody else unless --host and --token say so.
    """
    _require_token(host, token)
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise EquipoiseError(
            "serve: found neither Starlette nor uvicorn, expected both: pip install 'equipoise[play]'."
        ) from None
    from equipoise.play.web.app import application
    from equipoise.play.web.serving import listen, serve

    app = application(folder, token)
    listener = listen(host, port)
    shown = "localhost" if host in ("127.0.0.1", "::1") else host
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    entry = address if token is None else f"{address}?token={token}"
    note(f"Equipoise is at {entry} (Ctrl-C ends it).")
    if not no_open:
        import webbrowser

        webbrowser.open(entry)
    serve(uvicorn, app, listener)


def _require_token(host: str, token: str | None) -> None:
    """Raise unless the server is for this machine alone, or for those who know a token."""
    if token is None and host not in ("127.0.0.1", "localhost", "::1"):
        raise EquipoiseError(
            f"--host: found '{host}', which others can reach, expected a --token that they must know."
        )
    if token is not None and (len(token) < _SHORTEST_TOKEN or not token.isalnum()):
        raise EquipoiseError(
            f"--token: found {len(token)} characters, expected at least {_SHORTEST_TOKEN} letters and "
            "digits that nobody guesses."
        )
