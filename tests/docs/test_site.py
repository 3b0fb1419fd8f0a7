"""The pages as a site: built with no warning, all of them reachable, and complete without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contrast import contrast
from tests.docs.markdown import ROOT

pytest.importorskip("mkdocs")
pytest.importorskip("material", reason="the theme is the package mkdocs-material")

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS) for path in DOCS.rglob("*.md"))


def _build(config: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", config, "--site-dir", folder],
        capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})  # an announcement of the theme, not about these pages


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site. Strict: one warning, and it is not built."""
    folder = tmp_path_factory.mktemp("site")
    done = _build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    return folder


def test_the_site_has_every_page(built: Path) -> None:
    for page in PAGES:
        assert (built / _address(page)).is_file()


def test_every_page_is_in_the_navigation(built: Path) -> None:
    index = (built / "index.html").read_text(encoding="utf-8")
    reachable = set(re.findall(r'<a href="([^"#]+)" class="md-nav__link', index))
    assert {_address(page) for page in PAGES} - {"index.html"} <= reachable


def test_nothing_is_fetched_when_a_page_is_opened(built: Path) -> None:
    for page in built.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|img|iframe)[^>]* src="(https?:[^"]+)"', text) == []
        assert re.findall(r'<link[^>]* rel="(?:stylesheet|preconnect)"[^>]* href="(https?:[^"]+)"', text) == []


@pytest.mark.parametrize("link", ["nowhere.md", "index.md#nowhere", "/index.md"])
def test_a_broken_link_is_noticed(link: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# A\n\n[gone]({link})\n", encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = _build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert done.returncode == 1 and "WARNING" in done.stderr


def test_no_bar_in_code_in_a_table() -> None:
    """The escape for one site is shown as text on another."""
    bar = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
    assert [page for page in PAGES if bar.search((DOCS / page).read_text(encoding="utf-8"))] == []


def test_lists_and_tables_are_rendered(built: Path) -> None:
    """Those that stand right below a line of text are part of it for some readers of Markdown."""
    text = re.compile(r"<p>(?:(?!</p>).)*\n(?:[*-] |\d+\. |\|)", re.DOTALL)
    assert [page.name for page in built.rglob("*.html") if text.search(page.read_text(encoding="utf-8"))] == []


def test_pages_of_rules_are_folded_by_group(built: Path) -> None:
    """A list of forty names is not a navigation."""
    yaml = pytest.importorskip("yaml")
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    (rules,) = [value for entry in nav for name, value in entry.items() if name == "Rules"]
    for group in rules:
        ((name, pages),) = group.items()
        code = name[:name.index("xx")]
        assert pages and all(next(iter(page)).startswith(code) for page in pages)
    assert 'data-md-component="search-query"' in (built / "index.html").read_text(encoding="utf-8")


def test_code_with_a_finding_is_marked_and_only_python_has_numbers(built: Path) -> None:
    page = (built / "rules" / "TC101.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="c1"># error: TC101</span>', page) and "javascripts/flagged.js" in page
    script = (DOCS / "javascripts" / "flagged.js").read_text(encoding="utf-8")
    assert ".highlight .c1" in script and "tc-flagged" in script and "tc-finding" in script
    style = (DOCS / "stylesheets" / "wide.css").read_text(encoding="utf-8")
    assert ".tc-flagged" in style and ".tc-finding" in style
    assert ".highlight:not(.language-python) [data-linenos]::before" in style
    assert 'class="language-python highlight"' in page and "data-linenos" in page


def test_no_two_links_of_the_index_have_one_text_and_other_targets() -> None:
    links: dict[str, set[str]] = {}
    for text, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", (DOCS / "README.md").read_text(encoding="utf-8")):
        links.setdefault(text, set()).add(target)
    assert {text: targets for text, targets in links.items() if len(targets) > 1} == {}


def test_colours_of_the_site_contrast_with_the_page() -> None:
    style = (DOCS / "stylesheets" / "wide.css").read_text(encoding="utf-8")
    paper = {"default": ("#ffffff", "#f5f5f5"), "slate": ("#1e2129", "#272a35")}
    for scheme, grounds in paper.items():
        block = style.partition(f'[data-md-color-scheme="{scheme}"] {{')[2].partition("}")[0]
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        assert "md-typeset-a-color" in colours and "tc-finding" in colours
        for name, colour in colours.items():
            assert all(contrast(colour, ground) >= 4.5 for ground in grounds), (scheme, name)
    (header,) = re.findall(r"--md-primary-fg-color: (#[0-9a-f]{6});", style)
    assert contrast(header, "#ffffff") >= 4.5


def _address(page: Path) -> str:
    return "index.html" if page.name == "README.md" else page.with_suffix(".html").as_posix()
