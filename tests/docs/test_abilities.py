"""Solvers and certificates ask games and payoffs for abilities; they never look at the class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_names import SOURCE, sources


def classes_below(*folders: str) -> set[str]:
    """Names of the classes that the modules of some folders define."""
    return {
        node.name
        for folder in folders
        for path in (SOURCE / folder).rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    }


def looked_at(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the class of every ``isinstance`` and ``match`` in a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.MatchClass):
            yield node.lineno, ast.unparse(node.cls)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            yield from ((node.lineno, name) for name in _names(node.args[1]))


def _names(node: ast.expr) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


@pytest.mark.parametrize("layer", ["solvers", "certificates"])
def test_nobody_looks_at_the_class_of_a_game_or_a_payoff(layer: str) -> None:
    kinds = classes_below("games", "sequence/payoffs")
    assert {"ExtensiveGame", "StageGame", "UtilityGame", "CanonicalViews", "Factored"} <= kinds
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {name}"
        for path in sources()
        if path.is_relative_to(SOURCE / layer)
        for line, name in looked_at(path)
        if name in kinds
    ]
    assert not found
