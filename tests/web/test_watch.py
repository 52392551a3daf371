"""Solves that are watched: started, paused, resumed, stopped, saved; and workers that fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import equipoise
from equipoise.play.web import solves as solves_module
from equipoise.play.web.app import application


@pytest.fixture
def own(folder: Path) -> Iterator[TestClient]:
    with TestClient(application(folder), base_url="http://localhost:8765") as client:
        yield client


def wait(client: TestClient, job: str, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    for _ in range(600):
        facts: dict[str, Any] = client.get(f"/api/solves/{job}").json()
        if done(facts):
            return facts
        assert facts["state"] != "failed", facts["error"]
        time.sleep(0.1)
    raise AssertionError(facts)


def test_a_solve_is_started_paused_resumed_stopped_and_saved(own: TestClient, folder: Path) -> None:
    begun = own.post("/api/solves", json={"game": "leduc", "method": "cfr", "gap": "0"})
    assert begun.status_code == 201
    job, name = begun.json()["id"], begun.json()["name"]
    assert name == "leduc-2"  # leduc.eqp is there already, and is left alone
    here = f"/api/solves/{job}"
    wait(own, job, lambda facts: len(facts["rows"]) > 3)
    own.post(here, json={"command": "pause"})
    wait(own, job, lambda facts: facts["state"] == "paused")
    held = own.get(here).json()
    time.sleep(1.0)
    assert own.get(here).json() == held  # nothing moves
    own.post(here, json={"command": "resume"})
    grown = wait(own, job, lambda facts: facts["iterations"] > held["iterations"])
    # The clock stood still meanwhile.
    assert grown["state"] == "running"
    own.post(here, json={"command": "stop"})
    done = wait(own, job, lambda facts: facts["state"] == "done")
    assert done["summary"]["status"] == "interrupted"
    result = equipoise.open(folder / f"{name}.eqp")
    assert result.certificate.gap == pytest.approx(done["summary"]["gap"])
    assert own.get(f"/api/strategies/{done['strategy']}").json()["name"] == name
    over = own.post(here, json={"command": "pause"})
    assert over.status_code == 409


def test_what_is_paused_does_not_grow_older(own: TestClient) -> None:
    job = own.post("/api/solves", json={"game": "kuhn", "method": "cfr", "gap": "0"}).json()["id"]
    wait(own, job, lambda facts: len(facts["rows"]) > 3)
    own.post(f"/api/solves/{job}", json={"command": "pause"})
    before = wait(own, job, lambda facts: facts["state"] == "paused")
    time.sleep(3.0)
    own.post(f"/api/solves/{job}", json={"command": "resume"})
    after = wait(own, job, lambda facts: len(facts["rows"]) > len(before["rows"]))
    new = after["rows"][len(before["rows"])]
    done_per_second = before["iterations"] / before["rows"][-1][1]
    # Iterations and time go on together: three seconds of standing still would be a million iterations.
    assert (
        new[1] - before["rows"][-1][1] < 1.5 + 3 * (new[0] - before["iterations"]) / done_per_second
    )
    own.post(f"/api/solves/{job}", json={"command": "stop"})
    wait(own, job, lambda facts: facts["state"] == "done")


def test_news_come_over_the_socket(own: TestClient) -> None:
    job = own.post("/api/solves", json={"game": "leduc", "method": "cfr+", "gap": "1e-2"}).json()[
        "id"
    ]
    with own.websocket_connect(f"ws://localhost:8765/api/solves/{job}/live") as socket:
        news = [socket.receive_json()]
        while news[-1]["state"] != "done":
            news.append(socket.receive_json())
    gaps = [gap for *_, gap in news[-1]["rows"]]
    assert gaps[-1] <= 1e-2 < gaps[0]
    assert news[-1]["summary"]["gap"] <= 1e-2
    fresh = [row for one in news if one.get("fresh") for row in one["fresh"]]
    assert fresh
    assert all(row in news[-1]["rows"] for row in fresh)
    listed = own.get("/api/solves").json()["solves"]
    assert [one["id"] for one in listed] == [job]


def test_solves_of_nothing(own: TestClient) -> None:
    with own.websocket_connect("ws://localhost:8765/api/solves/77/live") as socket:
        assert "there is none" in socket.receive_json()["error"]
    assert own.get("/api/solves/77").status_code == 404
    assert own.post("/api/solves/77", json={"command": "stop"}).status_code == 404


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"game": 3},
        {"game": ""},
        {"game": "/etc/passwd"},
        {"game": "../secret.nfg"},
        {"game": "openspiel:kuhn_poker"},
        {"game": "nonsense"},
        {"game": "kuhn(cards=__import__('os'))"},
        {"game": "kuhn", "method": "magic"},
        {"game": "kuhn", "gap": "-1"},
        {"game": "kuhn", "gap": "nan"},
        {"game": "kuhn", "gap": "soon"},
        {"game": "kuhn", "time": -1},
        {"game": "kuhn", "time": "1"},
        {"game": "kuhn", "out": "x.eqp"},
    ],
)
def test_wishes_that_are_refused(wish: dict[str, Any], own: TestClient, folder: Path) -> None:
    before = sorted(folder.iterdir())
    told = own.post("/api/solves", json=wish)
    assert told.status_code == 400
    assert "expected" in told.json()["error"]
    assert sorted(folder.iterdir()) == before


def test_a_solve_that_fails_says_why(own: TestClient) -> None:
    job = own.post("/api/solves", json={"game": "kuhn(cards=1)"}).json()["id"]
    for _ in range(300):
        facts = own.get(f"/api/solves/{job}").json()
        if facts["state"] == "failed":
            break
        time.sleep(0.1)
    assert "expected" in facts["error"]


def test_only_some_run_at_a_time(own: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solves_module, "MOST_RUNNING", 1)
    wish = {"game": "leduc", "method": "cfr", "gap": "0"}
    job = own.post("/api/solves", json=wish).json()["id"]
    refused = own.post("/api/solves", json=wish)
    assert refused.status_code == 409
    assert "stop one of them" in refused.json()["error"]
    wait(own, job, lambda facts: facts["state"] == "running" and len(facts["rows"]) > 1)
    own.post(f"/api/solves/{job}", json={"command": "stop"})
    wait(own, job, lambda facts: facts["state"] == "done")


def test_a_server_that_ends_stops_its_solves_and_saves_them(folder: Path) -> None:
    with TestClient(application(folder), base_url="http://localhost:8765") as client:
        wish = {"game": "leduc", "method": "cfr", "gap": "0"}
        job = client.post("/api/solves", json=wish).json()["id"]
        wait(client, job, lambda facts: len(facts["rows"]) > 2)
    assert equipoise.open(folder / "leduc-2.eqp").certificate.gap < 1
