"""The process that runs cases: one line of JSON in, one line of JSON out, under limits.

Processor time is limited by a timer whose signal writes where the process is and ends it, memory by the
system's limit on data; who started the process reads the verdict from its answer, or from its death.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz.corpus import WARM, corpus, inside, silence
from tests.fuzz.rules import try_rules

MEMORY = 2**30
# Virtual memory is cheap: libraries reserve what they never touch.
SPARE = 3 * 2**30


def main(seconds: float, dump: str) -> None:
    """Serve cases from stdin until it ends."""
    from equipoise.cli.app import run
    from equipoise.errors import EquipoiseError

    answers = os.fdopen(os.dup(1), "w")
    warnings.simplefilter("always")
    # Compile and import everything once: a case pays for itself alone.
    with inside(Path(dump).parent):
        corpus()
        for command in WARM:
            with silence():
                run(command.split())
    with open(dump, "w") as where:
        faulthandler.register(signal.SIGPROF, where, all_threads=False, chain=True)
        resource.setrlimit(resource.RLIMIT_DATA, (_data() + SPARE, resource.RLIM_INFINITY))
        print(json.dumps({"ready": _peak()}), file=answers, flush=True)
        for line in sys.stdin:
            case = json.loads(line)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer: dict[str, Any] = {}
            with inside(Path(case["folder"])), silence() as words:
                try:
                    if "rules" in case:
                        try_rules(case["rules"])
                        answer["code"] = 0
                    else:
                        answer["code"] = run(case["command"])
                except EquipoiseError as error:
                    print(f"equipoise: {error}", file=sys.stderr)
                    answer["code"] = 2
                except BaseException:
                    answer["traceback"] = traceback.format_exc()
            signal.setitimer(signal.ITIMER_PROF, 0)
            answer["out"], answer["err"] = words()
            answer["peak"] = _peak()
            print(json.dumps(answer), file=answers, flush=True)


def _peak() -> int:
    """Return the most memory this process has held, in bytes."""
    try:
        # What the system calls the largest resident set counts that of the process which started this one.
        held = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
        if held:
            return int(held[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _data() -> int:
    """Return an upper bound of the private memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    except OSError:
        return 2**32


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2])
