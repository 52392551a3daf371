"""Strategies: behaviour and realization plans, lifting, and files."""
