"""`tilecheck show` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.cli.app import main

SOURCE = '''import cuda.tile as ct

Int = ct.Constant[int]


@ct.kernel
def race(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))


@ct.kernel
def add(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)) + 1)


def factory():
    @ct.kernel
    def inner(c, T: Int):
        ct.store(c, (ct.bid(0),), ct.zeros((T,), ct.float32))
    return inner
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "kernels.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_page_is_written_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "kernels.py::race"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("race.html: in this launch ")
    assert "TC101: blocks 0 and 1 both write c[0]" in out
    assert (folder / "race.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_drawing_is_written_for_a_name_in_svg(folder: Path) -> None:
    assert main(["show", "kernels.py::add", "-o", "add.svg", "--grid", "4", "--set", "T=4", "--shape", "c=16"]) == 0
    assert (folder / "add.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_a_folder_and_a_part_of_a_name_are_accepted(folder: Path) -> None:
    assert main(["show", ".::inner", "-o", "inner.html"]) == 0
    assert (folder / "inner.html").exists()


def test_the_output_is_deterministic(folder: Path) -> None:
    texts = []
    for _ in range(2):
        assert main(["show", "kernels.py::race", "-o", "race.html"]) == 0
        texts.append((folder / "race.html").read_bytes())
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("arguments", "message"), [
    (["kernels.py::rade"], "error: there is no kernel 'rade' in kernels.py; there are: add, factory.inner, race; did "
                           "you mean 'race'?"),
    (["kernels.py"], "error: kernels.py has 3 kernels; name one as kernels.py::race; there are: add, factory.inner, "
                     "race"),
    (["nothing.py::race"], "error: nothing.py: no such file or directory"),
    (["kernels.py::add", "--set", "Q=4"], "error: --set Q=4: `add` has no number `Q`"),
    (["kernels.py::add", "--set", "T"], "error: --set T: write a name and a value, as in --set T=16"),
    (["kernels.py::add", "--set", "T=x"], "error: --set T: `x` is not a list of whole numbers"),
    (["kernels.py::add", "--shape", "d=4"], "error: --shape d=4: `add` has no array `d`"),
    (["kernels.py::add", "--shape", "a=4,4"], "error: --shape a=4,4: `a` has 1 axis"),
    (["kernels.py::add", "--grid", "1,2,3,4"], "error: --grid 1,2,3,4: a grid has at most three axes"),
    (["kernels.py::add", "--grid", "100"], "error: a picture shows at most 64 blocks, and this grid has 100: pass a "
                                           "smaller one, as in --grid 4,2"),
    (["kernels.py::add", "--shape", "a=99999"], "error: a picture shows at most 4096 elements of an array, and `a` has "
                                                "99999: pass smaller extents, as in --shape a=16, and smaller tiles"),
    (["kernels.py::add", "-o", "missing/add.html"], "error: missing/add.html: No such file or directory"),
    (["kernels.py::add", "--finding", "3"], "error: there is no finding 3 of this kernel: there are none"),
])
def test_impossible_requests_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str,
) -> None:
    assert main(["show", *arguments]) == 2
    assert capsys.readouterr().err.strip() == message


def test_a_file_that_cannot_be_parsed_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.py").write_text("def f(:\n", encoding="utf-8")
    assert main(["show", "broken.py::f"]) == 2
    assert capsys.readouterr().err.startswith("error: broken.py:1: ")
