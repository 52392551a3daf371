"""Signal rounds: laws over every game, canonical against raw views, published sizes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equipoise import DCFR, Iterations, build, gameshrink
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.rules import parse_rules
from equipoise.games.poker.canonical import RankIndexer
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame, deals, signal_tree_nodes
from equipoise.games.signals.views import signal_rounds, views
from equipoise.solvers import solve

POKER = [poker.kuhn(4), poker.leduc(), poker.leduc(4, 3), poker.rhode_island(3, 2)]
POKER += [poker.rhode_island(3, 3), poker.rhode_island(5, 1), poker.rhode_island(4, 2)]


@pytest.mark.parametrize("symmetry", [True, False])
def test_laws_of_signal_rounds(duel: StageGame, symmetry: bool) -> None:
    rounds = signal_rounds(duel, symmetry)
    assert len(rounds) == duel.rounds
    sizes = (1, 1)
    marginals = [np.ones(1), np.ones(1)]
    for turn, deal in enumerate(rounds):
        assert deal.weight.sum() == pytest.approx(1, abs=1e-12)
        assert (deal.weight > 0).all()
        for player in range(2):
            parents, pairs = deal.parents[player], deal.pairs[player]
            assert parents.dtype == pairs.dtype == np.uint32
            assert parents.max() < sizes[player]
            # Every view occurs, and the views that extend one view have its probability together.
            own = np.bincount(pairs, weights=deal.weight, minlength=len(parents))
            assert (own > 0).all()
            assert np.allclose(np.bincount(parents, weights=own), marginals[player], atol=1e-12)
            marginals[player] = own
        pairs_seen = set(zip(deal.pairs[0].tolist(), deal.pairs[1].tolist(), strict=True))
        assert len(pairs_seen) == len(deal.weight)
        assert set(deal.values) == set(duel.tree.kinds_ending(turn))
        sizes = deal.views


@pytest.mark.parametrize("symmetry", [True, False])
def test_labels_lead_back(duel: StageGame, symmetry: bool) -> None:
    named = views(duel, symmetry)
    for turn, deal in enumerate(named.rounds):
        for player in range(2):
            labels = [named.label(turn, v, player) for v in range(deal.views[player])]
            assert len(set(labels)) == len(labels)
            assert [named.find(turn, label, player) for label in labels] == list(range(len(labels)))


@pytest.mark.parametrize("game", POKER, ids=lambda game: game.name)
def test_canonical_is_a_merging_of_raw(game: PokerGame) -> None:
    """Map every deal's views to canonical ones: weights and outcomes are the same."""
    named = views(game)
    for turn, deal in enumerate(named.rounds):
        group = len(game.groups(turn)) - 1
        weight: dict[tuple[int, int], Fraction] = {}
        worth: dict[tuple[int, int], set[object]] = {}
        for cards, probability in deals(game, turn):
            hands = [game.view(player, cards) for player in range(2)]
            pair = tuple(named.indexer.index(group, np.array(hands, dtype=np.uint8)).tolist())
            weight[pair] = weight.get(pair, Fraction(0)) + probability
            if deal.values:
                worth.setdefault(pair, set()).add(game.value("showdown", cards)[0])
        assert sorted(weight) == list(
            zip(deal.pairs[0].tolist(), deal.pairs[1].tolist(), strict=True)
        )
        assert np.allclose(
            [float(weight[pair]) for pair in sorted(weight)], deal.weight, rtol=1e-14, atol=0
        )
        if deal.values:
            assert [worth[pair] for pair in sorted(weight)] == [
                {value} for value in deal.values["showdown"].tolist()
            ]


def test_published_sizes() -> None:
    """Gilpin (2009), section 5.5: 6,632,705 nodes; suit isomorphism leaves 13, 325, 9,997 hands."""
    game = poker.rhode_island()
    assert signal_tree_nodes(game) == 6_632_705
    assert [deal.views for deal in signal_rounds(game)] == [(13, 13), (325, 325), (9997, 9997)]


def test_signal_tree_counts_every_prefix(game: StageGame) -> None:
    prefixes = {deal[:i] for deal, _ in deals(game, game.rounds - 1) for i in range(len(deal) + 1)}
    assert signal_tree_nodes(game) == len(prefixes)


def test_view_count_is_the_number_of_views(duel: StageGame) -> None:
    for turn, deal in enumerate(signal_rounds(duel, symmetry=False)):
        assert deal.views == (duel.view_count(0, turn), duel.view_count(1, turn))


def test_rhode_island_names() -> None:
    named = views(poker.rhode_island())
    view = named.find(2, "Ta7b7a")
    assert named.label(2, view) == "Ta7b7a"
    assert named.label(1, int(named.rounds[2].parents[0][view])) == "Ta7b"
    with pytest.raises(EquipoiseError, match="canonical name 'Ta7b7a'"):
        named.find(2, "Tc7d7c")
    with pytest.raises(EquipoiseError, match="expected 3 in round 3"):
        named.find(2, "Ta7b")


def test_ranks_alone_name_leduc_hands() -> None:
    named = views(poker.leduc())
    assert named.rounds[1].views == (9, 9)
    assert named.label(1, named.find(1, "KK")) == "KK"
    with pytest.raises(EquipoiseError, match="more often"):
        views(poker.kuhn()).find(0, "KK")


def test_rank_indexer_counts_all_hands() -> None:
    indexer = RankIndexer((2, 3, 1), poker.leduc(3, 4).deck)
    for turn, hands in enumerate((66, 66 * 120, 66 * 120 * 7)):
        every = np.arange(indexer.size(turn))
        assert indexer.orbit(turn, every).sum() == hands
        assert np.array_equal(indexer.index(turn, indexer.unindex(turn, every)), every)


def test_holdem_is_seen_without_a_list_of_deals() -> None:
    """Sizes of the indexer by Waugh (2013), order of rounds kept."""
    named = views(poker.limit_holdem())
    sizes = [169, 1_286_792, 55_190_538, 2_428_287_420]
    assert [named.count(turn) for turn in range(4)] == sizes
    random = np.random.default_rng(1)
    for turn, size in enumerate(sizes):
        some = random.integers(size, size=20)
        labels = [named.label(turn, int(view)) for view in some]
        assert [named.find(turn, label) for label in labels] == some.tolist()
        above = named.parent(turn, some)
        if turn == 0:
            assert not above.any()
            continue
        for view, before in zip(some.tolist(), above.tolist(), strict=True):
            cards = named.indexer.unindex(turn, [view])[0][: sum(named.game.groups(turn - 1))]
            assert named.number(turn - 1, cards.tolist()) == before


def test_deals_are_listed_once(duel: StageGame) -> None:
    assert views(duel) is views(duel, True) is views(duel, symmetry=True)
    assert signal_rounds(duel) is views(duel).rounds


def test_parents_do_not_need_the_deals(duel: StageGame) -> None:
    for symmetry in (True, False):
        named = views(duel, symmetry)
        for turn, deal in enumerate(named.rounds):
            for player in (0, 1):
                every = np.arange(named.count(turn, player))
                assert np.array_equal(named.parent(turn, every, player), deal.parents[player])


def test_games_too_large_to_list_are_told_apart_by_their_rules() -> None:
    holdem, same = poker.limit_holdem(), poker.limit_holdem()
    assert views(holdem).fingerprint == views(same).fingerprint
    other = poker.poker_game(
        "flop hold'em", deck=holdem.deck, hole=2, board=(0, 3, 1, 0), tree=holdem.tree,
        showdown="five-card",
    )  # fmt: skip
    assert not views(other).is_listed
    assert views(holdem).fingerprint != views(other).fingerprint


def test_holdem_is_refused_in_a_sentence() -> None:
    with pytest.raises(EquipoiseError, match=r"limit_holdem: found .* deals of the last round"):
        signal_rounds(poker.limit_holdem())


def test_three_players_are_refused() -> None:
    with pytest.raises(EquipoiseError, match="3 players"):
        signal_rounds(poker.kuhn(4, players=3))


def test_views_that_nobody_can_have_are_named() -> None:
    """Found by its signals, as a strategy of an abstraction is asked: no traceback for a signal dealt twice."""
    game = parse_rules(THREE_SIGNALS)
    strategy = solve(build(game, gameshrink(game)), DCFR(), Iterations(1)).strategy
    assert list(strategy["ab|kK/"]) == ["k", "b"]
    with pytest.raises(EquipoiseError, match="found 'aa', expected signals of round 2"):
        strategy["aa|kK/"]
    assert views(game).number(1, (0, 1)) == views(game).find(1, "ab")
    with pytest.raises(EquipoiseError, match=r"'aa': never seen in round 2 .* expected"):
        views(game).number(1, (0, 0))


THREE_SIGNALS = """
ante = 1
ordered = false
signals = { names = ["a", "b", "c"] }
ranking = { order = ["a", "b", "c"] }
[[round]]
private = 1
bet = 1
cap = 1
[[round]]
private = [1, 0]
bet = 1
cap = 1
"""
