"""Files that versions before wrote (``data/make.py``) open, and go on or are refused with the way out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import equipoise
from equipoise.cli.app import run
from equipoise.errors import EquipoiseError
from equipoise.solvers.driver import Status
from equipoise.strategy.store import load_abstraction

DATA = Path(__file__).parent / "data"
VERSIONS = ("before", "landed")
# The game, its value to player 1 with the source, and the most that the strategy's gap may be.
STRATEGIES = {
    "kuhn": ("kuhn", -1 / 18, 1e-9),  # Kuhn 1950
    "leduc": ("leduc", -0.085606424078, 0.05),  # OpenSpiel's tests
    "standoff": ("standoff", None, 1e-9),  # what it is when solved now
    "stag": ("stag.nfg", 3.0, 1e-9),  # both hunt hares
}


@pytest.fixture(params=VERSIONS)
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with copies of a version's files, in which the test stands."""
    shutil.copytree(DATA / request.param, tmp_path / request.param)
    monkeypatch.chdir(tmp_path / request.param)
    return tmp_path / request.param


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.usefixtures("here")
def test_strategies_open_and_certify(name: str) -> None:
    spec, value, gap = STRATEGIES[name]
    result = equipoise.open(f"{name}.eqp")
    assert result.spec == spec
    assert result.status is Status.CONVERGED
    assert result.certificate.gap <= gap
    value = equipoise.solve(spec).value if value is None else value
    assert result.value == pytest.approx(value, abs=max(gap, 1e-9))
    assert equipoise.certify(spec, result.strategy).gap == result.certificate.gap


@pytest.mark.usefixtures("here")
def test_a_tournament_opens_and_certifies() -> None:
    """It had a kind of file of its own; no player gains 0.001 of 100 at any state."""
    result = equipoise.open("tournament.eqp")
    assert result.family == "tournament"
    assert run(["plot", "tournament.eqp"]) == 0
    assert Path("tournament-strategy-ranges.png").exists()
    assert result.certificate.gap <= 0.001


@pytest.mark.parametrize("command", ["show", "plot"])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "standoff", "stag", "tournament"])
def test_commands_take_them(
    here: Path, command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run([command, f"{name}.eqp"])
    said = capsys.readouterr()
    # At first a search for an equilibrium left no log to plot.
    has_no_log = (here.name, command, name) == ("before", "plot", "stag")
    assert code == (2 if has_no_log else 0), said.err
    assert "Traceback" not in said.err


@pytest.mark.usefixtures("here")
def test_an_abstraction_is_solved_through() -> None:
    partition = load_abstraction("standoff.eqa")
    result = equipoise.solve("standoff", abstraction=partition)
    assert result.status is Status.CONVERGED


@pytest.mark.parametrize("here", ["landed"], indirect=True)
@pytest.mark.parametrize("name", ["unfinished", "egt"])
@pytest.mark.usefixtures("here")
def test_checkpoints_go_on(name: str) -> None:
    """From the twentieth iteration, to where a solve without a break comes."""
    method = "dcfr" if name == "unfinished" else "egt"
    resumed = equipoise.solve(
        "kuhn", method=method, gap=1e-12, iterations=40, out=f"{name}.eqp", resume=True
    )
    straight = equipoise.solve("kuhn", method=method, gap=1e-12, iterations=40)
    assert resumed.certificate.gap == pytest.approx(straight.certificate.gap, rel=1e-3)


@pytest.mark.parametrize("here", ["before"], indirect=True)
@pytest.mark.parametrize("name", ["unfinished", "egt"])
@pytest.mark.usefixtures("here")
def test_checkpoints_are_refused_with_the_way_out(name: str) -> None:
    """What they hold is laid out otherwise; the strategy so far opens, and a new solve may replace both."""
    method = "dcfr" if name == "unfinished" else "egt"
    with pytest.raises(EquipoiseError, match=r"earlier version.*without --resume") as caught:
        equipoise.solve("kuhn", method=method, out=f"{name}.eqp", resume=True)
    assert str(caught.value).count(".checkpoint") == 1
    assert equipoise.open(f"{name}.eqp").certificate.gap > 0
    again = equipoise.solve("kuhn", method=method, gap=1e-3, out=f"{name}.eqp")
    assert again.status is Status.CONVERGED
    assert not Path(f"{name}.eqp.checkpoint").exists()
