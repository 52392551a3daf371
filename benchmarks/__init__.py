"""Equipoise beside its peers: each module is a command, ``python -m benchmarks.NAME``."""
