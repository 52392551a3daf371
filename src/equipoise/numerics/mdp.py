"""Markov decision processes without discounting, whose rewards are nonnegative and end the process.

A policy makes a chain: from node n the process goes to m with probability Q[n, m], or ends with an
expected reward r[n]. Its value is the *minimal* nonnegative solution of V = Q V + r: a chain that can
circle for ever without ending earns nothing there, although any constant would solve the equations
(Puterman 1994, section 7.2; Ganzfried and Sandholm 2009, section 5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix, identity
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

Values = NDArray[np.float64]
Chain = tuple[csr_matrix, Values]
Policy = TypeVar("Policy")

Check = Callable[[], None]
"""Asked between the parts of a long computation; it raises to end it."""

_ROUNDS = 1000


def never() -> None:
    """Let a computation take the time that it takes."""


class Process(Protocol[Policy]):
    """A decision process, known by what policies do in it."""

    def chain(self, policy: Policy) -> Chain:
        """Return Q and r of ``policy``."""

    def response(self, values: Values, keep: Policy) -> Policy:
        """Return a policy that is greedy for ``values``, and as ``keep`` wherever that is too."""


@dataclass(frozen=True, eq=False)
class Optimum(Generic[Policy]):
    """A best policy, its values, and the number of rounds it took."""

    policy: Policy
    values: Values
    rounds: int


def minimal_solution(Q: csr_matrix, r: Values) -> Values:
    """Return the least nonnegative solution of V = Q V + r: zero wherever no reward can be reached."""
    size = len(r)
    # From a source that leads to every rewarding node, backwards along the chain.
    backwards = _with_source(Q.T.tocsr(), np.flatnonzero(r))
    reached = breadth_first_order(backwards, size, return_predecessors=False)
    alive = np.sort(reached[reached < size])
    values = np.zeros(size)
    if len(alive):
        system = identity(len(alive), format="csc") - csc_matrix(Q[alive][:, alive])
        values[alive] = splu(system).solve(r[alive])
    return values


def policy_iteration(
    process: Process[Policy], start: Policy, tolerance: float, *, check: Check = never
) -> Optimum[Policy]:
    """Improve ``start`` until no value rises by more than ``tolerance``.

    Values are minimal solutions and ties keep the present action, without which a policy of circling
    for ever could look as good as the value it never collects.
    """
    policy, values = start, minimal_solution(*process.chain(start))
    for rounds in range(1, _ROUNDS):
        check()
        better = process.response(values, policy)
        improved = minimal_solution(*process.chain(better))
        if (improved - values).max(initial=0.0) <= tolerance:
            return Optimum(policy, values, rounds)
        policy, values = better, improved
    return Optimum(policy, values, _ROUNDS)


def value_iteration(
    process: Process[Policy],
    start: Policy,
    values: Values,
    tolerance: float,
    *,
    check: Check = never,
) -> Optimum[Policy]:
    """Apply the greedy backup V <- max (Q V + r) until no value changes by more than ``tolerance``.

    ``values`` must be pessimistic, at most the optimal ones (those of any policy are): then the
    backups rise to the optimum. From optimistic values they may stop above it.
    """
    policy = start
    for rounds in range(1, _ROUNDS):
        check()
        policy = process.response(values, policy)
        Q, r = process.chain(policy)
        backup = Q @ values + r
        change = float(np.abs(backup - values).max(initial=0.0))
        values = backup
        if change <= tolerance:
            return Optimum(policy, values, rounds)
    return Optimum(policy, values, _ROUNDS)


def _with_source(backwards: csr_matrix, targets: NDArray[Any]) -> csr_matrix:
    """Return the graph with one more node, last, that leads to ``targets``."""
    size = backwards.shape[0]
    edges = backwards.tocoo()
    rows = np.concatenate([edges.row, np.full(len(targets), size)])
    columns = np.concatenate([edges.col, targets])
    return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(size + 1, size + 1))
