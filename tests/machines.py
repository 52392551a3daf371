"""The README's two commands on machines unlike this one, as far as one machine can stand in for others.

    python -m tests.machines [--short] [NAME[+NAME...] ...]

In a fresh clone it solves Rhode Island hold'em and runs the tests on every machine of a list. A machine is
one or more conditions that hold at once (a kind of processor, a number of cores, no compiler, a home that
cannot be written, ...), joined by ``+``; by default a few machines that have every condition among them,
since a run that is green under several at once is green under each. Last it builds the package, installs
the wheel alone into an empty environment and solves there. ``--short`` is for CI: in this clone, to a coarser
gap, and with the tests in which processors could differ. Exits 0 if all is well.

Needs nothing but Python and git; a condition that this machine cannot make is said to be left out.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILER = re.compile(r"(.*-)?(cc|c\+\+|gcc|g\+\+|cpp|clang|clang\+\+|tcc|nvcc)(-[\d.]+)?")
COARSE = ["--gap", "100"]
# Products, iterates, and places to write: what a processor, a thread count or a home could change.
TELLING = [
    "tests/sequence/test_treeplex.py",
    "tests/solvers/test_iterates.py",
    "tests/test_files.py",
]


@dataclass(frozen=True)
class Condition:
    """What is changed about the machine: its environment, its cores, where the user stands."""

    environment: Callable[[Path], Mapping[str, str]] = lambda scratch: {}
    cores: int | None = None
    folder: str = "folder"
    needs: str | None = None  # a flag of the processor


@dataclass
class Report:
    """What was run and what came of it, printed as it happens."""

    failures: list[str] = field(default_factory=list)

    def run(self, name: str, command: list[str | Path], **options: object) -> None:
        """Run a command; on failure print the end of what it said."""
        started = time.monotonic()
        done = subprocess.run(
            [str(word) for word in command],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,  # type: ignore[call-overload]
        )
        seconds = time.monotonic() - started
        self.note(name, f"{seconds:.0f} s", is_right=done.returncode == 0)
        if done.returncode:
            print(done.stdout[-5000:])

    def note(self, name: str, found: str, *, is_right: bool) -> None:
        """Say whether something is as it should be."""
        print(f"{'ok    ' if is_right else 'FAILED'}  {name}: {found}", flush=True)
        if not is_right:
            self.failures.append(name)


# ------------------------------------------------------------------------------------- conditions


def without_compilers(scratch: Path) -> Mapping[str, str]:
    """Return a PATH with every program of this one but compilers."""
    programs = scratch / "programs"
    programs.mkdir()
    for folder in os.get_exec_path():
        for program in Path(folder).iterdir() if os.path.isdir(folder) else ():
            place = programs / program.name
            if not COMPILER.fullmatch(program.name) and not os.path.lexists(place):
                place.symlink_to(program)
    return {"PATH": str(programs), "CC": "false", "CXX": "false"}


def without_home(scratch: Path) -> Mapping[str, str]:
    """Return a home that is a file, in which even the superuser can make nothing."""
    home = scratch / "home"
    home.touch()
    return {"HOME": str(home), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}


def blas(core: str) -> Callable[[Path], Mapping[str, str]]:
    """Return the environment in which OpenBLAS works as on another processor."""
    return lambda scratch: {"OPENBLAS_CORETYPE": core}


def without_avx512(scratch: Path) -> Mapping[str, str]:
    """Return the environment in which BLAS, Numba and NumPy know no more than AVX2."""
    return {
        "OPENBLAS_CORETYPE": "Haswell",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+avx2,+fma",
        # By their names of before and after NumPy 2.4; those that it does not know are passed over.
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL X86_V4 "
        "AVX512_ICL AVX512_SPR",
    }


CONDITIONS = {
    "no compiler": Condition(without_compilers),  # the first, so that it is installed without one
    "Haswell": Condition(without_avx512, needs="avx2"),
    "Zen": Condition(blas("Zen"), needs="avx2"),
    "SkylakeX": Condition(blas("SkylakeX"), needs="avx512f"),
    "one core": Condition(cores=1),
    "two cores": Condition(cores=2),
    "read-only home": Condition(without_home),
    "another folder": Condition(folder="wo sie grad stöht"),
}
# Every condition once, in as few runs as there are kinds of processors.
MACHINES = (
    "no compiler+Haswell+two cores+read-only home+another folder",
    "Zen+one core",
    "SkylakeX",
)


def obstacle(condition: Condition) -> str | None:
    """Return why this machine cannot make the condition."""
    flags = Path("/proc/cpuinfo")
    if condition.needs and (not flags.exists() or condition.needs not in flags.read_text()):
        return f"the processor is not known to have {condition.needs}"
    if condition.cores is None:
        return None
    if not hasattr(os, "sched_setaffinity"):
        return "the system lets no process choose its cores"
    cores = len(os.sched_getaffinity(0))
    return f"there is {cores} core" if cores < condition.cores else None


def confine(cores: int | None) -> Callable[[], None] | None:
    """Return what a child does to keep to the first few cores."""
    if cores is None:
        return None
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    return lambda: os.sched_setaffinity(0, chosen)


def unknown_conditions(machine: str) -> set[str]:
    """Return the parts of a machine's name that are no conditions."""
    return set(machine.split("+")) - {*CONDITIONS}


def try_machine(name: str, clone: Path, is_short: bool, report: Report) -> None:
    """Run the two commands under conditions that hold at once, from a folder of their own."""
    conditions = [CONDITIONS[part] for part in name.split("+")]
    for reason in filter(None, map(obstacle, conditions)):
        print(f"left out  {name}: {reason}")
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, *(condition.folder for condition in conditions))
        folder.mkdir(parents=True)
        environment = dict(os.environ)
        for condition in conditions:
            environment |= condition.environment(Path(made))
        cores = [condition.cores for condition in conditions if condition.cores]
        options: dict[str, object] = {
            "cwd": folder,
            "env": environment,
            "preexec_fn": confine(min(cores, default=None)),
        }
        solve = [clone / "run", "solve", "rhode-island", *(COARSE if is_short else [])]
        report.run(f"{name}, ./run solve rhode-island", solve, **options)
        kept = [path.name for path in folder.iterdir()]
        report.note(f"{name}, where it is saved", str(kept), is_right=kept == ["rhode-island.eqp"])
        test = [clone / "run", "test"]
        if is_short:
            test = [clone / ".venv/bin/python", "-m", "pytest", *TELLING]
            options["cwd"] = clone
        report.run(f"{name}, ./run test", test, **options)


# ---------------------------------------------------------------------------------------- packages


def try_package(clone: Path, report: Report) -> None:
    """Build the package, look into it, install the wheel alone, and solve where nothing else is."""
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        for name in ("build", "empty"):
            report.run(
                f"package, environment to {name}", [sys.executable, "-m", "venv", scratch / name]
            )
        build = scratch / "build/bin/python"
        report.run("package, build", [build, "-m", "pip", "install", "--quiet", "build"])
        report.run("package, python -m build", [build, "-m", "build", "--outdir", scratch, clone])
        tracked = set(
            subprocess.check_output(["git", "ls-files"], cwd=clone, text=True).split("\n")
        )
        for archive in sorted([*scratch.glob("*.tar.gz"), *scratch.glob("*.whl")]):
            stray = sorted(set(contents(archive)) - tracked)
            report.note(f"package, stray files in {archive.name}", str(stray), is_right=not stray)
        python = scratch / "empty/bin/python"
        wheels = list(scratch.glob("*.whl"))
        report.run("package, install", [python, "-m", "pip", "install", "--quiet", *wheels])
        alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        solve = [scratch / "empty/bin/equipoise", "solve", "rhode-island", *COARSE]
        report.run("package, equipoise solve rhode-island", solve, cwd=scratch, env=alone)
        found = (scratch / "rhode-island.eqp").exists()
        report.note("package, where it is saved", f"found: {found}", is_right=found)


def contents(archive: Path) -> list[str]:
    """Return the files of a package as paths in the clone, less those that building adds."""
    if archive.suffix == ".whl":
        names = [f"src/{name}" for name in zipfile.ZipFile(archive).namelist()]
        return [name for name in names if ".dist-info/" not in name]
    with tarfile.open(archive) as file:
        names = [member.name.partition("/")[2] for member in file.getmembers()]
    return [name for name in names if name != "PKG-INFO"]


def main(arguments: list[str] | None = None) -> int:
    """Try the conditions and say what failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true", help="in this clone, and less of each")
    parser.add_argument(
        "names", nargs="*", help=f"package, or, joined by +, some of: {', '.join(CONDITIONS)}"
    )
    chosen = parser.parse_args(arguments)
    names = chosen.names or [*MACHINES, "package"]
    if unknown := set().union(*(unknown_conditions(n) for n in names if n != "package")):
        parser.error(f"found {sorted(unknown)}, expected some of {[*CONDITIONS, 'package']}")
    report = Report()
    with tempfile.TemporaryDirectory(prefix="fr isch ü ") as made:
        clone = ROOT
        if not chosen.short:
            clone = Path(made, "equipoise")
            report.run("clone", ["git", "clone", "--quiet", ROOT, clone])
        for name in names:
            if name == "package":
                try_package(clone, report)
            else:
                try_machine(name, clone, chosen.short, report)
    print(f"{len(report.failures)} failed", *report.failures, sep="\n  ")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
