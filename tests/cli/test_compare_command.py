"""``equipoise compare`` says what the certificates say, in a table and in a plot."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Cli

import equipoise

GAME = "rhode-island(ranks=3,suits=2)"


def test_agents_meet(cli: Cli) -> None:
    solved = {}
    for name, options in (
        ("coarse", ("--abstraction", "expectation", "--buckets", "2-4-8")),
        ("fine", ("--abstraction", "potential(leaves=outcomes)", "--buckets", "3-9-30")),
        ("exact", ()),
    ):
        solved[name] = cli("solve", GAME, *options, "--gap", "5", "--out", f"{name}.eqp", "--json")
    found = cli(
        "compare", "coarse.eqp", "fine.eqp", "--equilibrium", "exact.eqp", "--out", "plot", "--json"
    ).fields
    assert found["agents"] == ["coarse.eqp", "fine.eqp", "exact.eqp"]
    assert found["plot"] == ["plot.html", "plot.png"]
    assert Path("plot.png").stat().st_size > 5000
    for i, name in enumerate(solved):
        proof = equipoise.open(f"{name}.eqp").certificate
        assert found["nemesis"][i] == pytest.approx(-proof.gap / 2)
        assert found["values"][i] == pytest.approx(proof.value)
        for j in range(3):
            assert found["met"][i][j] == pytest.approx(-found["met"][j][i])
            assert found["met"][i][j] >= found["nemesis"][i] - 1e-9
    assert found["nemesis"][0] < found["nemesis"][2]  # seeing less can be made use of
    text = cli("compare", "coarse.eqp", "exact.eqp").out
    assert "against the nemesis" in text
    assert "coarse.eqp" in text


def test_who_cannot_be_compared(cli: Cli) -> None:
    cli("solve", "kuhn", "--json")
    for arguments, message in (
        (("kuhn.eqp", "kuhn.eqp"), "found a file twice"),
        (("kuhn.eqp", "--game", "leduc"), "expected one of 'leduc'"),
        (("missing.eqp",), "missing.eqp"),
    ):
        refused = cli("compare", *arguments)
        assert refused.code == 2
        assert message in refused.err
