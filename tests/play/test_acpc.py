"""The poker competition's protocol: texts, definitions, a dealer and clients that drop, lie and sleep."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise
from equipoise.certificates import certify
from equipoise.errors import EquipoiseError
from equipoise.games import poker
from equipoise.games.files.acpc import acpc_text, parse_acpc, read_acpc, write_acpc
from equipoise.games.files.openspiel import OpenSpielRules
from equipoise.games.poker.game import PokerGame
from equipoise.games.trees.builder import from_rules
from equipoise.play.acpc import LONGEST, Notation, answer
from equipoise.play.agents import Agent, Uniform, always_call, always_raise
from equipoise.play.client import Client, Seated
from equipoise.play.dealer import MOST_SILENCES, Dealer, Dealing, Dealt
from equipoise.play.episode import Episode

GAMES = {
    "kuhn": poker.kuhn(),
    "leduc": poker.leduc(),
    "rhode island": poker.rhode_island(),
    "limit hold'em": poker.limit_holdem(),
    "no-limit": poker.no_limit_leduc(),
    "three players": poker.kuhn(4, players=3),
}
# holdem.limit.2p.reverse_blinds.game, as the competition's server has it: position 1 is the big blind.
REVERSE_BLINDS = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""


def states(game: PokerGame, seed: int) -> Iterator[Episode]:
    episode, choose = Episode(game, seed), random.Random(seed)
    while not episode.is_over:
        yield episode
        episode.act(choose.choice(episode.actions))
    yield episode


@pytest.mark.parametrize("name", GAMES)
def test_texts_say_what_an_episode_says(name: str) -> None:
    """Every state of every position is read back, and seen as at our own table."""
    game = GAMES[name]
    notation = Notation(game)
    for seed in range(25):
        for episode in states(game, seed):
            deal, node = episode.state
            for position in range(game.players):
                state = notation.of(position, seed, deal, node)
                line = notation.write(state)
                assert notation.read(line) == state
                assert notation.observe(state) == episode.observation(position)
            for label in episode.actions:
                assert notation.action(node, notation.letter(node, label)) == label


def test_states_are_written_as_in_the_specification() -> None:
    """The specification's example: 9s8h|/8c8d5c after a call and a check, facing a bet."""
    game = parse_acpc(REVERSE_BLINDS, "reverse blinds")
    notation = Notation(game)
    state = notation.read("MATCHSTATE:0:30:cc/r:9s8h|/8c8d5c")
    assert (state.position, state.hand) == (0, 30)
    assert game.tree.histories[state.node] == "Ck/b"
    assert notation.text(state.holes[0] or ()) == "9s8h"
    assert state.holes[1] is None
    # With stacks, raises are written with all that the player has put in.
    stacks = Notation(poker.no_limit_leduc())
    assert "cr3r12f" in stacks.bettings


def test_positions_of_the_competition_are_players() -> None:
    """The big blind is position 0, and acts second before the flop and first after it."""
    tree = parse_acpc(REVERSE_BLINDS, "x").tree
    assert tree.player[0] == 1
    assert tree.player[tree.find("Ck/")] == 0
    ours = poker.limit_holdem().tree
    assert len(tree.parent) == len(ours.parent)
    assert sorted(set(tree.scale.tolist())) == [5 * s for s in sorted(set(ours.scale.tolist()))]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rhode island", "limit hold'em"])
def test_definitions_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    game, path = GAMES[name], tmp_path / "a.game"
    write_acpc(game, path)
    again = read_acpc(path)
    assert again.tree.histories == game.tree.histories
    assert (again.tree.base == game.tree.base).all()
    assert (again.public, again.private, again.suited) == (game.public, game.private, game.suited)
    assert equipoise.load(str(path)).name == "a"


@pytest.mark.parametrize(("name", "value"), [("kuhn", -1 / 18), ("leduc", -0.085606424078)])
def test_openspiel_plays_our_definitions(name: str, value: float) -> None:
    """OpenSpiel's universal poker is the competition's own C code: it reads the same game."""
    import pyspiel

    text = acpc_text(GAMES[name])
    theirs = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef(text)
    tree = from_rules(OpenSpielRules(theirs, name), name)
    ours = equipoise.solve(parse_acpc(text, name), gap=1e-4)
    assert equipoise.solve(tree, "lp").value == pytest.approx(value, abs=1e-9)
    assert certify(ours.game, ours.strategy).value == pytest.approx(value, abs=1e-4)


def test_player_1_is_first_unless_another_is_named() -> None:
    named = [line for line in REVERSE_BLINDS.splitlines() if "firstPlayer" in line]
    assert len(named) == 1
    tree = parse_acpc(REVERSE_BLINDS.replace(named[0] + "\n", ""), "x").tree
    begins = [
        node
        for node in range(1, len(tree.parent))
        if tree.player[node] >= 0 and tree.round[node] > tree.round[tree.parent[node]]
    ]
    assert begins
    assert {int(tree.player[node]) for node in (0, *begins)} == {0}
    with pytest.raises(EquipoiseError, match="firstPlayer: found"):
        parse_acpc(REVERSE_BLINDS.replace(named[0], "firstPlayer = 0 0 0 0"), "x")


def test_no_limit_definitions_offer_every_chip() -> None:
    text = REVERSE_BLINDS.replace("nolimit", "").replace("limit", "nolimit")
    small = (
        "GAMEDEF\nnolimit\nnumPlayers=2\nnumRounds=1\nstack=5 5\nblind=1 1\nnumSuits=1\nnumRanks=3\n"
        "numHoleCards=1\nnumBoardCards=0\nEND GAMEDEF"
    )
    tree = parse_acpc(small, "x").tree
    assert [tree.action[child] for child in tree.successors[0]] == ["k", "b1", "b2", "b3", "b4"]
    with pytest.raises(EquipoiseError, match="stack: found nothing, expected 2 numbers"):
        parse_acpc(text, "x")
    with pytest.raises(EquipoiseError, match="every whole bet is an action"):
        parse_acpc(text.replace("END", "stack = 20000 20000\nEND"), "x")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "found nothing at its beginning"),
        ("hello", "expected lines from GAMEDEF"),
        ("GAMEDEF\nEND GAMEDEF", "neither limit nor nolimit"),
        ("GAMEDEF\nlimit\nEND GAMEDEF", "numPlayers: found nothing"),
        (REVERSE_BLINDS.replace("= 10 5", "= 10"), "blind: found 10, expected 2 numbers"),
        (REVERSE_BLINDS.replace("= 10 5", "= x"), "line 5: found 'blind = x'"),
        (REVERSE_BLINDS.replace("blind", "blend"), "expected a known name"),
        (REVERSE_BLINDS.replace("numHoleCards = 2", "numHoleCards = 3"), "found 3 hole"),
        (REVERSE_BLINDS.replace("3 4 4 4", "3 4 4 0"), "at least one bet"),
        (REVERSE_BLINDS.replace("numRanks = 13", "numRanks = 2"), "expected at least the 9"),
        ("#" * 200_000, "more than 100,000 characters"),
    ],
)
def test_bad_definitions_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(EquipoiseError, match=sentence):
        parse_acpc(text, "x")


def test_other_games_have_no_definition(tmp_path: Path) -> None:
    for game in (poker.no_limit_leduc(), poker.kuhn(4, players=3)):
        with pytest.raises(EquipoiseError, match="expected limit poker for two"):
            acpc_text(game)
    with pytest.raises(EquipoiseError, match="cannot be read"):
        read_acpc(tmp_path / "none.game")


LINES = st.one_of(
    st.text(max_size=80),
    st.text("MATCHSTE:0123456789crf/|AKQJhs:", max_size=60),
    st.builds(
        "MATCHSTATE:{}:{}:{}:{}".format,
        st.integers(-2, 12),
        st.integers(-2, 10**12),
        st.text("crf/0123", max_size=12),
        st.text("AKQJThsdc|/", max_size=14),
    ),
)
LEDUC = Notation(poker.leduc())


@settings(max_examples=400, deadline=None)
@given(LINES, st.sampled_from(["", ":c", ":r", ":f", ":r99", ":x", ":"]))
def test_any_line_is_read_or_refused(line: str, end: str) -> None:
    try:
        state = LEDUC.read(line)
    except EquipoiseError:
        pass
    else:
        assert LEDUC.write(state) == line
        LEDUC.observe(state)
    try:
        about, letter = answer(line + end)
    except EquipoiseError:
        pass
    else:
        assert f"{about}:{letter}" == line + end


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([line for line in REVERSE_BLINDS.splitlines() if line]),
            st.builds(
                "{} = {}".format,
                st.sampled_from(["numRounds", "blind", "stack", "numRanks", "maxRaises"]),
                st.lists(st.integers(0, 40), max_size=5).map(lambda n: " ".join(map(str, n))),
            ),
            st.text(max_size=20),
        ),
        max_size=16,
    )
)
def test_any_definition_is_read_or_refused(lines: list[str]) -> None:
    text = "\n".join(["GAMEDEF", *lines, "END GAMEDEF"])
    with suppress(EquipoiseError):
        assert isinstance(parse_acpc(text, "x"), PokerGame)


def deal(game: PokerGame, hands: int, agents: list[Agent]) -> tuple[Dealt, list[Seated]]:
    """Play a match over the loopback."""

    async def match() -> tuple[Dealt, list[Seated]]:
        dealer = Dealer(Dealing(game, hands, seed=7, timeout=60))
        ports = await dealer.open()
        clients = [Client(game, agent, seed) for seed, agent in enumerate(agents)]
        task = asyncio.create_task(dealer.run())
        seen = await asyncio.gather(
            *(client.play("127.0.0.1", port) for client, port in zip(clients, ports, strict=True))
        )
        return await task, list(seen)

    return asyncio.run(match())


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit hold'em", "rhode island", "no-limit"])
def test_both_sides_count_alike(name: str) -> None:
    dealt, seen = deal(GAMES[name], 40, [always_call(), Uniform()])
    assert [side.total for side in seen] == dealt.totals
    assert [side.hands for side in seen] == [40, 40]
    assert dealt.totals[0] == -dealt.totals[1]
    assert (dealt.late, dealt.wrong, [side.ignored for side in seen]) == ([0, 0], [0, 0], [0, 0])
    assert len(dealt.log) == 40
    totals = {"player-1": 0.0, "player-2": 0.0}
    for line in dealt.log:
        kind, _, _, _, values, names = line.split(":")
        assert kind == "STATE"
        for paid, who in zip(values.split("|"), names.split("|"), strict=True):
            totals[who] += float(paid)
    assert list(totals.values()) == dealt.totals


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "hands"),
    [("rhode island", 3000), ("leduc", 1000), ("kuhn", 1000), ("limit hold'em", 1000)],
)
def test_long_matches_end_without_an_error(name: str, hands: int) -> None:
    dealt, seen = deal(GAMES[name], hands, [always_call(), always_raise()])
    assert [side.total for side in seen] == dealt.totals
    assert [side.hands for side in seen] == [hands, hands]
    assert (dealt.late, dealt.wrong, [side.ignored for side in seen]) == ([0, 0], [0, 0], [0, 0])


class Dropping(Client):
    """Ends its connection after every few lines, whoever is to act, until the last hands.

    After the last line of a match there would be nobody to come back to.
    """

    lines = 0

    def _reply(self, line: str) -> str | None:
        self.lines += 1
        if self.lines % 7 == 0 and self.seen.hands < 50:
            raise OSError("the cable")
        return super()._reply(line)


def test_a_dropped_connection_comes_back() -> None:
    """The answer that was lost is given again, and every hand is counted once."""

    async def match() -> tuple[Dealt, Seated, Seated]:
        game = poker.leduc()
        dealer = Dealer(Dealing(game, 60, timeout=60))
        ports = await dealer.open()
        task = asyncio.create_task(dealer.run())
        first, second = await asyncio.gather(
            Dropping(game, Uniform()).play("127.0.0.1", ports[0]),
            Client(game, always_call()).play("127.0.0.1", ports[1]),
        )
        return await task, first, second

    dealt, first, second = asyncio.run(match())
    assert dealt.connections[0] == first.connections > 5
    assert [first.total, second.total] == dealt.totals
    assert first.hands == second.hands == 60
    assert dealt.late == [0, 0]


async def raw(port: int, *lines: bytes) -> bytes:
    """Send lines to a port, and return all that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for line in lines:
        writer.write(line)
    await writer.drain()
    try:
        return await asyncio.wait_for(reader.read(-1), 2.0)
    except (OSError, TimeoutError):
        return b""
    finally:
        writer.close()


def test_silence_is_a_fold_and_too_much_of_it_the_end() -> None:
    async def match() -> tuple[Dealt, list[str]]:
        notes: list[str] = []
        game = poker.leduc()
        dealer = Dealer(Dealing(game, 1000, timeout=0.05), notes.append)
        ports = await dealer.open()
        task = asyncio.create_task(dealer.run())
        mute = asyncio.create_task(raw(ports[1], b"VERSION:2.0.0\r\n"))
        await Client(game, always_raise()).play("127.0.0.1", ports[0])
        with pytest.raises(EquipoiseError, match=f"silent {MOST_SILENCES} times in a row"):
            await task
        await mute
        return dealer.dealt, notes

    dealt, notes = asyncio.run(match())
    assert dealt.late == [0, MOST_SILENCES]
    assert dealt.totals[0] == -dealt.totals[1] > 0
    assert "gave no answer" in notes[0]


def test_strangers_giants_and_liars_are_refused() -> None:
    """A wrong handshake, a seat that is taken, endless lines, nonsense and illegal actions."""

    async def match() -> tuple[Dealt, bytes, bytes]:
        game = poker.kuhn()
        dealer = Dealer(Dealing(game, 4, timeout=60))
        ports = await dealer.open()
        task = asyncio.create_task(dealer.run())
        stranger = await raw(ports[0], b"HELLO\r\n")
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        writer.write(b"VERSION:2.0.0\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)
        taken = await raw(ports[0], b"VERSION:2.0.0\r\n")
        other = asyncio.create_task(Client(game, always_call()).play("127.0.0.1", ports[1]))
        line = await reader.readline()
        writer.write(b"# a comment\r\nnonsense\r\nMATCHSTATE:0:9:c:Ks|:c\r\n")
        writer.write(line.strip() + b":r17\r\n")  # no such raise: a check
        await writer.drain()
        while not (line := await reader.readline()).startswith(b"MATCHSTATE:1:1"):
            pass
        writer.write(b"x" * (3 * LONGEST) + b"\r\n")
        await writer.drain()
        assert await asyncio.wait_for(reader.read(-1), 10) is not None
        writer.close()
        await Client(game, always_call()).play("127.0.0.1", ports[0])
        await other
        return await task, stranger, taken

    dealt, stranger, taken = asyncio.run(match())
    assert stranger == taken == b""
    assert dealt.wrong[0] == 2
    assert dealt.connections == [2, 1]
    assert sum(dealt.totals) == 0
    assert len(dealt.log) == 4


def test_nobody_there() -> None:
    game = poker.kuhn()
    dealer = Dealer(Dealing(game, 1, timeout=0.05))

    async def alone() -> None:
        await dealer.open()
        await dealer.run()

    with pytest.raises(EquipoiseError, match=r"player-1 did not connect within 0\.05 s"):
        asyncio.run(alone())
    with pytest.raises(EquipoiseError, match="expected a dealer"):
        asyncio.run(Client(game, Uniform()).play("127.0.0.1", 1))
    with pytest.raises(EquipoiseError, match="expected positive numbers"):
        Dealing(game, 0)
    with pytest.raises(EquipoiseError, match="expected one for each of 2"):
        Dealing(game, 1, names=("a",))
