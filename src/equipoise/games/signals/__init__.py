"""Games with signals: what nature deals and what players do, as two factors."""
