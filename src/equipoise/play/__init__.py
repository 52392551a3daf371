"""Play: agents that use a strategy."""
