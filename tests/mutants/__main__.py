"""Mutation testing: how many small faults in the source do the tests notice?

    python -m tests.mutants equipoise.certificates.tree equipoise.bundle --sample 40 --seed 1

A *mutant* is a module with one small change: another comparison, operator, constant or slice, a
condition turned round, a statement or a returned value left out. Tests that pass all the same have
not noticed; each such survivor is printed with its line. A survivor is a missing test, or an
*equivalent* mutant, one that no test can tell from the original; those we have looked at and found
equivalent are in :data:`EQUIVALENT`, with the reason.

It is quick because nothing is done twice. A parent imports the heavy packages, runs the module's test
files (:data:`TESTS`) once to learn which tests touch which line, and then forks for every mutant: the
child plants the mutated source where the module would be imported from, and runs the tests of that
line until one fails. Numba caches machine code by the file a kernel is written in, and would not see
a change in a kernel that it calls; modules with kernels are therefore tested with Numba switched off,
which small games bear. Leave the source alone while it runs (a worktree of its own is the place).
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
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutants.operators import mutants

ROOT = Path(__file__).resolve().parents[2]

# The test files of a module: the longest prefix of its name that is listed.
TESTS: dict[str, tuple[str, ...]] = {
    "abstraction": ("abstraction",),
    "abstraction.base": ("abstraction/test_abstraction_base.py", "strategy/test_store.py"),
    "abstraction.gameshrink": ("abstraction/test_gameshrink.py",),
    "abstraction.literal": ("abstraction/test_literal.py", "abstraction/test_counterexamples.py"),
    "abstraction.lossless": (
        "abstraction/test_gameshrink.py",
        "abstraction/test_counterexamples.py",
    ),
    "abstraction.dominated": ("abstraction/test_dominated.py",),
    "abstraction.expectation": (
        "abstraction/test_lossy_references.py",
        "abstraction/test_lossy.py",
    ),
    "abstraction.potential": ("abstraction/test_lossy_references.py", "abstraction/test_lossy.py"),
    "abstraction.threshold": ("abstraction/test_lossy_references.py", "abstraction/test_lossy.py"),
    "abstraction.view_tree": ("abstraction/test_lossy.py",),
    "bundle": ("strategy/test_bundle.py", "strategy/test_store.py"),
    "certificates": ("certificates/test_tree.py", "certificates/test_certificates.py"),
    "certificates.arithmetic": ("certificates/test_arithmetic.py",),
    "certificates.certificate": ("certificates/test_arithmetic.py",),
    "certificates.public": ("certificates/test_public.py",),
    "certificates.gap": ("certificates/test_infosets.py", "certificates/test_streamed.py"),
    "certificates.infosets": ("certificates/test_infosets.py",),
    "certificates.spots": ("spots/test_spots.py",),
    "certificates.streamed": ("certificates/test_streamed.py",),
    "certificates.board_walk": ("certificates/test_streamed.py",),
    "certificates.columns": ("certificates/test_streamed.py",),
    "certificates.bayesian": (
        "certificates/test_bayesian_cells.py",
        "qualitative/test_certify_bayesian.py",
    ),
    "certificates.tournament": ("tournament/test_algorithms.py",),
    "games.files": ("games/test_rules_file.py", "games/test_load.py"),
    "games.files.fields": ("games/test_fields.py",),
    "games.files.bayesian": ("qualitative/test_signal_file.py",),
    "games.files.acpc": ("play/test_acpc.py",),
    "games.files.betting_model": ("games/test_betting_models.py",),
    "games.files.bml": ("games/test_bml.py",),
    "games.files.bml_read": ("games/test_bml.py",),
    "games.files.spot": ("spots", "cli/test_opening.py"),
    "games.files.tournament": ("games/test_toml.py", "tournament/test_rules.py"),
    "games.files.toml": ("games/test_toml.py", "games/test_load.py"),
    "games.files.convert": ("games/test_convert.py",),
    "games.files.gambit": ("games/test_gambit_limits.py", "games/test_gambit.py"),
    "games.files.openspiel": ("games/test_openspiel.py",),
    "numerics.refinement": ("abstraction/test_refine.py", "abstraction/test_gameshrink.py"),
    "sequence": ("sequence",),
    "sequence.build": ("sequence/test_blocks.py", "sequence/test_treeplex.py"),
    "sequence.treeplex": ("sequence/test_blocks.py",),
    "sequence.backends.compiled": ("sequence/test_blocks.py",),
    "sequence.backends": ("sequence/test_arrays.py", "sequence/test_payoffs.py"),
    "sequence.from_signals": ("sequence/test_payoffs.py", "sequence/test_stepwise.py"),
    "sequence.payoffs": ("sequence/test_payoffs.py", "sequence/test_stepwise.py"),
    "sequence.payoffs.sparse": (
        "sequence/test_blocks.py",
        "sequence/test_treeplex.py",
        "sequence/test_sparse.py",
    ),
    "sequence.projection": ("sequence/test_projection.py",),
    "sequence.reductions.merge": ("sequence/test_shrink.py",),
    "sequence.reductions.restrict": ("sequence/test_restrict.py",),
    "sequence.reductions.eliminate": ("sequence/test_eliminate.py",),
    "sequence.reductions.grow": ("sequence/test_grow.py",),
    "sequence.prox": ("solvers/test_egt.py",),
    "solvers.saddle": (
        "solvers/test_regret_kernels.py",
        "solvers/test_iterates.py",
        "solvers/test_cfr.py",
    ),
    "solvers.saddle.cfr_arrays": ("solvers/test_devices.py", "solvers/test_iterates.py"),
    "solvers.saddle.cfr_boards": ("spots/test_spots.py",),
    "solvers.saddle.egt": ("solvers/test_egt.py",),
    "solvers.saddle.smoothing": ("solvers/test_smoothing.py",),
    "solvers.saddle.iterated": ("solvers/test_smoothing.py",),
    "solvers.saddle.sampling": ("solvers/test_sampling.py",),
    "solvers.saddle.oracle": ("solvers/test_oracle.py",),
    "solvers.saddle.expansion": ("solvers/test_oracle.py",),
}

# Mutants that no test can tell from the original: (module, line, what was -> what is), and why.
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "certificates.tree",
        "values.append(arithmetic.collect(np.zeros(len(ends), np.int32), total, 1)[:, 0])",
        "1 -> 0",
    ): "the one place that is asked for exists anyway: everything falls on it",
    (
        "certificates.tree",
        "for level in game.depth_levels[1:]:",
        "game.depth_levels[1:] -> game.depth_levels[1 + 1:]",
    ): "the first level is multiplied by the root's reach, which is one",
    (
        "certificates.public",
        "self.expected = np.zeros((3, nodes, hands))",
        "3 -> 4",
    ): "nobody reads the fourth row",
    (
        "certificates.public",
        "below = expected if tree.entry[child] >= 0 else value",
        "0 -> 1",
    ): "only the root enters round 0, and it is nobody's child",
    (
        "sequence.payoffs.sparse",
        "keep = factor > 0",
        "factor > 0 -> factor >= 0",
    ): "entries that become zero are dropped when the operator is made",
    (
        "sequence.payoffs.sparse",
        "matrix.sort_indices()",
        "matrix.sort_indices() -> pass",
    ): "SciPy's conversions sort, too; kernels rely on it",
    (
        "numerics.refinement",
        "for salt in range(8):",
        "8 -> 9",
    ): "one more try after eight",
    (
        "numerics.refinement",
        "member = Relation.of((0, 0), shape, np.arange(len(target)), target, np.ones(len(target)))",
        "0 -> 1",
    ): "only the matrix of this relation is used",
    (
        "numerics.refinement",
        "cells = _mix(_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64))",
        "_mix(levels.view(np.uint64) ^ tag) + sums.indices.astype(np.uint64) -> "
        "_mix(levels.view(np.uint64) ^ tag) - sums.indices.astype(np.uint64)",
    ): "another hash, as good",
    (
        "bundle",
        "if info.compress_type != zipfile.ZIP_STORED or info.file_size > len(view):",
        "info.file_size > len(view) -> info.file_size >= len(view)",
    ): "a member is smaller than the file, which has a header before it",
    (
        "abstraction.threshold",
        "return place.reshape(-1), distinct / distinct.sum(axis=1, keepdims=True)",
        "distinct / distinct.sum(axis=1, keepdims=True) -> "
        "distinct * distinct.sum(axis=1, keepdims=True)",
    ): "the sums are one but for rounding, which is rounded away again",
    (
        "abstraction.literal",
        "total[payment] += weight * share",
        "total[payment] += weight * share -> total[payment] -= weight * share",
    ): "signs that alternate with the depth tell apart the same nodes; a test says that they sum to one",
    (
        "abstraction.dominated",
        "outcome = max((abs(v).max() for s in rounds for v in s.values.values()), default=0.0)",
        "abs(v).max -> abs(v).min",
    ): "a smaller slack for rounding, of which there is none in small games",
    (
        "certificates.bayesian",
        "degree = 0 if profile.signals.finite else game.players - 1",
        "0 -> 1",
    ): "a constant is a line, too",
    (
        "certificates.bayesian",
        "return [float(r.real) for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0]",
        "1e-12 -> 1.000000000001",
    ): "more places to look at, none of which is a better one",
    (
        "certificates.gap",
        "is_poker = isinstance(game, PokerGame) and set(game.tree.kinds) <= {SHOWDOWN}",
        "set(game.tree.kinds) <= {SHOWDOWN} -> set(game.tree.kinds) < {SHOWDOWN}",
    ): "the explicit tree says what the public one says, slower",
    (
        "sequence.projection",
        "plan[np.uint32(blocks.start[b] + a * width + k)] *= t / total",
        "blocks.start[b] + a * width + k -> blocks.start[b] + a * width - k",
    ): "the factor is one but for rounding",
    (
        "sequence.reductions.merge",
        "if sum(len(own) and int(own.max()) + 1 for own in classes) > most:",
        "1 -> 0",
    ): "where merging begins to pay is a guess, and one class more or less of no account",
    (
        "sequence.reductions.merge",
        "if sum(len(own) and int(own.max()) + 1 for own in classes) > most:",
        "int(own.max()) + 1 -> int(own.max()) - 1",
    ): "likewise",
    (
        "sequence.reductions.eliminate",
        "slack = TOLERANCE * np.abs(payoffs.data).max(initial=0.0)",
        "0.0 -> 1.0",
    ): "payoffs are scaled to about one before",
    (
        "games.files.betting_model",
        'fields.fail("commit", "a part of a stack, above 0 and up to 1")',
        'fields.fail("commit", "a part of a stack, above 0 and up to 1") -> pass',
    ): "the offer refuses it next, by the same sentence",
    (
        "solvers.saddle.cfr",
        "if tiled is not None:",
        "tiled is not None -> tiled is None",
    ): "whole plans iterate as tiles do, slower",
    (
        "solvers.saddle.cfr",
        "if self.space.widest == 1:",
        "1 -> 0",
    ): "blocks of one bucket iterate as sets do, slower",
}

HEAVY = ("numpy", "scipy.sparse", "scipy.optimize", "scipy.special", "hypothesis", "pytest", "numba",
         "open_spiel.python.algorithms.cfr")  # fmt: skip


class Touched:
    """A pytest plugin: which tests touch which lines of a file, and what each test costs."""

    def __init__(self, file: str) -> None:
        self.file, self.lines, self.seconds = file, {}, {}
        self.failed: set[str] = set()

    def pytest_runtest_protocol(self, item: Any) -> None:
        """Watch from here on for this test."""
        seen = self.lines.setdefault(item.nodeid, set())

        def local(frame: Any, event: str, _: Any) -> Any:
            seen.add(frame.f_lineno)
            return local

        sys.settrace(lambda frame, *_: local if frame.f_code.co_filename == self.file else None)
        self.began = time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Stop watching."""
        sys.settrace(None)
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


def in_child(work: Any, cpu: float = 0.0) -> int:
    """Fork, do ``work``, and return its exit status; a child that takes too long has failed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu)))
            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
            signal.alarm(int(20 * cpu))
        os._exit(work())
    finally:
        os._exit(3)


def touched(file: str, paths: Sequence[str]) -> Touched:
    """Run the tests of ``paths`` once and return what they touch."""
    with tempfile.NamedTemporaryFile("r+") as answer:

        def work() -> int:
            plugin = Touched(file)
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
    short = name.removeprefix("equipoise.")
    key = max((k for k in TESTS if f"{short}.".startswith(f"{k}.")), key=len)
    found = touched(str(file), [str(ROOT / "tests" / path) for path in TESTS[key]])
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
        fate = "equivalent" if reason else "killed"
        if not reason and in_child(work, 6 + 2 * min(spent, most)) == 0:
            fate = "survived"
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
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    for name in asked.modules:
        in_child(
            lambda name=name: bool(test_module(name, asked.sample, asked.seed, asked.most)) * 0
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
