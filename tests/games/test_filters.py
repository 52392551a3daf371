"""Information filters: the three conditions of Definition 6, and the filtered game."""

from __future__ import annotations

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.signals.filters import (
    Classes,
    InformationFilter,
    all_views,
    filter_by,
    identity_filter,
)
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.saddle.lp import LP

LEDUC = poker.leduc()


def test_identity_filter_changes_nothing(game: StageGame) -> None:
    assert unroll(game, identity_filter(game)).fingerprint == unroll(game).fingerprint


def test_buckets_number_views_in_order(duel: StageGame) -> None:
    rounds = signal_rounds(duel, symmetry=False)
    told = identity_filter(duel)
    for turn, deal in enumerate(rounds):
        for player in range(2):
            assert told.buckets(player, turn) == list(range(deal.views[player]))


def test_ranks_are_enough_in_leduc() -> None:
    """Hiding suits leaves 288 information sets (OpenSpiel's suit isomorphism) and the value."""
    by_rank = filter_by(LEDUC, lambda player, turn, view: tuple(card // 2 for card in view))
    filtered = unroll(LEDUC, by_rank)
    assert filtered.infosets == 288
    value = solve(build(filtered), LP()).value
    assert value == pytest.approx(-0.085606424078, abs=1e-9)


def test_forgetting_is_refused() -> None:
    with pytest.raises(EquipoiseError, match="told apart in round 1 and not in round 2"):
        filter_by(LEDUC, lambda player, turn, view: view if turn == 0 else view[1:])


def _kuhn_filter(classes: Classes) -> InformationFilter:
    game = poker.kuhn()
    whole = {view: frozenset([view]) for view in all_views(game, 1, 0)}
    return InformationFilter(game, ((classes,), (whole,)))


def test_untruthful_and_overlapping_filters_are_refused() -> None:
    j, q, k = (0,), (1,), (2,)
    _kuhn_filter({j: frozenset([j, q]), q: frozenset([j, q]), k: frozenset([k])})
    with pytest.raises(EquipoiseError, match="truthful"):
        _kuhn_filter({j: frozenset([q]), q: frozenset([q]), k: frozenset([k])})
    with pytest.raises(EquipoiseError, match="partition"):
        _kuhn_filter({j: frozenset([j, q]), q: frozenset([q]), k: frozenset([k])})
    with pytest.raises(EquipoiseError, match="missing or unknown"):
        _kuhn_filter({j: frozenset([j]), q: frozenset([q])})
    with pytest.raises(EquipoiseError, match="1 rounds for each of 2 players"):
        InformationFilter(poker.kuhn(), ())
