"""No-limit and pot-limit betting between two players, as data: stacks, and the sizes on offer.

The rules are those that PokerKit plays (Kim 2023), after rules 43 ("Raise Amounts") and 47 ("Re-Opening
the Bet") of the Poker Tournament Directors Association (2022):

* A bet is at least the smallest bet of the game, usually the big blind. A raise adds at least as much
  as the largest bet or raise before it in the round.
* All chips may go in at any time, also when they are fewer than that. Such a short all-in does not
  reopen the betting. Between two players it never could: one of them has no chips left, so the other
  calls or folds.
* Nobody wins or loses more than the smaller stack. What a player has beyond it never moves, so a bet
  of more is a bet of all-in.
* When a player has no chips left, nobody acts any more: the remaining rounds have no decision, and all
  their signals are revealed before the showdown.

Which amounts between the least and the most a player may choose from is a betting model
(:mod:`equipoise.games.signals.bet_sizes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equipoise.errors import EquipoiseError
from equipoise.games.signals.bet_sizes import BettingModel, Offer, Size, Wager
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.stages import (
    MOST_RAISES,
    DecisionNode,
    Pot,
    Stage,
    StageEnd,
    assemble,
    forced_bets,
    per_round,
    won_by_last,
)

_ROUNDING = 1e-9  # amounts closer than this, relative to what may be bet, are one amount


@dataclass(frozen=True)
class NoLimit:
    """What holds in every round: the stacks and the bounds of bets.

    Attributes
    ----------
    stacks
        The chips of each player before anything is put in.
    smallest
        The smallest bet.
    pot_limit
        Whether a bet or raise may be at most the pot, a call included.
    chip
        The smallest chip: what a player puts in during a round is rounded down to a multiple of it, but
        for all-in, which is all she has left. Zero: chips can be divided.
    nearest
        Whether it is rounded to the nearest multiple instead.
    add, force, merge
        Add all-in to the sizes where it is at most this share of the pot; make a size all-in where at
        most this share of the pot after it would be left; leave out a size whose share of the pot is
        within about this much of a larger one's. Zero: never.
    """

    stacks: tuple[float, float]
    smallest: float
    pot_limit: bool = False
    chip: float = 0.0
    nearest: bool = False
    add: float = 0.0
    force: float = 0.0
    merge: float = 0.0

    def __post_init__(self) -> None:
        if len(self.stacks) != 2:
            raise EquipoiseError(f"stacks: found {len(self.stacks)}, expected two players.")
        if min(self.stacks) <= 0:
            raise EquipoiseError(f"stacks: found {min(self.stacks):g}, expected positive amounts.")
        if self.smallest <= 0:
            raise EquipoiseError(f"smallest: found {self.smallest:g}, expected a positive amount.")
        if self.chip < 0:
            raise EquipoiseError(f"chip: found {self.chip:g}, expected an amount from zero up.")
        for name in ("add", "force", "merge"):
            if not 0 <= (share := getattr(self, name)) < math.inf:
                raise EquipoiseError(f"{name}: found {share:g}, expected a share from zero up.")

    def wager(
        self,
        bets: tuple[float, ...],
        pot: float,
        raised: float,
        behind: float,
        *,
        player: int = 0,
        left: int = 1,
        count: int = 0,
        is_open: bool = True,
    ) -> Wager:
        """Return what the next bet or raise of ``player`` may be.

        ``bets`` is what each player has put in during the round, ``pot`` all there is in the pot,
        ``raised`` the largest bet or raise of the round, ``behind`` the most a player may put in.
        """
        bet, called = max(bets), pot + max(bets) - min(bets)
        least = bet + max(raised, self.smallest)
        least = behind if _is_all(least, behind) else least
        most = behind
        if self.pot_limit:
            most = min(max(self._rounded(bet + called), least), behind)
        before = (pot - sum(bets)) / 2
        return Wager(bet, called, least, most, left, bets[player], before, count, is_open)

    def amounts(self, offer: Offer, wager: Wager) -> list[float]:
        """Return the amounts that ``offer`` comes to, within the bounds, from small to large."""
        within: list[float] = []
        for size in offer.sizes(wager) or ():
            amount = self._whole(size.amount(wager), wager)
            if offer.is_strict and amount < wager.least < wager.most:
                raise EquipoiseError(
                    f"betting model: found the size '{size}', a raise to {amount:.12g}, below the "
                    f"minimum: expected one to {wager.least:.12g} at least, when {wager.bet:.12g} is to be "
                    "matched."
                )
            within.append(min(max(amount, wager.least), wager.most))
        is_capped = offer.is_capped(wager)
        if (
            self.add
            and not is_capped
            and wager.most <= wager.bet + self._rounded(self.add * wager.pot)
        ):
            within.append(wager.most)
        forced = [wager.most if self._is_forced(a, wager) else a for a in within]
        distinct: list[float] = []
        for amount in sorted(a for a in forced if offer.allows(a, wager)):
            if not distinct or amount - distinct[-1] > _ROUNDING * wager.most:
                distinct.append(amount)
        return self._merged(distinct, wager) if self.merge else distinct

    def _whole(self, amount: float, wager: Wager) -> float:
        """Return ``amount`` in whole chips; what comes to all-in is all-in, though that may be no whole number."""
        whole = self._rounded(amount)
        return wager.most if _is_all(max(amount, whole), wager.most) else whole

    def _rounded(self, amount: float) -> float:
        """Return ``amount`` in whole chips."""
        if not self.chip:
            return amount
        half = 0.5 if self.nearest else 0.0
        return self.chip * math.floor(amount / self.chip + half + _ROUNDING)

    def _is_forced(self, amount: float, wager: Wager) -> bool:
        """Say whether so little would be left after ``amount`` that it is all-in."""
        pot = wager.pot + 2 * (amount - wager.bet)
        return wager.most <= amount + self._rounded(self.force * pot)

    def _merged(self, amounts: list[float], wager: Wager) -> list[float]:
        """Return the amounts without those close below another, beginning with the largest.

        With shares s of the pot, s is close to a larger t if (1 + merge) s >= t - merge.
        """
        kept: list[float] = []
        for amount in reversed(amounts):
            share = (amount - wager.bet) / wager.pot
            above = (kept[-1] - wager.bet) / wager.pot if kept else math.inf
            if share < (above - self.merge) / (1 + self.merge) * (1 - _ROUNDING):
                kept.append(amount)
        return kept[::-1]


def _is_all(amount: float, most: float) -> bool:
    """Say whether ``amount`` is the most there is, but for rounding."""
    return amount > (1 - _ROUNDING) * most


def no_limit_stage(
    rules: NoLimit,
    offers: tuple[Offer, Offer],
    first: int = 0,
    posted: tuple[float, float] = (0.0, 0.0),
    left: int = 1,
    after: Callable[[int | None], Stage | None] = lambda last: None,
) -> Stage:
    """One round of no-limit betting.

    Facing no bet: check (k) or bet; facing one: fold (f), call (c) or raise; by what is on offer to the
    player. Actions are labelled with what the player has then put in during the round: ``b3`` is a bet
    of 3, ``r9`` a raise to 9. ``posted`` are blinds: what players have put in when the round begins; the
    larger counts as the first bet. With this round there are ``left`` to come; ``after`` may choose what is
    played in the next one by who bet or raised last.
    """
    if any(offer.bets is None or offer.raises is None for offer in offers):
        raise EquipoiseError("bets: found no sizes, expected those that players may choose from.")
    if first not in (0, 1):
        raise EquipoiseError(f"first: found seat {first}, expected 0 or 1.")
    blinds = int(max(posted) > 0)

    def act(
        pot: Pot,
        put: tuple[float, float],
        behind: float,
        waiting: tuple[int, ...],
        raised: float,
        count: int,
        last: int | None,
    ) -> DecisionNode | StageEnd:
        """Grow the tree where those ``waiting`` act; ``put`` is what came in during the round.

        ``count`` bets and raises were made, the ``last`` by that player.
        """
        if not waiting or min(put) >= behind:
            return StageEnd(pot, then=after(last))
        player, bet = waiting[0], max(put)
        owed, other = bet - put[player], 1 - player
        actions: dict[str, DecisionNode | StageEnd] = {}
        if owed > 0:
            folded = pot.fold(player)
            actions["f"] = StageEnd(folded, won_by_last(folded))
        called = pot.put(player, owed)
        label = "c" if owed > 0 else "k"
        actions[label] = act(
            called, _replaced(put, player, bet), behind, waiting[1:], raised, count, last
        )
        if bet < behind:
            wager = rules.wager(
                put,
                sum(pot.paid),
                raised,
                behind,
                player=player,
                left=left - max(count - 1, 0),
                count=count,
                is_open=count > blinds,
            )
            for amount in rules.amounts(offers[player], wager):
                _refuse_many(count)
                more = pot.put(player, amount - put[player])
                now = _replaced(put, player, amount)
                # A short all-in is no full raise; nobody can raise after it anyway.
                largest = max(raised, amount - bet)
                actions[f"{'r' if bet > 0 else 'b'}{amount:.12g}"] = act(
                    more, now, behind, (other,), largest, count + 1, player
                )
        return DecisionNode(player, actions)

    def stage(pot: Pot) -> DecisionNode | StageEnd:
        before = [paid - blind for paid, blind in zip(pot.paid, posted, strict=True)]
        behind = min(stack - paid for stack, paid in zip(rules.stacks, before, strict=True))
        # Of a stack that is in the pot already, rounding leaves a little more or less than nothing.
        behind = 0.0 if abs(behind) <= _ROUNDING * min(rules.stacks) else behind
        if max(posted) > behind or behind < 0:
            raise EquipoiseError(
                f"stacks: found {min(rules.stacks):g}, expected at least what is put in "
                f"without a choice, {max(pot.paid):g}."
            )
        return act(pot, posted, behind, (first, 1 - first), max(posted), blinds, None)

    return stage


def _replaced(put: tuple[float, float], player: int, amount: float) -> tuple[float, float]:
    """Return ``put`` with the amount of ``player`` changed."""
    return (amount, put[1]) if player == 0 else (put[0], amount)


def _refuse_many(count: int) -> None:
    if count >= MOST_RAISES:
        raise EquipoiseError(
            f"betting: found more than {MOST_RAISES} raises in a round, expected larger sizes or a cap."
        )


def no_limit(
    rounds: int,
    *,
    stacks: float | Sequence[float],
    bets: Sequence[Size] | Sequence[Sequence[Size]] | None = None,
    raises: Sequence[Size] | Sequence[Sequence[Size]] | None = None,
    cap: int | Sequence[int] | None = None,
    antes: float = 0,
    blinds: Sequence[float] = (),
    first: int | Sequence[int] = 0,
    smallest: float | None = None,
    pot_limit: bool = False,
    chip: float = 0,
    model: BettingModel | None = None,
) -> BettingTree:
    """No-limit poker betting between two players over ``rounds`` rounds.

    Parameters
    ----------
    stacks
        Chips of both players, or of each, before antes and blinds.
    bets, raises
        Sizes on offer (:func:`bet_size`), one list for every round or one list a round; ``raises``
        are ``bets`` unless given.
    cap
        Most bets and raises in a round, a blind counted as one; as many as the stacks allow unless
        given.
    antes, blinds, first
        As in :func:`equipoise.games.signals.limit.limit`.
    smallest
        The smallest bet: the larger blind unless given, without blinds the ante.
    pot_limit, chip
        As in :class:`NoLimit`.
    model
        A betting model, in place of ``bets``, ``raises`` and ``cap``.
    """
    if rounds < 1:
        raise EquipoiseError(f"rounds: found {rounds}, expected at least 1.")
    first_blind, second_blind = forced_bets(2, antes, blinds)
    posted = (float(first_blind), float(second_blind))
    chips = tuple(stacks) if isinstance(stacks, Sequence) else (stacks, stacks)
    least = smallest_bet(antes, posted) if smallest is None else smallest
    rules = NoLimit(_two("stacks", chips), least, pot_limit, chip)
    firsts = per_round("first", first, rounds)
    if model is not None and (bets is not None or raises is not None or cap is not None):
        raise EquipoiseError(
            "model: found bets, raises or a cap beside it, expected one of the two."
        )
    offers = _offers(rounds, bets, raises, cap) if model is None else model.offers(rounds)
    stages = []
    for j, offer in enumerate(offers):
        before = posted if j == 0 else (0.0, 0.0)
        stages.append(no_limit_stage(rules, (offer, offer), firsts[j], before, rounds - j))
    return assemble(stages, paid=[antes + blind for blind in posted])


def _offers(
    rounds: int,
    bets: Sequence[Size] | Sequence[Sequence[Size]] | None,
    raises: Sequence[Size] | Sequence[Sequence[Size]] | None,
    cap: int | Sequence[int] | None,
) -> list[Offer]:
    """Return what is on offer in each round."""
    if bets is None:
        raise EquipoiseError("bets: found none, expected a list of sizes, or a betting model.")
    caps = (None,) * rounds if cap is None else per_round("cap", cap, rounds)
    openings = _lists("bets", bets, rounds)
    raisings = openings if raises is None else _lists("raises", raises, rounds)
    return [
        Offer.of(opening, raising, most)
        for opening, raising, most in zip(openings, raisings, caps, strict=True)
    ]


def smallest_bet(antes: float, blinds: Sequence[float]) -> float:
    """Return the smallest bet where none is named: the larger blind, without blinds the ante."""
    least = max(blinds) or antes
    if least <= 0:
        raise EquipoiseError("smallest: found no blinds and no ante, expected the smallest bet.")
    return float(least)


def _two(name: str, values: Sequence[float]) -> tuple[float, float]:
    if len(values) != 2:
        raise EquipoiseError(
            f"{name}: found {len(values)} amounts, expected one for each of 2 players."
        )
    return float(values[0]), float(values[1])


def _lists(
    name: str, sizes: Sequence[Size] | Sequence[Sequence[Size]], rounds: int
) -> list[list[Size]]:
    """Spread one list of sizes over the rounds, or check that there is one a round."""
    nested = [size for size in sizes if isinstance(size, Sequence) and not isinstance(size, str)]
    if not nested:
        return [list(sizes)] * rounds  # type: ignore[arg-type] # none is a list
    if len(nested) != len(sizes) or len(nested) != rounds:
        raise EquipoiseError(
            f"{name}: found {len(sizes)} entries, expected sizes, or a list of them for each of "
            f"{rounds} rounds."
        )
    return [list(row) for row in nested]
