"""Two-player games whose payoffs add up to a constant: trees, matrices, games with signals.

The road is: make a smaller game if asked to, abstract (a game with signals), build the sequence form,
eliminate if asked to, solve it by a method of :mod:`equipoise.solvers.methods`, and lift the plans back to the
full game.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, require_type, short
from equipoise.road.behavioural import Behavioural
from equipoise.road.families import Found, Wish

if TYPE_CHECKING:
    from equipoise.abstraction.base import Abstraction
    from equipoise.abstraction.pairs_file import PairsFile
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.trees.extensive import ExtensiveGame
    from equipoise.sequence.build import SequenceForm
    from equipoise.sequence.reductions.restrict import Restricted
    from equipoise.solvers.base import Method, Solution
    from equipoise.solvers.driver import Stop

    Game = ExtensiveGame | StageGame

# What both players together may gain by default, in parts of what is at stake: in a tree, and in a game
# with signals. In the user's units it is rounded down to a power of ten (Rhode Island: 0.1 chips).
_TREE_GAP, _SIGNALS_GAP = 1e-6, 1e-5
# Poker too large to list is solved through models that lose ten times as much as this, whatever the gap in them
# (of hold'em, 0.04 chips); and certified on so many flops, less than a minute of one core each.
_MODEL_GAP, _FLOPS = 4.2e-4, 8
# What is solved by default in place of such a game, and through which of its models.
_DEFAULT_MODEL = "laptop"


@dataclass(frozen=True)
class ZeroSum(Behavioural):
    """The family of two-player zero-sum games."""

    name: str = "zero-sum"

    def stake(self, game: Game) -> float:
        """Return the largest minus the smallest payoff."""
        from equipoise.sequence.build import units_of

        return units_of(game).stake

    def usual_checks(self, game: Game) -> dict[str, Any]:
        """Return a sample of flops for poker too large to list."""
        return {} if is_listed(game) else {"flops": _FLOPS}

    def solve(self, game: Game, wish: Wish) -> Found:
        """Abstract, build, solve and lift."""
        from equipoise.road.models import models, with_model
        from equipoise.sequence.build import build
        from equipoise.strategy.lift import lift
        from equipoise.strategy.quantise import quantised

        known = ("abstraction", "buckets", "actions", "stages", "model", "eliminate")
        wish.only(self.name, *known, "flops", "device", "pairs")
        wish = replace(wish, options=with_model(game, _options(game, wish)))
        steps = wish.steps
        checks = {} if is_listed(game) else _checks(self.usual_checks(game), wish)
        within = tuple(models(game, wish.options))
        modelled = within[-1].game if within else game
        pairs = _pairs(wish)
        coarse = _abstract(modelled, wish)
        _count_there(coarse, pairs, wish)
        with steps.take("build"):
            form = build(modelled, coarse)
        stop = (wish.limits | (wish.gap or default_gap(form, not is_listed(game)))).at(
            form.units.stake
        )
        small = None
        if wish.options.get("eliminate"):
            small, stop = _eliminate(form, stop, wish)
        with steps.take("solve"):
            solution, method, why = _solve(form, small, stop, wish)
        # Kept as precise as it was solved: in single precision a file is half as large.
        strategy = solution.strategy.astype(getattr(method, "dtype", "float64"))
        if coarse is not None:
            with steps.take("lift"):
                # What is too large to list is played by buckets.
                is_lifted = form.tree is None or is_listed(modelled)
                strategy = lift(strategy, coarse) if is_lifted else strategy.of(modelled, coarse)
        facts: dict[str, Any] = {}
        for model in reversed(within):
            with steps.take("translate"):
                strategy, own = model.whole(strategy)
            facts.update(own)
        if strategy.is_abstract:
            strategy = quantised(strategy)
        return Found(
            strategy=replace(strategy, source=game),
            target=stop.gap,
            stake=form.units.stake,
            method=solution.method,
            why=why,
            status=solution.status,
            iterations=solution.iterations,
            seconds=solution.seconds,
            cpu_seconds=solution.cpu_seconds,
            log=solution.log,
            details={
                **({} if coarse is None else _buckets(coarse)),
                **({} if small is None else _undominated(small.form)),
                **solution.facts,
                **facts,
            },
            checks=checks,
        )


def is_listed(game: Any) -> bool:
    """Say whether a game's deals are few enough to be listed."""
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.games.signals.views import views

    return not isinstance(game, StageGame) or views(game).is_listed


def _checks(usual: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """Return how to certify where boards are drawn, as is usual there unless others, or all, are asked for."""
    flops = wish.options.get("flops")
    is_number = isinstance(flops, Integral) and int(flops) >= 2
    if not (flops is None or flops == "all" or is_number):
        raise EquipoiseError(
            f"flops: found {short(flops)}, expected a whole number from 2 up, or all."
        )
    drawn = {} if flops == "all" else {"flops": flops} if flops else usual
    each = partial(wish.each, "certifying, flops")
    return {**drawn, "device": wish.options.get("device"), "each": each}


def default_gap(form: SequenceForm, is_model: bool = False) -> Stop:
    """Return the target for a user who names none; it is rough for a model of what is too large to list."""
    from equipoise.solvers.driver import Gap

    if form.tree is not None and is_model:
        return Gap(_rounded_down(_MODEL_GAP * form.units.stake))
    share = (_TREE_GAP if form.tree is None else _SIGNALS_GAP) * form.units.stake
    return Gap(10.0 ** math.floor(math.log10(share)) if share > 0 else 0.0)


def _rounded_down(share: float) -> float:
    """Return the largest number with one digit that is no larger."""
    if share <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(share))
    return math.floor(share / power) * power


def choose(method: str, form: SequenceForm, target: float) -> tuple[Method, str]:
    """Return the method that ``method`` names, and why it is used."""
    from equipoise.solvers import auto, methods

    if method == "auto":
        return auto.choose(form, target)
    return methods.method(method), "as asked for"


def _abstract(game: Game, wish: Wish) -> Abstraction | None:
    """Return the abstraction to solve a game with signals through; a tree has none."""
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.road.verbs import abstract

    wanted, buckets = wish.options.get("abstraction"), wish.options.get("buckets")
    if isinstance(game, StageGame):
        with wish.steps.take("abstract"):
            if buckets is None and isinstance(wanted, str) and wanted == "none":
                return None
            if wanted is None or isinstance(wanted, str):
                lossless = "gameshrink" if is_listed(game) else "potential"
                streamed: dict[str, Any] = {}
                if not is_listed(game):
                    streamed = {"seed": wish.seed, "each": wish.each}
                    streamed["device"] = wish.options.get("device")
                return abstract(game, wanted or lossless, buckets, **streamed)
            if buckets is None:
                return _checked(game, wanted)
        raise EquipoiseError("buckets: found an abstraction as well, expected a method's name.")
    if wanted is not None or buckets is not None:
        raise EquipoiseError(
            f"abstraction: '{game.name}' has no signals, expected a game with some."
        )
    return None


def _checked(game: StageGame, wanted: Any) -> Abstraction:
    """Return the abstraction, or the one in the file, ``wanted``, which must be one of ``game``."""
    from equipoise.abstraction.base import Abstraction
    from equipoise.strategy.store import load_abstraction

    found: Abstraction = load_abstraction(wanted, game) if isinstance(wanted, Path) else wanted
    require_type("abstraction", found, Abstraction, "its method, an abstraction or its file")
    try:
        found.check(game)
    except EquipoiseError as error:
        raise EquipoiseError(
            f"{wanted}: {error}" if isinstance(wanted, Path) else str(error)
        ) from None
    return found


def _pairs(wish: Wish) -> PairsFile | None:
    """Return the file for what is counted of an abstraction, which it must be possible to write."""
    from equipoise.abstraction.pairs_file import PairsFile

    kept = wish.options.get("pairs")
    return None if kept is None else PairsFile(kept, wish.note)


def _count_there(coarse: Abstraction | None, pairs: PairsFile | None, wish: Wish) -> None:
    """Tell an abstraction of poker too large to list where it is counted, and where that is kept."""
    from equipoise.abstraction.street_buckets import StreetBuckets
    from equipoise.sequence.backends import devices

    device = wish.options.get("device")
    if not isinstance(coarse, StreetBuckets):
        if pairs is not None:
            raise EquipoiseError(
                f"pairs: found {pairs.path} for a game whose deals are listed, expected no such file."
            )
        return
    coarse.pairs = pairs
    if device not in (None, "compiled"):
        coarse.device = devices.device(str(device), "float32")


def _options(game: Game, wish: Wish) -> dict[str, Any]:
    """Return the options, with a model for a game that is too large to solve as it is."""
    given = dict(wish.options)
    named = ("abstraction", "buckets", "model")
    if not is_listed(game) and not any(given.get(name) for name in named):
        given["model"] = _DEFAULT_MODEL
    return given


def _by_default(wish: Wish) -> str:
    """Return the method for a user who names none: on a device, the one that needs no more than arrays."""
    device = wish.options.get("device")
    return (
        "auto" if device in (None, "compiled") else f"dcfr(device={device},dtype=float32,gamma=4)"
    )


def _eliminate(form: SequenceForm, stop: Stop, wish: Wish) -> tuple[Restricted, Stop]:
    """Return the form without dominated actions, and the rule with the time that is left."""
    from equipoise.sequence.reductions.eliminate import eliminate
    from equipoise.solvers.driver import watch

    with wish.steps.take("eliminate"), watch(stop) as watched:
        small = eliminate(form, watched.should_stop)
        left = 0.0 if watched.interrupted() else max(stop.seconds - watched.clock.seconds, 0.0)
    return small, replace(stop, seconds=left)


def _solve(
    form: SequenceForm, small: Restricted | None, stop: Stop, wish: Wish
) -> tuple[Solution, Method, str]:
    """Solve the form, or the ``small`` one in its place, from the beginning or from a checkpoint.

    Return the method, too, and why it was chosen.
    """
    from equipoise.games.files.fields import Fields
    from equipoise.road.checkpoints import require_same_point
    from equipoise.solvers.base import solve
    from equipoise.solvers.saddle.reduced import Reduced

    kept = wish.checkpoints
    held = wish.before()
    before = Fields({} if held is None else held.metadata, "" if kept is None else str(kept.place))
    algorithm = wish.method or before.text("algorithm", _by_default(wish))
    # A resumed solve goes on as it began, though its target may be another now.
    target = before.number("target", stop.gap)
    method, why = choose(algorithm, form if small is None else small.form, target)
    if small is not None:
        method = Reduced.to(small, method)
    own = {
        "game": form.name,
        "fingerprint": form.fingerprint,
        "unit": form.units.unit,
        "algorithm": algorithm,
        "method": method.name,
        "seed": wish.seed,
        "target": target,
    }
    with wish.show(stop) as monitor:
        hooks = wish.hooks(own, monitor, held)
        if kept is not None and held is not None:
            hooks["resume"] = require_same_point(kept.place, held, form)
        try:
            solution = solve(form, method, stop, seed=wish.seed, **hooks)
        except ArithmeticError as error:
            if kept is None or held is None:
                raise
            raise EquipoiseError(
                f"{kept.place}: found numbers that no solve ends in ({error}), expected a checkpoint "
                "as it was written: solve without --resume to start anew."
            ) from None
    return solution, method, why


def _buckets(coarse: Abstraction) -> dict[str, Any]:
    """Return what the summary says of an abstraction."""
    known: dict[str, Any] = {"abstraction": coarse.method, "buckets": by_round(coarse.buckets)}
    errors = getattr(coarse, "sampling_errors", ())
    if errors:
        known["pairs"] = {"boards": getattr(coarse, "sample", None), "errors": list(errors)}
    return known


def by_round(buckets: Sequence[Sequence[int]]) -> list[Any]:
    """Return the buckets of each round: one number if all players have as many, else one each."""
    return [counts[0] if len(set(counts)) == 1 else list(counts) for counts in buckets]


def _undominated(left: SequenceForm) -> dict[str, Any]:
    """Return what the summary says of an elimination: the linear program over what is left."""
    from equipoise.games.signals.sizes import program_size

    spaces = left.X, left.Y
    sizes = program_size([own.infosets for own in spaces], [own.size for own in spaces])
    return {"undominated": dict(zip(("rows", "columns"), sizes, strict=True))}
