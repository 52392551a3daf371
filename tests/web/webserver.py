"""A server in a thread, and the browser to look at it with."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import uvicorn

from equipoise.play.web.app import application
from equipoise.play.web.serving import MOST_MESSAGE, listen

SMALL = "rhode_island(ranks=5,suits=4)"
"""Rhode Island hold'em with twenty cards."""

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)


class Served:
    """A server in a thread."""

    def __init__(self, folder: Path, **options: Any) -> None:
        listener = listen("127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            application(folder, **options), log_level="error", ws_max_size=MOST_MESSAGE
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)
