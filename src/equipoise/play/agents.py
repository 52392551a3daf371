"""Agents: an observation goes in, an action comes out.

An agent plays every seat of a game. Most are *mixed*: they have a distribution over the actions in every
situation, from which they draw; a match may then compute what they earn exactly. To add one, give it a
``policy``, or, if it learns, its own ``act`` and ``learn``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame
from equipoise.play.observation import Observation
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.strategy.keys import Place, SignalKeys, keys_of
from equipoise.strategy.profile import Strategy
from equipoise.strategy.simple import ALWAYS, preferred
from equipoise.strategy.table import require_strategy

Seed = int | str

Distribution = Mapping[str, float]
"""The probability of each action, by label."""


class Agent(Protocol):
    """Whoever plays."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def reset(self, seed: Seed) -> None:
        """Forget everything and draw from ``seed`` on: what it does afterwards depends on it alone."""

    def act(self, observation: Observation) -> str:
        """Return one of the actions that are open."""

    def learn(self, observation: Observation) -> None:
        """See how an episode has ended."""


class Mixed:
    """An agent that draws from a distribution; it learns nothing.

    One ``is_blind`` if the distribution depends on the actions that are open alone.
    """

    name = "mixed"
    is_blind = False

    def __init__(self) -> None:
        self._random = random.Random()

    def reset(self, seed: Seed) -> None:
        """Draw from ``seed`` on."""
        self._random = random.Random(seed)

    def policy(self, observation: Observation) -> Distribution:
        """Return the probability of each action that is open."""
        raise NotImplementedError

    def act(self, observation: Observation) -> str:
        """Draw an action."""
        return drawn(self.policy(observation), self._random.random())

    def learn(self, observation: Observation) -> None:
        """Learn nothing."""


def drawn(policy: Distribution, number: float) -> str:
    """Return the action that ``number``, uniform in [0, 1), stands for."""
    left = number * sum(policy.values())
    chosen = ""
    for action, probability in policy.items():
        if probability > 0:
            chosen = action
            if left < probability:
                break
            left -= probability
    return chosen


class Uniform(Mixed):
    """Plays every action equally often."""

    name = "uniform"
    is_blind = True

    def policy(self, observation: Observation) -> Distribution:
        """Return the same for all actions."""
        return dict.fromkeys(observation.actions, 1 / len(observation.actions))


class Always(Mixed):
    """Does the same in every situation of a poker game: calls, raises or folds."""

    is_blind = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self._wishes = name, ALWAYS[name]

    def policy(self, observation: Observation) -> Distribution:
        """Return certainty of the action that is wanted most."""
        chosen = preferred(observation.actions, *self._wishes)
        if chosen is None:
            raise EquipoiseError(
                f"{self.name}: found the actions {', '.join(observation.actions)}, expected those of "
                "poker (check, bet, fold, call, raise)."
            )
        return {action: float(action == chosen) for action in observation.actions}


def always_call() -> Always:
    """Return the calling station."""
    return Always("always-call")


def always_raise() -> Always:
    """Return the maniac."""
    return Always("always-raise")


def always_fold() -> Always:
    """Return who gives up whenever that is possible."""
    return Always("always-fold")


class StrategyPlayer(Mixed):
    """Plays a strategy.

    Probabilities are looked up one information set at a time, so a strategy that is mapped from a file is
    never read as a whole. Where it says nothing (an information set that is missing, or whose numbers are
    all zero), it checks or calls, as GS1 did in situations of probability zero (Gilpin 2009), and where
    that is not possible plays uniformly; ``missing`` counts how often.

    Parameters
    ----------
    strategy
        A strategy, a result of a solve, or a mapping from information sets to distributions, which may
        leave some out.
    game
        The game that it plays, if the strategy does not know it.
    """

    def __init__(self, strategy: Any, game: Any = None, name: str = "stored") -> None:
        super().__init__()
        known = getattr(strategy, "strategy", strategy)
        if not isinstance(known, Strategy | Mapping):
            raise EquipoiseError(
                f"{name}: found a {type(known).__name__}, expected a strategy with information sets."
            )
        if isinstance(known, Strategy) and game is not None:
            from equipoise.road.verbs import rules_of

            known = known.of(rules_of(game))
        self.name, self.strategy, self.missing = name, known, 0

    def policy(self, observation: Observation) -> Distribution:
        """Return what the strategy does, or the fallback."""
        found = self._found(observation)
        if found is not None and sum(found.values()) > 0:
            return found
        self.missing += 1
        return fallback(observation)

    def _found(self, observation: Observation) -> Distribution | None:
        assert observation.infoset is not None, "it is asked when it is its turn"
        if not isinstance(self.strategy, Strategy):
            told: Distribution | None = self.strategy.get(observation.infoset)
            return None if told is None else {a: told.get(a, 0.0) for a in observation.actions}
        return self._reader.read(observation)

    @cached_property
    def _reader(self) -> _Reader:
        return _Reader(self.strategy)


class _Reader:
    """Finds an information set's numbers in a strategy from an observation."""

    def __init__(self, strategy: Strategy) -> None:
        game = strategy.rules
        require_strategy(game, strategy)
        self._behaviour = strategy.behaviour
        self._coarse = strategy.abstraction if strategy.is_abstract else None
        self._keys = keys_of(game, self._coarse)
        self._book = rulebook(game)
        self._is_signals = isinstance(game, StageGame)

    def read(self, observation: Observation) -> Distribution:
        place = self._place(observation)
        vector = self._behaviour[place.player]
        return {
            action: float(vector[place.first + i * place.stride])
            for i, action in enumerate(place.actions)
        }

    def _place(self, observation: Observation) -> Place:
        assert observation.infoset is not None
        if not self._is_signals:
            return self._keys.locate(observation.infoset)
        assert isinstance(self._keys, SignalKeys)
        assert isinstance(self._book, SignalBook)
        assert self._keys.layout is not None
        block = self._keys.block(observation.history)
        place = self._book.view_number(observation)
        if self._coarse is not None:
            place = int(self._coarse.bucket(block.turn, [place], block.player)[0])
        width = self._keys.layout.buckets[block.turn][block.player]
        return Place(block.player, block.first + place, width, block.actions)


def fallback(observation: Observation) -> Distribution:
    """Return what to do where a strategy says nothing: check or call, else anything."""
    chosen = preferred(observation.actions, *ALWAYS["always-call"])
    if chosen is None:
        return dict.fromkeys(observation.actions, 1 / len(observation.actions))
    return {action: float(action == chosen) for action in observation.actions}


def nemesis(strategy: Any, game: Any = None) -> StrategyPlayer:
    """Return the agent that knows ``strategy`` and answers best, in every seat."""
    from equipoise.play.response import best_response

    known = StrategyPlayer(strategy, game).strategy
    if not isinstance(known, Strategy):
        raise EquipoiseError("nemesis: found a mapping, expected a whole strategy to answer.")
    return StrategyPlayer(best_response(known.rules, known), name="nemesis")


@dataclass
class _Account:
    """What an action has brought so far."""

    count: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0


@dataclass
class Learner:
    """Learns from what it is paid: in every information set, the action that paid best on average.

    It tries every action once, and later another one with probability ``explore`` (epsilon-greedy Monte
    Carlo control, Sutton and Barto 1998). It knows neither rules nor opponents, so it stands for all
    opponents that change while they play.
    """

    name: str = "learner"
    explore: float = 0.1
    _accounts: dict[tuple[int, str, str], _Account] = field(default_factory=dict, repr=False)
    _pending: list[_Account] = field(default_factory=list, repr=False)
    _random: random.Random = field(default_factory=random.Random, repr=False)

    def reset(self, seed: Seed) -> None:
        """Forget what was learnt."""
        self._accounts, self._pending, self._random = {}, [], random.Random(seed)

    def act(self, observation: Observation) -> str:
        """Try what is new, mostly take what was best."""
        assert observation.infoset is not None, "it is asked when it is its turn"
        known = [
            self._accounts.setdefault((observation.player, observation.infoset, a), _Account())
            for a in observation.actions
        ]
        new = [i for i, account in enumerate(known) if not account.count]
        if new:
            chosen = self._random.choice(new)
        elif self._random.random() < self.explore:
            chosen = self._random.randrange(len(known))
        else:
            chosen = max(range(len(known)), key=lambda i: known[i].mean)
        self._pending.append(known[chosen])
        return observation.actions[chosen]

    def learn(self, observation: Observation) -> None:
        """Credit every action of the episode with its payoff."""
        assert observation.payoffs is not None, "it learns when the game is over"
        for account in self._pending:
            account.count += 1
            account.total += observation.payoffs[observation.player]
        self._pending = []


AGENTS: dict[str, Callable[[], Agent]] = {
    "uniform": Uniform,
    "always-call": always_call,
    "always-raise": always_raise,
    "always-fold": always_fold,
    "learner": Learner,
}
"""Agents that need nothing but a name."""


def agent(spec: str, game: Any) -> Agent:
    """Return the agent that ``spec`` names.

    A name of :data:`AGENTS`; a strategy of ``game``, as a file that solve writes or as text (``*.txt``); or
    ``nemesis:STRATEGY``, which answers that strategy best.
    """
    if spec in AGENTS:
        return AGENTS[spec]()
    word, colon, rest = spec.partition(":")
    if colon and word == "nemesis":
        found = nemesis(read_strategy(rest, game))
        found.name = spec
        return found
    return StrategyPlayer(read_strategy(spec, game), name=spec)


def read_strategy(path: str, game: Any) -> Strategy:
    """Return the strategy of ``game`` that a file holds."""
    from pathlib import Path

    from equipoise.road.verbs import open, rules_of

    rules, place = rules_of(game), Path(path)
    if not place.exists():
        raise EquipoiseError(
            f"agent '{path}': found no such file, expected one of {', '.join(AGENTS)}, a strategy file, "
            "or nemesis:STRATEGY."
        )
    if place.suffix == ".txt":
        from equipoise.strategy.text import read_text

        return read_text(place, rules)
    found = open(place, rules).strategy
    if not isinstance(found, Strategy):
        raise EquipoiseError(
            f"{path}: found a {type(found).__name__}, expected a strategy with information sets."
        )
    return found.of(rules)
