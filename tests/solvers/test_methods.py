"""Methods by name: each row runs, spells its own name, and refuses what it does not know."""

from dataclasses import replace

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.classic import LiarsDice, kuhn, leduc, liars_dice
from equipoise.sequence.build import build
from equipoise.solvers.auto import choose
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.methods import METHODS, WRAPPERS, MethodEntry, method
from equipoise.solvers.options import option_names
from equipoise.solvers.saddle.lp import LP

AROUND = [
    "shrink:egt",
    "eliminate:egt",
    "eliminate:shrink:lp",
    "shrink:eliminate:dcfr(gamma=4)",
    "sampling:shrink:cfr+",
    "sampling:egt",
    "sampling(proportion=0.2):smoothing",
    "static(proportion=0.5):dcfr",
    "egt-kroer(balance=0)",
    "lp-ipx(crossover=False)",
    "dcfr(dtype=float32,gamma=4)",
    "cfr(alpha=(1,inf),beta=-inf,horizon=50)",
    "iterated-smoothing(gamma=3)",
    "shrink:double-oracle(inner=cfr+)",
    "double-oracle(inner=shrink:dcfr(gamma=4,horizon=9),restrict=second)",
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


WORDS = {
    "by": ("shrink", "eliminate"),
    "default": ("first", "uniform"),
    "device": ("numpy", "compiled"),
    "dtype": ("float32", "float64"),
    "expand": ("all-best", "best-response"),
    "inner": ("shrink:dcfr(gamma=4,horizon=9)", "lp"),
    "metric": ("unit", "payoff"),
    "oracle": ("sorted", "payoff"),
    "restrict": ("first", "both"),
    "prox": ("euclidean", "entropy"),
    "solver": ("ipx", "dual-simplex"),
    "weights": ("kroer", "unit"),
}


def other_value(option, value):
    """Return a value that ``option`` may take besides ``value``."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return next(word for word in WORDS[option] if word != value)
    if option == "horizon":
        return 77
    if option == "epsilon":
        return 0.125
    if isinstance(value, tuple):
        return (0.5, -0.25)
    return {"balance": value + 1, "proportion": 0.375}.get(option, 1.75)


@pytest.mark.parametrize("name", [*METHODS, *(f"{outer}:dcfr" for outer in WRAPPERS)])
def test_every_option_is_spelled_and_read_back(name):
    made = method(name)
    for option in option_names(made):
        changed = replace(made, **{option: other_value(option, getattr(made, option))})
        assert changed != made
        assert method(changed.name) == changed
        assert method(changed.name).name == changed.name


@pytest.mark.parametrize(
    ("game", "target", "name"),
    [
        (kuhn(), 1e-6, "lp-dense"),
        (leduc(), 1e-6, "shrink:lp"),
        (poker.rhode_island(ranks=3, suits=2), 1.0, "dcfr(dtype=float32,gamma=4)"),
        (poker.rhode_island(ranks=3, suits=2), 1e-9, "dcfr(gamma=4)"),
    ],
)
def test_what_auto_chooses_can_be_given_back(game, target, name):
    chosen, _ = choose(build(game), target)
    assert chosen.name == name
    assert method(name) == chosen


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
        (
            "egt(weights=kroehr)",
            "'kroehr', expected one of unit, kroer, dge|with one of unit, kroer, dge",
        ),
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
        ("sampling:sampling:egt", "found 'sampling' twice, expected it once"),
        ("cfr(alpha=much)", "alpha is 'much'"),
        ("cfr(gamma=nan)", "gamma is nan"),
        ("dcfr(horizon=-3)", "horizon is -3"),
    ],
)
def test_what_is_not_understood_is_refused_in_a_line(name, message):
    with pytest.raises(EquipoiseError, match=message) as refused:
        method(name)
    assert "\n" not in str(refused.value)


def test_a_row_with_a_misspelt_parameter_is_named(monkeypatch):
    """Rows are added from outside, and a method's name is that of its nearest row, of those that are its kind."""
    row = MethodEntry("equipoise.solvers.saddle.cfr:member", {"name": "cfr", "gama": 3.0}, "late")
    monkeypatch.setitem(METHODS, "mine", row)
    for ask in (lambda: method("mine"), lambda: method("dcfr").name):
        with pytest.raises(
            EquipoiseError, match=r"Method 'mine': found a row whose .*'gama': 3\.0"
        ):
            ask()
    assert method("lp").name == "lp"


def test_only_trees_are_merged():
    with pytest.raises(EquipoiseError, match="as in a game with signals, expected those of a tree"):
        solve(build(poker.leduc()), method("shrink:egt"), Iterations(1))


def test_auto_leaves_rough_gaps_of_large_trees_to_discounted_cfr():
    # 147,420 payoffs, hardly any to be merged; two units are at stake.
    form = build(liars_dice())
    assert choose(form, 1e-3)[0].name == "dcfr"
    assert choose(form, 1e-4)[0].name != "dcfr"


class PlainDice(LiarsDice):
    """Liar's dice without a wild face: a bid of two dice hardly ever stands, so few bids are played."""

    def payoffs(self, state):
        dice, bids = state
        quantity, face = 1 + bids[-2] // self.sides, 1 + bids[-2] % self.sides
        gain = 1 if (dice.count(face) >= quantity) == (len(bids) % 2 == 0) else -1
        return gain, -gain


def test_auto_takes_a_double_oracle_where_little_is_played():
    form = build(liars_dice(5))
    few = build(from_rules(PlainDice(5), "plain dice"))
    assert form.A.nonzeros == few.A.nonzeros == 25_575
    assert choose(form, 1e-9)[0].name == "lp"
    chosen, why = choose(few, 1e-9)
    assert chosen.name == "double-oracle"
    assert method(chosen.name) == chosen
    assert why.endswith("of the sequences are played: a double oracle is fastest, and exact")
    found = solve(few, chosen, Gap(1e-9))
    assert found.gap <= 1e-9
    assert found.value == pytest.approx(solve(few, LP(), Gap(1e-9)).value, abs=1e-9)
