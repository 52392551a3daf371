"""What is left open, and what came later: variants of abstraction algorithms of one size, and what their nemeses win.

The source leaves open how many temporary clusters a potential-aware pass has, and which of two distances it means
(Gilpin 2009, section 6.5; the slides that go with it). Beside them stand the earth mover's distance, last rounds told apart
by outcomes or by opponents, the other algorithms, and the published size they are compared at.

    python experiments/abstraction_variants.py [--granularity 13-50-250] [--variant NAME ...] [--game GAME]
        [--gap 0.1] [--store FOLDER] [--results FILE]

Agents and figures are kept as in ``abstraction_study.py``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from abstraction_study import GAME, GAMES, RESULTS, Study
from refinement import row

VARIANTS = (
    "expectation",
    "expectation-squared",
    "threshold",
    "potential",
    "potential(temporary=25)",
    "potential(temporary=200)",
    "potential(distance=l1)",
    "potential(distance=emd)",
    "potential(leaves=outcomes)",
    "potential(leaves=opponents)",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve every variant and print what its nemesis wins."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--granularity", default="13-50-250")
    parser.add_argument("--variant", choices=VARIANTS, action="append")
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--store", type=Path, default=Path("abstraction-study"))
    parser.add_argument(
        "--results", type=Path, default=RESULTS.with_name("abstraction_variants.json")
    )
    given = parser.parse_args(arguments)
    study = Study(given.store, given.results, given.gap, game=given.game)
    print(f"| {given.granularity} | buckets | {' | '.join(f'{g} game' for g in GAMES)} | gap |")
    print("| --- | --- " + "| ---: " * (len(GAMES) + 1) + "|")
    for variant in given.variant or VARIANTS:
        method, bracket, options = variant.partition("(")
        name = f"{method}({given.granularity}{',' if bracket else ')'}{options}"
        print(f"| `{variant}` | {' | '.join(row(study, name))} |", flush=True)


if __name__ == "__main__":
    main()
