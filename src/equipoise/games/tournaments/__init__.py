"""Tournaments as stochastic games: jam/fold hands, stacks, prizes."""
