"""What tells hands apart on the last street: how they stand, or how they do against each kind of opponent.

The buckets of all hands on all whole boards are too many to be kept. They follow from the bucket before, and

* from how a hand stands against all others (:class:`ByStanding`): in few ways, so a small table has them;
* from its equity against each of some clusters of opponents (:class:`ByOpponents`; Johanson, Burch, Valenzano and
  Bowling 2013): a point, which goes to the nearest centre of its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.street_features import StreetFeatures
from equipoise.errors import EquipoiseError
from equipoise.games.signals.rounds import Floats, Indices
from equipoise.numerics.device import Array


class HandsThere(NamedTuple):
    """All hands on some whole boards: the bucket before of each, its rank, and what is known of its hole cards.

    ``carried`` returns, for every hand there, what is known of its class of hole cards.
    """

    before: Array
    ranks: Array
    carried: Callable[[NDArray[Any]], Array]


class LastStreet(Protocol):
    """What tells the buckets of the last street."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file keeps, by name."""

    def check(self, game: str, before: int, count: int, holes: int) -> None:
        """Raise unless ``before`` buckets have children below ``count``, whatever the classes of ``holes``."""

    def buckets(self, features: StreetFeatures, hands: HandsThere) -> Array:
        """Return the bucket of every hand on some boards."""


@dataclass(frozen=True, eq=False)
class ByStanding:
    """By the bucket before (a row), and by how a hand stands (a column)."""

    table: NDArray[Any]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The table."""
        return {"outcome": self.table}

    def check(self, game: str, before: int, count: int, holes: int) -> None:
        """Raise unless the table is one of these buckets."""
        table = self.table
        _require_buckets(game, table, count)
        if table.ndim != 2 or len(table) != before or table.shape[1] % 2 == 0:
            raise EquipoiseError(
                f"Buckets of '{game}': found outcomes of shape {table.shape}, expected a row for each of "
                f"{before} buckets, and an odd number of columns."
            )

    def buckets(self, features: StreetFeatures, hands: HandsThere) -> Array:
        """Look them up."""
        stands = features.standing_of(hands.ranks)
        return features.look_up(features.kept(self.table), hands.before, stands)


@dataclass(frozen=True, eq=False)
class ByOpponents:
    """By the bucket before, and by the nearest of its centres.

    Attributes
    ----------
    clusters
        The cluster of opponents of each class of hole cards.
    centres, first
        By the bucket before, equities against each cluster, padded with infinities, and the first one's bucket.
    """

    clusters: Indices
    centres: Floats
    first: NDArray[np.int64]

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The three of them."""
        return {"opponents": self.clusters, "centres": self.centres, "first": self.first}

    def check(self, game: str, before: int, count: int, holes: int) -> None:
        """Raise unless every parent has centres, and every class of hole cards a cluster."""
        shapes = self.clusters.shape, self.centres.shape[:1], self.first.shape
        size = int(self.clusters.max(initial=0)) + 1
        if shapes != ((holes,), (before,), (before,)) or self.centres.shape[2:] != (size,):
            raise EquipoiseError(
                f"Buckets of '{game}': found opponents, centres and first buckets of shapes {shapes}, "
                f"expected ({holes},), ({before},) and ({before},), and centres of {size} equities."
            )
        _require_buckets(game, self.first, count)

    def buckets(self, features: StreetFeatures, hands: HandsThere) -> Array:
        """Compare equities with the centres."""
        before, clusters = hands.before, hands.carried(self.clusters)
        points = features.against(hands.ranks, clusters, self.centres.shape[2])
        near = features.nearest(points, before, features.kept(self.centres), is_l1=False)
        first = features.kept(self.first[:, None])
        return near + features.look_up(first, before, before * 0)


def last_street(arrays: Mapping[str, NDArray[Any]]) -> LastStreet:
    """Return what tells the buckets of the last street, as a file has it."""
    if "outcome" in arrays:
        return ByStanding(arrays["outcome"])
    if {"opponents", "centres", "first"} <= arrays.keys():
        return ByOpponents(arrays["opponents"], arrays["centres"], arrays["first"])
    raise EquipoiseError("buckets: found no outcomes of the last street, expected them.")


def _require_buckets(game: str, found: NDArray[Any], count: int) -> None:
    """Raise unless ``found`` are buckets of the last street."""
    if found.dtype.kind not in "iu" or not 0 <= int(found.min()) <= int(found.max()) < count:
        raise EquipoiseError(
            f"Buckets of '{game}', the last round: found {found.dtype} from {found.min()} to {found.max()}, "
            f"expected whole numbers below {count}."
        )
