"""Where authors take responsibility: `# tilecheck: allow[...]` comments and decorators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.pipeline.results import OptOut
from tilecheck.project.module import KernelSite, Module
from tilecheck.project.ours import is_ours
from tilecheck.project.project import Project
from tilecheck.project.suppressions import Suppression, suppressions
from tilecheck.syntax.tree import Call, Constant, Expr, Span


def opt_outs_of_file(module: Module, sites: Sequence[KernelSite]) -> Iterator[OptOut]:
    """The `# tilecheck: allow[...]` comments of a file."""
    for found in suppressions(module):
        kernel = next((site.qualname for site in sites if _is_above(found, site, module)), None)
        what = f"`# tilecheck: allow[{', '.join(found.codes)}]`"
        span = Span(found.file, found.line, found.column, found.line, found.end_column)
        yield OptOut(what, span, found.codes or ("",), found.reason, (found.first_line, found.last_line), kernel)


def _is_above(found: Suppression, site: KernelSite, module: Module) -> bool:
    definition = site.definition
    decorators = [decorator.span.line for decorator in definition.decorators]
    first = min(decorators, default=definition.name_span.line)
    return found.scope == "definition" and site.module is module and found.first_line == first


def opt_outs_of_kernel(project: Project, site: KernelSite) -> Iterator[OptOut]:
    """The `@unsafe` decorators of a kernel."""
    for decorator in site.decorators:
        applied = decorator.func if isinstance(decorator, Call) else decorator
        if is_ours(project, site, applied, "unsafe"):
            yield OptOut("`@unsafe`", decorator.span, (), _reason(decorator), kernel=site.qualname)


def denies_residual(project: Project, site: KernelSite) -> bool:
    """Whether a kernel has the `@deny_residual` decorator."""
    return any(is_ours(project, site, decorator, "deny_residual") for decorator in site.decorators)


def _reason(decorator: Expr) -> str:
    if not isinstance(decorator, Call):
        return ""
    given = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
    texts = [value.value if isinstance(value, Constant) else "computed" for value in given]
    return next((text for text in texts if isinstance(text, str)), "")
