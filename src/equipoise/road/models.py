"""Smaller games in place of a whole one, as users ask for them: fewer actions, fewer rounds.

Cards are abstracted within a game; what players do is abstracted by solving another game. A :class:`Model` is
such a game, and the way back: its strategies become strategies of the whole game, to be certified there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.abstraction.stages import Behaviour
    from equipoise.games.signals.stage_game import StageGame
    from equipoise.road.families import Wish
    from equipoise.strategy.profile import Strategy


@dataclass(frozen=True)
class Model:
    """A smaller game, and the strategy of the whole one that a strategy of it stands for.

    ``whole`` also returns what a summary says of the way back, ready for JSON.
    """

    game: StageGame
    whole: Callable[[Strategy], tuple[Strategy, dict[str, Any]]]


def models(game: Any, wish: Wish) -> Iterator[Model]:
    """Yield the models that a user wants to go through, from the whole game to the smallest."""
    for option, make in (("actions", _fewer_actions), ("stages", _fewer_rounds)):
        wanted = wish.options.get(option)
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


def _fewer_actions(game: StageGame, wanted: Any) -> Model:
    """Return the game with the bets of a betting model: an abstraction, or text that names one."""
    from equipoise.abstraction.actions import ActionAbstraction, abstract_actions, read_actions
    from equipoise.games.signals.sizes import betting_sizes
    from equipoise.strategy.translate import translate

    own: ActionAbstraction = (
        abstract_actions(game.tree, *read_actions(wanted)) if isinstance(wanted, str) else wanted
    )

    def whole(strategy: Strategy) -> tuple[Strategy, dict[str, Any]]:
        found, defaults = translate(strategy, own, game)
        decisions = [betting_sizes(tree).decisions for tree in (own.small, own.whole)]
        facts = {
            "decisions": dict(zip(("kept", "of"), decisions, strict=True)),
            "mapping": own.mapping.name,
            "called": {"infosets": sum(defaults.called), "of": sum(defaults.infosets)},
        }
        return found, {"actions": facts}

    return Model(own.game(game), whole)


def _fewer_rounds(game: StageGame, wanted: Any) -> Model:
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
                f"stages: found '{wanted!s:.60}', expected a number of rounds such as 2, or 2:FILE.eqp."
            )
        later = _habits(game, int(rounds), file) if file else None
        own = truncate(game, int(rounds), later)

    def whole(strategy: Strategy) -> tuple[Strategy, dict[str, Any]]:
        kept, of = int(own.short.tree.round[own.short.tree.player >= 0].max()) + 1, game.rounds
        return prolong(strategy, own), {"stages": {"kept": kept, "of": of}}

    return Model(own.short, whole)


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
