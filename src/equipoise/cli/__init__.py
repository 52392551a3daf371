"""The command line: one module a command, nothing heavy imported before a command runs."""

from equipoise.cli.app import main

__all__ = ["main"]
