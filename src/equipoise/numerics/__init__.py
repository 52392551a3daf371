"""Numerical tools that know no games: simplex projections, clustering, linear programs."""
