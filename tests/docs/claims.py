"""Which blocks of which pages are executed by a test of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.docs.markdown import ROOT, Block

__all__ = ["CLAIMS", "Claim", "is_claimed", "key"]


@dataclass(frozen=True)
class Claim:
    """The blocks of a page that a test module of this folder executes.

    languages  all blocks in these languages
    marks      patterns of comments; blocks right below such a comment
    """

    module: str
    languages: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()


_CONSOLE: Final = Claim("test_console_pages", ("console",), (r"file \S+",))

CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "README.md": (Claim("test_readme", marks=("run", "output", "output of run", "test")),),
    "docs/README.md": (_CONSOLE,),
    "docs/adoption.md": (_CONSOLE, Claim("test_console_pages", marks=("hooks",))),
    "docs/cuda-tile.md": (Claim("test_console_pages", ("console",)),),
    "docs/dialect.md": (Claim("test_dialect_page", marks=("kernels", "launch", "launched", "script", "output")),),
    "docs/editors.md": (Claim("test_editors_page", marks=("vscode", "neovim", "helix")),),
    "docs/explain.md": (Claim("test_explain_page", ("console",), (r"file: \S+",)),),
    "docs/extending.md": (_CONSOLE,),
    "docs/first-kernels.md": (_CONSOLE,),
    "docs/first-ownership.md": (_CONSOLE,),
    "docs/fixes.md": (Claim("test_fixes_page", ("python",)),),
    "docs/formats.md": (_CONSOLE, Claim("test_console_pages", marks=("workflow",))),
    "docs/gpu.md": (Claim("test_gpu_page", marks=("script build", "output build", "command build")),),
    "docs/json-schema.md": (_CONSOLE,),
    "docs/migrate.md": (Claim("test_migrate_page", ("python",)),),
    "docs/mypy.md": (Claim("test_mypy_page", ("python", "text")),),
    "docs/not-proved.md": (_CONSOLE,),
    "docs/runtime.md": (Claim("test_runtime_page", marks=(r"script \w+", r"output \w+")),),
    "docs/sanitizer.md": (Claim("test_sanitizer_page", marks=("script", "output", "operations")),),
    "docs/show.md": (Claim("test_show_page", ("console",), (r"file: \S+",)),),
    "docs/tutorial.md": (_CONSOLE,),
    "docs/types.md": (Claim("test_types_page", ("python",)),),
}
"""By the path of the page. All other blocks are for `tests/docs/test_every_block.py`."""


def key(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def is_claimed(page: Path, block: Block) -> bool:
    """Whether a test of the page executes the block."""
    mark = re.fullmatch(r"<!-- (.+) -->", block.before)
    return any(
        block.language in claim.languages or (mark is not None and any(re.fullmatch(m, mark[1]) for m in claim.marks))
        for claim in CLAIMS.get(key(page), ()))
