"""What one player knows at a point of a game: all that an agent, a browser or a terminal is given.

An observation is plain data (texts, numbers and tuples of them). It holds nothing through which hidden
cards could be reached, so whatever is sent to a player may be made from it without further thought.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Move(NamedTuple):
    """Something that was done: by a player (from 0), or by nature (``CHANCE``, -1)."""

    player: int
    action: str


@dataclass(frozen=True)
class Observation:
    """What ``player`` knows.

    Attributes
    ----------
    game, player
        The game's name, and who looks (from 0).
    actor
        Who is to act, where she may know it: in a game with signals everybody does, in a tree only who
        acts herself. ``None`` when the game is over, or for all she knows.
    infoset
        Her information set as strategies name it (``Ta7b7a|kK/bRc/kBr``), if it is her turn.
    actions, words
        The labels of the actions open to her, and the same for people (``bet 1,000``); empty if it is not
        her turn.
    private, public
        The names of the signals (cards) that she alone was told, and that everybody was.
    turn, history
        In a game with signals, the round (from 0) and what has been done, as strategies write it.
    moves
        What she knows to have happened, in order. In a game with signals: her signals, those that are public,
        and all actions. In a tree, which says nothing of what is public: her own actions, and
        once it is over, everything.
    paid
        In poker between two, what each player has put into the pot.
    payoffs
        What each player is paid, once the game is over.
    shown
        Once a game with signals is over, each player's private signals: her own, and those of the others if
        the signals decided who is paid what (a showdown); ``None`` for signals that stay hidden.
    """

    game: str
    player: int
    actor: int | None = None
    infoset: str | None = None
    actions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    turn: int = 0
    history: str = ""
    moves: tuple[Move, ...] = ()
    paid: tuple[float, ...] | None = None
    payoffs: tuple[float, ...] | None = None
    shown: tuple[tuple[str, ...] | None, ...] = ()

    @property
    def is_turn(self) -> bool:
        """Whether the player is to act."""
        return bool(self.actions)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.payoffs is not None
