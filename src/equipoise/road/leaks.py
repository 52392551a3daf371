"""Where a strategy of a poker game loses: by the round from which opponents respond to it, and by their hole cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.errors import EquipoiseError
from equipoise.road.families import Sheet

if TYPE_CHECKING:
    from equipoise.certificates import Certificate
    from equipoise.certificates.streamed import StreamedCertificate
    from equipoise.games.poker.game import PokerGame

WAYS = ("round", "hand")
"""What a certificate may be told by."""


class Leak(NamedTuple):
    """What players gain from a round on, or with a hand times how often it is dealt, in chips."""

    name: str
    dealt: float
    gains: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """Its part of the certificate's: a mean of both seats."""
        return sum(self.gains) / 2


class Leaks:
    """The gains that a certificate found, by ``round`` or by ``hand``; hands with the largest first.

    Gains from a round on are those of a player who plays as the strategy does before it, and best from it on:
    the first is all that there is to gain, and each later one at most the one before. Gains by hand add up to that.
    """

    def __init__(self, game: Any, proof: Certificate, by: str) -> None:
        from equipoise.certificates.streamed import StreamedCertificate

        if not isinstance(proof, StreamedCertificate):
            raise EquipoiseError(
                "--by: found no certificate board by board, expected one of poker."
            )
        self._proof, self._by = proof, by
        self.found = _by_round(proof) if by == "round" else _by_hand(game, proof)

    def fields(self) -> dict[str, Any]:
        """Return them in the words of the JSON objects that commands print."""
        return {f"by_{self._by}": [self._told(leak) for leak in self.found]}

    def sheet(self) -> Sheet:
        """Return them as a table for people."""
        is_in_blinds = self._proof.big_blind > 0
        unit = "thousandths of a big blind" if is_in_blinds else "chips"
        title = {
            "round": f"gains of who plays so before a round, and best from it on, in {unit} a hand",
            "hand": f"gains by hole cards, times how often they are dealt, in {unit} a hand",
        }[self._by]
        rows: list[tuple[str | float, ...]] = []
        for leak in self.found:
            amounts = (*leak.gains, leak.exploitability)
            told = [self._proof.in_mbb(own) if is_in_blinds else own for own in amounts]
            rows.append((leak.name, *(f"{own:.6g}" for own in told)))
        header = (
            "from" if self._by == "round" else "hand",
            "player 1",
            "player 2",
            "exploitability",
        )
        return Sheet(title, header, rows)

    def _told(self, leak: Leak) -> dict[str, Any]:
        own = {**leak._asdict(), "exploitability": leak.exploitability}
        if self._proof.big_blind:
            own["exploitability_mbb"] = self._proof.in_mbb(leak.exploitability)
        return own


def _by_round(proof: StreamedCertificate) -> list[Leak]:
    gains = zip(*(own.tolist() for own in proof.gains_by_round), strict=True)
    return [Leak(f"round {turn + 1}", 1.0, own) for turn, own in enumerate(gains)]


def _by_hand(game: PokerGame, proof: StreamedCertificate) -> list[Leak]:
    from equipoise.games.signals.views import views

    named = views(game).canonical
    assert named is not None, "it was certified by them"
    gains = zip(*(own.tolist() for own in proof.gains_by_hand), strict=True)
    hands = zip(named.starting_hands(), gains, strict=True)
    found = [Leak(name, dealt, own) for (name, dealt), own in hands]
    return sorted(found, key=lambda leak: -leak.exploitability)
