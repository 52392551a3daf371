"""Normal-form games: their trees are those that a builder draws, and large ones are made at once."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.normal import NormalGame, from_matrices


def drawn(game):
    """The tree, place by place."""
    builder = TreeBuilder(game.name, game.players)
    places = {(): builder.root}
    for player, actions in enumerate(game.actions):
        places = {
            (*profile, choice): after
            for profile, place in places.items()
            for choice, after in enumerate(
                builder.decide(place, player, game.players[player], actions)
            )
        }
    for profile, place in places.items():
        builder.end(place, game.payoff[profile].tolist())
    return builder.build()


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(0, 10**6),
    st.sampled_from([int, float, Fraction]),
)
@settings(max_examples=60, deadline=None)
def test_the_tree_is_the_one_a_builder_draws(sizes, seed, kind):
    random = np.random.default_rng(seed)
    payoffs = [random.integers(-3, 4, sizes) for _ in range(max(len(sizes), 2))]
    if kind is float:
        payoffs = [array / 8 for array in payoffs]
    elif kind is Fraction:
        payoffs = [np.vectorize(lambda n: Fraction(int(n), 3), otypes=[object])(a) for a in payoffs]
    game = from_matrices("g", *payoffs[: len(sizes)]) if len(sizes) > 1 else _alone(payoffs[0])
    ours, expected = game.tree, drawn(game)
    for name in ("parent", "slot", "player", "infoset", "probability", "outcome", "payoff"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(expected, name), name)
        assert getattr(ours, name).dtype == getattr(expected, name).dtype
    for name in ("numbers", "players", "infoset_label", "infoset_actions", "fingerprint"):
        assert getattr(ours, name) == getattr(expected, name)
    assert dict(ours.chance_label) == {}


def _alone(payoffs):
    rational = np.vectorize(Fraction, otypes=[object])(payoffs)
    labels = tuple(str(i) for i in range(len(payoffs)))
    return NormalGame("g", ("One",), (labels,), rational[:, None])


def test_arrays_and_lists_are_the_same_game():
    matrix = np.random.default_rng(0).integers(-9, 9, (7, 5)) / 4
    one, two = from_matrices("g", matrix), from_matrices("g", matrix.tolist())
    assert (one.payoff == two.payoff).all()
    assert all(isinstance(number, Fraction) for number in one.payoff.ravel())
    assert one.fingerprint == two.fingerprint


def test_a_large_matrix_needs_no_node_by_node():
    """Colonel Blotto with ten soldiers on four fields: 286 x 286, in well under a second."""
    spread = np.array([s for s in itertools.product(range(11), repeat=4) if sum(s) == 10])
    wins = np.sign(spread[:, None] - spread[None, :]) @ np.array([2, 3, 4, 6])
    tree = from_matrices("blotto", wins).tree
    assert tree.nodes == 1 + 286 + 286**2
    assert len(tree.numbers) <= 2 * 15 + 1


def test_labels_twice_and_matrices_too_large_are_refused():
    game = from_matrices("g", [[1, 2]], actions=[("a",), ("b", "b")])
    with pytest.raises(EquipoiseError, match="expected no label twice"):
        _ = game.tree
    with pytest.raises(EquipoiseError, match=r"10,\d+,\d+ nodes, expected at most 10,000,000"):
        _ = from_matrices("g", np.zeros((3200, 3200))).tree
    with pytest.raises(EquipoiseError, match="nan"):
        from_matrices("g", np.array([[np.nan]]))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"players": 2}, "found 2, expected a list of names"),
        ({"players": [1, 2]}, r"found \[1, 2\], expected a list of names"),
        ({"actions": [[1, 2], ["l", "r"]]}, r"found \[1, 2\], expected a list of names"),
        ({"actions": 5}, "found 5, expected a list of actions a player"),
    ],
)
def test_names_are_lists_of_texts(names, words):
    with pytest.raises(EquipoiseError, match=words):
        from_matrices("m", [[1, 2], [3, 4]], **names)


def test_names_may_be_arrays():
    game = from_matrices(
        "m", [[1, 2]], players=np.array(["A", "B"]), actions=[["l"], np.array(["r", "s"])]
    )
    assert (game.players, game.actions) == (("A", "B"), (("l",), ("r", "s")))


def test_without_matrices_or_players_there_is_no_game():
    with pytest.raises(EquipoiseError, match="found no matrix"):
        from_matrices("m")
    with pytest.raises(EquipoiseError, match="expected their names"):
        TreeBuilder("t", [])


def test_payoffs_beyond_what_floats_can_add_are_refused():
    for entry in (1e301, Fraction(-(10**301)), 10**5000):
        with pytest.raises(
            EquipoiseError, match=r"wide: found the number .*, expected one between"
        ):
            from_matrices("wide", [[entry, 0], [0, 0]])
