"""What is mutated: small files of every format, and the commands that read them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import resources
from io import StringIO
from pathlib import Path

from equipoise.cli.app import run
from equipoise.cli.commands import COMMANDS, load_command

DATA = Path(__file__).parents[1] / "games" / "data"

# In commands, F is the mutated file. Solves are given little time: what is watched is how they end.
TREE = [
    "info F",
    "solve F --time 1 --iterations 30",
    "solve F --time 1 --method lp",
    "solve F --time 1 --method cfr+ --iterations 20",
    "solve F --time 1 --method egt --iterations 5",
    "nash F --time 1",
    "convert F out.efg",
    "convert F out.nfg",
]
SIGNALS = [
    "info F",
    "solve F --time 1 --iterations 30",
    "solve F --time 1 --abstraction none --eliminate --iterations 20",
    "abstract F --method gameshrink",
    "abstract F --method histogram",
    "abstract F --method suits",
    "convert F out.efg",
    "nash F --time 1",
]
BAYESIAN = ["qualitative F --time 1", "qualitative F --time 1 --propose --plot out"]
REPEATED = [
    "repeated F --time 1",
    "repeated F --time 1 --stages 3 --out out",
    "repeated F --time 1 --grid 0.5",
]
STRATEGY = [
    "certify GAME F",
    "certify GAME F --rigorous",
    "show F",
    "show F --game GAME",
    "plot F --out out",
    "export F --text out.txt",
    "solve GAME --resume --time 1 --iterations 5 --out F",
]
TEXT = ["certify GAME F", "import GAME --text F --out out.eqp"]
TOURNAMENT = ["certify tournament F", "show F --limit 5", "plot F --out out"]


@dataclass(frozen=True)
class Seed:
    """A file to mutate, its name, and the commands for it; text is mutated by words and lines."""

    name: str
    data: bytes
    commands: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        """Whether the file is no bundle."""
        return not self.name.endswith((".eqp", ".checkpoint"))


DECK = """
name = "small poker"
ante = 1
[deck]
ranks = "234"
suits = "cd"
showdown = "pair"
[[round]]
private = 1
bet = 2
cap = 2
[[round]]
public = 1
bet = 4
cap = 1
"""
JOINT = """
players = 2
[signals]
names = ["low", "high"]
[[signals.joint]]
deal = ["high", "low"]
weight = 3
[[signals.joint]]
deal = ["low", "high"]
weight = 1
[[round]]
private = [1, 1]
[round.stage]
player = 1
actions.claim = {pay = 2, over = true}
actions.fight = {outcome = "prize", scale = 3}
[outcome.prize]
of = [1, 2]
values = {low = 1, high = 5}
"""
RIVER = """
game = "river"
pot = 2.0
[signals]
P1 = [[0, 0], [0.4, 0.7], [1, 1]]
P2 = "uniform"
[models]
first = '''
P1: bet-call |a| bet-fold |b| check-call |c| check-fold |d| bet-fold
P2: raise/bet |e| call/bet |f| call/check |g| raise/check |h| fold/check |i| fold/bet
order: e <= a, b <= f <= c, i <= d
'''
"""
FINITE = """
game = "bet-or-check"
pot = 1.5
[signals]
finite = [[0.25, 0.25, 0.5], [0.2, 0.3, 0.5]]
"""
KUHN_SIGNALS = """
game = "kuhn"
better = "high"
[signals]
deck = 3
"""
JOINT_SIGNALS = """
game = "raise-or-fold"
[signals]
joint = [[0.1, 0.2], [0.3, 0.4]]
edges = [0, 0.5, 1]
"""
LEAVES = """
better = "low"
[[leaf]]
path = "P1 bet, P2 call"
win = [2, 2]
lose = [-1, -1]
contenders = [1, 2]
[[leaf]]
path = "P1 bet, P2 fold"
pay = [1, 0]
[[leaf]]
path = "P1 check"
win = [1, 1]
lose = [0, 0]
"""
STATES = """
name = "partial"
prior = [0.5, 0.5]
rows = ["U", "D"]
columns = ["L", "M", "R"]
[[state]]
name = "A"
payoffs = [[4, 0, 2], [4, 0, -2]]
[[state]]
name = "B"
payoffs = [[0, 4, -2], [0, 4, 2]]
"""
THREE_STATES = """
prior = ["1/3", "1/3", "1/3"]
[[state]]
payoffs = [[1, 0], [0, 0]]
[[state]]
payoffs = [[0, 0], [0, 1]]
[[state]]
payoffs = [[0, 1], [1, 0]]
"""


def corpus() -> list[Seed]:
    """Return all files; those that commands write are written by them, in the current folder."""
    return [*_games(), *_toml(), *_written()]


def _games() -> Iterator[Seed]:
    for path in sorted(DATA.iterdir()):
        if path.suffix in (".efg", ".nfg"):
            yield Seed(path.name, path.read_bytes(), tuple(TREE))
    _run("convert kuhn kuhn.efg")
    yield Seed("kuhn.efg", Path("kuhn.efg").read_bytes(), tuple(TREE))


def _toml() -> Iterator[Seed]:
    library = resources.files("equipoise.games.library")
    for name in ("auction", "bargaining", "standoff", "tract"):
        yield Seed(f"{name}.toml", library.joinpath(f"{name}.toml").read_bytes(), tuple(SIGNALS))
    families = [
        (SIGNALS, {"deck": DECK, "joint": JOINT}),
        (BAYESIAN, {"river": RIVER, "finite": FINITE, "kuhn-signals": KUHN_SIGNALS}),
        (BAYESIAN, {"joint-signals": JOINT_SIGNALS, "leaves": LEAVES}),
        (REPEATED, {"states": STATES, "three-states": THREE_STATES}),
    ]
    for commands, texts in families:
        for name, text in texts.items():
            yield Seed(f"{name}.toml", text.encode(), tuple(commands))


def _written() -> Iterator[Seed]:
    """Write strategies, texts, abstractions and checkpoints, and yield them."""
    for game in ("kuhn", "standoff"):
        commands = [command.replace("GAME", game) for command in STRATEGY]
        _run(f"solve {game} --out {game}.eqp")
        yield Seed(f"{game}.eqp", Path(f"{game}.eqp").read_bytes(), tuple(commands))
        _run(f"export {game}.eqp --text {game}.txt")
        texts = [command.replace("GAME", game) for command in TEXT]
        yield Seed(f"{game}.txt", Path(f"{game}.txt").read_bytes(), tuple(texts))
        for algorithm in ("cfr+", "pcfr+", "egt", "smoothing", "sampling:egt"):
            _run(f"solve {game} --method {algorithm} --gap 0 --iterations 9 --out c.eqp --force")
            again = f"solve {game} --resume --time 1 --iterations 12 --out OUT"
            path = Path("c.eqp.checkpoint")
            if path.exists():
                yield Seed(
                    f"{game}-{algorithm.replace(':', '-')}.eqp.checkpoint",
                    path.read_bytes(),
                    (again, "plot F --out out"),
                )
                path.unlink()
    _run("abstract standoff --out a.eqp")
    through = (
        "solve standoff --time 1 --abstraction F --out out.eqp",
        "info standoff --abstraction F",
    )
    yield Seed("abstraction.eqp", Path("a.eqp").read_bytes(), through)
    rules = "tournament --players 2 --chips 4200 --prizes 100"
    _run(f"{rules} --gain 1 --out t.eqp")
    yield Seed("tournament.eqp", Path("t.eqp").read_bytes(), tuple(TOURNAMENT))
    _run(f"{rules} --iterations 1 --gain 0 --out t.eqp")
    checkpoint = Path("t.eqp.checkpoint").read_bytes()
    again = f"{rules} --iterations 2 --gain 0 --resume --out OUT"
    yield Seed("tournament.eqp.checkpoint", checkpoint, (again,))


SPECS = [
    "kuhn(cards=3)", "leduc(ranks=2,suits=2)", "liars_dice(sides=2)", "rhode-island(ranks=3,suits=2)",
    "limit-holdem(bet=2)", "auction", "kuhn", "tournament(players=2,chips=3000)",
    "openspiel:kuhn_poker",
]  # fmt: skip
LINES = [
    "info SPEC", "convert SPEC out.efg", "solve SPEC --time 1 --iterations 5 --out out.eqp",
    "solve kuhn --gap 1 --time 1 --iterations 5 --seed 1 --checkpoint 3 --out out.eqp",
    "tournament --players 2 --chips 3000 --blinds 300/600 --prizes 50/30 --ante 0 --unit 300 "
    "--gain 1 --iterations 1 --time 1 --out out.eqp",
    "icm --stacks 50/30/20 --prizes 70/30", "repeated partial --tolerance 1 --grid 1 --stages 2 --seed 1",
    "nash kuhn --weights 1,1 --breakpoints 3 --epsilon 1 --time 1 --out out.eqp",
    "abstract SPEC --method suits --out out.eqp",
]  # fmt: skip

# A tree within the usual limit may honestly take a minute: these commands are given a smaller one, last, so
# that no mutation takes it away.
GROWING = {
    name
    for name in COMMANDS
    if any("--nodes" in parameter.opts for parameter in load_command(name).params)
}
NODES = 100_000

# What no file is made by: a worker runs these first, so that kernels are compiled and no case pays for it.
WARM = [
    "solve rhode-island(ranks=3,suits=2) --iterations 5 --force",
    "solve rhode-island(ranks=3,suits=2) --abstraction none --eliminate --iterations 5 --force",
    "solve leduc --method cfr+ --iterations 5 --force", "solve leduc --iterations 5 --force",
    "nash kuhn", "nash stag.nfg", "plot kuhn.eqp", "repeated partial --out warm --stages 3 --grid 1",
    "certify kuhn kuhn.eqp --rigorous", "certify standoff standoff.eqp", "show kuhn.eqp",
    "abstract standoff --method histogram", "abstract standoff --method suits",
]  # fmt: skip


def _run(command: str) -> None:
    """Run a command that must go well or stop short."""
    with silence() as words:
        code = run(command.split())
    assert code in (0, 1), f"{command}: exit {code}: {words()}"


@contextmanager
def silence() -> Iterator[Callable[[], tuple[str, str]]]:
    """Catch what is printed."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        yield lambda: (out.getvalue(), err.getvalue())


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in ``folder``."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
