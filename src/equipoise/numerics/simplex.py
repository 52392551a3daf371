"""The simplex {q >= 0, sum q = 1}: smoothed maxima and Euclidean projection.

For a prox function psi with centre c the *smoothed maximum* of scores h is

    smax(h) = max_q <h, q> - psi(q),        sargmax(h) = the q that attains it

(Gilpin 2009, equations 8.5 and 8.7). Two prox functions have easy maximisers (Examples 8.3.1 and 8.3.2):

* entropy, psi(q) = sum_i q_i ln(q_i / c_i): sargmax is proportional to c_i exp(h_i);
* Euclidean, psi(q) = 1/2 |q - c|^2: sargmax is the projection of c + h.

With the uniform centre these are Gilpin's. The kernels work in place on contiguous vectors; the
prox functions of treeplexes apply them once for each information set.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import EquipoiseError

Floats = NDArray[np.float64]


def softmax(scores: ArrayLike) -> Floats:
    """Return ``exp(scores)`` scaled to sum to one, without overflow."""
    point = _vector(scores, "softmax")
    soften(point)
    return point


def project(point: ArrayLike) -> Floats:
    """Return the point of the simplex nearest to ``point`` in the Euclidean norm."""
    nearest = _vector(point, "project")
    project_onto(nearest)
    return nearest


def _vector(values: ArrayLike, where: str) -> Floats:
    vector = np.array(values, dtype=np.float64)
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise EquipoiseError(
            f"{where}: found an array of shape {vector.shape}, expected one row of finite numbers."
        )
    return vector


@njit(cache=True)
def soften(h: Any) -> Any:
    """Replace the scores ``h`` by their softmax and return ``ln sum exp(h)``."""
    largest = h[0]
    for i in range(1, len(h)):
        largest = max(largest, h[i])
    total = 0.0
    for i in range(len(h)):
        h[i] = math.exp(h[i] - largest)
        total += h[i]
    for i in range(len(h)):
        h[i] /= total
    return largest + math.log(total)


@njit(cache=True)
def project_onto(p: Any) -> None:
    """Replace ``p`` by its projection onto the simplex: max(p - level, 0), the parts summing to one.

    The level rises from that of all components to that of those above it, until none drops out
    (Michelot 1986): the level of Gilpin 2009, section 8.4.4, in a few passes and without sorting.
    """
    # Shifting all components moves only the level; it keeps large scores from losing digits.
    largest = p[0]
    for i in range(1, len(p)):
        largest = max(largest, p[i])
    total = 0.0
    for i in range(len(p)):
        p[i] -= largest
        total += p[i]
    active, kept = len(p) + 1, len(p)
    level = 0.0
    # In exact arithmetic the components above the level only drop out; where rounding lets one
    # back in, it sits on the level, and the last level is the answer.
    while 0 < kept < active:
        active = kept
        level = (total - 1.0) / active
        total = 0.0
        kept = 0
        for i in range(len(p)):
            if p[i] > level:
                total += p[i]
                kept += 1
    for i in range(len(p)):
        p[i] = max(p[i] - level, 0.0)
