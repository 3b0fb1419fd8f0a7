"""Kernels that host code may launch in code that is not followed.

Three cases each stand for an unknown launch: a launch in code that is not followed (a function that is passed to other
code, a partial application), a launch of a kernel from a lookup that cannot be followed, and a kernel that is passed to
other code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tilecheck.interp.host import launch_sites as record
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.kernel_escape import STORING, find_escaping_kernels
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.host.library import HARMLESS
from tilecheck.interp.host.methods import KERNEL_COPIES
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import Choice, Kernel, Thing, Value
from tilecheck.project.resolve import FunctionAt, ValueAt, dotted_parts
from tilecheck.project.skeleton import NODE_FIELDS, add_parts
from tilecheck.project.targets import ExternalName
from tilecheck.symbolic import TRUE
from tilecheck.syntax.tree import Span
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator
    from tilecheck.interp.host.launch_sites import Raw
    from tilecheck.interp.host.symbols import Symbols
    from tilecheck.project.module import Module
    from tilecheck.project.resolve import Origin

__all__ = ["unseen"]

_LAUNCH: Final = frozenset({"launch", *record.TUNERS})
_BLOCKS: Final = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
"""The fields of statements, handlers and cases with others in them."""
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_RUN: Final = (ast.expr, ast.withitem)
_KEPT: Final = (ast.Attribute, ast.Call)


def unseen(
    ev: Evaluator, module: Module, raws: Iterable[tuple[str, Symbols, Raw]],
) -> tuple[Launch, ...]:
    """One launch of each kernel that may be launched from the module without being seen."""
    found = set(ev.escaped)
    seen = [(r.site, _is_known(ev, symbols, r.kernel)) for _, symbols, r in raws if r.site.file == module.path]
    followed = {(site.line, site.column) for site, known in seen if known} - {
        (site.line, site.column) for site, known in seen if not known}
    statements, defaults, decorators = _code(module.skeleton.tree)
    launchers = _LAUNCH | {name for name, parts in module.mentions.aliases if parts[-1] in _LAUNCH}
    found |= _kernels(ev, module, defaults) | find_escaping_kernels(ev, module, launchers)
    given = [n for own in (*statements, decorators) for n in _handed_over(ev, module, own, launchers)]
    found |= _kernels(ev, module, given) | _launched_by(ev, module, _private_elsewhere(ev, module, given))
    text = module.code
    # of other letters some are read as these
    mentioned = not text.isascii() or any(name in text for name in launchers)
    for own in statements if mentioned else ():
        site = next((s for s in _sites(own, launchers) if not _is_followed(module, s, own, followed)), None)
        if site is None:
            continue
        found |= _within_reach(ev, module, own) or _within_reach(ev, module, [n for s in statements for n in s])
    somewhere = Span(module.path, 1, 0, 1, 0)
    return tuple(
        Launch((k.file, k.qualname), (None, None, None), None, TRUE, somewhere, "unseen", "", certain=False)
        for k in sorted(found, key=lambda k: (k.file, k.qualname)))


def _private_elsewhere(ev: Evaluator, module: Module, given: Iterable[ast.expr]) -> set[tuple[str, str]]:
    """Functions of other modules that code which is not seen may call. A public one is looked at where it stands."""
    found = set(ev.unfollowed)
    for name in given:
        parts = dotted_parts(name)
        target = None if parts is None else ev.project.resolver.chain(module, parts)
        if isinstance(target, FunctionAt):
            found.add((target.module.path, target.qualname))
    return {(path, name) for path, name in found if path != module.path and name.rpartition(".")[2].startswith("_")}


def _launched_by(ev: Evaluator, module: Module, functions: Iterable[tuple[str, str]]) -> set[Kernel]:
    """The kernels that functions name, or what they name does."""
    out: set[Kernel] = set()
    for path, name in sorted(functions):
        where = ev.project.module(path)
        definition = where.skeleton.definitions.get(name)
        if definition is not None:
            out |= _within_reach(ev, where, [n for n in walk(definition.node) if isinstance(n, ast.expr)])
    return out


def _is_known(ev: Evaluator, symbols: Symbols, kernel: Value) -> bool:
    """Whether the kernels of a launch are known, or are passed by callers, where the calls are seen."""
    options = [option for _, option in kernel.options] if isinstance(kernel, Choice) else [kernel]
    return all(tables.kernels(ev, o) or (isinstance(o, Thing) and o.name in symbols.given) for o in options)


def _binds_alias(node: ast.AST) -> bool:
    """Whether a statement only binds another name to the function that launches. The analysis follows this name."""
    return isinstance(node, ast.Assign) and _launches(node.value) and all(isinstance(t, ast.Name) for t in node.targets)


def _code(tree: ast.Module) -> tuple[list[list[ast.expr]], list[ast.expr], list[ast.expr]]:
    """The names, attributes and calls in three kinds of code: in the expressions of each statement, without inner
    statements; in defaults of parameters; in decorators. Decorators and annotations do not execute launches."""
    statements: list[list[ast.expr]] = []
    defaults: list[ast.expr] = []
    decorators: list[ast.expr] = []
    nodes: list[ast.AST] = list(tree.body)
    for node in nodes:  # statements, handlers and cases, which grow by those inside them
        own: list[ast.expr] = []
        definition = isinstance(node, _DEFINITIONS)
        skipped = definition or _binds_alias(node)
        for name in NODE_FIELDS[type(node)]:
            value = getattr(node, name, None)
            if name in _BLOCKS:
                nodes += value or ()
                continue
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, ast.AST):
                    inside = _below(part, defaults)
                    own += inside if isinstance(part, _RUN) and not skipped else ()
                    decorators += inside if definition else ()
        if own:
            statements.append(own)
    return statements, defaults, decorators


def _below(root: ast.AST, defaults: list[ast.expr]) -> list[ast.expr]:
    """The names, attributes and calls in a node that is not a statement. Adds defaults of parameters to `defaults`."""
    nodes: list[object] = [root]
    out: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.Name):
            out.append(node)
            continue
        if isinstance(node, _KEPT):
            out.append(node)
        elif isinstance(node, ast.arguments):
            for default in (*node.defaults, *node.kw_defaults):
                defaults += () if default is None else _below(default, [])
        for name in NODE_FIELDS.get(type(node), ()):  # `add_parts` inlined: its calls would take most of the time here
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += value
            elif value is not None:
                nodes.append(value)
    return out


def _handed_over(
    ev: Evaluator, module: Module, own: list[ast.expr], launchers: frozenset[str],
) -> Iterator[ast.expr]:
    """Names of the module that calls give to code that is not seen, also as a part of something."""
    for call in own:
        if isinstance(call, ast.Call) and not _launches(call.func, launchers):
            # whether code is seen takes longer to tell than that it is given nothing which the module names
            given = [n for n in _names((*call.args, *(k.value for k in call.keywords)))
                     if (parts := dotted_parts(n)) is not None and _may_be_global(module, parts[0])]
            if given and not _is_seen(ev, module, call.func):
                yield from given


def _names(values: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """The names of which values are made, and the names with dots: `kernels.k`; what calls inside them make of names is
    something else, unless it is a copy of a kernel."""
    nodes: list[object] = list(values)
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute):
            yield node
        elif isinstance(node, ast.Call):
            func = node.func
            nodes += [func.value] if isinstance(func, ast.Attribute) and func.attr in KERNEL_COPIES else ()
        else:
            add_parts(node, nodes)


def _is_seen(ev: Evaluator, module: Module, func: ast.expr) -> bool:
    """Whether the called function is followed, or launches none of its arguments."""
    if isinstance(func, ast.Name):
        target = ev.project.resolver.module_name(module, func.id)
        return not isinstance(target, ExternalName) or target.name.rpartition(".")[2] in HARMLESS
    if not isinstance(func, ast.Attribute):
        return True
    if func.attr in HARMLESS or func.attr in STORING:
        return True
    owner = ev.project.resolve(module, syntax(module).expr(func))
    return owner is not None and not isinstance(owner, ExternalName)


def _launches(node: ast.expr, names: frozenset[str] = _LAUNCH) -> bool:
    """Whether an expression is the function that launches, which the module knows by one of these names."""
    return (isinstance(node, ast.Attribute) and node.attr in _LAUNCH) or (
        isinstance(node, ast.Name) and node.id in names)


def _sites(own: list[ast.expr], names: frozenset[str]) -> Iterator[ast.expr]:
    """The expressions of a statement that are the function that launches."""
    for node in own:
        if isinstance(node, ast.Name):
            if node.id in names:
                yield node
        elif isinstance(node, ast.Attribute) and node.attr in _LAUNCH:
            yield node


def _is_followed(module: Module, site: ast.expr, own: list[ast.expr], followed: set[tuple[int, int]]) -> bool:
    call = next((n for n in own if isinstance(n, ast.Call) and n.func is site), None)
    if call is None:
        return False
    span = syntax(module).span(call)
    return (span.line, span.column) in followed


def _within_reach(ev: Evaluator, module: Module, nodes: Iterable[ast.expr]) -> set[Kernel]:
    """The kernels that expressions name, and those that functions and values do which they name, in any module."""
    found: set[Kernel] = set()
    seen: set[Origin] = set()
    chains = {parts: None for node in nodes if (parts := dotted_parts(node)) is not None}
    pending = [(module, parts) for parts in chains if _may_be_global(module, parts[0])]
    while pending:
        where, parts = pending.pop()
        origin = ev.project.resolver.chain(where, parts)
        if not isinstance(origin, FunctionAt | ValueAt) or origin in seen:
            continue
        seen.add(origin)
        value = ev.target_value(origin, "")
        if isinstance(value, Kernel):
            found.add(value)
        else:
            whole = origin.binding.value if isinstance(origin, ValueAt) else (
                origin.module.skeleton.definitions[origin.qualname].node)
            named = syntax(origin.module).chains(whole)
            pending += [(origin.module, inner) for inner in named if _may_be_global(origin.module, inner[0])]
    return found


def _kernels(ev: Evaluator, module: Module, nodes: Iterable[ast.expr]) -> set[Kernel]:
    """The kernels that expressions name."""
    chains = sorted({parts for n in nodes if (parts := dotted_parts(n)) is not None and _may_be_global(
        module, parts[0])})
    values = (ev.global_value(module, parts[0]) if len(parts) == 1 else _member(ev, module, parts) for parts in chains)
    return {v for v in values if isinstance(v, Kernel)}


def _member(ev: Evaluator, module: Module, parts: tuple[str, ...]) -> Value | None:
    """The meaning of a dotted name, in any module."""
    origin = ev.project.resolver.chain(module, parts)
    return ev.target_value(origin, parts[-1]) if isinstance(origin, FunctionAt | ValueAt) else None


def _may_be_global(module: Module, name: str) -> bool:
    """Whether a module may bind a name; a kernel is nothing else."""
    return bool(module.skeleton.stars) or name in module.skeleton.scopes[""]
