"""Changes of a game tree whose effect on its equilibria is known without solving anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from equipoise.games.trees.builder import TreeBuilder
from equipoise.games.trees.extensive import CHANCE, TERMINAL, ExtensiveGame

Row = tuple[Fraction, ...]


def pay(game: ExtensiveGame, change: Callable[[Row], Row]) -> ExtensiveGame:
    """Return the same tree with every outcome's payoffs changed."""
    rows = [change(tuple(game.numbers[i] for i in row)) for row in game.payoff]
    places = len(game.numbers) + np.arange(len(rows) * len(rows[0])).reshape(len(rows), -1)
    numbers = (*game.numbers, *(Fraction(value) for row in rows for value in row))
    return replace(game, numbers=numbers, payoff=places.astype(np.uint32))


def scaled(game: ExtensiveGame, factor: Fraction | int) -> ExtensiveGame:
    """Pay everybody ``factor`` times as much."""
    return pay(game, lambda row: tuple(factor * value for value in row))


def shifted(game: ExtensiveGame, *amounts: Fraction | int) -> ExtensiveGame:
    """Pay each player so much more, whatever happens."""
    return pay(game, lambda row: tuple(v + a for v, a in zip(row, amounts, strict=True)))


def renamed(game: ExtensiveGame) -> ExtensiveGame:
    """Call players, information sets, actions and nature's moves something else."""
    return replace(
        game,
        name=f"{game.name}, renamed",
        players=tuple(f"{name}'" for name in game.players),
        infoset_label=tuple(f"{label}'" for label in game.infoset_label),
        infoset_actions=tuple(tuple(f"{a}'" for a in row) for row in game.infoset_actions),
        chance_label={node: f"{label}'" for node, label in game.chance_label.items()},
    )


def exchanged(game: ExtensiveGame) -> ExtensiveGame:
    """Let the two players change seats."""

    def other(player: np.ndarray) -> np.ndarray:
        return np.where(player >= 0, 1 - player, player).astype(np.int32)

    return replace(
        game,
        players=game.players[::-1],
        player=other(game.player),
        infoset_player=other(game.infoset_player),
        payoff=game.payoff[:, ::-1],
    )


def copied(
    game: ExtensiveGame,
    *,
    players: tuple[str, ...] | None = None,
    reverse: bool = False,
    dominated: bool = False,
    coin: str | None = None,
) -> ExtensiveGame:
    """Write the tree anew, with changes.

    Parameters
    ----------
    players
        Names, perhaps of more players; those without moves are paid nothing.
    reverse
        Whether actions come in the opposite order.
    dominated
        Whether everybody gets, wherever she acts, one more action that ends the game and pays her less
        than anything else could (and the others what makes it up).
    coin
        Toss a coin first that nobody sees (``hidden``) or everybody (``public``).
    """
    names = players or game.players
    tree = TreeBuilder(game.name, names)
    children: list[list[int]] = [[] for _ in range(game.nodes)]
    for node in range(1, game.nodes):
        children[game.parent[node]].append(node)
    lost = -1 - max(abs(number) for number in game.numbers)
    stack: list[tuple[int, int, str]] = [(0, tree.root, "")]
    if coin is not None:
        tossed = tree.chance(tree.root, [("heads", Fraction(1, 2)), ("tails", Fraction(1, 2))])
        sides = ("heads ", "tails ") if coin == "public" else ("", "")
        stack = [(0, place, side) for place, side in zip(tossed, sides, strict=True)]
    while stack:
        node, place, seen = stack.pop()
        player, below = int(game.player[node]), children[node]
        if player == TERMINAL:
            row = [game.numbers[i] for i in game.payoff[game.outcome[node]]]
            tree.end(place, row + [0] * (len(names) - len(row)))
            continue
        if player == CHANCE:
            moves = [(str(n), game.numbers[game.probability[n]]) for n in below]
            after = tree.chance(place, moves)
        else:
            own = int(game.infoset[node])
            below = below[::-1] if reverse else below
            actions = [game.infoset_actions[own][game.slot[n]] for n in below]
            extra = ["give up"] if dominated else []
            after = tree.decide(place, player, (seen, own), [*actions, *extra], f"{seen}{own}")
            if dominated:
                row = [lost if i == player else -lost for i in range(len(game.players))]
                tree.end(after[-1], row)
        stack += [(n, p, seen) for n, p in zip(below, after, strict=False)]
    return tree.build()
