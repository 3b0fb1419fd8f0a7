"""A report with something of each kind, written by hand."""

from __future__ import annotations

from tilecheck.diagnostics import ContractClause, Diagnostic, Failure, KernelReport, Note, Obligation, Report
from tilecheck.symbolic import Scalar
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.syntax.tree import Span

FILE = "kernels/copy.py"

SOURCE = """\
import cuda.tile as ct


@ct.kernel
def copy(src, dst, T: ct.Constant[int]):
    i = ct.bid(0)
    tile = ct.load(src, (i,), (T,))
    ct.store(dst, (2 * i,), tile)
    ct.store(dst, (i + 1,), tile)
\tct.store(dst, (0,), "\u4e2d\u6587")
"""


def lines(path: str) -> list[str]:
    return SOURCE.split("\n") if path == FILE else []


def span(line: int, column: int, end_column: int, end_line: int | None = None, file: str = FILE) -> Span:
    return Span(file, line, column, end_line or line, end_column)


WITNESS = Witness(
    grid=(2, 1, 1),
    scalars=((Scalar("T"), 1),),
    first=BlockPoint((1, 0, 0), (), (("lane0", 0),)),
    second=BlockPoint((1, 0, 0), (("k@7", 2),), ()),
    element=(2,),
    data=(("ids[3]", 7),),
)

PAIR = Diagnostic(
    code="TC101",
    severity="error",
    message="two blocks write the same element of dst",
    span=span(9, 4, 33),
    kernel="copy",
    notes=(Note("the other write", span(8, 4, 33)), Note("equal values are no excuse")),
    help="let every block write its own tile",
    witness=WITNESS,
)

PLAIN = Diagnostic("TC102", "warning", "could not be proved", span(7, 11, 35), kernel="copy")

KERNEL = KernelReport(
    file=FILE,
    name="copy",
    line=5,
    verdict="refuted",
    contract=(ContractClause("grid[1] == 1", "structural", "open"),),
    obligations=(
        Obligation(
            "disjoint", 8, "dst", "proved", ("the index is the block",), span(8, 4, 33), ("direct",), ("grid[1] == 1",)
        ),
        Obligation("disjoint", 9, "dst", "refuted", ("they meet",), span(9, 4, 33), annotation="injective(src)"),
    ),
)

REPORT = Report((PLAIN, PAIR), (KERNEL,), (Failure("broken.py", "invalid syntax", 3),), files=2)
