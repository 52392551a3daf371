"""Payoffs as linear operators: one protocol, one file an operator."""
