"""Does a finer model play better? Exploitability along abstractions that refine each other, and that do not.

Each rung of a ladder divides the buckets of the one before (``A>B``), so a finer model never forgets what a
coarser one knew; beside it stand abstractions of the same sizes that were made without regard to each other, and
the anytime ladder of GameShrink, whose thresholds fall. Every rung is solved, and its agent meets its nemesis
in the histogram game and in the true one.

With ``--one-sided`` there is a ladder on which finer is never worse: the opponent in the model sees all that matters
in the true game (``A|gameshrink`` and ``gameshrink|A``, a model for each seat), so its equilibrium is the best that these
buckets allow, and what it guarantees in the model it guarantees in the true game.

    python experiments/refinement.py [--rungs 3] [--one-sided] [--game GAME] [--gap 0.1] [--store FOLDER] [--results FILE]

Agents and figures are kept as in ``abstraction_study.py``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from abstraction_study import GAME, GAMES, RESULTS, Study

RUNGS = ("13-25-125", "13-50-300", "13-75-600", "13-100-1000", "13-150-1500")
THRESHOLDS = ("0-0.05-0.1", "0-0.03-0.05", "0-0.02-0.04", "0-0.009-0.03", "0-0.006-0.02")


def ladders(rungs: int) -> dict[str, list[str]]:
    """Return the names of the abstractions of each ladder."""
    found = {}
    for method in ("expectation", "potential"):
        names = [f"{method}({counts})" for counts in RUNGS[:rungs]]
        found[f"{method}, refined"] = [">".join(names[: i + 1]) for i in range(len(names))]
        found[f"{method}, apart"] = names
    found["threshold"] = [f"threshold(thresholds={each})" for each in THRESHOLDS[:rungs]]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve every rung and print what its nemesis wins."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rungs", type=int, default=3)
    parser.add_argument("--one-sided", action="store_true")
    parser.add_argument("--game", default=GAME)
    parser.add_argument("--gap", type=float, default=0.1)
    parser.add_argument("--store", type=Path, default=Path("abstraction-study"))
    parser.add_argument("--results", type=Path, default=RESULTS.with_name("refinement.json"))
    given = parser.parse_args(arguments)
    study = Study(given.store, given.results, given.gap, game=given.game)
    print(f"| ladder | buckets | {' | '.join(f'{game} game' for game in GAMES)} | gap |")
    print("| --- | --- " + "| ---: " * (len(GAMES) + 1) + "|")
    for ladder, names in ladders(given.rungs).items():
        for name in names:
            print(f"| {ladder} | {' | '.join(row(study, name))} |", flush=True)
    if given.one_sided:
        for name in ladders(given.rungs)["expectation, refined"]:
            print(f"| expectation, one-sided | {' | '.join(one_sided(study, name))} |", flush=True)


def one_sided(study: Study, name: str) -> list[str]:
    """Return what :func:`row` does, of an agent made against an opponent who sees all that matters."""
    models = [f"{name}|{GAMES['true']}", f"{GAMES['true']}|{name}"]
    for model in models:
        study.solved(model)
    first, second = (study.figures["agents"][model] for model in models)
    # Player 1 has at least the lower bound of her model, player 2 at most loses the upper bound of his.
    lost = (second["upper"] - first["lower"]) / 2
    buckets = " / ".join(str(count) for count, _ in study.partition(name).buckets)
    return [buckets, "", f"{lost:.2f}", f"{max(first['gap'], second['gap']):.2f}"]


def row(study: Study, name: str) -> list[str]:
    """Return buckets, losses to the nemesis in both games, and the gap of the model."""
    agent = study.solved(name)
    assert agent is not None
    known = study.figures.get("nemesis", {}).get(name, {})
    for game in GAMES:
        # Who tells more apart than the game shows cannot play there.
        if game not in known and study.yardstick(game).partition.refines(agent[1]):
            met = study.yardstick(game).enter(*agent)
            study.keep("nemesis", name, {game: -study.yardstick(game).nemesis(met)})
    buckets = " / ".join(str(first) for first, _ in agent[1].buckets)
    losses = study.figures["nemesis"][name]
    lost = [f"{losses[game]:.2f}" if game in losses else "" for game in GAMES]
    return [buckets, *lost, f"{study.figures['agents'][name]['gap']:.2f}"]


if __name__ == "__main__":
    main()
