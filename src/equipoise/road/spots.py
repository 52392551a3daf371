"""Spots: a board, two ranges, a pot and bet sizes; the rest of the hand solved with every card told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from equipoise.errors import EquipoiseError
from equipoise.road.families import Family, Found, Sheet, Wish

if TYPE_CHECKING:
    from equipoise.certificates.spots import SpotCertificate
    from equipoise.games.poker.spots import Spot
    from equipoise.road.result import Result
    from equipoise.solvers.base import Solution
    from equipoise.solvers.driver import Arrays, Stop
    from equipoise.strategy.spots import SpotStrategy
    from equipoise.strategy.store import Bundle, Metadata

DEFAULT = "dcfr(dtype=float32,beta=0.5,gamma=4)"
EXPLOITABILITY = 0.5
"""What players may still gain by default, on average, in hundredths of the pot."""

_WHY = "discounted regrets in single precision, board by board"


@dataclass(frozen=True)
class Spots(Family):
    """The family of spots."""

    draws: ClassVar[bool] = True

    name: str = "spot"

    def identity(self, game: Spot) -> tuple[str, str]:
        """Return the spot as ``load`` makes it, and the digest of its rules."""
        return game.name, game.fingerprint

    def stake(self, game: Spot) -> float:
        """Return the largest minus the smallest payoff."""
        from equipoise.sequence.from_spot import spot_units

        return spot_units(game).stake

    def solve(self, game: Spot, wish: Wish) -> Found:
        """Build the sequence form, solve it, and read the behaviour off the plans."""
        from equipoise.sequence.build import build
        from equipoise.solvers.driver import Gap
        from equipoise.solvers.methods import method

        wish.only(self.name)
        chosen = DEFAULT if wish.method in (None, "auto") else str(wish.method)
        _require_holding(game, method(chosen))
        require_memory(game, method(chosen))
        with wish.steps.take("build"):
            form = build(game)
        rule = wish.gap or Gap(game.pot * EXPLOITABILITY / 50)
        stop = (wish.limits | rule).at(form.units.stake)
        own = {
            "game": game.name,
            "fingerprint": game.fingerprint,
            "unit": form.units.unit,
            "algorithm": chosen,
            "method": method(chosen).name,
            "seed": wish.seed,
        }
        with wish.steps.take("solve"), wish.show(stop) as monitor:
            solution = _solve(form, method(chosen), stop, wish, own, monitor)
        with wish.steps.take("read"):
            strategy = _strategy(game, solution)
        return Found(
            strategy=strategy,
            target=stop.gap,
            stake=form.units.stake,
            method=solution.method,
            why=_WHY if wish.method in (None, "auto") else "as asked for",
            status=solution.status,
            iterations=solution.iterations,
            seconds=solution.seconds,
            cpu_seconds=solution.cpu_seconds,
            log=solution.log,
            details=sizes(game, method(chosen)),
        )

    def certify(
        self, game: Spot, strategy: SpotStrategy, *, rigorous: bool = False
    ) -> SpotCertificate:
        """Show by best responses with every card told apart what both players could gain."""
        from equipoise.certificates.spots import certify_spot

        if rigorous:
            raise EquipoiseError("--rigorous: found a spot, expected a game given as a tree.")
        return certify_spot(game, strategy)

    def pack(self, strategy: SpotStrategy) -> tuple[Arrays, Metadata]:
        """Return the behaviour of both players."""
        from equipoise.strategy.spots import packed

        return packed(strategy)

    def unpack(self, path: Path, bundle: Bundle, game: Spot) -> SpotStrategy:
        """Return the strategy of ``game`` in ``bundle``."""
        from equipoise.strategy.spots import strategy_of

        return strategy_of(path, bundle, game)

    def sizes(self, game: Spot) -> dict[str, Any]:
        """Return numbers of hands, lines, boards and sequences, and the memory that a solve takes."""
        return {"players": 2, **sizes(game)}

    def facts(self, result: Result) -> dict[str, Any]:
        """Return what a summary says of a result: the gap as players of poker count it, too."""
        own = super().facts(result)
        share = max(result.summary()["exploitability_pct"], 0.0)
        own["gap"] = f"{share:.3g}% of the pot a player, {own['gap']}"
        return own

    def tables(self, result: Result) -> Iterator[Sheet]:
        """Yield how often each action is taken at the start and after each first action, by kinds of hands."""
        tree = result.game.tree
        for node in (0, *tree.successors[0]):
            if tree.player[node] >= 0 and tree.round[node] == 0:
                yield _sheet(result.game, result.strategy, node)

    def draw(self, result: Result, stem: Path) -> tuple[Path, ...]:
        """Draw the grid of the first decision, and histograms of equity and value."""
        from equipoise.certificates.spot_hands import report
        from equipoise.plots.range_grid import draw

        return draw(report(result.strategy), stem)


def _sheet(spot: Spot, strategy: SpotStrategy, node: int) -> Sheet:
    """Return how often each action is taken on the first street: with all hands, and by kinds of hands.

    Hands count for as often as they are there, against what the other player comes here with.
    """
    import numpy as np

    from equipoise.certificates.spot_hands import reach_at
    from equipoise.certificates.spots import SpotWalk
    from equipoise.games.poker.ranges import kind_of

    tree, player = spot.tree, int(spot.tree.player[node])
    found, weights = strategy.probabilities(node, []), spot.reach[player]
    reach = [
        own[0] * w
        for own, w in zip(reach_at(SpotWalk(spot, strategy), node, []), spot.reach, strict=True)
    ]
    here = reach[player] * ((spot.meets if player == 0 else spot.meets.T) @ reach[1 - player])
    kinds: dict[str, list[int]] = {}
    for i, hand in enumerate(spot.hands[player]):
        kinds.setdefault(kind_of(hand, spot.deck), []).append(i)

    def row(name: str, own: list[int]) -> tuple[str | float, ...]:
        # What the other never comes here with leaves the range itself.
        count = here[own] if here[own].any() else weights[own]
        shares = np.average(found[own], axis=0, weights=count)
        return (name, float(weights[own].sum().round(4)), *shares.round(4).tolist())

    title, history = spot.players[player], tree.histories[node]
    return Sheet(
        f"{title} after {history}" if history else title,
        ("hand", "combos", *(tree.action[child] for child in tree.successors[node])),
        [row("all", list(range(len(weights)))), *(row(kind, own) for kind, own in kinds.items())],
    )


def sizes(game: Spot, method: Any = None) -> dict[str, Any]:
    """Return how large a spot is; ``memory_mb`` is what regrets and averages of the ``method`` take.

    By default they are in single precision. Joint beliefs take two matrices a board beside them.
    """
    import numpy as np

    from equipoise.games.poker.runouts import board_tree
    from equipoise.solvers.saddle.cfr import PACKED

    boards = board_tree(game)
    number = np.dtype(getattr(method, "floats", "float32")).itemsize
    # With optimism, what is played from is kept beside the regrets.
    vectors = 3 if getattr(method, "optimism", 0) else 2
    held = vectors * number * sum(boards.sequences)
    if getattr(method, "dtype", "") == PACKED:
        # The last street in 16 bits a number, and two units for every action on every board.
        last, rivers = game.streets - 1, len(boards.streets[-1])
        held -= sum(
            4 * boards.on_street(i, last) - 8 * boards.slots(i, last) * rivers for i in (0, 1)
        )
    if game.joint is not None:
        pairs = sum(b.widths[0] * b.widths[1] for street in boards.streets for b in street)
        held += 2 * number * pairs
    return {
        "hands": [len(own) for own in game.hands],
        "lines": int((game.tree.player < 0).sum()),
        "boards": [len(street) for street in boards.streets],
        "sequences": list(boards.sequences),
        "memory_mb": round(held / 1e6, 1),
    }


def require_memory(game: Spot, method: Any = None) -> None:
    """Raise if the regrets and averages of a spot need more memory than the machine has left."""
    from equipoise.numerics.memory import free_memory_mb

    found, free = sizes(game, method), free_memory_mb()
    if free is not None and found["memory_mb"] > free:
        raise EquipoiseError(
            f"spot: found {sum(found['sequences']):,} sequences, which need {found['memory_mb']:,.0f} MB, "
            f"expected at most the {free:,.0f} MB that are free: fewer bet sizes, narrower ranges, or "
            "16 bits a number (--compress)."
        )


def _require_holding(game: Spot, method: Any) -> None:
    """Raise unless ``method`` can hold the locks of a spot, and serve promises and joint beliefs."""
    device = getattr(method, "device", "")
    if game.locks and game.joint is not None:
        raise EquipoiseError("joint: found locks beside it, expected one of the two.")
    if game.locks and device != "compiled":
        raise EquipoiseError(
            f"lock: found the method {method.name}, expected one of regrets on the processor, which can "
            "hold what hands do: cfr+, dcfr, pcfr+, ..."
        )
    for name, wanted in (("promised", game.promise), ("joint", game.joint)):
        if wanted is not None and device not in ("", "compiled"):
            raise EquipoiseError(
                f"{name}: found the method {method.name}, expected one on the processor."
            )


def _solve(
    form: Any, method: Any, stop: Stop, wish: Wish, own: dict[str, Any], monitor: Any
) -> Solution:
    """Solve the form, from the beginning or from a checkpoint."""
    from equipoise.solvers.base import solve

    hooks = wish.hooks(own, monitor, wish.before())
    try:
        return solve(form, method, stop, seed=wish.seed, **hooks)
    except EquipoiseError as error:
        if wish.checkpoints is None or not wish.checkpoints.resume:
            raise
        raise EquipoiseError(f"{wish.checkpoints.place}: {error}") from None


def _strategy(game: Spot, solution: Solution) -> SpotStrategy:
    """Return the behaviour of the plans, which is written over them: there may be no room for more."""
    from equipoise.sequence.from_spot import SpotLayout
    from equipoise.sequence.off_path import settled
    from equipoise.strategy.spots import SpotStrategy

    return SpotStrategy(game, settled(solution.form, SpotLayout(game), solution.plans))
