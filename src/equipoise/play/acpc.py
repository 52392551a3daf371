"""The texts of the poker competition's protocol, version 2.0.0: match states, actions, log lines.

A *match state* is what one position is told::

    MATCHSTATE:0:30:cc/r:9s8h|/8c8d5c

the position (from 0), the number of the hand, the betting, and the cards. In the betting ``f`` is a fold, ``c`` a
check or call, ``r`` a bet or raise (with stacks ``r250``: raise so that 250 are in the pot from this player), and
``/`` stands between rounds. In the cards ``|`` stands between the hole cards of positions, of which only those
are there that the receiver may see, and ``/`` before the board cards of each round. An answer is the match state,
``:`` and an action. A line of a log has the payments and the names as well::

    STATE:30:cc/r300f:9s8h|9c6h/8c8d5c:-100|100:alice|bob

Positions are the players of the game. Decks of fewer ranks or suits have the highest of each, as the
competition deals them: Leduc poker is played with queens, kings and aces of hearts and spades.

Source: Zinkevich, Bard, Davidson, "Annual Computer Poker Competition protocol specification 2.0.0" (2010).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.cards.deck import STANDARD, STANDARD_RANKS, STANDARD_SUITS
from equipoise.errors import EquipoiseError, quoted
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.betting import TERMINAL
from equipoise.games.signals.chance import Deal
from equipoise.games.trees.extensive import CHANCE
from equipoise.play.observation import Move, Observation
from equipoise.play.rulebook import SignalBook, rulebook

VERSION = "VERSION:2.0.0"
LONGEST = 4096
"""Most characters of a line; no state of any game comes near."""

_STATE = re.compile(r"MATCHSTATE:(\d{1,2}):(\d{1,9}):([cfr0-9/]*):([2-9TJQKAcdhs|/]+)")
_ANSWER = re.compile(r"(MATCHSTATE:[^:]*:[^:]*:[^:]*:[^:]*):(f|c|r\d{0,9})")


@dataclass(frozen=True)
class MatchState:
    """What one position knows.

    Attributes
    ----------
    position, hand
        Who is told, and the number of the hand.
    node
        Where the betting is, in the betting tree.
    holes
        The hole cards of every position that are shown, else ``None``.
    board
        The board cards.
    """

    position: int
    hand: int
    node: int
    holes: tuple[Deal | None, ...]
    board: Deal


class Notation:
    """Reads and writes the protocol's texts of one game."""

    def __init__(self, game: PokerGame) -> None:
        if not isinstance(game, PokerGame):
            raise EquipoiseError(
                "protocol: found another game, expected poker with hole and board cards."
            )
        self.game, self.tree = game, game.tree
        book = rulebook(game)
        assert isinstance(book, SignalBook)
        self.book = book
        ranks = STANDARD_RANKS[-len(game.deck.ranks) :]
        suits = STANDARD_SUITS[-len(game.deck.suits) :]
        self._names = [rank + suit for rank in ranks for suit in suits]
        self._cards = {name: card for card, name in enumerate(self._names)}

    @cached_property
    def bettings(self) -> tuple[str, ...]:
        """The betting that leads to every node."""
        tree = self.tree
        texts = [""] * len(tree.parent)
        for node in range(1, len(texts)):
            parent = int(tree.parent[node])
            rounds = "/" * int(tree.round[node] - tree.round[parent])
            texts[node] = texts[parent] + self._letter(node) + rounds
        return tuple(texts)

    def _letter(self, node: int) -> str:
        """Return how the action into ``node`` is written."""
        label = self.tree.action[node]
        if label == "f":
            return "f"
        if label in ("k", "c"):
            return "c"
        if len(label) == 1:
            return "r"
        assert self.book.contributions is not None, "sizes are for two players"
        return f"r{self.book.contributions[node, self.tree.player[self.tree.parent[node]]]:.0f}"

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {text: node for node, text in enumerate(self.bettings)}

    @cached_property
    def _letters(self) -> list[dict[str, str]]:
        """The labels of the actions of every node, by how they are written."""
        return [
            {self._letter(child): self.tree.action[child] for child in below}
            for below in self.tree.successors
        ]

    def action(self, node: int, letter: str) -> str:
        """Return the label of what is written ``letter`` at ``node``."""
        label = self._letters[node].get(letter)
        if label is None:
            known = " or ".join(self._letters[node])
            raise EquipoiseError(f"action: found {quoted(letter)}, expected {known or 'none'}.")
        return label

    def letter(self, node: int, label: str) -> str:
        """Return how the action ``label`` at ``node`` is written."""
        actions = [self.tree.action[child] for child in self.tree.successors[node]]
        return self._letter(self.tree.successors[node][actions.index(label)])

    def text(self, cards: Sequence[int]) -> str:
        """Return cards as they are written."""
        return "".join(self._names[card] for card in cards)

    def standard(self, cards: Sequence[int]) -> list[int]:
        """Return cards of this game's deck as those of the usual one."""
        return [int(STANDARD.parse(self._names[card])[0]) for card in cards]

    def write(self, state: MatchState) -> str:
        """Return the line of a match state."""
        betting = self.bettings[state.node]
        return f"MATCHSTATE:{state.position}:{state.hand}:{betting}:{self._written(state)}"

    def _written(self, state: MatchState) -> str:
        holes = "|".join("" if own is None else self.text(own) for own in state.holes)
        boards, first = "", 0
        for count in self.game.public[: int(self.tree.round[state.node]) + 1]:
            if count:
                boards += "/" + self.text(state.board[first : first + count])
            first += count
        return holes + boards

    def of(self, position: int, hand: int, deal: Deal, node: int) -> MatchState:
        """Return what ``position`` is told where ``deal`` has been revealed and the betting is at ``node``."""
        board, private = self.game.split(deal)
        shown = self.book.exposed(node) | {position}
        holes = tuple(own if i in shown else None for i, own in enumerate(private))
        return MatchState(position, hand, node, holes, board)

    def read(self, line: str) -> MatchState:
        """Return the match state that a line holds, or say what is wrong with it."""
        match = _STATE.fullmatch(line) if len(line) <= LONGEST else None
        if match is None:
            raise EquipoiseError(
                f"match state: found {quoted(line)}, expected MATCHSTATE:position:hand:betting:cards."
            )
        position, hand = int(match[1]), int(match[2])
        if position >= self.game.players:
            raise EquipoiseError(
                f"match state: found position {position}, expected 0 to {self.game.players - 1}."
            )
        node = self._nodes.get(match[3])
        if node is None:
            raise EquipoiseError(
                f"match state: found the betting {quoted(match[3])}, expected one of '{self.game.name}'."
            )
        holes, board = self._read_cards(match[4], node)
        state = MatchState(position, hand, node, holes, board)
        if holes[position] is None or self.write(state) != line:
            raise EquipoiseError(
                f"match state: found the cards {quoted(match[4])}, expected the receiver's hole cards "
                "and the board of the round."
            )
        if any(holes[i] is None for i in self.book.exposed(node)):
            raise EquipoiseError("match state: found a showdown with hidden cards, expected all.")
        return state

    def _read_cards(self, text: str, node: int) -> tuple[tuple[Deal | None, ...], Deal]:
        """Return hole cards and board, all different, as many as the round has."""
        first, *rest = text.split("/")
        holes = [self._deal(part) or None for part in first.split("|")]
        board = tuple(card for part in rest for card in self._deal(part))
        game, turn = self.game, int(self.tree.round[node])
        counts = {len(own) for own in holes if own is not None}
        every = [card for own in holes if own is not None for card in own] + list(board)
        if (
            len(holes) != game.players
            or not counts <= {game.hole}
            or len(board) != sum(game.public[: turn + 1])
            or len(set(every)) < len(every)
        ):
            raise EquipoiseError(
                f"match state: found the cards {quoted(text)}, expected {game.hole} for each of "
                f"{game.players} positions, the board of round {turn + 1}, and none twice."
            )
        return tuple(holes), board

    def _deal(self, text: str) -> Deal:
        names = [text[i : i + 2] for i in range(0, len(text), 2)]
        try:
            return tuple(self._cards[name] for name in names)
        except KeyError as error:
            raise EquipoiseError(
                f"match state: found the card {quoted(str(error.args[0]))}, expected one of the deck."
            ) from None

    def observe(self, state: MatchState) -> Observation:
        """Return what the position knows, as an episode would tell it."""
        private = state.holes[state.position]
        assert private is not None, "the receiver's cards are there"
        moves = self._moves(state, private)
        if self.tree.player[state.node] == TERMINAL:
            return self.book.ending(state.node, state.position, state.holes, state.board, moves)
        return self.book.situation(state.node, state.position, private, state.board, moves)

    def _moves(self, state: MatchState, private: Deal) -> list[Move]:
        """Return what the position knows to have happened, in order."""
        tree, signals = self.tree, self.game.signals
        path = [state.node]
        while (parent := int(tree.parent[path[-1]])) >= 0:
            path.append(parent)
        moves = [Move(CHANCE, signals[card]) for card in private]
        ends = np.cumsum(self.game.public)
        for before, after in zip(path[:0:-1], path[-2::-1], strict=True):
            moves.append(Move(int(tree.player[before]), tree.action[after]))
            shown = state.board[ends[tree.round[before]] : ends[tree.round[after]]]
            moves += [Move(CHANCE, signals[card]) for card in shown]
        return moves

    def log_line(
        self, hand: int, node: int, deal: Deal, payoffs: Sequence[float], names: Sequence[str]
    ) -> str:
        """Return the line of a log for a hand that is over; names are those of the positions."""
        board, private = self.game.split(deal)
        cards = self._written(MatchState(0, hand, node, private, board))
        paid = "|".join(f"{amount:g}" for amount in payoffs)
        return f"STATE:{hand}:{self.bettings[node]}:{cards}:{paid}:{'|'.join(map(plain, names))}"


def poker_rules(spec: str) -> PokerGame:
    """Return the poker game that ``spec`` names, as data: ``kuhn`` and ``leduc`` too, else trees."""
    from equipoise.games import poker
    from equipoise.games.base import load, parse

    found: object = load(spec)
    if not isinstance(found, PokerGame):
        name, parameters = parse(spec)
        make = {"kuhn": poker.kuhn, "leduc": poker.leduc}.get(name.replace("-", "_"))
        if make is None:
            raise EquipoiseError(f"{spec}: found another game than poker, expected poker as data.")
        found = make(**parameters)
    assert isinstance(found, PokerGame)
    return found


def answer(line: str) -> tuple[str, str]:
    """Return the match state and the action of a player's answer."""
    match = _ANSWER.fullmatch(line) if len(line) <= LONGEST else None
    if match is None:
        raise EquipoiseError(
            f"answer: found {quoted(line)}, expected a match state, ':' and f, c or r."
        )
    return match[1], match[2]


def plain(name: str) -> str:
    """Return a name without the marks that separate names."""
    return re.sub(r"[:|\s]", "_", name) or "_"
