"""The ex-post check: what a player could gain in a tournament by deviating for ever.

Against fixed strategies of the others a player faces a decision process without discounting: his own
positions in every state, with two players left as well as three. It is solved exactly, by policy
iteration with minimal solutions (Ganzfried and Sandholm 2009, section 4), from rules and strategies alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equipoise.cards.showdown import three_way
from equipoise.certificates.certificate import Certificate
from equipoise.games.tournaments.contraction import CALL_JAM_S, DEALS, JAM_S, pair_table
from equipoise.games.tournaments.jamfold import JamFold, tournament_game
from equipoise.games.tournaments.stochastic import Induced, Profile, StochasticGame
from equipoise.games.tournaments.tournament import Hands, Tournament, outcomes
from equipoise.numerics.mdp import Values, minimal_solution, policy_iteration
from equipoise.strategy.tournament import TournamentStrategy

_EXACT = 1e-10
"""Decision processes are solved to this share of the largest prize."""


@dataclass(frozen=True, eq=False)
class ExPost:
    """What nodes are worth under a profile, and at best.

    Attributes
    ----------
    values, best
        By node: under the profile, and if the node's player deviates as well as he can.
    """

    values: Values
    best: Values

    @property
    def gains(self) -> Values:
        """What deviating adds, by node."""
        return np.maximum(self.best - self.values, 0.0)

    @property
    def gain(self) -> float:
        """The most that any player can gain at any state."""
        return float(self.gains.max(initial=0.0))


@dataclass(frozen=True, eq=False, repr=False)
class TournamentCertificate(Certificate):
    """The check of a tournament's strategy, by players left, with what its tables may be off.

    Values, best responses and gains are by position, where all players have equal stacks, as far as
    units allow; the gap is the most that any player can gain at *any* state.

    Attributes
    ----------
    parts
        Values and best responses at every node with so many players left.
    error
        Bound on the error of any value that comes from the table of three hands.
    pool
        The sum of all prizes.
    """

    parts: dict[int, ExPost] = field(default_factory=dict)
    error: float = 0.0
    pool: float = 1.0

    @classmethod
    def of(
        cls, tournament: Tournament, parts: dict[int, ExPost], error: float
    ) -> TournamentCertificate:
        """Wrap up the check of a strategy of ``tournament``."""
        m = tournament.players
        state = Hands(tournament, m).number[tournament.equal_stacks]
        nodes, top = slice(state * m, (state + 1) * m), parts[m]
        values, best, gains = (
            tuple(numbers[nodes].tolist()) for numbers in (top.values, top.best, top.gains)
        )
        return cls(values, best, gains, parts=parts, error=error, pool=tournament.pool)

    @property
    def gap(self) -> float:
        """The most that any player can gain at any state, in money."""
        return max(part.gain for part in self.parts.values())

    @property
    def gain(self) -> float:
        """The same under the name that it has in the literature."""
        return self.gap

    @property
    def share(self) -> float:
        """The same as a share of the prize pool."""
        return self.gap / self.pool

    def meets(self, target: float | tuple[float, ...], allowance: float = 0.0) -> bool:
        """Say whether no player gains more than ``target``, at any state."""
        most = min(target) if isinstance(target, tuple) else target
        return self.gap <= most + allowance

    def summary(self) -> dict[str, Any]:
        """Return the certificate in the words of the JSON objects that commands print."""
        return {
            "values": self.values,
            "gains": self.gains,
            "gap": self.gap,
            "gain": self.gain,
            "share": self.share,
            "table_error": self.error,
        }


def ex_post(game: StochasticGame, profile: Profile) -> ExPost:
    """Return values and best responses to ``profile`` in a stochastic game."""
    game.require(profile)
    induced = game.induced(profile)
    return ExPost(_values(induced, profile), _best(induced, profile))


def certify_tournament(strategy: TournamentStrategy) -> TournamentCertificate:
    """Check ``strategy``: what is best with fewer players left is part of what is best with more."""
    parts: dict[int, ExPost] = {}
    error = 0.0
    for m, plays in sorted(strategy.plays.items()):
        game = tournament_game(Hands(strategy.tournament, m))
        profile = game.profile(plays)
        game.require(profile)
        induced = game.induced(profile)
        if m == 2:
            parts[m] = ExPost(_values(induced, profile), _best(induced, profile))
            continue
        played, deviating = (
            replace(induced, game=game.after(fewer))
            for fewer in (parts[m - 1].values, parts[m - 1].best)
        )
        parts[m] = ExPost(_values(played, profile), _best(deviating, profile))
        error = _table_error(game, played, profile, parts[m].values)
    return TournamentCertificate.of(strategy.tournament, parts, error)


def _table_error(game: JamFold, induced: Induced, profile: Profile, values: Values) -> float:
    """Bound the error of any value that comes from the table of three hands.

    A distribution at distance t from the true one is off by at most t times the range of payoffs. In
    one hand the table is used for the deals in which two or three players are in; in those in which S
    calls D once more, for what B would have done; and in those in which S and B would have met, had D
    not jammed. Errors of hands add up along the chain.
    """
    ways, plays = outcomes(3), game.plays(profile)
    chances = induced.outcome_chances(profile)[:, 0]
    uses = np.array([(len(way.inside) > 1) + ({0, 1} <= set(way.inside)) for way in ways])
    meets = np.array([way.inside == (1, 2) for way in ways])
    could_meet = np.einsum("sj,jk,sk->s", plays[:, JAM_S], pair_table(3)[0], plays[:, CALL_JAM_S])
    weight = chances @ uses + could_meet / DEALS[3] - chances @ meets
    payoffs = induced.game.payoffs(values)
    spread = payoffs.max(axis=1) - payoffs.min(axis=1)
    each = three_way().distance * weight[:, None] * spread
    Q, _ = induced.chain(profile)
    return float(minimal_solution(Q, each.ravel()).max())


def _values(induced: Induced, profile: Profile) -> Values:
    """Return what nodes are worth if everybody follows ``profile``."""
    return minimal_solution(*induced.chain(profile))


def _best(induced: Induced, profile: Profile) -> Values:
    """Return what nodes are worth if their player deviates as well as he can."""
    return policy_iteration(induced, profile, _EXACT * induced.game.stake).values
