"""Games: what the rules are, as data or as code, independent of how they are solved."""
