"""Certificates of strategies that play by buckets, in poker games of any size.

The best response of Johanson et al. (2011), arranged for arrays: a class of first common cards (in hold'em,
one of 1,755 flops) is evaluated at a time, all boards that follow it in batches of one shape
(:mod:`equipoise.games.poker.streets`). Nothing of the abstraction helps the responder: every card is told
apart, and she may use all that she sees. The rounds before the first common cards come last; there values
are the same for hands that differ by names of suits, so those of a class are averaged.

Over all classes the certificate is exact. A sample of them gives estimates: a best response is the largest
of several means, so its estimate is too large on average, by the luck of the sample
(:mod:`equipoise.certificates.sampled`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.certificates.board_walk import BoardWalk, Floats, Part
from equipoise.certificates.certificate import Certificate
from equipoise.certificates.parts_file import PartsFile, identity
from equipoise.certificates.sampled import CONFIDENCE, luck, stacked
from equipoise.errors import EquipoiseError, short
from equipoise.games.poker.game import PokerGame
from equipoise.games.poker.streets import Streets
from equipoise.numerics.device import Device
from equipoise.numerics.threads import in_order
from equipoise.strategy.profile import Strategy


@dataclass(frozen=True)
class StreamedCertificate(Certificate):
    """A certificate in a game too large to list.

    Attributes
    ----------
    classes, of
        How many classes of first common cards were evaluated, and how many there are.
    earned
        For each player, what she earns who plays as the strategy does before a round, and best from it on, with
        each class of hole cards, times its probability: a row for each round, and one for the strategy itself;
        a column for each class.
    errors
        Standard errors of the best responses, if they come from a sample.
    interval
        Of the exploitability, if it comes from a sample: right 95 times in 100.
    big_blind
        The game's unit; 0 if it has none.
    """

    classes: int = 0
    of: int = 0
    earned: tuple[Floats, ...] = field(default=(), repr=False)
    errors: tuple[float, ...] = ()
    interval: tuple[float, ...] = ()
    big_blind: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether every class was evaluated."""
        return self.classes == self.of

    @property
    def by_hand(self) -> tuple[Floats, ...]:
        """For each player, what her best response earns with each class of hole cards, times its probability."""
        return tuple(own[0] for own in self.earned)

    @property
    def gains_by_hand(self) -> tuple[Floats, ...]:
        """For each player, her gain with each class of hole cards, times its probability."""
        return tuple(own[0] - own[-1] for own in self.earned)

    @property
    def gains_by_round(self) -> tuple[Floats, ...]:
        """For each player, her gain if she plays as the strategy does before each round, and best from it on.

        From the first round on it is the whole gain, and from later ones it can only be less; so the difference
        between one round and the next is what it is worth to begin there and not later.
        """
        return tuple(own[:-1].sum(axis=1) - own[-1].sum() for own in self.earned)

    @property
    def exploitability(self) -> float:
        """What the best opponent wins in a hand, each seat half of the time."""
        return sum(self.best_responses) / 2

    @property
    def exploitability_error(self) -> float:
        """A bound of its standard error: estimates of both seats may err together."""
        return sum(self.errors) / 2

    def in_mbb(self, chips: float) -> float:
        """Return an amount in thousandths of a big blind."""
        return 1000 * chips / self.big_blind

    def remarks(self) -> dict[str, str]:
        """Return what poker players want to know, and how sure it is."""
        found = {
            **super().remarks(),
            "boards": f"all, after {self.of:,} classes of flops"
            if self.is_exact
            else f"those after {self.classes:,} flops drawn at random: an estimate, too large on average; "
            f"standard error {self.exploitability_error:.3g}",
        }
        if self.big_blind:
            per_hand = self.in_mbb(self.exploitability)
            found["exploitability"] = f"{per_hand:.4f} thousandths of a big blind a hand"
        if self.interval:
            scale, unit = (self.in_mbb(1.0), "of them") if self.big_blind else (1.0, "chips a hand")
            low, high = (scale * own for own in self.interval)
            found["interval"] = (
                f"{low:.4g} to {high:.4g} {unit}, right {CONFIDENCE:.0%} of the time"
            )
        return found

    def summary(self) -> dict[str, Any]:
        """Return the certificate in the words of the JSON objects that commands print."""
        found = {
            **super().summary(),
            "exploitability": self.exploitability,
            "flops": self.classes,
            "of": self.of,
            "gains_by_round": [own.tolist() for own in self.gains_by_round],
        }
        if self.big_blind:
            found["exploitability_mbb"] = self.in_mbb(self.exploitability)
        if self.errors:
            found["standard_errors"] = self.errors
            found["exploitability_interval"] = self.interval
            if self.big_blind:
                found["exploitability_interval_mbb"] = [self.in_mbb(own) for own in self.interval]
        return found


def certify_streamed(
    game: PokerGame,
    strategy: Strategy,
    *,
    device: Device | None = None,
    precision: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    each: Callable[[int, int], None] | None = None,
    parts: str | Path | None = None,
    note: Callable[[str], None] | None = None,
) -> StreamedCertificate:
    """Return the certificate of ``strategy``, which plays ``game`` by its views or by buckets.

    Parameters
    ----------
    device
        Where to compute; by default compiled loops on the processor.
    precision
        That of sums over hands on one board, one of :data:`~equipoise.certificates.board_walk.PRECISIONS`; sums over boards are always in
        double precision. By default double in compiled loops, or single for a sample, which errs by thousands
        of times more; else that of the device.
    sample, seed
        How many classes of first common cards to draw, as likely as in the game, and from which seed; by
        default all are evaluated, as they are where so many draws would be no less work.
    each
        Called after every class with the numbers of those done and to do.
    parts, note
        A file to keep every class in, and to go on from (:mod:`equipoise.certificates.parts_file`); and what
        is called with the sentence if it cannot be written.
    """
    if sample is not None and (not isinstance(sample, Integral) or sample < 2):
        raise EquipoiseError(
            f"certify: found a sample of {short(sample)}, expected a whole number from 2 up."
        )
    total = len(Streets(game).first)
    if sample is not None and sample >= total:
        sample = None
    if precision is None and device is None and sample is not None:
        precision = "single"
    walk = BoardWalk(game, strategy, device, precision)
    if sample is None:
        numbers, weights = np.arange(total), walk.streets.copies
    else:
        chance = walk.streets.copies / walk.streets.copies.sum()
        numbers = np.random.default_rng(seed).choice(total, sample, p=chance)
        weights = np.full(sample, walk.streets.copies.sum() / sample)
    where = "compiled loops" if device is None else device.xp.__name__
    kind = "bf16" if precision == "bf16" else walk.device.dtype
    own = identity(game, strategy, f"by {where} in {kind}")
    file = None
    if parts is not None:
        file = PartsFile(parts, own, note or _ignore, walk.shapes, total)
    known = {} if file is None else file.parts
    wanted = dict.fromkeys(numbers.tolist())
    left = [number for number in wanted if number not in known]
    # Compiled loops leave the other cores free; an array library, or a GPU, takes what there is.
    found = in_order if device is None else map
    parted = zip(left, found(walk.part, left), strict=True)
    try:
        for done, (number, part) in enumerate(parted, len(wanted) - len(left) + 1):
            known[number] = part
            if file is not None:
                file.write(is_due=False)
            if each is not None:
                each(done, len(wanted))
    finally:
        walk.stop()
        if file is not None:
            file.write()
    every = [known[number] for number in numbers.tolist()]
    return _certificate(walk, every, weights, is_sample=sample is not None)


def _ignore(sentence: str) -> None:
    """Say nothing."""


def _certificate(
    walk: BoardWalk, parts: list[Part], weights: Floats, *, is_sample: bool
) -> StreamedCertificate:
    """Return the certificate that ``parts`` add up to, each of which stands for so many boards."""
    deals = walk.deals(walk.game.rounds - 1)
    carried, earned = stacked(parts)
    whole = walk.before(
        *([np.tensordot(weights, own, axes=1) for own in both] for both in (carried, earned))
    )
    plans = tuple(own / deals for own in whole)
    responses = np.array([own[0].sum() for own in plans])
    value = float(plans[0][-1].sum())
    errors, interval = luck(walk, parts, responses) if is_sample else ((), ())
    return StreamedCertificate(
        values=(value, -value),
        best_responses=(float(responses[0]), float(responses[1])),
        gains=(float(responses[0] - value), float(responses[1] + value)),
        classes=len(parts),
        of=len(walk.streets.first),
        earned=plans,
        errors=errors,
        interval=interval,
        big_blind=walk.game.big_blind,
    )
