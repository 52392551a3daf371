"""Laws of play over every game that can be played: nothing leaks, nothing is lost, seeds decide."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import GAMES
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import CHANCE, ExtensiveGame
from equipoise.games.trees.normal import from_matrices
from equipoise.play.agents import Uniform
from equipoise.play.episode import Episode, play_out
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.road.verbs import rules_of
from equipoise.strategy.keys import keys_of

# Families whose plays are no episodes: they have commands of their own.
OTHERS = {"tournament", "spot", "unrevealing", "revealing", "partial", "irrational"}
SPECS = [name for name in GAMES if name not in OTHERS] + ["openspiel:tiny_hanabi"]
PLAYED = {
    **{spec: spec for spec in SPECS},
    "pennies": from_matrices("pennies", [[1, -1], [-1, 1]]),
    "kuhn as data": poker.kuhn(),
    "three players": poker.kuhn(4, players=3),
}


@pytest.fixture(scope="module", params=PLAYED)
def game(request: pytest.FixtureRequest) -> ExtensiveGame | StageGame:
    spec = PLAYED[request.param]
    return rulebook(spec).game  # type: ignore[attr-defined]


def walk(game: ExtensiveGame | StageGame, seed: int) -> Iterator[Episode]:
    """Play uniformly, and return the episode once for each point (they share their moves)."""
    episode, choose = Episode(game, seed), random.Random(seed)
    while not episode.is_over:
        yield episode
        episode.act(choose.choice(episode.actions))
    yield episode


def test_every_point_is_seen_as_the_rules_say(game: ExtensiveGame | StageGame) -> None:
    for seed in range(20):
        for episode in walk(game, seed):
            players = range(len(episode.rules.players))
            seen = [episode.observation(player) for player in players]
            assert [o.is_turn for o in seen] == [o.player == episode.player for o in seen]
            assert all(o.is_over == episode.is_over for o in seen)
            if episode.player is not None:
                own = seen[episode.player]
                assert own.actions == episode.actions
                assert own.infoset is not None
                assert len(own.words) == len(own.actions)
            else:
                assert {o.payoffs for o in seen} == {episode.payoffs}


def test_what_is_hidden_is_not_seen(game: ExtensiveGame | StageGame) -> None:
    """A player's observation is the same whatever the others hold, until the cards are shown.

    Two episodes in which a player has been told the same and the same has been done differ in hidden
    signals only: she must see the same. In a tree her information set says what she was told.
    """
    met: dict[object, object] = {}
    compared = 0
    for seed in range(150):
        for episode in walk(game, seed % 3 if isinstance(game, StageGame) else seed):
            if episode.is_over:
                continue
            for player in range(len(episode.rules.players)):
                seen = episode.observation(player)
                if isinstance(game, StageGame):
                    deal, node = episode.state
                    key = (player, node, game.view(player, deal), seen.moves)
                else:
                    key = (player, seen.infoset, seen.moves)
                compared += key in met
                assert met.setdefault(key, seen) == seen
    assert compared


def test_hidden_cards_are_in_no_text_before_the_showdown() -> None:
    """In games whose signals have names that occur nowhere else, look for them in every byte."""
    for game in (poker.rhode_island(), poker.limit_holdem(), poker.leduc()):
        shown = hidden = 0
        for seed in range(60):
            for episode in walk(game, seed):
                _, private = game.split(episode.state[0])
                for player in (0, 1):
                    text = repr(episode.observation(player))
                    theirs = [game.signals[s] for s in private[1 - player]]
                    leaks = [card for card in theirs if f"'{card}'" in text]
                    is_showdown = episode.is_over and episode.moves[-1].action != "f"
                    assert leaks == (theirs if is_showdown else [])
                    shown, hidden = shown + bool(leaks), hidden + (not leaks)
        assert shown
        assert hidden


def test_one_seed_deals_one_hand(game: ExtensiveGame | StageGame) -> None:
    agents = [Uniform() for _ in rulebook(game).players]
    for agent in agents:
        agent.reset(1)
    plays = []
    for _ in range(2):
        for i, agent in enumerate(agents):
            agent.reset(i)
        episode = Episode(game, "a seed")
        play_out(episode, agents)
        plays.append(episode.moves)
    assert plays[0] == plays[1]


def test_cards_do_not_depend_on_what_is_done() -> None:
    game = poker.rhode_island()
    for seed in range(30):
        deals = []
        for choice in (0, 1):
            episode = Episode(game, seed)
            while not episode.is_over:
                actions = [a for a in episode.actions if a != "f"]
                episode.act(actions[choice] if len(actions) > 1 else actions[0])
            deals.append(episode.state[0])
        assert deals[0] == deals[1]


def test_nature_draws_by_her_probabilities() -> None:
    """Every deal of Leduc's first cards is equally likely: 30 pairs, chi-squared on 29 degrees.

    The 0.999 quantile of that distribution is 58.3.
    """
    game = poker.leduc()
    count = Counter(Episode(game, seed).state[0] for seed in range(6000))
    assert len(count) == 30
    assert sum((n - 200) ** 2 / 200 for n in count.values()) < 58.3


def test_unequal_chances_are_drawn_in_proportion() -> None:
    """Of tract's four first pairs two have probability 3/8 and two 1/8."""
    game = equipoise.load("tract")
    assert isinstance(game, StageGame)
    count = Counter(Episode(game, seed).state[0] for seed in range(4000))
    expected = {deal: 4000 * float(p) for deal, p in _pairs(game).items()}
    assert count.keys() == expected.keys()
    # Chi-squared on 3 degrees of freedom: 0.999 quantile 16.3.
    assert sum((count[d] - n) ** 2 / n for d, n in expected.items()) < 16.3


def _pairs(game: StageGame) -> dict[tuple[int, ...], float]:
    from equipoise.games.signals.stage_game import deals

    return {deal: float(p) for deal, p in deals(game, 0)}


def test_names_of_information_sets_are_those_of_strategies() -> None:
    for spec in ("leduc", "no_limit_leduc", "bargaining", "rhode_island(ranks=3,suits=2)"):
        game = rules_of(spec)
        keys = keys_of(game)
        names = set(keys.labels())
        for seed in range(30):
            for episode in walk(game, seed):
                if episode.player is not None:
                    seen = episode.observation(episode.player)
                    assert seen.infoset in names
                    place = keys.locate(seen.infoset)
                    assert (place.player, place.actions) == (seen.player, seen.actions)


def test_views_are_numbered_as_strategies_number_them() -> None:
    game = poker.rhode_island()
    book = rulebook(game)
    assert isinstance(book, SignalBook)
    for seed in range(20):
        for episode in walk(game, seed):
            if episode.player is not None:
                seen = episode.observation(episode.player)
                name = seen.infoset.partition("|")[0]
                assert book.view_number(seen) == views(game).find(seen.turn, name)


def test_the_pot_is_what_was_put_in() -> None:
    """Contributions follow from the leaves; adding up bets, as a dealer does, gives the same."""
    for game, bets, start in (
        (poker.rhode_island(), (1000, 2000, 2000), (500, 500)),
        (poker.limit_holdem(), (2, 2, 4, 4), (1, 2)),
    ):
        for seed in range(40):
            for episode in walk(game, seed):
                paid, turn, node = list(start), 0, 0
                for player, action in episode.moves:
                    if player == CHANCE:
                        continue
                    actions = [game.tree.action[v] for v in game.tree.successors[node]]
                    if action in "cbr":
                        paid[player] = paid[1 - player] + bets[turn] * (action in "br")
                    node = game.tree.successors[node][actions.index(action)]
                    turn = int(game.tree.round[node])
                assert episode.observation(0).paid == tuple(paid)


def test_words_say_what_an_action_costs() -> None:
    hand = Episode(poker.limit_holdem(), 1)
    assert hand.observation(0).words == ("fold", "call 1", "raise 2")
    hand.act("r")
    assert hand.observation(1).words == ("fold", "call 2", "raise 2")
    hand.act("c")
    assert hand.observation(1).words == ("check", "bet 2")


def test_mistakes_are_refused() -> None:
    hand = Episode("kuhn")
    with pytest.raises(EquipoiseError, match="found the action 'raise', expected 'p' or 'b'"):
        hand.act("raise")
    with pytest.raises(EquipoiseError, match="found player 2, expected 0 to 1"):
        hand.observation(2)
    hand.act("p")
    hand.act("p")
    with pytest.raises(EquipoiseError, match="after the end"):
        hand.act("p")
    with pytest.raises(EquipoiseError, match="found 1 agents, expected one for each of 2"):
        play_out(Episode("kuhn"), [Uniform()])
    with pytest.raises(EquipoiseError, match="found a repeated, expected a tree"):
        Episode("partial")


def test_uniform_play_earns_what_the_rules_say() -> None:
    """Uniform against uniform in Kuhn poker is worth 1/8 to player 1 (all 30 plays by hand).

    Mean of 20,000 seeded plays, with a standard deviation of about 1.3 a play: within 4 errors.
    """
    agents = [Uniform(), Uniform()]
    for seed, agent in enumerate(agents):
        agent.reset(seed)
    game = equipoise.load("kuhn")
    won = [play_out(Episode(game, seed), agents)[0] for seed in range(20_000)]
    assert abs(np.mean(won) - 1 / 8) < 4 * np.std(won) / np.sqrt(len(won))
