"""What play asks of a game, whatever its kind: who acts, what nature may do, what each player sees.

A rulebook adds to the rules of :class:`equipoise.games.trees.builder.Rules` what somebody sees who is *not* to
act, and never lists a game: a state of a tree is a node, a state of a game with signals is the signals
revealed and a node of the betting tree, so that Texas hold'em is played as Kuhn poker is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME, SHOWDOWN
from equipoise.games.signals.betting import TERMINAL as LEAF
from equipoise.games.signals.chance import Deal, WithoutReplacement
from equipoise.games.signals.chips import chips
from equipoise.games.signals.stage_game import PUBLIC, StageGame, View
from equipoise.games.signals.unroll import SignalRules, State
from equipoise.games.signals.views import views
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.play.observation import Move, Observation

_KEPT = 1 << 14
_WORDS = {"k": "check", "b": "bet", "f": "fold", "c": "call", "r": "raise"}


class Rulebook(Protocol):
    """The rules of one game as play needs them; a *state* is any value that is never changed."""

    @property
    def name(self) -> str:
        """The game's name."""

    @property
    def players(self) -> tuple[str, ...]:
        """What the players are called."""

    def initial(self) -> Any:
        """Return the state before anything has happened."""

    def player(self, state: Any) -> int:
        """Return who acts: a player, ``CHANCE`` or ``TERMINAL``."""

    def actions(self, state: Any) -> Sequence[str]:
        """Return the labels of the actions open to the acting player."""

    def drawn(self, state: Any, number: float) -> int:
        """Return nature's move that ``number``, uniform in [0, 1), stands for."""

    def chance_label(self, state: Any, index: int) -> str:
        """Name nature's move ``index``."""

    def next(self, state: Any, index: int) -> Any:
        """Return the state after move ``index``."""

    def payoffs(self, state: Any) -> tuple[float, ...]:
        """Return what each player is paid at the end."""

    def observe(self, state: Any, player: int, moves: Sequence[Move]) -> Observation:
        """Return what ``player`` knows in ``state``, to which ``moves``, nature's among them, have led."""


def rulebook(game: Any) -> Rulebook:
    """Return the rulebook of a game, or of what :func:`equipoise.load` makes one from."""
    from equipoise.games.base import load
    from equipoise.games.trees.normal import NormalGame

    found = load(game) if isinstance(game, str) else game
    if isinstance(found, NormalGame):
        found = found.tree
    if not isinstance(found, ExtensiveGame | StageGame):
        kind = getattr(found, "family", type(found).__name__)
        raise EquipoiseError(
            f"play: found a {kind}, expected a tree, a matrix or a game with signals."
        )
    return _rulebook(found)


@lru_cache(maxsize=16)
def _rulebook(game: ExtensiveGame | StageGame) -> Rulebook:
    return SignalBook(game) if isinstance(game, StageGame) else TreeBook(game)


class TreeBook:
    """A game tree; a state is a node."""

    def __init__(self, game: ExtensiveGame) -> None:
        self.game, self.name, self.players = game, game.name, tuple(game.players)
        self._order = np.argsort(game.parent, kind="stable")
        self._first = np.searchsorted(game.parent[self._order], np.arange(game.nodes + 1))

    def initial(self) -> int:
        """Return the root."""
        return 0

    def player(self, state: int) -> int:
        """Return who acts."""
        return int(self.game.player[state])

    def actions(self, state: int) -> tuple[str, ...]:
        """Return the labels of the information set."""
        return self.game.infoset_actions[self.game.infoset[state]]

    def _children(self, state: int) -> NDArray[np.intp]:
        return self._order[self._first[state] : self._first[state + 1]]

    def drawn(self, state: int, number: float) -> int:
        """Return the child in whose part of [0, 1) the number is."""
        return _slot(self.game.floats[self.game.probability[self._children(state)]], number)

    def chance_label(self, state: int, index: int) -> str:
        """Return the label of the edge."""
        return self.game.chance_label.get(self.next(state, index), str(index + 1))

    def next(self, state: int, index: int) -> int:
        """Return a child."""
        return int(self._children(state)[index])

    def payoffs(self, state: int) -> tuple[float, ...]:
        """Return the row of the outcome."""
        return tuple(self.game.payoffs[self.game.outcome[state]].tolist())

    @cached_property
    def _names(self) -> list[str]:
        from equipoise.strategy.keys import keys_of

        return list(keys_of(self.game).labels())

    def observe(self, state: int, player: int, moves: Sequence[Move]) -> Observation:
        """Return the information set, if it is the player's turn; and at the end, everything."""
        actor = self.player(state)
        if actor == TERMINAL:
            return Observation(self.name, player, moves=tuple(moves), payoffs=self.payoffs(state))
        own = tuple(move for move in moves if move.player == player)
        if actor != player:
            return Observation(self.name, player, moves=own)
        infoset = self._names[self.game.infoset[state]]
        actions = self.actions(state)
        return Observation(self.name, player, player, infoset, actions, actions, moves=own)


class SignalBook:
    """A game with signals; a state is (signals revealed, node of the betting tree)."""

    def __init__(self, game: StageGame) -> None:
        self.game, self.name, self.tree = game, game.name, game.tree
        self.players = tuple(f"player {i + 1}" for i in range(game.players))
        self._rules = SignalRules(game)
        self._views = views(game) if game.players == 2 and game.family == "zero-sum" else None
        self._told = lru_cache(maxsize=_KEPT)(self._name)
        self._number = lru_cache(maxsize=_KEPT)(self._count)
        self._signals = {name: signal for signal, name in enumerate(game.signals)}

    def initial(self) -> State:
        """Nothing revealed, nothing done."""
        return self._rules.initial()

    def player(self, state: State) -> int:
        """Nature moves until all signals of the node's round are out."""
        return self._rules.player(state)

    def actions(self, state: State) -> Sequence[str]:
        """Return the labels of the edges below the node."""
        return self._rules.actions(state)

    def drawn(self, state: State, number: float) -> int:
        """Return the place of the next signal among those that may come."""
        chance, deal = self.game.chance, state[0]
        if isinstance(chance, WithoutReplacement) and len(set(chance.weights)) == 1:
            return int(number * (len(chance.weights) - len(deal)))
        return _slot(np.array([float(p) for _, p in chance.draws(deal)]), number)

    def chance_label(self, state: State, index: int) -> str:
        """Return the signal's name."""
        return self.game.signals[self.next(state, index)[0][-1]]

    def next(self, state: State, index: int) -> State:
        """Reveal a signal, or follow an edge."""
        deal, node = state
        if self.player(state) != CHANCE:
            return deal, self.tree.successors[node][index]
        if isinstance(self.game.chance, WithoutReplacement):
            # The place among those left, without listing them all with their probabilities.
            signal = index
            for taken in sorted(deal):
                signal += taken <= signal
            return (*deal, signal), node
        return self._rules.next(state, index)

    def payoffs(self, state: State) -> tuple[float, ...]:
        """Return base + scale * kind(signals) for each player."""
        public, private = self.game.split(state[0])
        return self.settled(state[1], private, public)

    def observe(self, state: State, player: int, moves: Sequence[Move]) -> Observation:
        """Return the player's signals, what is public, and at a showdown all signals."""
        deal, node = state
        public, private = self.game.split(deal)
        seen = _seen(self.game, player, moves)
        if self.player(state) != TERMINAL:
            return self.situation(node, player, private[player], public, seen)
        open_to_all = self.exposed(node)
        shown = tuple(
            own if i in open_to_all or i == player else None for i, own in enumerate(private)
        )
        return self.ending(node, player, shown, public, seen)

    def situation(
        self, node: int, player: int, private: Deal, public: Deal, moves: Sequence[Move] = ()
    ) -> Observation:
        """Return what ``player``, who holds ``private``, knows at ``node`` of the betting tree.

        This is all that a table elsewhere (the competition protocol) tells her.
        """
        signals, actor = self.game.signals, int(self.tree.player[node])
        turn, is_turn = int(self.tree.round[node]), actor == player
        told = self._told(player, turn, self._view(player, private, public)) if is_turn else ""
        history = self.tree.histories[node]
        actions = [self.tree.action[child] for child in self.tree.successors[node]]
        return Observation(
            game=self.name,
            player=player,
            actor=actor,
            infoset=f"{told}|{history}" if is_turn else None,
            actions=tuple(actions) if is_turn else (),
            words=self.words[node] if is_turn else (),
            private=tuple(signals[s] for s in private),
            public=tuple(signals[s] for s in public),
            turn=turn,
            history=history,
            moves=tuple(moves),
            paid=self._paid(node),
        )

    def ending(
        self,
        node: int,
        player: int,
        shown: Sequence[Deal | None],
        public: Deal,
        moves: Sequence[Move] = (),
    ) -> Observation:
        """Return what ``player`` knows at a leaf, where some players' signals are ``shown``."""
        names = tuple(
            None if own is None else tuple(self.game.signals[s] for s in own) for own in shown
        )
        return Observation(
            game=self.name,
            player=player,
            private=names[player] or (),
            public=tuple(self.game.signals[s] for s in public),
            turn=int(self.tree.round[node]),
            history=self.tree.histories[node],
            moves=tuple(moves),
            paid=self._paid(node),
            payoffs=self.settled(node, shown, public),
            shown=names,
        )

    def exposed(self, node: int) -> frozenset[int]:
        """Return whose signals are shown at ``node``: at a showdown, those of all who have not folded."""
        if self.tree.player[node] != LEAF or self.tree.kind[node] == NO_OUTCOME:
            return frozenset()
        name, _, listed = self.tree.kinds[self.tree.kind[node]].partition(":")
        if name == SHOWDOWN and listed:
            return frozenset(int(player) - 1 for player in listed.split(","))
        return frozenset(range(self.game.players))

    def settled(self, node: int, shown: Sequence[Deal | None], public: Deal) -> tuple[float, ...]:
        """Return what each player is paid at a leaf; where signals decide, all must be shown."""
        tree = self.tree
        base = [float(amount) for amount in tree.base[node]]
        if tree.kind[node] == NO_OUTCOME:
            return tuple(base)
        if any(shown[player] is None for player in self.exposed(node)):
            raise EquipoiseError(f"{self.name}: found hidden signals at a showdown, expected all.")
        private = tuple(own or () for own in shown)
        values = self.game.outcomes[tree.kinds[tree.kind[node]]](public, private)
        scale = float(tree.scale[node])
        return tuple(own + scale * float(value) for own, value in zip(base, values, strict=True))

    def view_number(self, observation: Observation) -> int:
        """Return the number, in :func:`equipoise.games.signals.views.views`, of what a player has seen."""
        private = tuple(self._signals[name] for name in observation.private)
        public = tuple(self._signals[name] for name in observation.public)
        view = self._view(observation.player, private, public)
        return self._number(observation.player, observation.turn, view)

    def _view(self, player: int, private: Deal, public: Deal) -> View:
        """Return the view of a player as the game orders it."""
        own, common = iter(private), iter(public)
        deal: list[int] = []
        for who in self.game.receivers:
            signal = next(common if who == PUBLIC else own, None) if who in (PUBLIC, player) else 0
            if signal is None:
                break
            deal.append(signal)
        return self.game.view(player, tuple(deal))

    def _name(self, player: int, turn: int, view: View) -> str:
        """Name a view as strategies do: up to symmetry, where they know of any."""
        if self._views is None:
            return self.game.text(view)
        return self._views.label(turn, self._number(player, turn, view), player)

    def _count(self, player: int, turn: int, view: View) -> int:
        """Return the number of a view."""
        return views(self.game).number(turn, view, player)

    def _paid(self, node: int) -> tuple[float, ...] | None:
        return None if self.contributions is None else tuple(self.contributions[node].tolist())

    @cached_property
    def contributions(self) -> NDArray[np.float64] | None:
        """What each player has paid at each node, in poker between two."""
        tree = self.tree
        if not isinstance(self.game, PokerGame) or self.game.players != 2:
            return None
        known = chips(tree)
        paid = np.stack([known.matched, known.matched], axis=1)
        acts = np.flatnonzero(tree.player >= 0)
        paid[acts, tree.player[acts]] = known.paid[acts]
        folded = np.flatnonzero((tree.player == LEAF) & (tree.kind == NO_OUTCOME))
        paid[folded] = paid[tree.parent[folded]]
        return paid

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The actions of every node for people."""
        return tuple(
            tuple(self._word(node, child) for child in below)
            for node, below in enumerate(self.tree.successors)
        )

    def _word(self, node: int, child: int) -> str:
        label, paid = self.tree.action[child], self.contributions
        word = _WORDS.get(label[:1]) if paid is not None else None
        if word is None or paid is None:
            return label
        player = int(self.tree.player[node])
        owed = paid[node, 1 - player] - paid[node, player]
        amount = paid[child, player] - paid[node, player]
        if label in ("k", "f"):
            return word
        return f"{word} {amount - owed if word == 'raise' else amount:,g}"


def _seen(game: StageGame, player: int, moves: Sequence[Move]) -> list[Move]:
    """Return the moves without the signals that others were told."""
    receivers = iter(game.receivers)
    return [move for move in moves if move.player != CHANCE or next(receivers) in (PUBLIC, player)]


def _slot(probabilities: NDArray[np.float64], number: float) -> int:
    """Return the part of [0, 1) that ``number`` falls into; rounding never leads to an impossible one."""
    total = np.cumsum(probabilities)
    place = int(np.searchsorted(total, number * total[-1], side="right"))
    return min(place, int(np.flatnonzero(probabilities)[-1]))
