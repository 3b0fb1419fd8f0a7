"""The lines that a collision comes from are in every form of the report that can have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from tests.repair.helpers import kernel
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.report import github, gitlab, junit, sarif, text
from tilecheck.report import json as json_report
from tilecheck.report.formats import View

TEXT = kernel("i, j = ct.bid(0), ct.bid(1)\nt = ct.load(a, (i, j), (T, T))\nct.store(c, (i, 0), t)", "a, c, T: Int")
LOST = "`j` is 0 in block (0, 0) and 1 in (0, 1), and not in the index"
HELP = ("on line 10, store at `(i, j)` in place of `(i, 0)`, as the tile is loaded from `a`: no two blocks write one "
        "element of `c` then")

VIEW = View(check_source(TEXT, "k.py", Config(use_cache=False)), lambda path: TEXT.split("\n"))


@pytest.mark.parametrize("render", [
    text.render, github.render, gitlab.render, junit.render, sarif.render, json_report.render])
def test_every_report_shows_the_lost_part_and_the_suggestion(render: Callable[[View], str]) -> None:
    rendered = render(VIEW)
    said = " ".join("".join(ElementTree.fromstring(rendered).itertext()).split()) if rendered.startswith("<?xml") else (
        " ".join(rendered.split()))
    assert LOST in said and HELP in said


def test_related_places_are_those_of_the_source() -> None:
    (result,) = json.loads(sarif.render(VIEW))["runs"][0]["results"]
    places = [(r["message"]["text"], r["physicalLocation"]["region"]["startLine"],
               r["physicalLocation"]["region"]["startColumn"]) for r in result["relatedLocations"]]
    assert places == [(LOST, 8, 8), ("tile (0, 0) in both blocks", 10, 17)]
    (finding,) = json.loads(json_report.render(VIEW))["diagnostics"]
    assert [(r["message"], r["line"], r["column"]) for r in finding["related"]] == places
