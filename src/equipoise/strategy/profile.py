"""Strategies: what every player does in every information set.

A :class:`Strategy` holds behaviour (conditional probabilities), one vector a player, in the order of
the player's treeplex: entry 0 is the empty sequence, then one entry for each sequence. It belongs to
one game (or one abstraction of a game), named by a fingerprint of its structure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError


@dataclass(frozen=True, eq=False)
class Strategy:
    """A behaviour strategy profile.

    Attributes
    ----------
    game
        Name of the game, as ``equipoise solve`` takes it where there is such a name.
    fingerprint
        Digest of the structure the vectors refer to.
    behaviour
        One vector of conditional probabilities a player.
    """

    game: str
    fingerprint: str
    behaviour: tuple[NDArray[Any], ...]

    def require(self, game: str, fingerprint: str, sizes: tuple[int, ...]) -> None:
        """Raise unless this strategy belongs to the game with these numbers of sequences."""
        found = tuple(len(vector) for vector in self.behaviour)
        if self.fingerprint != fingerprint or found != sizes:
            raise EquipoiseError(
                f"Strategy of '{self.game}' (fingerprint {self.fingerprint}, sequences {found}): "
                f"expected one of '{game}' (fingerprint {fingerprint}, sequences {sizes})."
            )
        for player, vector in enumerate(self.behaviour):
            if not np.isfinite(vector).all() or vector.min(initial=0.0) < 0:
                raise EquipoiseError(
                    f"Strategy of '{self.game}': player {player + 1} has a negative or non-finite "
                    "probability, expected numbers from 0 to 1."
                )
