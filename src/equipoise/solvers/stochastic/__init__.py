"""Equilibria of stochastic games, tournaments among them."""
