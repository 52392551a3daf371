"""Certificates: how good a strategy is in the full game, from rules and strategy alone."""

from equipoise.certificates.certificate import Certificate
from equipoise.certificates.gap import certify

__all__ = ["Certificate", "certify"]
