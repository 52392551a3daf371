"""Looking into a strategy: what it does at one point of a game, hand by hand, and what actions are worth.

A scene is a decision after the players' moves, in poker on a board. Its cells are the hands (or whatever the
player may have been told), laid out as players know them: 13 x 13 for two cards, ranks by suits for one, and
otherwise by their labels. Nothing is read but what is looked at, so a strategy of millions of information
sets stays in its file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.certificates.infosets import Standings, standings
from equipoise.certificates.situations import Situation, Situations
from equipoise.certificates.tree import certify_tree
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import TERMINAL as LEAF
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.signals.unroll import unroll
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.play.observation import Observation
from equipoise.play.rulebook import SignalBook, rulebook
from equipoise.strategy.keys import keys_of
from equipoise.strategy.lookup import decisions_after
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree

Floats = NDArray[np.float64]

_RANKS = "23456789TJQKA"
_LETTERS = {"p": "pass", "k": "check", "b": "bet", "f": "fold", "c": "call", "r": "raise"}
_KEPT = 200_000  # hands in situations that are kept, for the next player who comes there
_LARGEST_TREE = 2_000_000  # nodes of trees whose values are computed


class Cell(NamedTuple):
    """What is done with one hand, or several that stand for one.

    Probabilities and values have one number an action, NaN where it is not open or not known. ``reach`` is
    the probability that the player herself plays here with it, ``share`` its part of the hands that come
    here.
    """

    label: str
    row: int
    column: int
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    reach: float
    share: float

    @property
    def value(self) -> float:
        """What is expected with it."""
        pairs = zip(self.probabilities, self.values, strict=True)
        return math.fsum(p * v for p, v in pairs if p == p and p > 0)


class Step(NamedTuple):
    """A move on the way to a scene: who made it, its label, and what it is in words."""

    player: int
    action: str
    word: str


@dataclass(frozen=True)
class Scene:
    """A decision: who acts, what is open, and the cells of all hands.

    ``ends`` says of each action whether the game is over after it; ``dealt`` is how many cards of the board
    came in each round.
    """

    steps: tuple[Step, ...]
    player: int
    actions: tuple[str, ...]
    words: tuple[str, ...]
    ends: tuple[bool, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    board: tuple[str, ...] = ()
    dealt: tuple[int, ...] = ()
    paid: tuple[float, ...] | None = None


class Found(NamedTuple):
    """A scene that a search has found: the way there, in text, and the cell that is meant, if one is."""

    path: tuple[str, ...]
    text: str
    label: str | None = None


class Explorer(Protocol):
    """Knows the scenes of one strategy."""

    def scene(self, path: Sequence[str] = (), board: str = "") -> Scene:
        """Return the scene after these moves, and in poker on this board (``Kh7d``)."""

    def cell(self, observation: Observation) -> Cell:
        """Return what the strategy does, and what actions are worth, for whoever observes this."""

    def values(self) -> tuple[float, ...]:
        """Return what each player expects of the game; NaN where that takes too long to find out."""

    def search(self, text: str, most: int = 50) -> list[Found]:
        """Return scenes that ``text`` describes."""


def explorer(game: Any, strategy: Strategy) -> Explorer:
    """Return the explorer of a strategy of ``game``: a tree, a matrix or a game with signals."""
    if isinstance(game, PokerGame) and game.players == 2:
        return PokerExplorer(game, strategy)
    if isinstance(game, StageGame):
        tree = unroll(game)
        return TreeExplorer(tree, on_tree(game, tree, strategy))
    if isinstance(game, ExtensiveGame):
        return TreeExplorer(game, strategy)
    raise EquipoiseError(
        f"explore: found a {getattr(game, 'family', type(game).__name__)}, expected a tree, a matrix "
        "or a game with signals."
    )


class PokerExplorer:
    """Scenes of poker between two: a node of the betting tree and a board."""

    def __init__(self, game: PokerGame, strategy: Strategy) -> None:
        self.game, self._situations = game, Situations(game, strategy)
        book = rulebook(game)
        assert isinstance(book, SignalBook)
        self._book = book
        self._lock = Lock()  # players in several threads may look
        self._known: dict[tuple[int, tuple[int, ...]], Situation] = {}
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
        board = tuple(names.index(name) for name in observation.public)
        hand = self._hands[tuple(sorted(names.index(name) for name in observation.private))]
        return _cell(self._at(node, board), np.array([hand]), "".join(observation.private), 0, 0)

    def values(self) -> tuple[float, ...]:
        """Average the first situation over its hands."""
        at = self._at(0, self._board(0, ""))
        if at.value is None:
            return math.nan, math.nan
        come = at.reach * at.met
        mean = float(np.nansum(at.value * come) / come.sum())
        return (mean, -mean) if at.player == 0 else (-mean, mean)

    def search(self, text: str, most: int = 50) -> list[Found]:
        """Find histories that contain the words of ``text``; a hand among them is the cell meant."""
        words = text.lower().split()
        label = next((w for w in text.split() if _is_hand(self.game, w)), None)
        wanted = [w for w in words if label is None or w != label.lower()]
        found = []
        for node in np.flatnonzero(self.game.tree.player >= 0).tolist():
            history, told = self.game.tree.histories[node], self._texts[node]
            if all(w in history.lower() or w in told for w in wanted):
                found.append(Found(self._path(node), told or "the first decision", label))
                if len(found) == most:
                    break
        return found

    def _at(self, node: int, board: tuple[int, ...]) -> Situation:
        found = self._known.get((node, board))
        if found is None:
            with self._lock:
                found = self._known.get((node, board)) or self._situations.at(node, board)
                while len(self._known) >= max(_KEPT // len(found.holes), 8):
                    self._known.pop(next(iter(self._known)))
                self._known[node, board] = found
        return found

    def _walk(self, path: Sequence[str]) -> tuple[int, tuple[Step, ...]]:
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
            steps.append(Step(int(tree.player[node]), action, self._book.words[node][slot]))
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


class TreeExplorer:
    """Scenes of a tree: the information sets in which the players may be after their moves."""

    def __init__(self, game: ExtensiveGame, strategy: Strategy) -> None:
        self.game, self._strategy = game, strategy
        self._labels = list(keys_of(game).labels())

    def scene(self, path: Sequence[str] = (), board: str = "") -> Scene:
        """Collect the information sets after the moves ``path``."""
        if board:
            raise EquipoiseError(f"board {quoted(board)}: a tree has none, expected nothing.")
        game = self.game
        nodes = decisions_after(game, tuple(path))
        sets = list(dict.fromkeys(game.infoset[nodes].tolist()))
        player = int(game.infoset_player[sets[0]])
        sets = [k for k in sets if game.infoset_player[k] == player]
        actions = tuple(dict.fromkeys(a for k in sets for a in game.infoset_actions[k]))
        names = _short([self._labels[k] for k in sets], "".join(path))
        rows, columns, places = _layout(names)
        cells = [
            self._cell(k, name, *place, actions)
            for k, name, place in zip(sets, names, places, strict=True)
        ]
        total = math.fsum(cell.share for cell in cells) or 1.0
        cells = [cell._replace(share=cell.share / total) for cell in cells]
        return Scene(
            steps=self._steps(path),
            player=player,
            actions=actions,
            words=spoken(game, actions),
            ends=tuple(self._is_over((*path, action)) for action in actions),
            rows=rows,
            columns=columns,
            cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        )

    def cell(self, observation: Observation) -> Cell:
        """Look the information set up."""
        assert observation.infoset is not None, "it is the player's turn"
        return self._cell(
            self._places[observation.infoset], observation.infoset, 0, 0, observation.actions
        )

    def values(self) -> tuple[float, ...]:
        """Return the certificate's values."""
        return certify_tree(self.game, self._strategy).values

    def search(self, text: str, most: int = 50) -> list[Found]:
        """Find information sets whose label contains ``text``, those that play comes to first."""
        wanted = text.lower().strip()
        found = [k for k, label in enumerate(self._labels) if wanted in label.lower()]
        known = self._standings
        if known is not None:
            found.sort(key=lambda k: -known.reach[k])
        return [self._found(k) for k in found[:most]]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: k for k, label in enumerate(self._labels)}

    @cached_property
    def _standings(self) -> Standings | None:
        """Reach and values, where players remember and the tree is not too large to tell at once."""
        if self.game.forgetful is not None or self.game.nodes > _LARGEST_TREE:
            return None
        return standings(self.game, self._strategy)

    @cached_property
    def _plans(self) -> list[Floats]:
        """The probability of each player's own sequences."""
        game, plans = self.game, []
        for player, own in enumerate(self._strategy.behaviour):
            plan = np.array(own, dtype=np.float64)
            plan[0] = 1.0
            for k in np.flatnonzero(game.infoset_player == player).tolist():
                first = int(game.first_sequence[k])
                plan[first : first + int(game.action_count[k])] *= plan[game.parent_sequence[k]]
            plans.append(plan)
        return plans

    def _cell(self, k: int, label: str, row: int, column: int, actions: Sequence[str]) -> Cell:
        game, known = self.game, self._standings
        player, first = int(game.infoset_player[k]), int(game.first_sequence[k])
        own = slice(first, first + int(game.action_count[k]))
        numbers = self._strategy.behaviour[player][own].tolist()
        open_to = game.infoset_actions[k]
        worth = [math.nan] * len(open_to) if known is None else known.actions[player][own].tolist()
        played = dict(zip(open_to, numbers, strict=True))
        values = dict(zip(open_to, worth, strict=True))
        is_known = game.forgetful is None
        return Cell(
            label,
            row,
            column,
            tuple(played.get(action, math.nan) for action in actions),
            tuple(values.get(action, math.nan) for action in actions),
            float(self._plans[player][game.parent_sequence[k]]) if is_known else 1.0,
            1.0 if known is None else float(known.reach[k]),
        )

    def _steps(self, path: Sequence[str]) -> tuple[Step, ...]:
        steps = []
        for count, action in enumerate(path):
            node = int(decisions_after(self.game, tuple(path[:count]))[0])
            open_to = self.game.infoset_actions[self.game.infoset[node]]
            word = dict(zip(open_to, spoken(self.game, open_to), strict=True)).get(action, action)
            steps.append(Step(int(self.game.player[node]), action, word))
        return tuple(steps)

    def _is_over(self, path: Sequence[str]) -> bool:
        try:
            decisions_after(self.game, tuple(path))
        except EquipoiseError:
            return True
        return False

    def _found(self, k: int) -> Found:
        game = self.game
        node = int((game.infoset == k).argmax())
        path: list[str] = []
        while (parent := int(game.parent[node])) >= 0:
            if game.player[parent] >= 0:
                path.append(game.infoset_actions[game.infoset[parent]][game.slot[node]])
            node = parent
        path.reverse()
        return Found(tuple(path), " ".join(path) or "the first decision", self._labels[k])


def spoken(game: ExtensiveGame, actions: Sequence[str]) -> tuple[str, ...]:
    """Return the actions of a tree for people: the letters of poker, if it has no others, as words."""
    if not {a for own in set(game.infoset_actions) for a in own} <= _LETTERS.keys():
        return tuple(actions)
    # Without a bet to answer, whoever calls checks.
    checks = {"c": "check"} if "f" not in actions else {}
    return tuple({**_LETTERS, **checks}[action] for action in actions)


def _short(labels: Sequence[str], history: str) -> list[str]:
    """Return labels without what they all end in: the history, which the scene has already."""
    if len(labels) < 2:
        return list(labels)
    end = history if history and all(x.endswith(history) for x in labels) else _common_end(labels)
    cut = [x[: len(x) - len(end)].rstrip("|/: ") for x in labels] if end else list(labels)
    return cut if all(cut) and len(set(cut)) == len(cut) else list(labels)


def _common_end(labels: Sequence[str]) -> str:
    """Return the longest common ending that begins with a sign, so that no word or number is cut."""
    end = labels[0]
    for label in labels:
        while not label.endswith(end):
            end = end[1:]
    sign = re.search(r"[^0-9A-Za-z]", end)
    return end[sign.start() :] if sign else ""


def _layout(
    names: Sequence[str],
) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[int, int]]]:
    """Return rows, columns and each name's place: a table where names have two parts, else one row."""
    parts = [name.split("|") for name in names]
    if len(names) > 1 and all(len(part) == 2 for part in parts):
        rows = _sorted({a for a, _ in parts})
        columns = _sorted({b for _, b in parts})
        return tuple(rows), tuple(columns), [(rows.index(a), columns.index(b)) for a, b in parts]
    columns = _sorted(names)
    width = len(columns) if len(columns) <= 13 else math.ceil(math.sqrt(len(columns)))
    places = {name: divmod(k, width) for k, name in enumerate(columns)}
    rows = [""] * math.ceil(len(columns) / width)
    is_line = len(rows) == 1
    return tuple(rows), tuple(columns if is_line else [""] * width), [places[x] for x in names]


def _sorted(labels: Iterable[str]) -> list[str]:
    """Sort cards by rank and suit, and other labels by the numbers and words in them."""
    every = list(labels)
    are_cards = all(re.fullmatch(f"[{_RANKS}][a-z]?", label) for label in every)

    def order(label: str) -> list[Any]:
        if are_cards:
            return [_RANKS.index(label[0]), label[1:]]
        parts = re.findall(r"[0-9]+|[^0-9]+", label)
        return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]

    return sorted(every, key=order)
