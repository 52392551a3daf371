"""Signal lines: bars cover the line once, mixtures are split by height, marks keep apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equipoise.games.bayesian.betting_round import kuhn_round, river
from equipoise.games.bayesian.distributions import Signals
from equipoise.games.bayesian.game import BayesianGame
from equipoise.plots.regions import colors, signal_lines, write_html, write_png
from equipoise.strategy.regions import Profile, Regions


def mixed_profile() -> tuple[BayesianGame, Profile]:
    game = BayesianGame(kuhn_round(), Signals.deck(5))
    rng = np.random.default_rng(0)
    return game, Profile(
        game.signals, tuple(rng.dirichlet(np.ones(len(p)), size=5) for p in game.plans)
    )


def test_bars_cover_every_row() -> None:
    game, profile = mixed_profile()
    for line in signal_lines(profile, game.plans, [{}, {}]):
        area = sum((bar.high - bar.low) * (bar.top - bar.bottom) for bar in line.bars)
        assert area == pytest.approx(5.0)


def test_pure_regions_are_one_bar_each() -> None:
    game = BayesianGame(river(2.0), Signals.uniform())
    regions = Regions(
        (("bet-call", "check-fold", "bet-fold"), ("call/bet", "fold/check")), ((0.2, 0.8), (0.5,))
    )
    lines = signal_lines(regions.profile(game), game.plans, [{"a": 0.2, "b": 0.8}, {"c": 0.5}])
    assert [bar.plan for bar in lines[0].bars] == list(regions.plans[0])
    assert [bar.high for bar in lines[0].bars] == [0.2, 0.8, 1.0]
    assert len(set(colors(lines).values())) == 5


def test_page_and_picture_show_the_same_rows(tmp_path: Path) -> None:
    game, profile = mixed_profile()
    lines = signal_lines(profile, game.plans, [{"a": 1.0, "b": 1.01}, {}])
    write_html(tmp_path / "lines.html", "Five cards", lines)
    write_png(tmp_path / "lines.png", "Five cards", lines)
    page = (tmp_path / "lines.html").read_text()
    assert "Five cards" in page
    assert "a, b" in page
    assert all(plan.replace("/", "\\u002f") in page for plan in colors(lines))
    assert (tmp_path / "lines.png").read_bytes().startswith(b"\x89PNG")
