"""`tilecheck audit`: every place where somebody takes responsibility, and every contract that nothing checks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import click
from msgspec import Struct
from msgspec.structs import asdict, replace

from tilecheck.cli.configure import load_settings
from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, EXIT_FINDINGS, UsageError
from tilecheck.cli.options import settings
from tilecheck.config import Config, ConfigError
from tilecheck.pipeline.policy import suppressed
from tilecheck.pipeline.results import Analysis, KernelFindings, OptOut
from tilecheck.project.escapes import Escape, escapes
from tilecheck.text.plural import counted

__all__ = ["Entry", "audit", "command"]

Kind: TypeAlias = Literal["opt-out", "contract", "setting"]

_UNCHECKED: Final = ("no launch of it is seen: launch it through the runtime, which checks the contract, or check the "
                     "files that launch it, too")
_OPEN: Final = "the launches that are seen neither fulfil nor break it; `tilecheck_runtime.launch` checks it at each"
_DATA: Final = "it is about data: `tilecheck run` checks it where the kernel runs"


class Entry(Struct, frozen=True):
    """One line of the audit. Lines count from 1; settings have none.

    what        as the author wrote it
    reason      the author's, "" when there is none; of a contract what would check it
    suppresses  how many findings of which code, for opt-outs from findings
    """

    kind: Kind
    file: str
    line: int
    what: str
    reason: str
    kernel: str | None = None
    suppresses: tuple[tuple[str, int], ...] = ()


@click.command(name="audit")
@click.argument("paths", nargs=-1, metavar="[PATHS]...", type=click.Path())
@settings
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--max", "most", type=click.IntRange(min=0), metavar="N",
              help="Exit with 1 when there are more opt-outs and unchecked contracts than this.")
def command(paths: tuple[str, ...], output_format: str, most: int | None, **given: Any) -> int:
    """List all opt-outs with their reasons, and the declared contracts that nothing checks.

    Exit status: 0, or 1 when there are more than `--max` allows; 2 when a file could not be read.
    """
    places = paths or (".",)
    config = load_settings(places, given)
    analysis, entries = audit(places, config)
    render = _json if output_format == "json" else _text
    click.echo(render(entries), nl=False)
    for failure in analysis.failures:
        click.echo(f"error: {failure.file}: {failure.message}", err=True)
    if analysis.failures:
        return EXIT_ABNORMAL
    count = len(_counted(entries))
    if most is not None and count > most:
        click.echo(f"error: {count} opt-outs and unchecked contracts, of at most {most}", err=True)
        return EXIT_FINDINGS
    return EXIT_CLEAN


def audit(paths: Sequence[str], config: Config) -> tuple[Analysis, tuple[Entry, ...]]:
    """The analysis of paths, and what is to be answered for in them, by file and line; settings come last."""
    from tilecheck.pipeline.run import analyse_paths, discovered

    try:
        analysis = analyse_paths(paths, config)
        files = discovered(paths, config).files
    except ConfigError as error:
        raise UsageError(str(error)) from error
    counts = suppressed(analysis, config)
    entries = [_of_opt_out(o, counts.get(o, {})) for o in analysis.opt_outs]
    entries += [_of_escape(e) for file in files for e in escapes(file)]
    entries += [e for kernel in analysis.kernels for e in _of_contract(kernel)]
    ordered = sorted(entries, key=lambda e: (e.file, e.line, e.kind, e.what))
    return analysis, (*ordered, *_of_settings(config))


def _of_opt_out(opt_out: OptOut, counts: Mapping[str, int]) -> Entry:
    span = opt_out.span
    return Entry("opt-out", span.file, span.line, opt_out.what.strip("`"), opt_out.reason.strip(), opt_out.kernel,
                 tuple(sorted(counts.items())))


def _of_escape(escape: Escape) -> Entry:
    return Entry("opt-out", escape.file, escape.line, escape.what, escape.reason)


def _of_contract(kernel: KernelFindings) -> Iterator[Entry]:
    """Clauses that the author declared, and that neither a launch in sight nor the runtime checks."""
    report = kernel.report
    seen = any(clause.state in ("discharged", "broken", "open") for clause in report.contract)
    for clause in report.contract:
        if clause.state == "declared" and (clause.kind == "annotation" or not kernel.guarded):
            why = _DATA if clause.kind == "annotation" else _OPEN if seen else _UNCHECKED
            yield Entry("contract", report.file, report.line, clause.clause, why, report.name)


def _of_settings(config: Config) -> Iterator[Entry]:
    """Rules and files that the configuration leaves out."""
    where = str(config.root)
    if config.select != ("ALL",):
        yield Entry("setting", where, 0, f"select = {list(config.select)}", "")
    if config.ignore:
        yield Entry("setting", where, 0, f"ignore = {list(config.ignore)}", "")
    if config.exclude:
        yield Entry("setting", where, 0, f"exclude = {list(config.exclude)}", "")
    for pattern, rules in config.per_file_ignores:
        yield Entry("setting", where, 0, f"per-file-ignores: {pattern} = {list(rules)}", "")


def _counted(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind != "setting"]


_TITLES: Final[dict[Kind, str]] = {
    "opt-out": "Opt-outs",
    "contract": "Declared contracts that nothing checks",
    "setting": "Left out by settings",
}


def _text(entries: Sequence[Entry]) -> str:
    blocks = []
    for kind, title in _TITLES.items():
        group = [entry for entry in entries if entry.kind == kind]
        if group:
            lines = [line for entry in _of_one_kernel(group) for line in _lines(entry)]
            blocks.append("\n".join([f"{title} ({len(group)})", *lines]))
    opt_outs = sum(entry.kind == "opt-out" for entry in entries)
    silent = sum(entry.kind == "opt-out" and not entry.reason for entry in entries)
    contracts = sum(entry.kind == "contract" for entry in entries)
    blocks.append(f"{counted(opt_outs, 'opt-out')}, {silent} without a reason; "
                  f"{counted(contracts, 'declared clause')} that nothing checks")
    return "\n\n".join(blocks) + "\n"


def _lines(entry: Entry) -> Iterator[str]:
    place = f"{Path(entry.file)}:{entry.line}" if entry.line else entry.file
    kernel = f" of {entry.kernel}" if entry.kernel else ""
    hides = ", ".join(f"{code} {count}x" if count > 1 else code for code, count in entry.suppresses)
    yield f"  {place}: {entry.what}{kernel}"
    if entry.kind != "setting":
        yield f"      {entry.reason or 'no reason is given'}"
    if hides:
        yield f"      suppresses {hides}"


def _of_one_kernel(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Clauses of one kernel that wait for the same check on one line."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        alone = entry.what if entry.kind != "contract" else ""
        groups.setdefault((entry.file, entry.line, entry.kernel, entry.reason, alone), []).append(entry)
    for group in groups.values():
        yield replace(group[0], what="; ".join(dict.fromkeys(entry.what for entry in group)))


def _json(entries: Sequence[Entry]) -> str:
    made = [{**asdict(e), "suppresses": dict(e.suppresses)} for e in entries]
    return json.dumps({"entries": made, "count": len(_counted(entries))}, indent=2, ensure_ascii=False) + "\n"
