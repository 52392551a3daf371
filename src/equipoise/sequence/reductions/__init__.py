"""Smaller forms of the same game: merged, or restricted to some sequences."""
