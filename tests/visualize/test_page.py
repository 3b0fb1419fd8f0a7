"""The page and the drawing as text: complete, self-contained, and safe for any source of the kernel."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.contrast import contrast
from tests.visualize.scenes import scene
from tilecheck.config import Config
from tilecheck.pipeline.single_kernel import study
from tilecheck.visualize.clauses import fold_clauses, open_clauses
from tilecheck.visualize.files import read
from tilecheck.visualize.legend import legend, remarks, source_words
from tilecheck.visualize.page import render_page
from tilecheck.visualize.place import Place, Rect, rectangles
from tilecheck.visualize.plain import render_svg
from tilecheck.visualize.present import Request, present
from tilecheck.visualize.scene import Scene
from tilecheck.visualize.svg import array_picture

SHOWN = [("raw_bad.py", "permuted_store"), ("raw_good.py", "grouped_gemm"), ("raw_bad.py", "softmax_over_padding"),
         ("dialect.py", "gemm")]
VOID = {"meta", "input", "br"}


class Parsed(HTMLParser):
    """Elements with their attributes, and whether each is closed in its place."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def find_by_class(self, word: str) -> list[dict[str, str]]:
        return [attrs for _, attrs in self.elements if word in attrs.get("class", "").split()]


@pytest.fixture(scope="module", params=SHOWN, ids=lambda x: x[1])
def shown(request: pytest.FixtureRequest) -> Scene:
    return scene(*request.param)


def test_the_page_is_well_formed(shown: Scene) -> None:
    assert Parsed(render_page(shown)).open == []


def test_the_page_needs_nothing_else(shown: Scene) -> None:
    page = render_page(shown)
    parsed = Parsed(page)
    assert not re.search(r"https?://|url\((?!#)|@import|<link|<img|<iframe", page)
    assert not any({"src", "href"} & attrs.keys() for _, attrs in parsed.elements)
    policy = next(a["content"] for tag, a in parsed.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy


def test_every_mark_belongs_to_existing_blocks_and_steps(shown: Scene) -> None:
    parsed = Parsed(render_page(shown))
    steps = max(1, len(shown.steps))
    drawn = [a for a in parsed.find_by_class("mark") if "data-at" in a]
    assert drawn
    for attrs in drawn:
        for pair in attrs["data-at"].split(" "):
            block, step = map(int, pair.split(":"))
            assert 0 <= block < len(shown.blocks) and 0 <= step < steps
        assert attrs["data-access"]


def test_every_block_can_be_reached_with_the_keyboard(shown: Scene) -> None:
    blocks = Parsed(render_page(shown)).find_by_class("block")
    assert [int(a["data-block"]) for a in sorted(blocks, key=lambda a: int(a["data-block"]))] == list(
        range(len(shown.blocks)))
    assert all(a["tabindex"] == "0" and a["role"] == "button" and a["aria-label"].startswith("block ") for a in blocks)


def test_a_kernel_with_loops_has_a_slider(shown: Scene) -> None:
    parsed = Parsed(render_page(shown))
    sliders = [a for tag, a in parsed.elements if tag == "input"]
    assert [a["max"] for a in sliders] == ([str(len(shown.steps) - 1)] if shown.steps else [])
    names = re.findall(r'<script id="steps" type="application/json">(.*?)</script>', render_page(shown))
    assert [json.loads(text) for text in names] == [list(shown.steps)]


def test_the_contract_verdicts_and_source_are_on_the_page(shown: Scene) -> None:
    text = " ".join(Parsed(render_page(shown)).text)
    for clause in shown.contract:
        assert clause.clause in text
    for o in shown.obligations:
        assert o.what in text
    for line in shown.source:
        assert line.text in text
    for array in shown.arrays:
        for access in array.accesses:
            assert access.text in text and access.place in text
        for words in array.words:
            assert words.replace("`", "") in text


def test_the_page_describes_the_fault_and_the_fix(shown: Scene) -> None:
    text = " ".join("".join(Parsed(render_page(shown)).text).split())
    drawing = " ".join("".join(ElementTree.fromstring(render_svg(shown)).itertext()).split())
    if shown.headline is None:
        assert "no two blocks collide" in text and "no two blocks collide" in drawing
        return
    assert shown.headline.what.replace("`", "") in text
    for place, what in shown.headline.changes:
        assert (f"{place}: {what}" if place else what).replace("`", "") in text and place in drawing
    for word in shown.headline.what.replace("`", "").split():
        assert word in drawing


def test_the_drawing_is_a_document_of_its_own(shown: Scene) -> None:
    root = ElementTree.fromstring(render_svg(shown))
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("role") == "img"
    names = {child.tag.partition("}")[2] for child in root}
    assert {"title", "desc", "style", "defs"} <= names
    used = set(re.findall(r"url\(#([\w-]+)\)", render_svg(shown)))
    assert used <= {e.get("id") for e in root.iter()}
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", render_svg(shown))


def test_the_legend_explains_every_kind_of_mark(shown: Scene) -> None:
    kinds = {m.kind for a in shown.arrays for p in a.panels for m in p.marks}
    ringed = any(m.ringed for a in shown.arrays for p in a.panels for m in p.marks)
    assert {kind for kind, _ in legend(shown)} == kinds | ({"ringed"} if ringed else set())
    text = " ".join(Parsed(render_page(shown)).text)
    assert all(words in text for _, words in legend(shown))


def test_the_words_of_the_contract_are_explained(shown: Scene) -> None:
    text = " ".join(Parsed(render_page(shown)).text)
    drawing = " ".join("".join(ElementTree.fromstring(render_svg(shown)).itertext()).split())
    for word in {c.kind for c in shown.contract} | {c.state for c in shown.contract}:
        assert f"{word}: " in text and f"{word}: " in drawing
    for word in {o.verdict for o in shown.obligations} & {"proved", "refuted", "conditional", "unproven"}:
        assert f"{word}: " in text and f"{word}: " in drawing


def test_a_proof_under_clauses_says_so_beside_its_badge() -> None:
    page = render_page(scene("raw_good.py", "grouped_gemm"))
    assert re.search(r"proved</span> <span[^>]*>for launches that satisfy \d+ clauses below", page)
    assert re.search(r"of \d+</span>", page)


def test_parts_of_the_index_are_shown_with_the_finding_and_the_source() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    page, drawing = render_page(shown), render_svg(shown)
    assert shown.headline is not None
    text = " ".join("".join(Parsed(page).text).split())
    drawn = " ".join(" ".join(ElementTree.fromstring(drawing).itertext()).split())
    for line in shown.source:
        assert line.note in text and line.note in drawn
    for note in shown.headline.notes:
        assert note in text and note in drawn
    for p in shown.headline.parts:
        assert f"<code>{p.name}</code>" in page and p.place in page
    assert "No seen launch: sizes chosen by tilecheck to be small." in text and "No seen launch" in drawn


def test_only_similar_clauses_are_folded() -> None:
    assert fold_clauses(scene("raw_bad.py", "head_spills_into_next")) == ()
    shown = scene("raw_bad.py", "softmax_over_padding")
    seen = {c.clause for c in open_clauses(shown)}
    assert set(shown.broken) <= seen and all(c.kind == "structural" for c in shown.contract if c.clause not in seen)
    (away,) = fold_clauses(shown)
    assert {c.clause for c in shown.contract} == seen | set(away.clauses)
    assert f"<summary>{away.words}</summary>" in render_page(shown)
    assert away.words == f"{len(away.clauses)} structural clauses, all unseen"


def test_a_tile_outside_is_numbered_and_has_its_iteration() -> None:
    (a,) = [x for x in scene("raw_bad.py", "negative_tile").arrays if x.name == "a"]
    body = array_picture(a).body
    assert re.findall(r'class="index beyond">(-?\d+)<', body) == ["-2", "-1"]


def test_several_blocks_are_joined_the_same_way_wherever_they_stand() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    labels = {m.label for a in shown.arrays for p in a.panels for m in p.marks if " + " in m.label}
    assert labels >= {"(0, 0) + (1, 0)", "(0, 0) + (0, 1)"}
    assert not any(") (" in m.label for a in shown.arrays for p in a.panels for m in p.marks)


def test_the_source_stands_before_verdicts_and_clauses_on_the_page_and_on_paper() -> None:
    page = render_page(scene("raw_bad.py", "permuted_store"))
    places = [page.index(f'aria-label="{name}"') for name in ("source", "obligations", "contract", "in words")]
    assert places == sorted(places)
    order = {name: int(n) for name, n in re.findall(r'section\[aria-label="?([\w ]+)"?\] { order: (\d)', page)}
    assert order["source"] < order["grid of blocks"] < order["obligations"] < order["contract"]
    assert 'counter(page) " of " counter(pages)' in page


def test_the_text_does_not_repeat_the_picture() -> None:
    page = render_page(scene("raw_bad.py", "permuted_store"))
    words = page.partition('aria-label="in words"')[2]
    assert "<li>Block (0, 0) writes " in words and "Collision" not in words


def test_text_and_lines_contrast_with_the_page_in_both_themes() -> None:
    style = read("picture.css")
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    for theme in (light, dark.partition("svg text")[0]):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", theme))
        for name in ("ink", "soft", "accent", "clash", "good", "warn"):
            assert contrast(colours[name], colours["paper"]) >= 4.5, name
        for name in ("cell", *(f"e{n}" for n in range(6)), "emany"):
            assert contrast(colours[name], colours["paper"]) >= 3, name


def test_names_lie_within_tiles_and_on_no_other_name() -> None:
    for name in ("permuted_store", "head_spills_into_next", "mma_over_padding", "softmax_over_padding"):
        for array in scene("raw_bad.py", name).arrays:
            body = ElementTree.fromstring(f"<svg>{array_picture(array).body}</svg>")
            for panel in body.iter("g"):
                boxes = [_box(e) for g in panel.findall("g") if "caption" in (g.get("class") or "")
                         for e in g.findall("text")]
                for n, a in enumerate(boxes):
                    assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[n + 1:])
                tiles = [tuple(float(r.get(k, "0")) for k in ("x", "y", "width", "height"))
                         for g in panel.findall("g") if "caption" not in (g.get("class") or "")
                         for r in g.findall("rect")]
                for a in boxes:
                    assert not any(x - 3 > a[0] and x + 3 < a[2] and y < a[1] and a[3] < y + h for x, y, _, h in tiles)


def _box(text: ElementTree.Element) -> tuple[float, float, float, float]:
    x, y = float(text.get("x", "0")), float(text.get("y", "0"))
    (size,) = re.findall(r"font-size:(\d+)px", text.get("style") or "")
    assert int(size) >= 10
    half = len(text.text or "") * int(size) * 0.29
    return x - half, y - int(size), x + half, y


def test_every_row_of_a_spilling_array_has_a_name_and_the_frame_ends_with_it() -> None:
    output = next(a for a in scene("raw_bad.py", "head_spills_into_next").arrays if a.name == "o")
    (panel,) = output.panels
    body = array_picture(output).body
    captions = re.findall(r'class="name" style="[^"]*">([^<]+)<', body)
    assert {"0", "1"} <= set(captions) and any("0" in c and "1" in c for c in captions)
    assert panel.missing
    (edge,) = re.findall(r'<path d="([^"]+)" class="edge"', body)
    assert edge.count("v") == 2 and edge.count("h") == 3


def test_marks_differ_in_more_than_colour() -> None:
    page = render_page(scene("raw_bad.py", "permuted_store"))
    for kind in ("p-clash", "p-outside", "p-undefined", "p-padding"):
        assert f'id="{kind}"' in page
    assert "@media print" in page and "prefers-color-scheme: dark" in page


def test_the_printed_page_has_no_hover_hints_and_no_folded_parts() -> None:
    page = render_page(scene("raw_bad.py", "permuted_store"))
    assert '<span class="hint">; point at a block or select it</span>' in page
    printed = page.partition("@media print")[2].partition("</style>")[0]
    assert ".hint { display: none; }" in printed and "details::details-content { content-visibility: visible" in printed


HOSTILE = '''import cuda.tile as ct

@ct.kernel
def kernel(a, c, T: ct.Constant[int]):
    """</script><script>alert(1)</script> <!-- &amp; "'"""
    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))  # <b onclick="x">`</style>
'''


LONG = '''import cuda.tile as ct

def chosen_block(first, second):
    return first + second

@ct.kernel
def kernel(a_rather_long_input, a_rather_long_output, T: ct.Constant[int]):
    i = chosen_block(ct.bid(0), 0)
    ct.store(a_rather_long_output, (i,), ct.load(a_rather_long_input, (i,), (T,)) + 1 + 2 + 3 + 4 + 5)
'''


def test_long_lines_are_wrapped_and_helpers_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text(LONG, encoding="utf-8")
    found = present(study(f"{path}::kernel", Config(use_cache=False)), Request({}))
    assert [x.number for x in found.source] == [7, 8, 9, 3, 4]
    root = ElementTree.fromstring(render_svg(found))
    code = [(float(e.get("x", "0")), e.text or "") for e in root.iter("{http://www.w3.org/2000/svg}text")
            if "monospace" in (e.get("style") or "")]
    drawing = " ".join("".join(text for _, text in code).split())
    for word in LONG.splitlines()[8].split():
        assert word in drawing
    assert all(x + 6.7 * len(text) <= float(root.get("width", "0")) for x, text in code)
    page = render_page(found)
    assert "pre-wrap" in page and 'style="padding-left:8ch;text-indent:-8ch"' in page


def test_source_text_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "a<b>&'.py"
    path.write_text(HOSTILE, encoding="utf-8")
    found = present(study(f"{path}::kernel", Config(use_cache=False)), Request({}))
    page = render_page(found)
    parsed = Parsed(page)
    assert parsed.open == []
    assert sum(tag == "script" for tag, _ in parsed.elements) == 2
    assert not any(tag == "b" or "onclick" in attrs for tag, attrs in parsed.elements)
    ElementTree.fromstring(render_svg(found))


def test_rectangles_cover_cells_exactly() -> None:
    cells = {(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (4, 0), (4, 2)}
    found = rectangles(cells)
    assert found[0] == Rect(0, 0, 2, 2)
    covered = [(r.row + i, r.column + j) for r in found for i in range(r.height) for j in range(r.width)]
    assert sorted(covered) == sorted(cells)


def test_flat_arrays_are_folded_and_matrices_are_not() -> None:
    assert Place.of((12,)).at((7,)) == ((), (0, 7))
    assert Place.of((12,), 4, True).at((7,)) == ((), (1, 3))
    assert Place.of((12,), 4, True).at((-1,)) == ((), (-1, 3))
    assert Place.of((100,)).size[1] <= 28
    assert Place.of((3, 4)).at((2, 1)) == ((), (2, 1))
    assert Place.of((2, 3, 4)).at((1, 2, 1)) == ((1,), (2, 1))
    assert list(Place.of((2, 3, 4)).panels()) == [(0,), (1,)]


def test_colours_of_source_lines_are_explained_on_the_page_and_in_the_drawing() -> None:
    shown = scene("raw_bad.py", "neighbour_read")
    assert source_words(shown, "yellow") == (
        "red: a finding stands here, or the other side of its collision", "yellow: what the finding comes from")
    page, drawing = render_page(shown), render_svg(shown)
    assert "yellow: what the finding comes from" in page and "brown: what the finding comes from" in drawing
    assert source_words(scene("raw_good.py", "vadd"), "yellow") == ()


def test_the_legend_omits_colours_under_a_pattern() -> None:
    told = " ".join(remarks(scene("raw_bad.py", "neighbour_read")))
    assert "mixed colours" not in told and "grey" not in told


def test_the_drawing_has_the_index_and_each_way_in_lines_of_their_own() -> None:
    drawing = render_svg(scene("raw_bad.py", "permuted_store"))
    assert ">The index:<" in drawing and ">(a) line 26:<" in drawing and ">(b) line 26:<" in drawing
    assert "1 element" not in drawing and ">c: 6 elements, written and read<" in render_svg(
        scene("raw_bad.py", "neighbour_read"))
