"""One play of a game, from the first deal to the payoffs: the one door to play, for every kind of game.

>>> from equipoise.play.episode import Episode
>>> hand = Episode("kuhn", seed=3)
>>> hand.player, hand.actions, hand.observation(0).infoset
(0, ('p', 'b'), 'J')
>>> hand.act("p")
>>> hand.act("p")
>>> hand.is_over, hand.payoffs
(True, (-1.0, 1.0))
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from equipoise.errors import EquipoiseError, quoted
from equipoise.games.trees.extensive import CHANCE, TERMINAL
from equipoise.play.agents import Agent
from equipoise.play.observation import Move, Observation
from equipoise.play.rulebook import Rulebook, rulebook

Nature = Callable[[], float]
"""Uniform numbers in [0, 1), one for each of nature's moves: equal numbers deal equal cards."""


class Episode:
    """A play of ``game`` under way.

    Nature moves by ``seed`` as soon as it is her turn; two episodes with one seed see the same deal, whatever
    the players do. ``nature`` takes the place of ``seed``: any source of uniform numbers.
    """

    def __init__(self, game: Any, seed: int | str = 0, *, nature: Nature | None = None) -> None:
        self.rules: Rulebook = rulebook(game)
        self._nature = random.Random(seed).random if nature is None else nature
        self._state = self.rules.initial()
        self._moves: list[Move] = []
        self._settle()

    def __repr__(self) -> str:
        now = f"paid {self.payoffs}" if self.is_over else f"player {self.player} to act"
        return f"<Episode of '{self.rules.name}': {len(self._moves)} moves, {now}>"

    @property
    def player(self) -> int | None:
        """Who is to act (from 0); ``None`` when the game is over."""
        player = self.rules.player(self._state)
        return None if player == TERMINAL else player

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.player is None

    @property
    def actions(self) -> tuple[str, ...]:
        """The labels of the actions open to who is to act."""
        return () if self.is_over else tuple(self.rules.actions(self._state))

    @property
    def payoffs(self) -> tuple[float, ...] | None:
        """What each player is paid, once the game is over."""
        return self.rules.payoffs(self._state) if self.is_over else None

    @property
    def state(self) -> Any:
        """The whole truth, hidden signals included: for whoever deals, and never for a player."""
        return self._state

    @property
    def moves(self) -> tuple[Move, ...]:
        """Everything that has happened, nature's hidden moves included: never for a player."""
        return tuple(self._moves)

    def observation(self, player: int) -> Observation:
        """Return what ``player`` knows now."""
        if player not in range(len(self.rules.players)):
            raise EquipoiseError(
                f"{self.rules.name}: found player {player}, expected 0 to "
                f"{len(self.rules.players) - 1}."
            )
        return self.rules.observe(self._state, player, self._moves)

    def act(self, action: str) -> None:
        """Let the player whose turn it is do ``action``, a label; then let nature move."""
        player, actions = self.player, self.actions
        if player is None:
            raise EquipoiseError(
                f"{self.rules.name}: found the action {quoted(action)} after the end, expected none."
            )
        if action not in actions:
            raise EquipoiseError(
                f"{self.rules.name}: found the action {quoted(action)}, expected "
                f"{' or '.join(map(quoted, actions))}."
            )
        self._moves.append(Move(player, action))
        self._state = self.rules.next(self._state, actions.index(action))
        self._settle()

    def _settle(self) -> None:
        """Let nature move until a player acts or the game is over."""
        while self.rules.player(self._state) == CHANCE:
            index = self.rules.drawn(self._state, self._nature())
            self._moves.append(Move(CHANCE, self.rules.chance_label(self._state, index)))
            self._state = self.rules.next(self._state, index)


def play_out(episode: Episode, agents: Sequence[Agent]) -> tuple[float, ...]:
    """Let ``agents``, one a player, play an episode to its end; return the payoffs.

    Each is asked when it is its turn, and shown the end.
    """
    expected = len(episode.rules.players)
    if len(agents) != expected:
        raise EquipoiseError(
            f"{episode.rules.name}: found {len(agents)} agents, expected one for each of {expected} "
            "players."
        )
    while (player := episode.player) is not None:
        episode.act(agents[player].act(episode.observation(player)))
    for player, agent in enumerate(agents):
        agent.learn(episode.observation(player))
    payoffs = episode.payoffs
    assert payoffs is not None, "the game is over"
    return payoffs
