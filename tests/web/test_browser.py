"""The pages in a browser, at the width of a desk and of a phone: played, explored, compared, watched, checked.

Set EQUIPOISE_SCREENSHOTS to a folder to keep a picture of everything that is looked at here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from webserver import Served

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

SIZES = {
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
PATIENCE = 90_000
"""Milliseconds that a condition may take: a slow machine is no failure."""

SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
Open = Callable[..., Any]


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def visit(chromium: Any, server: Served, size: str) -> Iterator[Open]:
    """Open pages of the server; whatever the browser complains about is a failure."""
    complaints: list[str] = []
    contexts = []

    def opened(address: str = "", at: str = server.address, **options: Any) -> Any:
        context = chromium.new_context(reduced_motion="reduce", **SIZES[size], **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda told: complaints.append(told.text) if _is_fault(told) else None)
        page.goto(f"{at}/{address}")
        return page

    expect.set_options(timeout=PATIENCE)
    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _is_fault(told: Any) -> bool:
    """Say whether the browser complains; of a refusal it says so, but that is none of the page's."""
    return told.type == "error" and "responded with a status of 4" not in told.text


def look(page: Any, name: str, size: str) -> None:
    """Check what holds of every page: nothing is cut off, and every letter can be read."""
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"{name}: {wide[0]} wide on {wide[1]}"
    assert page.evaluate(FAINT) == []
    if folder := os.environ.get("EQUIPOISE_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}-{size}.png", full_page=True)


FAINT = """
() => {
  // Contrast as WCAG 2.1 defines it (success criterion 1.4.3), of letters on the first opaque colour below them.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const below = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none" && !at.matches("select")) return null;
      const colour = rgba(style.backgroundColor);
      if (colour[3] === 255) return colour;
      if (colour[3] > 0) return null;
    }
    return rgba(getComputedStyle(document.documentElement).backgroundColor);
  };
  const faint = [];
  for (const node of document.querySelectorAll("body *")) {
    const says = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!says || node.closest("noscript, option, :disabled, #toast, .skip") || !node.checkVisibility()) continue;
    const style = getComputedStyle(node), ground = below(node);
    if (!ground) continue;
    const isSvg = node instanceof SVGElement;
    const [a, b] = [light(rgba(isSvg ? style.fill : style.color)), light(ground)].sort((x, y) => y - x);
    const pixels = parseFloat(style.fontSize), isLarge = pixels >= 24 || (pixels >= 18.66 && +style.fontWeight >= 600);
    if ((a + 0.05) / (b + 0.05) < (isLarge ? 3 : 4.5)) faint.push(`${node.textContent.trim()}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
  }
  return faint;
}
"""


def act(page: Any, index: int = 0, *, by_key: bool = False) -> None:
    """Do one of the actions, and wait for what follows."""
    buttons = page.locator(".actions button[data-action]")
    expect(buttons.first).to_be_visible()
    before = page.locator(".story").inner_text()
    if by_key:
        page.keyboard.press(str(index + 1))
    else:
        buttons.nth(index).click()
    page.wait_for_function(
        "before => document.querySelector('.outcome') || document.querySelector('.story')?.innerText !== before",
        arg=before,
    )


def is_over(page: Any) -> bool:
    return bool(page.locator(".outcome").count())


def spoken(card: str) -> str:
    return f"{card[:-1]} of {SUITS[card[-1]]}"


def test_play_to_showdown(visit: Open, size: str, ids: dict[str, str]) -> None:
    """Three hands against a caller; no byte of socket or page names her card before it is shown."""
    page = visit(f"#/certificates/{ids['kuhn']}")
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda told: heard.append(told)))
    page.evaluate(f"location.hash = '#/play/{ids['rhode']}'")
    expect(page.locator(".actions button").first).to_be_visible()
    page.get_by_label("Opponent").select_option("always-call")
    expect(page.locator(".seat .who").first).to_have_text("always-call")
    assert page.get_by_label("Coach", exact=True).locator(".mix li").count() >= 3
    look(page, "play", size)
    for hand in range(3):
        first, seen = len(heard) - 1, []
        while not is_over(page):
            expect(page.get_by_label("a hidden card")).to_have_count(1)
            seen.append(page.content())
            act(page, by_key=size == "desk")
        *before, last = heard[first:]
        state = json.loads(last)
        hidden = state["hand"]["shown"][1 - state["seat"]][0]
        assert not any(hidden in told for told in before)
        assert not any(spoken(hidden) in text for text in seen)
        expect(page.get_by_label("a hidden card")).to_have_count(0)
        expect(page.get_by_label(spoken(hidden))).to_be_visible()
        score = page.get_by_label("Score", exact=True)
        expect(score).to_contain_text(f"{hand + 1} hand")
        expect(page.locator(".outcome")).to_have_text(re.compile(r"You win|You lose|Even"))
        if hand < 2:
            page.keyboard.press("Enter")
            expect(page.locator(".outcome")).to_have_count(0)
    expect(page.get_by_label("Score by hand")).to_be_visible()
    look(page, "play-over", size)


def test_the_coach_says_what_a_choice_cost_and_can_be_silenced(
    visit: Open, ids: dict[str, str]
) -> None:
    page = visit(f"#/play/{ids['kuhn']}")
    coach = page.get_by_label("Coach", exact=True).first
    expect(coach).to_contain_text("how often")
    act(page)
    expect(coach).to_contain_text(re.compile("Your (pass|bet)"))
    page.get_by_role("checkbox", name="Coach").uncheck()
    expect(coach).to_contain_text("still being adjusted for luck")
    expect(page.locator(".mix")).to_have_count(0)


@pytest.mark.parametrize("name", ["auction", "pennies", "three", "leduc"])
def test_every_kind_of_game_is_played_to_its_end(
    name: str, visit: Open, size: str, ids: dict[str, str]
) -> None:
    page = visit(f"#/play/{ids[name]}")
    expect(page.locator(".actions button").first).to_be_visible()
    while not is_over(page):
        act(page)
    look(page, f"play-{name}", size)


def test_holdem_is_played_without_a_strategy(visit: Open, size: str) -> None:
    page = visit("#/play/game:limit-holdem")
    page.get_by_label("Opponent").select_option("always-call")
    expect(page.locator(".seat .who").first).to_have_text("always-call")
    expect(page.get_by_label("a hidden card")).to_have_count(2)
    while not is_over(page):
        act(page, page.locator(".actions button[data-action]").count() - 1)
    expect(page.get_by_label("a hidden card")).to_have_count(0)
    expect(page.locator(".middle .card")).to_have_count(5)
    expect(page.get_by_label("Coach", exact=True)).to_contain_text("No coach")
    look(page, "play-holdem", size)


def test_explore(visit: Open, size: str, ids: dict[str, str]) -> None:
    """Walk the betting tree, by mouse and keys; boards, hands, values and situations."""
    page = visit(f"#/explore/{ids['rhode']}")
    cells = page.locator("button.hand")
    expect(cells).to_have_count(20)
    page.locator('[data-label="Kh"]').click()
    hand = page.get_by_label("Hand", exact=True)
    expect(hand.get_by_role("heading")).to_have_text("Kh")
    expect(hand.locator(".mix li")).to_have_count(3)
    look(page, "explore", size)
    page.locator('[data-label="Kh"]').press("ArrowRight")
    expect(page.locator('[data-label="Qh"]')).to_be_focused()
    expect(hand.get_by_role("heading")).to_have_text("Qh")
    page.locator('.next [data-action="k"]').click()
    expect(page.get_by_label("Moves").locator(".chip")).to_have_text(["Start", "1:check"])
    page.keyboard.press("1")  # check again: the flop
    expect(cells).to_have_count(19)
    page.get_by_role("button", name=re.compile("^Change ")).click()
    page.locator(".picker").get_by_role("button", name="9c", exact=True).click()
    expect(page.get_by_role("button", name="Change 9c")).to_be_visible()
    expect(page.locator('[data-label="9c"]')).to_have_count(0)
    for mode in ("value", "reach", "strategy"):
        page.get_by_role("button", name=mode, exact=True).click()
        expect(page.get_by_role("button", name=mode, exact=True)).to_have_attribute(
            "aria-pressed", "true"
        )
        look(page, f"explore-{mode}", size)
    # The address says it all: who opens it again is at the same place.
    address = page.url
    page.reload()
    expect(page.get_by_role("button", name="Change 9c")).to_be_visible()
    assert page.url == address
    page.get_by_label("Find a situation").last.fill("raise")
    page.get_by_label("Search").locator(".results button").first.click()
    expect(page.locator(".next button")).not_to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("Backspace")
    expect(page.locator("h1")).to_have_text(re.compile("Player [12] to act"))


def test_compare(visit: Open, size: str, ids: dict[str, str]) -> None:
    page = visit(f"#/explore/{ids['leduc']}")
    expect(page.get_by_role("grid")).to_have_count(1)
    page.get_by_label("Compare with").select_option(ids["leduc-rough"])
    expect(page.get_by_role("grid")).to_have_count(2)
    difference = page.get_by_label("Difference")
    expect(difference).to_contain_text(re.compile(r"differ in \d+% of the play"))
    difference.locator(".results button").first.click()
    expect(difference).to_contain_text("in the other")
    page.locator(".next button").first.click()
    expect(page.get_by_label("Moves").locator(".chip")).to_have_count(2)
    expect(page.get_by_role("grid")).to_have_count(2)
    look(page, "compare", size)


def test_what_cannot_be_explored_says_why(visit: Open, ids: dict[str, str], server: Served) -> None:
    page = visit(f"#/certificates/{ids['unrevealing']}")
    expect(page.locator(".sheet").first).to_be_visible()
    page.goto(f"{server.address}/#/certificates/{ids['damaged']}")
    expect(page.locator(".panel .lose")).to_contain_text("damaged")


def test_a_live_solve_is_paused_resumed_and_stopped(visit: Open, size: str) -> None:
    page = visit("#/watch?game=kuhn")
    page.get_by_label("Method").select_option("cfr")
    page.get_by_label("Gap", exact=True).fill("0")
    page.get_by_role("button", name="Solve").click()
    state = page.get_by_label("Solve", exact=True).get_by_role("status")
    expect(state).to_have_text("Running")
    # A line of several points: it is seen to go down.
    page.wait_for_function(
        "() => document.querySelector('[aria-label=\"Gap against time\"] polyline')?.points.length > 5"
    )
    # While points arrive the button stays the same one: on a slow machine a click would fall between two.
    pause = page.get_by_role("button", name="Pause").element_handle()
    iterations = page.locator(".figures dd").nth(2)
    expect(iterations).not_to_have_text(iterations.inner_text())
    assert pause is not None
    pause.click()
    expect(state).to_have_text("Paused")
    look(page, "watch", size)
    held = iterations.inner_text()
    page.get_by_role("button", name="Resume").click()
    expect(state).to_have_text("Running")
    expect(iterations).not_to_have_text(held)
    page.get_by_role("button", name="Stop and save").click()
    expect(state).to_have_text("Done")
    expect(page.get_by_text("certified in the full game")).to_be_visible()
    look(page, "watch-done", size)
    page.get_by_role("link", name="Explore it").click()
    expect(page.get_by_role("grid")).to_have_count(1)


def test_a_wish_that_is_refused_is_answered_in_a_sentence(visit: Open, size: str) -> None:
    page = visit("#/watch")
    page.get_by_label("Game", exact=True).fill("nonsense")
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#toast.shown")).to_contain_text("expected")
    look(page, "refused", size)


def test_certificates(visit: Open, size: str, ids: dict[str, str]) -> None:
    page = visit("#/certificates")
    page.get_by_label("Strategies").locator(f'[href$="{ids["leduc-rough"]}"]').click()
    proof = page.get_by_label("Certificate", exact=True)
    expect(proof.get_by_role("heading", name="leduc-rough")).to_be_visible()
    expect(proof).to_contain_text("could hold her down to")
    look(page, "certificate", size)
    with page.expect_download() as kept:
        proof.get_by_role("link", name="Certificate (JSON)").click()
    told = json.loads(Path(kept.value.path()).read_text())
    assert kept.value.suggested_filename == "leduc-rough.certificate.json"
    assert told["gap"] == pytest.approx(told["upper"] - told["lower"])
    page.get_by_label("Strategies").locator(f'[href$="{ids["kuhn"]}"]').click()
    expect(proof.get_by_role("heading", name="kuhn")).to_be_visible()
    expect(proof.locator(".big")).to_have_text("0")
    proof.get_by_role("button", name="Check it again").click()
    expect(proof).to_contain_text("Recomputed just now: gap 0")


@pytest.mark.parametrize("page_name", ["play", "explore", "watch", "certificates"])
def test_light_and_dark(page_name: str, visit: Open, size: str, ids: dict[str, str]) -> None:
    """As the system is, until somebody says otherwise: then that stays. Letters can be read in both."""
    page = visit(f"#/{page_name}/{ids['rhode']}" if page_name != "watch" else "#/watch")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    expect(page.locator("h1, .actions button").first).to_be_visible()
    page.emulate_media(color_scheme="dark")
    expect(root).to_have_attribute("data-theme", "dark")
    look(page, f"{page_name}-dark", size)
    page.get_by_role("button", name="Light or dark").click()
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")


def test_pages_are_reached_by_keys_alone(visit: Open) -> None:
    page = visit("#/certificates")
    expect(page.locator(".row").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.locator('[data-page="explore"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_have_count(1)
    expect(page.locator('[data-page="explore"]')).to_have_attribute("aria-current", "page")


def test_an_empty_folder_says_what_to_do(visit: Open, size: str, tmp_path: Path) -> None:
    alone = Served(tmp_path)
    try:
        page = visit("", at=alone.address)
        expect(page.locator("h1")).to_have_text("No strategies here yet")
        look(page, "empty", size)
        page.get_by_role("link", name="kuhn").click()
        expect(page.get_by_label("Game", exact=True)).to_have_value("kuhn")
    finally:
        page.context.close()
        alone.close()
