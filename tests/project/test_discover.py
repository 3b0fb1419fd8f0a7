"""Which files are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilecheck.project.discover import discover


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.py", "b/c.py", "b/d.pyi", "b/data.txt", "build/e.py", ".venv/f.py", "b/gen/g.py", "b/gen/keep.py",
                 "node_modules/x/h.py", "b/.hidden/i.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*paths: str, exclude: tuple[str, ...] = (), gitignore: bool = True) -> list[str]:
    found = discover(paths, exclude=exclude, respect_gitignore=gitignore)
    assert not found.errors
    return [file.as_posix() for file in found.files]


def test_directories(tree: Path) -> None:
    assert names(".") == ["a.py", "b/.hidden/i.py", "b/c.py", "b/gen/g.py", "b/gen/keep.py"]
    assert names("b", "a.py", "./a.py", "b/c.py") == ["a.py", "b/.hidden/i.py", "b/c.py", "b/gen/g.py", "b/gen/keep.py"]


def test_named_files_are_always_checked(tree: Path) -> None:
    assert names("b/d.pyi", "build/e.py", exclude=("*",)) == ["b/d.pyi", "build/e.py"]


def test_a_default_exclude_that_is_given_is_entered(tree: Path) -> None:
    assert names("build") == ["build/e.py"]
    assert names(str(tree / ".venv")) == [(tree / ".venv/f.py").as_posix()]


@pytest.mark.parametrize(("patterns", "expected"), [
    (("gen",), ["a.py", "b/.hidden/i.py", "b/c.py"]),
    (("b/",), ["a.py"]),
    (("*.py", "!a.py"), ["a.py"]),
    (("/a.py", "**/gen/*.py"), ["b/.hidden/i.py", "b/c.py"]),
])
def test_exclude(tree: Path, patterns: tuple[str, ...], expected: list[str]) -> None:
    assert names(".", exclude=patterns) == expected


def test_gitignore(tree: Path) -> None:
    (tree / ".gitignore").write_text("**/gen/*\n.hidden/\n")
    (tree / "b" / ".gitignore").write_text("!gen/keep.py\nc.py\n")
    assert names(".") == ["a.py", "b/gen/keep.py"]
    assert "b/c.py" in names(".", gitignore=False)


def test_gitignore_above_the_given_directory(tree: Path) -> None:
    (tree / ".gitignore").write_text("c.py\n/b/gen/\n")
    assert "b/c.py" in names("b")  # no repository: what stands above does not count
    (tree / ".git").mkdir()
    assert names("b") == ["b/.hidden/i.py"]
    assert names("b/gen") == ["b/gen/g.py", "b/gen/keep.py"]  # ignored, but asked for


def test_links_do_not_loop(tree: Path) -> None:
    (tree / "b" / "loop").symlink_to(tree, target_is_directory=True)
    (tree / "b" / "link.py").symlink_to(tree / "a.py")
    assert names("b") == ["b/.hidden/i.py", "b/c.py", "b/gen/g.py", "b/gen/keep.py", "b/link.py"]


def test_missing_path(tree: Path) -> None:
    found = discover(["nothing", "a.py"])
    assert [(error.file, error.message) for error in found.errors] == [("nothing", "no such file or directory")]
    assert [file.as_posix() for file in found.files] == ["a.py"]
