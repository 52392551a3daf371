"""The last round of Rhode Island Hold'em solved anew, unsafely and safely: exploitability before and after.

A coarse strategy is solved in an abstraction and lifted to the full game; then the last round is re-solved for each
player, with every hand told apart, by each gadget of :mod:`equipoise.solvers.saddle.resolving`; and what the best
opponent wins is certified in the full game.

    python experiments/resolving.py [--ranks 13] [--suits 4] [--gap CHIPS] [--iterations 400] [--river]

With ``--river`` the last round has one bet and one raise, and none after a check: the round that the qualitative
models of Ganzfried and Sandholm (2010) are about, which are solved beside the gadgets.
Writes ``experiments/results/resolving.json``, or ``resolving_river.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from resolving_qualitative import river_island, solve_qualitatively

from equipoise.abstraction.gameshrink import gameshrink
from equipoise.certificates.gap import certify
from equipoise.games import poker
from equipoise.games.poker.game import PokerGame
from equipoise.games.signals.views import signal_rounds
from equipoise.sequence.build import SequenceForm, build
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap
from equipoise.solvers.saddle.cfr import DCFR
from equipoise.solvers.saddle.resolving import GADGETS, promised, resolve, situations
from equipoise.strategy.lift import lift
from equipoise.strategy.profile import Layout, Strategy

RESULTS = Path(__file__).parent / "results"


def plans_of(form: SequenceForm, strategy: Strategy) -> tuple[Any, Any]:
    """Return the realization plans of a strategy of the full game."""
    plans = []
    for player, space in enumerate((form.X, form.Y)):
        behaviour = np.empty(space.size)
        assert form.canonical is not None
        behaviour[form.canonical(player)] = strategy.behaviour[player]
        plans.append(space.plan(behaviour))
    return plans[0], plans[1]


def strategy_of(form: SequenceForm, plans: tuple[Any, Any], like: Strategy) -> Strategy:
    """Return the strategy of plans."""
    assert form.canonical is not None
    vectors = tuple(
        space.behaviour(np.asarray(plan, dtype=np.float64))[form.canonical(player)]
        for player, (space, plan) in enumerate(zip((form.X, form.Y), plans, strict=True))
    )
    return Strategy(like.game, like.fingerprint, vectors, like.layout, like.source)


def public_situations(game: Any, form: SequenceForm, player: int) -> Any:
    """Return the public situation of each of a player's situations: betting, and what all have seen."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    before = signal_rounds(game)[-2]
    one, two = (np.asarray(own, dtype=np.int64) for own in before.pairs)
    first, second = before.views
    graph = sparse.coo_matrix((np.ones(len(one)), (one, first + two)), shape=(first + second,) * 2)
    label = connected_components(graph, directed=False)[1]
    label = label[:first] if player == 0 else label[first:]
    assert form.canonical is not None
    assert form.tree is not None
    places = situations(form, player)
    canonical = np.empty(form.canonical(player).size, dtype=np.int64)
    canonical[form.canonical(player)] = np.arange(len(canonical))
    layout = Layout.of(form.tree, form.buckets)
    starts = layout.starts(player)
    entry = canonical[places]
    node = np.searchsorted(starts, entry, side="right") - 1
    views = before.views[player]
    action, view = (entry - starts[node]) // views, (entry - starts[node]) % views
    keys = np.stack([node, action, label[view]])
    return np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ranks", type=int, default=13)
    parser.add_argument("--suits", type=int, default=4)
    parser.add_argument(
        "--gap", type=float, default=5.0, help="of the coarse strategy, in its model"
    )
    parser.add_argument("--method", default="histogram", help="the abstraction (gameshrink)")
    parser.add_argument("--iterations", type=int, nargs="+", default=[100, 400])
    parser.add_argument("--river", action="store_true", help="one bet and one raise at the end")
    parser.add_argument("--out", type=Path)
    wanted = parser.parse_args()
    table = measure(wanted)
    name = "resolving_river.json" if wanted.river else "resolving.json"
    (wanted.out or RESULTS / name).write_text(json.dumps(table, indent=1) + "\n")


def measure(wanted: Any) -> dict[str, Any]:
    """Return the table: what each player's best opponent wins from her, before and after."""
    made = river_island if wanted.river else poker.rhode_island
    game = made(wanted.ranks, wanted.suits)
    coarse = gameshrink(game, wanted.method)
    found = solve(build(game, coarse), DCFR("float32", gamma=4.0), Gap(wanted.gap))
    base = lift(found.strategy, coarse)
    form = build(game)
    plans = plans_of(form, base)
    before = certify(game, base)
    print(f"{game.name}, coarse strategy by {wanted.method}: gap {found.gap:.3f} in its model")
    print(
        "gadget       iterations  player 1 loses at most  player 2 loses at most  both gains  CPU s"
    )
    _line("coarse", 0, before, 0.0)
    rows = [_row("coarse", 0, before, 0.0, ())]
    for gadget in GADGETS:
        for iterations in wanted.iterations:
            begin, new, worse = time.process_time(), [], []
            for keeper in (0, 1):
                publics = None
                if gadget == "maxmargin":
                    publics = public_situations(game, form, 1 - keeper)
                plan = resolve(form, keeper, plans, gadget, iterations, publics, DCFR("float32"))
                new.append(plan)
                exact = (form.X, form.Y)[keeper]
                feasible = exact.plan(exact.behaviour(np.asarray(plan, dtype=np.float64)))
                after = promised(form, keeper, feasible) - promised(form, keeper, plans[keeper])
                worse.append(float(form.units.unit * np.maximum(after, 0.0).sum()))
            seconds = time.process_time() - begin
            proof = certify(game, strategy_of(form, (new[0], new[1]), base))
            _line(gadget, iterations, proof, seconds)
            rows.append(_row(gadget, iterations, proof, seconds, worse))
    if wanted.river:
        rows.append(_qualitative(game, base))
    return {
        "game": game.name,
        "coarse": {"method": wanted.method, "buckets": coarse.buckets, "gap": found.gap},
        "rows": rows,
    }


def _qualitative(game: PokerGame, base: Strategy) -> dict[str, Any]:
    """Return the row of the qualitative models."""
    begin = time.process_time()
    found, went = solve_qualitatively(game, base)
    seconds = time.process_time() - begin
    proof = certify(game, found)
    _line("qualitative", 0, proof, seconds)
    print(f"             {dict(went)}")
    return _row("qualitative", 0, proof, seconds, ()) | {"programs": dict(went)}


def _line(gadget: str, iterations: int, proof: Any, seconds: float) -> None:
    best = proof.best_responses
    print(
        f"{gadget:11}  {iterations:10,}  {best[1]:22.3f}  {best[0]:22.3f}  {proof.gap:10.3f}  "
        f"{seconds:5.1f}",
        flush=True,
    )


def _row(gadget: str, iterations: int, proof: Any, seconds: float, worse: Any) -> dict[str, Any]:
    return {
        "gadget": gadget,
        "iterations": iterations,
        "player_1_loses_at_most": proof.best_responses[1],
        "player_2_loses_at_most": proof.best_responses[0],
        "gap": proof.gap,
        "promises_broken_by": list(worse),
        "cpu_seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    main()
