"""What a command leaves: exit code, stdout, stderr."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def fields(self) -> dict[str, Any]:
        """The one JSON object that was printed."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Cli = Callable[..., Outcome]
