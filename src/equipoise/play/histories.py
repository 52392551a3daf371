"""Hand histories: what was played, in formats that other programs read.

The log of the poker competition has a line a hand (:mod:`equipoise.play.acpc`). The Poker Hand History format
(PHH; Kim 2024) is TOML: rules, stacks and actions. It knows Texas hold'em, limit and no-limit, among the games
played here; several hands are the numbered tables of one ``.phhs`` file.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import NO_OUTCOME
from equipoise.games.signals.chance import Deal
from equipoise.games.signals.chips import chips
from equipoise.games.signals.unroll import State
from equipoise.play.acpc import Notation, plain

_BOARD = (0, 3, 1, 1)


class LogBook:
    """Keeps hands of poker as lines of a log; ``names`` are those of the two agents."""

    def __init__(self, game: PokerGame, names: tuple[str, str]) -> None:
        self.notation, self.names = Notation(game), names
        self._lines: list[str] = []
        self._totals = [0.0, 0.0]

    def add(self, state: State, seat: int) -> None:
        """Keep a hand that has ended in ``state``, with the first agent in ``seat``."""
        deal, node = state
        paid = self.notation.book.payoffs(state)
        names = self.names if seat == 0 else self.names[::-1]
        self._lines.append(self.notation.log_line(len(self._lines), node, deal, paid, names))
        for agent in (0, 1):
            self._totals[agent] += paid[agent if seat == 0 else 1 - agent]

    def text(self) -> str:
        """Return all lines, and the score."""
        totals = "|".join(f"{total:g}" for total in self._totals)
        return "\n".join((*self._lines, f"SCORE:{totals}:{'|'.join(map(plain, self.names))}", ""))


class PokerHandHistory:
    """Keeps hands of Texas hold'em between two players as PHH.

    In PHH the players are p1, p2 in the order in which they act after the flop, so that heads-up p2 is the button
    and posts the small blind.
    """

    def __init__(self, game: PokerGame, names: tuple[str, str] = ("p1", "p2")) -> None:
        self.game, self.notation, self.names = game, Notation(game), names
        self.tree = game.tree
        self._hands: list[str] = []
        if game.players != 2 or game.hole != 2 or game.public != _BOARD or game.deck.size != 52:
            raise EquipoiseError(
                f"{game.name}: found another game than Texas hold'em for two, expected one that PHH knows."
            )
        self._chips = chips(game.tree)
        self._is_limit = all(len(label) < 2 for label in game.tree.action)
        # Who acts first in round one has the small blind and the button: the second player of PHH.
        self._button = int(game.tree.player[0])

    def add(self, state: State, seat: int) -> None:
        """Keep a hand that has ended in ``state``, with the first agent in ``seat``."""
        names = self.names if seat == 0 else self.names[::-1]
        self._hands.append(self.write(state[1], state[0], names))

    def text(self) -> str:
        """Return all hands, each a table with its number."""
        return "\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(self._hands, 1))

    def _rules(self) -> list[str]:
        small, big = float(self._chips.paid[0]), float(self._chips.matched[0])
        lines = [
            f'variant = "{"FT" if self._is_limit else "NT"}"',
            "antes = [0, 0]",
            f"blinds_or_straddles = [{small:g}, {big:g}]",
        ]
        if self._is_limit:
            return [*lines, *(f"{name}_bet = {self._bet(turn):g}" for name, turn in _BETS)]
        return [*lines, f"min_bet = {big:g}"]

    def _bet(self, turn: int) -> float:
        """Return by how much a bet or raise of a round raises what must be matched."""
        tree, matched = self.tree, self._chips.matched
        below = np.flatnonzero((tree.parent >= 0) & (tree.round[tree.parent] == turn))
        grown = matched[below] - matched[tree.parent[below]]
        return float(grown.max())

    @property
    def stack(self) -> float:
        """What each player has before the hand: the most that a hand can cost."""
        return float(self._chips.matched.max())

    def write(self, node: int, deal: Deal, names: Sequence[str]) -> str:
        """Return the history of a hand; ``names`` are those of the game's players."""
        order = (1 - self._button, self._button)
        paid = self.notation.book.settled(node, self.game.split(deal)[1], self.game.split(deal)[0])
        left = [self.stack + paid[player] for player in order]
        quoted = ", ".join(_text(names[player]) for player in order)
        actions = ", ".join(f'"{action}"' for action in self._actions(node, deal))
        return "\n".join(
            (
                *self._rules(),
                f"starting_stacks = [{self.stack:g}, {self.stack:g}]",
                f"actions = [{actions}]",
                f"players = [{quoted}]",
                f"finishing_stacks = [{left[0]:g}, {left[1]:g}]",
                "",
            )
        )

    def _actions(self, node: int, deal: Deal) -> list[str]:
        """Return the deal and the betting in PHH's words."""
        board, holes = self.game.split(deal)
        path = [node]
        while (parent := int(self.tree.parent[path[-1]])) >= 0:
            path.append(parent)
        path.reverse()
        lines = [
            f"d dh p{place} {self.notation.text(holes[player])}"
            for place, player in ((1, 1 - self._button), (2, self._button))
        ]
        for before, after in pairwise(path):
            lines.append(self._act(before, after))
            for turn in range(int(self.tree.round[before]), int(self.tree.round[after])):
                first = sum(_BOARD[: turn + 1])
                dealt = board[first : first + _BOARD[turn + 1]]
                lines.append(f"d db {self.notation.text(dealt)}")
        if self.tree.kind[node] != NO_OUTCOME:
            lines += [
                f"p{2 - (player != self._button)} sm {self.notation.text(holes[player])}"
                for player in self._showing(path)
            ]
        return lines

    def _act(self, before: int, after: int) -> str:
        """Return one action: fold, check or call, or bet to an amount of the round."""
        player, label = int(self.tree.player[before]), self.tree.action[after]
        who = f"p{2 if player == self._button else 1}"
        if label == "f":
            return f"{who} f"
        if label in ("k", "c"):
            return f"{who} cc"
        start = int(self._chips.start[before])
        # Blinds are part of the first round; later rounds begin with equal contributions.
        base = 0.0 if self.tree.round[before] == 0 else float(self._chips.matched[start])
        return f"{who} cbr {self._chips.matched[after] - base:g}"

    def _showing(self, path: Sequence[int]) -> tuple[int, int]:
        """Return who shows first: the last to bet in the last round, else who acts first in it."""
        last = int(self.tree.round[path[-2]])
        acted = [(v, c) for v, c in pairwise(path) if self.tree.round[v] == last]
        bets = [v for v, c in acted if self.tree.action[c].startswith(("b", "r"))]
        first = int(self.tree.player[bets[-1]]) if bets and last == 3 else 1 - self._button
        return first, 1 - first


_BETS = (("small", 1), ("big", 3))


def _text(name: str) -> str:
    """Return a name as a text of TOML."""
    safe = "".join(c if c.isprintable() and c not in '"\\' else "_" for c in name)
    return f'"{safe}"'
