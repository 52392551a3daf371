"""Cards: decks, hand ranks, suit isomorphism and equities."""
