"""One name, one meaning: classes of the package never share a name, and modules only with a reason."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "equipoise"

SAME_CLASS: dict[str, str] = {}
"""Classes that may share a name, with the reason."""

SAME_MODULE = {
    "acpc": "the competition's definitions and logs, and its protocol",
    "base": "what all members of its package have in common",
    "board_sums": "sums over the hands of a board: on arrays, and compiled for payoffs",
    "game": "the class of games that its package is about",
    "on_boards": "boards of poker: payoffs on them, and what strategies tell apart",
    "ranked": "hands compared by rank: the kernel, and the payoff that it computes",
    "stages": "rounds that are cut off: the shorter game, its abstraction, strategies of the whole one",
    "regions": "regions of actions, and their plot",
    "views": "what players see, and strategies over it",
    # Families of games and methods have a module in each layer that treats them.
    "bayesian": "",
    "jamfold": "",
    "repeated": "",
    "spots": "",
    "stochastic": "",
    "tournament": "",
}
"""Modules outside the command line that may share a name. A command's module is named after it."""


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_classes_have_names_of_their_own() -> None:
    homes = defaultdict(set)
    for path in sources():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(str(path.relative_to(SOURCE)))
    shared = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    assert shared.keys() == SAME_CLASS.keys(), shared


def test_modules_share_a_name_only_with_a_reason() -> None:
    homes = defaultdict(set)
    for path in sources():
        if path.stem not in ("__init__", "__main__") and "cli" not in path.parts:
            homes[path.stem].add(str(path.relative_to(SOURCE)))
    shared = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    assert shared.keys() <= SAME_MODULE.keys(), shared
