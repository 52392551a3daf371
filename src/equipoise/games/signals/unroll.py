"""Any game with signals as an explicit tree, for any number of players.

Nature reveals one signal at a time, in the order of Definition 8 of Gilpin (2009), just before the
first node of a round. This is the slow road: it multiplies the two factors of the game. It is for
small games, for games of more than two players, and for checking the fast road.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from equipoise.games.signals.betting import NO_OUTCOME
from equipoise.games.signals.betting import TERMINAL as LEAF
from equipoise.games.signals.chance import Deal
from equipoise.games.signals.filters import InformationFilter
from equipoise.games.signals.sizes import tree_nodes
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame, exact
from equipoise.games.trees.growth import require_room

State = tuple[Deal, int]

_KEPT = 1 << 16


class SignalRules:
    """The rules of ``game`` (under an information filter, the filtered game Γ_F) as a tree.

    They follow :class:`equipoise.games.trees.builder.Rules`. A state is (signals revealed, node of the
    betting tree). An information set is named ``signals|history``, as in ``Ta7b7a|kK/bRc/kBr``; in
    a filtered game the signals are those of the first view of the class.
    """

    def __init__(self, game: StageGame, filtered: InformationFilter | None = None) -> None:
        self.game, self.filtered = game, filtered
        self.players = game.players
        self._tree = game.tree
        self._round: list[int] = game.tree.round.tolist()
        self._player: list[int] = game.tree.player.tolist()
        self._actions = [[game.tree.action[v] for v in below] for below in game.tree.successors]
        # A deal comes back at every node of the betting tree: answers about it are kept.
        self._draws = lru_cache(maxsize=_KEPT)(self._list_draws)
        self._told = lru_cache(maxsize=_KEPT)(self._name_view)
        self._pay = lru_cache(maxsize=_KEPT)(self._add_up)
        self._value = lru_cache(maxsize=_KEPT)(self._exact_value)

    def initial(self) -> State:
        """Nothing revealed, nothing done."""
        return (), 0

    def player(self, state: State) -> int:
        """Nature moves until all signals of the node's round are out."""
        deal, node = state
        if len(deal) < self.game.revealed[self._round[node]]:
            return CHANCE
        return TERMINAL if self._player[node] == LEAF else self._player[node]

    def actions(self, state: State) -> Sequence[str]:
        """Return the labels of the edges below the node."""
        return self._actions[state[1]]

    def chance(self, state: State) -> Sequence[tuple[str, Fraction]]:
        """Return the next signal's possible values."""
        return self._draws(state[0])[0]

    def next(self, state: State, index: int) -> State:
        """Reveal a signal, or follow an edge."""
        deal, node = state
        if len(deal) < self.game.revealed[self._round[node]]:
            return self._draws(deal)[1][index], node
        return deal, self._tree.successors[node][index]

    def information(self, state: State) -> str:
        """Return what the acting player has been told, and the history."""
        deal, node = state
        told = self._told(self._player[node], self._round[node], deal)
        return f"{told}|{self._tree.histories[node]}"

    def payoffs(self, state: State) -> Sequence[Fraction]:
        """Return base + scale * kind(signals) for each player."""
        deal, node = state
        kind = int(self._tree.kind[node])
        return self._pay(node, () if kind == NO_OUTCOME else self._value(kind, deal))

    def _list_draws(self, deal: Deal) -> tuple[list[tuple[str, Fraction]], list[Deal]]:
        """Return the moves of nature after ``deal``, and where they lead."""
        drawn = self.game.chance.draws(deal)
        return [(self.game.signals[s], p) for s, p in drawn], [(*deal, s) for s, _ in drawn]

    def _name_view(self, player: int, turn: int, deal: Deal) -> str:
        """Name what ``player`` is told of ``deal``."""
        view = self.game.view(player, deal)
        if self.filtered is not None:
            view = min(self.filtered(player, turn, view))
        return self.game.text(view)

    def _exact_value(self, kind: int, deal: Deal) -> tuple[Fraction, ...]:
        """Return the value of an outcome to each player, at scale one."""
        values = self.game.value(self._tree.kinds[kind], deal)
        return tuple(exact(value, self.game.name) for value in values)

    def _add_up(self, node: int, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Return the payments of a leaf, given the values of its outcome if it has one."""
        base = [exact(float(amount), self.game.name) for amount in self._tree.base[node]]
        scale = exact(float(self._tree.scale[node]), self.game.name)
        worth = values or (Fraction(0),) * len(base)
        return [own + scale * value for own, value in zip(base, worth, strict=True)]


def unroll(game: StageGame, filtered: InformationFilter | None = None) -> ExtensiveGame:
    """Return the explicit tree of ``game``, or of Γ_F."""
    require_room(game.name, tree_nodes(game))
    return from_rules(SignalRules(game, filtered), game.name)
