"""Questions to a strategy: what it does in an information set, or after a public history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, require_type
from equipoise.games.signals.stage_game import StageGame
from equipoise.games.trees.extensive import CHANCE, ExtensiveGame
from equipoise.strategy.keys import SignalKeys, keys_of, tree_names
from equipoise.strategy.local import ByLabel, LocalStrategy, pandas
from equipoise.strategy.profile import Strategy
from equipoise.strategy.table import require_strategy

_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Table(ByLabel):
    """What is done after one public history: a row a hand (or other label), a column an action.

    ``probabilities`` is NaN where an action is not open. Where rows are buckets (``#7``), ``find`` knows the
    row of any hand.
    """

    history: str
    actions: tuple[str, ...]
    labels: tuple[str, ...]
    probabilities: NDArray[np.float64]
    find: Callable[[str], int] | None = None

    def __getitem__(self, label: str) -> dict[str, float]:
        """Return the probability of each action open in the row ``label``."""
        require_type("row", label, str, "its label")
        if label in self.labels:
            place = self.labels.index(label)
        elif self.find is not None:
            place = self.find(label)
        else:
            raise EquipoiseError(
                f"after '{self.history}': there is no {label!r}, expected one of "
                f"{', '.join(self.labels[:5])}{', ...' if len(self.labels) > 5 else ''}."
            )
        row = self.probabilities[place].tolist()
        return {a: p for a, p in zip(self.actions, row, strict=True) if p == p}

    def __iter__(self) -> Iterator[str]:
        """Yield the labels of the rows."""
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        """Return the table as text, cut after some rows."""
        shown = self.labels[:_SHOWN]
        width = max(map(len, ("", *shown)))
        columns = [max(len(action), 6) for action in self.actions]
        head = "  ".join(f"{a:>{n}}" for a, n in zip(self.actions, columns, strict=True))
        lines = [f"{'':{width}}  {head}"]
        for label, row in zip(shown, self.probabilities.tolist(), strict=False):
            cells = (
                f"{p:>{n}.4f}" if p == p else " " * n for p, n in zip(row, columns, strict=True)
            )
            lines.append(f"{label:{width}}  {'  '.join(cells)}".rstrip())
        if len(self) > _SHOWN:
            lines.append(f"... and {len(self) - _SHOWN:,} more")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return the table as a pandas frame."""
        return pandas().DataFrame(self.probabilities, list(self.labels), list(self.actions))


def whole_table(decisions: Iterable[LocalStrategy], history: str | Sequence[str]) -> Table:
    """Return ``decisions``, which are all made at the start of the game, as one table."""
    require_type("history", history, Sequence, "moves, as text or one by one")
    if len(history):
        raise EquipoiseError(
            f"history '{''.join(history)}': found moves, expected none: all is chosen at the start."
        )
    sets = list(decisions)
    actions = tuple(dict.fromkeys(action for own in sets for action in own.actions))
    rows = np.full((len(sets), len(actions)), np.nan)
    for row, own in zip(rows, sets, strict=True):
        row[[actions.index(action) for action in own.actions]] = own.probabilities
    return Table("", actions, tuple(own.infoset for own in sets), rows)


class Lookup:
    """Finds information sets of ``strategy``, which must belong to ``game`` or its abstraction."""

    def __init__(self, game: ExtensiveGame | StageGame, strategy: Strategy) -> None:
        require_strategy(game, strategy)
        self._game, self._strategy = game, strategy
        self._keys = keys_of(game, strategy.abstraction if strategy.is_abstract else None)

    def local(self, label: str) -> LocalStrategy:
        """Return what is done in the information set ``label``."""
        place = self._keys.locate(label)
        vector = self._strategy.behaviour[place.player]
        own = (float(vector[place.first + i * place.stride]) for i in range(len(place.actions)))
        return LocalStrategy(place.player, label, place.actions, tuple(own))

    def labels(self) -> Iterator[str]:
        """Yield a name for each information set."""
        return self._keys.labels()

    def table(self, history: str | Sequence[str]) -> Table:
        """Return what is done in every information set that has seen this public history."""
        if isinstance(self._keys, SignalKeys):
            return self._signal_table(self._keys, "".join(history))
        assert isinstance(self._game, ExtensiveGame), "other keys are those of trees"
        return self._tree_table(self._game, history)

    def _signal_table(self, keys: SignalKeys, history: str) -> Table:
        block = keys.block(history)
        names = tuple(keys.names(block))
        end = block.first + len(block.actions) * len(names)
        numbers = self._strategy.behaviour[block.player][block.first : end]
        rows = numbers.reshape(len(block.actions), -1).T.astype(np.float64)

        def find(hand: str) -> int:
            return keys.place(block, hand).first - block.first

        is_bucketed = self._strategy.is_abstract
        return Table(history, block.actions, names, rows, find if is_bucketed else None)

    def _tree_table(self, game: ExtensiveGame, history: str | Sequence[str]) -> Table:
        moves = _moves(game, history)
        sets = list(dict.fromkeys(game.infoset[decisions_after(game, moves)].tolist()))
        names = tree_names(game)
        actions = tuple(dict.fromkeys(a for place in sets for a in game.infoset_actions[place]))
        rows = np.full((len(sets), len(actions)), np.nan)
        for row, place in zip(rows, sets, strict=True):
            first, own = int(game.first_sequence[place]), game.infoset_actions[place]
            vector = self._strategy.behaviour[game.infoset_player[place]]
            row[[actions.index(action) for action in own]] = vector[first : first + len(own)]
        return Table(" ".join(moves), actions, tuple(names[place] for place in sets), rows)


def _moves(game: ExtensiveGame, history: str | Sequence[str]) -> tuple[str, ...]:
    """Return the moves of a history; in a text, letters where all actions are, otherwise words."""
    require_type("history", history, Sequence, "moves, as text or one by one")
    if not isinstance(history, str):
        for move in history:
            require_type("history", move, str, "the labels of moves")
        return tuple(history)
    is_short = all(len(action) == 1 for own in set(game.infoset_actions) for action in own)
    return tuple("".join(history.split())) if is_short else tuple(history.split())


def decisions_after(game: ExtensiveGame, moves: Sequence[str]) -> NDArray[np.intp]:
    """Return the decisions after the players' moves, whatever nature does in between."""
    nodes = _decisions(game, np.zeros(1, dtype=np.intp))
    for count, move in enumerate(moves):
        below = np.flatnonzero(np.isin(game.parent, nodes))
        sets = game.infoset[game.parent[below]]
        taken = [
            game.infoset_actions[k][slot] == move
            for k, slot in zip(sets.tolist(), game.slot[below].tolist(), strict=True)
        ]
        if not any(taken):
            known = dict.fromkeys(a for k in sets.tolist() for a in game.infoset_actions[k])
            raise EquipoiseError(
                f"history '{' '.join(moves)}': {move!r} cannot follow '{' '.join(moves[:count])}', "
                f"expected {' or '.join(known) or 'nothing, the game is over'}."
            )
        nodes = _decisions(game, below[taken])
    if not len(nodes):
        raise EquipoiseError(f"history '{' '.join(moves)}': the game is over, expected a decision.")
    return nodes


def _decisions(game: ExtensiveGame, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first decisions at or below ``nodes``, which nature may lead to."""
    found = [nodes[game.player[nodes] >= 0]]
    while len(nodes := nodes[game.player[nodes] == CHANCE]):
        nodes = np.flatnonzero(np.isin(game.parent, nodes))
        found.append(nodes[game.player[nodes] >= 0])
    return np.sort(np.concatenate(found))
