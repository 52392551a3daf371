"""Methods by name: each row runs, spells its own name, and refuses what it does not know."""

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.classic import kuhn
from equipoise.sequence.build import build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.methods import METHODS, method

AROUND = [
    "shrink:egt",
    "sampling:egt",
    "sampling(proportion=0.2):smoothing",
    "static(proportion=0.5):dcfr",
    "egt(weights=kroer,balance=0)",
    "iterated-smoothing(gamma=3.0)",
]


@pytest.mark.parametrize("name", [*METHODS, *AROUND])
def test_every_named_method_runs_and_spells_its_name(name):
    made = method(name)
    assert made.name == name
    assert method(made.name) == made
    solution = solve(build(kuhn()), made, Gap(1e-3) | Iterations(30))
    assert solution.method == name
    assert solution.lower <= -1 / 18 + 1e-9
    assert solution.upper >= -1 / 18 - 1e-9


def test_pairs_and_infinities_can_be_given():
    made = method("cfr(alpha=(1,3),beta=-inf)")
    assert (made.alpha, made.beta) == ((1, 3), float("-inf"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("egtt", "did you mean 'egt'"),
        ("egt(", "is unknown"),
        ("egt(3)", "expected name=value"),
        ("egt(balance=1+2)", "expected name=value"),
        ("egt(heuristics=False)", "expected one of prox, weights, aggressive, balance, growth"),
        ("egt-kroer(weights=dge)", "found option 'weights'"),
        ("egt(weights=kroehr)", "expected one of seed, kroer, dge|with one of seed, kroer, dge"),
        ("egt(prox=entropic)", "expected one of entropy, euclidean"),
        ("egt(balance=-1)", "balance is -1"),
        ("egt(aggressive=2)", "expected True or False"),
        ("egt(growth=0.5)", "growth is 0.5, expected a number >= 1"),
        ("smoothing(epsilon=-1)", "epsilon is -1"),
        ("smoothing(epsilon=nan)", "epsilon is nan"),
        ("smoothing(epsilon=tiny)", "epsilon is 'tiny'"),
        ("smoothing(metric=l3)", "metric is 'l3'"),
        ("smoothing(boost=0.5)", "boost is 0.5"),
        ("smoothing(backtrack=1)", "backtrack is 1"),
        ("iterated-smoothing(gamma=1.0)", "gamma is 1.0, expected a number > 1"),
        ("iterated-smoothing(recentre=no)", "recentre is 'no'"),
        ("sampling(proportion=0):egt", "proportion is 0"),
        ("static(proportion=2):egt", "proportion is 2"),
        ("sampling(method=3):egt", "expected one of proportion"),
        ("sampling:sampling:egt", "'sampling:egt' is unknown"),
        ("cfr(alpha=much)", "alpha is 'much'"),
        ("cfr(gamma=nan)", "gamma is nan"),
        ("dcfr(horizon=-3)", "horizon is -3"),
    ],
)
def test_what_is_not_understood_is_refused_in_a_line(name, message):
    with pytest.raises(EquipoiseError, match=message) as refused:
        method(name)
    assert "\n" not in str(refused.value)


def test_only_trees_are_merged():
    with pytest.raises(EquipoiseError, match="is a game with signals, expected a tree"):
        solve(build(poker.leduc()), method("shrink:egt"), Iterations(1))
