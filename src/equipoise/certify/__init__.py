"""Certificates: how good a strategy is in the full game, from rules and strategy alone."""

from equipoise.certify.certificate import Certificate
from equipoise.certify.gap import gap

__all__ = ["Certificate", "gap"]
