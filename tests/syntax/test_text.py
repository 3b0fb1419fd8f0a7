"""Encodings, and files that cannot be analysed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.project.project import Project
from tilecheck.syntax.text import SourceError

KERNEL = "import cuda.tile as ct\n@ct.kernel\ndef k(a):\n    '{}'\n    ct.store(a, 0, 1)\n"


@pytest.mark.parametrize("data", [
    KERNEL.format("ä").encode(),
    b"\xef\xbb\xbf" + KERNEL.format("ä").encode(),
    ("# -*- coding: latin-1 -*-\n" + KERNEL.format("ä")).encode("latin-1"),
    ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + KERNEL.format("€")).encode("cp1252"),
    KERNEL.replace("\n", "\r\n").format("ä").encode(),
    KERNEL.replace("\n", "\r").format("ä").encode(),
    KERNEL.replace("    ", "\t").format("ä").encode(),
    ("\x0c\n" + KERNEL.replace("@ct", "\x0c@ct").format("ä")).encode(),
    KERNEL.format("ä").rstrip("\n").encode(),
], ids=["utf8", "bom", "latin1", "cp1252", "crlf", "cr", "tabs", "form-feed", "no-last-newline"])
def test_encodings(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(data)
    (module,) = Project([path]).modules()
    (site,) = module.kernels()
    assert site.qualname == "k"
    assert len(site.definition.body) == 2
    line = site.definition.name_span.line
    column = site.definition.name_span.column
    assert module.lines[line - 1][column:].startswith("k(a)")


@pytest.mark.parametrize(("data", "message", "line"), [
    (b"# cuda tile kernel\n\n'\xff'\n", "cannot be decoded as utf-8", 3),
    (b"# coding: nothing\n# cuda tile kernel\n", "cannot be decoded", 1),
    (b"# cuda tile kernel\ndef f(:\n", "invalid syntax", 2),
    (b"# cuda tile kernel\nx = '\0'\n", "null", None),
    (b"# cuda tile kernel\nx = " + b"(" * 300 + b"\n", "too many nested parentheses", 2),
    (b"# cuda tile kernel\nx = " + b"-" * 100_000 + b"1\n", "too deeply", None),
    (b"# cuda tile kernel\nx = " + b"a+" * 100_000 + b"1\n", "too deeply", None),
    (b"import cuda.tile as ct\n@ct.kernel\ndef k(a):\n    a = " + b"a+" * 700 + b"1\n", "too deeply", 2),
], ids=["bytes", "cookie", "syntax", "null", "parentheses", "unary", "binary", "lowering"])
def test_errors(tmp_path: Path, data: bytes, message: str, line: int | None) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(data)
    (module,) = Project([path]).modules()
    with pytest.raises(SourceError, match=message) as caught:
        module.kernels()
    assert caught.value.file == str(path)
    assert caught.value.line == line or line is None


def test_missing_file(tmp_path: Path) -> None:
    (module,) = Project([tmp_path / "m.py"]).modules()
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        module.kernels()


def test_given_contents_are_used() -> None:
    (module,) = Project(["<stdin>"], contents={"<stdin>": KERNEL.format("x").encode()}).modules()
    assert [site.qualname for site in module.kernels()] == ["k"]
    assert module.path == "<stdin>"


@pytest.mark.parametrize(("data", "message", "line"), [
    (b"x = 1\ndef f(:\n", "invalid syntax", 2),
    (b"\n'\xff'\n", "cannot be decoded as utf-8", 2),
    (b"x = '\0'\n", "null", None),
])
def test_broken_files_without_kernels_are_reported(tmp_path: Path, data: bytes, message: str, line: int | None) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(data)
    (module,) = Project([path]).modules()
    with pytest.raises(SourceError, match=message) as caught:
        module.kernels()
    assert caught.value.line == line


@pytest.mark.parametrize("data", [
    b"# coding: latin-1\nx = '\xe4'\n", b"\xef\xbb\xbfx = 1\r\n", b"x = " + b"a+" * 100_000 + b"1\n", b"", b"\x0c\n",
], ids=["latin1", "bom", "deep", "empty", "form-feed"])
def test_unusual_files_without_kernels_are_not_errors(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(data)
    (module,) = Project([path]).modules()
    assert module.kernels() == ()
