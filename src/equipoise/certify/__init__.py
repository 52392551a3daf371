"""Certificates: how good a strategy is in the full game, from rules and strategy alone."""
