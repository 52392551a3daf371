"""Games with signals: stage-based games and, among them, games with ordered signals.

Notation follows Gilpin (2009), Definition 5 (ordered games, section 5.3) and Definition 12
(stage-based games, section 6.2). In each round nature reveals κ signals publicly and γ_i privately
to each player i, then the players act on a public tree. Signals are integers, positions in Θ. A
*deal* lists signals in the order of Definition 8: round by round, public ones first, then player by
player. A player's *view* is what she has seen of a deal, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.games.signals.betting import NO_OUTCOME, SHOWDOWN, TERMINAL, BettingTree
from equipoise.games.signals.chance import Chance, Deal, WithoutReplacement
from equipoise.games.trees.extensive import Number, are_payoffs, exact

if TYPE_CHECKING:
    from equipoise.games.poker.game import PokerGame

PUBLIC = -1

View = tuple[int, ...]

OutcomeFunction = Callable[[Deal, tuple[Deal, ...]], Sequence[Number]]
"""From the public signals and each player's private ones to each player's value at scale one."""

Ranking = Callable[[Deal, Deal], Any]
"""The order ⪰ as a number: from public and own private signals to something comparable."""


@dataclass(frozen=True, eq=False)
class StageGame:
    """A game with signals (Definition 12) whose stages are the rounds of its tree.

    Attributes
    ----------
    name
        Name of the game.
    signals
        Names of the signals Θ.
    chance
        The distribution p of deals.
    public, private
        κ^t, signals revealed to all in each round; γ_i^t, one number a player in each round.
    tree
        The interactions of all stages, unrolled.
    outcomes
        What the signals decide at the leaves: one function for each kind that ``tree`` names.
    """

    name: str
    signals: tuple[str, ...]
    chance: Chance
    public: tuple[int, ...]
    private: tuple[tuple[int, ...], ...]
    tree: BettingTree
    outcomes: Mapping[str, OutcomeFunction]

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} '{self.name}': {self.tree.players} players, "
            f"{len(self.signals)} signals, {len(self.public)} rounds, "
            f"{len(self.tree.parent):,} public nodes>"
        )

    def __post_init__(self) -> None:
        rounds, players = self.rounds, self.tree.players
        for name in self.signals:
            if self.signals.count(name) > 1 or not name or set(name) & set(".|"):
                raise EquipoiseError(
                    f"{self.name}: signals: found {name!r}, expected distinct names without '.' "
                    "and '|'."
                )
        if rounds < self.tree.rounds:
            raise EquipoiseError(
                f"{self.name}: public: found {rounds} rounds, expected the {self.tree.rounds} of "
                "the tree."
            )
        if len(self.private) != rounds:
            raise EquipoiseError(
                f"{self.name}: private: found {len(self.private)} rounds, expected {rounds}."
            )
        if any(len(row) != players for row in self.private):
            raise EquipoiseError(
                f"{self.name}: private: expected one number a player in each round."
            )
        if min((*self.public, *(count for row in self.private for count in row))) < 0:
            raise EquipoiseError(f"{self.name}: public, private: expected no negative numbers.")
        for kind in self.tree.kinds:
            if kind not in self.outcomes:
                raise EquipoiseError(
                    f"{self.name}: outcomes: the tree ends in {kind!r}, expected one of "
                    f"{', '.join(self.outcomes) or 'no kinds at all'}."
                )
        payments = np.column_stack([self.tree.base, self.tree.scale])
        if not are_payoffs(payments):
            node = int(np.abs(payments).max(axis=1).argmax())
            raise EquipoiseError(
                f"{self.name}: payments: after '{self.tree.histories[node]}' found "
                f"{np.abs(payments[node]).max():g}, expected at most 1e300."
            )
        try:
            self.chance.check(len(self.signals), len(self.receivers))
        except EquipoiseError as error:
            raise EquipoiseError(f"{self.name}: {error}") from None

    @property
    def players(self) -> int:
        """Number of players."""
        return self.tree.players

    @property
    def listed(self) -> None:
        """Ability: the game with all its nodes, which this one does not list (``unroll`` does)."""
        return None

    @property
    def poker(self) -> PokerGame | None:
        """Ability: the game as one of hole cards and a board, where it is one."""
        return None

    @cached_property
    def family(self) -> str:
        """``zero-sum`` for two players whose payments cancel in every leaf, else ``general-sum``."""
        is_zero_sum = self.players == 2 and self.tree.uneven is None and self._outcomes_cancel()
        return "zero-sum" if is_zero_sum else "general-sum"

    def _outcomes_cancel(self) -> bool:
        """Say whether what the signals decide is zero-sum, whatever nature deals."""
        return all(
            sum(Fraction(part) for part in self.value(kind, deal)) == 0
            for turn in range(self.rounds)
            for kind in self.tree.kinds_ending(turn)
            for deal, _ in deals(self, turn)
        )

    @property
    def rounds(self) -> int:
        """Number of rounds: those in which signals are revealed, whether play comes to them or not."""
        return len(self.public)

    @cached_property
    def receivers(self) -> tuple[int, ...]:
        """Who receives each signal of a deal: a player, or ``PUBLIC``."""
        return tuple(who for turn in range(len(self.public)) for who in self._receivers(turn))

    def _receivers(self, turn: int) -> list[int]:
        own = [i for i, count in enumerate(self.private[turn]) for _ in range(count)]
        return [PUBLIC] * self.public[turn] + own

    @cached_property
    def revealed(self) -> tuple[int, ...]:
        """How many signals of a deal are out once each round has begun."""
        return tuple(accumulate(len(self._receivers(turn)) for turn in range(len(self.public))))

    def seen(self, player: int, turn: int) -> int:
        """Return how many signals ``player`` has seen in round ``turn``: m^j of Definition 6."""
        return sum(self.public[t] + self.private[t][player] for t in range(turn + 1))

    def view(self, player: int, deal: Deal) -> View:
        """Return what ``player`` has seen of ``deal``."""
        return tuple(
            s for s, who in zip(deal, self.receivers, strict=False) if who in (PUBLIC, player)
        )

    def split(self, deal: Deal) -> tuple[Deal, tuple[Deal, ...]]:
        """Return the public signals of ``deal`` and the private ones of each player."""
        public = tuple(s for s, who in zip(deal, self.receivers, strict=False) if who == PUBLIC)
        private = tuple(
            tuple(s for s, who in zip(deal, self.receivers, strict=False) if who == player)
            for player in range(self.players)
        )
        return public, private

    def text(self, view: View) -> str:
        """Name the signals of ``view`` in order, with dots where names differ in length."""
        dot = "" if len({len(name) for name in self.signals}) == 1 else "."
        return dot.join(self.signals[s] for s in view)

    def value(self, kind: str, deal: Deal) -> Sequence[Number]:
        """Return each player's value of outcome ``kind`` after ``deal``, at scale one."""
        return self.outcomes[kind](*self.split(deal))

    def view_count(self, player: int, turn: int) -> int:
        """Return the number of views of ``player`` in round ``turn``."""
        if isinstance(self.chance, WithoutReplacement):
            return self.chance.prefixes(self.seen(player, turn))
        return len({self.view(player, deal) for deal, _ in deals(self, turn)})


@dataclass(frozen=True, eq=False, repr=False)
class OrderedGame(StageGame):
    """A game with ordered signals (Definition 5).

    Signals are drawn without replacement, every player receives the same number of them in each
    round, and utilities increase in the player's own signals along ``ranking``, the order ⪰.
    """

    ranking: Ranking

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.chance, WithoutReplacement):
            raise EquipoiseError(
                f"{self.name}: chance: expected draws without replacement (Definition 5)."
            )
        for turn, row in enumerate(self.private):
            if len(set(row)) != 1:
                raise EquipoiseError(
                    f"{self.name}: private: found {row} in round {turn + 1}, expected the same "
                    "number for every player (Definition 5)."
                )


def ordered_game(
    name: str,
    *,
    signals: Sequence[str],
    weights: Sequence[Number] | None = None,
    public: Sequence[int],
    private: Sequence[int],
    tree: BettingTree,
    ranking: Ranking,
    outcomes: Mapping[str, OutcomeFunction] | None = None,
) -> OrderedGame:
    """Return the game Γ = ⟨I, G, L, Θ, κ, γ, p, ⪰, ω, u⟩ of Definition 5, κ = public, γ = private.

    G, L, ω and the signal-independent part of u are the ``tree``; p is uniform unless ``weights``
    say otherwise; kinds named ``showdown`` are decided by ``ranking`` unless ``outcomes`` has them.
    """
    p = weights if weights is not None else [1] * len(signals)
    return OrderedGame(
        name=name,
        signals=tuple(signals),
        chance=WithoutReplacement(tuple(exact(w, name) for w in p)),
        public=tuple(public),
        private=tuple((count,) * tree.players for count in private),
        tree=tree,
        outcomes={**showdowns(tree, ranking), **(outcomes or {})},
        ranking=ranking,
    )


def showdowns(tree: BettingTree, ranking: Ranking) -> dict[str, OutcomeFunction]:
    """Return the outcomes that ``ranking`` decides: every kind of showdown in ``tree``."""
    outcomes: dict[str, OutcomeFunction] = {}
    for kind in tree.kinds:
        name, _, listed = kind.partition(":")
        if name == SHOWDOWN:
            live = [int(i) - 1 for i in listed.split(",")] if listed else range(tree.players)
            outcomes[kind] = (
                _duel(ranking) if tree.players == 2 else _share(ranking, tuple(live), tree.players)
            )
    return outcomes


def _duel(ranking: Ranking) -> OutcomeFunction:
    """+1, 0 or -1 to player 1: two players, the higher rank wins."""

    def outcome(public: Deal, private: tuple[Deal, ...]) -> Sequence[Number]:
        first, second = ranking(public, private[0]), ranking(public, private[1])
        sign = (first > second) - (first < second)
        return sign, -sign

    return outcome


def _share(ranking: Ranking, live: tuple[int, ...], players: int) -> OutcomeFunction:
    """Each player's share of the pot: the best of the live hands divide it."""

    def outcome(public: Deal, private: tuple[Deal, ...]) -> Sequence[Number]:
        ranks = {i: ranking(public, private[i]) for i in live}
        best = max(ranks.values())
        winners = [i for i in live if ranks[i] == best]
        return [Fraction(i in winners, len(winners)) for i in range(players)]

    return outcome


DEAL_LIMIT = 500_000
"""Most deals that are listed one by one."""


def deals(game: StageGame, turn: int) -> list[tuple[Deal, Fraction]]:
    """List the deals through round ``turn`` with their probabilities, in lexicographic order."""
    length = game.revealed[turn]
    count = game.chance.prefixes(length)
    if count > DEAL_LIMIT:
        raise EquipoiseError(
            f"{game.name}: round {turn + 1} has {count:,} deals, expected at most {DEAL_LIMIT:,} "
            "to list them one by one."
        )
    found: list[tuple[Deal, Fraction]] = [((), Fraction(1))]
    for _ in range(length):
        found = [
            ((*deal, s), weight * probability)
            for deal, weight in found
            for s, probability in game.chance.draws(deal)
        ]
    return found


def signal_tree_nodes(game: StageGame) -> int:
    """Count the nodes of the signal tree (Definition 8, identity filter).

    Every revealed signal is one level: for draws without replacement (section 5.5)
    n = 1 + Σ_{i=1..S} Π_{j=1..i} (|Θ| - j + 1), which is 6,632,705 for Rhode Island hold'em.
    """
    return sum(game.chance.prefixes(length) for length in range(game.revealed[-1] + 1))


def check_order(game: OrderedGame) -> None:
    """Raise unless utilities increase in own signals: Definition 5, item 9(b), on every deal.

    ⪰ is given by numbers, so it is a total preorder; signals of equal rank must then be worth the
    same. Lists all deals: for small games.
    """
    tree = game.tree
    for turn in range(game.rounds):
        ends = (tree.player == TERMINAL) & (tree.round == turn) & (tree.kind != NO_OUTCOME)
        signs = np.sign(tree.scale).astype(int)
        for k, sign in {(int(tree.kind[v]), int(signs[v])) for v in np.flatnonzero(ends)}:
            for player in range(game.players):
                _check_monotone(game, turn, tree.kinds[k], sign, player)


def _check_monotone(game: OrderedGame, turn: int, kind: str, sign: int, player: int) -> None:
    """Check item 9(b) for one kind of outcome, paid at a scale of this sign, and one player."""
    groups: dict[Any, list[tuple[Any, Number, Deal]]] = {}
    for deal, _ in deals(game, turn):
        public, private = game.split(deal)
        own = private[player]
        others = (public, private[:player], private[player + 1 :])
        worth = sign * game.value(kind, deal)[player]
        groups.setdefault(others, []).append((game.ranking(public, own), worth, own))
    for rows in groups.values():
        rows.sort(key=lambda row: row[:2])
        for (low, less, own), (high, more, better) in pairwise(rows):
            if more < less or (low == high and more != less):
                raise EquipoiseError(
                    f"{game.name}: outcome {kind!r} pays player {player + 1} {float(less):g} with "
                    f"{game.text(own)} and {float(more):g} with {game.text(better)}, which "
                    "ranks no lower; expected utilities that increase with the ranking."
                )
