"""The API reference: every module is in it, every name at the top leads into it, examples run."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

import equipoise

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((SOURCE / "equipoise").rglob("*.py"))
}
# The command line has --help, and how names load on first use is nobody's interface.
NOT_AN_INTERFACE = re.compile(r"equipoise(\.(cli|__main__|lazy)\b.*)?")
WITH_EXAMPLES = [name for name, path in MODULES.items() if ">>> " in path.read_text()]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(import_module(name))
    assert tried > 0
    assert failed == 0


def test_every_module_is_on_one_page() -> None:
    shown = [
        name
        for page in (ROOT / "docs" / "api").glob("*.md")
        for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)
    ]
    for module in MODULES:
        if NOT_AN_INTERFACE.fullmatch(module):
            continue
        above = [name for name in shown if f"{module}.".startswith(f"{name}.")]
        below = [name for name in shown if name.startswith(f"{module}.")]
        assert len(above) == 1 or (not above and below), module


def test_the_table_at_the_top_has_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import top_names

    listed = re.findall(r"^\| \[`(\w+)`\]\[equipoise\.\S+\] \| \S", top_names.table(), re.MULTILINE)
    assert sorted([*listed, "__version__"]) == sorted(equipoise.__all__)


def resolves(dotted: str) -> bool:
    """Whether ``dotted`` names a module of the package, or something in one."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


def test_names_in_texts_exist() -> None:
    """What a page or a docstring names is there, under that name."""
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        (dotted, path.relative_to(ROOT))
        for path in [*texts, *MODULES.values()]
        for dotted in re.findall(r"`~?(equipoise(?:\.\w+)+)", path.read_text())
    }
    assert len(named) > 100
    missing = [f"{dotted} in {path}" for dotted, path in sorted(named) if not resolves(dotted)]
    assert not missing
