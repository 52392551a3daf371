"""Tables at which people play: hands dealt one after another against an agent, with a coach and a score.

What is sent to a browser is made from the player's :class:`~equipoise.play.observation.Observation` alone, in
which there is nothing that she does not know.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equipoise.errors import EquipoiseError, quoted
from equipoise.games.files.fields import Fields
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import CHANCE, ExtensiveGame
from equipoise.play.agents import Agent, Mixed, StrategyPlayer, Uniform, always_call, always_raise
from equipoise.play.coach import Advice, Coach, Score
from equipoise.play.episode import Episode
from equipoise.play.explore import spoken
from equipoise.play.observation import Move, Observation
from equipoise.play.web.library import Library, Opened
from equipoise.road.families import family_of

OPPONENTS: dict[str, tuple[str, Callable[[], Mixed]]] = {
    "uniform": ("plays every action equally often", Uniform),
    "always-call": ("checks and calls", always_call),
    "always-raise": ("bets and raises", always_raise),
}
"""Who else plays: by name, what they do, and what makes one."""

_NOTHING = 1e-4  # part of what is at stake that is no mistake to give away
_POINTS = 400  # of the curve of scores that is sent


@dataclass(eq=False)
class PlayTable:
    """One person's table.

    ``seats`` are those that she takes in turn; the ``opponent`` has all others; ``coaches`` has a coach for
    each of her seats, or none where there is no strategy to learn from.
    """

    game: Any
    seats: tuple[int, ...]
    opponent: Mixed
    coaches: dict[int, Coach]
    title: str
    is_coached: bool = True
    score: Score = field(default_factory=Score)
    points: list[tuple[float, float]] = field(default_factory=list)
    _episode: Episode | None = None
    _number: int = 0
    _choices: list[tuple[Advice, str]] = field(default_factory=list)
    _said: list[str] = field(default_factory=list)
    _verdict: dict[str, Any] | None = None

    @property
    def seat(self) -> int:
        """Where she sits in this hand."""
        return self.seats[self._number % len(self.seats)]

    def deal(self) -> None:
        """Deal the next hand, unless one is on."""
        if self._episode is not None:
            if not self._episode.is_over:
                return
            self._number += 1
        self._choices, self._said, self._verdict = [], [], None
        # Nobody may guess the cards from those that were dealt before.
        self._episode = Episode(self.game, nature=random.SystemRandom().random)
        self._go_on()

    def act(self, action: str) -> None:
        """Do ``action`` for the player, and whatever follows until it is her turn again."""
        episode = self._episode
        if episode is None or episode.player != self.seat:
            raise EquipoiseError(
                f"action {quoted(action)}: it is not your turn, expected you to wait or to deal."
            )
        seat, seen = self.seat, episode.observation(self.seat)
        if action not in seen.actions:
            raise EquipoiseError(
                f"action: found {quoted(action)}, expected {' or '.join(map(quoted, seen.actions))}."
            )
        self._do(episode, seen, action)
        if seat in self.coaches:
            self._judge(self.coaches[seat].advise(seen), action)
        self._go_on()

    def _judge(self, advice: Advice, action: str) -> None:
        """Keep what a choice was worth."""
        self._choices.append((advice, action))
        self._verdict = {
            "action": action,
            "word": self._said[-1],
            "cost": advice.cost(action),
            "is_best": advice.cost(action) <= self.score.slack,
            "probability": advice.probabilities[advice.actions.index(action)],
        }

    def _do(self, episode: Episode, seen: Observation, action: str) -> None:
        """Let who sees this do ``action``, and keep what it is called."""
        self._said.append(self._words(seen)[seen.actions.index(action)])
        episode.act(action)

    def _go_on(self) -> None:
        """Let the opponents act, and count the hand when it is over."""
        episode, seat = self._episode, self.seat
        assert episode is not None, "a hand is on"
        while (player := episode.player) is not None and player != seat:
            seen = episode.observation(player)
            self._do(episode, seen, self.opponent.act(seen))
        if episode.payoffs is not None:
            value = self.coaches[seat].value if seat in self.coaches else math.nan
            self.score.count(episode.payoffs[seat], value, self._choices)
            self.points.append((self.score.total, self.score.adjusted))

    def state(self) -> dict[str, Any]:
        """Return what the player may know, ready for JSON."""
        episode, seat = self._episode, self.seat
        facts: dict[str, Any] = {
            "type": "state",
            "title": self.title,
            "seat": seat,
            "score": self._scored(),
            "coached": self.is_coached,
            "coachable": bool(self.coaches),
            "hand": None,
        }
        if episode is not None:
            facts["players"] = episode.rules.players
            facts["hand"] = self._hand(episode, episode.observation(seat))
        return facts

    def _hand(self, episode: Episode, seen: Observation) -> dict[str, Any]:
        is_tree, words = isinstance(self.game, ExtensiveGame), self._words(seen)
        moves = _fair(self.game, seen.moves) if is_tree else seen.moves
        hand = {
            "private": seen.private,
            "public": seen.public,
            # Of poker the cards say it all; the label names suits by their order, as if they were others.
            "infoset": None if seen.private else seen.infoset,
            "turn": seen.turn,
            "steps": self._steps(moves),
            "paid": seen.paid,
            "actions": [
                {"action": action, "word": word}
                for action, word in zip(seen.actions, words, strict=True)
            ],
            "over": seen.is_over,
            "payoffs": seen.payoffs,
            "shown": seen.shown,
            "advice": None,
            "verdict": self._verdict if self.is_coached else None,
        }
        if self.is_coached and seen.is_turn and self.seat in self.coaches:
            advice = self.coaches[self.seat].advise(seen)
            hand["advice"] = {
                "probabilities": advice.probabilities,
                "values": advice.values,
                "value": advice.value,
            }
        return hand

    def _steps(self, moves: Sequence[Move]) -> list[dict[str, Any]]:
        """Return moves in words: nature's as they are, the players' as they were called."""
        said = iter(self._said)
        return [
            {
                "player": move.player,
                "word": move.action if move.player == CHANCE else next(said),
            }
            for move in moves
        ]

    def _words(self, seen: Observation) -> tuple[str, ...]:
        """Return what the actions are called."""
        is_tree = isinstance(self.game, ExtensiveGame)
        return spoken(self.game, seen.actions) if is_tree else seen.words

    def _scored(self) -> dict[str, Any]:
        score = self.score
        every = max(1, len(self.points) // _POINTS)
        return {
            "hands": score.hands,
            "total": score.total,
            "mean": score.mean,
            "error": score.error,
            "adjusted": score.adjusted,
            "cost": score.cost,
            "decisions": score.decisions,
            "best": score.best,
            "points": self.points[::every],
            "value": math.fsum(coach.value for coach in self.coaches.values())
            / max(len(self.coaches), 1),
        }


def _fair(game: ExtensiveGame, moves: Sequence[Move]) -> Sequence[Move]:
    """Return what may be told at the end of a tree: nature's moves only if they decided who is paid what.

    A tree does not say which of them were hidden. Where all ends after the same moves of the players pay
    the same, as after a fold, they stay so.
    """
    played = [move for move in moves if move.player != CHANCE]
    nodes: np.ndarray[Any, Any] = np.zeros(1, dtype=np.intp)
    for move in [*played, None]:
        while (chance := game.player[nodes] == CHANCE).any():
            below = np.flatnonzero(np.isin(game.parent, nodes[chance]))
            nodes = np.concatenate([nodes[~chance], below])
        if move is not None:
            below = np.flatnonzero(np.isin(game.parent, nodes))
            labels = [
                game.infoset_actions[game.infoset[game.parent[v]]][game.slot[v]]
                for v in below.tolist()
            ]
            nodes = below[[label == move.action for label in labels]]
    ends = game.outcome[nodes]
    is_decided = (ends >= 0).all() and len(np.unique(game.payoffs[ends], axis=0)) > 1
    return moves if is_decided else played


def sit(library: Library, wish: Fields, coaches: dict[Any, Coach]) -> PlayTable:
    """Return a table as ``wish`` asks for: strategy or game, opponent, seat, coached.

    ``coaches`` are kept from one table to the next, with all that they have worked out.
    """
    if "game" in wish.data:
        return _uncoached(library, wish)
    identity, against = wish.text("strategy"), wish.text("opponent", "strategy")
    opened = library.open(identity)
    game, strategy = opened.result.rules, opened.strategy
    opponent, title = _opponent(library, opened, identity, against)
    is_other = title is not None and against not in OPPONENTS
    seats, known = _seats(game, wish), {}
    for one in seats:
        # The results are part of the key: a file that is replaced brings new coaches.
        key = opened, library.open(against) if is_other else against, one
        if key not in coaches:
            coach = (
                Coach(opened.explorer, one)
                if title is None
                else Coach.against(game, strategy, one, opponent)
            )
            # To sit down may take a moment; to act must not, for anybody.
            coach.prepare()
            coaches[key] = coach
        known[one] = coaches[key]
    opponent.reset(random.SystemRandom().getrandbits(64))
    entry = library.entry(identity)
    gap, stake = float(entry.facts.get("gap") or 0.0), family_of(game).stake(game)
    return PlayTable(
        game=game,
        seats=seats,
        opponent=opponent,
        coaches=known,
        title=title or entry.name,
        is_coached=wish.flag("coached", default=True),
        score=Score(max(gap, _NOTHING * stake)),
    )


def _seats(game: Any, wish: Fields) -> tuple[int, ...]:
    """Return the seats that a person takes in turn: all, or the one she asks for."""
    players = game.players if isinstance(game.players, int) else len(game.players)
    seat = wish.whole("seat", 0, most=players)
    return tuple(range(players)) if seat == 0 else (seat - 1,)


def _uncoached(library: Library, wish: Fields) -> PlayTable:
    """Return a table of a game of which there is no strategy: nobody to coach, but somebody to play."""
    against = wish.text("opponent")
    if against not in OPPONENTS:
        raise EquipoiseError(
            f"opponent: found {quoted(against)}, expected {' or '.join(OPPONENTS)} in a game without a "
            "strategy."
        )
    game, opponent = library.game(wish.text("game")), OPPONENTS[against][1]()
    for actions in _menus(game):
        opponent.policy(
            Observation(game.name, 0, actions=actions)
        )  # or says that it cannot play this
    opponent.reset(random.SystemRandom().getrandbits(64))
    return PlayTable(game, _seats(game, wish), opponent, {}, against)


def _menus(game: ExtensiveGame | StageGame) -> set[tuple[str, ...]]:
    """Return the sets of actions that are open somewhere."""
    if isinstance(game, ExtensiveGame):
        return {tuple(actions) for actions in game.infoset_actions}
    tree = game.tree
    return {tuple(tree.action[child] for child in below) for below in tree.successors if below}


def _opponent(
    library: Library, opened: Opened, identity: str, against: str
) -> tuple[Mixed, str | None]:
    """Return who plays against a person, and the title; none if it is the coach's own strategy."""
    if against in ("strategy", identity):
        return StrategyPlayer(opened.strategy), None
    if against in OPPONENTS:
        agent: Agent = OPPONENTS[against][1]()
        assert isinstance(agent, Mixed)
        return agent, against
    other = library.open(against)
    if other.strategy.fingerprint != opened.strategy.fingerprint:
        raise EquipoiseError(
            f"opponent: found a strategy of '{other.result.spec}', expected one of "
            f"'{opened.result.spec}'."
        )
    return StrategyPlayer(other.strategy), library.entry(against).name
