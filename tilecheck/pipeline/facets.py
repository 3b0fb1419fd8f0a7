"""The parts of a file that keys name, as plain values, and their digests.

Positions are part of each value: findings name lines. The comments that end a file move nothing and belong to `file`
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.pipeline.cache import digest
from tilecheck.pipeline.reads import Key
from tilecheck.project.skeleton import binding_facts
from tilecheck.syntax.text import SourceError

if TYPE_CHECKING:
    from tilecheck.project.module import Module

__all__ = ["facet_digest"]


def facet_digest(module: Module, key: Key) -> str:
    """The digest of the part of a file that a key names. Two versions of a file with equal digests give equal
    results to a unit that reads only this part.

    The kinds `import` and `launching` depend on other files: see `RecordingProject.digest`.
    """
    try:
        value = _FACETS[key.kind](module, key.what)
    except SourceError as error:
        value = "broken", str(error)
    return digest(value if isinstance(value, bytes) else repr(value))


def _file(module: Module, what: str) -> object:
    return module.data


def _code(module: Module, what: str) -> object:
    try:
        code: object = module.code
    except SourceError:
        code = module.data
    return (module.name, module.is_package, module.may_matter, module.may_own, module.may_launch,
            module.names_runtime, code)


def _name(module: Module, what: str) -> object:
    skeleton = module.skeleton
    bounds = tuple(binding_facts(skeleton, bound) for bound in skeleton.scopes[""].get(what, ()))
    return module.name, module.is_package, bounds


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


_FACETS: Final[Mapping[str, Callable[[Module, str], object]]] = {
    "file": _file, "code": _code, "name": _name, "stars": _stars, "function": _function, "class": _class,
}
