"""Docstrings as the API reference shows them: what they say in reStructuredText, said in Markdown.

Docstrings name other things as ``:func:`equipoise.solvers.base.solve` ``, which every Python editor
understands. Here a name becomes a link to where the reference explains it, or stays plain code where
it does not; a block announced by two colons is announced by one; a doctest is a block of its own; and
``<x, A y>`` is an inner product, not HTML.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, NameResolutionError, Object

DOCTEST = re.compile(r"^>>>.*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
ROLE = re.compile(r":(?:mod|func|class|meth|data|attr|exc|obj):`(~?)([\w.]+)`")
CODE_OR_BRACKET = re.compile(r"(`+[^`]*`+)|<(?=\w)")


class Docstrings(Extension):
    """Rewrites every docstring when its module has been read."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Rewrite the docstring of ``obj``."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value, obj)


def markdown(text: str, owner: Object) -> str:
    """Return the docstring ``text`` of ``owner`` in Markdown."""

    def link(role: re.Match[str]) -> str:
        short, name = role.groups()
        shown = name.rpartition(".")[2] if short else name.removeprefix("equipoise.").lstrip(".")
        return f'<autoref identifier="{full_name(name, owner)}" optional><code>{shown}</code></autoref>'

    prose = "\n\n".join(without_tags(paragraph) for paragraph in text.split("\n\n"))
    linked = ROLE.sub(link, prose).replace("::\n\n", ":\n\n")
    return DOCTEST.sub(lambda shown: f"\n```python\n{shown[0]}\n```\n", linked)


def full_name(name: str, owner: Object) -> str:
    """Return what ``name`` means in a docstring of ``owner``; a leading dot is the owner's package."""
    if name.startswith("."):
        module = owner.module
        package = module if module.is_init_module else module.parent
        return f"{package.path}{name}" if package is not None else name
    head, dot, rest = name.partition(".")
    try:
        return f"{owner.resolve(head)}{dot}{rest}"
    except NameResolutionError:
        return name


def without_tags(paragraph: str) -> str:
    """Escape brackets that HTML would take for tags, where the paragraph is no block of code."""
    if all(line.startswith("    ") for line in paragraph.splitlines()) or ">>>" in paragraph:
        return paragraph
    return CODE_OR_BRACKET.sub(lambda found: found[1] or "&lt;", paragraph)
