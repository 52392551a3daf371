"""Action abstraction: a game in which players may bet less often, or fewer sizes.

The betting tree of a poker game is cut down to what a betting model offers: at most so many bets a round
(Gilpin 2009, section 7.3), or the sizes nearest to those of a model (section 7.4). Signals stay as they are, so the
result is a game of its own, smaller in the betting factor alone, and any card abstraction applies to it.

An equilibrium of it is no strategy of the whole game yet: opponents there do what the model does not know. A
player reads every history of the whole game as one of the model, action by action:

* what the model knows is itself, and folds, checks and calls are always known;
* a bet is read by a :mod:`reverse mapping <equipoise.abstraction.mapping>` as the model's check or call or as
  one of its bets: for a bet beyond the cap, where the model has no bets left, as a call;
* then the model may think a round over in which the player still has to act. There she calls (or checks),
  which ends the round, and what follows is read as the next round of the model. She does not fold, as a fold
  cannot be taken back, and does not raise, as the model cannot say what follows.

Where the model says to bet, the bet of the whole game nearest to it in parts of the pot is made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equipoise.abstraction.mapping import MAPPINGS, ReverseMapping, mapping_called, read_bet
from equipoise.errors import EquipoiseError
from equipoise.games.signals.bet_sizes import BettingModel, Wager, betting_model
from equipoise.games.signals.betting import TERMINAL, BettingTree, subtree
from equipoise.games.signals.chips import ACTIVE, Chips, chips
from equipoise.games.signals.stage_game import StageGame

Numbers = NDArray[np.int64]
Reading = dict[int, float]
"""Nodes of the model that a node of the whole game may be taken for, with their probabilities."""


@dataclass(frozen=True, eq=False)
class ActionAbstraction:
    """A game's betting tree, the smaller one of a model, and how to read the one as the other.

    Attributes
    ----------
    whole, small
        The betting trees of the game and of the model.
    nodes
        Where each node of the small tree is in the whole one.
    mapping
        How to read bets that the model does not have.
    """

    whole: BettingTree
    small: BettingTree
    nodes: Numbers
    mapping: ReverseMapping

    @property
    def digest(self) -> str:
        """Names the model's tree."""
        digest = hashlib.sha256(np.ascontiguousarray(self.nodes).tobytes())
        return digest.hexdigest()[:16]

    def game(self, game: StageGame) -> StageGame:
        """Return ``game`` with the bets of the model alone."""
        return replace(game, tree=self.small)

    @cached_property
    def is_random(self) -> bool:
        """Whether some history of the whole game may be read as several of the model."""
        return any(len(own) > 1 for observer in (0, 1) for own in self.readings(observer))

    def readings(self, observer: int) -> list[Reading]:
        """Return what ``observer`` takes each node of the whole tree for."""
        found: list[Reading] = [{0: 1.0}]
        for node in range(1, len(self.whole.parent)):
            before = int(self.whole.parent[node])
            reading: Reading = {}
            for place, p in found[before].items():
                for after, q in self.steps(place, node, observer):
                    reading[after] = reading.get(after, 0.0) + p * q
            found.append(reading)
        return found

    def is_known(self, node: int, place: int) -> bool:
        """Say whether the model, at ``place``, says what to do at ``node``."""
        return bool(
            self.small.player[place] == self.whole.player[node]
            and self.small.round[place] == self.whole.round[node]
        )

    def played(self, node: int, place: int) -> NDArray[np.float64]:
        """Return which action of the whole game each action of the model is played as.

        Entry [a, b] is one if action b at ``place`` means action a at ``node``.
        """
        whole, small = chips(self.whole), chips(self.small)
        children = self.whole.children(node)
        played = np.zeros((len(children), len(self.small.children(place))))
        for b, child in enumerate(self.small.children(place)):
            played[children.index(self._meant(node, place, child, whole, small)), b] = 1.0
        return played

    def defaults(self, node: int) -> NDArray[np.float64]:
        """Return what is done at a node where the model says nothing: check or call."""
        passive = chips(self.whole).passive[node]
        return np.array([float(child == passive) for child in self.whole.children(node)])

    def steps(self, place: int, node: int, observer: int) -> Iterator[tuple[int, float]]:
        """Yield what follows ``place`` for who saw play come to ``node``, with probabilities."""
        before = int(self.whole.parent[node])
        steps = {place: 1.0}
        if self.is_known(before, place):
            steps = self._read(place, before, node)
            if self.whole.player[before] == observer:
                # What she does herself she does not draw again.
                steps = {max(steps, key=lambda step: steps[step]): 1.0}
        passive = chips(self.small).passive
        for after, p in steps.items():
            reached = after
            while (
                self.small.player[reached] != TERMINAL
                and self.small.round[reached] < self.whole.round[node]
                and self.whole.round[before] < self.whole.round[node]
            ):
                reached = int(passive[reached])
            yield reached, p

    def _read(self, place: int, before: int, node: int) -> Reading:
        """Return what the action from ``before`` to ``node`` is in the model at ``place``."""
        whole, small = chips(self.whole), chips(self.small)
        passive = int(small.passive[place])
        if node == whole.fold[before]:
            return {int(small.fold[place]) if small.fold[place] >= 0 else passive: 1.0}
        if node == whole.passive[before]:
            return {passive: 1.0}
        options = [passive, *_bets(self.small, place)]
        sizes = [small.added(place, child) for child in options]
        scale = small.pot(place) / whole.pot(before)
        added = scale * whole.added(before, node)
        if added <= sizes[0]:
            return {options[min(1, len(options) - 1)]: 1.0}
        read = read_bet(self.mapping, added, sizes, pot=small.pot(place), owed=small.owed(place))
        return {options[i]: p for i, p in read.items()}

    def _meant(self, node: int, place: int, child: int, whole: Chips, small: Chips) -> int:
        """Return the child of ``node`` that the model's ``child`` of ``place`` means."""
        passive = int(whole.passive[node])
        if child == small.fold[place]:
            return int(whole.fold[node]) if whole.fold[node] >= 0 else passive
        bets = _bets(self.whole, node)
        if child == small.passive[place] or not bets:
            return passive
        wanted = small.added(place, child) / small.pot(place) * whole.pot(node)
        return min(bets, key=lambda bet: _ratio(whole.added(node, bet), wanted))


def _ratio(first: float, second: float) -> float:
    """Return how far apart two amounts are by ratio."""
    return max(first / second, second / first)


def _bets(tree: BettingTree, node: int) -> list[int]:
    """Return the children of ``node`` by bets and raises, from small to large."""
    return [child for child in tree.successors[node] if tree.action[child].startswith(ACTIVE)]


def abstract_actions(
    tree: BettingTree, model: BettingModel, mapping: ReverseMapping = MAPPINGS["relative"]
) -> ActionAbstraction:
    """Return the abstraction of ``tree`` to what ``model`` offers."""
    offers = model.offers(tree.rounds)
    pot = chips(tree)
    keep = np.ones(len(tree.parent), dtype=bool)
    for node in np.flatnonzero(tree.player != TERMINAL).tolist():
        bets = _bets(tree, node)
        if not bets:
            continue
        offer = offers[int(tree.round[node])]
        before = _before(tree, pot, node)
        amounts = [float(pot.matched[bet]) - before for bet in bets]
        wager = Wager(
            bet=float(pot.matched[node]) - before,
            pot=2 * float(pot.matched[node]),
            least=amounts[0],
            most=amounts[-1],
            left=tree.rounds - int(tree.round[node]),
            own=float(pot.paid[node]) - before,
            before=before,
            count=int(pot.bets[node]),
            is_open=bool(pot.bets[node] > pot.bets[pot.start[node]]),
        )
        sizes = offer.sizes(wager)
        wanted = amounts if sizes is None else [size.amount(wager) for size in sizes]
        chosen = {
            min(range(len(bets)), key=lambda i: abs(amounts[i] - amount)) for amount in wanted
        }
        for i, bet in enumerate(bets):
            keep[bet] = i in chosen and offer.allows(amounts[i], wager)
    small, nodes = subtree(tree, keep)
    return ActionAbstraction(tree, small, nodes, mapping)


def _before(tree: BettingTree, pot: Chips, node: int) -> float:
    """Return what each player had put in before the round of ``node``.

    In the first round that is the ante, which only the labels of no-limit bets tell from blinds.
    """
    start = int(pot.start[node])
    if pot.bets[start] == 0:
        return float(pot.matched[start])
    label = next((tree.action[bet][1:] for bet in _bets(tree, node)), "")
    return float(pot.matched[_bets(tree, node)[0]]) - float(label) if label else 0.0


def read_actions(text: str) -> tuple[BettingModel, ReverseMapping]:
    """Read a betting model and a mapping: ``cap=1``, ``cap=1-2-3,mapping=absolute``, ``pot.toml``.

    Parts are set off by commas: ``cap``, one number or one a round; ``bets`` and ``raises``, sizes set off
    by ``+``; ``commit``; ``mapping``; or ``model``, the name or the TOML file of a model (which may stand alone).
    """
    from equipoise.games.poker.betting_models import model_called

    given: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        key, value = (key, value) if equals else ("model", key)
        if key not in _PARTS or key in given or not value:
            raise EquipoiseError(
                f"actions: found '{part.strip():.60}', expected each of {', '.join(_PARTS)} once at most, as "
                "in cap=1 or cap=1-2-3,mapping=relative."
            )
        given[key] = value
    mapping = mapping_called(given.pop("mapping", "relative"))
    if "model" in given:
        if len(given) > 1:
            raise EquipoiseError(
                "actions: found a model and parts of one, expected one of the two."
            )
        return model_called(given["model"]), mapping
    if not given:
        raise EquipoiseError("actions: found a mapping alone, expected a model or a cap beside it.")
    bets, raises = (given[key].split("+") if key in given else None for key in ("bets", "raises"))
    model = betting_model(
        text,
        bets,
        raises,
        cap=_caps(given["cap"]) if "cap" in given else None,
        commit=_share(given["commit"]) if "commit" in given else None,
        is_strict=False,
    )
    return model, mapping


_PARTS = ("cap", "bets", "raises", "commit", "mapping", "model")


def _caps(text: str) -> int | tuple[int, ...]:
    parts = text.split("-")
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise EquipoiseError(
            f"actions: cap: found '{text:.40}', expected 2, or 1-2-3 for each round."
        )
    numbers = tuple(map(int, parts))
    return numbers[0] if len(numbers) == 1 else numbers


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise EquipoiseError(f"actions: commit: found '{text:.40}', expected a number.") from None
