"""Play against an agent in a terminal: what is shown and asked, apart from how.

A :class:`Sitting` plays one hand after another between a person and an agent. It says lines, in which words in
brackets are Rich's colours, and asks for actions through the two functions of a :class:`Screen`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from equipoise.errors import EquipoiseError
from equipoise.games.signals.stage_game import StageGame
from equipoise.play.agents import Agent
from equipoise.play.coach import Advice, Coach
from equipoise.play.episode import Episode
from equipoise.play.observation import Observation
from equipoise.play.rulebook import rulebook

SEATS = ("1", "2", "alternate")
_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_RED = "dh"
_STOP = ("q", "quit", "exit")
_ADVICE = ("?", "coach")


class LeaveError(Exception):
    """The person has had enough: the input is at its end, or she said so."""


class Screen(NamedTuple):
    """How to say a line, how to ask for one, and whether suits have symbols."""

    say: Callable[[str], None]
    ask: Callable[[str], str]
    symbols: bool = True


@dataclass
class Tally:
    """How the person stands: hands played, chips won, decisions and what they cost."""

    hands: int = 0
    total: float = 0.0
    decisions: int = 0
    best: int = 0
    cost: float = 0.0

    def text(self) -> str:
        """Return the score in a line."""
        if not self.hands:
            return "No hand was finished."
        hands = "1 hand" if self.hands == 1 else f"{self.hands} hands"
        score = f"{hands}, {self.total:+,g} in all, {self.total / self.hands:+,.4g} a hand"
        if not self.decisions:
            return f"{score}."
        return (
            f"{score}; {self.best} of {self.decisions} decisions were best, the others cost "
            f"{self.cost:,.4g}."
        )


@dataclass
class Sitting:
    """A person against ``agent``.

    Attributes
    ----------
    game, agent, screen
        What is played, against whom, and where.
    seat
        ``1``, ``2``, or ``alternate``: the seats change after every hand.
    seed
        What cards and the agent's actions follow from.
    coach
        For each seat (from 0), who tells what would have been best; none without coaching.
    """

    game: Any
    agent: Agent
    screen: Screen
    seat: str = "alternate"
    seed: int = 0
    coach: Callable[[int], Coach] | None = None
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        if self.seat not in SEATS:
            raise EquipoiseError(f"--seat: found '{self.seat}', expected {', '.join(SEATS)}.")
        book: Any = rulebook(self.game)
        if len(book.players) != 2:
            raise EquipoiseError(
                f"play: '{book.name}' has {len(book.players)} players, expected a game of two."
            )
        self.game = book.game

    def play(self, hands: int | None = None) -> Tally:
        """Play until the person leaves, or for so many hands; return the score."""
        self.agent.reset(f"{self.seed}/agent")
        try:
            while hands is None or self.tally.hands < hands:
                self.hand(self.tally.hands)
        except (LeaveError, KeyboardInterrupt):
            self.screen.say("")
        self.screen.say(self.tally.text())
        return self.tally

    def hand(self, number: int) -> None:
        """Play one hand."""
        own = number % 2 if self.seat == "alternate" else int(self.seat) - 1
        episode = Episode(self.game, f"{self.seed}/{number}")
        self.screen.say("")
        self.screen.say(f"[bold]Hand {number + 1}[/bold]  you are player {own + 1}")
        while (actor := episode.player) is not None:
            seen = episode.observation(actor)
            if actor == own:
                episode.act(self._choose(seen))
            else:
                action = self.agent.act(seen)
                if isinstance(self.game, StageGame):
                    word = seen.words[seen.actions.index(action)]
                    self.screen.say(f"  opponent: [bold]{_escaped(word)}[/bold]")
                episode.act(action)
        end = episode.observation(own)
        self.agent.learn(episode.observation(1 - own))
        self._finish(end)

    def _choose(self, seen: Observation) -> str:
        """Show a situation and return the action that the person chooses."""
        say, coach = self.screen.say, self.coach
        say(f"  {self._situation(seen)}")
        options = "  ".join(
            f"[bold]{label}[/bold] {word}" if label != word else f"[bold]{label}[/bold]"
            for label, word in zip(seen.actions, map(_escaped, seen.words), strict=True)
        )
        hint = "  [dim]? coach  q quit[/dim]" if coach else "  [dim]q quit[/dim]"
        say(f"  {options}{hint}")
        advice: Advice | None = None
        while True:
            text = self.screen.ask("> ").strip()
            if text.lower() in _STOP and text not in seen.actions:
                raise LeaveError
            if coach is not None and text.lower() in _ADVICE:
                advice = advice or coach(seen.player).advise(seen)
                say(f"  {self._advice(seen, advice)}")
                continue
            action = chosen(seen, text)
            if action is not None:
                break
            say(f"  [red]{_escaped(text[:40]) or 'nothing'}[/red] is no action here.")
        if coach is not None:
            self._judge(advice or coach(seen.player).advise(seen), action, seen)
        return action

    def _situation(self, seen: Observation) -> str:
        """Return what the person sees, in a line."""
        if not seen.private and not seen.public:
            return f"You are at [bold]{_escaped(seen.infoset or '')}[/bold]."
        parts = [f"Your cards {self._cards(seen.private)}"]
        if seen.public:
            parts.append(f"board {self._cards(seen.public)}")
        if seen.paid is not None:
            parts.append(f"pot {sum(seen.paid):,g}")
        return "   ".join(parts)

    def _cards(self, names: Sequence[str]) -> str:
        return " ".join(card_text(name, self.screen.symbols) for name in names)

    def _advice(self, seen: Observation, advice: Advice) -> str:
        """Return what the coach would do, and what each action is worth."""
        parts = []
        for word, share, worth in zip(seen.words, advice.probabilities, advice.values, strict=True):
            value = "" if worth != worth else f" (worth {worth:+,.4g})"
            parts.append(f"{_escaped(word)} {share:.0%}{value}")
        return f"[cyan]coach:[/cyan] {', '.join(parts)}"

    def _judge(self, advice: Advice, action: str, seen: Observation) -> None:
        """Say what a choice has cost."""
        cost = advice.cost(action)
        if cost != cost:
            self.screen.say(f"  {self._advice(seen, advice)}")
            return
        scale = max(abs(worth) for worth in advice.values)
        is_best = cost <= 1e-9 + 1e-6 * scale
        self.tally.decisions += 1
        self.tally.best += is_best
        self.tally.cost += cost
        verdict = "[green]that was best[/green]" if is_best else f"that cost {cost:,.4g}"
        self.screen.say(f"  {self._advice(seen, advice)}; {verdict}.")

    def _finish(self, end: Observation) -> None:
        """Show how a hand has ended, and the score."""
        assert end.payoffs is not None, "the hand is over"
        won = end.payoffs[end.player]
        self.tally.hands += 1
        self.tally.total += won
        other = end.shown[1 - end.player] if end.shown else None
        if end.public:
            self.screen.say(f"  board {self._cards(end.public)}")
        if other:
            self.screen.say(
                f"  opponent shows {self._cards(other)}, you have {self._cards(end.private)}"
            )
        elif not end.shown:
            story = " ".join(move.action for move in end.moves)
            self.screen.say(f"  it went [dim]{_escaped(story)}[/dim]")
        colour = "green" if won > 0 else "red" if won < 0 else "yellow"
        verb = "win" if won > 0 else "lose" if won < 0 else "tie:"
        self.screen.say(
            f"  You {verb} [{colour}]{abs(won):,g}[/{colour}].  [dim]score {self.tally.total:+,g} "
            f"after {self.tally.hands}[/dim]"
        )


def chosen(seen: Observation, text: str) -> str | None:
    """Return the action that ``text`` means: a label, a word or its beginning; ``None`` if it is not clear."""
    if text in seen.actions:
        return text
    lower = text.lower()
    for found in (
        [a for a in seen.actions if a.lower() == lower],
        [a for a, w in zip(seen.actions, seen.words, strict=True) if w.lower() == lower],
        [a for a, w in zip(seen.actions, seen.words, strict=True) if w.lower().startswith(lower)],
    ):
        if len(found) == 1 and lower:
            return found[0]
    return None


def card_text(name: str, symbols: bool) -> str:
    """Return a card with its suit as a symbol, red if it is: ``K♥``; other signals as they are called."""
    if len(name) != 2 or name[1] not in _SUITS or not (name[0].isupper() or name[0].isdigit()):
        return f"[bold]{_escaped(name)}[/bold]"
    shown = name[0] + (_SUITS[name[1]] if symbols else name[1])
    return f"[bold red]{shown}[/bold red]" if name[1] in _RED else f"[bold]{shown}[/bold]"


def _escaped(text: str) -> str:
    """Return a text in which Rich sees no colours."""
    from rich.markup import escape

    return escape(text)
