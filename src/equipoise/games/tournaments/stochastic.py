"""Stochastic games without discounting: states, decisions under private information, prizes at the end.

In every state each player p makes at most one decision for every thing he may see; then one of finitely
many *outcomes* occurs, which ends the game with prizes or leads to another state. A *node* is a state
seen by one player, ``state * players + player``; values live on nodes.

Everything that solvers and certificates need is linear in the *likelihoods*: L[s, k, h] is the
probability that, in state s, private signal h is dealt, the others bring about the decision, and the
slot's outcome occurs if the slot's action is taken. Slots k list (action, outcome) pairs, grouped by
action; actions are grouped by decision, decisions by player. What a player can do against fixed
strategies of the others is a decision process over his nodes (:class:`Induced`), whatever the game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from equipoise.errors import EquipoiseError
from equipoise.numerics.mdp import Chain, Check, Values, never

Profile = NDArray[np.float64]
"""Probabilities x[s, c, h] of action c in state s with signal h; those of one decision sum to one."""

_TIE = 1e-12
"""Differences below this share of the largest prize are rounding, and count as ties."""


@dataclass(frozen=True, eq=False)
class StochasticGame(ABC):
    """The common part of all such games.

    Attributes
    ----------
    players, states, signals
        Their numbers.
    owner
        The player who makes each decision.
    decision_of
        The decision that each action belongs to.
    slot_action, slot_outcome
        The action and outcome of each slot; slots are sorted by action.
    outcomes
        Number of outcomes of a state.
    legal
        Whether each action may be taken in each state.
    successors, prizes
        After outcome o of state s, row ``(s * outcomes + o) * players + p``: player p is next at the
        nodes in ``successors`` with these probabilities, and receives ``prizes`` on average if not.
    """

    players: int
    states: int
    signals: int
    owner: NDArray[np.int64]
    decision_of: NDArray[np.int64]
    slot_action: NDArray[np.int64]
    slot_outcome: NDArray[np.int64]
    outcomes: int
    legal: NDArray[np.bool_] = field(repr=False)
    successors: csr_matrix = field(repr=False)
    prizes: Values = field(repr=False)

    @abstractmethod
    def likelihoods(
        self, profile: Profile, check: Check = never
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return L[s, k, h], and rest[s, p, o]: how often o occurs without a decision of p.

        Where that takes long, ``check`` is called now and then, and may raise to end it.
        """

    @property
    def nodes(self) -> int:
        """Number of nodes: a state seen by a player."""
        return self.states * self.players

    @cached_property
    def decisions(self) -> int:
        """Number of decisions in a state."""
        return len(self.owner)

    @cached_property
    def first_action(self) -> NDArray[np.int64]:
        """The first action of each decision."""
        return np.searchsorted(self.decision_of, np.arange(self.decisions))

    @cached_property
    def stake(self) -> float:
        """The largest prize."""
        return float(self.prizes.max(initial=0.0)) or 1.0

    def uniform(self) -> Profile:
        """Return the profile that plays every legal action equally often."""
        legal = self.legal.astype(np.float64)
        counts = np.add.reduceat(legal, self.first_action, axis=1)
        shares = legal / counts[:, self.decision_of]
        return np.repeat(shares[:, :, None], self.signals, axis=2)

    def payoffs(self, values: Values) -> NDArray[np.float64]:
        """Return v[s, o, p]: what outcome o is worth to player p if nodes are worth ``values``."""
        worth = self.successors @ values + self.prizes
        return np.asarray(worth).reshape(self.states, self.outcomes, self.players)

    def action_values(
        self, likelihood: NDArray[Any], payoffs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return u[s, c, h]: what action c contributes to its owner's value, taken with signal h.

        ``likelihood`` and ``payoffs`` may be of some states only.
        """
        owners = self.owner[self.decision_of[self.slot_action]]
        weighted = likelihood * payoffs[:, self.slot_outcome, owners][:, :, None]
        starts = np.searchsorted(self.slot_action, np.arange(len(self.decision_of)))
        return np.asarray(np.add.reduceat(weighted, starts, axis=1), dtype=np.float64)

    def gains(
        self, worth: NDArray[np.float64], profile: Profile, legal: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return what each player gains at most, [s, p], in one round with these action values."""
        best = np.maximum.reduceat(
            np.where(legal[:, :, None], worth, -np.inf), self.first_action, axis=1
        )
        earned = np.add.reduceat(worth * profile, self.first_action, axis=1)
        by_decision = (best - earned).sum(axis=2)
        starts = np.searchsorted(self.owner, np.arange(self.players))
        return np.asarray(np.add.reduceat(by_decision, starts, axis=1))

    def induced(self, profile: Profile, check: Check = never) -> Induced:
        """Return what every player can do alone against ``profile``."""
        return Induced(self, *self.likelihoods(profile, check))

    def require(self, profile: Profile) -> None:
        """Raise unless ``profile`` is one of this game."""
        shape = (self.states, len(self.decision_of), self.signals)
        if profile.shape != shape:
            raise EquipoiseError(f"Profile: found shape {profile.shape}, expected {shape}.")
        sums = np.add.reduceat(profile, self.first_action, axis=1)
        illegal = np.where(self.legal[:, :, None], 0.0, profile).any()
        if not (profile >= 0).all() or not np.allclose(sums, 1.0, atol=1e-6) or illegal:
            raise EquipoiseError(
                "Profile: found probabilities that are negative, do not sum to one or belong to "
                "forbidden actions, expected a distribution for every decision."
            )


@dataclass(frozen=True, eq=False)
class Induced:
    """The decision processes that a profile leaves to the players, one by one, as one process.

    Nodes of different players do not mix, so a policy for all nodes at once is a profile: each player
    follows his part of it while the others keep to the profile that was given.
    """

    game: StochasticGame
    likelihood: NDArray[Any]
    rest: NDArray[Any]

    def worth(self, values: Values) -> NDArray[np.float64]:
        """Return u[s, c, h]: what action c contributes to its owner's value, taken with signal h."""
        return self.game.action_values(self.likelihood, self.game.payoffs(values))

    def response(self, values: Values, keep: Profile) -> Profile:
        """Return best actions for ``values``; where ``keep`` is as good, it is kept."""
        game = self.game
        worth = np.where(game.legal[:, :, None], self.worth(values), -np.inf)
        policy = np.zeros_like(keep)
        for first, last in zip(
            game.first_action, [*game.first_action[1:], len(game.decision_of)], strict=True
        ):
            own, kept = worth[:, first:last], keep[:, first:last]
            best = own.max(axis=1)
            earned = (np.where(kept > 0, own, 0.0) * kept).sum(axis=1)
            is_tie = (best - earned <= _TIE * game.stake)[:, None]
            pure = np.arange(last - first)[None, :, None] == own.argmax(axis=1)[:, None]
            policy[:, first:last] = np.where(is_tie, kept, pure)
        return policy

    def outcome_chances(self, policy: Profile) -> NDArray[np.float64]:
        """Return how often each outcome occurs, [s, p, o], if player p follows ``policy``."""
        game = self.game
        by_slot = np.einsum("skh,skh->sk", policy[:, game.slot_action], self.likelihood)
        chances = np.array(self.rest, dtype=np.float64)
        owners = game.owner[game.decision_of[game.slot_action]]
        for slot, (player, outcome) in enumerate(zip(owners, game.slot_outcome, strict=True)):
            chances[:, player, outcome] += by_slot[:, slot]
        return chances

    def chain(self, policy: Profile) -> Chain:
        """Return Q and r over nodes, for :mod:`equipoise.numerics.mdp`."""
        game = self.game
        chances = self.outcome_chances(policy)
        states, players, outcomes = np.indices(chances.shape)
        rows = (states * game.players + players).ravel()
        columns = ((states * game.outcomes + outcomes) * game.players + players).ravel()
        shape = (game.nodes, game.states * game.outcomes * game.players)
        step = csr_matrix((chances.ravel(), (rows, columns)), shape=shape)
        Q = step @ game.successors
        Q.eliminate_zeros()
        return Q, step @ game.prizes


class ExplicitGame(StochasticGame):
    """A small stochastic game of complete information, written down by hand.

    Each state is a table: for every joint action, where the game goes, or the prizes it ends with.
    """

    @classmethod
    def of(cls, tables: Sequence[Any], actions: Sequence[int]) -> ExplicitGame:
        """Build from ``tables[state]``, nested lists over the players' actions.

        An entry is the number of the next state, or a list with one prize for every player.
        """
        players, joint = len(actions), list(product(*(range(n) for n in actions)))
        decision_of = np.repeat(np.arange(players), actions)
        first = np.concatenate([[0], np.cumsum(actions)[:-1]])
        slots = sorted(
            (int(first[p]) + a[p], o) for o, a in enumerate(joint) for p in range(players)
        )
        rows, columns, prizes = [], [], np.zeros((len(tables), len(joint), players))
        for s, o in product(range(len(tables)), range(len(joint))):
            entry: Any = tables[s]
            for action in joint[o]:
                entry = entry[action]
            if isinstance(entry, int):
                if not 0 <= entry < len(tables):
                    raise EquipoiseError(
                        f"State {s}: found next state {entry}, expected one of {len(tables)} states."
                    )
                rows += [(s * len(joint) + o) * players + p for p in range(players)]
                columns += [entry * players + p for p in range(players)]
            else:
                prizes[s, o] = _prizes(entry, players, s)
        shape = (prizes.size, len(tables) * players)
        return cls(
            players=players,
            states=len(tables),
            signals=1,
            owner=np.arange(players),
            decision_of=decision_of,
            slot_action=np.array([action for action, _ in slots]),
            slot_outcome=np.array([outcome for _, outcome in slots]),
            outcomes=len(joint),
            legal=np.ones((len(tables), len(decision_of)), dtype=bool),
            successors=csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape),
            prizes=prizes.ravel(),
        )

    def likelihoods(
        self, profile: Profile, check: Check = never
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the chances of joint actions with one player's own factor left out."""
        chances = profile[:, :, 0]
        members = [self.slot_action[self.slot_outcome == o] for o in range(self.outcomes)]
        likelihood = np.ones((self.states, len(self.slot_action), 1))
        for slot, (action, outcome) in enumerate(
            zip(self.slot_action, self.slot_outcome, strict=True)
        ):
            for other in members[outcome]:
                if other != action:
                    likelihood[:, slot, 0] *= chances[:, other]
        return likelihood, np.zeros((self.states, self.players, self.outcomes))


def hot_potato(players: int = 3) -> ExplicitGame:
    """Return a game in which whose turn it is ends it, for 2 to him and 1 to others, or passes it on.

    Ending is all there is to be won. But if everybody believes every state to be worth 3 to him,
    passing on is an equilibrium of every state, and keeps the belief alive for ever.
    """
    tables = []
    for turn in range(players):
        table = np.empty((2,) * players, dtype=object)
        for joint in product(range(2), repeat=players):
            ended = [2 if p == turn else 1 for p in range(players)]
            table[joint] = ended if joint[turn] else (turn + 1) % players
        tables.append(table.tolist())
    return ExplicitGame.of(tables, [2] * players)


def _prizes(entry: ArrayLike, players: int, state: int) -> NDArray[np.float64]:
    """Return the prizes that ``entry`` names, one for every player and none negative."""
    prizes = np.asarray(entry, dtype=np.float64)
    if prizes.shape != (players,) or not (prizes >= 0).all():
        raise EquipoiseError(
            f"State {state}: found {entry!r}, expected a state or {players} prizes >= 0."
        )
    return prizes
