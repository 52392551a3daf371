"""Scenes of poker between two, hand by hand, on any board."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.situations import Situation, Situations
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import TERMINAL as LEAF
from equipoise.play.observation import Observation
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.play.scenes import Cell, Hit, PathStep, Scene
from equipoise.strategy.profile import Strategy

_KEPT = 200_000  # hands in situations that are kept, for the next player who comes there


class PokerExplorer:
    """Scenes of poker between two: a node of the betting tree and a board."""

    def __init__(self, game: PokerGame, strategy: Strategy) -> None:
        self.game, self._situations = game, Situations(game, strategy)
        book = rulebook(game)
        assert isinstance(book, SignalBook)
        self._book = book
        self._lock = Lock()  # players in several threads may look
        self._known: dict[tuple[int, tuple[int, ...]], Situation] = {}
        # Before there is a board: few, dear, and come to in every play, so they stay.
        self._openings: dict[tuple[int, tuple[int, ...]], Situation] = {}
        self._hands = {tuple(hole): k for k, hole in enumerate(self._situations.holes.tolist())}

    def scene(self, path: Sequence[str] = (), board: str = "") -> Scene:
        """Walk the betting tree, and fill the board up where cards are missing."""
        node, steps = self._walk(path)
        tree = self.game.tree
        if tree.player[node] == LEAF:
            raise EquipoiseError(
                f"path '{tree.histories[node]}': the game is over there, expected a decision."
            )
        cards = self._board(node, board)
        at = self._at(node, cards)
        seen = self._book.situation(
            node, at.player, tuple(at.holes[int(at.free.argmax())].tolist()), cards
        )
        below = tree.successors[node]
        rows, columns, cells = _grid(self.game, at)
        return Scene(
            steps=steps,
            player=at.player,
            actions=seen.actions,
            words=seen.words,
            ends=tuple(bool(tree.player[child] == LEAF) for child in below),
            rows=rows,
            columns=columns,
            cells=tuple(cells),
            board=seen.public,
            dealt=tuple(n for n in self.game.public[: int(tree.round[node]) + 1] if n),
            paid=seen.paid,
        )

    def cell(self, observation: Observation) -> Cell:
        """Look the situation up, and the player's hand in it."""
        node = self.game.tree.find(observation.history)
        names = self.game.signals
        board = [names.index(name) for name in observation.public]
        suits = _in_order(board, len(self.game.deck.suits))
        own = (suits(names.index(name)) for name in observation.private)
        at = self._at(node, tuple(map(suits, board)))
        hand = np.array([self._hands[tuple(sorted(own))]])
        return _cell(at, hand, "".join(observation.private), 0, 0)

    def values(self) -> tuple[float, ...]:
        """Average the first situation over its hands."""
        at = self._at(0, self._board(0, ""))
        if at.value is None:
            return math.nan, math.nan
        come = at.reach * at.met
        mean = float(np.nansum(at.value * come) / come.sum())
        return (mean, -mean) if at.player == 0 else (-mean, mean)

    def search(self, text: str, most: int = 50) -> list[Hit]:
        """Find histories that contain the words of ``text``; a hand among them is the cell meant."""
        words = text.lower().split()
        label = next((w for w in text.split() if _is_hand(self.game, w)), None)
        wanted = [w for w in words if label is None or w != label.lower()]
        found = []
        for node in np.flatnonzero(self.game.tree.player >= 0).tolist():
            history, told = self.game.tree.histories[node], self._texts[node]
            if all(w in history.lower() or w in told for w in wanted):
                found.append(Hit(self._path(node), told or "the first decision", label))
                if len(found) == most:
                    break
        return found

    def prepare(self) -> None:
        """Find the situations before there is a board."""
        tree = self.game.tree
        if not self.game.public[0]:
            for node in np.flatnonzero((tree.player != LEAF) & (tree.round == 0)).tolist():
                self._at(node, ())

    def _at(self, node: int, board: tuple[int, ...]) -> Situation:
        known = self._known if board else self._openings
        found = known.get((node, board))
        if found is None:
            with self._lock:
                found = known.get((node, board)) or self._situations.at(node, board)
                while len(self._known) >= max(_KEPT // len(found.holes), 8):
                    self._known.pop(next(iter(self._known)))
                known[node, board] = found
        return found

    def _walk(self, path: Sequence[str]) -> tuple[int, tuple[PathStep, ...]]:
        tree, node, steps = self.game.tree, 0, []
        for action in path:
            below = tree.successors[node]
            labels = [tree.action[child] for child in below]
            if action not in labels:
                raise EquipoiseError(
                    f"path: {quoted(action)} cannot follow '{tree.histories[node]}', expected "
                    f"{' or '.join(labels) or 'nothing, the game is over'}."
                )
            slot = labels.index(action)
            steps.append(PathStep(int(tree.player[node]), action, self._book.words[node][slot]))
            node = below[slot]
        return node, tuple(steps)

    def _path(self, node: int) -> tuple[str, ...]:
        tree, path = self.game.tree, []
        while node:
            path.append(tree.action[node])
            node = int(tree.parent[node])
        return tuple(reversed(path))

    @cached_property
    def _texts(self) -> list[str]:
        """The way to every node in words."""
        tree, words = self.game.tree, self._book.words
        texts = [""]
        for node in range(1, len(tree.parent)):
            parent = int(tree.parent[node])
            word = words[parent][tree.successors[parent].index(node)]
            texts.append(f"{texts[parent]}, {word}" if texts[parent] else word)
        return texts

    def _board(self, node: int, text: str) -> tuple[int, ...]:
        """Return the cards that ``text`` names, and as many more as the round needs."""
        game = self.game
        wanted = sum(game.public[: int(game.tree.round[node]) + 1])
        named = [int(card) for card in game.deck.parse(text)] if text else []
        if len(set(named)) != len(named):
            raise EquipoiseError(
                f"board {quoted(text)}: found a card twice, expected different ones."
            )
        # From the middle of the deck up: a plain board to begin with.
        size = game.deck.size
        others = (card for k in range(size) if (card := (size // 2 + 5 * k) % size) not in named)
        while len(named) < wanted:
            named.append(next(others))
        return tuple(named[:wanted])


def _in_order(board: Sequence[int], suits: int) -> Callable[[int], int]:
    """Return what renames the suits of cards in the order in which a board shows them.

    Suits are alike to the rules and to a strategy of canonical hands, so boards that differ in their names
    alone are one situation, and players on any of them share what is known of it.
    """
    shown = list(dict.fromkeys(card % suits for card in board))
    new = {suit: k for k, suit in enumerate([*shown, *(set(range(suits)) - set(shown))])}
    return lambda card: card - card % suits + new[card % suits]


def _grid(
    game: PokerGame, at: Situation
) -> tuple[tuple[str, ...], tuple[str, ...], Iterator[Cell]]:
    """Return rows, columns and cells of a situation, the highest cards first."""
    deck, ranks = game.deck, tuple(reversed(game.deck.ranks))
    high = len(ranks) - 1 - deck.rank_of(at.holes).astype(np.int64)
    suit = at.holes.astype(np.int64) % len(deck.suits)
    if game.hole == 1:
        columns, rows = ranks, tuple(reversed(deck.suits)) if game.suited else ("",)
        row = len(rows) - 1 - suit[:, 0] if game.suited else np.zeros(len(high), dtype=np.int64)
        column = high[:, 0]
    else:
        rows = columns = ranks
        best, worst = high.min(axis=1), high.max(axis=1)
        is_suited = (suit[:, 0] == suit[:, 1]) & game.suited
        row, column = np.where(is_suited, best, worst), np.where(is_suited, worst, best)

    def label(i: int, j: int) -> str:
        if game.hole == 1:
            return f"{columns[j]}{rows[i]}"
        pair = f"{ranks[min(i, j)]}{ranks[max(i, j)]}"
        return pair if i == j or not game.suited else pair + ("s" if i < j else "o")

    def cells() -> Iterator[Cell]:
        for i in range(len(rows)):
            for j in range(len(columns)):
                hands = np.flatnonzero((row == i) & (column == j) & at.free)
                if len(hands):
                    yield _cell(at, hands, label(i, j), i, j)

    return rows, columns, cells()


def _cell(at: Situation, hands: NDArray[np.intp], label: str, row: int, column: int) -> Cell:
    """Return one cell for several hands: averages, weighted by how often play comes here with each."""
    come = at.reach * at.met
    total = float(come.sum())
    weight = come[hands] if come[hands].sum() > 0 else np.ones(len(hands))
    weight = weight / weight.sum()
    values = np.full(len(at.probabilities), np.nan)
    if at.values is not None:
        worth = at.values[:, hands]
        values = np.where(weight > 0, worth, 0.0) @ weight
    return Cell(
        label,
        row,
        column,
        tuple((at.probabilities[:, hands] @ weight).tolist()),
        tuple(values.tolist()),
        float(at.reach[hands].mean()),
        float(come[hands].sum() / total) if total > 0 else 0.0,
    )


def _is_hand(game: PokerGame, word: str) -> bool:
    """Say whether a word of a search names a cell: ``Kh``, ``AKs``, ``77``."""
    ranks, suits = game.deck.ranks, game.deck.suits
    if game.hole == 1:
        tail = f"[{suits}]" if game.suited else ""
        return re.fullmatch(f"[{re.escape(ranks)}]{tail}", word) is not None
    return re.fullmatch(f"[{re.escape(ranks)}]{{2}}[so]?", word) is not None
