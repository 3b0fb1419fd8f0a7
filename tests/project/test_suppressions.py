"""Suppression comments."""

from __future__ import annotations

from collections.abc import Callable

from tilecheck.project.project import Project
from tilecheck.project.suppressions import covers, suppressions

Build = Callable[..., Project]


def test_codes_reasons_and_lines(project: Build) -> None:
    (module,) = project({"m.py": """
        x = 1  # tilecheck: allow[TC102] ids are unique
        y = f(  # noqa  # tilecheck: allow[TC101,TC103]: both
            1,
            2,
        )
        # tilecheck: allow[TC102]
        z = g(
            1)
        s = "# tilecheck: allow[TC102] in a string"
        # tilecheck: allow no codes
        # another comment
        t = 1
        # tilecheck: allow[TC102] above a blank line covers nothing

        u = 1
        """}).modules()
    found = suppressions(module)
    assert [(item.codes, item.reason, item.line) for item in found] == [
        (("TC102",), "ids are unique", 2),
        (("TC101", "TC103"), "both", 3),
        (("TC102",), "", 7),
        ((), "no codes", 11),
        (("TC102",), "above a blank line covers nothing", 14),
    ]
    assert [(item.first_line, item.last_line) for item in found] == [(2, 2), (3, 6), (8, 9), (13, 13), (14, 13)]
    assert {item.scope for item in found} == {"line"}
    assert module.lines[1][found[0].column : found[0].end_column] == "# tilecheck: allow[TC102] ids are unique"
    assert covers(found[1], 5)
    assert not covers(found[1], 7)


def test_definitions(project: Build) -> None:
    (module,) = project({"m.py": """
        import cuda.tile as ct
        def before(): pass
        # tilecheck: allow[TC102] whole kernel
        # more about it
        @requires("x")
        @ct.kernel
        def k(a):
            b = 1
            # tilecheck: allow[TC103] next line
            c = 2
        class A:
            # tilecheck: allow[TC101] method
            def m(self):
                pass
        @ct.kernel
        # tilecheck: allow[TC106] below the decorator
        def j(a):
            d = 1  # tilecheck: allow[TC107] here
        """}).modules()
    found = suppressions(module)
    assert [(item.scope, item.first_line, item.last_line) for item in found] == [
        ("definition", 6, 11), ("line", 11, 11), ("definition", 14, 15), ("definition", 16, 19), ("line", 19, 19)]


def test_files_without_the_marker_are_not_parsed(project: Build) -> None:
    (module,) = project({"m.py": "def broken(:\n"}).modules()
    assert suppressions(module) == ()
