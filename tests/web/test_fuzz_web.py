"""Whatever is sent, the server answers with a sentence and goes on: never an error of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from equipoise.play.web import solves as solves_module
from equipoise.play.web.app import application
from equipoise.play.web.schema import schema

FUZZ = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


@pytest.fixture
def quiet(solved: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server that starts no solves: what is asked of them is checked all the same."""
    monkeypatch.setattr(solves_module, "MOST_RUNNING", 0)
    with TestClient(application(solved), base_url="http://localhost:8765") as client:
        yield client


OPERATIONS = [(path, method) for path, methods in schema()["paths"].items() for method in methods]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_operation_withstands_schemathesis(path: str, method: str, quiet: TestClient) -> None:
    operations = schemathesis.openapi.from_dict(schema())
    operation = operations[path][method.upper()]

    @FUZZ
    @given(case=operation.as_strategy())
    def fuzz(case: Any) -> None:
        asked = case.as_transport_kwargs(base_url="http://localhost:8765")
        known = {k: asked[k] for k in ("url", "params", "json", "headers", "data") if k in asked}
        found = quiet.request(method.upper(), **known)
        assert found.status_code < 500
        if found.status_code >= 400:
            assert found.json()["error"]

    fuzz()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELD = st.sampled_from(
    ["do", "action", "strategy", "game", "opponent", "seat", "coached", "other"]
)


def messages(ids: dict[str, str]) -> st.SearchStrategy[str]:
    """Messages that are nearly right, and texts that are nothing."""
    known = st.sampled_from(
        [
            "sit",
            "deal",
            "act",
            "coach",
            "k",
            "b",
            "c",
            "f",
            "r",
            "uniform",
            "always-call",
            *ids.values(),
        ]
    )
    near = st.dictionaries(FIELD, known | JSON | st.integers(-2, 4), max_size=5).map(json.dumps)
    good = st.sampled_from(
        [
            {"do": "sit", "strategy": ids["rhode"]},
            {"do": "sit", "strategy": ids["kuhn"], "opponent": "uniform", "seat": 2},
            {"do": "sit", "game": "no-limit-leduc", "opponent": "always-raise"},
            {"do": "deal"},
            {"do": "act", "action": "k"},
            {"do": "act", "action": "b"},
            {"do": "act", "action": "c"},
        ]
    ).map(json.dumps)
    return good | near | st.text(max_size=40) | JSON.map(lambda value: json.dumps(value))


def test_the_socket_withstands_hypothesis(quiet: TestClient, ids: dict[str, str]) -> None:
    @settings(FUZZ, max_examples=60)
    @given(said=st.lists(messages(ids), min_size=1, max_size=12))
    def fuzz(said: list[str]) -> None:
        with quiet.websocket_connect("ws://localhost:8765/api/play") as socket:
            for message in said:
                socket.send_text(message)
                told = json.loads(socket.receive_text())
                assert told["type"] in ("state", "error")

    fuzz()
