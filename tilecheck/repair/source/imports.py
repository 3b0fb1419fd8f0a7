"""An import of a name of ours where a file has none."""

from __future__ import annotations

from typing import Final

import libcst as cst

from tilecheck.repair.edits import Edit
from tilecheck.repair.source.tree import Source, get_dotted_name
from tilecheck.syntax.tree import Span

__all__ = ["import_edit"]

_PACKAGES: Final = ("tilecheck", "tilecheck.decorators", "tilecheck_runtime")


def import_edit(source: Source, name: str) -> tuple[str | None, tuple[Edit, ...]]:
    """How the file spells `tilecheck.<name>`, and the edit that imports it if it does not yet.

    The spelling is None where there is no place for an import, or the name means something else.
    """
    present = _find_spelling(source, name)
    if present is not None:
        return present, ()
    if any(
        isinstance(node, cst.Name) and node.value == name and not _is_import_alias(source, node)
        for node in source.nodes
    ):
        return None, ()
    statements = [s for s in source.module.body if isinstance(s, cst.SimpleStatementLine)]
    imports = [s for s in statements if any(isinstance(part, cst.Import | cst.ImportFrom) for part in s.body)]
    others = [s for s in imports if not _is_future_import(s)]
    line = f"from tilecheck import {name}"
    if others:
        return name, (_insert_after(source, _find_last_import(source, others), f"\n{line}"),)
    if imports:
        return name, (_insert_after(source, imports[-1], f"\n\n{line}"),)
    return None, ()


def _find_spelling(source: Source, name: str) -> str | None:
    """The spelling of a name that is imported."""
    for statement in source.module.body:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(part, cst.ImportFrom) and not part.relative and part.module is not None:
                if get_dotted_name(part.module) in _PACKAGES and not isinstance(part.names, cst.ImportStar):
                    for alias in part.names:
                        if get_dotted_name(alias.name) == name:
                            return alias.evaluated_alias or name
            elif isinstance(part, cst.Import):
                for alias in part.names:
                    if get_dotted_name(alias.name) in _PACKAGES[::2]:
                        return f"{alias.evaluated_alias or get_dotted_name(alias.name)}.{name}"
    return None


def _is_import_alias(source: Source, node: cst.CSTNode) -> bool:
    """Whether a name in an import is the original name of an alias."""
    alias = next((above for above in source.find_ancestors(node) if isinstance(above, cst.ImportAlias)), None)
    return alias is not None and alias.evaluated_alias not in (None, getattr(node, "value", None))


def _is_future_import(statement: cst.SimpleStatementLine) -> bool:
    return any(
        isinstance(part, cst.ImportFrom) and part.module is not None and get_dotted_name(part.module) == "__future__"
        for part in statement.body
    )


def _find_last_import(source: Source, imports: list[cst.SimpleStatementLine]) -> cst.SimpleStatementLine:
    """The last of the imports that begin the file: what stands further down may be conditional on what is between."""
    last = imports[0]
    body = list(source.module.body)
    for statement in body[body.index(last) + 1 :]:
        if not (isinstance(statement, cst.SimpleStatementLine) and statement in imports):
            break
        last = statement
    return last


def _insert_after(source: Source, statement: cst.SimpleStatementLine, text: str) -> Edit:
    """An insertion at the end of the line on which a statement ends."""
    end = source.at.span(statement).end_line
    column = len(source.lines[end - 1])
    return Edit(Span(source.file, end, column, end, column), text)
