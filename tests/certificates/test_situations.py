"""What actions are worth in a situation: the same as on the explicit tree, and the certificate's value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise import certify, load
from equipoise.certificates import situations as module
from equipoise.certificates.infosets import standings
from equipoise.certificates.situations import Situations
from equipoise.errors import EquipoiseError
from equipoise.games.poker.game import PokerGame, kuhn, leduc, no_limit_leduc, rhode_island
from equipoise.games.signals.unroll import unroll
from equipoise.sequence.build import game_fingerprint
from equipoise.strategy.profile import Strategy
from equipoise.strategy.views import on_tree, view_layout

GAMES = {
    "kuhn": lambda: kuhn(4),
    "leduc": lambda: leduc(3, 2),
    "no-limit": lambda: no_limit_leduc(
        3, 2, 6
    ),  # all-ins, whose boards are dealt with nobody acting
    "rhode-island": lambda: rhode_island(4, 2),
}


def random_strategy(game: PokerGame, seed: int = 3) -> Strategy:
    layout, random = view_layout(game), np.random.default_rng(seed)
    vectors = []
    for player in (0, 1):
        starts = layout.starts(player)
        vector = np.ones(int(starts[-1]))
        for (_, actions), begin, end in zip(
            layout.nodes[player], starts[:-1], starts[1:], strict=True
        ):
            block = random.dirichlet(np.ones(actions), (end - begin) // actions).T
            vector[begin:end] = block.reshape(-1)
        vectors.append(vector)
    return Strategy(game.name, game_fingerprint(game), tuple(vectors), layout, game)


def boards(game: PokerGame, node: int, count: int = 3) -> list[list[int]]:
    random = np.random.default_rng(node)
    length = sum(game.public[: int(game.tree.round[node]) + 1])
    return [random.permutation(game.deck.size)[:length].tolist() for _ in range(count)]


@pytest.mark.parametrize("name", GAMES)
def test_situations_are_those_of_the_tree(name: str) -> None:
    game = GAMES[name]()
    strategy = random_strategy(game)
    tree = unroll(game)
    expected = standings(tree, on_tree(game, tree, strategy))
    known = {(int(tree.infoset_player[k]), label): k for k, label in enumerate(tree.infoset_label)}
    found = Situations(game, strategy)
    compared = 0
    for node in np.flatnonzero(game.tree.player >= 0).tolist():
        for board in boards(game, node):
            at = found.at(node, board)
            assert at.values is not None
            for hand in np.flatnonzero(at.free).tolist():
                told = game.text((*at.holes[hand].tolist(), *board))
                k = known[at.player, f"{told}|{game.tree.histories[node]}"]
                first = int(tree.first_sequence[k])
                q = expected.actions[at.player][first : first + len(at.values)]
                np.testing.assert_allclose(at.values[:, hand], q, atol=1e-9)
                value = at.value
                assert value is not None
                assert value[hand] == pytest.approx(expected.values[k], abs=1e-9)
                compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", GAMES)
def test_the_first_situation_is_worth_the_certificates_value(name: str) -> None:
    game = GAMES[name]()
    strategy = random_strategy(game)
    at = Situations(game, strategy).at(0, ())
    assert at.value is not None
    weight = at.reach * at.met
    total = float((at.value * weight).sum() / weight.sum())
    assert total == pytest.approx(certify(game, strategy).values[at.player], abs=1e-9)


def test_what_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["leduc"]()
    monkeypatch.setattr(module, "MOST_WORK", 10)
    at = Situations(game, random_strategy(game)).at(0, ())
    assert at.values is None
    assert at.value is None
    np.testing.assert_allclose(at.probabilities[:, at.free].sum(axis=0), 1)


@pytest.mark.parametrize(
    ("history", "board"), [("kK/", []), ("kK/", [1, 1]), ("kK/", [99]), ("", [3]), ("bF", [])]
)
def test_boards_that_cannot_be_are_refused(history: str, board: list[int]) -> None:
    game = GAMES["leduc"]()
    with pytest.raises(EquipoiseError, match="expected"):
        Situations(game, random_strategy(game)).at(game.tree.find(history), board)


@pytest.mark.parametrize("change", [{"layout": None}, {"fingerprint": "of/an abstraction"}])
def test_strategies_that_know_no_hands_are_refused(change: dict[str, str | None]) -> None:
    game = GAMES["leduc"]()
    strategy = replace(random_strategy(game), **change)  # type: ignore[arg-type]
    with pytest.raises(EquipoiseError, match="found one that knows no hands"):
        Situations(game, strategy)


def test_trees_know_what_actions_are_worth() -> None:
    tree = load("kuhn")
    uniform = [np.full(tree.sequences(player), 0.5) for player in (0, 1)]
    known = standings(tree, Strategy(tree.name, tree.fingerprint, tuple(uniform)))
    for k in range(tree.infosets):
        player, first = int(tree.infoset_player[k]), int(tree.first_sequence[k])
        assert known.actions[player][first : first + 2].mean() == pytest.approx(known.values[k])
    # With a king, calling a bet wins two and folding loses the ante; with a jack, it loses two.
    for label, worth in {"Kb": [-1, 2], "Jb": [-1, -2], "Qb": [-1, 0]}.items():
        first = int(tree.first_sequence[tree.infoset_label.index(label)])
        np.testing.assert_allclose(known.actions[1][first : first + 2], worth, atol=1e-12)
