"""Stopping and continuing: the same strategy, bit for bit, whatever happened in between."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import Cli

from equipoise.games.base import load as game_of
from equipoise.sequence.build import build
from equipoise.strategy.store import load, load_strategy, save

LONG = ("--gap", 0)


def same(one: str, two: str) -> bool:
    """Whether two strategy files hold the same numbers, bit for bit."""
    pairs = zip(load_strategy(one).behaviour, load_strategy(two).behaviour, strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def iterations(checkpoint: Path | str) -> int:
    return int(load(checkpoint, "checkpoint").arrays["run_counters"][0])


SIGNALS = "rhode-island(ranks=3,suits=2)"


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        *(("leduc", algorithm) for algorithm in ("cfr", "cfr+", "dcfr", "pcfr+", "pdcfr+")),
        (SIGNALS, "auto"),
        (SIGNALS, "cfr+"),
    ],
)
def test_a_resumed_solve_ends_with_the_same_strategy(cli: Cli, game: str, algorithm: str) -> None:
    common = ("solve", game, "--method", algorithm, *LONG, "--iterations")
    cli(*common, 203, "--out", "whole.eqp")
    for limit in (1, 50, 51, 110, 203):
        resumed = cli(*common, limit, "--out", "parts.eqp", "--resume", "--json")
        assert resumed.fields["iterations"] == limit
    assert same("whole.eqp", "parts.eqp")
    cli(*common, 202, "--out", "other.eqp")
    assert not same("whole.eqp", "other.eqp")


def test_a_checkpoint_at_any_moment_continues_alike(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep every checkpoint of one solve and continue from each: all must end alike."""
    from equipoise.strategy import store

    kept: list[bytes] = []

    def keep(path: Path, *rest: object) -> None:
        original(path, *rest)
        kept.append(Path(path).read_bytes())

    original = store.save
    common = ("--method", "cfr+", *LONG, "--iterations", 75)
    with monkeypatch.context() as patch:
        patch.setattr(store, "save", keep)
        cli("solve", "kuhn", *common, "--checkpoint", 0, "--out", "whole.eqp")
    checkpoints = kept[:-1]
    assert len(checkpoints) > 20
    for checkpoint in checkpoints:
        (tmp_path / "parts.eqp.checkpoint").write_bytes(checkpoint)
        cli("solve", "kuhn", *common, "--resume", "--out", "parts.eqp")
        assert same("whole.eqp", "parts.eqp")


def test_resume_remembers_the_algorithm_and_ends_the_checkpoint(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "kuhn", "--method", "dcfr", "--iterations", 5)
    resumed = cli("solve", "kuhn", "--resume", "--json")
    assert resumed.code == 0
    assert resumed.fields["method"] == "dcfr"
    assert resumed.fields["gap"] <= 1e-6
    assert os.listdir(tmp_path) == ["kuhn.eqp"]


def test_resume_without_a_checkpoint_starts_from_the_beginning(cli: Cli) -> None:
    outcome = cli("solve", "kuhn", "--resume")
    assert outcome.code == 0
    assert "kuhn.eqp.checkpoint: no such checkpoint" in outcome.err


MATCHING_PENNIES = """NFG 1 R "pennies" {{ "Even" "Odd" }} {{ 2 2 }} 1 -1 -1 1 -1 1 {win} -{win}"""


def test_what_does_not_belong_together_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    cli("solve", "kuhn", "--method", "cfr", "--iterations", 5, "--out", "a.eqp")
    before = (tmp_path / "a.eqp.checkpoint").read_bytes()
    for arguments, words in [
        (["leduc", "--force"], "game 'kuhn', expected 'leduc'"),
        (["kuhn", "--method", "cfr+"], "method cfr, expected cfr+"),
        (["kuhn", "--method", "cfr(dtype=float32)"], "cfr, expected cfr(dtype=float32)"),
        (["kuhn", "--seed", "1"], "seed 0, expected 1"),
    ]:
        outcome = cli("solve", *arguments, "--resume", "--out", "a.eqp")
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert words in outcome.err
        assert (tmp_path / "a.eqp.checkpoint").read_bytes() == before


def test_a_game_whose_payoffs_changed_is_not_resumed(cli: Cli, tmp_path: Path) -> None:
    game = tmp_path / "pennies.nfg"
    game.write_text(MATCHING_PENNIES.format(win=2))
    arguments = ("solve", game, "--method", "cfr", "--gap", 0, "--iterations")
    cli(*arguments, 5)
    assert cli(*arguments, 10, "--resume").code == 1
    game.write_text(MATCHING_PENNIES.format(win=5))
    outcome = cli(*arguments, 15, "--resume")
    assert outcome.code == 2
    assert "payoffs of" in outcome.err


def test_bounds_of_an_earlier_version_get_back_what_is_sure(cli: Cli, tmp_path: Path) -> None:
    """Checkpoints of games with a sure payment once had bounds without it."""
    game = tmp_path / "paid.nfg"
    game.write_text('NFG 1 R "paid" { "Even" "Odd" } { 2 2 } 101 -101 99 -99 99 -99 102 -102')
    place, arguments = "paid.eqp.checkpoint", ("solve", game, "--method", "cfr", "--gap", 0)
    cli(*arguments, "--iterations", 5)
    held = load(place, "checkpoint")
    without = {name: held.arrays[name].copy() for name in ("log", "best_row")}
    now = without["log"][:, 2:4].copy()
    sure = build(game_of(game)).units.shift
    assert (now > 98).all()
    assert sure > 98
    for rows in without.values():
        rows[:, 2:4] -= sure
    save(place, "checkpoint", dict(held.arrays) | without, held.metadata)
    assert cli(*arguments, "--iterations", 9, "--resume").code == 1
    log = load(place, "checkpoint").arrays["log"]
    np.testing.assert_allclose(log[: len(now), 2:4], now, rtol=1e-12)
    assert (log[:, 2:4] > 98).all()


@pytest.mark.parametrize("damage", [b"", b"hello", None])
def test_a_damaged_checkpoint_is_a_sentence(cli: Cli, tmp_path: Path, damage: bytes | None) -> None:
    cli("solve", "kuhn", "--method", "cfr", "--iterations", 5)
    place = tmp_path / "kuhn.eqp.checkpoint"
    place.write_bytes(place.read_bytes()[:-100] if damage is None else damage)
    outcome = cli("solve", "kuhn", "--resume")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "kuhn.eqp.checkpoint" in outcome.err


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start Python in a process of its own."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        **options,
    )


def test_ctrl_c_saves_and_prints_the_best_strategy(tmp_path: Path) -> None:
    arguments = ["solve", "leduc", "--method", "cfr", "--gap", "0", "--checkpoint", "0"]
    process = start("-m", "equipoise", *arguments, cwd=tmp_path)
    while process.poll() is None and not (tmp_path / "leduc.eqp.checkpoint").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "interrupted" in out
    assert "Jc||" in out
    assert "Traceback" not in err
    assert np.isfinite(load(tmp_path / "leduc.eqp", "strategy").metadata["gap"])
    assert iterations(tmp_path / "leduc.eqp.checkpoint") > 0


@dataclass(frozen=True)
class Killed:
    """A solve that is killed ``kills`` times: before it has done ``most`` iterations, or at any moment."""

    game: str
    kills: int
    every: float = 0.01
    method: str = "auto"
    most: float = math.inf


# Its third program, which is solved when the first two have no solution, takes far longer than these two.
RIVER = f"""
game = "river"
pot = 2.0
[signals]
finite = [{[0.125] * 8}, {[0.125] * 8}]
[models]
wrong = '''
P1: check-fold |a| bet-fold |b| check-call |c| bet-call
P2: fold/bet |e| call/bet |f| fold/check |g| raise/check
'''
"""
TURN = "spot(board='2c7d9hTs',oop='AA,65s,KQs,99',ip='KK,QQ,88,ATs',pot=100,stack=300,bets='50%,a')"
KILLED = {
    "tree": Killed("leduc", kills=50, method="cfr+"),
    "spot": Killed(TURN, kills=20),
    "bayesian": Killed("river.toml", kills=10, every=0, most=2),
}


def wait_for_another(file: Path) -> None:
    """Return when ``file`` has been replaced: a machine under load may take its time."""
    before = file.stat().st_ino if file.exists() else None
    while not file.exists() or file.stat().st_ino == before:
        time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KILLED)
def test_a_solve_that_is_killed_again_and_again(kind: str, cli: Cli, tmp_path: Path) -> None:
    killed, place = KILLED[kind], tmp_path / "it.eqp.checkpoint"
    (tmp_path / "river.toml").write_text(RIVER)
    common = (killed.game, "--method", killed.method, "--checkpoint", killed.every, "--time", 600)
    moment = random.Random(1)
    last = kills_with_progress = 0
    with start(
        Path(__file__).with_name("killed.py"), *common, cwd=tmp_path, stdin=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert '"status"' in server.stdout.readline()
        for _ in range(killed.kills):
            server.stdin.write("solve\n")
            server.stdin.flush()
            child = int(server.stdout.readline())
            for _ in range(moment.randrange(4)):
                if not place.exists() or iterations(place) < killed.most:
                    wait_for_another(place)
            time.sleep(moment.uniform(0.0, 0.03))
            os.kill(child, signal.SIGKILL)
            assert int(server.stdout.readline()) == -signal.SIGKILL
            done = iterations(place) if place.exists() else 0
            assert done >= last
            kills_with_progress += done > last
            last = done
        server.stdin.close()
    assert kills_with_progress > (10 if killed.most == math.inf else 0)
    # What a killed writer leaves is one hidden file, which the next one removes.
    left = {name for name in os.listdir(tmp_path) if not name.startswith("warm")}
    hidden = left - {place.name, "river.toml"}
    assert len(hidden) <= 1
    assert all(re.fullmatch(rf"\.{place.name}\.\w{{8}}\.part", name) for name in hidden)

    ends = last + 100 if killed.most == math.inf else killed.most + 1
    ending = ("solve", *common, *LONG, "--iterations", last + 100, "--json")
    for out in (("it.eqp", "--resume"), ("whole.eqp",)):
        assert cli(*ending, "--out", *out).fields["iterations"] == ends
    found, straight = (load(tmp_path / name, "strategy").arrays for name in ("it.eqp", "whole.eqp"))
    assert found.keys() == straight.keys()
    # The log tells the time that was taken, too.
    assert all(found[name].tobytes() == straight[name].tobytes() for name in found.keys() - {"log"})
