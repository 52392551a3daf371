"""How much memory there is to be had."""

from __future__ import annotations


def free_memory_mb() -> float | None:
    """Return how much memory the machine could still give, or nothing where it cannot be asked."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            known = dict(line.split(":", 1) for line in lines)
        return int(known["MemAvailable"].split()[0]) / 2**10
    except (OSError, KeyError, ValueError):
        return None
