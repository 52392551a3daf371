"""Writers of Gambit's formats: exact rationals, unique labels, files complete or absent.

What is written reads back as the same game. Descriptions of information sets and outcomes are
repeated wherever they are used, since some readers ask for that and none mind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from equipoise.files import write_atomically
from equipoise.games.files.gambit.tokens import distinct, escaped, quote, rational
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame
from equipoise.games.trees.normal import NormalGame


def write_efg(game: ExtensiveGame | NormalGame, path: str | Path) -> None:
    """Write a game as a ``.efg`` file; a normal-form game becomes a tree."""
    _write(path, efg_lines(game.tree if isinstance(game, NormalGame) else game))


def write_nfg(game: NormalGame, path: str | Path) -> None:
    """Write a normal-form game as a ``.nfg`` file, payoff version."""
    _write(path, nfg_lines(game))


def _write(path: str | Path, lines: Iterable[str]) -> None:
    def write(file: BinaryIO) -> None:
        file.writelines(f"{line}\n".encode("ascii") for line in lines)

    write_atomically(path, write)


def efg_lines(game: ExtensiveGame) -> Iterator[str]:
    """Yield the lines of a ``.efg`` file: the prologue, then a line a node."""
    numbers = [rational(number, game.name) for number in game.numbers]
    yield f"EFG 2 R {quote(game.name)} {_listed(distinct(game.players))}"
    yield '""'
    ends = [
        f'{row + 1} "{row + 1}" {{ {", ".join(numbers[n] for n in payoffs)} }}'
        for row, payoffs in enumerate(game.payoff.tolist())
    ]
    sets = [
        f"{name} {_listed(distinct(actions))} 0"
        for name, actions in zip(_infoset_names(game), game.infoset_actions, strict=True)
    ]
    moves = _chance_moves(game, numbers)
    nodes = zip(game.player.tolist(), game.infoset.tolist(), game.outcome.tolist(), strict=True)
    for node, (player, infoset, outcome) in enumerate(nodes):
        if player == TERMINAL:
            yield f't "" {ends[outcome]}'
        elif player == CHANCE:
            yield f'c "" {moves[node]} 0'
        else:
            yield f'p "" {sets[infoset]}'


def _infoset_names(game: ExtensiveGame) -> list[str]:
    """Return owner, number and label of each set; both are unique among the owner's."""
    names = [""] * game.infosets
    for player in range(len(game.players)):
        own = np.flatnonzero(game.infoset_player == player).tolist()
        labels = distinct([game.infoset_label[infoset] for infoset in own])
        for number, (infoset, label) in enumerate(zip(own, labels, strict=True), 1):
            names[infoset] = f"{player + 1} {number} {quote(label)}"
    return names


def _chance_moves(game: ExtensiveGame, numbers: list[str]) -> dict[int, str]:
    """Return number, label and moves of the event at each chance node."""
    children: dict[int, list[int]] = {int(v): [] for v in np.flatnonzero(game.player == CHANCE)}
    for node, parent in enumerate(game.parent.tolist()):
        if parent in children:
            children[parent].append(node)
    events = {}
    for number, (node, below) in enumerate(children.items(), 1):
        labels = distinct([game.chance_label.get(child, "") for child in below])
        probabilities = (numbers[place] for place in game.probability[below].tolist())
        pairs = " ".join(f"{quote(a)} {p}" for a, p in zip(labels, probabilities, strict=True))
        events[node] = f'{number} "" {{ {pairs} }}'
    return events


def nfg_lines(game: NormalGame) -> Iterator[str]:
    """Yield the lines of a ``.nfg`` file: prologue, strategies, then a line a profile."""
    yield f"NFG 1 R {quote(game.name)} {_table_labels(game.players)}"
    yield "{"
    for actions in game.actions:
        yield _table_labels(actions)
    yield "}"
    yield '""'
    players = len(game.players)
    profiles = np.moveaxis(game.payoff, -1, 0).reshape((players, -1), order="F").T
    for payoffs in profiles:
        yield " ".join(rational(value, game.name) for value in payoffs)


def _table_labels(labels: Iterable[str]) -> str:
    """Return quoted labels in braces, none of them the number of a later one as Gambit sees it.

    Gambit (16.7) starts from the labels 1, 2, ... and refuses a new label that is still in use
    further on; escaped, the label is another one to Gambit and the same to our reader.
    """
    names = distinct(list(labels))
    later = {str(number): number for number in range(1, len(names) + 1)}
    quoted = [
        f'"{escaped(name[0])}{name[1:]}"' if later.get(name, 0) > place else quote(name)
        for place, name in enumerate(names, 1)
    ]
    return f"{{ {' '.join(quoted)} }}"


def _listed(labels: Iterable[str]) -> str:
    """Return quoted labels in braces."""
    return f"{{ {' '.join(quote(label) for label in labels)} }}"
