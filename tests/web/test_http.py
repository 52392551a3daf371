"""The HTTP interface: what it answers, and what it refuses."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import equipoise
from equipoise import bundle
from equipoise.play.web.app import application
from equipoise.play.web.guard import COOKIE, MOST_BYTES

TOKEN = "correcthorsebatterystaple"


def test_strategies_are_listed_with_their_certificates(
    client: TestClient, ids: dict[str, str]
) -> None:
    listed = {one["id"]: one for one in client.get("/api/strategies").json()["strategies"]}
    assert set(listed) == {v for k, v in ids.items() if k != "secret"}
    kuhn = listed[ids["kuhn"]]
    assert kuhn["value"] == pytest.approx(-1 / 18)  # Kuhn (1950)
    assert kuhn["gap"] == pytest.approx(0, abs=1e-9)
    assert "damaged" in listed[ids["damaged"]]["fault"]
    assert "/" not in listed[ids["damaged"]]["fault"]
    # Solved from a file of rules: its name is told, and not where it was.
    assert listed[ids["pennies"]]["game"] == "pennies.nfg"


def test_all_about_a_strategy(client: TestClient, ids: dict[str, str]) -> None:
    about = client.get(f"/api/strategies/{ids['leduc-rough']}").json()
    assert about["status"] == "iteration limit"
    assert about["players"] == 2
    assert about["log"][-1][0] == 20
    repeated = client.get(f"/api/strategies/{ids['unrevealing']}").json()
    assert not repeated["explorable"]
    assert repeated["sheets"]
    assert client.get(f"/api/strategies/{ids['three']}").json()["players"] == 3


@pytest.mark.parametrize("name", ["kuhn", "leduc", "auction", "rhode", "pennies", "three"])
def test_every_kind_of_game_has_scenes(name: str, client: TestClient, ids: dict[str, str]) -> None:
    path: list[str] = []
    for _ in range(4):
        scene = client.get(f"/api/strategies/{ids[name]}/scene", params={"path": path}).json()
        assert [step["action"] for step in scene["steps"]] == path
        for cell in scene["cells"]:
            assert sum(p or 0 for p in cell["probabilities"]) == pytest.approx(1, abs=1e-5)
        onward = [a for a, ends in zip(scene["actions"], scene["ends"], strict=True) if not ends]
        if not onward:
            break
        path.append(onward[0])
    assert path


def test_scenes_of_poker_have_a_board(client: TestClient, ids: dict[str, str]) -> None:
    here = f"/api/strategies/{ids['rhode']}/scene"
    scene = client.get(here, params={"path": ["k", "k"], "board": "Kh"}).json()
    assert scene["board"] == ["Kh"]
    assert (len(scene["rows"]), len(scene["columns"]), len(scene["cells"])) == (4, 5, 19)
    assert scene["words"][1].startswith("bet")
    assert client.get(here, params={"path": ["k", "k"]}).json()["board"]


def test_search(client: TestClient, ids: dict[str, str]) -> None:
    here = f"/api/strategies/{ids['kuhn']}/search"
    assert {one["label"] for one in client.get(here, params={"q": "K"}).json()["found"]} == {
        "K", "Kp", "Kb", "Kpb",
    }  # fmt: skip


def test_files_come_as_they_are(client: TestClient, ids: dict[str, str], tmp_path: Path) -> None:
    sent = client.get(f"/api/strategies/{ids['kuhn']}/file")
    assert 'filename="kuhn.eqp"' in sent.headers["content-disposition"]
    (tmp_path / "kuhn.eqp").write_bytes(sent.content)
    assert equipoise.open(tmp_path / "kuhn.eqp").certificate.gap == pytest.approx(0, abs=1e-9)
    told = client.get(f"/api/strategies/{ids['kuhn']}/certificate")
    assert "kuhn.certificate.json" in told.headers["content-disposition"]
    assert json.load(io.BytesIO(told.content))["value"] == pytest.approx(-1 / 18)


def test_certificates_are_checked_again(client: TestClient, ids: dict[str, str]) -> None:
    found = client.post(f"/api/strategies/{ids['pennies']}/certify", json={}).json()
    assert found["certificate"]["gap"] == pytest.approx(0, abs=1e-9)
    wrong = client.post(f"/api/strategies/{ids['damaged']}/certify", json={})
    assert wrong.status_code == 400


def test_a_file_that_is_replaced_is_read_anew(folder: Path, ids: dict[str, str]) -> None:
    with TestClient(application(folder), base_url="http://localhost") as client:
        here = f"/api/strategies/{ids['leduc']}"
        before = client.get(here).json()["gap"]
        (folder / "leduc.eqp").write_bytes((folder / "leduc-rough.eqp").read_bytes())
        assert client.get(here).json()["gap"] > before
        (folder / "leduc.eqp").unlink()
        assert client.get(here).status_code == 404


def test_pages_come_with_headers_that_trust_nothing_else(client: TestClient) -> None:
    page = client.get("/")
    assert "Equipoise" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["x-content-type-options"] == "nosniff"
    for part in ("app.css", "js/main.js", "fonts/inter-regular.woff2", "icon.svg"):
        assert client.get(f"/static/{part}").status_code == 200


def test_nothing_is_fetched_from_elsewhere(client: TestClient) -> None:
    static = Path(application.__code__.co_filename).parent / "static"
    for path in static.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg"):
            text = path.read_text().replace("http://www.w3.org/", "")
            assert "http://" not in text, path.name
            assert "https://" not in text, path.name


ROUTES = ["", "/scene", "/search", "/file", "/certificate"]


@pytest.mark.parametrize(
    "identity",
    [
        "nothing",
        "secret",
        "kuhn.eqp",
        "..%2fsecret.eqp",
        "%2e%2e%2fsecret",
        "..%5csecret",
        "%00",
        "a" * 3000,
    ],
)
@pytest.mark.parametrize("route", ROUTES)
def test_unknown_ids_and_paths_are_refused(route: str, identity: str, client: TestClient) -> None:
    found = client.get(f"/api/strategies/{identity}{route}")
    assert found.status_code in (400, 404)
    assert "expected" in found.json()["error"]


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/../../etc/passwd"],
)
def test_files_of_the_machine_are_out_of_reach(path: str, client: TestClient) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "query",
    [{"path": "zz"}, {"path": ["k"] * 500}, {"path": "k", "board": "ZZ"}, {"board": "KhKh" * 200}],
)
def test_scenes_that_are_not_there(
    query: dict[str, object], client: TestClient, ids: dict[str, str]
) -> None:
    found = client.get(f"/api/strategies/{ids['rhode']}/scene", params=query)  # type: ignore[arg-type]
    assert found.status_code == 400
    assert "expected" in found.json()["error"]


@pytest.mark.parametrize("name", ["unrevealing", "damaged"])
def test_what_cannot_be_explored_says_so(
    name: str, client: TestClient, ids: dict[str, str]
) -> None:
    found = client.get(f"/api/strategies/{ids[name]}/scene")
    assert found.status_code == 400
    assert "expected" in found.json()["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil.example:8765"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Length": "99999999"}, 413),
        ({"Content-Length": "-1"}, 413),
        ({"Origin": "http://localhost:8765"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
    ],
)
def test_other_sites_are_refused(headers: dict[str, str], status: int, client: TestClient) -> None:
    found = client.get("/api/strategies", headers=headers)
    assert found.status_code == status
    if status != 200:
        assert "expected" in found.json()["error"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"game=kuhn", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{", {"Content-Type": "application/json"}, 400),
        (b"[]", {"Content-Type": "application/json"}, 400),
        (b"\xff\xfe", {"Content-Type": "application/json"}, 400),
        (b"[" * 50_000, {"Content-Type": "application/json"}, 400),
        (b'{"game": "kuhn", "out": "/etc/passwd"}', {"Content-Type": "application/json"}, 400),
        (b'{"game": "' + b"a" * MOST_BYTES + b'"}', {"Content-Type": "application/json"}, 413),
    ],
)
def test_bad_bodies_are_refused(
    body: bytes, headers: dict[str, str], status: int, client: TestClient
) -> None:
    found = client.post("/api/solves", content=body, headers=headers)
    assert found.status_code == status
    assert "expected" in found.json()["error"]


def test_giants_without_a_length_are_refused(client: TestClient) -> None:
    def chunks():  # type: ignore[no-untyped-def]
        for _ in range(40):
            yield b"x" * 4096

    found = client.post(
        "/api/solves", content=chunks(), headers={"Content-Type": "application/json"}
    )
    assert found.status_code == 413


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/api/games"), ("DELETE", "/api/strategies"), ("GET", "/api/none")]
)
def test_other_addresses_and_methods(method: str, path: str, client: TestClient) -> None:
    found = client.request(method, path, json={})
    assert found.status_code in (404, 405)
    assert "expected" in found.json()["error"]


def test_others_need_the_token(solved: Path) -> None:
    app = application(solved, TOKEN)
    with TestClient(app, base_url="http://machine.example:80", follow_redirects=False) as client:
        assert client.get("/api/games").status_code == 401
        assert client.get("/").status_code == 401
        assert client.get("/api/games?token=wrong").status_code == 401
        assert (
            client.get("/api/games", headers={"Authorization": f"Bearer {TOKEN}"}).status_code
            == 200
        )
        assert (
            client.get("/api/games", headers={"Authorization": f"Bearer {TOKEN}x"}).status_code
            == 401
        )
        entered = client.get(f"/?token={TOKEN}&a=1")
        assert entered.status_code == 303
        assert entered.headers["location"] == "/?a=1"
        assert TOKEN not in entered.headers["location"]
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert "samesite=strict" in entered.headers["set-cookie"].lower()
        assert client.get("/api/games").status_code == 200  # the cookie
        client.cookies.clear()
        assert client.get("/api/games", headers={"Cookie": f"{COOKIE}=no"}).status_code == 401
        # Other sites are refused with the token, too, and no address leads away.
        known = {"Authorization": f"Bearer {TOKEN}"}
        assert (
            client.get("/api/games", headers={**known, "Origin": "http://evil"}).status_code == 403
        )
        away = client.get(f"//evil.example/?token={TOKEN}")
        assert not away.headers.get("location", "/").startswith("//")


def test_bundles_of_other_kinds_are_not_listed(folder: Path) -> None:
    bundle.save(folder / "other.eqp", "abstraction", {}, {})
    with TestClient(application(folder), base_url="http://localhost") as client:
        names = [one["name"] for one in client.get("/api/strategies").json()["strategies"]]
    assert "other" not in names
