"""The pages that explain the rules. The page of a rule is the docstring of its module."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

from tilecheck.rules.catalog import CODES, MODULES, NAMES, find, module_of
from tilecheck.text.did_you_mean import did_you_mean

__all__ = ["PageError", "page", "sections", "source_file"]


class PageError(LookupError):
    """No rule has this code or name."""


def page(code_or_name: str) -> str:
    """The page of a rule, in Markdown. Raises `PageError`."""
    code = find(code_or_name)
    if code is None:
        raise PageError(f"unknown rule '{code_or_name}'{did_you_mean(code_or_name, [*NAMES, *CODES])}")
    body = _docstring(module_of(code)).partition("\n")[2].strip("\n")
    return f"# {code}: {NAMES[code]}\n\n{body}\n"


def source_file(code: str) -> Path:
    """The file of a rule, which begins with its page."""
    return Path(__file__).parent / f"{MODULES[code].replace('.', '/')}.py"


def sections(text: str) -> dict[str, str]:
    """The text below each heading of a page, by heading."""
    parts = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    return {heading.strip(): body for heading, _, body in parts}


def _docstring(module: ModuleType) -> str:
    """The docstring of a module, which is read from its source where `python -OO` has removed it."""
    if module.__doc__ is not None:
        return module.__doc__
    return ast.get_docstring(ast.parse(inspect.getsource(module)), clean=False) or ""
