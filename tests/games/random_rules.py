"""Random games in the format of rule files: two players, zero-sum, small enough to unroll."""

from __future__ import annotations

from math import perm
from random import Random
from typing import Any

from equipoise.games.files.rules import rules_game
from equipoise.games.signals.sizes import tree_nodes
from equipoise.games.signals.stage_game import StageGame

Data = dict[str, Any]

# Showdown, ranks, suits, hole cards of each player, and the board cards that it needs.
DECKS = [
    ("high-card", "234", "c", 1, 0),
    ("high-card", "23", "cd", 1, 0),
    ("pair", "234", "cd", 1, 1),
    ("pair", "2345", "c", 1, 1),
    ("pair", "2", "cdhs", 1, 1),
    ("three-card", "2345", "c", 1, 2),
    ("three-card", "23", "cde", 1, 2),
    ("three-card", "A2K", "cd", 1, 2),
    ("five-card", "2345678", "c", 2, 3),
    ("five-card", "6789TJQA", "c", 2, 4),
]
# Signals are drawn from a joint table where there were more deals than this.
_FEW_DEALS = 200
# Most nodes of the explicit tree.
_FEW_NODES = 20_000


def random_game(random: Random) -> StageGame:
    """Return a game over cards, or over signals of any kind, whose tree is small."""
    game = _any_game(random)
    while tree_nodes(game) > _FEW_NODES:
        game = _any_game(random)
    return game


def _any_game(random: Random) -> StageGame:
    data = _poker(random) if random.random() < 0.5 else _signals(random)
    ante = {"ante": random.randint(0, 2)}
    blinds = {"blinds": random.choice([[1, 2], [2, 1]])} if random.random() < 0.3 else {}
    stacks: Data = {}
    if any("bets" in row for row in data["round"]):
        stacks = {
            "stacks": [random.randint(5, 20), random.randint(5, 20)],
            "smallest": random.choice([1, 2, 2.5]),
            "pot_limit": random.random() < 0.3,
            "chip": random.choice([0, 0, 1]),
        }
    return rules_game({**ante, **blinds, **stacks, **data}, "random")


def _poker(random: Random) -> Data:
    showdown, ranks, suits, hole, board = random.choice(DECKS)
    count = random.randint(1, 3) if board == 0 else random.randint(2, 3)
    public = [0] * count
    if hole > 1:  # all at once: few boards
        public[random.randint(1, count - 1)] = board
    else:
        for _ in range(board):
            public[random.randint(1, count - 1)] += 1
    stacked, briefly = random.random() < 0.4, hole > 1
    rounds = [
        {"public": cards, **_betting(random, ["showdown"], stacked, briefly)} for cards in public
    ]
    rounds[0]["private"] = hole
    return {"deck": {"ranks": ranks, "suits": suits, "showdown": showdown}, "round": rounds}


def _signals(random: Random) -> Data:
    """Signals by weights or by a joint table; an order, or a value for every signal."""
    names = ["a", "b", "c", "dd", "e"][: random.randint(3, 5)]
    private = random.choice([[1, 1], [1, 1], [2, 1], [1, 2], [0, 1]])
    rounds: list[Data] = [{"private": private, "public": random.randint(0, 1)}]
    for _ in range(random.choice([0, 1, 1, 2])):
        rounds.append(random.choice([{"public": 1}, {"private": [1, 0]}, {"private": [0, 1]}, {}]))
    dealt = sum(sum(row.get("private", [])) + row.get("public", 0) for row in rounds)
    chance: Data = {"names": names, "weights": [random.randint(1, 3) for _ in names]}
    if perm(len(names), dealt) not in range(1, _FEW_DEALS) or random.random() < 0.4:
        table = {tuple(random.choice(names) for _ in range(dealt)) for _ in range(6)}
        rows = [{"deal": list(deal), "weight": random.randint(1, 4)} for deal in sorted(table)]
        chance = {"names": names, "joint": rows}
    stacked = random.random() < 0.3
    for row in rounds:
        row.update(_betting(random, ["showdown", "prize"], stacked))
    return {
        "ordered": False,
        "signals": chance,
        "round": rounds,
        "ranking": {"values": {name: random.randint(0, 2) for name in names}},
        "outcome": {
            "prize": {
                "of": random.choice([[1], [2], [1, 2], [1, "public"]]),
                "values": {name: random.randint(-2, 3) for name in names},
            }
        },
    }


def _betting(random: Random, outcomes: list[str], stacked: bool, briefly: bool = False) -> Data:
    """Return a round's stage game: none, limit or no-limit betting, or a random tree."""
    kind = random.random()
    if kind < 0.25:
        return {"stage": {}}
    if kind < 0.6 and stacked:
        sizes = random.choice([["all-in"], ["150%"], ["33%"], ["min", "100%"], [4, "all-in"]])
        raises = random.choice([["3x"], ["all-in"], ["min", "50%"]])
        cap, first = random.randint(1, 1 if briefly else 3), random.randint(1, 2)
        return {
            "bets": sizes[-1:] if briefly else sizes,
            "raises": raises,
            "cap": cap,
            "first": first,
        }
    if kind < 0.6:
        cap, first = random.randint(1, 1 if briefly else 2), random.randint(1, 2)
        return {"bet": random.choice([1, 2.5]), "cap": cap, "first": first}
    # What a stage that is written out puts in is bounded by no stack.
    return {"stage": _node(random, 1 if briefly else 2, outcomes, 0 if stacked else 2)}


def _node(random: Random, depth: int, outcomes: list[str], most: int) -> Data:
    if depth == 0 or random.random() < 0.2:
        return _leaf(random, outcomes, most)
    labels = "xyz"[: random.randint(1, 3)]
    actions = {label: _node(random, depth - 1, outcomes, most) for label in labels}
    return {"player": random.randint(1, 2), "actions": actions}


def _leaf(random: Random, outcomes: list[str], most: int) -> Data:
    """Return a leaf of any sort; half of them go on to the next round, or skip its stage."""
    stake: Data = {"stake": [random.randint(0, most), random.randint(0, most)]}
    pay: Data = {"pay": random.randint(-1, 1)} if random.random() < 0.3 else {}
    outcome: Data = {"outcome": random.choice(outcomes)}
    ways: list[Data] = [
        {},
        {"then": {}},
        {"fold": random.randint(1, 2)},
        {"over": True},
        outcome,
        {**outcome, "scale": random.choice([-2, 3])},
        {**outcome, "buyer": random.randint(1, 2)},
    ]
    return {**stake, **pay, **ways[random.choices(range(7), [5, 3, 2, 1, 2, 1, 1])[0]]}
