"""Solvers: one loop over (X, Y, A), one short file for each method."""
