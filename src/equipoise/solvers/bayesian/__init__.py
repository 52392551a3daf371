"""Equilibria of Bayesian games, from qualitative models and by linear programs."""
