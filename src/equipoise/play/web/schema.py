"""The HTTP interface in OpenAPI's words, for programs that talk to the server and for those that test it."""

from __future__ import annotations

from typing import Any

_ID = {
    "name": "id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 40},
}
_JSON = {
    "description": "As asked for.",
    "content": {"application/json": {"schema": {"type": "object"}}},
}
_REFUSED = {
    "description": "Refused, in one sentence.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["error"],
                "properties": {"error": {"type": "string"}},
            }
        }
    },
}


def _text(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "description": description,
        "schema": {"type": "string", "maxLength": 2000},
    }


def _operation(
    summary: str, *parameters: dict[str, Any], body: dict[str, Any] | None = None, done: str = "200"
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": summary,
        "parameters": list(parameters),
        "responses": {done: _JSON, "4XX": _REFUSED},
    }
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return found


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def schema() -> dict[str, Any]:
    """Return the description of all paths."""
    from equipoise import __version__

    strategy = "/api/strategies/{id}"
    maybe_text = {"type": ["string", "null"], "maxLength": 200}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Equipoise", "version": __version__},
        "paths": {
            "/api/strategies": {"get": _operation("List the strategies.")},
            strategy: {"get": _operation("Tell all about a strategy.", _ID)},
            f"{strategy}/scene": {
                "get": _operation(
                    "Show what a strategy does at one point, hand by hand.",
                    _ID,
                    {
                        **_text("path", "The players' moves, one after another."),
                        "schema": {"type": "array", "items": {"type": "string", "maxLength": 80}},
                    },
                    _text("board", "In poker, the cards of the board."),
                )
            },
            f"{strategy}/search": {
                "get": _operation("Search for situations.", _ID, _text("q", "Moves and hands."))
            },
            f"{strategy}/certificate": {"get": _operation("Download the certificate.", _ID)},
            f"{strategy}/certify": {
                "post": _operation("Recompute the certificate.", _ID, body=_object([]))
            },
            "/api/games": {"get": _operation("List games, methods and opponents.")},
            "/api/solves": {
                "get": _operation("List the solves."),
                "post": _operation(
                    "Start a solve.",
                    body=_object(
                        ["game"],
                        game={"type": "string", "maxLength": 400},
                        method=maybe_text,
                        gap=maybe_text,
                        time={"type": ["number", "null"]},
                    ),
                    done="201",
                ),
            },
            "/api/solves/{id}": {
                "get": _operation("Tell how a solve stands.", _ID),
                "post": _operation(
                    "Pause, resume or stop a solve.",
                    _ID,
                    body=_object(["command"], command={"enum": ["pause", "resume", "stop"]}),
                ),
            },
        },
    }
