"""Kernels to fix, and short ways to fix them."""

from __future__ import annotations

from tilecheck.api import check_source
from tilecheck.cli.editable_files import tree_of_text
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.apply.run import Fixed, fix_tree
from tilecheck.repair.edits import Edit, Fix, apply_edits
from tilecheck.repair.fixers.registry import fixes_for
from tilecheck.syntax.tree import Span

HEAD = "import cuda.tile as ct\n\nInt = ct.Constant[int]\n\n\n@ct.kernel\n"
SETTINGS = Config(use_cache=False)


def kernel(body: str, parameters: str) -> str:
    """A file with one kernel, of the statements of `body`."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f"{HEAD}def k({parameters}):\n{lines}"


def propose_useless(text: str, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """A fix of TC101 that leaves the finding where it is: another divisor of the index."""
    at = [(number, line.find("// 2")) for number, line in enumerate(text.split("\n"), 1) if "// 2" in line]
    edits = tuple(Edit(Span(diagnostic.span.file, n, c, n, c + 4), "// 3") for n, c in at)
    return (Fix("TC101", "divide by 3", "unsafe", edits),) if diagnostic.code == "TC101" else ()


def findings(text: str, code: str) -> tuple[Diagnostic, ...]:
    report = check_source(text, "k.py", SETTINGS)
    assert report.failures == ()
    return tuple(d for d in report.diagnostics if d.code == code)


def options(text: str, code: str) -> tuple[Fix, ...]:
    """The fixes for the only finding of a rule."""
    (finding,) = findings(text, code)
    return fixes_for(text, finding)


def lines_changed(text: str, fix: Fix) -> list[str]:
    """The lines that a fix makes new, stripped."""
    before = text.split("\n")
    return [line.strip() for line in apply_edits(text, fix.edits).split("\n") if line not in before]


def fix_text(text: str, unsafe: bool = True) -> Fixed:
    return fix_tree(tree_of_text(text.encode(), "k.py", SETTINGS), unsafe)


def text_of(outcome: Fixed, before: str) -> str:
    return outcome.contents.get("k.py", before.encode()).decode()
