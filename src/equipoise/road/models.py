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
    for option, make in (("actions", _fewer_actions),):
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
