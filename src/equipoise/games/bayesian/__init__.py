"""Bayesian games: private signals on the line, one round of play."""
