"""Hand histories: PokerKit replays what we write, and a log adds up."""

from __future__ import annotations

import random

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.play.agents import Uniform, always_call, always_raise
from equipoise.play.episode import Episode
from equipoise.play.histories import LogBook, PokerHandHistory
from equipoise.play.matches import Terms, play_match


def played(game: PokerGame, seed: int) -> Episode:
    """Play at random; in every second hand nobody folds."""
    episode, choose = Episode(game, seed), random.Random(seed)
    while not episode.is_over:
        actions = [a for a in episode.actions if a != "f" or seed % 2]
        episode.act(choose.choice(actions))
    return episode


@pytest.mark.parametrize("game", [poker.limit_holdem(), poker.no_limit_holdem()])
def test_pokerkit_replays_our_hands(game: PokerGame) -> None:
    """PokerKit deals, bets, shows down and pays by its own rules, and ends with the same stacks."""
    pokerkit = pytest.importorskip("pokerkit")
    book = PokerHandHistory(game, ("a", 'b "q"'))
    ends = []
    for seed in range(60):
        episode = played(game, seed)
        book.add(episode.state, seed % 2)
        ends.append(episode)
    hands = list(pokerkit.HandHistory.loads_all(book.text()))
    assert len(hands) == 60
    shown = 0
    for hand, episode in zip(hands, ends, strict=True):
        *_, last = hand
        assert not last.status
        assert list(last.stacks) == hand.finishing_stacks
        # Who acts first before the flop has the button: PHH's second player.
        button = int(game.tree.player[0])
        assert hand.finishing_stacks[1] - book.stack == episode.payoffs[button]
        shown += any(" sm " in action for action in hand.actions)
    assert 20 < shown < 60


def test_a_log_adds_up() -> None:
    game = poker.rhode_island(4, 2)
    book = LogBook(game, ("one", "two"))
    match = play_match(game, Uniform(), always_raise(), Terms(300, duplicate=True), record=book.add)
    *lines, score, end = book.text().split("\n")
    assert (len(lines), end) == (300, "")
    won = 0.0
    for number, line in enumerate(lines):
        kind, hand, _, _, paid, names = line.split(":")
        assert (kind, int(hand)) == ("STATE", number)
        won += float(paid.split("|")[names.split("|").index("one")])
    assert score == f"SCORE:{won:g}|{-won:g}:one|two"
    assert won == pytest.approx(300 * match.score.mean)


def test_histories_of_both_roads_are_alike() -> None:
    """Two pure agents: whoever plays them, batches or episodes, the same hands are played."""
    game = poker.leduc()
    books = []
    for first in (always_call(), _Hidden()):
        book = LogBook(game, ("one", "two"))
        play_match(game, first, always_raise(), Terms(50), record=book.add)
        lines = (line.split(":", 2)[2] for line in book.text().splitlines()[:-1])
        books.append(sorted(lines))
    assert books[0] == books[1]


class _Hidden(Uniform):
    """Calls, but says of itself that it looks at its cards: it is asked hand by hand."""

    is_blind = False

    def policy(self, observation):  # type: ignore[no-untyped-def]
        return always_call().policy(observation)


def test_other_games_have_no_phh() -> None:
    with pytest.raises(EquipoiseError, match="expected one that PHH knows"):
        PokerHandHistory(poker.rhode_island())
