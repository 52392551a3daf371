"""Jam/fold tournaments as stochastic games: stacks, blinds, antes, prizes.

Chips are counted in units. With m players left, a state is the vector of their stacks by *position*, in
the order in which they act: the small blind is the last but one, the big blind the last. With three
players position 0 is the button; with two the button posts the small blind. Once in a hand each player
goes all-in or folds; players without a choice (all-in by a blind or ante, or facing nothing beyond
what they have posted) are in.

A hand ends in an *outcome*: who is in, and how their hands rank. Pots are layered by what players put
in, and go to the best hands that reach the layer; odd units of a split pot are dealt by coin flips.
Players without chips are out: the one who started the hand with less takes the lower place, and equals
share. The big blind moves on to the next player who is left, and the others' positions follow from
it, so that nobody posts it twice in a row.

After Ganzfried and Sandholm, "Computing an approximate jam/fold equilibrium for 3-player no-limit Texas
hold'em tournaments" (AAMAS 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb, gcd
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from equipoise.cards.showdown.classes import PLACES
from equipoise.errors import EquipoiseError
from equipoise.games.tournaments.icm import icm, require_prizes

Stacks = tuple[int, ...]

FOLD, JAM = 0, 1
"""Actions of a decision; to jam after a jam is to call."""

PRIZES = (50.0, 30.0, 20.0)
"""The prizes of Ganzfried and Sandholm (2008)."""

_MOST_STATES = 20_000
"""States with all players left; every one holds what each class of hands does at each decision."""

_ORDERS = {
    1: ((0,),),
    2: ((0, 1), (0, 0), (1, 0)),
    3: tuple(tuple(int(place) for place in places) for places in PLACES),
}
"""How the hands of this many players can rank: the place of each, equal if they tie."""


class Decision(NamedTuple):
    """A player and what he sees: the set of earlier players who are in."""

    player: int
    inside: frozenset[int]


class Outcome(NamedTuple):
    """The players who are in at the end, and the places of their hands."""

    inside: tuple[int, ...]
    places: tuple[int, ...]


POSITIONS = {2: ("small blind", "big blind"), 3: ("button", "small blind", "big blind")}
"""Names of the positions, by number of players, in the order in which they act."""


def describe(players: int, decision: Decision) -> str:
    """Say in words what going in means at ``decision``.

    >>> [describe(3, decision) for decision in decisions(3)[1:3]]
    ['small blind jams after a fold', 'small blind calls the button']
    """
    names = POSITIONS[players]
    own, caught = names[decision.player], [names[p] for p in sorted(decision.inside)]
    if caught:
        return f"{own} calls {'both' if len(caught) > 1 else f'the {caught[0]}'}"
    return f"{own} jams{' after a fold' if decision.player else ''}"


def decisions(players: int) -> tuple[Decision, ...]:
    """Return every decision of a hand, by player: a big blind with no jam before him has none."""
    return tuple(
        Decision(player, frozenset(p for p in range(player) if mask >> p & 1))
        for player in range(players)
        for mask in range(player == players - 1, 2**player)
    )


def outcomes(players: int) -> tuple[Outcome, ...]:
    """Return every outcome of a hand."""
    insides = (tuple(p for p in range(players) if m >> p & 1) for m in range(1, 2**players))
    return tuple(Outcome(inside, order) for inside in insides for order in _ORDERS[len(inside)])


def leads_to(decision: Decision, action: int, outcome: Outcome) -> bool:
    """Whether ``outcome`` is possible after ``action``."""
    before = frozenset(p for p in outcome.inside if p < decision.player)
    return before == decision.inside and (decision.player in outcome.inside) == (action == JAM)


@dataclass(frozen=True, repr=False)
class Tournament:
    """The rules. Chips, blinds, antes and unit in chips; prizes in money.

    >>> tournament(chips=2100)
    <Tournament: 3 players, 2,100 chips, blinds 300/600, prizes 50/30/20>
    """

    family: ClassVar[str] = "tournament"

    players: int
    chips: int
    blinds: tuple[int, int]
    prizes: tuple[float, ...]
    ante: int = 0
    unit: int = 0

    def __post_init__(self) -> None:
        if self.players not in (2, 3):
            raise EquipoiseError(f"Players: found {self.players}, expected two or three.")
        small, big = self.blinds
        if not 0 < small <= big or self.ante < 0:
            raise EquipoiseError(
                f"Blinds: found {small}/{big} and ante {self.ante}, expected 0 < small <= big and an "
                "ante >= 0."
            )
        require_prizes(self.prizes, self.players)
        prizes = (*self.prizes, *[0.0] * (self.players - len(self.prizes)))
        object.__setattr__(self, "prizes", prizes)
        object.__setattr__(self, "unit", self.unit or gcd(small, big, self.ante))
        for name, chips in (
            ("chips", self.chips),
            ("blinds", gcd(small, big)),
            ("ante", self.ante),
        ):
            if self.unit <= 0 or chips % self.unit:
                raise EquipoiseError(
                    f"Unit {self.unit}: found {name} of {chips}, expected a multiple of the unit."
                )
        if self.chips // self.unit < self.players:
            raise EquipoiseError(
                f"Chips: found {self.chips}, expected at least one unit of {self.unit} a player."
            )
        states = comb(self.chips // self.unit - 1, self.players - 1)
        if states > _MOST_STATES:
            raise EquipoiseError(
                f"Chips: found {self.chips} in units of {self.unit}, which make {states:,} states, "
                f"expected at most {_MOST_STATES:,}: a larger unit or fewer chips."
            )
        if big + self.ante >= self.chips - (self.players - 1) * self.unit:
            raise EquipoiseError(
                f"Blinds: found {small}/{big} above all stacks, expected less than the largest that "
                f"{self.chips} chips allow."
            )

    def __repr__(self) -> str:
        ante = f", ante {self.ante:,}" if self.ante else ""
        return (
            f"<Tournament: {self.players} players, {self.chips:,} chips, blinds "
            f"{self.blinds[0]}/{self.blinds[1]}{ante}, prizes {'/'.join(map(_short, self.prizes))}>"
        )

    @property
    def name(self) -> str:
        """The tournament in the words from which :func:`equipoise.load` makes it."""
        rules = {
            "players": self.players,
            "chips": self.chips,
            "blinds": f"({self.blinds[0]},{self.blinds[1]})",
            "prizes": f"({','.join(map(_short, self.prizes))})",
            **({"ante": self.ante} if self.ante else {}),
            "unit": self.unit,
        }
        return f"tournament({','.join(f'{name}={rule}' for name, rule in rules.items())})"

    @property
    def units(self) -> int:
        """All chips in play, in units."""
        return self.chips // self.unit

    @property
    def equal_stacks(self) -> Stacks:
        """The state in which all have as many units, as far as they go round."""
        share, odd = divmod(self.units, self.players)
        return tuple(share + (p < odd) for p in range(self.players))

    @property
    def pool(self) -> float:
        """The sum of all prizes."""
        return sum(self.prizes)

    def state(self, stacks: Sequence[int]) -> Stacks:
        """Return ``stacks``, in chips and by position, in units; raise if there is no such state."""
        if any(stack <= 0 or stack % self.unit for stack in stacks):
            raise EquipoiseError(
                f"Stacks: found {list(stacks)}, expected positive multiples of the unit, {self.unit}."
            )
        if not 2 <= len(stacks) <= self.players or sum(stacks) != self.chips:
            raise EquipoiseError(
                f"Stacks: found {list(stacks)}, expected from 2 to {self.players} that sum to "
                f"{self.chips}."
            )
        return tuple(stack // self.unit for stack in stacks)


def tournament(
    players: int = 3,
    chips: int = 13_500,
    blinds: tuple[int, int] = (300, 600),
    prizes: tuple[float, ...] | None = None,
    ante: int = 0,
    unit: int = 0,
) -> Tournament:
    """Return a tournament; by default, that of Ganzfried and Sandholm (2008), prizes 50, 30 and 20.

    Two players play for the first two of these. Stacks are multiples of the ``unit``, by default of
    what divides blinds and ante.
    """
    if not isinstance(blinds, tuple) or [type(b) for b in blinds] != [int, int]:
        raise EquipoiseError(f"Blinds: found {blinds!r}, expected two whole numbers (small, big).")
    won = PRIZES[:players] if prizes is None else prizes
    if not isinstance(won, tuple) or not all(type(prize) in (int, float) for prize in won):
        raise EquipoiseError(f"Prizes: found {won!r}, expected numbers (first, second, ...).")
    return Tournament(players, chips, blinds, tuple(float(prize) for prize in won), ante, unit)


def _short(number: float) -> str:
    """Return ``number`` in full, without a fraction that it has not."""
    return str(int(number)) if number == int(number) else repr(number)


@dataclass(frozen=True, eq=False)
class Hands:
    """One hand with ``players`` left, in every state: what may be done, and where it leads."""

    tournament: Tournament
    players: int

    @cached_property
    def states(self) -> tuple[Stacks, ...]:
        """The stacks by position, in lexicographic order."""
        units, last = self.tournament.units, self.players - 1
        cuts = combinations(range(1, units), last)
        return tuple(
            tuple(b - a for a, b in zip((0, *cut), (*cut, units), strict=True)) for cut in cuts
        )

    @cached_property
    def number(self) -> dict[Stacks, int]:
        """The number of each state."""
        return {stacks: s for s, stacks in enumerate(self.states)}

    def posted(self, stacks: Stacks) -> Stacks:
        """Return what antes and blinds take from each player."""
        rules = self.tournament
        ante, (small, big) = rules.ante // rules.unit, (b // rules.unit for b in rules.blinds)
        blinds = (*[0] * (self.players - 2), small, big)
        return tuple(min(stack, ante + blind) for stack, blind in zip(stacks, blinds, strict=True))

    def has_choice(self, stacks: Stacks, decision: Decision) -> bool:
        """Whether the player has chips left, and less in than somebody who may win against him."""
        posted, own = self.posted(stacks), decision.player
        faced = [stacks[p] for p in decision.inside] + [
            posted[p] for p in range(own + 1, len(stacks))
        ]
        return posted[own] < stacks[own] and posted[own] < max(faced)

    def settle(self, stacks: Stacks, outcome: Outcome) -> Iterator[tuple[float, Stacks]]:
        """Yield the possible stacks after ``outcome``, each with its chance."""
        posted = self.posted(stacks)
        paid = [s if p in outcome.inside else posted[p] for p, s in enumerate(stacks)]
        kept = [stack - into for stack, into in zip(stacks, paid, strict=True)]
        splits = [_split(pot, winners) for pot, winners in _pots(paid, outcome)]
        for dealt in product(*splits):
            chance, end = 1.0, list(kept)
            for share, won in dealt:
                chance *= share
                for player, amount in won.items():
                    end[player] += amount
            yield chance, tuple(end)

    def places(self, stacks: Stacks, end: Stacks) -> tuple[tuple[int, ...], dict[int, float]]:
        """Return who plays on, in the next hand's positions, and the prizes of the others."""
        prizes = self.tournament.prizes
        alive = [p for p in range(self.players) if end[p]]
        won: dict[int, float] = {}
        for player in (p for p in range(self.players) if not end[p]):
            beaten = sum(not end[q] and stacks[q] < stacks[player] for q in range(self.players))
            equal = sum(not end[q] and stacks[q] == stacks[player] for q in range(self.players))
            low = self.players - beaten
            won[player] = sum(prizes[low - equal : low]) / equal
        if len(alive) == 1:
            won[alive[0]] = prizes[0]
            return (), won
        return (*alive[1:], alive[0]), won

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Whether each action of each decision may be taken in each state."""
        moves = decisions(self.players)
        free = np.array([[self.has_choice(s, d) for d in moves] for s in self.states])
        return np.stack([free, np.ones_like(free)], axis=2).reshape(len(self.states), -1)

    def transitions(self) -> tuple[dict[int, csr_matrix], NDArray[np.float64]]:
        """Return where outcomes lead, by number of players left, and the prizes they pay.

        Row ``(s * outcomes + o) * players + p`` of a matrix has the chances of the nodes ``state *
        players left + position`` that player p comes to.
        """
        ways = outcomes(self.players)
        tables = {m: Hands(self.tournament, m) for m in range(2, self.players)} | {
            self.players: self
        }
        entries: dict[int, list[tuple[int, int, float]]] = {m: [] for m in tables}
        prizes = np.zeros(len(self.states) * len(ways) * self.players)
        for (s, stacks), (o, outcome) in product(enumerate(self.states), enumerate(ways)):
            row = (s * len(ways) + o) * self.players
            for chance, end in self.settle(stacks, outcome):
                order, won = self.places(stacks, end)
                for player, prize in won.items():
                    prizes[row + player] += chance * prize
                if order:
                    left = len(order)
                    node = tables[left].number[tuple(end[p] for p in order)] * left
                    entries[left] += [(row + p, node + i, chance) for i, p in enumerate(order)]
        return {
            m: _matrix(cells, len(prizes), len(tables[m].states) * m)
            for m, cells in entries.items()
        }, prizes

    def icm(self) -> NDArray[np.float64]:
        """Return the Independent Chip Model's values of all nodes."""
        prizes = self.tournament.prizes[: self.players]
        return np.concatenate([icm(stacks, prizes) for stacks in self.states])


def _pots(paid: Sequence[int], outcome: Outcome) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield main and side pots with the players who win each."""
    rank = dict(zip(outcome.inside, outcome.places, strict=True))
    pot, below = 0, 0
    levels = sorted({paid[p] for p in outcome.inside})
    for level in levels:
        last = level == levels[-1]
        top = max(paid) if last else level
        pot = sum(min(into, top) - min(into, below) for into in paid)
        rivals = [p for p in outcome.inside if paid[p] >= level]
        best = min(rank[p] for p in rivals)
        yield pot, tuple(p for p in rivals if rank[p] == best)
        below = top


def _split(pot: int, winners: tuple[int, ...]) -> list[tuple[float, dict[int, int]]]:
    """Return the ways to divide ``pot``, each with its chance: odd units go to some, by coin flips."""
    share, odd = divmod(pot, len(winners))
    lucky = list(combinations(winners, odd))
    return [(1 / len(lucky), {p: share + (p in more) for p in winners}) for more in lucky]


def _matrix(cells: list[tuple[int, int, float]], rows: int, columns: int) -> csr_matrix:
    """Return the sparse matrix with these (row, column, number) entries, added up."""
    row, column, number = zip(*cells, strict=True) if cells else ((), (), ())
    return csr_matrix((number, (row, column)), shape=(rows, columns), dtype=np.float64)
