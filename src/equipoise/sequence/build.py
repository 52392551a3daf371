"""Game (and abstraction) to sequence form: ``build(game, abstraction) -> SequenceForm(X, Y, A)``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.base import Abstraction
from equipoise.abstraction.dominated import Survivors, eliminate
from equipoise.errors import EquipoiseError, require_type
from equipoise.games.poker.spots import Spot
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.rounds import SignalRound
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import outcome_ranges, signal_rounds, views
from equipoise.games.trees.extensive import CHANCE, ExtensiveGame
from equipoise.games.trees.normal import NormalGame
from equipoise.sequence.from_signals import factored_form, require_zero_sum
from equipoise.sequence.payoffs.base import Payoff
from equipoise.sequence.payoffs.sparse import Deals, Sparse
from equipoise.sequence.treeplex import Treeplex
from equipoise.sequence.units import PLAIN, Units, betting_units, tree_units

if TYPE_CHECKING:
    from equipoise.sequence.from_spot import SpotLayout


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """max_{x in X} min_{y in Y} <x, A y>: all that a two-player zero-sum solver sees.

    ``A`` counts in units of its own, in which about one is at stake; ``units`` lead back to the user's.
    ``fingerprint`` names the game (and abstraction) that strategies of this form belong to. Where a
    form works in an order of its own, ``canonical(player)`` is the place of each entry of a strategy in it,
    and ``tree`` and ``buckets`` say what the entries are. The form comes from ``game``, seen through
    ``abstraction``; ``survivors()``, where the game's factors are known, are the actions that no other
    dominates.
    """

    X: Treeplex
    Y: Treeplex
    A: Payoff
    name: str
    fingerprint: str
    canonical: Callable[[int], NDArray[np.uint32]] | None = None
    tree: BettingTree | None = None
    buckets: tuple[tuple[int, int], ...] = ()
    game: ExtensiveGame | StageGame | None = None
    units: Units = PLAIN
    untiled: Callable[[], SequenceForm] | None = None
    abstraction: Abstraction | None = None
    survivors: Callable[[], Survivors] | None = None

    @property
    def plain(self) -> SequenceForm:
        """The same form with blocks as wide as their round: this one, unless it is cut into tiles."""
        return self if self.untiled is None else self.untiled()

    def __repr__(self) -> str:
        sizes = f"{self.X.size:,} x {self.Y.size:,} sequences, {type(self.A).__name__} payoff"
        return f"<SequenceForm of '{self.name}': {sizes}>"


def build(
    game: ExtensiveGame | NormalGame | StageGame | Spot,
    abstraction: Abstraction | None = None,
    *,
    tiles: bool = True,
) -> SequenceForm:
    """Return the sequence form of a two-player game whose payoffs add up to a constant.

    A game with signals may be seen through an ``abstraction``; without one its players tell all
    their views apart. Its last round is cut into ``tiles``, which compiled loops want and arrays
    do not (:mod:`equipoise.sequence.backends`).
    """
    if isinstance(game, Spot):
        return _build_spot(game)
    if isinstance(game, StageGame):
        rounds = signal_rounds(game) if abstraction is None else abstraction.deals(game)
        return _build_factored(game, abstraction, rounds, tiles)
    require_type("build", game, (ExtensiveGame, NormalGame), "a game for two players")
    if abstraction is not None:
        raise EquipoiseError(
            f"{game.name}: found an abstraction for a tree, expected a game with signals."
        )
    if isinstance(game, NormalGame):
        game = game.tree
    game.require_constant_sum()
    units, payoffs = tree_units(game)
    return SequenceForm(
        X=treeplex(game, 0),
        Y=treeplex(game, 1),
        A=_payoff(game, payoffs),
        name=game.name,
        fingerprint=game.fingerprint,
        game=game,
        units=units,
    )


def _build_factored(
    game: StageGame,
    abstraction: Abstraction | None,
    rounds: tuple[SignalRound, ...],
    tiles: bool,
) -> SequenceForm:
    """Return the form of a game with signals, from its two factors."""
    own = game_fingerprint(game)
    if abstraction is not None:
        own = f"{own}/{abstraction.digest}"
    # Before its payments are shifted and scaled: rounding is relative to the game's own.
    require_zero_sum(game.tree)
    units, tree = betting_units(game.tree, outcome_ranges(game))
    X, Y, A, canonical = factored_form(tree, rounds, tiles)
    counts = tuple(signals.views for signals in rounds)
    again = partial(_build_factored, game, abstraction, rounds, tiles=False)
    return SequenceForm(
        X=X,
        Y=Y,
        A=A,
        name=game.name,
        fingerprint=own,
        canonical=canonical,
        tree=game.tree,
        buckets=counts,
        game=game,
        units=units,
        untiled=None if A.tiled is None else again,
        abstraction=abstraction,
        survivors=partial(eliminate, game.tree, rounds),
    )


def _build_spot(spot: Spot) -> SequenceForm:
    """Return the form of a spot, every hand and card told apart up to symmetry."""
    from equipoise.sequence.from_spot import SpotLayout, runouts_payoff, spot_units

    layout, units = SpotLayout(spot), spot_units(spot)
    form = SequenceForm(
        X=layout.treeplex(0),
        Y=layout.treeplex(1),
        A=runouts_payoff(layout, units.unit),
        name=spot.name,
        fingerprint=spot.fingerprint,
        canonical=lambda player: np.arange(layout.starts[-1][player][-1], dtype=np.uint32),
        units=units,
    )
    return replace(form, untiled=partial(_side_by_side, form, layout))


def _side_by_side(form: SequenceForm, layout: SpotLayout) -> SequenceForm:
    """Return the form of a spot with all boards of a street in one block, for arrays."""
    from equipoise.sequence.spot_levels import LevelLayout

    levels = LevelLayout(layout)
    assert form.A.runouts is not None
    return replace(
        form,
        X=levels.treeplex(0),
        Y=levels.treeplex(1),
        A=levels.payoff(form.A.runouts),
        canonical=lambda player: levels.places(player).astype(np.uint32),
        untiled=None,
    )


def units_of(game: ExtensiveGame | StageGame) -> Units:
    """Return the units that the form of ``game`` would have, without building it."""
    if isinstance(game, StageGame):
        return betting_units(game.tree, outcome_ranges(game))[0]
    return tree_units(game)[0]


@lru_cache(maxsize=16)
def game_fingerprint(game: StageGame) -> str:
    """Return a digest of the betting tree and the signals: what strategies of the game depend on."""
    tree = game.tree
    digest = hashlib.sha256("\0".join(tree.action).encode())
    for array in (tree.parent, tree.round, tree.player):
        digest.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
    digest.update(views(game).fingerprint.encode())
    return digest.hexdigest()[:16]


def treeplex(game: ExtensiveGame, player: int) -> Treeplex:
    """Return the treeplex of ``player``: a block of one bucket for each information set, in order."""
    own = np.flatnonzero(game.infoset_player == player)
    parent = game.parent_sequence
    return Treeplex.from_rows([(int(game.action_count[i]), 1, int(parent[i]), None) for i in own])


def _payoff(game: ExtensiveGame, payoffs: NDArray[np.float64]) -> Sparse:
    """Return each outcome's payoff times nature's probabilities, indexed by last sequences."""
    ends = game.terminals
    rows, columns = game.last_sequence[0, ends], game.last_sequence[1, ends]
    values = payoffs[game.outcome[ends]] * game.chance_reach[ends]
    shape = (game.sequences(0), game.sequences(1))
    deal, parent = _deals(game)
    if len(parent) == 1:
        return Sparse.from_entries(rows, columns, values, shape)
    probability = np.zeros(len(parent))
    probability[deal[ends]] = game.chance_reach[ends]
    probability[parent[1:]] = 0.0
    deals = Deals(
        parent=parent,
        probability=probability,
        rows=rows.astype(np.uint32),
        columns=columns.astype(np.uint32),
        values=values,
        node=deal[ends].astype(np.uint32),
    )
    return Sparse.from_entries(rows, columns, values, shape, deals)


def _deals(game: ExtensiveGame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number nature's sequences; return that of each node, and the parent of each sequence.

    Two nodes have the same number when nature moved alike on both paths (same choices in the same
    order), whatever the players did in between.
    """
    deal = np.zeros(game.nodes, dtype=np.int64)
    numbers: dict[tuple[int, int], int] = {}
    for level in game.depth_levels[1:]:
        above = game.parent[level]
        deal[level] = deal[above]
        for node in level[game.player[above] == CHANCE].tolist():
            key = (int(deal[node]), int(game.slot[node]))
            deal[node] = numbers.setdefault(key, len(numbers) + 1)
    return deal, np.array([-1, *(before for before, _ in numbers)], dtype=np.int64)
