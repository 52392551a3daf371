"""Any game with signals as an explicit tree, for any number of players.

Nature reveals one signal at a time, in the order of Definition 8 of Gilpin (2009), just before the
first node of a round. This is the slow road: it multiplies the two factors of the game. It is for
small games, for games of more than two players, and for checking the fast road.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from equipoise.games.betting import NO_OUTCOME
from equipoise.games.betting import TERMINAL as LEAF
from equipoise.games.chance import Deal
from equipoise.games.extensive import CHANCE, TERMINAL, ExtensiveGame, exact
from equipoise.games.filters import InformationFilter
from equipoise.games.ordered import StageGame, View
from equipoise.games.tree import from_rules

State = tuple[Deal, int]


class OrderedRules:
    """The rules of ``game`` (under an information filter, the filtered game Γ_F) as a tree.

    They follow :class:`equipoise.games.tree.Rules`. A state is (signals revealed, node of the
    betting tree). An information set is named ``signals|history``, as in ``Ta7b7a|kK/bRc/kBr``; in
    a filtered game the signals are those of the first view of the class.
    """

    def __init__(self, game: StageGame, filtered: InformationFilter | None = None) -> None:
        self.game, self.filtered = game, filtered
        self.players = game.players
        self._tree = game.tree
        self._round: list[int] = game.tree.round.tolist()
        self._player: list[int] = game.tree.player.tolist()

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
        return [self._tree.action[child] for child in self._tree.successors[state[1]]]

    def chance(self, state: State) -> Sequence[tuple[str, Fraction]]:
        """Return the next signal's possible values."""
        return [(self.game.signals[s], p) for s, p in self.game.chance.draws(state[0])]

    def next(self, state: State, index: int) -> State:
        """Reveal a signal, or follow an edge."""
        deal, node = state
        if self.player(state) == CHANCE:
            return (*deal, self.game.chance.draws(deal)[index][0]), node
        return deal, self._tree.successors[node][index]

    def information(self, state: State) -> str:
        """Return what the acting player has been told, and the history."""
        deal, node = state
        player = self._player[node]
        told = self._told(player, self._round[node], self.game.view(player, deal))
        return f"{self.game.text(told)}|{self._tree.histories[node]}"

    def _told(self, player: int, turn: int, view: View) -> View:
        if self.filtered is None:
            return view
        return min(self.filtered(player, turn, view))

    def payoffs(self, state: State) -> Sequence[Fraction]:
        """Return base + scale * kind(signals) for each player."""
        deal, node = state
        tree, name = self._tree, self.game.name
        base = [exact(float(amount), name) for amount in tree.base[node]]
        if tree.kind[node] == NO_OUTCOME:
            return base
        scale = exact(float(tree.scale[node]), name)
        values = self.game.value(tree.kinds[tree.kind[node]], deal)
        return [own + scale * exact(value, name) for own, value in zip(base, values, strict=True)]


def unroll(game: StageGame, filtered: InformationFilter | None = None) -> ExtensiveGame:
    """Return the explicit tree of ``game``, or of Γ_F."""
    return from_rules(OrderedRules(game, filtered), game.name)
