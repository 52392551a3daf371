"""A short run of the fuzz command, and that it would notice what it looks for."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz import mutate
from tests.fuzz.corpus import GROWING, NODES, Seed
from tests.fuzz.watch import Case, Fuzzer, judge
from tests.fuzz.worker import MEMORY

from equipoise.bundle import load, save
from equipoise.errors import EquipoiseError

FINE = {"code": 0, "out": "value 1\n", "err": "", "peak": 1}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="timers and limits of POSIX")
def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    with Fuzzer(0, tmp_path / "faults") as fuzzer:
        outcomes = [fuzzer.run(number) for number in range(60)]
    assert [fault for _, fault in outcomes if fault is not None] == []
    assert len({kind for kind, _ in outcomes}) >= 6


@pytest.mark.parametrize(
    "answer",
    [
        {"traceback": "Traceback ...\nValueError: x"},
        {"code": 130},
        {"code": 2, "out": "", "err": ""},
        {"code": 2, "out": "", "err": "equipoise: one\nequipoise: two\n"},
        {"code": 2, "err": "equipoise: one\n"},
        {"code": 1, "err": "RuntimeWarning: overflow\n"},
        {"peak": MEMORY + 1},
        {"code": 2, "out": "", "err": "equipoise: out of memory: ...\n"},
    ],
)
def test_faults_are_noticed(answer: dict[str, object]) -> None:
    assert judge(FINE) is None
    assert judge({**FINE, "code": 2, "out": "", "err": "equipoise: no.\n"}) is None
    assert judge({**FINE, "code": 1, "err": "equipoise: a remark\n"}) is None
    assert judge({**FINE, **answer}) is not None


def test_a_case_does_not_pay_for_the_memory_of_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fuzz.watch.corpus", lambda: [Seed("a.toml", b"x", ("info F",))])
    with Fuzzer(0, tmp_path) as fuzzer:
        for alone, is_fault in ((MEMORY, False), (MEMORY + 1, True)):
            peaks = iter([MEMORY + 1, alone])
            monkeypatch.setattr(fuzzer, "_try", lambda _, left=peaks: {**FINE, "peak": next(left)})
            _, fault = fuzzer.run(0)
            assert (fault is not None) == is_fault
            assert list(peaks) == []


def test_cases_depend_on_seed_and_number_alone() -> None:
    seeds = [Seed("a.toml", b"x = 1\ny = [2, 3]\n" * 20, ("info F",))]

    def cases(seed: int) -> list[tuple[object, ...]]:
        made = [Case(seeds, seed, number) for number in range(50)]
        return [(case.kind, case.command, case.rules, case.files) for case in made]

    assert cases(1) == cases(1)
    assert cases(1) != cases(2)


def test_trees_are_small_where_a_command_builds_any() -> None:
    """An honest tree of 2,246,913 nodes takes more than 10 s: the commands that grow trees say so."""
    assert {"info", "solve", "convert"} <= GROWING
    cases = [Case([Seed("a.toml", b"x", ("info F",))], 0, number) for number in range(50)]
    for case in cases:
        grows = bool(case.command) and case.command[0] in GROWING
        assert (case.command[-2:] == ["--nodes", str(NODES)]) == grows


def test_mutated_bundles_open_or_are_refused_for_what_they_say(tmp_path: Path) -> None:
    """Most have right checksums: the damage gets past them, to the readers of what is inside."""
    path = tmp_path / "a.eqp"
    save(path, "strategy", {"a": np.arange(9.0), "b": np.ones((3, 2))}, {"game": "x", "n": [1, 2]})
    data, ends = path.read_bytes(), Counter[str]()
    for number in range(200):
        path.write_bytes(mutate.bundle(data, random.Random(number)))
        try:
            load(path)
        except EquipoiseError as error:
            ends["checksum" if "checksum" in str(error) else "refused"] += 1
        else:
            ends["opened"] += 1
    assert ends["opened"] > 100
    assert ends["refused"] > 10


def test_mutated_texts_differ() -> None:
    data = b'name = "x"\nvalues = [1, 2.5, -3]\n'
    changed = {mutate.text(data, random.Random(number)) for number in range(100)}
    assert len(changed) > 60
