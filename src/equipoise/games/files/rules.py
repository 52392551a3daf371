"""Games with signals as TOML files.

A file has, at its top, ``name``, ``description``, ``players`` (default 2), ``ante`` and ``blinds``, and
for no-limit betting ``stacks`` (one number, or one a player), ``smallest`` (the smallest bet),
``pot_limit`` and ``chip`` (:class:`equipoise.games.signals.no_limit.NoLimit`); then what can be revealed,
the rounds, and what the signals decide::

    [signals]                     # draws without replacement
    names = ["low", "mid", "high"]
    weights = [1, 2, 1]           # optional: p, up to a factor

    [[signals.joint]]             # or: every possible deal, for signals that depend on each other
    deal = ["high", "low"]        # in order: round by round, public first, then player by player
    weight = 3

    [deck]                        # or: cards
    ranks = "23456789TJQKA"
    suits = "cdhs"
    showdown = "three-card"       # high-card, pair, three-card or five-card

    [[round]]
    public = 0                    # signals shown to all
    private = 1                   # signals shown to each player, or a list with one number a player
    bet = 2                       # limit betting: bet, cap and who acts first
    cap = 3
    first = 1

    [[round]]                     # or no-limit betting, where the file has stacks
    public = 1
    bets = ["50%", "all-in"]      # sizes on offer, as in equipoise.games.signals.bet_sizes.bet_size
    raises = ["2.5x", 4]          # optional: other sizes for raises; 'cap' and 'first' are, too

    [[round]]
    [round.stage]                 # or any stage game, written out as in equipoise.games.signals.explicit
    player = 1
    actions.claim = {pay = 2, over = true}
    actions.fight = {outcome = "prize", scale = 3}

    [ranking]                     # the order of signals; decides every 'showdown'
    order = ["low", ["mid", "odd"], "high"]    # weakest first, equals in brackets
    beats = [["high", "low"]]     # or: pairs, stronger first, that make an order
    values = {low = 1, high = 5}  # or: numbers, added up over a player's own signals

    [outcome.prize]               # what the signals are worth to player 1 (two players)
    of = [1, "public"]            # whose signals count: 1, 2 and "public"
    values = {low = 1, high = 5}  # added up
    [outcome.clash.table]         # or: value by player 1's signals, then 2's, then public ones
    low.high = -1

With a ranking, a file describes a game with ordered signals (Definition 5 of Gilpin 2009) and is
checked as such; ``ordered = false`` makes it a stage-based game (Definition 12), which every file
without a ranking is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

from equipoise.cards.deck import Deck
from equipoise.errors import EquipoiseError
from equipoise.games.files.fields import Fields, parse_toml
from equipoise.games.files.rules_betting import TOP, read_tree
from equipoise.games.files.rules_ranking import (
    read_outcome,
    read_ranking,
    signal_number,
    try_outcomes,
)
from equipoise.games.poker.game import poker_game
from equipoise.games.signals.betting import BettingTree
from equipoise.games.signals.chance import Chance, Deal, Joint, WithoutReplacement
from equipoise.games.signals.stage_game import (
    OrderedGame,
    OutcomeFunction,
    Ranking,
    StageGame,
    check_order,
    showdowns,
)
from equipoise.games.trees.extensive import exact

_TOP = (
    "name",
    "description",
    "players",
    "ordered",
    *TOP,
    "signals",
    "deck",
    "round",
    "ranking",
    "outcome",
)

# Signals that one round shows, and players who see them: more could not be dealt, nor listed.
_MOST_SIGNALS, _MOST_PLAYERS = 100, 100


def load_rules(path: str | Path) -> StageGame:
    """Read the game that the TOML file at ``path`` describes."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EquipoiseError(f"{path}: cannot be read ({error}), expected a TOML file.") from None
    return parse_rules(text, str(path))


def parse_rules(text: str, source: str = "rules") -> StageGame:
    """Read a game from TOML ``text``; ``source`` is named in errors."""
    try:
        data = parse_toml(text)
    except EquipoiseError as error:
        raise EquipoiseError(f"{source}: {error}") from None
    return rules_game(data, source)


def rules_game(data: Mapping[str, Any], source: str = "rules") -> StageGame:
    """Return the game that ``data`` (a parsed file) describes."""
    try:
        fields = Fields(data, "")
        fields.only(*_TOP)
        return _game(fields, Path(source).stem)
    except EquipoiseError as error:
        raise EquipoiseError(f"{source}: {error}") from None


def library() -> tuple[str, ...]:
    """Return the names of the games that come with the package as rule files."""
    files = (file.name for file in resources.files("equipoise.games.library").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def library_game(name: str) -> StageGame:
    """Return the game ``name`` of :func:`library`."""
    if name not in library():
        raise EquipoiseError(f"game {name!r}: unknown, expected one of {', '.join(library())}.")
    file = resources.files("equipoise.games.library").joinpath(f"{name}.toml")
    return parse_rules(file.read_text(encoding="utf-8"), f"{name}.toml")


def _game(fields: Fields, stem: str) -> StageGame:
    name = fields.text("name", stem)
    players = fields.whole("players", 2, least=2, most=_MOST_PLAYERS)
    rounds = fields.tables("round")
    if not rounds:
        raise EquipoiseError("round: found none, expected at least one.")
    public = tuple(turn.whole("public", 0, most=_MOST_SIGNALS) for turn in rounds)
    private = tuple(_private(turn, players) for turn in rounds)
    tree = read_tree(fields, rounds, players)
    if ("deck" in fields) == ("signals" in fields):
        raise EquipoiseError("signals: expected either [signals] or [deck].")
    if "deck" in fields:
        return _poker(fields, name, public, private, tree)
    named = fields.table("signals")
    signals, chance = _signals(named)
    outcomes: dict[str, OutcomeFunction] = {}
    ranking: Ranking | None = None
    if "ranking" in fields:
        ranking = read_ranking(fields.table("ranking"), signals)
        outcomes.update(showdowns(tree, ranking))
    for kind, table in fields.children("outcome"):
        outcomes[kind] = read_outcome(table, signals, players)
    if ranking is not None and fields.flag("ordered", default=True):
        game = OrderedGame(name, signals, chance, public, private, tree, outcomes, ranking)
        check_order(game)
        return game
    if "ordered" in fields and fields.flag("ordered", default=False):
        raise EquipoiseError("ordered: found true without a [ranking], expected both.")
    staged = StageGame(name, signals, chance, public, private, tree, outcomes)
    try_outcomes(staged)
    return staged


def _private(turn: Fields, players: int) -> tuple[int, ...]:
    """Read γ_i: one number for all players, or a list."""
    if isinstance(turn.data.get("private"), list):
        counts = turn.numbers("private")
        if len(counts) != players or any(n not in range(_MOST_SIGNALS + 1) for n in counts):
            turn.fail("private", f"{players} whole numbers from 0 to {_MOST_SIGNALS}")
        return tuple(int(n) for n in counts)
    return (turn.whole("private", 0, most=_MOST_SIGNALS),) * players


def _poker(
    fields: Fields,
    name: str,
    public: Sequence[int],
    private: Sequence[tuple[int, ...]],
    tree: BettingTree,
) -> StageGame:
    """Read a game over a deck of cards."""
    deck = fields.table("deck")
    deck.only("ranks", "suits", "showdown")
    for key in ("ranking", "outcome"):
        if key in fields:
            raise EquipoiseError(f"{key}: a deck has its own, expected no [{key}].")
    if any(len(set(row)) > 1 or (turn and row[0]) for turn, row in enumerate(private)):
        raise EquipoiseError("round.private: expected equal hole cards in round 1, none after it.")
    game = poker_game(
        name,
        deck=Deck(deck.text("ranks"), deck.text("suits", "c")),
        hole=private[0][0],
        board=public,
        tree=tree,
        showdown=deck.text("showdown"),
    )
    # Ranking one hand shows at once whether the ranking can deal with this deck.
    game.ranking(tuple(range(sum(public))), tuple(range(sum(public), sum(public) + game.hole)))
    return game


def _signals(named: Fields) -> tuple[tuple[str, ...], Chance]:
    """Read Θ and p."""
    named.only("names", "weights", "joint")
    signals = tuple(named.texts("names"))
    if not signals or not all(name.isalnum() for name in signals):
        named.fail("names", "one or more names of letters and digits")
    if len(set(signals)) < len(signals):
        named.fail("names", "distinct names (signals overlap)")
    if "joint" not in named:
        weights = named.numbers("weights") or [1] * len(signals)
        return signals, WithoutReplacement(
            tuple(exact(weight, named.at("weights")) for weight in weights)
        )
    table: dict[Deal, Fraction] = {}
    for row in named.tables("joint"):
        row.only("deal", "weight")
        deal = tuple(signal_number(name, signals, row.at("deal")) for name in row.texts("deal"))
        if deal in table:
            row.fail("deal", "every deal once")
        table[deal] = exact(row.number("weight", 1), row.at("weight"))
    total = sum(table.values(), Fraction(0))
    return signals, Joint({deal: weight / (total or 1) for deal, weight in table.items()})
