"""Mutation testing: how many small faults in the source do the tests notice?

    python -m tests.mutants equipoise.certificates.tree equipoise.bundle --sample 40 --seed 1

A *mutant* is a module with one small change: another comparison, operator, constant or slice, a
condition turned round, a statement or a returned value left out. Tests that pass all the same have
not noticed; each such survivor is printed with its line. A survivor is a missing test, or an
*equivalent* mutant, one that no test can tell from the original; those we have looked at and found
equivalent are in :data:`tests.mutants.known.EQUIVALENT`, with the reason.

It is quick because nothing is done twice. A parent imports the heavy packages, runs the module's test
files (:data:`TESTS`) once to learn which tests touch which line, and then forks for every mutant: the
child plants the mutated source where the module would be imported from, and runs the tests of that
line until one fails. Tests that take far longer than a mutant may are stopped at first, and left out. Numba caches
machine code by the file a kernel is written in, and would not see a change in a kernel that it calls; modules
with kernels are therefore tested with Numba switched off, which small games bear (what cannot be called then
is in :mod:`tests.mutants.plain`). Leave the source alone while it runs (a worktree of its own is the place).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutants.known import EQUIVALENT, TESTS
from tests.mutants.operators import mutants
from tests.mutants.plain import put_in

ROOT = Path(__file__).resolve().parents[2]

HEAVY = ("numpy", "scipy.sparse", "scipy.optimize", "scipy.special", "hypothesis", "pytest", "numba",
         "open_spiel.python.algorithms.cfr")  # fmt: skip


FATES: dict[int | None, str] = {0: "survived", None: "undecided"}
"""What tests that end with such a status say of a mutant; all others notice it."""


class TooLong(BaseException):
    """A test costs more than any mutant is worth."""


class Touched:
    """A pytest plugin: which tests touch which lines of a file, and what each test costs.

    A test that takes more than ``most`` CPU seconds is stopped, and fails: without a compiler some take minutes.
    """

    def __init__(self, file: str, most: float = 0.0) -> None:
        self.file, self.most, self.lines, self.seconds = file, most, {}, {}
        self.failed: set[str] = set()

    def pytest_runtest_protocol(self, item: Any) -> None:
        """Watch from here on for this test."""
        seen = self.lines.setdefault(item.nodeid, set())

        def local(frame: Any, event: str, _: Any) -> Any:
            seen.add(frame.f_lineno)
            return local

        def stop(*_: Any) -> None:
            raise TooLong(item.nodeid)

        def called(frame: Any, *_: Any) -> Any:
            return local if frame.f_code.co_filename == self.file else None

        sys.settrace(called)
        threading.settrace(called)
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, self.most)
        self.began = time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Stop watching."""
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # takes None, as sys.settrace does
        self.seconds[nodeid] = time.process_time() - self.began

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Leave out tests that fail without any help."""
        if report.failed:
            self.failed.add(report.nodeid)


class Planter(importlib.machinery.SourceFileLoader):
    """Imports one module from other source, and says where to find it."""

    source = ""

    def get_code(self, fullname: str) -> Any:
        """Compile what was planted."""
        return compile(self.source, self.path, "exec", dont_inherit=True)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Take the module's import upon itself."""
        found = importlib.util.spec_from_file_location(name, self.path, loader=self)
        return found if name == self.name else None


def pytest_run(arguments: Sequence[str], plugins: Sequence[Any] = ()) -> int:
    """Run pytest in this process, in silence, without looking for the smallest example."""
    import hypothesis
    import pytest

    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("quick", database=None, derandomize=True, phases=phases)
    hypothesis.settings.load_profile("quick")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    return int(pytest.main([*options, *arguments], plugins=list(plugins)))


def in_child(work: Any, cpu: float = 0.0) -> int | None:
    """Fork, do ``work``, and return its exit status; a child that takes too long has failed.

    One that hardly got a turn on a busy processor has said nothing: None.
    """
    child = os.fork()
    if child:
        _, status, used = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        is_starved = code == -signal.SIGALRM and used.ru_utime + used.ru_stime < cpu / 2
        return None if is_starved else code
    try:
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu)))
            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
            signal.alarm(int(20 * cpu))
        os._exit(work())
    finally:
        os._exit(3)


def touched(file: str, paths: Sequence[str], most: float) -> Touched:
    """Run the tests of ``paths`` once, each up to ``most`` CPU seconds, and return what they touch."""
    with tempfile.NamedTemporaryFile("r+") as answer:

        def work() -> int:
            plugin = Touched(file, most)
            pytest_run([*paths, "--maxfail=1000"], [plugin])
            lines = {test: sorted(seen) for test, seen in plugin.lines.items()}
            Path(answer.name).write_text(json.dumps([lines, plugin.seconds, [*plugin.failed]]))
            return 0

        in_child(work)
        found = Touched(file)
        found.lines, found.seconds, failed = json.load(answer)
        found.failed = set(failed)
    return found


def test_module(name: str, sample: int, seed: int, most: float) -> Counter[str]:
    """Plant mutants in module ``name``, print the survivors and return the counts."""
    file = ROOT / "src" / Path(*name.split(".")).with_suffix(".py")
    source = file.read_text()
    if "njit" in source:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    for package in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(package)
    if "njit" in source and name != "equipoise.numerics.rows":
        put_in()
    short = name.removeprefix("equipoise.")
    key = max((k for k in TESTS if f"{short}.".startswith(f"{k}.")), key=len)
    found = touched(str(file), [str(ROOT / "tests" / path) for path in TESTS[key]], 2 * most)
    usable = sorted((t for t in found.seconds if t not in found.failed), key=found.seconds.get)
    every, count = mutants(source), Counter()
    for mutant in sorted(random.Random(seed).sample(every, min(sample, len(every)))):
        own = [t for t in usable if mutant.line in found.lines[t]]
        tests, spent = own or usable, 0.0
        chosen = [t for t in tests if (spent := spent + found.seconds[t]) <= most] or tests[:1]
        planter = Planter(name, str(file))
        planter.source = mutant.source

        def work(planter: Planter = planter, chosen: list[str] = chosen) -> int:
            sys.meta_path.insert(0, planter)
            return pytest_run(chosen)

        change = f"{mutant.before} -> {mutant.after}"
        reason = EQUIVALENT.get((short, source.splitlines()[mutant.line - 1].strip(), change))
        fate = "equivalent"
        if not reason:
            fate = FATES.get(in_child(work, 6 + 2 * min(spent, most)), "killed")
        if fate == "survived":
            place = f"{short}:{mutant.line}" + ("" if own else " (no test comes here)")
            print(f"{place}: {change}", flush=True)
        count[fate] += 1
    rate = count["killed"] / max(count["killed"] + count["survived"], 1)
    print(
        f"{short}: {len(every)} mutants, {sum(count.values())} tried, {dict(count)}, {rate:.0%}",
        flush=True,
    )
    return count


def main() -> None:
    """Test modules one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--sample", type=int, default=30, help="mutants a module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=float, default=6.0, help="CPU seconds of tests a mutant")
    asked = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    # Pools of threads that are there already are not watched: what works on all cores works on one.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "EQUIPOISE_THREADS"):
        os.environ[name] = "1"
    for name in asked.modules:
        in_child(
            lambda name=name: bool(test_module(name, asked.sample, asked.seed, asked.most)) * 0
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
