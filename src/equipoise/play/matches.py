"""Matches between two agents: duplicate or not, in series with their memories reset, exact beside sampled.

The methods are those of the poker competitions as Gilpin (2009, section 6.7) used them. In a *duplicate*
match every deal is played twice with the seats swapped, and all memories are reset before it is played the
second time, so that good cards help nobody. Without that, seats change after every hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.play.agents import Agent, StrategyPlayer
from equipoise.play.episode import Episode, play_out
from equipoise.play.exact_match import exact_mean
from equipoise.play.luck import without_luck
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.play.simulate import Behaviour, behaviour_of, choices, natures, simulate
from equipoise.play.winnings import Winnings, WinningsSeries

Floats = NDArray[np.float64]
Game = ExtensiveGame | StageGame
Watch = Callable[[int], None]
Record = Callable[[Any, int], None]
"""Told of every hand: the last state of the episode, and the seat of the first agent."""

MOST_HANDS = 100_000_000
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Terms:
    """How a match is played.

    Attributes
    ----------
    hands
        How many hands in all; in a duplicate match half as many deals.
    duplicate
        Whether every deal is played twice, with the seats swapped.
    series
        In how many series, before each of which all memories are reset.
    seed
        All that is drawn follows from it.
    """

    hands: int
    duplicate: bool = False
    series: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        least = (2 if self.duplicate else 1) * max(self.series, 1)
        if not 1 <= self.hands <= MOST_HANDS or self.hands % least:
            raise EquipoiseError(
                f"match: found {self.hands:,} hands, expected a multiple of {least} up to "
                f"{MOST_HANDS:,}."
            )
        if self.series < 1:
            raise EquipoiseError(f"match: found {self.series} series, expected at least 1.")

    @property
    def units(self) -> int:
        """How many deals are played in each series."""
        return self.hands // self.series // (2 if self.duplicate else 1)


@dataclass(frozen=True, eq=False)
class Match:
    """What came of a match.

    Attributes
    ----------
    game, names, terms
        What was played, by whom, and how.
    units
        What the first agent won, in chips a hand: a row a series, an entry a deal.
    missing
        How often each agent found nothing in its strategy and fell back.
    expected
        What the first agent wins a hand on average, exactly, where both strategies are known.
    without_luck
        As ``units``, with the luck of the first agent's cards taken out (:mod:`equipoise.play.luck`), if
        that was asked for.
    """

    game: Game
    names: tuple[str, str]
    terms: Terms
    units: Floats
    missing: tuple[int, int] = (0, 0)
    expected: float | None = None
    without_luck: Floats | None = None

    @cached_property
    def adjusted(self) -> Winnings | None:
        """The score without the luck of the first agent's cards."""
        return None if self.without_luck is None else Winnings(self.without_luck.reshape(-1))

    @cached_property
    def score(self) -> Winnings:
        """What the first agent won, over all hands."""
        return Winnings(self.units.reshape(-1))

    @cached_property
    def series(self) -> WinningsSeries:
        """The same by series."""
        return WinningsSeries(self.units.mean(axis=1))

    @cached_property
    def last_tenth(self) -> Winnings:
        """The last tenth of every series: what is won against an opponent that has learnt."""
        length = max(1, round(self.units.shape[1] / 10))
        return Winnings(self.units[:, -length:].reshape(-1))

    @property
    def bet(self) -> float | None:
        """The smallest bet of the game in chips, in which poker players count."""
        return smallest_bet(self.game)


def smallest_bet(game: Game) -> float | None:
    """Return the smallest bet or raise of the first round of poker; other games have none."""
    if not isinstance(game, PokerGame) or game.players != 2:
        return None
    book = rulebook(game)
    assert isinstance(book, SignalBook)
    assert book.contributions is not None
    most, tree = book.contributions.max(axis=1), game.tree
    above = np.maximum(tree.parent, 0)
    sizes = (most - most[above])[(tree.round[above] == 0) & (most > most[above])]
    return float(sizes.min()) if len(sizes) else None


def play_match(
    game: Any,
    first: Agent,
    second: Agent,
    terms: Terms,
    *,
    watch: Watch | None = None,
    exact: bool = True,
    luck: bool = False,
    record: Record | None = None,
) -> Match:
    """Let two agents play; ``watch`` is told how many more hands are done.

    Agents whose distributions are known play in batches. With ``exact`` their expectation is computed
    beside, where the game is small enough to certify; with ``luck`` the luck of the first agent's cards is
    taken out beside, in poker. ``record`` is told of every hand, a history to keep.
    """
    rules = match_rules(game)
    tell = watch or (lambda hands: None)
    pair = behaviour_of(first, rules), behaviour_of(second, rules)
    book = _Book(rules, terms, tell, luck, record)
    for number in range(terms.series):
        if pair[0] is not None and pair[1] is not None:
            book.fast_series((pair[0], pair[1]), number)
        elif luck:
            raise EquipoiseError(
                "match: luck can be taken out between agents with known strategies in poker for two, expected "
                "such agents."
            )
        else:
            book.slow_series((first, second), number)
    return Match(
        game=rules,
        names=(first.name, second.name),
        terms=terms,
        units=book.units,
        missing=(int(book.missing[0]), int(book.missing[1])),
        expected=exact_mean(rules, first, second) if exact else None,
        without_luck=book.adjusted,
    )


def match_rules(game: Any) -> Game:
    """Return the game of a match, which must be one of two players."""
    book: Any = rulebook(game)
    if len(book.players) != 2:
        raise EquipoiseError(
            f"match: '{book.name}' has {len(book.players)} players, expected a game of two."
        )
    found: Game = book.game
    return found


def _missing(agent: Agent) -> int:
    return agent.missing if isinstance(agent, StrategyPlayer) else 0


class _Book:
    """Keeps what is won while a match is played."""

    def __init__(
        self, game: Game, terms: Terms, tell: Watch, luck: bool, record: Record | None
    ) -> None:
        if luck and not isinstance(game, PokerGame):
            raise EquipoiseError(
                f"match: '{game.name}' is a game without cards on a table, expected poker to take luck out."
            )
        self.game, self.terms, self.tell, self.record = game, terms, tell, record
        self.legs = (0, 1) if terms.duplicate else (0,)
        self.units = np.zeros((terms.series, terms.units))
        self.adjusted = np.zeros_like(self.units) if luck else None
        self.missing = np.zeros(2, dtype=np.int64)

    def fast_series(self, pair: tuple[Behaviour, Behaviour], number: int) -> None:
        """Play a series in batches: seats change after every hand, and in the second leg are swapped."""
        for begin, count in self._batches():
            dealt, draw = self._deals(number, begin, count)
            for leg in self.legs:
                chosen = draw.random((count, choices(self.game)))
                for parity in range(min(count, 2)):
                    rows = slice(parity, None, 2)
                    hands = (number, slice(begin + parity, begin + count, 2))
                    self._seat(pair, (parity + leg) % 2, dealt[rows], chosen[rows], hands)
            self.tell(count * len(self.legs))

    def _seat(
        self,
        pair: tuple[Behaviour, Behaviour],
        seat: int,
        dealt: Floats,
        chosen: Floats,
        hands: tuple[int, slice],
    ) -> None:
        """Play some hands with the first agent in ``seat`` and add up what it wins."""
        game = self.game
        plays = simulate(game, pair if seat == 0 else pair[::-1], dealt, chosen)
        sign = (1 if seat == 0 else -1) / len(self.legs)
        self.units[hands] += sign * plays.payoffs
        self.missing += plays.missing if seat == 0 else plays.missing[::-1]
        if self.record is not None:
            for end in plays.states(game):
                self.record(end, seat)
        if self.adjusted is not None:
            assert isinstance(game, PokerGame)
            left = without_luck(game, pair[0], seat, plays.leaves, plays.cards, plays.payoffs)
            self.adjusted[hands] += sign * left

    def slow_series(self, pair: tuple[Agent, Agent], number: int) -> None:
        """Play a series hand by hand, on the deals that the fast road would have."""
        before = [_missing(agent) for agent in pair]
        for leg in self.legs:
            for i, agent in enumerate(pair):
                agent.reset(f"{self.terms.seed}/{number}/{leg}/{i}")
            for hand, nature in enumerate(self._natures(number)):
                seat = (hand + leg) % 2
                agents = pair if seat == 0 else pair[::-1]
                episode = Episode(self.game, nature=iter(nature).__next__)
                self.units[number, hand] += play_out(episode, agents)[seat] / len(self.legs)
                if self.record is not None:
                    self.record(episode.state, seat)
                self.tell(1)
        self.missing += [_missing(agent) - had for agent, had in zip(pair, before, strict=True)]

    def _batches(self) -> Iterator[tuple[int, int]]:
        """Yield beginnings and lengths of batches of hands."""
        for begin in range(0, self.terms.units, _CHUNK):
            yield begin, min(_CHUNK, self.terms.units - begin)

    def _deals(self, number: int, begin: int, count: int) -> tuple[Floats, np.random.Generator]:
        """Return nature's numbers for some hands of a series, and what draws the rest."""
        draw = np.random.default_rng([self.terms.seed, number, begin])
        return draw.random((count, natures(self.game))), draw

    def _natures(self, number: int) -> Iterator[Sequence[float]]:
        """Yield nature's numbers for every hand of a series."""
        for begin, count in self._batches():
            yield from self._deals(number, begin, count)[0].tolist()
