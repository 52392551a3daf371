"""Jam/fold hands: likelihoods against direct sums, inner loops against each other and known values."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cards.showdown import COMBOS, PLACES, three_way, two_way
from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.contraction import DEALS, pair_table, triple_table
from equipoise.games.tournaments.jamfold import JamFold, arrivals, cash, tournament_game
from equipoise.games.tournaments.tournament import (
    Hands,
    Outcome,
    Tournament,
    decisions,
    leads_to,
    outcomes,
)
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.jamfold import regret_matching
from equipoise.strategy.tournament import TournamentStrategy

RULES = Tournament(3, 2100, (300, 600), (50, 30, 20))


def random_plays(game: JamFold, seed: int) -> np.ndarray:
    """Some hands in, some out, some mixed; forced players in."""
    rng = np.random.default_rng(seed)
    plays = rng.random((game.states, game.decisions, 169))
    plays = np.clip(3 * plays - 1, 0, 1)
    return np.where(game.legal[:, ::2, None], plays, 1.0)


def test_arrivals_are_sums_over_deals() -> None:
    """With three players, by hand: what the others did before, averaged over their cards."""
    rng = np.random.default_rng(5)
    plays = rng.random((6, 169))
    triples, moves = three_way().triples, decisions(3)
    found = arrivals(plays)
    for d, move in enumerate(moves):
        # Axes of ``triples``: button, small blind, big blind.
        weight = triples.astype(float)
        for p in range(move.player):
            before = frozenset(q for q in move.inside if q < p)
            goes_in = plays[moves.index((p, before))]
            shape = [1, 1, 1]
            shape[p] = 169
            weight = weight * (goes_in if p in move.inside else 1 - goes_in).reshape(shape)
        others = tuple(p for p in range(3) if p != move.player)
        assert found[d] == pytest.approx(weight.sum(axis=others) / triples.sum(), abs=1e-7)
    # Whatever the button does, the small blind decides next.
    assert found[1:3].sum(axis=0) == pytest.approx(COMBOS / 1326, abs=1e-7)


def test_heads_up_arrivals_are_sums_over_deals() -> None:
    plays = np.random.default_rng(6).random((2, 169))
    pairs = two_way().pairs / two_way().pairs.sum()
    jam, call = arrivals(plays)
    assert jam == pytest.approx(COMBOS / 1326)
    assert call == pytest.approx(plays[0] @ pairs)


def test_how_often_players_go_in() -> None:
    """Not the share of hands: after a jam, the blinds' hands are worse than a fresh deal."""
    rules = Tournament(2, 6000, (300, 600), (60, 40))
    good = np.zeros((1, 2, 169))
    good[:, :, [0, 14, 28]] = 1.0  # AA, KK, QQ
    plays = np.repeat(good, len(Hands(rules, 2).states), axis=0)
    strategy = TournamentStrategy(rules, {2: plays})
    jams, calls = strategy.frequencies([3000, 3000])
    assert jams == pytest.approx(18 / 1326)
    # Against AA there are 1 AA, 6 KK, 6 QQ of C(50, 2) hands left; likewise against KK and QQ.
    assert calls == pytest.approx(13 / 1225)
    never = TournamentStrategy(rules, {2: np.zeros_like(plays)})
    assert np.isnan(never.frequencies([3000, 3000])[1])


@pytest.fixture(scope="module")
def three_handed() -> JamFold:
    return tournament_game(Hands(RULES, 3), Hands(RULES, 2).icm())


def chance_of_order(way: Outcome, i: np.ndarray, j: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Chances, for arrays of classes, that the hands of those in the pot rank as ``way`` says."""
    own, seen = PLACES[:, list(way.inside)], np.array(way.places)
    wanted = (np.sign(own[:, :, None] - own[:, None]) == np.sign(seen[:, None] - seen)).all((1, 2))
    return three_way()(i, j, k)[..., wanted].sum(axis=-1)


def test_likelihoods_are_sums_over_deals(three_handed: JamFold) -> None:
    game, ways, moves = three_handed, outcomes(3), decisions(3)
    plays, state = random_plays(game, 3), 12
    L, _ = game.likelihoods(game.profile(plays))
    for slot in range(len(game.slot_action)):
        move, action = moves[game.slot_action[slot] // 2], game.slot_action[slot] % 2
        way, own = ways[game.slot_outcome[slot]], move.player
        assert leads_to(move, action, way)
        for h in (0, 97):
            x, y = np.indices((169, 169))
            others = iter((x, y))
            classes = [np.full((169, 169), h) if p == own else next(others) for p in range(3)]
            weight = three_way().triples[tuple(classes)] * chance_of_order(way, *classes)
            for p in (p for p in range(3) if p != own):
                before = frozenset(q for q in way.inside if q < p)
                if (p, before) in moves:
                    goes_in = plays[state, moves.index((p, before))][classes[p]]
                    weight = weight * (goes_in if p in way.inside else 1 - goes_in)
            direct = weight.sum() / DEALS[3]
            assert L[state, slot, h] == pytest.approx(direct, rel=2e-4, abs=1e-8)


@pytest.mark.parametrize("players", [2, 3])
def test_every_player_sees_the_same_outcomes(players: int, three_handed: JamFold) -> None:
    game = three_handed if players == 3 else tournament_game(Hands(RULES, 2))
    profile = game.profile(random_plays(game, 1))
    chances = game.induced(profile).outcome_chances(profile)
    # Margins are in single precision.
    assert chances.min() >= -1e-7
    assert chances.sum(axis=2) == pytest.approx(1, abs=1e-6)
    for player in range(players):
        assert chances[:, player] == pytest.approx(chances[:, 0], abs=1e-6)


def test_two_and_three_way_tables_agree() -> None:
    # Dealing any third hand changes nothing between two.
    ranked = triple_table().ranked.sum(axis=3, dtype=np.float64)
    assert ranked == pytest.approx(pair_table(3), rel=1e-4, abs=0.05)


@pytest.mark.parametrize(("stack", "value"), [(10, -0.045371), (15, -0.127227), (20, -0.183190)])
def test_heads_up_push_fold_values(stack: int, value: float) -> None:
    # Known solutions of heads-up push/fold with card removal, in big blinds to the small blind.
    game = cash(stack)
    profile = regret_matching(game, np.zeros(2), None, 2e-6)
    chances = game.induced(profile).outcome_chances(profile)
    won = np.einsum("spo,sop->sp", chances, game.payoffs(np.zeros(2)))[0] - stack
    assert won == pytest.approx([value, -value], abs=1e-5)
    if stack == 10:
        shares = game.plays(profile)[0] @ COMBOS / 1326
        assert shares == pytest.approx([0.583, 0.374], abs=5e-4)


def gains(game: JamFold, values: np.ndarray, profile: np.ndarray) -> np.ndarray:
    return game.gains(game.induced(profile).worth(values), profile, game.legal)


def test_fictitious_play_and_regret_matching_agree_heads_up() -> None:
    game = cash(10)
    fast = regret_matching(game, np.zeros(2), None, 1e-6)
    slow = fictitious_play(game, np.zeros(2), None, 1e-3)
    assert gains(game, np.zeros(2), fast).max() <= 1e-6
    assert gains(game, np.zeros(2), slow).max() <= 1e-3
    shares = [game.plays(profile)[0] @ COMBOS / 1326 for profile in (fast, slow)]
    assert shares[0] == pytest.approx(shares[1], abs=5e-3)


def test_fictitious_play_and_regret_matching_agree_three_handed(three_handed: JamFold) -> None:
    game, values = three_handed, Hands(RULES, 3).icm()
    fast = regret_matching(game, values, None, 1e-4)
    assert gains(game, values, fast).max() <= 1e-4
    slow = fictitious_play(game, values, None, 0.1)
    assert gains(game, values, slow).max() <= 0.1
    # From the fast solution there is nothing left to do.
    assert (fictitious_play(game, values, fast, 1e-4) == fast).all()
    # What a state is worth to whom does not depend on the way it was solved.
    payoffs = game.payoffs(values)
    worth = [
        np.einsum("spo,sop->sp", game.induced(profile).outcome_chances(profile), payoffs)
        for profile in (fast, slow)
    ]
    assert worth[0] == pytest.approx(worth[1], abs=0.3)


def test_forced_players_are_in(three_handed: JamFold) -> None:
    values = Hands(RULES, 3).icm()
    plays = three_handed.plays(regret_matching(three_handed, values, None, 1e-2))
    assert (plays[~three_handed.legal[:, ::2]] == 1).all()


def test_bad_input() -> None:
    with pytest.raises(EquipoiseError, match="Push/fold: found stack 1"):
        cash(1)
    with pytest.raises(EquipoiseError, match="a value for every node"):
        tournament_game(Hands(RULES, 3), np.zeros(3))


def test_the_tables_are_those_of_the_cards() -> None:
    assert pair_table(2)[0].sum() == DEALS[2]
    assert pair_table(3)[0].sum() == DEALS[3]
    assert pair_table(2)[1][0, 14] * 1_712_304 == pytest.approx(two_way().win[0, 14])
