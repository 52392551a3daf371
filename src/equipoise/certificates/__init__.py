"""Certificates: how good a strategy is in the full game, from rules and strategy alone."""

from typing import TYPE_CHECKING

from equipoise.lazy import attach

if TYPE_CHECKING:
    from equipoise.certificates.certificate import Certificate
    from equipoise.certificates.gap import certify

__all__ = ["Certificate", "certify"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Certificate": "equipoise.certificates.certificate",
        "certify": "equipoise.certificates.gap",
    },
)
