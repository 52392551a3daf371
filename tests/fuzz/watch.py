"""Makes cases, has a worker run them, and judges what comes back."""

from __future__ import annotations

import json
import os
import random
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.fuzz import mutate
from tests.fuzz.corpus import GROWING, LINES, NODES, SPECS, Seed, corpus, inside
from tests.fuzz.worker import MEMORY

# Of processor time; and of waiting, for a process that sleeps.
SECONDS, PATIENCE = 10.0, 300.0
ROOT = Path(__file__).parents[2]


class Case:
    """Files and a command, or random rules; equal for equal seeds and numbers."""

    def __init__(self, seeds: list[Seed], seed: int, number: int) -> None:
        chance = random.Random(f"{seed} {number}")
        self.files: dict[str, bytes] = {}
        self.rules: str | None = None
        self.command: list[str] = []
        draw = chance.random()
        if draw < 0.1:
            self.kind, self.rules = "rules", f"{seed} {number}"
        elif draw < 0.2:
            self.kind = "line"
            self.command = mutate.line(
                chance.choice(LINES).replace("SPEC", chance.choice(SPECS)), chance
            )
        else:
            origin = chance.choice(seeds)
            self.kind = origin.name.rpartition(".")[2]
            change = mutate.text if origin.is_text else mutate.bundle
            self.files[origin.name] = change(origin.data, chance)
            out = origin.name.removesuffix(".checkpoint")
            words = chance.choice(origin.commands).split()
            self.command = [{"F": origin.name, "OUT": out}.get(word, word) for word in words]
        if self.command and self.command[0] in GROWING:
            self.command += ["--nodes", str(NODES)]

    def put(self, folder: Path) -> None:
        """Write the files into ``folder``."""
        for name, data in self.files.items():
            (folder / name).write_bytes(data)

    @property
    def text(self) -> str:
        """The command, to repeat the case in the folder of its files."""
        if self.rules is not None:
            return (
                f"python -c \"from tests.fuzz.rules import try_rules; try_rules('{self.rules}')\""
            )
        return shlex.join(["python", "-m", "equipoise", *self.command])


class Fuzzer:
    """Runs cases in a worker, which is replaced when it dies or has grown."""

    def __init__(self, seed: int, faults: Path) -> None:
        self._seed, self._faults = seed, faults
        self._home = Path(tempfile.mkdtemp(prefix="equipoise-fuzz-"))
        (self._home / "corpus").mkdir()
        with inside(self._home / "corpus"):
            self._seeds = corpus()
        self._worker: subprocess.Popen[str] | None = None

    def __enter__(self) -> Fuzzer:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def run(self, number: int) -> tuple[str, str | None]:
        """Run a case; return its kind and what was wrong, if anything."""
        case = Case(self._seeds, self._seed, number)
        answer = self._try(case)
        if answer is not None and answer["peak"] > MEMORY:
            # A case pays for itself alone, not for what those before it left in the worker.
            self._stop()
            answer = self._try(case)
        fault = self._death() if answer is None else judge(answer)
        if answer is None or answer["peak"] > MEMORY:
            self._stop()
        if fault is None:
            return case.kind, None
        place = self._faults / f"{self._seed}-{number}"
        place.mkdir(parents=True, exist_ok=True)
        case.put(place)
        (place / "command.txt").write_text(case.text + "\n")
        (place / "fault.txt").write_text(fault + "\n")
        return case.kind, f"{fault.strip().splitlines()[-1][:300]} ({case.text[:120]})"

    def _try(self, case: Case) -> dict[str, Any] | None:
        """Return the worker's answer to a case in a folder of its own."""
        folder = self._home / "case"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        case.put(folder)
        asked: dict[str, Any] = {"folder": str(folder), "command": case.command}
        if case.rules is not None:
            asked["rules"] = case.rules
        return self._ask(asked)

    def _ask(self, case: dict[str, Any]) -> dict[str, Any] | None:
        """Return the worker's answer, or nothing if it dies or stays silent."""
        worker = self._worker or self._start()
        assert worker.stdin is not None
        try:
            print(json.dumps(case), file=worker.stdin, flush=True)
        except BrokenPipeError:
            return None
        return self._answer(worker)

    def _answer(self, worker: subprocess.Popen[str]) -> dict[str, Any] | None:
        assert worker.stdout is not None
        ready, _, _ = select.select([worker.stdout], [], [], PATIENCE)
        line = worker.stdout.readline() if ready else ""
        return json.loads(line) if line else None

    def _start(self) -> subprocess.Popen[str]:
        one = dict.fromkeys(("NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        paths = os.pathsep.join([str(ROOT), *sys.path])
        self._dump.parent.mkdir(exist_ok=True)
        worker = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", str(SECONDS), str(self._dump)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self._home,
            env={**os.environ, **one, "PYTHONPATH": paths},
        )  # fmt: skip
        if self._answer(worker) is None:
            worker.kill()
            raise RuntimeError("the worker did not start")
        self._worker = worker
        return worker

    @property
    def _dump(self) -> Path:
        """Where a worker that runs out of time says where it was."""
        return self._home / "worker" / "where"

    def _death(self) -> str:
        """Say how the worker died; it is gone after this."""
        assert self._worker is not None
        try:
            code: int | None = self._worker.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        where = self._dump.read_text()
        if where:
            return f"{where}more than {SECONDS:g} s of processor time"
        return f"no answer in {PATIENCE:g} s" if code is None else f"died with {code}"

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            for pipe in (self._worker.stdin, self._worker.stdout):
                if pipe is not None:
                    pipe.close()
            self._worker = None


def judge(answer: dict[str, Any]) -> str | None:
    """Return what is wrong with an answer, or nothing."""
    if "traceback" in answer:
        return str(answer["traceback"])
    lines = answer["err"].splitlines()
    if answer["code"] not in (0, 1, 2):
        return f"exit {answer['code']}"
    if answer["code"] == 2 and (len(lines) != 1 or answer["out"]):
        return (
            f"exit 2 with {lines} on stderr and {answer['out'][:80]!r} on stdout, expected one line"
        )
    stray = [line for line in lines if not line.startswith("equipoise: ")]
    if stray:
        return f"exit {answer['code']} with {stray[:3]} on stderr"
    if "out of memory" in answer["err"] or answer["peak"] > MEMORY:
        return f"more than {MEMORY >> 20} MB of memory ({answer['peak'] >> 20})"
    return None
