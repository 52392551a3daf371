"""What the server says: JSON in which every number can be read, and refusals in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields


class RefusalError(EquipoiseError):
    """A request that is refused: with an HTTP status, and why in one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Reply(Response):
    """A JSON answer that nobody keeps."""

    media_type = "application/json"

    def __init__(self, content: Any, status_code: int = 200) -> None:
        super().__init__(encoded(content), status_code, {"Cache-Control": "no-store"})


def encoded(content: Any) -> bytes:
    """Return ``content`` as JSON; what is not finite is null, which browsers can read."""
    return json.dumps(finite(content), allow_nan=False, separators=(",", ":")).encode()


def finite(content: Any) -> Any:
    """Return ``content`` with ``None`` for numbers that are not finite, and lists for tuples."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {str(key): finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    return content


def error(sentence: str) -> dict[str, str]:
    """Return the body of a refusal, on one line."""
    return {"error": " ".join(sentence.split())}


def fields(body: bytes | str, place: str, *known: str) -> Fields:
    """Return the fields of a message, which must be a JSON object with these fields at most."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise EquipoiseError(f"{place}: found no JSON, expected an object in JSON.") from None
    if not isinstance(data, dict):
        raise EquipoiseError(f"{place}: found {type(data).__name__}, expected an object.")
    found = Fields(data, place)
    found.only(*known)
    return found
