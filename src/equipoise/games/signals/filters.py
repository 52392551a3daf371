"""Information filters: what players are told instead of their signals.

Notation follows Gilpin (2009), Definition 6 (ordered games) and Definition 13 (stage-based games).
S^j is the set of a player's views in round j; F^j : S^j → 2^{S^j} sends each view to the class that
the player is told. A game and a filter define the filtered game Γ_F, an extensive form with perfect
recall (Proposition 1), which :class:`equipoise.games.signals.unroll.SignalRules` builds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame, View, deals

Classes = Mapping[View, frozenset[View]]


@dataclass(frozen=True, eq=False)
class InformationFilter:
    """A filter F for ``game``: ``classes[i][j]`` is F^j for player ``i``.

    Checked when made: F is truthful, its range is a partition, and what is told apart in a round
    stays told apart.
    """

    game: StageGame
    classes: tuple[tuple[Classes, ...], ...]

    def __post_init__(self) -> None:
        game = self.game
        if [len(own) for own in self.classes] != [game.rounds] * game.players:
            raise EquipoiseError(
                f"{game.name}: filter: expected {game.rounds} rounds for each of "
                f"{game.players} players."
            )
        for player, own in enumerate(self.classes):
            for turn in range(game.rounds):
                _check_partition(game, player, turn, own[turn])
                if turn:
                    _check_preservation(game, player, turn, own[turn - 1], own[turn])

    def __call__(self, player: int, turn: int, view: View) -> frozenset[View]:
        """Return the class that ``player`` is told in round ``turn`` instead of ``view``."""
        return self.classes[player][turn][view]

    def buckets(self, player: int, turn: int) -> list[int]:
        """Number the classes by their first view; one entry a view, in order of the views."""
        own = self.classes[player][turn]
        number: dict[frozenset[View], int] = {}
        return [number.setdefault(own[view], len(number)) for view in sorted(own)]


def identity_filter(game: StageGame) -> InformationFilter:
    """Return the filter that tells every player everything: Γ_F = Γ."""
    return filter_by(game, lambda player, turn, view: view)


def filter_by(game: StageGame, key: Callable[[int, int, View], Hashable]) -> InformationFilter:
    """Return the filter whose classes are the views of equal ``key(player, round, view)``."""
    return InformationFilter(
        game,
        tuple(
            tuple(
                _group(all_views(game, player, turn), partial(key, player, turn))
                for turn in range(game.rounds)
            )
            for player in range(game.players)
        ),
    )


def all_views(game: StageGame, player: int, turn: int) -> list[View]:
    """List S^j: the views of ``player`` in round ``turn``, in order."""
    return sorted({game.view(player, deal) for deal, _ in deals(game, turn)})


def _group(views: Sequence[View], key: Callable[[View], Hashable]) -> Classes:
    """Send each view to the set of views with its key."""
    groups: dict[Hashable, set[View]] = {}
    for view in views:
        groups.setdefault(key(view), set()).add(view)
    frozen = {own: frozenset(group) for own, group in groups.items()}
    return {view: frozen[key(view)] for view in views}


def _check_partition(game: StageGame, player: int, turn: int, classes: Classes) -> None:
    """Check conditions 1 (truthfulness) and 2 (independence) of Definition 6."""
    place = f"{game.name}: filter of player {player + 1}, round {turn + 1}"
    known = set(all_views(game, player, turn))
    if set(classes) != known:
        wrong = sorted(set(classes) ^ known)[0]
        raise EquipoiseError(f"{place}: view {wrong} is missing or unknown, expected every view.")
    for view, told in classes.items():
        if view not in told:
            raise EquipoiseError(
                f"{place}: the class of {game.text(view)} lacks it, expected a truthful filter."
            )
        for other in told:
            if classes.get(other) != told:
                raise EquipoiseError(
                    f"{place}: {game.text(view)} and {game.text(other)} have classes that overlap "
                    "and differ, expected a partition (independence)."
                )


def _check_preservation(
    game: StageGame, player: int, turn: int, before: Classes, now: Classes
) -> None:
    """Check condition 3: what was told apart in round ``turn - 1`` is told apart in ``turn``."""
    length = game.seen(player, turn - 1)
    for view, told in now.items():
        for other in told:
            if before[view[:length]] != before[other[:length]]:
                raise EquipoiseError(
                    f"{game.name}: filter of player {player + 1}: {game.text(view)} and "
                    f"{game.text(other)} are told apart in round {turn} and not in round {turn + 1}, "
                    "expected information to be preserved."
                )
