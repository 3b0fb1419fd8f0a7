"""A tree of files that import each other, and random edits of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

__all__ = ["OTHERS", "TREE", "edit", "write"]

TREE: Final[Mapping[str, str]] = {
    "pkg/__init__.py": "",
    "pkg/sizes.py": "WIDTH = 4\n\n\ndef width():\n    return WIDTH\n",
    "pkg/helpers.py": "from .sizes import WIDTH\n\n\ndef column(j):\n    return 0\n\n\ndef row(i):\n    return i\n",
    "pkg/hub.py": "from .helpers import *\nfrom .sizes import *\n",
    "pkg/kernels.py": """\
import cuda.tile as ct
from .hub import column, row
from . import sizes


@ct.kernel
def put(a, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, (row(i), column(j)), ct.load(a, (i, j), (T, T)))


# a comment above
@ct.kernel
def wide(a, c, S: ct.Constant[int]):
    i = ct.bid(0) * S + ct.arange(sizes.WIDTH, dtype=ct.int32)
    ct.scatter(c, i, ct.gather(a, i))


@ct.kernel
def alone(a, c, T: ct.Constant[int]):
    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))
""",
    "pkg/host.py": """\
import cuda.tile as ct
from .kernels import alone, wide
from .sizes import width


def run(stream, a, c):
    ct.launch(stream, (a.shape[0],), wide, (a, c, width()))
    start(stream, a, c)


def start(stream, a, c):
    ct.launch(stream, (ct.cdiv(a.shape[0], 16),), alone, (a, c, 16))
""",
    "main.py": "from pkg.host import run, start\n\n\ndef both(s, a, c):\n    run(s, a, c)\n    start(s, c, c)\n",
}
OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "pkg/sizes.py": ("WIDTH = 2\n\n\ndef width():\n    return WIDTH\n", "from .other import *\n", "WIDTH = (\n"),
    "pkg/helpers.py": ("def column(j):\n    return j\n\n\ndef row(i):\n    return i\n", "def row(i):\n    return i\n"),
    "pkg/hub.py": ("from .helpers import column, row\n", "from .other import *\nfrom .helpers import row\n"),
    "pkg/other.py": ("WIDTH = 8\n\n\ndef column(j):\n    return j\n", "", "__all__ = ['column']\nWIDTH = 3\n"),
    "unrelated.py": ("import os\n", "from pkg import kernels\nimport elsewhere\nelsewhere.use(kernels.alone)\n"),
    "pkg/__init__.py": ("from .kernels import put\n", "kernels = None\n"),
    "pkg/host.py": (TREE["pkg/host.py"].replace("16", "32"), TREE["pkg/host.py"].replace("def run", "def _run")),
    "pkg/helpers/__init__.py": ("def row(i):\n    return i // 2\n\n\ndef column(j):\n    return j\n",),
}
"""Contents that files may get, also files that are not there at first."""
REPLACED: Final = (("0", "1"), ("i", "j"), ("alone", "wide"), ("16", "8"), ("import", "import  "), ("def ", "def x"))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _comment(chance: random.Random, folder: Path, path: Path) -> None:
    path.write_text(path.read_text() + "# done\n")


def _line(chance: random.Random, folder: Path, path: Path) -> None:
    lines = path.read_text().split("\n")
    at = chance.randrange(len(lines))
    lines[at:at + 1] = chance.choice([["", lines[at]], [lines[at], "# more"], [], [lines[at], lines[at]]])
    path.write_text("\n".join(lines))


def _word(chance: random.Random, folder: Path, path: Path) -> None:
    before, after = chance.choice(REPLACED)
    path.write_text(path.read_text().replace(before, after, chance.choice((1, -1))))


def _content(chance: random.Random, folder: Path, path: Path) -> None:
    name = chance.choice(sorted(OTHERS))
    write(folder, {name: chance.choice(OTHERS[name])})


def _restore(chance: random.Random, folder: Path, path: Path) -> None:
    name = chance.choice(sorted(TREE))
    write(folder, {name: TREE[name]})


def _rename(chance: random.Random, folder: Path, path: Path) -> None:
    path.rename(path.with_name(f"{path.stem}_{chance.randrange(3)}.py"))


def _delete(chance: random.Random, folder: Path, path: Path) -> None:
    path.unlink()


EDITS: Final[tuple[Callable[[random.Random, Path, Path], None], ...]] = (
    _comment, _line, _line, _word, _word, _content, _content, _restore, _restore, _rename, _delete)


def edit(chance: random.Random, folder: Path) -> str:
    """Edit one file of a tree at random; the name of the edit."""
    paths = sorted(folder.rglob("*.py"))
    change = chance.choice(EDITS) if paths else _restore
    change(chance, folder, chance.choice(paths) if paths else folder)
    return change.__name__
