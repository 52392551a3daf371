"""Make the pictures of the tutorial, from a server with strategies that are solved for them.

    PYTHONPATH=. python docs/screenshots.py [NAME ...]

Needs the extra ``test`` and a Chromium. Look at every picture before you keep it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.load import Server, serving
from PIL import Image
from playwright.sync_api import sync_playwright

import equipoise
from equipoise.play.web.library import identity_of

IMAGES = Path(__file__).parent / "images"
DESK, PHONE = {"width": 1180, "height": 720}, {"width": 390, "height": 780}
RI = identity_of("rhode-island.eqp")
ROUGH = identity_of("rhode-island-rough.eqp")


def hand(page: Any) -> None:
    """Play one hand, and stop in the middle of the next: there is a score, and a choice to make."""
    page.get_by_label("Your seat").select_option("1")
    for _ in range(6):
        page.wait_for_selector(".actions button[data-action]")
        while not page.locator(".outcome").count():
            before = page.locator(".story").inner_text()
            page.locator(".actions button[data-action]").nth(0).click()
            page.wait_for_function(
                "b => document.querySelector('.outcome') || document.querySelector('.story').innerText !== b",
                arg=before,
            )
        page.keyboard.press("Enter")
        page.wait_for_function("() => !document.querySelector('.outcome')")
    page.locator(".actions button[data-action]").nth(0).click()
    page.wait_for_function("() => document.querySelector('.story').innerText !== ''")


def solve(page: Any) -> None:
    """Solve until there is something to see, and pause."""
    page.get_by_label("Gap", exact=True).fill("1")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_function(
        "() => document.querySelector('[aria-label=\"Gap against time\"] polyline')?.points.length > 25"
    )
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()


def choose(label: str) -> Callable[[Any], None]:
    """Return what chooses a hand of the grid."""

    def chosen(page: Any) -> None:
        page.locator(f'[data-label="{label}"]').first.click()
        page.wait_for_selector(".mix")

    return chosen


SHOTS: dict[str, tuple[str, dict[str, int], str, Callable[[Any], None]]] = {
    "watch": ("watch?game=rhode-island", DESK, "light", solve),
    "play": (f"play/{RI}", DESK, "light", hand),
    "explore": (f"explore/{RI}?path=k&path=k&board=9h", DESK, "light", choose("Th")),
    "value": (f"explore/{RI}?path=k&path=k&board=9h&mode=value", DESK, "light", choose("Th")),
    "compare": (
        f"explore/{RI}?path=k&path=k&path=b&board=9h&with={ROUGH}", DESK, "light", choose("Kh"),
    ),
    "certificate": (
        f"certificates/{RI}", DESK, "light", lambda page: page.wait_for_selector(".big"),
    ),
    "phone-play": (f"play/{RI}", PHONE, "light", hand),
    "phone-explore": (f"explore/{RI}?path=k&path=k&board=9h", PHONE, "dark", choose("Th")),
}  # fmt: skip
"""Name: the address, the size of the window, the colours, and what is done before the picture."""


def shoot(server: Server, names: list[str]) -> None:
    """Make the pictures called ``names``."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    flags = ["--no-sandbox"] if os.getuid() == 0 else []
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=flags)
        for name in names:
            address, size, colours, act = SHOTS[name]
            page = browser.new_context(
                viewport=size, color_scheme=colours, reduced_motion="reduce"
            ).new_page()
            page.goto(f"{server.address}/#/{address}")
            page.set_default_timeout(120_000)
            act(page)
            page.mouse.move(0, 0)
            page.wait_for_function("() => document.fonts.status === 'loaded'")
            picture = IMAGES / f"web-{name}.png"
            page.screenshot(path=picture)
            # A few colours (those far apart, method 1) are enough for a page, and half the bytes.
            Image.open(picture).convert("RGB").quantize(256, 1).save(picture, optimize=True)
        browser.close()


def main() -> None:
    """Solve, serve, and look."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        equipoise.solve("rhode-island", gap=1000, out=folder / "rhode-island-rough.eqp")
        equipoise.solve("rhode-island", gap=20, out=folder / "rhode-island.eqp")
        for left in folder.glob("*.checkpoint"):
            left.unlink()
        with serving(folder) as server:
            shoot(server, sys.argv[1:] or list(SHOTS))


if __name__ == "__main__":
    main()
