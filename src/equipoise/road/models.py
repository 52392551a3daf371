"""Smaller games in place of a whole one, as users ask for them: fewer actions, fewer rounds.

Cards are abstracted within a game; what players do is abstracted by solving another game. A :class:`SmallerGame` is
such a game, and the way back: its strategies become strategies of the whole game, to be certified there.

Published players of hold'em went through models of all three kinds at once: so many buckets a round, so many
bets a round, so many rounds. :data:`NAMED` has them as rows of options, which users may also give one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.errors import EquipoiseError, require_type, short

if TYPE_CHECKING:
    from equipoise.abstraction.stages import Behaviour
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.strategy.profile import Strategy


@dataclass(frozen=True)
class SmallerGame:
    """A smaller game, and the strategy of the whole one that a strategy of it stands for.

    ``whole`` also returns what a summary says of the way back, ready for JSON.
    """

    game: StageGame
    whole: Callable[[Strategy], tuple[Strategy, dict[str, Any]]]


class NamedModel(NamedTuple):
    """A row of :data:`NAMED`: the game it is a model of, how to make it, and what it is."""

    game: str
    options: Mapping[str, str]
    why: str


def _limit(why: str, method: str, buckets: str, **options: str) -> NamedModel:
    """Return a model of limit hold'em; without a cap there are four bets a round, as in the game."""
    return NamedModel("limit_holdem", {"abstraction": method, "buckets": buckets, **options}, why)


# Gilpin (2009): section and table. Sizes of linear programs say which caps a model had: GS1's, "Texas" and
# GS4's are printed (section 6.3.1, Table 8.1), GS2's and that of GS4's first game are not.
NAMED: dict[str, NamedModel] = {
    "gs1": _limit(
        "GS1 of 2005, its first phase (section 6.3.1): two rounds, rolled out",
        "threshold",
        "169-2465",
        actions="cap=4-3-3-3",
        stages="2",
    ),
    "gs2": _limit(
        "GS2 of 2006, its first phase (section 6.4.1): three rounds",
        "expectation",
        "15-225-900",
        actions="cap=4-3-3-3",
        stages="3",
    ),
    "gs3": _limit(
        "GS3 of 2007 (section 6.5.4): four rounds and all bets",
        "potential(boards=all)",
        "20-800-4800-28800",
    ),
    "gs4-first": _limit(
        "the first game of GS4 (section 6.6): three rounds, no two hands before the flop alike",
        "potential",
        "169-6760-54080",
        stages="3",
    ),
    "gs4": _limit(
        "GS4 of 2008 (section 6.6, Table 8.1): hands before the flop by how they are played",
        "strategy(boards=all)",
        "20-800-4800-28800",
    ),
    "texas": _limit(
        "the instance 'Texas' of Table 8.1: the buckets of Tartanian, limit betting",
        "potential",
        "10-150-750-3750",
        actions="cap=4-3-3-3",
    ),
    "laptop": _limit(
        "small enough for two cores and a few minutes", "potential", "20-100-400-1200"
    ),
}
"""Models by the name that users type, as options of ``solve``.

With as many buckets as GS3 has, a sample of boards leaves most pairs of them to chance: all are counted."""


def with_model(game: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``options`` with a model's name replaced by what it stands for; what else is given counts first."""
    given = {
        name: value for name, value in options.items() if value is not None and value is not False
    }
    wanted = given.pop("model", None)
    if wanted is None:
        return given
    require_type("model", wanted, str, f"one of {', '.join(NAMED)}")
    if wanted not in NAMED:
        raise EquipoiseError(
            f"model '{wanted!s:.40}': unknown, expected one of {', '.join(NAMED)}."
        )
    row = NAMED[wanted]
    if game.name != row.game:
        raise EquipoiseError(
            f"model '{wanted}': found the game '{game.name}', expected {row.game}."
        )
    return {**row.options, **given}


def models(game: Any, options: Mapping[str, Any]) -> Iterator[SmallerGame]:
    """Yield the models that a user wants to go through, from the whole game to the smallest."""
    for option, make in (("actions", _fewer_actions), ("stages", _fewer_rounds)):
        wanted = options.get(option)
        if wanted is None:
            continue
        model = make(_with_signals(game, option), wanted)
        yield model
        game = model.game


def _with_signals(game: Any, option: str) -> StageGame:
    from equipoise.games.signals.stage_game import StageGame

    if not isinstance(game, StageGame):
        raise EquipoiseError(
            f"{option}: '{game.name}' is not given by its rounds, expected a game with signals."
        )
    return game


def _fewer_actions(game: StageGame, wanted: Any) -> SmallerGame:
    """Return the game with the bets of a betting model: an abstraction, or text that names one."""
    from equipoise.abstraction.actions import ActionAbstraction, abstract_actions, read_actions
    from equipoise.games.signals.sizes import betting_sizes
    from equipoise.strategy.translate import translate

    own: ActionAbstraction = (
        abstract_actions(game.tree, *read_actions(wanted)) if isinstance(wanted, str) else wanted
    )
    require_type("actions", own, ActionAbstraction, "a text such as 'cap=1', or an abstraction")

    def whole(strategy: Strategy) -> tuple[Strategy, dict[str, Any]]:
        found, defaults = translate(strategy, own, game)
        decisions = [betting_sizes(tree).decisions for tree in (own.small, own.whole)]
        facts = {
            "decisions": dict(zip(("kept", "of"), decisions, strict=True)),
            "mapping": own.mapping.name,
            "called": {"infosets": sum(defaults.called), "of": sum(defaults.infosets)},
        }
        return found, {"actions": facts}

    return SmallerGame(own.game(game), whole)


def _fewer_rounds(game: StageGame, wanted: Any) -> SmallerGame:
    """Return the game without its last rounds: an abstraction, or text that names one.

    ``2`` keeps two rounds and rolls out what follows; ``2:FILE`` lets both players go on by the habits of the
    strategy in the file.
    """
    from equipoise.abstraction.stages import StageAbstraction, truncate
    from equipoise.strategy.stages import prolong

    own: StageAbstraction
    if isinstance(wanted, StageAbstraction):
        own = wanted
        if own.whole is not game:
            raise EquipoiseError(
                f"stages: found an abstraction of '{own.whole.name}', expected one of this very game."
            )
    else:
        rounds, _, file = str(wanted).partition(":")
        if not rounds.isdecimal() or len(rounds) > 3:
            raise EquipoiseError(
                f"stages: found {short(str(wanted))}, expected a number of rounds such as 2, or 2:FILE.eqp."
            )
        later = _habits(game, int(rounds), file) if file else None
        own = truncate(game, int(rounds), later)

    def whole(strategy: Strategy) -> tuple[Strategy, dict[str, Any]]:
        kept, of = int(own.short.tree.round[own.short.tree.player >= 0].max()) + 1, game.rounds
        return prolong(strategy, own), {"stages": {"kept": kept, "of": of}}

    return SmallerGame(own.short, whole)


def _habits(game: StageGame, rounds: int, file: str) -> Behaviour:
    """Return how the strategy in ``file`` goes on after ``rounds`` rounds, by hand values alone."""
    from equipoise.abstraction.self_play import follow, self_play
    from equipoise.strategy.stages import behaviour_of
    from equipoise.strategy.store import load_strategy

    try:
        played = behaviour_of(load_strategy(file), game)
    except EquipoiseError as error:
        raise EquipoiseError(f"stages: {file}: {error}") from None
    return follow(game, self_play(game, played, rounds), rounds)
