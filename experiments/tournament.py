"""Jam/fold tournaments (Ganzfried and Sandholm 2008, 2009): ours beside theirs.

    python experiments/tournament.py [--chips 13500] [--algorithms pi-fp,vi-fp] [--gain 0.001]

Heads-up push/fold for chips; a game on which the first algorithm converges to no equilibrium; the
tournament with three players, gain by outer iteration for each algorithm, ranges at equal stacks, what
the folded cards change, what ICM gets wrong, and what players who believe in it lose. With 13,500 chips every algorithm takes
minutes: some 6 of CPU time for ``pi-fp``.
"""

from __future__ import annotations

import argparse

import numpy as np

from equipoise.cards.showdown import COMBOS
from equipoise.certificates.tournament import certify_tournament, ex_post
from equipoise.games.tournaments.contraction import pair_table, triple_table
from equipoise.games.tournaments.jamfold import cash, tournament_game
from equipoise.games.tournaments.stochastic import hot_potato
from equipoise.games.tournaments.tournament import (
    POSITIONS,
    Hands,
    Tournament,
    decisions,
    describe,
    outcomes,
)
from equipoise.solvers.driver import Stop
from equipoise.solvers.stochastic.fictitious import fictitious_play
from equipoise.solvers.stochastic.jamfold import regret_matching
from equipoise.solvers.stochastic.stochastic import ALGORITHMS, solve_stochastic
from equipoise.solvers.stochastic.tournament import TournamentSolution, solve_tournament
from equipoise.strategy.tournament import TournamentStrategy

# Known values of heads-up push/fold to the small blind, in big blinds.
HEADS_UP = {10: -0.045371, 15: -0.127227, 20: -0.183190}
# At equal stacks of 4,500: shares of hands, in percent.
RANGES = {
    "button jams": 37.6,
    "small blind jams after a fold": 65.2,
    "big blind calls the small blind": 27.3,
}
GAIN, ITERATIONS = 0.0488, 21
# Outer iterations for those that average strategies, which need many.
MOST = 60


def heading(text: str) -> None:
    """Print a section title."""
    print(f"\n{text}\n{'-' * len(text)}")


def heads_up() -> None:
    """Push/fold for chips with two players."""
    heading("Heads-up push/fold, value to the small blind in big blinds")
    for stack, known in HEADS_UP.items():
        game = cash(stack)
        profile = regret_matching(game, np.zeros(2), None, 1e-6)
        chances = game.induced(profile).outcome_chances(profile)[0, 0]
        value = float(chances @ game.payoffs(np.zeros(2))[0, :, 0]) - stack
        push, call = game.plays(profile)[0] @ COMBOS / 1326
        print(f"{stack} bb: {value:.6f} (known {known:.6f}), push {push:.1%}, call {call:.1%}")


def counterexample() -> None:
    """All four algorithms on a game whose states are believed to be worth 3 to everybody."""
    heading("Passing on a turn that is worth 2, believed to be worth 3")
    game = hot_potato()
    for name in ALGORITHMS:
        found = solve_stochastic(
            game, np.full(game.nodes, 3.0), fictitious_play, name, Stop(gap=1e-3)
        )
        check = ex_post(game, found.profile)
        print(
            f"{name}: {found.status.value} after {found.iterations} iterations, believes "
            f"{found.claimed[0]:.3f}, gets {check.values[0]:.3f}; ex-post gain {check.gain:.3f}"
        )


def outer_iterations(name: str, solution: TournamentSolution) -> None:
    """The gain after every outer iteration."""
    heading(f"{name}: {ALGORITHMS[name].why}")
    for row in solution.log:
        print(f"iteration {row.iterations:3}: gain ${row.gap:.6f}, CPU {row.cpu_seconds:.0f} s")
    print(
        f"{solution.status.value}: gain ${solution.gain:.6f} (published ${GAIN} after {ITERATIONS} "
        "iterations of several hours each)"
    )


def against_published(solution: TournamentSolution) -> None:
    """The certificate, and ranges at equal stacks."""
    rules = solution.strategy.tournament
    heading("Certificate and ranges at equal stacks, published in brackets")
    proof = certify_tournament(solution.strategy)
    print(
        f"ex-post gain ${proof.gain:.6f} [{GAIN}], {proof.share:.5%} of the prizes; "
        f"tables off by at most ${proof.error:.6f}"
    )
    shares, often = (
        solution.strategy.shares(equal(rules)),
        solution.strategy.frequencies(equal(rules)),
    )
    for decision, part, frequency in zip(decisions(3), shares, often, strict=True):
        name = describe(3, decision)
        theirs = f" [{RANGES[name]}%]" if name in RANGES else ""
        print(f"{name}: {part:.1%} of hands, {frequency:.1%} of the time{theirs}")


def folded_cards(solution: TournamentSolution) -> None:
    """Small against big blind at equal stacks after a fold, by what is made of the folded cards."""
    heading("After the button's fold at equal stacks: small blind jams, big blind calls")
    hands, stacks = Hands(solution.strategy.tournament, 3), equal(solution.strategy.tournament)
    state = hands.number[solution.strategy.tournament.state(stacks)]
    game = tournament_game(hands, solution.values[2])
    v = game.payoffs(solution.values[3])[state]
    jams = solution.strategy.at(stacks)[0].astype(np.float32)
    dealt = pair_table(3)
    left = dealt - triple_table().ranked @ jams
    models = {
        "as they are: neither in a hand nor on the board": left,
        "not in a hand, but on the board": dealt / dealt[0] * left[0],
        "as if they had not been dealt": dealt,
    }
    for name, deals in models.items():
        jam, call = blind_battle(deals, v) @ COMBOS / 1326
        print(f"{name}: {jam:.1%} and {call:.1%}")


def blind_battle(deals: np.ndarray, v: np.ndarray, steps: int = 3000) -> np.ndarray:
    """Solve small against big blind with these deals: all, won and tied by the small blind."""
    names = [way.inside for way in outcomes(3)]
    alone, walk, pot = names.index((1,)), names.index((2,)), names.index((1, 2))
    parts = (deals[1], deals[2], deals[0] - deals[1] - deals[2])
    gains = [
        sum(part * (v[pot + o, p] - v[alone, p]) for o, part in enumerate(parts)) for p in (1, 2)
    ]
    plays, regret, average = np.full((2, 169), 0.5), np.zeros((2, 2, 169)), np.zeros((2, 169))
    for t in range(1, steps + 1):
        for p in range(2):
            above = gains[1].T @ plays[0] if p else gains[0] @ plays[1]
            above = above if p else above + deals[0].sum(axis=1) * (v[alone, 1] - v[walk, 1])
            regret[p] += np.stack([-plays[p] * above, (1 - plays[p]) * above])
            regret[p] = np.maximum(regret[p], 0)
            total = regret[p].sum(axis=0)
            plays[p] = np.divide(regret[p, 1], total, out=plays[p].copy(), where=total > 0)
        average += (plays - average) * (3 / (t + 2))
    return average


def equal(rules: Tournament) -> list[int]:
    """Return equal stacks, as far as units allow."""
    share, odd = divmod(rules.units, 3)
    return [rules.unit * (share + (p < odd)) for p in range(3)]


def against_icm(solution: TournamentSolution) -> None:
    """How far ICM is off, and what players who trust it lose."""
    rules = solution.strategy.tournament
    heading("The Independent Chip Model")
    hands = Hands(rules, 3)
    off = (hands.icm() - solution.values[3]).reshape(-1, 3)
    for p, name in enumerate(POSITIONS[3]):
        low, high = off[:, p].argmin(), off[:, p].argmax()
        print(
            f"{name}: ICM is off by {off[:, p].mean():+.3f} on average, from {off[low, p]:+.3f} at "
            f"{hands.states[low]} to {off[high, p]:+.3f} at {hands.states[high]} (in units)"
        )
    plays = {2: solution.strategy.plays[2]}
    game = tournament_game(hands, Hands(rules, 2).icm())
    plays[3] = game.plays(regret_matching(game, hands.icm(), None, 1e-3))
    gain = certify_tournament(TournamentStrategy(rules, plays)).gain
    print(f"if all play hands as if ICM were true, a player can gain ${gain:.3f}")


def main(arguments: list[str] | None = None) -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chips", type=int, default=13_500)
    parser.add_argument("--algorithms", default="pi-fp")
    parser.add_argument("--gain", type=float, default=0.001)
    chosen = parser.parse_args(arguments)
    heads_up()
    counterexample()
    rules = Tournament(3, chosen.chips, (300, 600), (50.0, 30.0, 20.0))
    for place, name in enumerate(chosen.algorithms.split(",")):
        solution = solve_tournament(rules, name, Stop(gap=chosen.gain, iterations=MOST))
        outer_iterations(name, solution)
        if place == 0:
            against_published(solution)
            folded_cards(solution)
            against_icm(solution)


if __name__ == "__main__":
    main()
