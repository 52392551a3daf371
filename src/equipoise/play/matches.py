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
from equipoise.play.expectation import exact_mean
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.play.score import Score, Series
from equipoise.play.simulate import Behaviour, behaviour_of, choices, natures, simulate

Floats = NDArray[np.float64]
Game = ExtensiveGame | StageGame
Watch = Callable[[int], None]

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
    """

    game: Game
    names: tuple[str, str]
    terms: Terms
    units: Floats
    missing: tuple[int, int] = (0, 0)
    expected: float | None = None

    @cached_property
    def score(self) -> Score:
        """What the first agent won, over all hands."""
        return Score(self.units.reshape(-1))

    @cached_property
    def series(self) -> Series:
        """The same by series."""
        return Series(self.units.mean(axis=1))

    @cached_property
    def last_tenth(self) -> Score:
        """The last tenth of every series: what is won against an opponent that has learnt."""
        length = max(1, round(self.units.shape[1] / 10))
        return Score(self.units[:, -length:].reshape(-1))

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
    paid, tree = book.contributions, game.tree
    assert paid is not None
    sizes = [
        float(paid[node].max() - paid[tree.parent[node]].max())
        for node in range(1, len(tree.parent))
        if tree.action[node][0] in "br" and tree.round[tree.parent[node]] == 0
    ]
    return min(sizes, default=None)


def play_match(
    game: Any,
    first: Agent,
    second: Agent,
    terms: Terms,
    *,
    watch: Watch | None = None,
    exact: bool = True,
) -> Match:
    """Let two agents play; ``watch`` is told how many more hands are done.

    Agents whose distributions are known play in batches. With ``exact`` their expectation is computed
    beside, where the game is small enough to certify.
    """
    rules = match_rules(game)
    tell = watch or (lambda hands: None)
    arrays = behaviour_of(first, rules), behaviour_of(second, rules)
    units = np.empty((terms.series, terms.units))
    missing = np.zeros(2, dtype=np.int64)
    for number in range(terms.series):
        if arrays[0] is not None and arrays[1] is not None:
            pair = arrays[0], arrays[1]
            units[number] = _fast_series(rules, pair, terms, number, tell, missing)
        else:
            units[number] = _slow_series(rules, (first, second), terms, number, tell, missing)
    return Match(
        game=rules,
        names=(first.name, second.name),
        terms=terms,
        units=units,
        missing=(int(missing[0]), int(missing[1])),
        expected=exact_mean(rules, first, second) if exact else None,
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


def _legs(terms: Terms) -> tuple[int, ...]:
    """Return which agent sits first in the first hand of every leg."""
    return (0, 1) if terms.duplicate else (0,)


def _fast_series(
    game: Game,
    pair: tuple[Behaviour, Behaviour],
    terms: Terms,
    number: int,
    tell: Watch,
    missing: NDArray[np.int64],
) -> Floats:
    """Play a series in batches: seats change after every hand, and in the second leg are swapped."""
    won = np.zeros(terms.units)
    for begin in range(0, terms.units, _CHUNK):
        count = min(_CHUNK, terms.units - begin)
        dealt, draw = _deals(game, terms.seed, number, begin, count)
        for leg in _legs(terms):
            chosen = draw.random((count, choices(game)))
            for parity in (0, 1):
                seat = (parity + leg) % 2
                rows = slice(parity, None, 2)
                agents = pair if seat == 0 else pair[::-1]
                plays = simulate(game, agents, dealt[rows], chosen[rows])
                pays = plays.payoffs if seat == 0 else -plays.payoffs
                won[begin + parity : begin + count : 2] += pays
                missing += plays.missing if seat == 0 else plays.missing[::-1]
        tell(count * len(_legs(terms)))
    return won / len(_legs(terms))


def _deals(
    game: Game, seed: int, number: int, begin: int, count: int
) -> tuple[Floats, np.random.Generator]:
    """Return nature's numbers for some hands of a series, and what draws the rest."""
    draw = np.random.default_rng([seed, number, begin])
    return draw.random((count, natures(game))), draw


def _slow_series(
    game: Game,
    pair: tuple[Agent, Agent],
    terms: Terms,
    number: int,
    tell: Watch,
    missing: NDArray[np.int64],
) -> Floats:
    """Play a series hand by hand, on the deals that the fast road would have."""
    won, before = np.zeros(terms.units), [_missing(agent) for agent in pair]
    for leg in _legs(terms):
        for i, agent in enumerate(pair):
            agent.reset(f"{terms.seed}/{number}/{leg}/{i}")
        for hand, nature in enumerate(_natures(game, terms, number)):
            seat = (hand + leg) % 2
            agents = pair if seat == 0 else pair[::-1]
            pays = play_out(Episode(game, nature=iter(nature).__next__), agents)
            won[hand] += pays[seat]
            tell(1)
    missing += [_missing(agent) - had for agent, had in zip(pair, before, strict=True)]
    return won / len(_legs(terms))


def _natures(game: Game, terms: Terms, number: int) -> Iterator[Sequence[float]]:
    """Yield nature's numbers for every hand of a series."""
    for begin in range(0, terms.units, _CHUNK):
        count = min(_CHUNK, terms.units - begin)
        yield from _deals(game, terms.seed, number, begin, count)[0].tolist()
