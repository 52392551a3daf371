"""Which amounts a player may bet: sizes, and what is on offer in a round.

In no-limit poker a player may bet hundreds of amounts. A *discretized betting model* (Gilpin, Sandholm and
Sorensen 2008) offers a few of them: some parts of the pot, all-in, at most so many bets a round, none that
commits much of a stack. An :class:`Offer` is such a model of one round, a :class:`BettingModel` one of all
rounds; neither knows stacks or blinds, which are :class:`equipoise.games.signals.no_limit.NoLimit`'s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from equipoise.errors import EquipoiseError
from equipoise.games.signals.stages import MOST_RAISES, per_round

CommitOf = Literal["stack", "rest"]
COMMIT_OF: tuple[CommitOf, ...] = get_args(CommitOf)


@dataclass(frozen=True)
class Wager:
    """Where the betting of a round stands for the player who may bet or raise.

    ``bet`` is the most that a player has put in during the round, ``pot`` what the pot would hold
    after a call; ``least`` and ``most`` bound what the player may bet, or raise to. ``left`` counts the
    rounds left, this one included, less the raises that were made in it already. She has put in ``own``
    during the round, and both have put in ``before`` it. ``count`` bets and raises have been made, blinds
    counted as one; ``is_open`` says whether somebody has bet, blinds not counted.
    """

    bet: float
    pot: float
    least: float
    most: float
    left: int = 1
    own: float = 0.0
    before: float = 0.0
    count: int = 0
    is_open: bool = True


@dataclass(frozen=True)
class BetSize:
    """One size on offer: ``number`` times ``unit``.

    Units are ``pot``, ``bet``, ``chips``, ``min`` and ``all-in``; of ``geometric`` sizes the number is
    that of the rounds in which all chips are to go in, or zero for all rounds left.
    """

    unit: str
    number: float = 1.0

    def __str__(self) -> str:
        """Return what :func:`bet_size` reads."""
        match self.unit:
            case "pot":
                return _share(self.number)
            case "bet":
                return f"{self.number:.9g}x"
            case "chips":
                return f"{self.number:.12g}"
            case "geometric":
                return f"{self.number:.0f}e" if self.number else "e"
            case _:
                return self.unit

    def amount(self, wager: Wager) -> float:
        """Return what the player puts in during the round, if nothing bounds it."""
        match self.unit:
            case "pot":
                return wager.bet + self.number * wager.pot
            case "bet":
                return self.number * wager.bet
            case "chips":
                return wager.bet + self.number
            case "min":
                return wager.least
            case "geometric":
                return wager.bet + _geometric(wager, int(self.number) or wager.left)
            case _:
                return wager.most


def _geometric(wager: Wager, rounds: int) -> float:
    """Return the bet that, made at the same share of the pot in each of ``rounds``, is all-in in the end.

    A bet of the share s, called, makes the pot 1 + 2s times as large: (1 + 2s)^n = 1 + 2 behind / pot.
    """
    growth: float = (1 + 2 * (wager.most - wager.bet) / wager.pot) ** (1 / max(rounds, 1))
    return wager.pot * (growth - 1) / 2


Size = str | float | BetSize
ALL_IN = BetSize("all-in")


def bet_size(size: Size) -> BetSize:
    """Read a size.

    ``"75%"``, ``"2/3"``
        of the pot, a call included: a raise *by* that much;
    ``"2.5x"``
        the bet that is faced: a raise *to* that much (with nothing to face, the least bet);
    ``3``, ``"3c"``
        chips: a bet of 3, a raise *by* 3;
    ``"e"``, ``"2e"``
        the share of the pot that, bet again in every round left (in two rounds), is all-in in the end;
    ``"min"``, ``"all-in"`` or ``"a"``
        the least and the most that the rules allow.
    """
    if isinstance(size, BetSize):
        return size
    if isinstance(size, str):
        if size in _WORDS:
            return _WORDS[size]
        if (match := re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", size)) is not None:
            return BetSize("pot", int(match[1]) / int(match[2]))
        match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(%|x|c)", size)
        if match is not None and float(match[1]) > 0:
            number = float(match[1])
            return (
                BetSize("pot", number / 100)
                if match[2] == "%"
                else BetSize(_UNITS[match[2]], number)
            )
        match = re.fullmatch(r"([1-9])e", size)
        if match is not None:
            return BetSize("geometric", float(match[1]))
    elif not isinstance(size, bool) and math.isfinite(size) and size > 0:
        return BetSize("chips", float(size))
    raise EquipoiseError(
        f"found the size {size!r}, expected a positive number of chips, a share of the pot such as "
        "'75%' or '2/3', a multiple of the bet such as '2.5x', 'e', 'min' or 'all-in'."
    )


_UNITS = {"x": "bet", "c": "chips"}
_WORDS = {
    "min": BetSize("min"),
    "all-in": ALL_IN,
    "a": ALL_IN,
    "e": BetSize("geometric", 0.0),
}


def _share(number: float) -> str:
    """Return a share of the pot as text: a percentage if that is exact, else a fraction."""
    percent = f"{100 * number:.9g}%"
    if float(percent[:-1]) / 100 == number:
        return percent
    for below in range(1, 10_000):
        above = round(number * below)
        if 0 < above < 10_000 and above / below == number:
            return f"{above}/{below}"
    return percent


@dataclass(frozen=True)
class Offer:
    """What a player may choose from in one round, beside folding, checking and calling.

    Attributes
    ----------
    bets, raises
        Sizes on offer while nobody has bet in the round, and after a bet. ``None``: whatever the game
        offers.
    cap
        Most bets and raises in the round, a blind counted as one; ``None``: as many as the stacks allow.
    blinds_bet
        Whether blinds are a bet: who faces nothing else is offered raises.
    over_cap
        Whether all-in stays on offer when the cap is reached.
    commit, commit_of
        The largest part of a stack that a bet may commit, all-in excepted: of all chips of the smaller
        ``stack``, by what the player has put in altogether then; or of the ``rest`` that she has left, by what she
        adds. ``None``: all of it.
    is_strict
        Whether a size of less than the least bet is an error; otherwise it is the least bet.
    """

    bets: tuple[BetSize, ...] | None = None
    raises: tuple[BetSize, ...] | None = None
    cap: int | None = None
    blinds_bet: bool = True
    over_cap: bool = False
    commit: float | None = None
    commit_of: CommitOf = "stack"
    is_strict: bool = False

    def __post_init__(self) -> None:
        if self.cap is not None and not (
            1 <= self.cap <= MOST_RAISES and self.cap == int(self.cap)
        ):
            raise EquipoiseError(
                f"cap: found {self.cap}, expected a whole number from 1 to {MOST_RAISES}."
            )
        if self.commit is not None and not 0 < self.commit <= 1:
            raise EquipoiseError(
                f"commit: found {self.commit:g}, expected a part of a stack, above 0 and up to 1."
            )
        if self.commit_of not in COMMIT_OF:
            raise EquipoiseError(
                f"commit_of: found {self.commit_of!r}, expected {' or '.join(COMMIT_OF)}."
            )

    @classmethod
    def of(
        cls, bets: Iterable[Size], raises: Iterable[Size] | None = None, cap: int | None = None
    ) -> Offer:
        """Read sizes; raises are bets unless given."""
        opening = tuple(map(bet_size, bets))
        return cls(opening, opening if raises is None else tuple(map(bet_size, raises)), cap)

    def is_capped(self, wager: Wager) -> bool:
        """Say whether there have been as many bets and raises as there may be."""
        return self.cap is not None and wager.count >= self.cap

    def sizes(self, wager: Wager) -> tuple[BetSize, ...] | None:
        """Return the sizes on offer; ``None`` stands for whatever the game offers."""
        if self.is_capped(wager):
            return (ALL_IN,) if self.over_cap else ()
        has_bet = wager.is_open or (wager.bet > 0 and self.blinds_bet)
        return self.raises if has_bet else self.bets

    def allows(self, amount: float, wager: Wager) -> bool:
        """Say whether a bet of (or raise to) ``amount`` leaves enough of the stack."""
        if self.commit is None or amount >= wager.most:
            return True
        if self.commit_of == "stack":
            return wager.before + amount <= self.commit * (wager.before + wager.most)
        return amount - wager.own <= self.commit * (wager.most - wager.own)


@dataclass(frozen=True)
class BettingModel:
    """What is on offer in every round: one offer for all rounds, or one a round."""

    name: str
    rounds: tuple[Offer, ...]

    def offers(self, rounds: int) -> tuple[Offer, ...]:
        """Return the offer of each of ``rounds`` rounds."""
        if len(self.rounds) == 1:
            return self.rounds * rounds
        if len(self.rounds) != rounds:
            raise EquipoiseError(
                f"betting model '{self.name}': found {len(self.rounds)} rounds, expected 1 or the "
                f"game's {rounds}."
            )
        return self.rounds


def betting_model(
    name: str,
    bets: Iterable[Size] | None = None,
    raises: Iterable[Size] | None = None,
    cap: int | Sequence[int] | None = None,
    *,
    blinds_bet: bool = True,
    over_cap: bool = False,
    commit: float | None = None,
    commit_of: CommitOf = "stack",
    is_strict: bool = True,
) -> BettingModel:
    """Return the model with the same sizes in every round; ``raises`` are ``bets`` unless given.

    ``cap`` may be one number, or one a round. See :class:`Offer`.
    """
    opening = None if bets is None else tuple(bet_size(size) for size in bets)
    raising = opening if raises is None else tuple(bet_size(size) for size in raises)
    caps = per_round("cap", cap, len(cap)) if isinstance(cap, Sequence) else (cap,)
    return BettingModel(
        name,
        tuple(
            Offer(opening, raising, most, blinds_bet, over_cap, commit, commit_of, is_strict)
            for most in caps
        ),
    )
