"""The betting of a spot: what is on offer on every street, to every player, in a line of text.

Sizes are listed with commas (``60%,e,a``; see :func:`equipoise.games.signals.bet_sizes.bet_size`). One
list serves every street and both players; lists for each street are set off by ``/``, and within a street
those of the first and the second player by ``|``: ``33%/75%|50%/e,a`` on the flop, the turn and the
river. A donk bet is one of the first player, who called on the street before; where a street of
``donk`` says ``-``, it has the usual sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from equipoise.errors import EquipoiseError, quoted, real, require_type, whole_number
from equipoise.games.signals.bet_sizes import BetSize, Offer, bet_size
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree, played_out
from equipoise.games.signals.no_limit import NoLimit, no_limit_stage
from equipoise.games.signals.stages import Stage, assemble

_FIRST, _SECOND = 0, 1
_T = TypeVar("_T")


def spot_tree(
    streets: int,
    pot: float,
    rules: NoLimit,
    *,
    bets: str,
    raises: str | None = None,
    donk: str | None = None,
    cap: str | int | None = None,
    rake: float = 0.0,
    rake_cap: float | None = None,
) -> BettingTree:
    """Return the betting of a spot with ``streets`` left to bet on and ``pot`` to be won.

    The pot is taken for what both players put in, half each, so that what is won from it and lost to it
    cancels; the stacks of ``rules`` include that half.
    """
    opening = _by_street("bets", bets, streets, _two_lists)
    raising = opening if raises is None else _by_street("raises", raises, streets, _two_lists)
    leading = (
        [None] * (streets - 1) if donk is None else _by_street("donk", donk, streets - 1, _donk)
    )
    caps = _by_street("cap", "-" if cap is None else str(cap), streets, _cap)

    def stage(street: int, last: int | None) -> Stage | None:
        """Return the betting of a street after one on which player ``last`` bet or raised last."""
        if street == streets:
            return None
        offers = [
            Offer.of(*own, caps[street])
            for own in zip(opening[street], raising[street], strict=True)
        ]
        sizes = leading[street - 1] if street else None
        if last == _SECOND and sizes is not None:
            offers[_FIRST] = replace(offers[_FIRST], bets=tuple(sizes))
        return no_limit_stage(
            rules,
            (offers[_FIRST], offers[_SECOND]),
            left=streets - street,
            after=lambda last: stage(street + 1, last),
        )

    stages = [own for street in range(streets) if (own := stage(street, None)) is not None]
    tree = played_out(assemble(stages, paid=(pot / 2, pot / 2)), streets - 1)
    return raked(tree, rake, rake_cap)


def raked(tree: BettingTree, rate: float, cap: float | None) -> BettingTree:
    """Return the tree in which the winner of a pot leaves the share ``rate`` of it, at most ``cap``.

    What nobody called is no part of the pot. Of a shared pot both leave half of that.
    """
    rate = real("rake", rate, "a share from 0 up to 1")
    if not 0 <= rate < 1:
        raise EquipoiseError(f"rake: found {rate:g}, expected a share from 0 up to 1.")
    if cap is not None:
        cap = real("rake_cap", cap, "an amount from zero up")
    if cap is not None and not cap >= 0:
        raise EquipoiseError(f"rake_cap: found {cap:g}, expected an amount from zero up.")
    if rate == 0 and cap is not None:
        raise EquipoiseError(f"rake_cap: found {cap:g} without a rake, expected both.")
    if rate == 0:
        return tree
    base, scale = tree.base.copy(), tree.scale.copy()
    ends = tree.player == TERMINAL
    shown = ends & (tree.kind != NO_OUTCOME)
    folded = ends & (tree.kind == NO_OUTCOME)
    # The loser of a fold has put in what was matched; at a showdown the scale is half the pot.
    matched = np.where(shown, 2 * tree.scale, 2 * np.abs(tree.base).min(axis=1))
    taken = np.minimum(rate * matched, np.inf if cap is None else cap)
    base[shown] -= taken[shown, None] / 2
    scale[shown] -= taken[shown] / 2
    base[folded, base[folded].argmax(axis=1)] -= taken[folded]
    return replace(tree, base=base, scale=scale)


def _by_street(name: str, text: str, streets: int, read: Callable[[str, str], _T]) -> list[_T]:
    """Read what holds on each street: one for all, or one each."""
    require_type(name, text, str, "a text such as '60%,a'")
    parts = [part.strip() for part in text.split("/")]
    if len(parts) not in (1, streets):
        several = f" or {streets} set off by '/'" if streets > 1 else ""
        raise EquipoiseError(
            f"{name}: found {len(parts)} streets in {quoted(text)}, expected one list for all"
            f"{several}; half of the pot is written 50%."
        )
    found = [read(name, part) for part in parts]
    return found * streets if len(parts) == 1 else found


def _two_lists(name: str, text: str) -> tuple[list[BetSize], list[BetSize]]:
    """Read the sizes of both players on a street."""
    lists = [_sizes(name, part) for part in text.split("|")]
    if len(lists) > 2:
        raise EquipoiseError(
            f"{name}: found {len(lists)} players in {quoted(text)}, expected one list or two."
        )
    return lists[0], lists[-1]


def _donk(name: str, text: str) -> list[BetSize] | None:
    return None if text == "-" else _sizes(name, text)


def _cap(name: str, text: str) -> int | None:
    if text == "-":
        return None
    cap = whole_number(text)
    if cap is None:
        raise EquipoiseError(f"{name}: found {quoted(text)}, expected a whole number or '-'.")
    return cap


def _sizes(name: str, text: str) -> list[BetSize]:
    """Read a list of sizes; a number alone is chips."""
    return [_size(name, token) for part in text.split(",") if (token := part.strip())]


def _size(name: str, token: str) -> BetSize:
    try:
        return bet_size(float(token) if token.replace(".", "", 1).isdecimal() else token)
    except EquipoiseError:
        raise EquipoiseError(
            f"{name}: found the size {quoted(token)}, expected a share of the pot such as '75%', a "
            "multiple of the bet such as '2.5x', chips such as '50', 'e', 'min' or 'a'."
        ) from None
