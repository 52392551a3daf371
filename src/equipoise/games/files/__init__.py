"""Games in files: TOML, Gambit, OpenSpiel."""
