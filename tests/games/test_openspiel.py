"""OpenSpiel's games through the rules protocol, against OpenSpiel's own values and best responses."""

import sys

import numpy as np
import pytest

from equipoise.certificates.gap import certify
from equipoise.errors import EquipoiseError
from equipoise.games.base import load
from equipoise.games.files import openspiel
from equipoise.games.trees.classic import kuhn, leduc, liars_dice
from equipoise.games.trees.extensive import ExtensiveGame
from equipoise.sequence.build import build, treeplex
from equipoise.solvers.base import solve
from equipoise.solvers.driver import Gap, Iterations
from equipoise.solvers.saddle.cfr import TABLE
from equipoise.strategy.profile import Strategy

pyspiel = pytest.importorskip("pyspiel")

ZERO_SUM = [
    "kuhn_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(numdice=1,dice_sides=3)",
    "matrix_rps",
    "blotto(coins=4,fields=3,players=2)",
    "goofspiel(num_cards=3)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "oshi_zumo(coins=3,size=1,horizon=4)",
    "dark_hex(num_rows=2,num_cols=2)",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=2,allow_repeated_shots=False)",
    "nim(pile_sizes=1;2;2)",
    "misere(game=kuhn_poker())",
    "leduc_poker",
]
OTHERS = [
    "kuhn_poker(players=3)",
    "matching_pennies_3p",
    "matrix_bos",
    "first_sealed_auction(max_value=3)",
    "tiny_hanabi",
    "trade_comm(num_items=2)",
    "lewis_signaling",
    "sheriff(max_items=1,max_bribe=2,num_rounds=1)",
]


def uniform(game: ExtensiveGame) -> Strategy:
    plexes = [treeplex(game, player) for player in range(len(game.players))]
    return Strategy(game.name, game.fingerprint, tuple(p.uniform() for p in plexes))


def random(game: ExtensiveGame, seed: int) -> Strategy:
    chance = np.random.default_rng(seed)
    plexes = [treeplex(game, player) for player in range(len(game.players))]
    behaviour = []
    for plex in plexes:
        vector = np.ones(plex.size)
        for start, actions in zip(plex.blocks.start, plex.blocks.actions, strict=True):
            vector[start : start + actions] = chance.dirichlet(np.ones(actions))
        behaviour.append(vector)
    return Strategy(game.name, game.fingerprint, tuple(behaviour))


def solved(game: ExtensiveGame) -> Strategy:
    return solve(build(game), TABLE["cfr+"], Gap(1e-6) | Iterations(1000)).strategy


def their_measure(spec: str, game: ExtensiveGame, strategy: Strategy) -> tuple[list[float], float]:
    """OpenSpiel's values and NashConv of our strategy."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import expected_game_score, exploitability

    spiel = pyspiel.load_game(spec)
    if spiel.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        spiel = pyspiel.convert_to_turn_based(spiel)
    sets = {
        (int(player), label): place
        for place, (player, label) in enumerate(
            zip(game.infoset_player, game.infoset_label, strict=True)
        )
    }
    table = policy.TabularPolicy(spiel)
    assert len(table.states) == game.infosets
    for row, state in enumerate(table.states):
        player = state.current_player()
        place = sets[player, state.information_state_string()]
        first = int(game.first_sequence[place])
        table.action_probability_array[row] = 0.0
        for slot, move in enumerate(state.legal_actions()):
            chance = strategy.behaviour[player][first + slot]
            table.action_probability_array[row, move] = chance
    values = expected_game_score.policy_value(
        spiel.new_initial_state(), [table] * spiel.num_players()
    )
    return list(values), exploitability.nash_conv(spiel, table)


def check(spec: str, game: ExtensiveGame, strategy: Strategy) -> None:
    values, nash_conv = their_measure(spec, game, strategy)
    proof = certify(game, strategy)
    np.testing.assert_allclose(proof.values, values, rtol=0, atol=1e-9)
    assert proof.gap == pytest.approx(nash_conv, abs=1e-9)


@pytest.mark.parametrize("spec", ZERO_SUM)
def test_value_and_exploitability_equal_openspiel_s(spec: str) -> None:
    game = load(f"openspiel:{spec}")
    game.require_constant_sum()
    for strategy in (uniform(game), random(game, 1), solved(game)):
        check(spec, game, strategy)


@pytest.mark.parametrize("spec", OTHERS)
def test_general_sum_and_more_players_too(spec: str) -> None:
    game = load(f"openspiel:{spec}")
    for strategy in (uniform(game), random(game, 1), random(game, 2)):
        check(spec, game, strategy)


@pytest.mark.parametrize(
    ("spec", "ours"),
    [
        ("kuhn_poker", kuhn()),
        ("leduc_poker", leduc()),
        ("liars_dice(dice_sides=4,numdice=1)", liars_dice(4)),
    ],
    ids=["kuhn", "leduc", "liars_dice"],
)
def test_our_rules_are_theirs(spec: str, ours: ExtensiveGame) -> None:
    theirs = load(f"openspiel:{spec}")
    assert (theirs.nodes, theirs.infosets) == (ours.nodes, ours.infosets)
    ends = [
        np.sort(g.chance_reach[g.terminals] * g.payoffs[g.outcome[g.terminals], 0])
        for g in (theirs, ours)
    ]
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-15)


def test_perfect_information_without_strings_uses_the_history() -> None:
    game = load("openspiel:pig(winscore=4,diceoutcomes=2,horizon=8)")
    decisions = np.flatnonzero(game.player >= 0)
    assert len(np.unique(game.infoset[decisions])) == len(decisions)


def test_probabilities_come_out_exact() -> None:
    game = load("openspiel:liars_dice(numdice=1,dice_sides=3)")
    assert {game.numbers[i] for i in game.probability} == {1, game.numbers[1]}
    assert game.numbers[1] * 3 == 1


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("leduk_poker", "unknown game 'leduk_poker', did you mean 'leduc_poker'?"),
        ("", "unknown game ''"),
        ("kuhn_poker(players=nan)", "Wrong type for parameter players"),
        ("kuhn_poker(players=-1)", "OpenSpiel says"),
        ("kuhn_poker(cards=3)", "Unknown parameter 'cards'"),
        ("kuhn_poker(players=2", "OpenSpiel says"),
        ("mfg_garnet", "found a mean-field game"),
        ("coop_to_1p", "found no information states"),
        ("hearts(pass_cards=x", "OpenSpiel says"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_a_sentence(spec: str, words: str, capfd) -> None:
    with pytest.raises(EquipoiseError) as error:
        load(f"openspiel:{spec}")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert capfd.readouterr().err == ""


def test_games_with_too_much_text_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openspiel, "MOST_CHARACTERS", 1000)
    with pytest.raises(EquipoiseError, match="more than 1,000 characters, expected a smaller game"):
        load("openspiel:leduc_poker")


@pytest.mark.parametrize(
    ("spec", "infosets"),
    [
        # Two rounds: one set each, then one each after four joint moves.
        ("repeated_game(stage_game=matrix_pd(),num_repetitions=2)", 2 * (1 + 4)),
        ("python_iterated_prisoners_dilemma(max_game_length=2)", 2 * (1 + 4)),
        ("pathfinding(horizon=2,players=2,grid=A.a\nB.b)", None),
    ],
)
def test_moves_at_one_time_without_strings_are_seen_when_all_are_made(
    spec: str, infosets: int | None
) -> None:
    game = load(f"openspiel:{spec}")
    assert game.forgetful is None
    assert infosets in (None, game.infosets)
    # Whoever chooses second in a round does not know what the first has chosen.
    second = np.flatnonzero(game.player == 1)
    assert len(np.unique(game.infoset[second])) < len(second)


def test_without_openspiel_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(EquipoiseError, match=r'pip install "equipoise\[openspiel\]"'):
        load("openspiel:kuhn_poker")


class Unfinished:
    """A finder of modules under which OpenSpiel cannot be set up, for a reason of its own."""

    def __init__(self, reason: BaseException) -> None:
        self.reason = reason

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pyspiel":
            raise ImportError("initialization failed") from self.reason


def test_an_openspiel_that_cannot_be_set_up_is_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "pyspiel")
    monkeypatch.setattr(sys, "meta_path", [Unfinished(OSError("a library is missing"))])
    with pytest.raises(EquipoiseError, match=r"cannot be imported \(initialization failed\)"):
        load("openspiel:kuhn_poker")
    # What its C++ makes of Ctrl-C.
    monkeypatch.setattr(sys, "meta_path", [Unfinished(KeyboardInterrupt())])
    with pytest.raises(KeyboardInterrupt):
        load("openspiel:kuhn_poker")
