"""``equipoise abstract``: what it says where it makes fewer buckets than asked for, and where it can make none."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Cli

GAME = "rhode-island(ranks=4,suits=3)"
STRENGTHS = """
name = "three strengths"
ante = 1
[signals]
names = ["low", "mid", "high"]
weights = [{weights}]
[[round]]
private = 1
bet = 1
cap = 1
[ranking]
order = ["low", "mid", "high"]
"""


def test_what_cannot_be_reached_is_said(cli: Cli) -> None:
    """Of 28 and 122 classes, some win alike often: expectation tells 23 and 117 apart."""
    found = cli("abstract", GAME, "--method", "expectation", "--buckets", "4-28-120", "--json")
    assert found.fields["buckets"] == [4, 23, 117]
    assert "tells no more than 4 / 23 / 117 buckets apart" in found.err
    exact = cli("abstract", GAME, "--method", "expectation", "--buckets", "4-23-117", "--json")
    assert exact.err == ""


@pytest.mark.parametrize("method", ["threshold", "expectation", "expectation-squared", "potential"])
def test_methods_by_name(cli: Cli, method: str) -> None:
    made = cli("abstract", GAME, "--method", method, "--buckets", "3-8-30", "--out", "a.eqp")
    assert "3 / 8 / 30" in made.out
    sizes = cli("info", GAME, "--abstraction", "a.eqp", "--json").fields
    assert sizes["buckets"] == [3, 8, 30]
    refined = ("--buckets", "4-16-60", "--refine", "a.eqp", "--json")
    assert cli("abstract", GAME, "--method", method, *refined).fields["buckets"] == [4, 16, 60]


def test_by_strategy(cli: Cli) -> None:
    made = cli("abstract", GAME, "--method", "strategy(stages=1)", "--buckets", "3-8-30", "--json")
    assert made.fields["buckets"] == [3, 8, 30]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "expectation", "--buckets", "4-50-90"), "at most its 28 views"),
        (("--method", "expectation", "--buckets", "4-3-90"), "found 3 in round 2, expected"),
        (("--method", "expectation", "--buckets", "4-20"), "expected 3"),
        (("--method", "expectation", "--buckets", "4-20-x"), "found '4-20-x'"),
        (("--method", "expectation"), "found no buckets"),
        (("--method", "magic", "--buckets", "4-8-20"), "found 'magic', expected one of"),
        (("--method", "potental", "--buckets", "4-8-20"), "did you mean 'potential'?"),
        (("--method", "threshold(thresholds=nan-0-0)"), "expected 3 finite numbers"),
        (("--method", "strategy(stages=0)", "--buckets", "4-8-20"), "stages: found 0"),
        (("--method", "suits", "--buckets", "4-8-20"), "expected none"),
        (("--method", "suits", "--refine", "missing.eqp"), "missing.eqp"),
    ],
)
def test_what_cannot_be_made(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    refused = cli("abstract", GAME, *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert words in refused.err
    assert refused.err.count("\n") == 1


def test_weights_that_sum_to_zero(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(STRENGTHS.format(weights="1, 2, 1"))
    made = cli("abstract", "game.toml", "--method", "expectation", "--buckets", "2", "--json")
    assert made.fields["buckets"] == [2]
    (tmp_path / "game.toml").write_text(STRENGTHS.format(weights="0, 0, 0"))
    refused = cli("abstract", "game.toml", "--method", "expectation", "--buckets", "2")
    assert refused.code == 2
    assert "weights" in refused.err
    assert refused.err.count("\n") == 1
