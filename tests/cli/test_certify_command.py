"""``equipoise certify`` of strategies by name, and of poker board by board."""

from __future__ import annotations

import pytest
from commandline import Cli


def test_a_strategy_by_name(cli: Cli) -> None:
    exact = cli("certify", "no-limit-leduc", "always-call", "--json")
    assert (exact.code, exact.err) == (0, "")
    fields = exact.fields
    assert fields["flops"] == fields["of"] == 3
    assert fields["exploitability"] == pytest.approx(sum(fields["best_responses"]) / 2)
    on_arrays = cli("certify", "no-limit-leduc", "always-call", "--device", "numpy", "--json")
    assert on_arrays.fields["gap"] == pytest.approx(fields["gap"], rel=1e-5)


def test_a_sample_says_what_it_is(cli: Cli) -> None:
    text = cli("certify", "no-limit-leduc", "uniform", "--flops", 4)
    assert text.code == 0
    assert "4 flops drawn at random: an estimate" in " ".join(text.out.split())
    fields = cli("certify", "no-limit-leduc", "uniform", "--flops", 4, "--json").fields
    assert len(fields["standard_errors"]) == 2


def test_names_and_devices_that_do_not_fit(cli: Cli) -> None:
    assert cli("certify", "kuhn", "always-call").code == 2
    there_is_none = cli("certify", "no-limit-leduc", "uniform", "--device", "abacus")
    assert there_is_none.code == 2
    assert "abacus" in there_is_none.err
    assert cli("certify", "no-limit-leduc", "uniform", "--flops", 1).code == 2
