"""Nash equilibria of general-sum games."""
