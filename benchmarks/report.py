"""Tables that read well in a terminal and paste into Markdown."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        texts = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]
        return "| " + " | ".join(texts) + " |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def processor() -> str:
    """Return the processor's name, and the widest vectors it has, as the system tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    said = dict(reversed([line.split(":", 1) for line in lines if ":" in line]))
    facts = {name.strip(): value.strip() for name, value in said.items()}
    flags = facts.get("flags", "").split()
    widest = next((own for own in ("avx512f", "avx2") if own in flags), "no AVX2")
    return f"{facts.get('model name', platform.machine())} ({widest})"
