"""Whether a part of a file is still what it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

from tilecheck.project.module import Module
from tilecheck.project.skeleton import Binding, ClassBinding, FunctionBinding, ImportBinding, Skeleton, ValueBinding
from tilecheck.server.analysis.reads import Key, Kind
from tilecheck.syntax.text import SourceError

__all__ = ["changed"]


def changed(key: Key, before: Module, after: Module) -> bool:
    """Whether what a key names is another thing in `after`, places included: what was said of it names lines."""
    try:
        return _PARTS[key.kind](before, key.what) != _PARTS[key.kind](after, key.what)
    except SourceError:
        return True


def _file(module: Module, what: str) -> object:
    return module.data


def _name(module: Module, what: str) -> object:
    skeleton = module.skeleton
    return tuple(
        (bound.conditional, _binding(skeleton, bound.binding)) for bound in skeleton.scopes[""].get(what, ()))


def _binding(skeleton: Skeleton, binding: Binding) -> object:
    match binding:
        case ImportBinding(dotted, level):
            return ("import", dotted, level)
        case FunctionBinding(qualname):
            return ("function", qualname)
        case ClassBinding(qualname):
            return ("class", qualname, tuple(name for name in skeleton.definitions if name.startswith(f"{qualname}.")))
        case ValueBinding(value=value, path=path):
            return ("value", path, ast.dump(value, include_attributes=True))
    return "opaque"


def _stars(module: Module, what: str) -> object:
    return module.is_package, module.skeleton.stars


def _function(module: Module, what: str) -> object:
    """Its lines with the comments above it, and where they stand."""
    definition = module.skeleton.definitions.get(what)
    if definition is None:
        return None
    root = module.skeleton.definitions[definition.outer[0]] if definition.outer else definition
    own = _comments(module, definition.first_line, definition.above)
    return (definition.outer, definition.owner, definition.first_line, own,
            _comments(module, root.first_line, root.above),
            module.lines[definition.first_line - 1 : definition.end_line])


def _class(module: Module, what: str) -> object:
    known = module.skeleton.classes.get(what)
    if known is None:
        return None
    node, above = known
    first = min((decorator.lineno for decorator in node.decorator_list), default=node.lineno)
    return first, _comments(module, first, above), module.lines[first - 1 : node.end_lineno or node.lineno]


def _comments(module: Module, first: int, above: int) -> tuple[str, ...]:
    start = first
    while start - 1 > above and module.lines[start - 2].lstrip().startswith("#"):
        start -= 1
    return module.lines[start - 1 : first - 1]


def _import(module: Module, what: str) -> object:
    return None  # which file is meant depends on which files there are, not on what they say


_PARTS: Final[Mapping[Kind, Callable[[Module, str], object]]] = {
    "file": _file, "name": _name, "stars": _stars, "function": _function, "class": _class, "import": _import,
}
