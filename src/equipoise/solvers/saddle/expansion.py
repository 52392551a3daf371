"""Which sequences a double oracle adds: one small object a policy.

After each restricted game both players have a best response to what the other played in it. A
:class:`Policy` sees one player's (:class:`Look`) and marks the sequences to keep from now on. As long as it
marks those of the best response in every set that the opponent comes to, or anything new instead, the double
oracle ends: where nothing new is marked, the best response is in the restricted game already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError
from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.base import Plans
from equipoise.sequence.reductions.grow import Side
from equipoise.sequence.reductions.restrict import Mask, Sequences
from equipoise.solvers.base import Context
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.responses import Response

Floats = NDArray[np.float64]

ROUGH_ITERATIONS, ROUGH_PLAY = 200, 1e-4
"""How far the rough equilibrium goes, and how often it must play what is kept (docs/double-oracle.md)."""

_TIE = 1e-12
"""Actions that differ by less than this, in the form's units, are equally good."""


@dataclass(frozen=True, eq=False)
class Look:
    """What one player knows after a restricted game.

    Attributes
    ----------
    form, player, side
        The whole game, the player, and what of it she keeps.
    found
        A best response to the opponent's plan, and what her sequences earn against it.
    gap
        The upper less the lower bound, in the form's units.
    """

    form: SequenceForm
    player: int
    side: Side
    found: Response
    gap: float

    @property
    def sequences(self) -> Sequences:
        """Her sequences in the whole game."""
        return self.side.sequences

    @cached_property
    def worth(self) -> Floats:
        """What each of her sequences earns at the best, with all that may begin with it."""
        assert self.found.gain is not None
        return self.sequences.worth(self.found.gain)

    @cached_property
    def at_stake(self) -> Mask:
        """Mark the sequences in sets where something is earned or lost: others the opponent never comes to.

        A search has not come to them, either.
        """
        sequences, gain = self.sequences, self.found.gain
        if gain is None:
            return self.found.plan > 0
        below = sequences.sums(np.abs(gain))
        in_set = np.bincount(sequences.infoset[1:], below[1:], len(sequences.set_parent))
        return np.append(True, in_set[sequences.infoset[1:]] > 0)

    @cached_property
    def by_default(self) -> Floats:
        """What each of her information sets earns if she plays her default from there on."""
        sequences, behaviour = self.sequences, self.side.behaviour
        assert self.found.gain is not None
        earned = behaviour * sequences.sums(self.found.gain, behaviour)
        return np.asarray(
            np.bincount(sequences.infoset[1:], earned[1:], len(sequences.set_parent)), np.float64
        )

    def within(self, margin: float) -> Mask:
        """Mark the sequences whose every action loses at most ``margin`` beside the best one there."""
        sequences, worth = self.sequences, self.worth
        best = sequences.best(worth)
        marked = np.append(True, worth[1:] >= best[sequences.infoset[1:]] - margin)
        for level in sequences.levels:
            marked[level] &= marked[sequences.parent[level]]
        return marked

    @property
    def best(self) -> Mask:
        """Mark the sequences of the best response where something is at stake."""
        marked: Mask = (self.found.plan > 0) & self.at_stake
        return marked


class Policy(Protocol):
    """Says what to add."""

    def more(self, look: Look) -> Mask:
        """Mark the sequences to be kept: something new, or ``look.best``."""


class PlainResponse:
    """The best response and nothing else (McMahan, Gordon and Blum 2003; Bosansky et al. 2014)."""

    def more(self, look: Look) -> Mask:
        """Mark the best response."""
        return look.best


class AllBest:
    """Every best response: all actions that are as good as the best one, where a best response comes."""

    def more(self, look: Look) -> Mask:
        """Mark what some best response plays."""
        return look.best | (look.within(_TIE) & look.at_stake)


class Deviations:
    """The best action of every set where none that is kept is as good, not only where one best response comes.

    Against the opponent's plan, let W(I) be what information set I earns at the best, and K(I) what it does if
    the best of its kept actions is taken before going on at the best; where none is kept, what the default
    earns from there on. Taking the best kept action everywhere is a restricted plan, and loses

        sum over I of p(I) (W(I) - K(I)),    p(I) <= 1 her own probability to come to I

    (the performance difference lemma of Kakade and Langford 2002, from the root down). So whether she comes
    there or not, the best action is added wherever it wins, the smallest losses excepted that are together
    at most a part ``left`` of the gap: what remains of the best response in the whole game. In the words of
    linear programs, all columns with a negative reduced cost come in at once. Those below a threshold wait for
    the gap to shrink: against a plan that is far from an equilibrium, most of them win by accident.
    """

    left = 1 / 8

    def more(self, look: Look) -> Mask:
        """Mark the best actions in sets where her best kept one loses."""
        sequences, side, worth = look.sequences, look.side, look.worth
        best = sequences.best(worth)
        loss = best - np.where(side.entered, sequences.best(worth, side.kept), look.by_default)
        order = np.argsort(loss)
        few = np.searchsorted(np.cumsum(loss[order]), self.left * look.gap, side="right")
        loses = loss > 0
        loses[order[:few]] = False
        sets = sequences.infoset[1:]
        marked = np.append(True, loses[sets] & (worth[1:] >= best[sets]))
        for level in sequences.levels:
            above = sequences.parent[level]
            marked[level] &= marked[above] | side.kept[above]
        # Below the threshold everywhere: what remains is a best response, or the restricted game's inexactness.
        return marked if (marked & ~side.kept).any() else look.best


@lru_cache(maxsize=1)
def rough_equilibrium(form: SequenceForm) -> Plans:
    """Return what some iterations of discounted CFR in the whole game come to."""
    run = DCFR().start(form, Context())
    run.advance(ROUGH_ITERATIONS)
    x, y = run.point()
    return x, y


class Support:
    """The support of a rough equilibrium first, then best responses: our own.

    Some iterations of discounted CFR in the whole game cost less than one linear program, and leave alone
    most of what an equilibrium leaves alone. What they play more than once in ten thousand times is kept from
    the beginning; what is missing then comes as best responses.
    """

    def more(self, look: Look) -> Mask:
        """Mark the best response and what the rough equilibrium plays."""
        return look.best | (rough_equilibrium(look.form)[look.player] > ROUGH_PLAY)


class Several:
    """What any of several policies marks."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        self._policies = policies

    def more(self, look: Look) -> Mask:
        """Mark all of it."""
        marks = [policy.more(look) for policy in self._policies]
        return np.asarray(np.logical_or.reduce(marks))


_HOME = "equipoise.solvers.saddle.expansion"

POLICIES: dict[str, str] = {
    "best-response": f"{_HOME}:PlainResponse",
    "all-best": f"{_HOME}:AllBest",
    "first-action": f"{_HOME}_poker:FirstAction",
    "second-round": f"{_HOME}_poker:SecondRound",
    "support": f"{_HOME}:Support",
    "deviations": f"{_HOME}:Deviations",
}
"""The policies by name, as ``module:class``; several together are joined by ``+``."""

SEEING_ALL = frozenset({"all-best", "deviations"})
"""Those that look at what every sequence earns, not at one best response alone."""


def policy(name: str) -> Policy:
    """Return the policy that ``name`` spells."""
    made = []
    for part in str(name).split("+"):
        if part not in POLICIES:
            raise EquipoiseError(
                f"double-oracle: expand is {name!r}, expected one of {', '.join(POLICIES)}, or several "
                "joined by '+'."
            )
        module, _, own = POLICIES[part].partition(":")
        made.append(getattr(import_module(module), own)())
    return made[0] if len(made) == 1 else Several(made)
