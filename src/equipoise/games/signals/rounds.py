"""What nature deals: the signal factor of a two-player game, round by round.

A *view* is everything one player has been told so far: the public signals and her own private ones,
(α̃, β̃_i) in the notation of Gilpin and Sandholm (2007), up to symmetries the game has declared (in a
card game, renaming suits). Views of a round are numbered 0, 1, ...; each extends one view of the
previous round. A *deal* is a pair of views that can occur together.

Abstractions merge views into buckets; payoff operators need, of a whole round, only the joint
distribution of the two players' buckets and the expected outcome in each cell. So a
:class:`SignalRound` over views (listed, in small games) and one over buckets (made of it, or by going
through boards, in large games) are the same thing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.numerics.device import Device

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class SignalRound:
    """The deals of one round, over views or over buckets.

    Attributes
    ----------
    parents
        For each player, the view of the previous round that each view extends (zeros in round 0,
        where the only earlier view is "nothing").
    pairs
        For each player, her view in each deal: two index arrays of equal length.
    weight
        Probability of each deal; sums to one.
    values
        For each kind of outcome the game knows (``showdown``, say), its value to player 1 in each
        deal at scale one. A kind that cannot end the game in this round is absent.
    """

    parents: tuple[Indices, Indices]
    pairs: tuple[Indices, Indices]
    weight: Floats
    values: Mapping[str, Floats]

    @property
    def views(self) -> tuple[int, int]:
        """Number of views of each player."""
        return len(self.parents[0]), len(self.parents[1])

    @property
    def dense(self) -> PairMatrices | None:
        """Ability: the deals as matrices over pairs of views, where they are kept so."""
        return None


class PairMatrices(Protocol):
    """The deals of a round as matrices over pairs of views, in the memory of a device."""

    @property
    def device(self) -> Device:
        """The device."""

    def of(self, kind: str | None) -> Any:
        """Return the probability of each pair, times the outcome of a ``kind`` if one is named."""


def fingerprint(rounds: Sequence[SignalRound]) -> str:
    """Return a short digest of views, deals and outcomes: equal for equal signals.

    Real numbers enter to about six digits, so that a digest does not depend on the order in which a
    machine happened to add.
    """
    return _fingerprint(tuple(rounds))


@lru_cache(maxsize=4)
def _fingerprint(rounds: tuple[SignalRound, ...]) -> str:
    digest = hashlib.sha256()
    for signals in rounds:
        for indices in (*signals.parents, *signals.pairs):
            digest.update(np.asarray(indices, dtype="<u4").tobytes())
        digest.update(_digits(signals.weight * len(signals.weight)))
        for kind in sorted(signals.values):
            digest.update(kind.encode())
            digest.update(_digits(signals.values[kind]))
    return digest.hexdigest()[:16]


def _digits(values: Floats) -> bytes:
    return np.rint(np.asarray(values) * 2.0**20).astype("<i8").tobytes()


def sample(
    rounds: Sequence[SignalRound], proportion: float, random: np.random.Generator
) -> tuple[SignalRound, ...]:
    """Return the signals of a game in which nature plays only a sample of her deals.

    The sample holds ``ceil(proportion * n)`` of the n deals of the last round, drawn without
    repetition; their probabilities are rescaled to sum to one (Gilpin 2009, section 9.3). A deal of
    an earlier round keeps the probability of the sampled deals that extend it.
    """
    if not 0 < proportion <= 1:
        raise EquipoiseError(f"Sampling: the proportion is {proportion}, expected 0 < p <= 1.")
    last = rounds[-1]
    count = int(np.ceil(proportion * len(last.weight)))
    drawn = np.sort(random.choice(len(last.weight), size=count, replace=False))
    chance = last.weight[drawn] / last.weight[drawn].sum()
    first, second = (own[drawn] for own in last.pairs)
    sampled = []
    for signals in reversed(rounds):
        place = find_pairs(signals, first, second)
        weight: Floats = np.zeros(len(signals.weight))
        np.add.at(weight, place, chance)
        kept = np.flatnonzero(weight)
        sampled.append(
            SignalRound(
                parents=signals.parents,
                pairs=(signals.pairs[0][kept], signals.pairs[1][kept]),
                weight=weight[kept],
                values={kind: value[kept] for kind, value in signals.values.items()},
            )
        )
        first, second = signals.parents[0][first], signals.parents[1][second]
    return tuple(reversed(sampled))


def find_pairs(signals: SignalRound, first: Indices, second: Indices) -> NDArray[np.int64]:
    """Return the deal of a round in which the players have these views."""
    width = signals.views[1]
    keys = signals.pairs[0].astype(np.int64) * width + signals.pairs[1]
    order = np.argsort(keys, kind="stable")
    wanted = first.astype(np.int64) * width + second
    return np.asarray(order[np.searchsorted(keys, wanted, sorter=order)], dtype=np.int64)
