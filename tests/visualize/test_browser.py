"""The page in a browser: it opens without an error, its slider moves, its blocks can be selected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.visualize.browser import Browser, missing, run_browser
from tests.visualize.scenes import scene
from tilecheck.visualize.page import render_page
from tilecheck.visualize.plain import render_svg

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with run_browser() as found:
        yield found


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, str]:
    out: dict[str, str] = {}
    for file, name in (("raw_bad.py", "permuted_store"), ("raw_good.py", "grouped_gemm"), ("raw_good.py", "vadd")):
        path = tmp_path / f"{name}.html"
        path.write_text(render_page(scene(file, name)), encoding="utf-8")
        out[name] = path.as_uri()
    return out


def _lit(browser: Browser) -> int:
    return int(browser.script("return document.querySelectorAll('.mark.lit').length"))


def _count_faded(browser: Browser) -> int:
    return int(browser.script("return document.querySelectorAll('.mark.faded').length"))


@pytest.mark.parametrize("name", ["permuted_store", "grouped_gemm", "vadd"])
def test_the_page_opens_without_an_error(browser: Browser, pages: dict[str, str], name: str) -> None:
    browser.open(pages[name])
    assert browser.script("return document.body.dataset.ready") == "true"
    assert browser.errors() == []
    assert browser.script("return document.body.dataset.block") == "-1"
    assert _count_faded(browser) == 0


def test_the_page_makes_no_network_request(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["permuted_store"])
    asked = browser.script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert asked == []


def test_a_block_is_selected_and_let_go(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["permuted_store"])
    browser.click(".block[data-block='1']")
    browser.script("document.querySelector(\".block[data-block='1']\").dispatchEvent(new Event('mouseleave'))")
    assert browser.script("return document.body.dataset.block") == "1"
    assert browser.script("return document.querySelector(\".block[data-block='1']\").getAttribute('aria-pressed')"
                          ) == "true"
    assert browser.script("return document.getElementById('chosen').textContent") == "block (1, 0)"
    lit = browser.script(
        "return Array.from(document.querySelectorAll('.mark.lit')).map((n) => n.dataset.at)")
    assert lit and all(any(pair.startswith("1:") for pair in at.split(" ")) for at in lit)
    assert _count_faded(browser) > 0
    browser.click("#everything")
    assert browser.script("return document.body.dataset.block") == "-1"
    assert _lit(browser) == 0 and _count_faded(browser) == 0
    assert browser.errors() == []


def test_the_keyboard_selects_blocks(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["grouped_gemm"])
    browser.script("document.querySelector(\".block[data-block='2']\").dispatchEvent("
                   "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
    assert browser.script("return document.body.dataset.block") == "2"
    browser.script("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
    assert browser.script("return document.body.dataset.block") == "-1"


def test_the_slider_moves_through_the_iterations(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["grouped_gemm"])
    names = browser.script("return JSON.parse(document.getElementById('steps').textContent)")
    assert names == list(scene("raw_good.py", "grouped_gemm").steps)
    seen = []
    for number in range(len(names)):
        browser.script(f"const s = document.getElementById('step'); s.value = '{number}'; "
                       "s.dispatchEvent(new Event('input'))")
        assert browser.script("return document.body.dataset.step") == str(number)
        assert browser.script("return document.getElementById('shown').textContent") == names[number]
        seen.append(browser.script(
            "return Array.from(document.querySelectorAll('.mark[data-at]:not(.faded)')).map((n) => n.dataset.at)"))
    for number, shown in enumerate(seen):
        assert shown and all(any(pair.endswith(f":{number}") for pair in at.split(" ")) for at in shown)
    browser.click("#back")
    assert browser.script("return document.body.dataset.step") == str(len(names) - 2)
    browser.click("#next")
    assert browser.script("return document.body.dataset.step") == str(len(names) - 1)
    assert browser.errors() == []


def test_the_slider_plays(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["grouped_gemm"])
    browser.click("#play")
    assert browser.script("return document.getElementById('play').textContent") == "Pause"
    browser.script("const end = Date.now() + 4000; return new Promise((done) => { const t = setInterval(() => { "
                   "if (document.body.dataset.step !== '-1' || Date.now() > end) { clearInterval(t); done(true); } "
                   "}, 50); })")
    assert browser.script("return document.body.dataset.step") == "0"
    browser.click("#play")
    assert browser.script("return document.getElementById('play').textContent") == "Play"


def test_a_link_opens_it_at_a_block_and_a_step(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["grouped_gemm"] + "#block=1&step=2")
    assert browser.script("return [document.body.dataset.block, document.body.dataset.step]") == ["1", "2"]


def test_a_source_line_highlights_its_elements(browser: Browser, pages: dict[str, str]) -> None:
    browser.open(pages["permuted_store"])
    browser.script("document.querySelector('.access').dispatchEvent(new Event('mouseenter'))")
    number = browser.script("return document.querySelector('.access').dataset.lines")
    lit = browser.script("return Array.from(document.querySelectorAll('.mark.lit')).map((n) => n.dataset.access)")
    assert lit and all(number in accesses.split(" ") for accesses in lit)


def test_the_drawing_opens(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "permuted.svg"
    path.write_text(render_svg(scene("raw_bad.py", "permuted_store")), encoding="utf-8")
    browser.open(path.as_uri())
    assert browser.script("return document.documentElement.localName") == "svg"
    assert browser.script("return document.querySelectorAll('.mark.clash').length") > 0
    assert browser.errors() == []
