"""Named models of hold'em: the sizes that are printed of them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Cli

import equipoise
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.base import load
from equipoise.games.signals.limit import limit
from equipoise.games.signals.sizes import betting_sizes
from equipoise.road.models import NAMED, models, with_model

# Rows and columns of the linear program. Printed in Gilpin (2009), section 6.3.1 and Table 8.1, are those of GS1,
# "Texas" and GS4, whose buckets are GS3's; the others follow from the same count.
SIZES = {
    "gs1": (243_938, 244_107),
    "gs2": (639_662, 639_677),
    "gs3": (299_477_082, 299_477_102),
    "gs4-first": (62_180_848, 62_181_017),
    "gs4": (299_477_082, 299_477_102),
    "texas": (18_536_842, 18_536_852),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(cli: Cli, name: str) -> None:
    program = cli("info", "limit-holdem", "--model", name, "--json").fields["lp"]
    assert (program["rows"], program["columns"]) == SIZES[name]


def test_every_row_is_a_game_and_says_what_solve_understands() -> None:
    for name, row in NAMED.items():
        game = load(row.game)
        *_, smallest = [game, *(own.game for own in models(game, row.options))]
        buckets = row.options["buckets"].split("-")
        assert len(buckets) == len(betting_sizes(smallest.tree).round_starts), name
        assert sorted(buckets, key=int) == buckets, name


def test_a_cap_of_three_after_the_flop_is_a_tree_of_its_own() -> None:
    # The other road: the betting of "Texas" made as such.
    (own,) = models(poker.limit_holdem(), NAMED["texas"].options)
    tree = limit(4, bets=(2, 2, 4, 4), cap=(4, 3, 3, 3), blinds=(1, 2), first=(0, 1, 1, 1))
    assert own.game.tree.histories == tree.histories


def test_what_is_given_counts_before_the_model(cli: Cli) -> None:
    wanted = with_model(poker.limit_holdem(), {"model": "gs1", "buckets": "10-20", "stages": None})
    assert wanted == {**NAMED["gs1"].options, "buckets": "10-20"}
    finer = ("--model", "texas", "--buckets", "20-800-4800-28800")
    assert cli("info", "limit-holdem", *finer, "--json").fields["buckets"] == [20, 800, 4800, 28800]


def test_fewer_bets_and_rounds_of_any_game(cli: Cli) -> None:
    found = cli("info", "rhode-island", "--actions", "cap=1", "--stages", "2", "--json").fields
    assert found["rounds"] == 2
    # One bet a round: check or bet, then fold or call; three ways to go on.
    assert found["betting"] == {"decisions": 16, "leaves": 17, "round_starts": [1, 3]}


POT = """
name = "pot"
bets = ["100%", "all-in"]
raises = ["100%"]
cap = 2
"""


def test_a_betting_model_in_a_file(cli: Cli) -> None:
    Path("pot.toml").write_text(POT)
    game = "no_limit_leduc(stack=30)"
    whole, small = (
        cli("info", game, *actions, "--json").fields["betting"]["decisions"]
        for actions in ((), ("--actions", "pot.toml"))
    )
    assert small < whole
    for mapping in ("absolute", "relative"):
        actions, file = f"pot.toml,mapping={mapping}", f"{mapping}.eqp"
        solved = cli("solve", game, "--actions", actions, "--out", file, "--json").fields
        facts = solved["actions"]
        assert (facts["decisions"], facts["mapping"]) == ({"kept": small, "of": whole}, mapping)
        # The strategy in the file is one of the whole game: any command takes it.
        proof = cli("certify", game, file, "--json").fields
        assert proof["gap"] == pytest.approx(solved["gap"])
    met = cli("compare", "absolute.eqp", "relative.eqp", "--game", game, "--json")
    assert met.code == 0, met.err
    # As the betting of a game, and as BML.
    cli("convert", "no_limit_holdem(model='pot.toml',stack=30)", "pot.bml")
    sizes = [
        cli("info", text, "--buckets", "10-20-30-40", "--json").fields["lp"]
        for text in ("no_limit_holdem(model='pot.toml',stack=30)", "pot.bml")
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("limit-holdem", ["--model", "gs7"], "model 'gs7': unknown, expected one of gs1"),
        ("leduc", ["--model", "gs1"], "model 'gs1': found the game 'leduc', expected limit_holdem"),
        (
            "limit-holdem",
            ["--model", "texas", "--buckets", "1327-2000-2000-2000"],
            "limit_holdem: buckets: found 1327 in round 1, expected no more than its 1326 hands",
        ),
        (
            "limit-holdem",
            ["--model", "gs1", "--buckets", "10-20-30-40"],
            "limit_holdem: buckets: found 10-20-30-40, expected a positive number for each of 2 rounds",
        ),
        ("leduc", ["--actions", "cap=1"], "--actions: 'leduc' has no signals"),
    ],
)
def test_bad_input(cli: Cli, game: str, options: list[str], sentence: str) -> None:
    found = cli("info", game, *options)
    assert found.code != 0
    assert found.err.replace("\n", " ").startswith(f"equipoise: {sentence}")


def test_solve_knows_models() -> None:
    with pytest.raises(EquipoiseError, match="model 'gs3': found the game 'leduc'"):
        equipoise.solve(poker.leduc(), model="gs3")
