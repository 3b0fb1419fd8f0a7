"""`tilecheck run`: runs a script under the sanitizer."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from types import TracebackType
from typing import Final

import click

from tilecheck_runtime.hooks.install import cpu_launches
from tilecheck_runtime.sanitizer.report import Report
from tilecheck_runtime.sanitizer.session import session

__all__ = ["command", "run_script"]

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_ABNORMAL: Final = 2


@click.command(name="run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--seed", type=int, default=0, show_default=True, help="Shuffles the order of blocks.")
@click.option("--in-order", is_flag=True, help="Run blocks in order, axis 0 fastest.")
@click.option("--replay", is_flag=True, help="Run a launch that races twice, to name every pair of lines that does.")
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module.")
@click.option("--format", "output_format", type=click.Choice(["text", "concise", "json"]), default="text",
              show_default=True)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(seed: int, in_order: bool, replay: bool, module: bool, output_format: str, exit_zero: bool, script: str,
            arguments: tuple[str, ...]) -> int:
    """Run SCRIPT on the CPU and report what its kernels do wrong.

    Every `ct.launch` in it runs on NumPy arrays, or on torch tensors that live on the CPU. Findings are printed to
    standard error when the script has ended, or was interrupted.

    Exit status: 0 when nothing was found, 1 when something was, 2 when the script failed.
    """
    failed, report = run_script(script, arguments, module, None if in_order else seed, replay)
    click.echo(_render_report(report, output_format), nl=False, err=True, color=True)
    if failed:
        return EXIT_ABNORMAL
    return EXIT_FINDINGS if report.events and not exit_zero else EXIT_CLEAN


def run_script(script: str, arguments: tuple[str, ...], module: bool = False,
               seed: int | None = 0, replay: bool = False) -> tuple[bool, Report]:
    """Runs a script as `__main__`. Returns whether it failed, after printing its traceback, and the report."""
    before, path = sys.argv, list(sys.path)
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.getcwd() if module else os.path.dirname(os.path.abspath(script)))
    failed = False
    with session(seed, replay) as found, cpu_launches():
        try:
            if module:
                runpy.run_module(script, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(script, run_name="__main__")
        except SystemExit as stop:
            failed = stop.code not in (None, 0)
            if isinstance(stop.code, str):
                click.echo(stop.code, err=True)
        except (Exception, KeyboardInterrupt) as error:
            traceback.print_exception(error.with_traceback(_of_script(error.__traceback__)))
            failed = True
        finally:
            sys.argv, sys.path[:] = before, path
        return failed, found.report()


def _of_script(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without what ran the script."""
    rest = trace
    while rest is not None and rest.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
        rest = rest.tb_next
    return trace if rest is None else rest


def _render_report(report: Report, output_format: str) -> str:
    if output_format == "text":
        from tilecheck.report.style import wants_colour

        return report.render(wants_colour(sys.stderr))
    from tilecheck.diagnostics import Report as Findings
    from tilecheck_runtime.sanitizer.render import diagnostic

    findings = Findings(tuple(diagnostic(event) for event in report.events), (), ())
    if output_format == "json":
        from tilecheck.report.json import render_json

        return render_json(findings)
    from tilecheck.report.concise import render_concise

    return render_concise(findings)
