"""Abstractions: maps from what a player is told to what she is allowed to remember."""
