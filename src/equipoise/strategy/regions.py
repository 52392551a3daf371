"""Strategies of Bayesian games, and what every plan is worth at every signal against them.

A :class:`Profile` cuts the signal line into cells and gives every player a mixture of plans in every
cell. Thresholds become such a profile by cutting the cells of a continuous game at them, or, where
signals are finite, by the overlaps of section 6.2 (Ganzfried and Sandholm 2010): signal j is the cell
from j - 1 to j, and a region that covers a fraction of it is played with that probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.bundle import Arrays, Bundle, Metadata
from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import shares
from equipoise.games.bayesian.game import BayesianGame, SignalGame, Signals, UtilityGame
from equipoise.games.files.fields import Fields
from equipoise.strategy.local import BehaviourStrategy, LocalStrategy, unknown
from equipoise.strategy.lookup import Table, whole_table

Floats = NDArray[np.float64]

EMPTY = 1e-9
"""A region that takes no larger part of the line counts as empty."""


@dataclass(frozen=True)
class Profile:
    """``mixture[i][c, p]``: the probability that player i follows plan p in cell c of ``signals``."""

    signals: Signals
    mixture: tuple[Floats, ...]


@dataclass(frozen=True)
class Regions:
    """Pure regions: ``plans[i]`` from low signals to high, with ``cuts[i]`` between them."""

    plans: tuple[tuple[str, ...], ...]
    cuts: tuple[tuple[float, ...], ...]

    def profile(self, game: SignalGame) -> Profile:
        """Return the profile these regions stand for in ``game``."""
        signals = game.signals
        if not signals.finite:
            signals = signals.refine([c for own in self.cuts for c in own])
        mixtures = []
        for i, (plans, cuts) in enumerate(zip(self.plans, self.cuts, strict=True)):
            if len(cuts) != len(plans) - 1 or any(b < a for a, b in pairwise(cuts)):
                raise EquipoiseError(
                    f"Regions of P{i + 1}: found cuts {cuts} for {len(plans)} regions, expected ordered cuts."
                )
            mixture = np.zeros((signals.cells, len(game.plans[i])))
            ends = signals.position([signals.edges[0], *cuts, signals.edges[-1]])
            cell = np.arange(signals.cells)
            for plan, low, high in zip(plans, ends, ends[1:], strict=False):
                overlap = np.clip(np.minimum(high, cell + 1) - np.maximum(low, cell), 0.0, 1.0)
                mixture[:, game.plan(i, plan)] += overlap
            mixtures.append(mixture / mixture.sum(axis=1, keepdims=True))
        return Profile(signals, tuple(mixtures))

    def merged(self, low: float, high: float) -> Regions:
        """Return the same strategies on [low, high] without empty regions or cuts between equal plans."""
        plans, cuts = [], []
        for own, at in zip(self.plans, self.cuts, strict=True):
            ends = zip(own, (low, *at), (*at, high), strict=True)
            kept = [(plan, a) for plan, a, b in ends if b - a > EMPTY * (high - low)]
            kept = [kept[0], *(after for before, after in pairwise(kept) if after[0] != before[0])]
            plans.append(tuple(plan for plan, _ in kept))
            cuts.append(tuple(a for _, a in kept[1:]))
        return Regions(tuple(plans), tuple(cuts))

    def flat(self) -> Floats:
        """Return the cuts of all players in one vector."""
        return np.array([c for own in self.cuts for c in own])

    def at(self, flat: Floats) -> Regions:
        """Return the same regions with the cuts in the vector ``flat``."""
        ends = np.cumsum([len(own) for own in self.cuts])[:-1]
        return Regions(
            self.plans, tuple(tuple(float(c) for c in own) for own in np.split(flat, ends))
        )

    def widths(self, low: float, high: float) -> Floats:
        """Return how wide the regions of all players are, where the line is [low, high]; below 0 out of order."""
        return np.concatenate([np.diff([low, *own, high]) for own in self.cuts])

    def moved(self, before: Regions, after: Regions) -> Regions:
        """Return these regions with every cut moved as the nearest cut of ``before`` moved to ``after``."""
        cuts = []
        for own, old, new in zip(self.cuts, before.cuts, after.cuts, strict=True):
            shift = np.subtract(new, old)
            near = [int(np.argmin(np.abs(np.subtract(old, c)))) if old else -1 for c in own]
            close = [k >= 0 and abs(old[k] - c) <= 1e-6 for k, c in zip(near, own, strict=True)]
            cuts.append(
                tuple(
                    float(c + shift[k]) if ok else c
                    for c, k, ok in zip(own, near, close, strict=True)
                )
            )
        return Regions(self.plans, tuple(cuts))


@dataclass(frozen=True)
class RegionStrategy(BehaviourStrategy):
    """Regions of every player, with the names that a model gives to the thresholds.

    An information set is called by the player (from 1) and the signal, ``1|3`` or ``2|0.25``. Where there are
    infinitely many, labels are those of whole regions, ``1|0 to 0.25``.

    Attributes
    ----------
    game, fingerprint
        Name of the game, and the digest of its plans and signals.
    regions
        The strategy itself.
    model
        The model that it has the form of.
    thresholds
        Of each player, the model's thresholds by name, those of empty regions included.
    rules
        The game that the strategy plays.
    """

    game: str
    fingerprint: str
    regions: Regions
    model: str
    thresholds: tuple[Mapping[str, float], ...]
    rules: SignalGame = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<RegionStrategy of '{self.game}': {self.model}>"

    def local(self, label: str) -> LocalStrategy:
        """Return the plans that are followed at a signal, ``1|3`` or ``2|0.25``, or in a region."""
        player, _, text = label.partition("|")
        at = _number(text)
        for low, high, own in self._parts():
            if label == own.infoset or (player == str(own.player + 1) and low <= at <= high):
                return own._replace(infoset=label)
        raise unknown(label, self)

    def decisions(self) -> Iterator[LocalStrategy]:
        """Yield the plans that are followed at every signal, or in every region of a line of signals."""
        return (own for _, _, own in self._parts())

    def at(self, history: str | Sequence[str] = "") -> Table:
        """Return what is done before anything public: a row a signal or region of a player, a column a plan."""
        return whole_table(self.decisions(), history)

    def _parts(self) -> Iterator[tuple[float, float, LocalStrategy]]:
        """Yield, by player, the lowest and the highest signal at which the same is done, and what."""
        game = self.rules
        if game.signals.finite:
            for i, mixture in enumerate(self.regions.profile(game).mixture):
                for signal, row in enumerate(mixture.tolist(), 1):
                    own = LocalStrategy(i, f"{i + 1}|{signal}", game.plans[i], tuple(row))
                    yield signal, signal, own
            return
        low, high = game.signals.line
        merged = self.regions.merged(low, high)
        for i, (plans, cuts) in enumerate(zip(merged.plans, merged.cuts, strict=True)):
            for plan, a, b in zip(plans, (low, *cuts), (*cuts, high), strict=True):
                play = tuple(float(other == plan) for other in game.plans[i])
                label = f"{i + 1}|{a:.12g} to {b:.12g}"
                yield a, b, LocalStrategy(i, label, game.plans[i], play)


def _number(text: str) -> float:
    """Return the number that ``text`` writes, or none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def packed(strategy: RegionStrategy) -> tuple[Arrays, Metadata]:
    """Return ``strategy`` as arrays and metadata, from which :func:`strategy_of` makes it again."""
    arrays: Arrays = {
        f"cuts.{i}": np.array(own, dtype=np.float64) for i, own in enumerate(strategy.regions.cuts)
    }
    return arrays, {
        "game": strategy.game,
        "fingerprint": strategy.fingerprint,
        "plans": strategy.regions.plans,
        "model": strategy.model,
        "thresholds": {f"P{i + 1}": dict(own) for i, own in enumerate(strategy.thresholds)},
    }


def strategy_of(path: Path, bundle: Bundle, fingerprint: str, game: SignalGame) -> RegionStrategy:
    """Return the strategy that ``bundle``, loaded from ``path``, holds, which must be one of ``game``."""
    known = Fields(bundle.metadata, f"{path}: metadata")
    name = known.text("game")
    if known.text("fingerprint") != fingerprint:
        raise EquipoiseError(
            f"{path}: found a strategy of '{name:.80}', expected one with the plans and signals of the "
            "game in hand."
        )
    plans = known.data.get("plans")
    if not isinstance(plans, list) or len(plans) != game.players:
        known.fail("plans", "a list of plans for each player")
    own_plans = Fields({f"P{i + 1}": own for i, own in enumerate(plans)}, known.at("plans"))
    regions = Regions(
        tuple(tuple(own_plans.texts(f"P{i + 1}")) for i in range(game.players)),
        tuple(_cuts(path, bundle, i, game) for i in range(game.players)),
    )
    try:
        regions.profile(game)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
    named = [own for _, own in known.children("thresholds")]
    thresholds = tuple({name: own.number(name) for name in own.data} for own in named)
    if len(thresholds) != game.players:
        known.fail("thresholds", "a table for each player")
    return RegionStrategy(name, fingerprint, regions, known.text("model"), thresholds, game)


def _cuts(path: Path, bundle: Bundle, player: int, game: SignalGame) -> tuple[float, ...]:
    """Return the cuts of ``player`` in a file, which must lie in order on the line of signals."""
    found = bundle.arrays.get(f"cuts.{player}")
    if found is None or found.dtype != np.float64 or found.ndim != 1:
        raise EquipoiseError(
            f"{path}: array cuts.{player} is missing, expected a vector of floats."
        )
    cuts = tuple(found.tolist())
    low, high = game.signals.line
    if not all(a <= b for a, b in pairwise((low, *cuts, high))):
        raise EquipoiseError(
            f"{path}: array cuts.{player} has numbers out of order, expected cuts that rise from "
            f"{low:g} to {high:g}."
        )
    return cuts


def project(regions: Regions, source: Signals, target: Signals) -> Regions:
    """Return ``regions`` of a game with signals ``source`` in one with signals ``target``.

    Cuts keep their place as a share of the line: the solution of an infinite game becomes one of a
    finite game that it stands for (section 8.1), mixed at the signals that a cut falls on.
    """
    (a, b), (c, d) = source.line, target.line
    return regions.at(c + (regions.flat() - a) * ((d - c) / (b - a)))


def interim(game: SignalGame, player: int, profile: Profile, inside: float = 0.5) -> Floats:
    """Return what every plan (row) of ``player`` is worth in every cell (column) against ``profile``.

    In a continuous game the signal lies a fraction ``inside`` of the cell above its lower edge.
    """
    if game.round is None:
        return _by_table(game, player, profile)
    betting = game.round
    others = [j for j in range(game.players) if j != player]
    arrivals = {j: _arrivals(game, player, j, profile, inside) for j in others}
    worth = np.empty((len(betting.leaves), profile.signals.cells))
    for k, leaf in enumerate(betting.leaves):
        coming = {j: tuple(by_leaf[k] for by_leaf in arrivals[j]) for j in others}
        worth[k] = leaf.lose[player] * np.prod(
            [anywhere for anywhere, _, _ in coming.values()], axis=0
        )
        if player in leaf.contenders:
            for z, weight in shares(game.players):
                factors = [
                    worse + z * same if j in leaf.contenders else anywhere
                    for j, (anywhere, worse, same) in coming.items()
                ]
                prize = weight * (leaf.win[player] - leaf.lose[player])
                worth[k] += prize * np.prod(factors, axis=0)
    return np.asarray(betting.reach[player] @ worth)


def _arrivals(
    game: BayesianGame, player: int, other: int, profile: Profile, inside: float
) -> tuple[Floats, Floats, Floats]:
    """Return, by leaf and cell of ``player``, how likely ``other`` comes to the leaf.

    Three arrays: with any signal, with a worse one, and with the same one.
    """
    signals = profile.signals
    to_leaf = profile.mixture[other] @ game.round.reach[other]
    low_wins = game.round.better == "low"
    if signals.joint is None:
        mass = signals.mass[other][:, None] * to_leaf
        below = np.cumsum(mass, axis=0)
        anywhere = np.broadcast_to(below[-1], mass.shape)
        worse, same = (below[-1] - below if low_wins else below - mass), mass
    else:
        joint = signals.joint if player == 0 else signals.joint.T
        row = joint.sum(axis=1, keepdims=True)
        seen = np.divide(joint, row, out=np.zeros_like(joint), where=row > 0)
        anywhere = seen @ to_leaf
        worse = (np.triu(seen, 1) if low_wins else np.tril(seen, -1)) @ to_leaf
        same = np.diag(seen)[:, None] * to_leaf
    if not signals.finite:
        worse = worse + (1.0 - inside if low_wins else inside) * same
        same = np.zeros_like(same)
    return anywhere.T, worse.T, same.T


def _by_table(game: UtilityGame, player: int, profile: Profile) -> Floats:
    """Return what :func:`interim` returns, from tables of payments."""
    signals = profile.signals
    seen = np.stack(
        [signals.conditional(player, cell)[1 - player] for cell in range(signals.cells)]
    )
    other = profile.mixture[1 - player]
    subscripts = "pqjm,jm,mq->pj" if player == 0 else "qpmj,jm,mq->pj"
    return np.asarray(np.einsum(subscripts, game.tables[player], seen, other))
