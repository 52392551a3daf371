"""Gambit's extensive-form games, ``.efg``.

A prologue (``EFG 2 R "title" { "player" ... } "comment"``), then the nodes in preorder::

    c "name" event   "label" { "action" probability ... }  outcome "label" { payoff ... }
    p "name" player infoset "label" { "action" ... }       outcome "label" { payoff ... }
    t "name"                                               outcome "label" { payoff ... }

Events, information sets and outcomes are numbered; what describes one may be left out once it has
been given, and must be the same wherever it is repeated. Outcome 0 pays nothing. Payoffs add up along
a path. The reader keeps no recursion, so depth is no limit, and gives every error its line.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from equipoise.games.files.gambit.tokens import CLOSE, END, OPEN, TEXT, Tokens, distinct, read_text
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import ExtensiveGame

Payoffs = tuple[Fraction, ...]


def read_efg(path: str | Path) -> ExtensiveGame:
    """Read a game from a ``.efg`` file."""
    return parse_efg(read_text(path), str(path))


def parse_efg(text: str, source: str) -> ExtensiveGame:
    """Read a game from the text of a ``.efg`` file; ``source`` is its name in errors."""
    tokens = Tokens(text, source)
    title, players = tokens.prologue("EFG", "2")
    if not players:
        tokens.refuse("found no players, expected one or more")
    tokens.accept(TEXT)  # the comment
    return _Reader(tokens, title, distinct(players)).game()


class _Infoset(NamedTuple):
    """What a file says of an information set."""

    label: str
    actions: tuple[str, ...]


class _Event(NamedTuple):
    """What a file says of a move by nature."""

    label: str
    moves: tuple[tuple[str, Fraction], ...]


class _Outcome(NamedTuple):
    """What a file says of an outcome."""

    label: str
    payoffs: Payoffs


class _Branch(NamedTuple):
    """A place of the tree whose node comes next, and the payoffs so far."""

    place: int
    paid: Payoffs


class _Reader:
    """Reads the nodes of one file."""

    def __init__(self, tokens: Tokens, title: str, players: tuple[str, ...]) -> None:
        self.tokens, self.players = tokens, players
        self.tree = TreeBuilder(title, players)
        self.sets: dict[tuple[int, int], _Infoset] = {}
        self.events: dict[int, _Event] = {}
        self.outcomes: dict[int, _Outcome] = {0: _Outcome("", tuple(Fraction(0) for _ in players))}

    def game(self) -> ExtensiveGame:
        """Read all nodes and return the game."""
        nothing = self.outcomes[0].payoffs
        stack = [_Branch(self.tree.root, nothing)]
        while stack:
            branch = stack.pop()
            stack.extend(reversed(self.node(branch)))
        self.tokens.end()
        return self.tree.build()

    def node(self, branch: _Branch) -> list[_Branch]:
        """Read a node and return the branches after it."""
        if self.tokens.kind == END:
            self.tokens.fail("more nodes, since the tree is not complete")
        kind = self.tokens.symbol("c", "p", "t")
        self.tokens.text("the node's name in quotation marks")
        if kind == "c":
            return self.chance(branch)
        if kind == "p":
            return self.decision(branch)
        self.tree.end(branch.place, self.paid(branch))
        return []

    def chance(self, branch: _Branch) -> list[_Branch]:
        """Read the rest of a node where nature moves."""
        number = self.tokens.integer("an event number")
        event = self.event(number)
        paid = self.paid(branch)
        places = self.tree.chance(branch.place, event.moves)
        return [_Branch(place, paid) for place in places]

    def event(self, number: int) -> _Event:
        """Read the optional description of event ``number``."""
        tokens, known = self.tokens, self.events.get(number)
        label = tokens.text("a label") if tokens.kind == TEXT else None
        if not tokens.accept(OPEN):
            if known is None:
                tokens.fail(f"the moves of event {number} in braces, where it is first used")
            moves = known.moves
        else:
            moves = self.moves(number)
        if known is None:
            known = self.events[number] = _Event(label or "", moves)
        elif known.moves != moves or label not in (None, known.label):
            tokens.refuse(f"event {number} differs from its first description, expected the same")
        return known

    def moves(self, number: int) -> tuple[tuple[str, Fraction], ...]:
        """Read nature's moves and their probabilities up to the closing brace."""
        tokens = self.tokens
        labels, chances = [], []
        while not tokens.accept(CLOSE):
            labels.append(tokens.text("a move of nature in quotation marks, or '}'"))
            chances.append(tokens.number("its probability"))
            if chances[-1] < 0:
                tokens.refuse(f"found the probability {chances[-1]}, expected none below 0")
        total = sum(chances)
        if total != 1:
            tokens.refuse(
                f"the probabilities of event {number} sum to {float(total):.12g}, expected exactly 1"
            )
        return tuple(zip(distinct(labels), chances, strict=True))

    def decision(self, branch: _Branch) -> list[_Branch]:
        """Read the rest of a node where a player moves."""
        tokens = self.tokens
        player = tokens.integer("a player's number") - 1
        if player >= len(self.players):
            tokens.refuse(
                f"found player {player + 1}, expected a number from 1 to {len(self.players)}"
            )
        number = tokens.integer("the number of an information set")
        infoset = self.infoset(player, number)
        paid = self.paid(branch)
        places = self.tree.decide(
            branch.place, player, number, infoset.actions, label=infoset.label
        )
        return [_Branch(place, paid) for place in places]

    def infoset(self, player: int, number: int) -> _Infoset:
        """Read the optional description of an information set and check it."""
        tokens, known = self.tokens, self.sets.get((player, number))
        name = f"information set {number} of player {player + 1}"
        label = tokens.text("a label") if tokens.kind == TEXT else None
        if tokens.kind == OPEN:
            actions = distinct(tokens.texts("an action"))
            if not actions:
                tokens.refuse(f"{name} has no actions, expected one or more")
        elif known is None:
            tokens.fail(f"the actions of {name} in braces, where it is first used")
        else:
            actions = known.actions
        if known is None:
            known = _Infoset(label or f"({player + 1},{number})", actions)
            self.sets[player, number] = known
        elif known.actions != actions:
            tokens.refuse(
                f"{name} has actions {_listed(actions)}, expected {_listed(known.actions)} as before"
            )
        elif label not in (None, "", known.label):
            tokens.refuse(f"{name} has a second label, expected the same label as before")
        return known

    def paid(self, branch: _Branch) -> Payoffs:
        """Read an outcome and return what the players have been paid after it."""
        tokens = self.tokens
        number = tokens.integer("the number of an outcome", least=0)
        known = self.outcomes.get(number)
        label = tokens.text("a label") if tokens.kind == TEXT else None
        described = tokens.accept(OPEN)
        if (described or label is not None) and number == 0:
            tokens.refuse("found a description of outcome 0, expected none: it pays nothing")
        if described:
            payoffs = tokens.payoffs(len(self.players))
        elif known is None:
            tokens.fail(f"the payoffs of outcome {number} in braces, where it is first used")
        else:
            payoffs = known.payoffs
        if known is None:
            known = self.outcomes[number] = _Outcome(label or "", payoffs)
        elif known.payoffs != payoffs or label not in (None, known.label):
            tokens.refuse(f"outcome {number} differs from its first description, expected the same")
        if number == 0:
            return branch.paid
        return tuple(before + more for before, more in zip(branch.paid, payoffs, strict=True))


def _listed(labels: tuple[str, ...]) -> str:
    """Return the first labels, for a sentence."""
    shown = ", ".join(repr(label[:20]) for label in labels[:5])
    return f"[{shown}{', ...' if len(labels) > 5 else ''}]"
