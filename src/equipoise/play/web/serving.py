"""The sockets of the server."""

from __future__ import annotations

import socket
from types import ModuleType

from starlette.types import ASGIApp

from equipoise.errors import EquipoiseError

MOST_MESSAGE = 16 * 1024
"""Longest message that a WebSocket takes."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    if not 0 <= port <= 65535:
        raise EquipoiseError(f"--port: found {port}, expected a number from 0 to 65535.")
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(kind, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise EquipoiseError(
            f"--port: cannot listen on {host}:{port} ({error.strerror or error}), expected a free port."
        ) from None
    listener.listen(512)
    return listener


def serve(uvicorn: ModuleType, app: ASGIApp, listener: socket.socket) -> None:
    """Serve until Ctrl-C; solves that run are stopped, and what they have found is saved."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=MOST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run(sockets=[listener])
