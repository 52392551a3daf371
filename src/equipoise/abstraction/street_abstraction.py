"""Abstractions of poker of any size, street by street: how many buckets, by what, and from how many flops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.abstraction.street_buckets import StreetBuckets
from equipoise.abstraction.street_centres import Distance
from equipoise.abstraction.street_division import FEATURES, Each, Feature, Leaves, StreetDivision
from equipoise.abstraction.street_features import street_features
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Indices
from equipoise.games.signals.views import views
from equipoise.numerics.device import Device


def divided(
    game: PokerGame,
    buckets: Sequence[int],
    feature: Feature = "potential",
    *,
    power: float = 1.0,
    temporary: int = 10,
    metric: Distance = "l2",
    leaves: Leaves = "strength",
    holes: Indices | None = None,
    classes: int | None = None,
    boards: int | None = None,
    seed: int = 0,
    device: Device | None = None,
    method: str = "",
    each: Each | None = None,
) -> StreetBuckets:
    """Return buckets of the hands of ``game``, at most ``buckets[r]`` in round r.

    Parameters
    ----------
    feature, power
        By what hands differ; and for expectation, to which power.
    temporary, metric
        For potential, the number of temporary clusters, and the distance between histograms.
    leaves
        Whether hands of the last street differ by how they stand, or by how they do against each of some
        clusters of ``opponents``.
    holes
        The bucket of each class of hole cards, if they are divided already.
    classes, seed
        How many classes of first common cards the centres are found by, and which; all unless told otherwise.
    boards
        How many boards the deals of the abstraction are counted on; all unless told otherwise.
    device
        Where to compute; by default compiled loops on the processor.
    each
        Called with the name of a step, and the numbers of classes done and to do.
    """
    _require(game, buckets, feature)
    if feature == "threshold" and leaves == "opponents":
        raise EquipoiseError(
            "buckets: found leaves=opponents for chains, which are made of numbers, expected leaves=strength."
        )
    features = street_features(game, device)
    streets = features.streets
    random = np.random.default_rng(seed)
    every, weights = np.arange(len(streets.first)), streets.copies
    if classes is not None and classes < len(every):
        every = random.choice(len(every), classes, replace=False, p=weights / weights.sum())
        weights = np.ones(classes)
    division = StreetDivision(
        features=features,
        buckets=buckets,
        feature=feature,
        power=power,
        temporary=temporary,
        metric=metric,
        leaves=leaves,
        given=holes,
        classes=every,
        weights=weights,
        seed=seed,
        each=each or (lambda *_: None),
    )
    division.run()
    return StreetBuckets(
        game,
        division.parents,
        (division.holes,) * streets.quiet,
        division.tables(),
        division.last_street(),
        sample=boards,
        seed=seed,
        device=device,
        method=method or f"{feature}({'-'.join(map(str, buckets))})",
    )


def _require(game: PokerGame, buckets: Sequence[int], feature: str) -> None:
    """Raise unless ``buckets`` are numbers of buckets that the rounds of ``game`` can have."""
    text = "-".join(map(str, buckets))
    if feature not in FEATURES:
        raise EquipoiseError(f"buckets: found '{feature}', expected one of {', '.join(FEATURES)}.")
    if len(buckets) != game.rounds:
        raise EquipoiseError(
            f"Buckets {text}: found numbers for {len(buckets)} rounds, expected {game.rounds}."
        )
    named, before = views(game), 1
    for turn, count in enumerate(buckets):
        if not before <= count <= named.count(turn):
            raise EquipoiseError(
                f"Buckets {text}: found {count} in round {turn + 1}, expected {before} to "
                f"{named.count(turn):,}: every bucket of the round before has one, and every view is in one."
            )
        before = count
