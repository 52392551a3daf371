"""Charts of tournaments: every decision has its grid, every state its point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equipoise.games.tournaments.tournament import Hands, Tournament, decisions
from equipoise.plots.tournament import draw
from equipoise.strategy.tournament import TournamentStrategy


@pytest.mark.parametrize("players", [2, 3])
def test_pages_and_pictures(players: int, tmp_path: Path) -> None:
    rules = Tournament(players, 300 * 7, (300, 600), (50, 30, 20)[:players])
    tables = {m: Hands(rules, m) for m in range(2, players + 1)}
    plays = {m: np.full((len(t.states), len(decisions(m)), 169), 0.25) for m, t in tables.items()}
    values = {m: table.icm() + 0.5 for m, table in tables.items()}
    stacks = (900, 600, 600) if players == 3 else (1200, 900)
    files = draw(tmp_path / "it", TournamentStrategy(rules, plays), values, stacks)
    assert [file.name for file in files] == [
        "it-ranges.html",
        "it-ranges.png",
        "it-icm.html",
        "it-icm.png",
    ]
    for file in files[1::2]:
        assert file.read_bytes().startswith(b"\x89PNG")
    page = files[0].read_text()
    assert page.count("big blind calls") == len(decisions(players)) - (3 if players == 3 else 1)
    assert "25.0%" in page
    assert '"AKs"' in page
    assert ('"symbol":"hexagon"' in files[2].read_text()) == (players == 3)
