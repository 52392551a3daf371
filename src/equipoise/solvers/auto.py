"""Choosing a method.

:func:`choose` is ``--method auto``. On a tree it merges first, unless it soon sees that little would
be gained. Then, up to sizes that were measured, one linear program (simplex for small games, interior point for fine gaps in larger ones)
is faster than any first-order method; beyond them discounted CFR is. Simplex stays ahead of interior point
longer where sequences have few payoffs each (liar's dice: three). Where the program is large and an
equilibrium plays little of it, a double oracle is ahead of both: some iterations of discounted CFR, a
twentieth of the program's time or less, tell how much is played, and are where it begins. A game with signals, too, is
one linear program while it is small. Beyond that its payoff is never written out, and the method is
discounted CFR in single precision, or in double if the target is too fine for that, with an average
that forgets faster than usual: on Rhode Island Hold'em, gamma = 4 leaves a fifth less gap than 2 from
200 iterations on.
"""

from __future__ import annotations

import numpy as np

from equipoise.sequence.build import SequenceForm
from equipoise.sequence.reductions.merge import shrink
from equipoise.solvers.base import Method
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.expansion import ROUGH_PLAY, rough_equilibrium
from equipoise.solvers.saddle.lp import LP
from equipoise.solvers.saddle.lp_dense import DenseLP
from equipoise.solvers.saddle.oracle import DoubleOracle
from equipoise.solvers.saddle.reduced import Reduced

TINY = 200  # payoffs up to which a program is solved sooner than made smaller, or handed to HiGHS
TINY_SEQUENCES = 400  # and sequences: beyond, a dense dictionary is no longer small
WORTH = 0.9  # share of the sequences above which merging the others is not worth its time
SIMPLEX_NONZEROS = 20_000
IPX_NONZEROS = 300_000
SPARSE = 4.0  # payoffs a sequence, up to which simplex stays ahead of interior point
FEW = (
    0.2  # share of the sequences in play up to which a double oracle is ahead (docs/benchmarks.md)
)
ROUGH = 1e-4
ROUGHEST = 5e-4  # liar's dice: 0.2 s to it by dcfr, 1.4 s by simplex
SINGLE_PRECISION = 1e-6
GAMMA = 4.0


def choose(form: SequenceForm, target: float) -> tuple[Method, str]:
    """Return the method that ``auto`` picks for ``form`` and a gap of ``target``, and why.

    What is chosen depends on the target beside what is at stake, never on the units of either.
    """
    if form.A.stored is None:
        return _choose_factored(form, target)
    if form.A.nonzeros <= TINY:
        method, why = _choose_sparse(form, target)
        return method, f"{_entries(form)}: {why}"
    small = shrink(form, WORTH)
    method, why = _choose_sparse(small.form, target)
    if small.form is form:
        return method, f"{_entries(form)}, few to be merged: {why}"
    left = f"{small.form.A.nonzeros:,} after merging what plays the same part"
    return Reduced.to(small, method), f"{_entries(form)}, {left}: {why}"


def _entries(form: SequenceForm) -> str:
    """Return the size of ``form`` in words."""
    count = form.A.nonzeros
    few = {0: "no payoff entries", 1: "1 payoff entry"}
    return few.get(count, f"{count:,} payoff entries")


def _choose_sparse(form: SequenceForm, target: float) -> tuple[Method, str]:
    """Choose between two linear programs and CFR for a tree."""
    size = form.A.nonzeros
    sequences = form.X.size + form.Y.size
    a_sequence = size / sequences
    if size <= TINY and sequences <= TINY_SEQUENCES:
        return DenseLP(), "a dense simplex method is fastest, and exact"
    if size > SIMPLEX_NONZEROS and target >= ROUGHEST * form.units.stake:
        return DCFR(), "for so rough a gap, discounted CFR is faster than a linear program"
    if SIMPLEX_NONZEROS < size <= IPX_NONZEROS and (played := _played(form)) <= FEW:
        why = f"{played:.0%} of the sequences are played: a double oracle is fastest, and exact"
        return DoubleOracle(), why
    if size <= SIMPLEX_NONZEROS or (size <= IPX_NONZEROS and a_sequence <= SPARSE):
        return LP(), "one linear program is fastest, and exact"
    if size <= IPX_NONZEROS and target < ROUGH * form.units.stake:
        return LP("ipx"), "for so fine a gap, an interior-point linear program is fastest"
    return DCFR(), "discounted CFR is faster than a linear program"


def _played(form: SequenceForm) -> float:
    """Return the share of both players' sequences that a rough equilibrium plays."""
    return float(np.mean(np.concatenate(rough_equilibrium(form)) > ROUGH_PLAY))


def _choose_factored(form: SequenceForm, target: float) -> tuple[Method, str]:
    """Choose between a linear program and two precisions for a game with signals."""
    if max(form.A.shape) <= SIMPLEX_NONZEROS and form.A.nonzeros <= SIMPLEX_NONZEROS:
        return LP(), f"{_entries(form)}: one linear program is fastest, and exact"
    if target >= SINGLE_PRECISION * form.units.stake:
        return DCFR("float32", GAMMA), "a game with signals: discounted CFR in single precision"
    why = "a game with signals and a fine target: discounted CFR in double precision"
    return DCFR(gamma=GAMMA), why
