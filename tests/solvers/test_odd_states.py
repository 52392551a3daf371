"""Checkpoints whose numbers are nonsense: every method goes on to a result, or says so in a sentence."""

import numpy as np
import pytest
from tests.solvers.test_methods import AROUND

from equipoise.errors import EquipoiseError
from equipoise.games.trees.classic import kuhn
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap, Iterations, Time
from equipoise.solvers.methods import METHODS, method

# Of these arrays an entry is a count or a size of its own, not one of many alike.
FEW = 8
NONSENSE = (-1, 0, 0.5, 1000, -1e300, 1e300, 2.0**62, np.inf)


@pytest.fixture(scope="module")
def form():
    return build(kuhn())


def spoiled(state):
    """Yield ``state`` with one number of its short arrays replaced by nonsense."""
    for name, array in state.items():
        if not name.startswith(("run.", "run_counters")) or array.size > FEW:
            continue
        for at in range(array.size):
            for number in NONSENSE:
                with np.errstate(all="ignore"):
                    flat = array.reshape(-1).copy()
                    flat[at] = np.float64(number).astype(flat.dtype)
                yield f"{name}[{at}] = {number}", {**state, name: flat.reshape(array.shape)}


def refusal(form, name, state):
    """Return the sentence with which ``state`` is refused, or one that is right where it is not."""
    try:
        with np.errstate(all="ignore"):
            solve(form, method(name), Gap(0) | Iterations(6) | Time(0.3), resume=state)
    except EquipoiseError as error:
        return str(error)
    return "Checkpoint taken."


@pytest.mark.parametrize("name", [*METHODS, *AROUND])
def test_nonsense_in_a_state(form, name):
    states = []
    solve(form, method(name), Gap(0) | Iterations(4), checkpoint=lambda now: states.append(
        {key: np.array(array) for key, array in now.items()}
    ), checkpoint_seconds=0)  # fmt: skip
    for what, state in spoiled(states[0]):
        assert refusal(form, name, state).startswith("Checkpoint"), what
