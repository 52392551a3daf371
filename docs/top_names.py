"""A table of what ``import equipoise`` offers, for the first page of the API reference."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import griffe
from docstrings import without_tags

SOURCE = Path(__file__).parents[1] / "src"
MARK = "<!-- names -->"


def on_page_markdown(markdown: str, **context: Any) -> str:
    """Put the table where a page marks its place (a hook of MkDocs)."""
    return markdown.replace(MARK, table()) if MARK in markdown else markdown


def table() -> str:
    """Return a row for each name: a link to where it is explained, and its first sentence."""
    package = griffe.load("equipoise", search_paths=[SOURCE])
    rows = ["| name | what it is |", "| --- | --- |"]
    for name, home in sorted(homes().items(), key=lambda item: item[0].lower()):
        module = package[home.removeprefix("equipoise.")]
        found = module.members.get(name, module)  # as equipoise.lazy finds it
        said = found.docstring.value.splitlines()[0] if found.docstring else ""
        said = re.sub(r":\w+:(?=`)", "", without_tags(said)).replace("``", "`")
        rows.append(f"| [`{name}`][{found.canonical_path}] | {said} |")
    return "\n".join(rows)


def homes() -> dict[str, str]:
    """Return the package's own table of names and the modules they live in."""
    tree = ast.parse((SOURCE / "equipoise" / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_HOME":
            # An annotation without a value has none; the table has one.
            found: dict[str, str] = ast.literal_eval(node.value)  # type: ignore[arg-type]
            return found
    raise ValueError("equipoise/__init__.py has no table _HOME")
