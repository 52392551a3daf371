"""The Independent Chip Model: what a stack of chips is worth in a tournament, by Malmuth and Harville.

The chance of winning is taken to be a player's share of the chips; the chance of second place, given
the winner, his share of the chips of the others; and so on. The model knows neither position nor
skill nor the blinds. It is what tournament players' calculators assume, and what
:mod:`equipoise.games.tournaments.tournament` replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_numbers

_MOST_PLAYERS = 20
"""The sets of players who may have taken the first places are as many as 2 to this power."""


def icm(stacks: Sequence[float], prizes: Sequence[float]) -> NDArray[np.float64]:
    """Return the expected prize of each player by Malmuth and Harville's formula.

    Sets of players who hold the first places are gone through by size, with the chance of each: the
    next place goes to each of the others in proportion to his stack.

    >>> icm([50, 30, 20], [70, 30]).round(3).tolist()
    [45.179, 32.25, 22.571]
    """
    require_numbers("Stacks", stacks, "positive numbers")
    require_prizes(prizes, len(stacks))
    if not 2 <= len(stacks) <= _MOST_PLAYERS:
        raise EquipoiseError(
            f"Stacks: found {len(stacks)} players, expected from 2 to {_MOST_PLAYERS}."
        )
    if not all(stack > 0 and np.isfinite(stack) for stack in stacks):
        raise EquipoiseError(f"Stacks: found {list(stacks)}, expected positive numbers.")
    values = np.zeros(len(stacks))
    placed = {0: 1.0}
    for prize in prizes:
        longer: dict[int, float] = {}
        for taken, chance in placed.items():
            left = [p for p in range(len(stacks)) if not taken >> p & 1]
            total = sum(stacks[p] for p in left)
            for p in left:
                share = chance * stacks[p] / total
                values[p] += share * prize
                longer[taken | 1 << p] = longer.get(taken | 1 << p, 0.0) + share
        placed = longer
    return values


def require_prizes(prizes: Sequence[float], players: int) -> None:
    """Raise unless there are prizes for at most ``players`` places, none below the next one."""
    require_numbers("Prizes", prizes, "positive numbers")
    falling = all(a >= b for a, b in pairwise(prizes))
    if not len(prizes) or not falling or not prizes[-1] >= 0 or not 0 < prizes[0] < np.inf:
        raise EquipoiseError(
            f"Prizes: found {list(prizes)}, expected positive numbers, the first place's first and "
            "none below the next."
        )
    if len(prizes) > players:
        raise EquipoiseError(
            f"Prizes: found {len(prizes)} of them for {players} players, expected at most one each."
        )
