"""`tilecheck audit`: every suppression, and every declared contract that nothing checks."""

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
from tilecheck.cli.options import add_settings
from tilecheck.config import Config, ConfigError
from tilecheck.pipeline.policy import count_suppressed
from tilecheck.pipeline.results import Analysis, KernelFindings, OptOut
from tilecheck.project.escapes import Escape, escapes
from tilecheck.text.plural import pluralize

__all__ = ["Entry", "audit", "command"]

Kind: TypeAlias = Literal["opt-out", "contract", "setting"]

_UNCHECKED: Final = ("no launch of the kernel is seen: launch it through the runtime, which checks the contract, or "
                     "also check the files that launch it")
_OPEN: Final = "the seen launches neither satisfy nor break it; `tilecheck_runtime.launch` checks it at each launch"
_DATA: Final = "the clause is about data: `tilecheck run` checks it when the kernel runs"


class Entry(Struct, frozen=True):
    """One line of the audit. Lines count from 1; settings have none.

    what        the text of the author
    reason      the author's reason, "" if there is none; for a contract, the way to get it checked
    suppresses  code and number of the findings that a suppression hides
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
@add_settings
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--max", "most", type=click.IntRange(min=0), metavar="N",
              help="Exit with 1 if there are more suppressions and unchecked contracts than this.")
def command(paths: tuple[str, ...], output_format: str, most: int | None, **given: Any) -> int:
    """List all suppressions with their reasons, and the declared contracts that nothing checks.

    Exit status: 0, or 1 if there are more than `--max` allows; 2 if a file could not be read.
    """
    places = paths or (".",)
    config = load_settings(places, given)
    analysis, entries = audit(places, config)
    render = _render_json if output_format == "json" else _render_text
    click.echo(render(entries), nl=False)
    for failure in analysis.failures:
        click.echo(f"error: {failure.file}: {failure.message}", err=True)
    if analysis.failures:
        return EXIT_ABNORMAL
    count = _count_limited(entries)
    if most is not None and count > most:
        click.echo(f"error: {count} suppressions and unchecked contracts; the limit is {most}", err=True)
        return EXIT_FINDINGS
    return EXIT_CLEAN


def audit(paths: Sequence[str], config: Config) -> tuple[Analysis, tuple[Entry, ...]]:
    """The analysis of paths, and the entries of the audit by file and line; settings come last."""
    from tilecheck.pipeline.run import analyse_paths, discover_files

    try:
        analysis = analyse_paths(paths, config)
        files = discover_files(paths, config).files
    except ConfigError as error:
        raise UsageError(str(error)) from error
    counts = count_suppressed(analysis, config)
    entries = [_suppression_entry(o, counts.get(o, {})) for o in analysis.opt_outs]
    entries += [_escape_entry(e) for file in files for e in escapes(file)]
    entries += [e for kernel in analysis.kernels for e in _contract_entries(kernel)]
    ordered = sorted(entries, key=lambda e: (e.file, e.line, e.kind, e.what))
    return analysis, (*ordered, *_setting_entries(config))


def _suppression_entry(opt_out: OptOut, counts: Mapping[str, int]) -> Entry:
    span = opt_out.span
    return Entry("opt-out", span.file, span.line, opt_out.what.strip("`"), opt_out.reason.strip(), opt_out.kernel,
                 tuple(sorted(counts.items())))


def _escape_entry(escape: Escape) -> Entry:
    return Entry("opt-out", escape.file, escape.line, escape.what, escape.reason)


def _contract_entries(kernel: KernelFindings) -> Iterator[Entry]:
    """Declared clauses that neither a seen launch nor the runtime checks."""
    report = kernel.report
    seen = any(clause.state in ("discharged", "broken", "open") for clause in report.contract)
    for clause in report.contract:
        if clause.state == "declared" and (clause.kind == "annotation" or not kernel.guarded):
            why = _DATA if clause.kind == "annotation" else _OPEN if seen else _UNCHECKED
            yield Entry("contract", report.file, report.line, clause.clause, why, report.name)


def _setting_entries(config: Config) -> Iterator[Entry]:
    """Rules and files that the configuration excludes."""
    where = str(config.root)
    if config.select != ("ALL",):
        yield Entry("setting", where, 0, f"select = {list(config.select)}", "")
    if config.ignore:
        yield Entry("setting", where, 0, f"ignore = {list(config.ignore)}", "")
    if config.exclude:
        yield Entry("setting", where, 0, f"exclude = {list(config.exclude)}", "")
    for pattern, rules in config.per_file_ignores:
        yield Entry("setting", where, 0, f"per-file-ignores: {pattern} = {list(rules)}", "")


def _count_limited(entries: Iterable[Entry]) -> int:
    """The number of entries that `--max` limits."""
    return sum(entry.kind != "setting" for entry in entries)


_TITLES: Final[dict[Kind, str]] = {
    "opt-out": "Suppressions",
    "contract": "Declared contracts that nothing checks",
    "setting": "Excluded by settings",
}


def _render_text(entries: Sequence[Entry]) -> str:
    blocks = []
    for kind, title in _TITLES.items():
        group = [entry for entry in entries if entry.kind == kind]
        if group:
            lines = [line for entry in _merge_clauses(group) for line in _lines(entry)]
            blocks.append("\n".join([f"{title} ({len(group)})", *lines]))
    opt_outs = sum(entry.kind == "opt-out" for entry in entries)
    silent = sum(entry.kind == "opt-out" and not entry.reason for entry in entries)
    contracts = sum(entry.kind == "contract" for entry in entries)
    blocks.append(f"{pluralize(opt_outs, 'suppression')}, {silent} without a reason; "
                  f"{pluralize(contracts, 'declared clause')} that nothing checks")
    return "\n\n".join(blocks) + "\n"


def _lines(entry: Entry) -> Iterator[str]:
    place = f"{Path(entry.file)}:{entry.line}" if entry.line else entry.file
    kernel = f" of {entry.kernel}" if entry.kernel else ""
    hides = ", ".join(f"{code} {count}x" if count > 1 else code for code, count in entry.suppresses)
    yield f"  {place}: {entry.what}{kernel}"
    if entry.kind != "setting":
        yield f"      {entry.reason or 'no reason given'}"
    if hides:
        yield f"      suppresses {hides}"


def _merge_clauses(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries, with the clauses of one kernel that need the same check merged into one."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        alone = entry.what if entry.kind != "contract" else ""
        groups.setdefault((entry.file, entry.line, entry.kernel, entry.reason, alone), []).append(entry)
    for group in groups.values():
        yield replace(group[0], what="; ".join(dict.fromkeys(entry.what for entry in group)))


def _render_json(entries: Sequence[Entry]) -> str:
    rendered = [{**asdict(e), "suppresses": dict(e.suppresses)} for e in entries]
    return json.dumps({"entries": rendered, "count": _count_limited(entries)}, indent=2, ensure_ascii=False) + "\n"
