"""Play over the WebSocket: hands to the end, what is refused, and what must never be sent."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from webserver import SMALL

from equipoise.games.base import load
from equipoise.games.trees.extensive import CHANCE
from equipoise.play.episode import Episode
from equipoise.play.observation import Move
from equipoise.play.web import app as app_module
from equipoise.play.web import play_tables as tables
from equipoise.play.web.play_tables import _fair


class Line:
    """A socket that keeps every byte that came over it."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self._socket = socket
        self.heard: list[str] = []

    def say(self, **message: Any) -> dict[str, Any]:
        return self.raw(json.dumps(message))

    def raw(self, text: str) -> dict[str, Any]:
        self._socket.send_text(text)
        self.heard.append(self._socket.receive_text())
        found: dict[str, Any] = json.loads(self.heard[-1])
        return found


@pytest.fixture
def line(client: TestClient) -> Iterator[Line]:
    with client.websocket_connect("ws://localhost:8765/api/play") as socket:
        yield Line(socket)


def play_hands(line: Line, hands: int, chance: random.Random) -> dict[str, Any]:
    """Play at random until so many hands are over; return the last state."""
    state = line.say(do="coach", coached=True)
    while state["score"]["hands"] < hands:
        hand = state["hand"]
        if hand["over"]:
            state = line.say(do="deal")
        else:
            state = line.say(do="act", action=chance.choice(hand["actions"])["action"])
        assert state["type"] == "state"
    return state


@pytest.mark.parametrize("opponent", ["strategy", "uniform"])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "auction", "rhode", "pennies", "three"])
def test_every_kind_of_game_is_played_to_the_end(
    name: str, opponent: str, line: Line, ids: dict[str, str]
) -> None:
    line.say(do="sit", strategy=ids[name], opponent=opponent)
    state = play_hands(line, 12, random.Random(1))
    score, hand = state["score"], state["hand"]
    assert score["hands"] == 12
    assert len(score["points"]) == 12
    assert score["points"][-1] == [score["total"], score["adjusted"]]
    assert hand["over"]
    assert hand["payoffs"][state["seat"]] == pytest.approx(
        score["points"][-1][0] - score["points"][-2][0]
    )


@pytest.mark.parametrize("opponent", ["always-call", "always-raise"])
def test_others_play_poker(opponent: str, line: Line, ids: dict[str, str]) -> None:
    assert line.say(do="sit", strategy=ids["rhode"], opponent=opponent)["title"] == opponent
    play_hands(line, 5, random.Random(2))


def test_strategies_play_each_other(line: Line, ids: dict[str, str]) -> None:
    state = line.say(do="sit", strategy=ids["leduc"], opponent=ids["leduc-rough"])
    assert state["title"] == "leduc-rough"
    play_hands(line, 5, random.Random(3))
    wrong = line.say(do="sit", strategy=ids["leduc"], opponent=ids["kuhn"])
    assert "expected one of 'leduc'" in wrong["error"]


def test_the_coach_knows_what_a_choice_costs(line: Line, ids: dict[str, str]) -> None:
    """Kuhn: folding a king costs three chips: minus one instead of two."""
    line.say(do="sit", strategy=ids["kuhn"], opponent="always-raise", seat=1)
    for _ in range(200):
        state = line.say(do="deal")
        if state["hand"]["infoset"] != "K":
            play_hands(line, state["score"]["hands"] + 1, random.Random(0))
            continue
        state = line.say(do="act", action="p")  # and the maniac bets
        assert state["hand"]["infoset"] == "Kpb"
        assert state["hand"]["advice"]["values"] == pytest.approx([-1, 2])
        assert state["hand"]["advice"]["probabilities"] == pytest.approx([0, 1])
        before = state["score"]["cost"]
        state = line.say(do="act", action="p")
        assert state["hand"]["verdict"]["cost"] == pytest.approx(3)
        assert not state["hand"]["verdict"]["is_best"]
        assert state["score"]["cost"] - before == pytest.approx(3)
        return
    pytest.fail("no king in 200 hands")


def test_without_the_coach_nothing_is_said(line: Line, ids: dict[str, str]) -> None:
    state = line.say(do="sit", strategy=ids["rhode"], coached=False)
    assert state["hand"]["advice"] is None
    while not state["hand"]["over"]:
        state = line.say(do="act", action=state["hand"]["actions"][0]["action"])
        assert state["hand"]["verdict"] is None
    assert state["score"]["decisions"] > 0


def test_seats(line: Line, ids: dict[str, str]) -> None:
    line.say(do="sit", strategy=ids["kuhn"], seat=2)
    assert play_hands(line, 3, random.Random(1))["seat"] == 1
    line.say(do="sit", strategy=ids["kuhn"], seat=0)
    seats = {play_hands(line, hands, random.Random(1))["seat"] for hands in (1, 2, 3)}
    assert seats == {0, 1}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("{", "JSON"),
        ("[]", "object"),
        ("{}", "do"),
        ('{"do": "act", "action": "b"}', "sit"),
        ('{"do": "fly"}', "sit"),
        ('{"do": "sit"}', "strategy"),
        ('{"do": "sit", "strategy": "none"}', "there is none"),
        ('{"do": "sit", "strategy": 7}', "a text"),
        ('{"do": "sit", "strategy": "KUHN", "seat": 9}', "seat"),
        ('{"do": "sit", "strategy": "KUHN", "seat": -1}', "seat"),
        ('{"do": "sit", "strategy": "KUHN", "seat": true}', "seat"),
        ('{"do": "sit", "strategy": "KUHN", "opponent": "nobody"}', "there is none"),
        ('{"do": "sit", "strategy": "KUHN", "opponent": "always-call"}', "expected those of poker"),
        ('{"do": "sit", "strategy": "UNREVEALING"}', "information sets"),
        ('{"do": "sit", "strategy": "KUHN", "cards": "KK"}', "unknown field"),
        ("[" * 15000, "JSON"),
    ],
)
def test_forged_messages_are_refused(
    message: str, expected: str, line: Line, ids: dict[str, str]
) -> None:
    message = message.replace("KUHN", ids["kuhn"]).replace("UNREVEALING", ids["unrevealing"])
    told = line.raw(message)
    assert told["type"] == "error"
    assert expected in told["error"]
    assert line.say(do="sit", strategy=ids["kuhn"])["type"] == "state"  # the server goes on


def test_illegal_moves_are_refused_and_change_nothing(line: Line, ids: dict[str, str]) -> None:
    before = line.say(do="sit", strategy=ids["rhode"], seat=1)
    for action in ("c", "f", "r", "", "K", "k" * 1000):
        told = line.say(do="act", action=action)
        assert "expected" in told["error"]
    assert line.say(do="deal") == before  # a hand that is on is not dealt again
    while not before["hand"]["over"]:
        before = line.say(do="act", action=before["hand"]["actions"][0]["action"])
    assert "not your turn" in line.say(do="act", action="k")["error"]


@pytest.mark.parametrize("game", ["limit-holdem", "no_limit_leduc", "liars-dice", "pennies.nfg"])
def test_games_without_a_strategy_are_played_without_a_coach(game: str, line: Line) -> None:
    state = line.say(do="sit", game=game, opponent="uniform")
    assert not state["coachable"]
    state = play_hands(line, 3, random.Random(2))
    assert state["hand"]["advice"] is state["hand"]["verdict"] is None
    assert (state["score"]["hands"], state["score"]["adjusted"]) == (3, None)


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"game": "limit-holdem"}, "opponent"),
        ({"game": "limit-holdem", "opponent": "strategy"}, "expected uniform or"),
        ({"game": "kuhn(cards=3)", "opponent": "uniform"}, "expected one of kuhn"),
        ({"game": "../secret.nfg", "opponent": "uniform"}, "expected one of kuhn"),
        ({"game": "unrevealing", "opponent": "uniform"}, "expected one of kuhn"),
        ({"game": "auction", "opponent": "always-call"}, "expected those of poker"),
    ],
)
def test_games_that_cannot_be_played_are_refused(
    wish: dict[str, Any], sentence: str, line: Line
) -> None:
    assert sentence in line.say(do="sit", **wish)["error"]


def test_other_sites_cannot_play(client: TestClient) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://localhost:8765/api/play", headers=headers),
        ):
            pass


def test_there_is_an_end_to_tables(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    monkeypatch.setattr(app_module, "MOST_TABLES", 1)
    here = "ws://localhost:8765/api/play"
    with client.websocket_connect(here) as first:
        with client.websocket_connect(here) as second:
            assert "expected fewer" in second.receive_json()["error"]
        assert Line(first).say(do="sit", strategy=ids["kuhn"])["type"] == "state"
    with client.websocket_connect(here) as third:
        assert Line(third).say(do="sit", strategy=ids["kuhn"])["type"] == "state"


# What must not be sent


@pytest.fixture
def dealt(monkeypatch: pytest.MonkeyPatch) -> list[Episode]:
    """The hands that the server deals, for who looks behind the cards."""
    found: list[Episode] = []

    class Seen(Episode):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            found.append(self)

    monkeypatch.setattr(tables, "Episode", Seen)
    return found


@pytest.mark.parametrize("opponent", ["strategy", "uniform", "always-raise"])
def test_hidden_cards_are_in_no_byte_before_the_showdown(
    opponent: str, line: Line, dealt: list[Episode], ids: dict[str, str]
) -> None:
    """Every byte of 60 hands: the opponent's card is named only where a showdown has shown it."""
    chance = random.Random(4)
    state, folds, showdowns = line.say(do="sit", strategy=ids["rhode"], opponent=opponent), 0, 0
    for _ in range(60):
        first = len(line.heard) - 1
        while not state["hand"]["over"]:
            state = line.say(do="act", action=chance.choice(state["hand"]["actions"])["action"])
        seat = state["seat"]
        cards = [move.action for move in dealt[-1].moves if move.player == CHANCE]
        hidden = cards[1 - seat]  # in Rhode Island each player's card comes first
        *before, last = line.heard[first:]
        assert not any(f'"{hidden}"' in message or hidden in message for message in before)
        if state["hand"]["shown"][1 - seat] is None:
            assert hidden not in last
            folds += 1
        else:
            assert state["hand"]["shown"][1 - seat] == [hidden]
            showdowns += 1
        state = line.say(do="deal")
    assert folds > 0
    assert showdowns > 0


@pytest.mark.parametrize("seat", [1, 2])
def test_what_is_sent_does_not_depend_on_hidden_cards(
    seat: int, client: TestClient, monkeypatch: pytest.MonkeyPatch, ids: dict[str, str]
) -> None:
    """Two deals that differ in the opponent's card alone send the same bytes until it is shown.

    The opponent calls whatever she has, so that her actions do not tell the deals apart.
    """
    heard = []
    for hidden in (3, 8, 17):
        cards = [5, hidden, 10, 15] if seat == 1 else [hidden, 5, 10, 15]
        # The numbers in [0, 1) that stand for these cards among those that are left.
        places = [card - sum(c < card for c in cards[:k]) for k, card in enumerate(cards)]
        numbers = [(place + 0.5) / (20 - k) for k, place in enumerate(places)]

        class Fixed(Episode):
            def __init__(self, game: Any, *, nature: Any, numbers: list[float] = numbers) -> None:
                super().__init__(game, nature=iter(numbers).__next__)

        monkeypatch.setattr(tables, "Episode", Fixed)
        with client.websocket_connect("ws://localhost:8765/api/play") as socket:
            line = Line(socket)
            state = line.say(do="sit", strategy=ids["rhode"], opponent="always-call", seat=seat)
            while not state["hand"]["over"]:
                state = line.say(do="act", action=state["hand"]["actions"][-1]["action"])
        names = [load(SMALL).signals[card] for card in (5, 10, 15, hidden)]
        assert [*state["hand"]["private"], *state["hand"]["public"]] == names[:3]
        assert state["hand"]["shown"][2 - seat] == names[3:]
        heard.append(line.heard)
    assert len(heard[0]) > 3
    assert heard[0][:-1] == heard[1][:-1] == heard[2][:-1]
    assert len({one[-1] for one in heard}) == 3


def test_trees_tell_natures_moves_only_where_they_decided() -> None:
    game = load("kuhn")
    cards = [Move(CHANCE, "J"), Move(CHANCE, "K")]
    fold = [*cards, Move(0, "b"), Move(1, "p")]
    call = [*cards, Move(0, "b"), Move(1, "b")]
    assert list(_fair(game, fold)) == fold[2:]
    assert list(_fair(game, call)) == call
