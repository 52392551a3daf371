"""``equipoise match`` and ``equipoise field``: agents against each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from equipoise.cli import options
from equipoise.cli.completion import complete_agent, complete_game
from equipoise.cli.output import note, number, print_facts, print_json, print_table
from equipoise.cli.report import CONVERGED, STOPPED_SHORT, written_or_told

if TYPE_CHECKING:
    from equipoise.play.field import Field
    from equipoise.play.matches import Match, Watch
    from equipoise.play.winnings import Winnings

# A match of one series is cut into this many for the sign test, as Gilpin (2009) did.
_PARTS = 20

_AGENT = (
    "An agent: a strategy file (*.eqp, or text *.txt), uniform, always-call, always-raise, always-fold, "
    "learner, or nemesis:STRATEGY, the best answer to a strategy."
)
AgentName = Annotated[
    str, typer.Argument(metavar="AGENT", help=_AGENT, autocompletion=complete_agent)
]
AgentNames = Annotated[
    list[str], typer.Argument(metavar="AGENT...", help=_AGENT, autocompletion=complete_agent)
]
GameName = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="GAME",
        help="What they play: a named game or a file, as for solve.",
        autocompletion=complete_game,
    ),
]
Hands = Annotated[int, typer.Option("--hands", help="Hands in all.")]
Duplicate = Annotated[
    bool, typer.Option("--duplicate", help="Play every deal twice, with the seats swapped.")
]
SeriesCount = Annotated[
    int, typer.Option("--series", help="In how many series; memories are reset before each.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="All that is drawn follows from it.")]


def command(
    first: AgentName,
    second: AgentName,
    game: GameName,
    hands: Hands = 10_000,
    duplicate: Duplicate = False,
    series: SeriesCount = 1,
    seed: Seed = 0,
    luck: Annotated[
        bool,
        typer.Option(
            "--luck", help="Take the luck of the first agent's cards out, too (poker for two)."
        ),
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="Write every hand of poker, a line each as in the competition."),
    ] = None,
    phh: Annotated[
        Path | None,
        typer.Option("--phh", help="Write every hand of Texas hold'em in the PHH format."),
    ] = None,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> int:
    """Let two agents play against each other, and say what is luck and what is not."""
    from equipoise.cli.loading import load_game
    from equipoise.play.agents import agent
    from equipoise.play.matches import Terms, play_match

    terms = Terms(hands, duplicate, series, seed)
    rules = load_game(game)
    pair = agent(first, rules), agent(second, rules)
    books = _books(rules, (first, second), log, phh)
    with _watched(terms.hands, not json) as watch:
        record = partial(_record, books.values()) if books else None
        match = play_match(rules, *pair, terms, watch=watch, luck=luck, record=record)
    written = written_or_told(lambda: map(_written, books, books.values()))
    if json:
        print_json(_match_fields(match))
    else:
        _print_match(match)
    return STOPPED_SHORT if written is None else CONVERGED


def field_command(
    agents: AgentNames,
    game: GameName,
    hands: Hands = 10_000,
    duplicate: Duplicate = False,
    series: SeriesCount = 1,
    seed: Seed = 0,
    nodes: options.Nodes = None,
    json: options.Json = False,
) -> None:
    """Let every agent play every other, and rank them: by chips, by instant runoff, by wins."""
    from equipoise.cli.loading import load_game
    from equipoise.play.agents import agent
    from equipoise.play.field import play_field
    from equipoise.play.matches import Terms

    terms = Terms(hands, duplicate, series, seed)
    rules = load_game(game)
    entries = [agent(name, rules) for name in agents]
    pairs = len(entries) * (len(entries) - 1) // 2
    with _watched(pairs * terms.hands, not json) as watch:
        field = play_field(rules, entries, terms, watch=watch)
    if json:
        print_json(_field_fields(field))
    else:
        _print_field(field)


@contextmanager
def _watched(hands: int, is_shown: bool) -> Iterator[Watch]:
    """Show how many hands are done."""
    from equipoise.cli.progress import status_line

    done = 0
    with status_line(is_shown) as say:

        def watch(more: int) -> None:
            nonlocal done
            done += more
            if say is not None:
                say(f"{done:,} of {hands:,} hands", done / hands)

        yield watch


def _books(
    game: Any, names: tuple[str, str], log: Path | None, phh: Path | None
) -> dict[Path, Any]:
    """Return what histories of the hands of a match are wanted, by the file they go to once all are played."""
    from equipoise.files import require_writable
    from equipoise.play.histories import LogBook, PokerHandHistory

    kinds = ((log, LogBook), (phh, PokerHandHistory))
    books = {path: kind(game, names) for path, kind in kinds if path is not None}
    for path in books:
        require_writable(path)
    return books


def _record(books: Iterable[Any], state: Any, seat: int) -> None:
    for book in books:
        book.add(state, seat)


def _written(path: Path, book: Any) -> Path:
    from equipoise.files import write_atomically

    write_atomically(path, partial(_put, book.text().encode()))
    return path


def _put(text: bytes, file: BinaryIO) -> None:
    file.write(text)


def _match_fields(match: Match) -> dict[str, Any]:
    """Return a match in the words of the JSON object."""
    terms, test = match.terms, _series(match).sign_test
    fields: dict[str, Any] = {
        "game": match.game.name,
        "agents": match.names,
        "hands": terms.hands,
        "duplicate": terms.duplicate,
        "seed": terms.seed,
        **_score_fields(match.score, match.bet),
        "expected": match.expected,
        "series": {"won": test.won, "lost": test.lost, "tied": test.tied, "p_value": test.p_value},
        "last_tenth": _score_fields(match.last_tenth, match.bet),
        "missing": match.missing,
    }
    if match.adjusted is not None:
        fields["without_luck"] = {
            **_score_fields(match.adjusted, match.bet),
            "factor": _factor(match),
        }
    return fields


def _score_fields(score: Winnings, bet: float | None) -> dict[str, Any]:
    low, high = score.interval
    fields: dict[str, Any] = {
        "mean": score.mean,
        "low": low,
        "high": high,
        "deviation": score.deviation,
    }
    if bet is not None:
        fields |= {f"{name}_bets": fields[name] / bet for name in ("mean", "low", "high")}
    return fields


def _series(match: Match) -> Any:
    """Return the series of a match, or a long match cut into some."""
    if match.terms.series > 1:
        return match.series
    return match.score.split(min(_PARTS, len(match.score.units)))


def _factor(match: Match) -> float:
    """Return how much narrower the interval is without luck."""
    assert match.adjusted is not None
    width = match.adjusted.half_width
    return match.score.half_width / width if width else float("inf")


def _print_match(match: Match) -> None:
    terms, first = match.terms, match.names[0]
    deals = f", {terms.hands // 2:,} deals played twice" if terms.duplicate else ""
    test = _series(match).sign_test
    facts = {
        "match": f"{first} against {match.names[1]}",
        "game": f"{match.game.name}, {terms.hands:,} hands{deals}",
        "won a hand": _shown(match.score, None, "chips" if match.bet else ""),
    }
    if match.bet is not None:
        facts["in bets"] = _shown(match.score, match.bet, f"bets of {number(match.bet)}")
    if match.expected is not None:
        side = "inside" if match.score.covers(match.expected) else "outside"
        facts["expected"] = f"{number(match.expected)} exactly, {side} the interval"
    if match.adjusted is not None:
        shown = _shown(match.adjusted, None, "chips")
        facts["without luck"] = f"{shown}, {_factor(match):.3g} times narrower"
    facts["series"] = (
        f"{test.won} won, {test.lost} lost, {test.tied} tied; by chance with probability "
        f"{test.p_value:.3g}"
    )
    facts["last tenth"] = _shown(match.last_tenth, None, "")
    if any(match.missing):
        counts = " and ".join(f"{count:,}" for count in match.missing)
        facts["fallback"] = f"{counts} decisions of which the strategies say nothing"
    print_facts(facts)


def _shown(score: Winnings, bet: float | None, unit: str) -> str:
    """Return a mean and its interval."""
    scale = 1.0 if bet is None else 1 / bet
    low, high = score.interval
    mean = f"{score.mean * scale:+.5g} {unit}".rstrip()
    return f"{mean}, 95% between {low * scale:+.5g} and {high * scale:+.5g}"


def _field_fields(field: Field) -> dict[str, Any]:
    return {
        "game": field.matches[0].game.name,
        "agents": field.names,
        "won": field.won.tolist(),
        "half_widths": field.error.tolist(),
        "totals": field.totals.tolist(),
        "expected": [match.expected for match in field.matches],
        "bankroll": [field.names[i] for i in field.bankroll],
        "runoff": [field.names[i] for i in field.runoff],
        "wins": [field.names[i] for i in field.wins],
    }


def _print_field(field: Field) -> None:
    short = [Path(name).name for name in field.names]
    rows = [
        (
            short[i],
            *(
                "" if i == j else f"{won:+.4g} ± {field.error[i, j]:.2g}"
                for j, won in enumerate(own)
            ),
            f"{field.totals[i]:+.4g}",
        )
        for i, own in enumerate(field.won.tolist())
    ]
    print_table(("chips a hand", *short, "total"), rows)
    print_facts(
        {
            "total bankroll": ", ".join(short[i] for i in field.bankroll),
            "instant runoff": ", ".join(short[i] for i in field.runoff),
            "wins": ", ".join(short[i] for i in field.wins),
        }
    )
    missing = sum(sum(match.missing) for match in field.matches)
    if missing:
        note(f"the strategies said nothing about {missing:,} decisions.")
