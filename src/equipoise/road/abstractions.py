"""Ways to abstract a game with signals, by the names that users type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equipoise.abstraction.gameshrink import Method

ABSTRACTIONS: dict[str, tuple[Method, str]] = {
    "gameshrink": ("sound", "merges what no belief can tell apart: lossless"),
    "histogram": ("histogram", "compares outcome counts, as first published: not lossless"),
    "suits": ("suits", "only renames suits: lossless, and the largest"),
}
"""As users spell a method of abstraction: GameShrink's own name for it, and what it is."""
