"""The text report: source frames, witnesses in numbers, notes and help."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tilecheck.diagnostics import Compilation, CompiledLaunch, Diagnostic, KernelReport, Note, Report
from tilecheck.report.formats import View
from tilecheck.report.frame import Label, Sources, fits, gutter_width, render_frames
from tilecheck.report.places import cell_of, describe_place
from tilecheck.report.style import Style
from tilecheck.report.summary import (
    describe_compilation,
    describe_launches,
    render_statistics,
    render_summary,
)
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.syntax.tree import Span
from tilecheck.text.block_names import block_name, rank_of_grid

_WIDTH: Final = 100
"""The width of witnesses, notes and help. It is the same on every terminal, so that reports can be compared."""

_CODE: Final = re.compile(r'`[^`]*`|@requires\("[^"]*"\)')
_ALTERNATIVE: Final = re.compile(r"\([a-z]\) ")
_SPACE: Final = "\x00"


def render(view: View) -> str:
    """The report as text."""
    return render_text(view.report, view.sources, view.colour, view.verbosity, view.statistics)


def render_text(
    report: Report, sources: Sources, colour: bool = False, verbosity: int = 0, statistics: bool = False
) -> str:
    """The report. `verbosity` -1 omits the summary, 1 adds the proofs of each kernel."""
    style = Style(colour)
    blocks = [render_diagnostic(diagnostic, sources, style) for diagnostic in report.diagnostics]
    if verbosity > 0:
        blocks += [render_kernel(kernel, style) for kernel in report.kernels]
    if report.compilation is not None:
        blocks.append("\n".join(_list_compiled(report.compilation, verbosity, sources, style)))
    if statistics:
        blocks.append(render_statistics(report))
    if verbosity >= 0:
        blocks.append(render_summary(report))
        if report.compilation is not None:
            blocks[-1] += f"\n{describe_compilation(report.compilation)}"
    return "\n\n".join(block for block in blocks if block) + "\n" if any(blocks) else ""


def render_diagnostic(diagnostic: Diagnostic, sources: Sources, style: Style) -> str:
    """One finding."""
    labels = _labels(diagnostic)
    pad = " " * gutter_width(labels)
    span = diagnostic.span
    where = f" in {diagnostic.kernel}" if diagnostic.kernel else ""
    out = [
        style.severity(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
        + style.bold(f": {diagnostic.message}"),
        f"{pad}{style.gutter('-->')} {describe_place(span, sources)}{_number_line(span, sources)}{where}",
        *render_frames(labels, sources, style),
    ]
    for kind, paragraphs in _tail(diagnostic):
        first, *more = [line for text in paragraphs for line in _wrap(text)]
        out.append(f"{pad} {style.gutter('=')} {style.bold(kind)}: {first}")
        out += [f"{pad}   {' ' * len(kind)}  {line}" for line in more]
    return "\n".join(out)


def _list_compiled(
    compilation: Compilation, verbosity: int, sources: Sources, style: Style,
) -> Iterator[str]:
    """The files that were not imported, and the launches that are proved from Tile IR; all launches if verbose."""
    for file in compilation.uncompiled:
        yield f"{style.bold('note')}: {file.file}: not compiled: {file.why}"
    for launch in compilation.launches if verbosity >= 0 else ():
        proved = launch.verdict == "proved"
        if proved or verbosity > 0:
            words = "proved from Tile IR at this launch" if proved else _state(launch)
            yield f"{describe_place(launch.span, sources)}: {launch.kernel or 'unknown kernel'}: {words}"


def _state(launch: CompiledLaunch) -> str:
    state = launch.state if launch.verdict is None else f"{launch.verdict} from Tile IR"
    return f"{state}: {launch.why}" if launch.why else state


def _number_line(span: Span, sources: Sources) -> str:
    """For a notebook, the number that frames and messages give the line: they count through all code cells."""
    return "" if cell_of(span, sources) is None else f" (line {span.line} of its code)"


def _wrap(text: str) -> list[str]:
    """The lines of a paragraph. Code is not broken if it fits a line. Continued alternatives `(a) ...` are indented."""
    mark = _ALTERNATIVE.match(text)
    inward = " " * len(mark[0]) if mark else ""
    joined = _CODE.sub(lambda code: code[0].replace(" ", _SPACE) if len(code[0]) <= _WIDTH else code[0], text)
    return [line.replace(_SPACE, " ") for line in textwrap.wrap(
        joined, _WIDTH, subsequent_indent=inward)] or [""]


def _labels(diagnostic: Diagnostic) -> list[Label]:
    other = _other_access(diagnostic)
    here = [n.message for n in diagnostic.notes if n.span == diagnostic.span and n.origin and fits(n.message)]
    labels = [Label(diagnostic.span, ", ".join(filter(None, (_primary_text(diagnostic), *here))), True)]
    for note in diagnostic.notes:
        if note.span is not None and not (note.span == diagnostic.span and note.message in here):
            text = note.message if fits(note.message) else ""
            if note is other and diagnostic.witness is not None:
                text = ", ".join(filter(None, (text, f"block {_block(diagnostic.witness, diagnostic.witness.first)}")))
            labels.append(Label(note.span, text, False))
    return labels


def _primary_text(diagnostic: Diagnostic) -> str:
    witness = diagnostic.witness
    if witness is None:
        return ""
    if witness.first == witness.second:
        return f"block {_block(witness, witness.first)}"
    if _other_access(diagnostic) is None and witness.first.block != witness.second.block:
        return f"blocks {_block(witness, witness.first)} and {_block(witness, witness.second)}"
    return f"block {_block(witness, witness.second)}"


def _other_access(diagnostic: Diagnostic) -> Note | None:
    """The note about the other access of a pair: the first with a location other than the finding's."""
    return next((note for note in diagnostic.notes if note.span not in (None, diagnostic.span) and not note.origin),
                None)


def _tail(diagnostic: Diagnostic) -> Iterable[tuple[str, Sequence[str]]]:
    if diagnostic.witness is not None:
        yield "witness", witness_lines(diagnostic, diagnostic.witness)
    for note in diagnostic.notes:
        if note.span is None and not restates(note, diagnostic.witness):
            yield "note", note.message.splitlines() or [""]
        elif note.span is not None and not fits(note.message):
            yield "note", [f"line {note.span.line}: {note.message}"]
    if diagnostic.help:
        yield "help", diagnostic.help.splitlines()


def restates(note: Note, witness: Witness | None) -> bool:
    """Whether a report that prints the witness in numbers omits a note."""
    return witness is not None and note.restates


def witness_lines(diagnostic: Diagnostic, witness: Witness) -> list[str]:
    """A witness in numbers: the launch, the two blocks, and the element that both touch."""
    other = _other_access(diagnostic)
    line = diagnostic.span.line
    first_line = other.span.line if other is not None and other.span is not None else line
    values = "".join(f", {name} = {value}" for name, value in (*witness.scalars, *witness.data))
    if witness.first == witness.second:
        return [f"grid {_numbers(witness.grid)}{values}",
                f"line {line} in block {_point(witness, witness.first)} begins at element {witness.element[0]}"]
    return [
        f"grid {_numbers(witness.grid)}{values}",
        f"line {first_line} in block {_point(witness, witness.first)}",
        f"line {line} in block {_point(witness, witness.second)}",
        f"both touch element [{', '.join(map(str, witness.element))}]",
    ]


def _point(witness: Witness, point: BlockPoint) -> str:
    known = dict(point.variables)
    iterations = "".join(
        f", {name.partition('@')[0]} = {known[name]}" if name in known else
        f", iteration {value} of {name.partition('@')[0]}" for name, value in point.iterations)
    lanes = f", lane ({', '.join(str(value) for _, value in point.lanes)})" if point.lanes else ""
    return f"{_block(witness, point)}{iterations}{lanes}"


def _block(witness: Witness, point: BlockPoint) -> str:
    return block_name(point.block, witness.rank or rank_of_grid(witness.grid))


def _numbers(values: Sequence[int]) -> str:
    return f"({', '.join(map(str, values))})"


def render_kernel(kernel: KernelReport, style: Style) -> str:
    """The results for one kernel: its contract and each of its obligations."""
    out = [style.bold(f"{kernel.file}:{kernel.line}: kernel {kernel.name}: {kernel.verdict}")]
    out += [f"  requires {clause.clause}  ({clause.kind}, {clause.state})" for clause in kernel.contract]
    out += [f"  {line}" for line in describe_launches(kernel)]
    for obligation in kernel.obligations:
        out.append(f"  line {obligation.line}: {obligation.kind} {obligation.array}: {obligation.verdict}")
        out += [f"    {step}" for step in obligation.steps]
        if obligation.annotation:
            out.append(f"    would be proved by: {obligation.annotation}")
    return "\n".join(out)
