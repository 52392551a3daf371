"""Everything shown is run: commands and Python in the README and in docs/, page by page."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from equipoise.cli.app import run
from equipoise.games.base import GAMES
from equipoise.road.families import FAMILIES
from equipoise.solvers.methods import METHODS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
# The README solves Rhode Island too, but nothing is more worth a look before each change.
SLOW = {"rhode-island.md"}
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A solve on these pages may stop short of its target, which the page says.
DONE = {0, 1}


@pytest.fixture
def registries() -> Iterator[None]:
    """Take out again what a page puts into the tables."""
    tables: list[dict[str, Any]] = [METHODS, GAMES, FAMILIES]
    kept = [dict(table) for table in tables]
    yield
    for table, before in zip(tables, kept, strict=True):
        table.clear()
        table.update(before)


def commands(text: str) -> list[str]:
    return [line[2:] for line in text.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW)) for page in PAGES],
    ids=[page.name for page in PAGES],
)
@pytest.mark.usefixtures("registries")
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for language, text in FENCE.findall(page.read_text()):
        if language == "toml" and (name := re.match(r"# (\S+\.toml)$", text, re.MULTILINE)):
            Path(name[1]).write_text(text)
        elif language == "python":
            exec(compile(text, page.name, "exec"), vars(module))
        elif language == "console":
            for command in commands(text):
                program, *arguments = shlex.split(command)
                if program == "equipoise":
                    assert run(arguments) in DONE, command
                else:
                    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_readme_promises_what_ci_runs_first() -> None:
    shown = commands((ROOT / "README.md").read_text())
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert [line for line in script if line.startswith("./run")][: len(shown)] == shown


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_nothing_is_left_to_fill_in(page: Path) -> None:
    prose = FENCE.sub("", page.read_text())
    assert not re.findall(r"^[A-Z_]{4,}$|\b(?:TODO|FIXME|TBD|XXX)\b", prose, re.MULTILINE)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"\w+:", target):
            continue  # elsewhere in the world
        path, _, heading = target.partition("#")
        place = page.parent / path if path else page
        assert place.is_file(), target
        assert not heading or heading in headings(place), target


def headings(page: Path) -> set[str]:
    """Anchors of a page's headings, as MkDocs makes them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    return {re.sub(r"[-\s]+", "-", title) for title in plain}


def test_the_picture_is_drawn_by_its_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import picture

    picture.main(tmp_path / "picture.png", "rhode-island(ranks=3,suits=2)", iterations=20)
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    assert (ROOT / "docs" / "rhode-island.png").stat().st_size < 200_000
    sys.modules.pop("picture")


def test_every_page_can_be_found() -> None:
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_the_first_page_leads_to_every_other() -> None:
    first = (ROOT / "docs" / "index.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in first


def test_scripts_can_be_run() -> None:
    assert os.access(ROOT / "run", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_works_cited_are_listed() -> None:
    """Author and year are how code and documentation cite; docs/references.md says what that is."""
    listed = (ROOT / "docs" / "references.md").read_text()
    works = {line for line in listed.replace("\n  ", " ").splitlines() if line.startswith("- ")}
    assert len(works) > 40
    citation = re.compile(
        r"\b([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?: et al\.)?,? \(?((?:19|20)\d\d)\b(?!\.\d)"
    )
    missing = {
        f"{name} {year} in {source.relative_to(ROOT)}"
        for folder in ("src", "docs", "experiments", "benchmarks")
        for source in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]
        for name, year in citation.findall(re.sub(r"\n\s*", " ", source.read_text()))
        if not any(name in work and f"({year})" in work for work in works)
    }
    assert not missing


@pytest.mark.parametrize("folder", ["src", "docs", "experiments", "benchmarks", "tests"])
def test_a_seed_is_a_number_of_a_random_generator(folder: str) -> None:
    """Works are cited by author and year, not by where somebody keeps them."""
    for source in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]:
        assert not re.search(
            r"[Ss]eed 0\d\d|\bthe seed's\b|\bThe seed\b|the[_]seed", source.read_text()
        ), source


# Where fields of TOML files are read. Every one that a reader accepts is explained on one page.
READERS = ["games/files/rules.py", "games/files/rules_betting.py", "games/files/rules_ranking.py"]
READERS += [
    "games/files/tournament.py",
    "games/files/bayesian.py",
    "games/repeated/game.py",
    "games/signals/explicit.py",
]


@pytest.mark.parametrize("reader", READERS)
def test_every_field_of_a_toml_file_is_explained(reader: str) -> None:
    tree = ast.parse((ROOT / "src" / "equipoise" / reader).read_text())
    read = ("text", "flag", "whole", "number", "numbers", "texts", "table", "tables", "children")
    called = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    accepted = {
        field.value
        for call in called
        for field in (call.args if call.func.attr == "only" else call.args[:1])
        if call.func.attr in (*read, "only") and isinstance(field, ast.Constant)
    }
    assert accepted
    prose = FENCE.sub("", (ROOT / "docs" / "toml.md").read_text())
    shown = re.findall(r"`([^`\n]+)`", prose)
    explained = {word for text in shown for word in re.findall(r"\w+", text)}
    assert accepted <= explained
