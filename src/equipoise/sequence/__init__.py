"""The sequence form: strategy spaces as treeplexes, payoffs as linear operators."""
