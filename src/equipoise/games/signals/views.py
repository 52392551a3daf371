"""The signal factor of a two-player game: views of each round, numbered and named.

What a player can see is apart from what nature deals. :func:`views` counts, numbers and names what can
be seen, in a game of any size; :func:`signal_rounds` lists the deals, pairs of views, of a game that has
few enough, when they are asked for. Views are numbered in the order of their signals; in poker, unless
told otherwise, up to the symmetries of the deck (:mod:`equipoise.games.poker.canonical`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.rounds import Floats, Indices, SignalRound, fingerprint
from equipoise.games.signals.stage_game import StageGame, View, deals

if TYPE_CHECKING:
    from equipoise.games.poker.canonical import CanonicalViews


class Views(Protocol):
    """The views of a game: how many, which extends which, and their names; and their deals."""

    @property
    def is_listed(self) -> bool:
        """Whether the deals are few enough for :attr:`rounds`."""

    @property
    def canonical(self) -> CanonicalViews | None:
        """Ability: the views as classes of hands, which are numbered by their cards."""

    @property
    def rounds(self) -> tuple[SignalRound, ...]:
        """The deals of each round, listed when first asked for; raises if there are too many."""

    @property
    def fingerprint(self) -> str:
        """A digest of views, deals and outcomes; where deals are not listed, of the rules."""

    def count(self, turn: int, player: int = 0) -> int:
        """Return the number of views of a round."""

    def parent(self, turn: int, views: ArrayLike, player: int = 0) -> Indices:
        """Return the view of the previous round that each of ``views`` extends (0 in round 0)."""

    def label(self, turn: int, view: int, player: int = 0) -> str:
        """Return the name of a view."""

    def find(self, turn: int, label: str, player: int = 0) -> int:
        """Return the view called ``label``."""

    def number(self, turn: int, view: View, player: int = 0) -> int:
        """Return the number of a view given by its signals."""


@runtime_checkable
class ViewOutcome(Protocol):
    """An outcome that depends on a deal through the players' views of it: of a game with more rounds, say."""

    @property
    def whole(self) -> StageGame:
        """The game whose views these are; it deals the same signals."""

    def over(self, rounds: Sequence[SignalRound]) -> Floats:
        """Return the value to player 1 in each deal of the last of ``rounds``, those of :attr:`whole`."""


def views(game: StageGame, symmetry: bool = True) -> Views:
    """Return the views of a two-player game; of a poker game up to ``symmetry`` of its deck."""
    return _views(game, symmetry)


@lru_cache(maxsize=16)
def _views(game: StageGame, symmetry: bool) -> Views:
    # Behind a function of its own, as the cache tells a default from the same value given.
    if game.players != 2:
        raise EquipoiseError(
            f"{game.name}: found {game.players} players, expected two for a factored game."
        )
    outcomes: Mapping[str, object] = game.outcomes
    further = {kind: own for kind, own in outcomes.items() if isinstance(own, ViewOutcome)}
    if further:
        return FurtherViews(game, symmetry, further)
    if symmetry and isinstance(game, PokerGame):
        from equipoise.games.poker.canonical import CanonicalViews

        return CanonicalViews(game)
    return RawViews(game)


def signal_rounds(game: StageGame, symmetry: bool = True) -> tuple[SignalRound, ...]:
    """Return what nature deals in each round of a two-player zero-sum game."""
    return views(game, symmetry).rounds


def outcome_ranges(game: StageGame) -> tuple[dict[str, tuple[float, float]], ...]:
    """Return, for each round and kind of outcome that may end it, the least and the largest value."""
    named = views(game)
    if not named.is_listed:
        # Poker: a hand loses, ties or wins.
        return tuple(
            dict.fromkeys(game.tree.kinds_ending(turn), (-1.0, 1.0)) for turn in range(game.rounds)
        )
    return tuple(
        {kind: (float(value.min()), float(value.max())) for kind, value in deal.values.items()}
        for deal in named.rounds
    )


class RawViews:
    """Every distinct view of a game, found by listing its deals."""

    is_listed = True
    canonical = None

    def __init__(self, game: StageGame) -> None:
        self._game = game
        self._deals = [deals(game, turn) for turn in range(game.rounds)]
        self._views: list[list[list[View]]] = [
            [sorted({game.view(player, deal) for deal, _ in found}) for found in self._deals]
            for player in range(2)
        ]
        self._number = [[{v: i for i, v in enumerate(vs)} for vs in own] for own in self._views]
        self._labels = [[[game.text(v) for v in vs] for vs in own] for own in self._views]
        self._found = [[{t: i for i, t in enumerate(ts)} for ts in own] for own in self._labels]

    @cached_property
    def rounds(self) -> tuple[SignalRound, ...]:
        """The deals of each round."""
        return tuple(self._round(turn) for turn in range(self._game.rounds))

    @property
    def fingerprint(self) -> str:
        """A digest of views, deals and outcomes."""
        return fingerprint(self.rounds)

    def count(self, turn: int, player: int = 0) -> int:
        """Return the number of views of a round."""
        return len(self._views[player][turn])

    def parent(self, turn: int, views: ArrayLike, player: int = 0) -> Indices:
        """Return the view of the previous round that each of ``views`` extends (0 in round 0)."""
        chosen = np.asarray(views)
        if turn == 0:
            return np.zeros(chosen.shape, dtype=np.uint32)
        length = self._game.seen(player, turn - 1)
        before, own = self._number[player][turn - 1], self._views[player][turn]
        found = [before[own[view][:length]] for view in chosen.ravel().tolist()]
        return _indices(found).reshape(chosen.shape)

    def label(self, turn: int, view: int, player: int = 0) -> str:
        """Return the names of the signals seen, in order."""
        return self._labels[player][turn][view]

    def number(self, turn: int, view: View, player: int = 0) -> int:
        """Return the number of a view given by its signals."""
        found = self._number[player][turn].get(view)
        if found is None:
            raise EquipoiseError(
                f"view '{self._game.text(view)}': never seen in round {turn + 1} by player {player + 1}, expected "
                f"something like '{self.label(turn, 0, player)}'."
            )
        return found

    def find(self, turn: int, label: str, player: int = 0) -> int:
        """Return the view called ``label``."""
        view = self._found[player][turn].get(label)
        if view is None:
            raise EquipoiseError(
                f"view {label!r}: unknown in round {turn + 1} of player {player + 1}, expected "
                f"something like {self.label(turn, 0, player)!r}."
            )
        return view

    def _round(self, turn: int) -> SignalRound:
        game = self._game
        kinds = game.tree.kinds_ending(turn)
        weight: dict[tuple[int, int], Fraction] = {}
        worth: dict[str, dict[tuple[int, int], Fraction]] = {kind: {} for kind in kinds}
        for deal, probability in self._deals[turn]:
            pair = (
                self._number[0][turn][game.view(0, deal)],
                self._number[1][turn][game.view(1, deal)],
            )
            weight[pair] = weight.get(pair, Fraction(0)) + probability
            for kind in kinds:
                gain, loss = game.value(kind, deal)
                if gain + loss != 0:
                    raise EquipoiseError(
                        f"{game.name}: outcome {kind!r} pays {gain} and {loss}, expected a "
                        "zero-sum game (payments that cancel)."
                    )
                total = worth[kind].get(pair, Fraction(0))
                worth[kind][pair] = total + probability * Fraction(gain)
        pairs = sorted(weight)
        return SignalRound(
            parents=(self._parents(turn, 0), self._parents(turn, 1)),
            pairs=(_indices([a for a, _ in pairs]), _indices([b for _, b in pairs])),
            weight=_floats([weight[pair] for pair in pairs]),
            values={
                kind: _floats([worth[kind][pair] / weight[pair] for pair in pairs])
                for kind in kinds
            },
        )

    def _parents(self, turn: int, player: int) -> Indices:
        return self.parent(turn, np.arange(self.count(turn, player)), player)


class FurtherViews:
    """The views of a whole game, whose last deals have ``further`` kinds of outcome.

    Some of the whole game's own kinds may not end ``game``.
    """

    canonical = None

    def __init__(self, game: StageGame, symmetry: bool, further: Mapping[str, ViewOutcome]) -> None:
        self._game, self._further = game, further
        self._whole = views(next(iter(further.values())).whole, symmetry)
        self.is_listed = self._whole.is_listed
        self.count, self.parent = self._whole.count, self._whole.parent
        self.label, self.find, self.number = (
            self._whole.label,
            self._whole.find,
            self._whole.number,
        )

    @cached_property
    def rounds(self) -> tuple[SignalRound, ...]:
        """The deals of each round."""
        before = self._whole.rounds
        own = [
            {kind: value for kind, value in signals.values.items() if kind in ending}
            for signals, ending in zip(
                before, map(self._game.tree.kinds_ending, range(len(before))), strict=True
            )
        ]
        own[-1] |= {kind: outcome.over(before) for kind, outcome in self._further.items()}
        return tuple(
            replace(signals, values=values) for signals, values in zip(before, own, strict=True)
        )

    @cached_property
    def fingerprint(self) -> str:
        """A digest of views, deals and outcomes."""
        return fingerprint(self.rounds)


def _indices(values: Sequence[int]) -> Indices:
    return np.array(values, dtype=np.uint32)


def _floats(values: Sequence[Fraction]) -> Floats:
    return np.array([float(value) for value in values], dtype=np.float64)
