"""The Betting Model Language: betting trees of no-limit hold'em as XML (Gilpin 2009, Listing 7.1).

A file has a ``<round>`` for each betting round, with ``<decisions>`` and ``<leaves>``. Player 1 is the big blind
and acts first after the flop; her actions are in lower case, those of player 2 in upper case: fold ``f``,
check ``k``, call ``c``, all-in ``a``, and ``r1`` for a bet of the pot. A ``<decision>`` has the ``player``, the
``sequence`` of actions that leads to it, and as ``parent`` the number of the player's own last action in the round
(-1 if none). Each ``<action>`` has a ``number``, its place in the round's part of the player's strategy vector:
depth first, the actions of a decision one after another when it is first met. A ``<leaf>`` has the numbers of
both players' last actions, ``seq1`` and ``seq2``, and either, after a fold, the ``payoff`` to player 1, or the
``potshare`` that each player has put in.

The listing shows a part of the first round only. What it leaves open we write like this:

* a leaf after which the game goes on has ``type='continue'``, and its ``potshare``;
* the ``sequence`` of a later round begins with those of the rounds before it, set off by ``/``;
* another bet than the pot is called after its part of the pot: ``r0.5``.

Amounts are not in a file. They follow from payoffs and pot shares: :mod:`equipoise.games.signals.chips`.
"""

from __future__ import annotations

from pathlib import Path

from equipoise.errors import EquipoiseError
from equipoise.files import write_atomically
from equipoise.games.files.bml_read import parse_bml
from equipoise.games.poker.game import PokerGame, holdem
from equipoise.games.signals.betting import NO_OUTCOME, TERMINAL, BettingTree
from equipoise.games.signals.chips import FOLD, PASSIVE, chips

_SIZES = (1.0, 1 / 2, 2 / 3, 3 / 4, 1 / 3, 1 / 4, 3 / 2, 2.0)


def load_bml(path: str | Path) -> PokerGame:
    """Return Texas hold'em with the betting in the file at ``path``."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise EquipoiseError(f"{path}: cannot be read ({reason}).") from None
    try:
        return holdem(str(path), parse_bml(text))
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None


def write_bml(tree: BettingTree, path: str | Path, name: str = "CustomBetting") -> None:
    """Write a two-player poker betting tree as a file of the Betting Model Language."""
    write_atomically(path, lambda file: file.write(bml(tree, name).encode()))


def bml(tree: BettingTree, name: str = "CustomBetting") -> str:
    """Return a two-player poker betting tree in the Betting Model Language, set as in the listing."""
    names, numbers = _names(tree), _numbers(tree)
    rounds: list[tuple[list[str], list[str]]] = [([], []) for _ in range(tree.rounds)]
    for node in range(len(tree.parent)):
        turn = int(tree.round[node])
        if tree.player[node] != TERMINAL:
            rounds[turn][0].extend(_decision(tree, node, names, numbers))
        parent = int(tree.parent[node])
        if parent >= 0 and (tree.player[node] == TERMINAL or turn > tree.round[parent]):
            rounds[int(tree.round[parent])][1].extend(_leaf(tree, node, names, numbers))
    lines = [f"<bml name='{_escaped(name)}'>"]
    for turn, (decisions, leaves) in enumerate(rounds):
        if not decisions:
            continue
        lines += [
            f"  <round number='{turn + 1}'>",
            "    <decisions>",
            *decisions,
            "    </decisions>",
        ]
        lines += ["    <leaves>", *leaves, "    </leaves>", "  </round>"]
    return "\n".join([*lines, "</bml>", ""])


def _names(tree: BettingTree) -> list[str]:
    """Return the way to every node in the names of the language."""
    pot = chips(tree)
    stack = float(pot.matched.max())
    texts = [""]
    for node in range(1, len(tree.parent)):
        parent, label = int(tree.parent[node]), tree.action[node]
        if label not in (FOLD, *PASSIVE):
            label = _size(tree, node, stack)
        shown = label.upper() if tree.player[parent] == 1 else label
        goes_on = tree.player[node] != TERMINAL and tree.round[node] > tree.round[parent]
        texts.append(texts[parent] + shown + ("/" if goes_on else ""))
    return texts


def _size(tree: BettingTree, node: int, stack: float) -> str:
    """Name a bet or raise: ``a``, or the part of the pot that it comes to, rounded down to a chip."""
    pot, parent = chips(tree), int(tree.parent[node])
    if pot.matched[node] == stack:
        return "a"
    by, called = float(pot.matched[node] - pot.matched[parent]), 2 * float(pot.matched[parent])
    size = next((part for part in _SIZES if int(part * called + 1e-9) == by), by / called)
    return f"r{size:.4g}"


def _numbers(tree: BettingTree) -> list[int]:
    """Number the actions of each player in each round, depth first."""
    numbers = [-1] * len(tree.parent)
    used: dict[tuple[int, int], int] = {}
    for node in range(len(tree.parent)):
        key = (int(tree.round[node]), int(tree.player[node]))
        for child in tree.successors[node]:
            numbers[child] = used.get(key, 0)
            used[key] = numbers[child] + 1
    return numbers


def _last(tree: BettingTree, node: int, player: int, turn: int, numbers: list[int]) -> int:
    """Return the number of the player's last action in round ``turn`` on the way to ``node``, or -1."""
    while (parent := int(tree.parent[node])) >= 0 and tree.round[parent] == turn:
        if tree.player[parent] == player:
            return numbers[node]
        node = parent
    return -1


def _decision(tree: BettingTree, node: int, names: list[str], numbers: list[int]) -> list[str]:
    player = int(tree.player[node])
    parent = _last(tree, node, player, int(tree.round[node]), numbers)
    actions = [
        f"        <action name='{names[child][len(names[node]) :].rstrip('/')}' "
        f"number='{numbers[child]}' />"
        for child in tree.successors[node]
    ]
    opening = f"<decision player='{player + 1}' sequence='{names[node]}' parent='{parent}'>"
    return [f"      {opening}", *actions, "      </decision>"]


def _leaf(tree: BettingTree, node: int, names: list[str], numbers: list[int]) -> list[str]:
    turn = int(tree.round[tree.parent[node]])
    first, second = (_last(tree, node, player, turn, numbers) for player in (0, 1))
    if tree.player[node] != TERMINAL:
        kind, worth = "continue", f"potshare='{float(chips(tree).matched[node])}'"
    elif tree.kind[node] == NO_OUTCOME:
        kind, worth = "fold", f"payoff='{float(tree.base[node, 0])}'"
    else:
        kind, worth = "showdown", f"potshare='{float(tree.scale[node])}'"
    return [
        f"      <leaf seq1='{first}' seq2='{second}' type='{kind}'",
        f"        sequence='{names[node].rstrip('/')}' {worth} />",
    ]


def _escaped(text: str) -> str:
    from xml.sax.saxutils import escape

    return escape(text, {"'": "&apos;"})
