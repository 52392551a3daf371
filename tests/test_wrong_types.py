"""Public functions given what they were not made for: a sentence, and nothing else.

Every public function is called with nonsense in the place of each argument that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise
from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError

NONSENSE: dict[str, Any] = {
    "nothing": None,
    "a number": 1.5,
    "a truth value": True,
    "bytes": b"x",
    "a list": [[1, 2], [3]],
    "a table": {"a": 1},
    "an array": np.zeros((2, 2, 2)),
    "an object": object(),
}
# Each with the nonsense that makes sense there.
CALLS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "load": (lambda x: equipoise.load(x), ()),
    "open": (lambda x: equipoise.open(x), ()),
    "solve: the game": (lambda x: equipoise.solve(x), ()),
    "solve: method": (lambda x: equipoise.solve("kuhn", x), ("nothing",)),
    "solve: gap": (lambda x: equipoise.solve("kuhn", gap=x), ("nothing", "a number")),
    "solve: time": (lambda x: equipoise.solve("kuhn", time=x), ("nothing", "a number")),
    "solve: out": (lambda x: equipoise.solve("kuhn", out=x), ("nothing",)),
    "solve: checkpoint": (lambda x: equipoise.solve("kuhn", checkpoint=x), ("a number",)),
    "solve: family": (lambda x: equipoise.solve("kuhn", family=x), ("nothing",)),
    "solve: abstraction": (lambda x: _small(abstraction=x), ("nothing",)),
    "solve: buckets": (lambda x: _small(buckets=x), ("nothing",)),
    "solve: actions": (lambda x: _small(actions=x), ("nothing",)),
    "solve: model": (lambda x: _small(model=x), ("nothing",)),
    "solve: stages": (lambda x: _small(stages=x), ("nothing",)),
    "solve: weights": (lambda x: _general(weights=x), ("nothing",)),
    "abstract: the game": (lambda x: equipoise.abstract(x), ()),
    "abstract: method": (lambda x: equipoise.abstract("standoff", x), ()),
    "abstract: refine": (lambda x: equipoise.abstract("standoff", refine=x), ("nothing",)),
    "certify": (lambda x: equipoise.certify("kuhn", x), ()),
    "certify a repeated game": (lambda x: equipoise.certify("partial", x), ()),
    "certify a tournament": (lambda x: equipoise.certify("tournament", x), ()),
    "build": (lambda x: equipoise.build(x), ()),
    "nash": (lambda x: equipoise.nash(x), ()),
    "lift": (lambda x: equipoise.lift(x, x), ()),
    "coarsen": (lambda x: equipoise.coarsen((), x), ()),
    "icm: stacks": (lambda x: equipoise.icm(x, [1]), ()),
    "icm: prizes": (lambda x: equipoise.icm([1, 2], x), ()),
    "solve_repeated": (lambda x: equipoise.solve_repeated(x), ()),
    "solve_tournament": (lambda x: equipoise.solve_tournament(x), ()),
    "Gap": (lambda x: equipoise.Gap(x), ("a number",)),
    "Iterations": (lambda x: equipoise.Iterations(x), ("a number",)),
    "from_matrices": (lambda x: equipoise.from_matrices("m", x), ()),
    "from_matrices: an entry": (lambda x: equipoise.from_matrices("m", [[x]]), ("a number",)),
    "TreeBuilder": (lambda x: equipoise.TreeBuilder("t", x), ()),
    "decide: the place": (lambda x: _tree().decide(x, 0, "k", ["a"]), ()),
    "decide: the player": (lambda x: _tree().decide(0, x, "k", ["a"]), ()),
    "decide: actions": (lambda x: _tree().decide(0, 0, "k", x), ()),
    "decide: information": (
        lambda x: _tree().decide(0, 0, x, ["a"]),
        ("nothing", "a number", "a truth value", "bytes", "an object"),
    ),
    "chance": (lambda x: _tree().chance(0, x), ()),
    # As many numbers as there are players is asked for when the tree is built.
    "end": (lambda x: _tree().end(0, x), ("bytes",)),
    "Deck.small": (lambda x: Deck.small(x), ()),
}


def _small(**options: Any) -> Any:
    return equipoise.solve("standoff", iterations=1, **options)


def _general(**options: Any) -> Any:
    return equipoise.solve("kuhn", family="general-sum", **options)


def _tree() -> equipoise.TreeBuilder:
    return equipoise.TreeBuilder("t", ["A", "B"])


@pytest.mark.parametrize("call", CALLS)
def test_nonsense_is_told_in_a_sentence(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, fine = CALLS[call]
    for name, value in NONSENSE.items():
        if name in fine:
            continue
        with pytest.raises(EquipoiseError) as error:
            function(value)
        assert len(str(error.value)) < 400, name
        assert "\n" not in str(error.value), name


def test_strategies_are_asked_by_labels() -> None:
    strategy = equipoise.solve("kuhn").strategy
    for value in (None, 3, [], {}, b"x"):
        with pytest.raises(EquipoiseError, match="information set: found"):
            strategy[value]
        if value is None or value == 3:
            with pytest.raises(EquipoiseError, match="history: found"):
                strategy.at(value)


def test_files_are_named_by_paths_too(tmp_path: Path) -> None:
    file = tmp_path / "stag hunt.nfg"
    file.write_text('NFG 1 R "Stag hunt" { "Ann" "Ben" } { 2 2 } 4 4 3 0 0 3 3 3')
    assert equipoise.load(file).players == ("Ann", "Ben")
    result = equipoise.solve(file, out=tmp_path / "stag.eqp")
    assert equipoise.open(tmp_path / "stag.eqp").value == result.value
    assert equipoise.certify(file, result.strategy).gap == result.certificate.gap


def test_numbers_of_all_kinds_are_payoffs() -> None:
    entries = [[1, 0.5], [Fraction(1, 3), Decimal("0.25")], [np.int64(2), np.float32(0.5)]]
    game = equipoise.from_matrices("numbers", entries)
    assert game.payoff[:, :, 0].tolist() == [
        [1, Fraction(1, 2)],
        [Fraction(1, 3), Fraction(1, 4)],
        [2, Fraction(1, 2)],
    ]
