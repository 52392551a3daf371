"""From an abstract game to the full one, or a finer model: play in every view as in its bucket."""

from __future__ import annotations

import numpy as np

from equipoise.abstraction.base import Abstraction, Partition
from equipoise.errors import EquipoiseError, require_type
from equipoise.strategy.profile import Layout, Strategy

_LONGEST = 1 << 32  # sequences are numbered by 32 bits


def lift(strategy: Strategy, abstraction: Abstraction, onto: Partition | None = None) -> Strategy:
    """Return the strategy of the full game that plays as ``strategy`` does in the abstract one.

    The result belongs to the game itself, whose views are those of
    :func:`equipoise.games.signals.views.views`; or, given one that refines the ``abstraction``, to the
    model ``onto`` of it.
    """
    require_type("lift", strategy, Strategy, "a strategy of an abstraction")
    require_type("lift", abstraction, Abstraction, "an abstraction")
    layout = strategy.layout
    game, _, own = strategy.fingerprint.partition("/")
    if layout is None or not own or layout.buckets != abstraction.buckets:
        raise EquipoiseError(
            f"Strategy of '{strategy.game}': found one with buckets "
            f"{layout.buckets if layout else 'none'}, expected one of the abstraction "
            f"'{abstraction.method}' with buckets {abstraction.buckets}."
        )
    if onto is not None and not (isinstance(abstraction, Partition) and onto.refines(abstraction)):
        raise EquipoiseError(
            f"Strategy of '{strategy.game}': found the abstraction '{onto.method}' to lift it to, expected "
            f"one that refines its own, '{abstraction.method}'."
        )
    full = Layout(layout.nodes, abstraction.views if onto is None else onto.buckets)
    longest = max(int(full.starts(player)[-1]) for player in (0, 1))
    if longest > _LONGEST:
        raise EquipoiseError(
            f"Strategy of '{strategy.game}': found {longest:,} sequences of the full game, expected "
            f"at most {_LONGEST:,} to lift it; ask it as it is, it looks hands up by their buckets."
        )
    vectors = []
    for player, vector in enumerate(strategy.behaviour):
        parts = [np.ones(1, dtype=vector.dtype)]
        starts = layout.starts(player)
        for (turn, actions), begin, end in zip(
            layout.nodes[player], starts[:-1], starts[1:], strict=True
        ):
            block = vector[begin:end].reshape(actions, -1)
            if onto is None:
                every = np.arange(abstraction.views[turn][player])
            else:  # a view of each bucket: all of them are alike to the coarser abstraction
                every = np.unique(onto.maps[turn][player], return_index=True)[1]
            parts.append(block[:, abstraction.bucket(turn, every, player)].reshape(-1))
        vectors.append(np.concatenate(parts))
    if onto is None:
        return Strategy(strategy.game, game, tuple(vectors), full, strategy.source)
    own = f"{game}/{onto.digest}"
    return Strategy(strategy.game, own, tuple(vectors), full, strategy.source, onto)
