"""The libcst tree of a text, the spans of its nodes, and the edits that most fixes consist of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

import libcst as cst

from tilecheck.repair.edits import Edit
from tilecheck.repair.source.positions import Positions
from tilecheck.syntax.text import SourceError, collector_paused
from tilecheck.syntax.tree import Span

__all__ = ["Source", "get_dotted_name", "parse_source", "walk"]

_KEPT: Final = 4
"""Texts whose trees are cached: one file has many findings, and an editor asks about a few files."""


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all below it, in order of source."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(reversed(found.children))


def get_dotted_name(node: cst.CSTNode) -> str:
    """`ct.bid` of an attribute chain, `bid` of a name, else nothing."""
    if isinstance(node, cst.Attribute):
        base = get_dotted_name(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return node.value if isinstance(node, cst.Name) else ""


class Source:
    """A text and its tree. Raises `SourceError` when it cannot be parsed."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        try:
            with collector_paused():
                self.module = cst.parse_module(text)
                self.at = Positions(self.module, text, file)
        except cst.ParserSyntaxError as error:
            raise SourceError(file, "invalid syntax", error.raw_line) from None
        except RecursionError:
            raise SourceError(file, "the code nests too deeply to be changed") from None

    @cached_property
    def nodes(self) -> tuple[cst.CSTNode, ...]:
        """All nodes in order of source."""
        return tuple(walk(self.module))

    @cached_property
    def _parents(self) -> dict[int, cst.CSTNode]:
        return {id(child): node for node in self.nodes for child in node.children}

    @cached_property
    def _calls(self) -> dict[Span, cst.Call]:
        return {self.at.span(node): node for node in self.nodes if isinstance(node, cst.Call)}

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(self.text.split("\n"))

    # --- finding things ----------------------------------------------------------------------------------------------

    def call_at(self, span: Span | None) -> cst.Call | None:
        """The call with exactly this span; the file of the span is ignored."""
        return None if span is None else self._calls.get(
            Span(self.file, span.line, span.column, span.end_line, span.end_column))

    def calls(self) -> Iterator[tuple[Span, cst.Call]]:
        """All calls in order of source, each with where it stands."""
        yield from self._calls.items()

    def find_ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around a node, from the inside."""
        above = self._parents.get(id(node))
        while above is not None:
            yield above
            above = self._parents.get(id(above))

    def function_around(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost function that a node stands in."""
        return next((above for above in self.find_ancestors(node) if isinstance(above, cst.FunctionDef)), None)

    def function(self, qualname: str | None) -> cst.FunctionDef | None:
        """The definition with a qualified name, as the checker spells it; None too where there are several."""
        found = [node for node in self.nodes if isinstance(node, cst.FunctionDef) and self._qualname(node) == qualname]
        return found[0] if len(found) == 1 else None

    def _qualname(self, function: cst.FunctionDef) -> str:
        outer = [above.name.value for above in self.find_ancestors(function)
                 if isinstance(above, cst.FunctionDef | cst.ClassDef)]
        return ".".join((*reversed(outer), function.name.value))

    def code(self, node: cst.CSTNode) -> str:
        """The text of an expression, without the parentheses around it."""
        return self.text_at(self.at.span(node))

    def text_at(self, span: Span) -> str:
        """The text that a span covers."""
        lines = self.lines[span.line - 1 : span.end_line]
        if len(lines) == 1:
            return lines[0][span.column : span.end_column]
        return "\n".join((lines[0][span.column :], *lines[1:-1], lines[-1][: span.end_column]))

    def tile_module(self) -> str | None:
        """How the file spells `cuda.tile`: `ct` after `import cuda.tile as ct`; None when it imports only parts."""
        for node in self.nodes:
            if isinstance(node, cst.Import):
                for alias in node.names:
                    if get_dotted_name(alias.name) == "cuda.tile":
                        return alias.evaluated_alias or "cuda.tile"
            elif (
                isinstance(node, cst.ImportFrom) and node.module is not None and get_dotted_name(node.module) == "cuda"
            ):
                for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                    if get_dotted_name(alias.name) == "tile":
                        return alias.evaluated_alias or "tile"
        return None

    def values_of(self, function: cst.FunctionDef, name: str) -> list[cst.BaseExpression | None]:
        """The values that a local name is bound to, in order; None for each binding other than a plain assignment."""
        out: list[cst.BaseExpression | None] = []
        for node in walk(function):
            if isinstance(node, cst.Assign):
                for target in node.targets:
                    out.extend(_find_values(target.target, node.value, name))
            elif isinstance(node, cst.AnnAssign | cst.AugAssign | cst.For | cst.NamedExpr | cst.CompFor):
                out.extend(None for part in walk(node.target) if isinstance(part, cst.Name) and part.value == name)
            elif isinstance(node, cst.Param) and node.name.value == name:
                out.append(None)
        return out

    def resolve_name(self, function: cst.FunctionDef, node: cst.BaseExpression) -> cst.BaseExpression:
        """The value of a name that is bound once; any other expression as it is."""
        if isinstance(node, cst.Name):
            values = self.values_of(function, node.value)
            if len(values) == 1 and values[0] is not None:
                return values[0]
        return node

    # --- making edits ------------------------------------------------------------------------------------------------

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, the parentheses of a tuple included."""
        return self.at.display_span(node) if isinstance(node, cst.Tuple) else self.at.span(node)

    def replace(self, node: cst.CSTNode, text: str) -> Edit:
        return Edit(self.span(node), text)

    def insert_after(self, node: cst.CSTNode, text: str) -> Edit:
        span = self.at.span(node)
        return Edit(Span(self.file, span.end_line, span.end_column, span.end_line, span.end_column), text)

    def keyword(self, call: cst.Call, name: str) -> cst.Arg | None:
        """The argument that a call passes under a name."""
        return next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value == name), None)

    def argument(self, call: cst.Call, place: int, name: str) -> cst.BaseExpression | None:
        """The argument of a parameter that may be passed by place or by name; None if unknown."""
        found = self.keyword(call, name)
        if found is not None:
            return found.value
        plain = call.args[: place + 1]
        if len(plain) <= place or any(arg.keyword is not None or arg.star for arg in plain):
            return None
        return plain[place].value

    def add_keyword(self, call: cst.Call, name: str, value: str) -> Edit | None:
        """Pass one more argument, set off as the others are; None for a call that has none yet."""
        if not call.args or call.args[-1].star == "**":
            return None
        last = call.args[-1]
        separator = ", "
        if len(call.args) > 1:
            gap = self.text_at(_span_between(self.at.span(call.args[-2]), self.at.span(last)))
            if "\n" in gap:
                separator = ",\n" + gap.rpartition("\n")[2]
        return self.insert_after(last, f"{separator}{name}={value}")

    def remove_argument(self, call: cst.Call, arg: cst.Arg) -> Edit | None:
        """Leave an argument out, with the comma before it, or after it if it is the first.

        None where that would remove a comment.
        """
        place = call.args.index(arg)
        span = self.at.span(arg)
        if place > 0:
            removed = _span_between(self.at.span(call.args[place - 1]), span, whole=True)
        elif len(call.args) > 1:
            removed = Span(self.file, span.line, span.column, *_start(self.at.span(call.args[1])))
        else:
            removed = span
        return None if "#" in self.text_at(removed) else Edit(removed, "")

    def set_keyword(self, call: cst.Call, name: str, value: str) -> Edit | None:
        """Pass a value for a parameter, and replace the value that is passed now."""
        present = self.keyword(call, name)
        return self.add_keyword(call, name, value) if present is None else self.replace(present.value, value)


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _span_between(first: Span, second: Span, whole: bool = False) -> Span:
    """From the end of one span to the start of another, or to its end."""
    end = (second.end_line, second.end_column) if whole else _start(second)
    return Span(first.file, first.end_line, first.end_column, *end)


def _find_values(target: cst.CSTNode, value: cst.BaseExpression, name: str) -> Iterator[cst.BaseExpression | None]:
    """The values that an assignment binds to a name."""
    if isinstance(target, cst.Name):
        if target.value == name:
            yield value
    elif isinstance(target, cst.Tuple | cst.List):
        values: Sequence[cst.BaseElement] = value.elements if isinstance(value, cst.Tuple | cst.List) else ()
        paired = len(values) == len(target.elements) and not any(isinstance(e, cst.StarredElement) for e in
                                                                 (*values, *target.elements))
        for place, element in enumerate(target.elements):
            if paired:
                yield from _find_values(element.value, values[place].value, name)
            elif any(isinstance(part, cst.Name) and part.value == name for part in walk(element.value)):
                yield None


@lru_cache(maxsize=_KEPT)
def parse_source(text: str, file: str) -> Source:
    """The tree of a text. Raises `SourceError`."""
    return Source(text, file)
