"""Docstrings as the API reference shows them: what they say in reStructuredText, said in Markdown.

Docstrings name other things as ``:func:`equipoise.solvers.base.solve` ``, which every Python editor
understands. Here a name becomes a link to where the reference explains it, or stays plain code where
it does not; a block announced by two colons is announced by one; and a doctest is a block of its own.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Docstring, Extension, NameResolutionError, Object

DOCTEST = re.compile(r"^>>>.*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
ROLE = re.compile(r":(?:mod|func|class|meth|data|attr|exc|obj):`(~?)([\w.]+)`")


class Roles(Extension):
    """Rewrites every docstring when its module has been read."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Rewrite the docstring of ``obj``."""
        if obj.docstring is not None:
            _rewrite(obj, obj.docstring)


def _rewrite(owner: Object, docstring: Docstring) -> None:
    def link(role: re.Match[str]) -> str:
        short, name = role.groups()
        try:
            target = owner.resolve(name)
        except NameResolutionError:
            target = name
        shown = name.rpartition(".")[2] if short else name.removeprefix("equipoise.")
        return f'<autoref identifier="{target}" optional><code>{shown}</code></autoref>'

    text = ROLE.sub(link, docstring.value).replace("::\n\n", ":\n\n")
    docstring.value = DOCTEST.sub(lambda shown: f"\n```python\n{shown[0]}\n```\n", text)
