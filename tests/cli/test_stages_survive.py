"""Abstract, count, solve, certify: each stage of large poker killed at its worst moments, and on a full disk."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from commandline import Cli
from killed_stages import RULES, STAGES
from test_nothing_lost import full_disk
from test_resume import start

import equipoise
from equipoise.certificates.streamed import StreamedCertificate
from equipoise.strategy.store import load

KILLS = 4  # of each stage, while there is much left to do
NOT_COMPARED = ("seconds", "cpu_seconds", "steps", "peak_memory_mb", "strategy")


def content(file: Path) -> dict[str, bytes]:
    """Return the arrays of a file, but for the log, which has times."""
    return {name: own.tobytes() for name, own in load(file).arrays.items() if name != "log"}


def figures(text: str) -> dict[str, Any]:
    """Return what a command printed, but for times and places."""
    return {name: own for name, own in json.loads(text).items() if name not in NOT_COMPARED}


@pytest.mark.slow
def test_every_stage_goes_on_after_kills_as_if_there_had_been_none(tmp_path: Path) -> None:
    whole, moment = tmp_path / "whole", random.Random(3)
    whole.mkdir()
    for folder in (whole, tmp_path):
        (folder / "five.toml").write_text(RULES)
    os.environ["EQUIPOISE_THREADS"] = "1"  # threads do not live on in a fork
    with start(
        Path(__file__).with_name("killed_stages.py"), cwd=tmp_path, stdin=subprocess.PIPE
    ) as server:
        del os.environ["EQUIPOISE_THREADS"]
        assert server.stdin is not None
        assert server.stdout is not None
        events = {}
        for stage in STAGES:
            name, count = server.stdout.readline().split()
            assert name == stage
            events[stage] = int(count)
        for stage, count in events.items():
            killed = 0
            # What is kept needs not be done again; what begins anew is also killed while it is written.
            moments = moment.sample(range(1, max(count // 5, 2 * KILLS)), KILLS)
            for left in (*moments, count - 2, count - 1, 0):
                server.stdin.write(f"{stage} {left}\n")
                server.stdin.flush()
                code = int(server.stdout.readline())
                assert code in (0, 1, -signal.SIGKILL)
                killed += code < 0
                # Whatever has its name is complete.
                for file in tmp_path.glob("*.eqp*"):
                    load(file)
            assert code >= 0
            assert killed >= KILLS, stage
        server.stdin.close()
    assert (tmp_path / "buckets.eqp").read_bytes() == (whole / "buckets.eqp").read_bytes()
    for name in ("pairs.eqp", "solved.eqp", "parts.eqp"):
        assert content(tmp_path / name) == content(whole / name), name
    for stage in STAGES:
        found, wanted = (folder / f"{stage}.json" for folder in (tmp_path, whole))
        assert figures(found.read_text()) == figures(wanted.read_text())


@pytest.fixture
def staged(cli: Cli, tmp_path: Path) -> Cli:
    """The rules of five-rank hold'em, and a command line in their folder."""
    (tmp_path / "five.toml").write_text(RULES)
    return cli


def test_no_stage_is_lost_on_a_full_disk(
    staged: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    wanted = {}
    for stage, arguments in STAGES.items():
        wanted[stage] = staged(*arguments, "--json")
        assert wanted[stage].code == (stage == "solve"), wanted[stage].err
    full = {
        "buckets.eqp": ("abstract", "saved as"),
        "pairs.eqp": ("solve", "The solve goes on without this file"),
        "solved.eqp.checkpoint": ("solve", "The solve goes on without this checkpoint"),
        "solved.eqp": ("solve", "saved as"),
        "parts.eqp": ("certify", "The certificate goes on without this file"),
    }
    for name, (stage, sentence) in full.items():
        kept = tmp_path / name
        before = kept.read_bytes() if kept.exists() else b""
        for file in (kept, tmp_path / "solved.eqp.checkpoint") if stage == "solve" else (kept,):
            file.unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            is_it = re.compile(rf"\.{re.escape(name)}(\.[0-9a-f]+)?\.part").fullmatch
            patch.setattr(os, "fsync", full_disk(lambda part, is_it=is_it: bool(is_it(part))))
            outcome = staged(*STAGES[stage], "--json")
        assert (outcome.err.count("the disk is full"), sentence in outcome.err) == (1, True), name
        assert not kept.exists()
        assert not [*tmp_path.glob(".*.part")]
        found = figures(outcome.out)
        place = found.pop("abstraction", None) if stage == "abstract" else None
        expected = figures(wanted[stage].out)
        if stage == "abstract":
            assert Path(place).is_relative_to(spare)
            assert Path(place).read_bytes() == before
            del expected["abstraction"]
        assert found == expected
        assert outcome.code == (stage != "certify")
        if before:
            kept.write_bytes(before)
    assert len([*spare.rglob("*.eqp")]) == 2


def test_places_of_stages_are_looked_at_before_anything_is_computed(staged: Cli) -> None:
    for name, place in (("--pairs", "nowhere/pairs.eqp"), ("--pairs", ".")):
        outcome = staged("solve", "five.toml", "--buckets", "6-12-20-30", name, place)
        assert (outcome.code, outcome.err.count("\n")) == (2, 1)
        assert "expected" in outcome.err
    outcome = staged(
        "certify", "five.toml", "uniform", "--flops", 2, "--parts", "nowhere/parts.eqp"
    )
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)


def test_a_strategy_by_buckets_is_replaced_by_one_of_its_own_game_alone(staged: Cli) -> None:
    solve = (
        "solve",
        "five.toml",
        "--buckets",
        "6-12-20-30",
        "--abstraction",
        "expectation(flops=4,boards=50)",
    )
    short = (*solve, "--flops", 2, "--gap", 0, "--out", "it.eqp", "--iterations")
    first = staged(*short, 2)
    assert first.code == 1
    assert "(estimated in the full game)" in first.out
    assert "those after 2 flops drawn at random" in " ".join(first.out.split())
    more = staged(*short, 4, "--resume", "--json")
    assert (more.code, more.fields["iterations"]) == (1, 4)
    Path("it.eqp.checkpoint").unlink()
    again = staged(
        *short, 3, "--resume", "--json"
    )  # it is not certified flop by flop to be found finished
    assert "no such checkpoint" in again.err
    assert again.fields["iterations"] == 3
    proof = equipoise.open("it.eqp").certificate
    assert isinstance(proof, StreamedCertificate)
    assert 2 < proof.classes < proof.of  # opened in Python, a few flops, not hours
    refused = staged("solve", "kuhn", "--out", "it.eqp")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "expected a free name or one of 'kuhn'" in refused.err
