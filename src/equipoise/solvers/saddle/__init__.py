"""Methods for two-player zero-sum games in sequence form."""
