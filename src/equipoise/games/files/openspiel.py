"""OpenSpiel's games by name, through the rules protocol.

``load_openspiel("leduc_poker")`` walks the game's states and returns its tree. Moves at one time are
put one after another by OpenSpiel's own turn-based conversion. Information sets are the states with
equal information-state strings; where everyone sees everything and a game has no such strings, those
with equal histories, of which moves at one time are a part once all of them are made. OpenSpiel is an
optional extra and is imported on use.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Any, NoReturn

from equipoise.errors import EquipoiseError
from equipoise.games.trees.builder import from_rules
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame, Number

MOST_CHARACTERS = 500_000_000


def load_openspiel(spec: str) -> ExtensiveGame:
    """Return the tree of the OpenSpiel game ``spec``, such as ``liars_dice(dice_sides=4)``.

    OpenSpiel reads the parameters. Games with sampled chance moves or without information states
    are refused, as are trees with more than ``MOST_CHARACTERS`` of text.
    """
    name = f"openspiel:{spec.strip()}"
    return from_rules(OpenSpielRules(_load(spec.strip(), name), name), name)


class _State:
    """A state of OpenSpiel's, copied from the one above when it is first looked at.

    Waiting with the copy keeps only the states on the path in memory, not all their siblings.
    """

    def __init__(self, above: _State | None, move: int) -> None:
        self._above, self._move = above, move
        self.information: str | None = None

    @cached_property
    def spiel(self) -> Any:
        """OpenSpiel's own object."""
        assert self._above is not None
        return self._above.spiel.child(self._move)

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """OpenSpiel's numbers of the legal moves."""
        return tuple(self.spiel.legal_actions())

    def __repr__(self) -> str:
        return f"<{self.spiel.history_str() or 'start'}>"


class OpenSpielRules:
    """The rules of a loaded OpenSpiel game, as :class:`equipoise.games.trees.builder.Rules` wants them."""

    def __init__(self, game: Any, name: str) -> None:
        import pyspiel

        kind = game.get_type()
        dynamics, chance = pyspiel.GameType.Dynamics, pyspiel.GameType.ChanceMode
        if kind.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
            _refuse(
                name, "a mean-field game", "a game in which players move in turn or at one time"
            )
        if kind.chance_mode == chance.SAMPLED_STOCHASTIC:
            _refuse(name, "sampled chance moves", "a game that lists them with their probabilities")
        is_open = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        is_sequential = kind.dynamics == dynamics.SEQUENTIAL
        self.game = game if is_sequential else pyspiel.convert_to_turn_based(game)
        if kind.provides_information_state_string:
            self._know = _told
        elif is_open:
            self._know = _played if is_sequential else _played_together
        elif not is_sequential and _has_strings(self.game):
            self._know = _told
        else:
            _refuse(name, "no information states", "a game that provides them as strings")
        self.name = name
        self.players = self.game.num_players()
        self._labels: dict[tuple[int, str, tuple[int, ...]], tuple[str, ...]] = {}
        self._characters = 0
        self._chance, self._terminal = pyspiel.PlayerId.CHANCE, pyspiel.PlayerId.TERMINAL

    def initial(self) -> _State:
        """OpenSpiel's initial state."""
        state = _State(None, 0)
        state.spiel = self.game.new_initial_state()
        return state

    def player(self, state: _State) -> int:
        """Who acts."""
        player = int(state.spiel.current_player())
        if player == self._terminal:
            return TERMINAL
        return CHANCE if player == self._chance else player

    def actions(self, state: _State) -> Sequence[str]:
        """OpenSpiel's action strings, asked once for each information set."""
        moves, player = state.moves, state.spiel.current_player()
        key = (player, self.information(state), moves)
        labels = self._labels.get(key)
        if labels is None:
            labels = tuple(state.spiel.action_to_string(player, move) for move in moves)
            if len(set(labels)) < len(labels):
                labels = tuple(f"{a} [{move}]" for a, move in zip(labels, moves, strict=True))
            self._labels[key] = labels
            self._characters += len(key[1])
            if self._characters > MOST_CHARACTERS:
                _refuse(
                    self.name,
                    f"information states of more than {MOST_CHARACTERS:,} characters",
                    "a smaller game",
                )
        return labels

    def chance(self, state: _State) -> Sequence[tuple[str, Number]]:
        """OpenSpiel's chance outcomes."""
        spiel = state.spiel
        chances = dict(spiel.chance_outcomes())
        player = spiel.current_player()
        return [(spiel.action_to_string(player, move), chances[move]) for move in state.moves]

    def next(self, state: _State, index: int) -> _State:
        """The state after a move."""
        return _State(state, state.moves[index])

    def information(self, state: _State) -> str:
        """The information-state string, or the history where everyone sees everything."""
        if state.information is None:
            state.information = self._know(state.spiel)
        return state.information

    def payoffs(self, state: _State) -> Sequence[Number]:
        """OpenSpiel's returns."""
        return [float(value) for value in state.spiel.returns()]


def _told(state: Any) -> str:
    """What OpenSpiel says that the acting player knows."""
    return str(state.information_state_string())


def _played(state: Any) -> str:
    """All moves so far."""
    return str(state.history_str())


def _played_together(state: Any) -> str:
    """All moves so far, less those of a round in which someone has yet to choose."""
    return str(state.simultaneous_game_state().history_str())


def _has_strings(game: Any) -> bool:
    """Whether a game has information-state strings, though the one it was made from promises none."""
    import pyspiel

    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    try:
        with _quiet():
            return state.is_terminal() or bool(_told(state))
    except (pyspiel.SpielError, RuntimeError):
        return False


def _refuse(name: str, found: str, expected: str) -> NoReturn:
    raise EquipoiseError(f"{name}: found {found}, expected {expected}.")


def _load(spec: str, name: str) -> Any:
    """Let OpenSpiel load a game, and say in a sentence why it cannot."""
    try:
        import pyspiel
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C, while its C++ was set up
            raise KeyboardInterrupt from None
        found = "is not installed" if error.name == "pyspiel" else f"cannot be imported ({error})"
        raise EquipoiseError(
            f'{name}: OpenSpiel {found}, expected it: pip install "equipoise[openspiel]".'
        ) from None
    short = spec.partition("(")[0].strip()
    if short.startswith("python_"):
        import_module("open_spiel.python.games")  # they register themselves
    known = set(pyspiel.registered_names())
    if short not in known:
        close = difflib.get_close_matches(short, known, n=1)
        advice = f"did you mean '{close[0]}'?" if close else "expected one of OpenSpiel's names."
        raise EquipoiseError(f"openspiel: unknown game '{short[:60]}', {advice}")
    with _quiet():
        try:
            return pyspiel.load_game(spec)
        except (pyspiel.SpielError, RuntimeError) as error:
            reason = " ".join(re.sub(r"^\S+\.(?:cc|h):\d+ ", "", str(error)).split())
            raise EquipoiseError(
                f"{name}: OpenSpiel says '{reason[:200]}', expected parameters that it accepts."
            ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenSpiel's C++ from printing its errors as well as raising them."""
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)
