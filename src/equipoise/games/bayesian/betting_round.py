"""One betting round over private signals: who may do what, and who is paid what at every leaf.

A leaf is a path of public actions. There player ``i`` is paid ``lose[i]`` plus, if she is one of the
``contenders``, ``(win[i] - lose[i])`` times her share of the showdown: 1 if her signal is strictly the
best of theirs, 1/k if k of them tie for the best, 0 otherwise. Nothing ties ``win`` and ``lose`` of
different players together, so the payments may be general-sum.

A player's *actions* in the sense of a Bayesian game (Ganzfried and Sandholm 2010, Definition 6) are
her reduced plans: what to do wherever her own earlier actions let her be asked. A plan is named as
in their Appendix C: ``-`` joins an action and what follows it (``bet-fold``), ``/`` joins the answers
to different actions of the others, in the order of the tree (``raise/bet``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, quoted, whole_number
from equipoise.games.trees.extensive import are_payoffs

Floats = NDArray[np.float64]
Better = Literal["low", "high"]
History = tuple[str, ...]


@dataclass(frozen=True)
class Leaf:
    """An end of the round: the path to it, and the payments (see the module's docstring)."""

    path: tuple[tuple[int, str], ...]
    win: tuple[float, ...]
    lose: tuple[float, ...]
    contenders: tuple[int, ...] = ()

    @property
    def history(self) -> History:
        """The actions of the path."""
        return tuple(action for _, action in self.path)


def paid_leaf(path: str, *pay: float) -> Leaf:
    """Return a leaf without a showdown; ``path`` is written ``"P1 bet, P2 fold"``."""
    return Leaf(parse_path(path), tuple(pay), tuple(pay))


def showdown_leaf(
    path: str, win: Sequence[float], lose: Sequence[float], contenders: Sequence[int] | None = None
) -> Leaf:
    """Return a leaf with a showdown between ``contenders`` (players from 0; everybody by default)."""
    who = tuple(range(len(win))) if contenders is None else tuple(contenders)
    return Leaf(parse_path(path), tuple(map(float, win)), tuple(map(float, lose)), who)


def parse_path(text: str) -> tuple[tuple[int, str], ...]:
    """Parse ``"P1 bet, P2 fold"`` to ``((0, "bet"), (1, "fold"))``."""
    steps = []
    for step in text.split(","):
        who, _, action = step.strip().partition(" ")
        player = whole_number(who[1:]) if who[:1] == "P" else None
        if not player or not action.strip():
            raise EquipoiseError(
                f"Path {quoted(text)}: found {quoted(step.strip())}, expected steps such as 'P1 bet'."
            )
        steps.append((player - 1, action.strip()))
    return tuple(steps)


@dataclass(frozen=True)
class BettingRound:
    """A public tree of actions, given by its leaves in tree order.

    ``better`` says which signal wins a showdown; the lower one, by Ganzfried and Sandholm's convention.
    """

    leaves: tuple[Leaf, ...]
    better: Better = "low"

    def __post_init__(self) -> None:
        if not self.leaves:
            raise EquipoiseError("Betting round: found no leaf, expected at least one.")
        if self.better not in ("low", "high"):
            raise EquipoiseError(
                f"Betting round: found better = '{self.better}', expected 'low' or 'high'."
            )
        for leaf in self.leaves:
            where = f"Leaf '{' '.join(leaf.history)}'"
            if not len(leaf.win) == len(leaf.lose) == self.players:
                raise EquipoiseError(
                    f"{where}: found {len(leaf.win)} and {len(leaf.lose)} payments, expected {self.players}."
                )
            if not are_payoffs(leaf.win + leaf.lose):
                raise EquipoiseError(
                    f"{where}: found the payments {leaf.win} and {leaf.lose}, expected finite ones "
                    "between -1e300 and 1e300."
                )
            if any(
                not 0 <= i < self.players for i in (*leaf.contenders, *(i for i, _ in leaf.path))
            ):
                raise EquipoiseError(f"{where}: found a player outside P1 to P{self.players}.")
        self._check_tree()

    def _check_tree(self) -> None:
        """Refuse a history where two players act, a leaf inside the tree, or a leaf given twice."""
        seen: dict[History, int] = {}
        for leaf in self.leaves:
            for depth, (player, _) in enumerate(leaf.path):
                at = leaf.history[:depth]
                if seen.setdefault(at, player) != player:
                    raise EquipoiseError(
                        f"After '{' '.join(at)}': found both P{seen[at] + 1} and P{player + 1} to act, expected one player."
                    )
        ends = [leaf.history for leaf in self.leaves]
        for end in ends:
            if end in seen or ends.count(end) > 1:
                raise EquipoiseError(
                    f"Leaf '{' '.join(end)}': found it twice or with actions after it, expected one leaf."
                )

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.leaves[0].win)

    def scaled(self, factor: float) -> BettingRound:
        """Return the same round with all payments times ``factor``."""
        leaves = tuple(
            replace(
                leaf,
                win=tuple(factor * pay for pay in leaf.win),
                lose=tuple(factor * pay for pay in leaf.lose),
            )
            for leaf in self.leaves
        )
        return replace(self, leaves=leaves)

    @cached_property
    def actions(self) -> dict[History, tuple[int, tuple[str, ...]]]:
        """For every history at which somebody acts: who, and her actions in tree order."""
        table: dict[History, tuple[int, tuple[str, ...]]] = {}
        for leaf in self.leaves:
            for depth, (player, action) in enumerate(leaf.path):
                _, known = table.get(leaf.history[:depth], (player, ()))
                if action not in known:
                    table[leaf.history[:depth]] = (player, (*known, action))
        return table

    @cached_property
    def plans(self) -> tuple[tuple[str, ...], ...]:
        """Names of every player's reduced plans."""
        return tuple(tuple(name for name, _ in self._plans(i, ())) for i in range(self.players))

    @cached_property
    def reach(self) -> tuple[Floats, ...]:
        """For every player, 1 where a plan (row) leads to a leaf (column) if the others let it."""
        matrices = []
        for i in range(self.players):
            matrix = np.zeros((len(self.plans[i]), len(self.leaves)))
            for row, (_, leaves) in enumerate(self._plans(i, ())):
                matrix[row, sorted(leaves)] = 1.0
            matrices.append(matrix)
        return tuple(matrices)

    @cached_property
    def win(self) -> Floats:
        """Payment of every player (column) at every leaf (row) if she wins the showdown alone."""
        return np.array([leaf.win for leaf in self.leaves])

    @cached_property
    def lose(self) -> Floats:
        """Payment of every player at every leaf if she loses the showdown, or there is none."""
        return np.array([leaf.lose for leaf in self.leaves])

    @cached_property
    def span(self) -> float:
        """Largest minus smallest payment: M of Ganzfried and Sandholm's Equation 3."""
        return float(max(self.win.max(), self.lose.max()) - min(self.win.min(), self.lose.min()))

    @cached_property
    def constant_sum(self) -> float | None:
        """What the payments of all players always add up to, or ``None`` if that varies."""
        sums = []
        for leaf in self.leaves:
            base = sum(leaf.lose)
            sums += [base + leaf.win[i] - leaf.lose[i] for i in leaf.contenders] or [base]
        size = max(abs(pay) for leaf in self.leaves for pay in (*leaf.win, *leaf.lose))
        return float(np.mean(sums)) if np.ptp(sums) <= 1e-12 * size else None

    def plan_of(self, player: int, choice: Mapping[History, str]) -> str:
        """Name the reduced plan of ``player`` that takes ``choice[h]`` at every history h of hers."""
        ((name, _),) = self._plans(player, (), choice)
        return name

    def _plans(
        self, player: int, at: History, choice: Mapping[History, str] | None = None
    ) -> list[tuple[str, set[int]]]:
        """Return name and leaves of every reduced plan of ``player`` in the subtree ``at``."""
        if at not in self.actions:
            return [("", {next(k for k, leaf in enumerate(self.leaves) if leaf.history == at)})]
        acting, actions = self.actions[at]
        if acting == player:
            taken = actions if choice is None else (choice[at],)
            below = [(a, self._plans(player, (*at, a), choice)) for a in taken]
            return [(_join(a, rest), leaves) for a, plans in below for rest, leaves in plans]
        combined = []
        for parts in product(*(self._plans(player, (*at, a), choice) for a in actions)):
            name = "/".join(part for part, _ in parts if part)
            combined.append((name, set().union(*(leaves for _, leaves in parts))))
        return combined


@cache
def shares(players: int) -> tuple[tuple[float, float], ...]:
    """Return points z and weights that make Σ weight · Π_j (W_j + z T_j) the expected share of a showdown.

    With probabilities W_j that contender j has a worse signal and T_j that she has the same one, the
    share is ∫₀¹ Π_j (W_j + z T_j) dz: the integral of z^k is the share 1/(k+1) of one who ties with k
    others. Gauss's rule integrates the polynomial exactly.
    """
    nodes, weights = np.polynomial.legendre.leggauss((players + 1) // 2)
    return tuple(zip((0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist(), strict=True))


def _join(action: str, rest: str) -> str:
    """Name a plan that takes ``action`` and then follows ``rest``."""
    if not rest:
        return action
    return f"{action}-({rest})" if "/" in rest else f"{action}-{rest}"


def bet_or_check(pot: float = 1.0) -> BettingRound:
    """Return the motivating game of section 3: player 1 bets 1 or checks, player 2 calls or folds."""
    return BettingRound(
        (
            showdown_leaf("P1 bet, P2 call", win=(pot + 1, pot + 1), lose=(-1, -1)),
            paid_leaf("P1 bet, P2 fold", pot, 0.0),
            showdown_leaf("P1 check", win=(pot, pot), lose=(0, 0)),
        )
    )


def river(pot: float = 1.0) -> BettingRound:
    """Return the river game of section 8.2: one bet and one raise, each of 1, no check-raise."""
    return BettingRound(
        (
            showdown_leaf("P1 bet, P2 raise, P1 call", win=(pot + 2, pot + 2), lose=(-2, -2)),
            paid_leaf("P1 bet, P2 raise, P1 fold", -1.0, pot + 1),
            showdown_leaf("P1 bet, P2 call", win=(pot + 1, pot + 1), lose=(-1, -1)),
            paid_leaf("P1 bet, P2 fold", pot, 0.0),
            showdown_leaf("P1 check, P2 bet, P1 call", win=(pot + 1, pot + 1), lose=(-1, -1)),
            paid_leaf("P1 check, P2 bet, P1 fold", 0.0, pot),
            showdown_leaf("P1 check, P2 check", win=(pot, pot), lose=(0, 0)),
        )
    )


def kuhn_round(better: Better = "high") -> BettingRound:
    """Return Kuhn poker's betting (section 8.1): antes of 1, one bet of 1."""
    return BettingRound(
        (
            showdown_leaf("P1 bet, P2 call", win=(2, 2), lose=(-2, -2)),
            paid_leaf("P1 bet, P2 fold", 1.0, -1.0),
            showdown_leaf("P1 check, P2 bet, P1 call", win=(2, 2), lose=(-2, -2)),
            paid_leaf("P1 check, P2 bet, P1 fold", -1.0, 1.0),
            showdown_leaf("P1 check, P2 check", win=(1, 1), lose=(-1, -1)),
        ),
        better,
    )


def raise_or_fold() -> BettingRound:
    """Return the three-player game of section 8.3: blinds 0, 1 and 2, raise to 4 or fold."""
    return BettingRound(
        (
            showdown_leaf("P1 raise, P2 call, P3 call", win=(8, 8, 8), lose=(-4, -4, -4)),
            showdown_leaf(
                "P1 raise, P2 call, P3 fold", win=(6, 6, -2), lose=(-4, -4, -2), contenders=(0, 1)
            ),
            showdown_leaf(
                "P1 raise, P2 fold, P3 call", win=(5, -1, 5), lose=(-4, -1, -4), contenders=(0, 2)
            ),
            paid_leaf("P1 raise, P2 fold, P3 fold", 3.0, -1.0, -2.0),
            showdown_leaf(
                "P1 fold, P2 raise, P3 call", win=(0, 4, 4), lose=(0, -4, -4), contenders=(1, 2)
            ),
            paid_leaf("P1 fold, P2 raise, P3 fold", 0.0, 2.0, -2.0),
            paid_leaf("P1 fold, P2 fold", 0.0, -1.0, 1.0),
        )
    )
