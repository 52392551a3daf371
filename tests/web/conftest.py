"""A folder of small strategies, the application that serves it, and a browser where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from webserver import CHROMIUM, SMALL, Served

import equipoise
from equipoise.play.web.app import application
from equipoise.play.web.library import identity_of


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Strategies of every kind of game; a file that is damaged, and one that is none."""
    folder = tmp_path_factory.mktemp("strategies")
    matrix = 'NFG 1 R "paper" { "Row" "Column" } { 2 2 }\n\n1 -1 -1 1 -1 1 1 -1\n'
    (folder / "pennies.nfg").write_text(matrix)
    equipoise.solve("kuhn", out=folder / "kuhn.eqp")
    equipoise.solve("leduc", gap=0.05, out=folder / "leduc.eqp")
    equipoise.solve("leduc", "cfr+", iterations=20, out=folder / "leduc-rough.eqp")
    equipoise.solve("auction", gap=0.1, out=folder / "auction.eqp")
    equipoise.solve(SMALL, gap=50, out=folder / "rhode.eqp")
    equipoise.solve(str(folder / "pennies.nfg"), out=folder / "pennies.eqp")
    equipoise.solve("unrevealing", out=folder / "unrevealing.eqp")
    (folder / "three.nfg").write_text(
        'NFG 1 R "three" { "A" "B" "C" } { 2 2 2 }\n\n'
        "1 1 1 0 0 0 0 0 0 2 0 0 0 0 0 0 2 0 0 0 2 3 3 3\n"
    )
    equipoise.solve(str(folder / "three.nfg"), out=folder / "three.eqp")
    (folder / "damaged.eqp").write_bytes((folder / "kuhn.eqp").read_bytes()[:700])
    (folder / "notes.txt").write_text("nothing to see")
    (folder.parent / "secret.eqp").write_bytes((folder / "kuhn.eqp").read_bytes())
    return folder


@pytest.fixture
def folder(solved: Path, tmp_path: Path) -> Path:
    """The strategies in a folder that a test may write to."""
    return Path(shutil.copytree(solved, tmp_path / "own"))


@pytest.fixture
def client(solved: Path) -> Iterator[TestClient]:
    with TestClient(
        application(solved), base_url="http://localhost:8765", raise_server_exceptions=True
    ) as found:
        yield found


@pytest.fixture(scope="session")
def ids() -> dict[str, str]:
    names = ("kuhn", "leduc", "leduc-rough", "auction", "rhode", "pennies", "unrevealing", "three")
    return {name: identity_of(f"{name}.eqp") for name in (*names, "damaged", "secret")}


@pytest.fixture(scope="session")
def server(solved: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served") / "folder"
    found = Served(Path(shutil.copytree(solved, folder)))
    yield found
    found.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One browser for all tests."""
    if CHROMIUM is None:
        tell = pytest.fail if os.environ.get("EQUIPOISE_NEEDS_BROWSER") else pytest.skip
        tell("there is no Chromium here; CI installs one")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root (in a container) Chromium has no sandbox.
        flags = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()
