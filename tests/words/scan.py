"""Reads prose and names out of the repository's files, and finds in them what `banned.py` bans."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.words.banned import ADJECTIVES, NAME_WORDS, NOT_PARTICIPLES, PARTICIPLES, PHRASES, PUBLIC_NAMES

__all__ = ["ROOT", "Text", "Violation", "checked_files", "name_violations", "names_of", "phrase_violations", "texts_of",
           "violations"]

ROOT: Final = Path(__file__).parents[2]

_ROOTS: Final = ("tilecheck", "tilecheck_runtime", "tests", "docs", "benchmarks", "README.md", "CHANGELOG.md",
                 "CONTRIBUTING.md", "action.yml", "pyproject.toml", ".pre-commit-hooks.yaml", "mkdocs.yml")

_INPUTS: Final = ("tests/cases/", "tests/stubs/cases/", "tests/mypy_plugin/cases/", "tests/words/", "docs/glossary.md")
"""Path prefixes of files that are not checked: inputs of tests, and the files that list the banned words."""

_PROPERTY: Final = re.compile(r"(^|\.)(\w*property|fixture|kernel|setter|getter|overload)$")
_WORDS_OF_A_MESSAGE: Final = 3


@dataclass(frozen=True)
class Text:
    """A paragraph of prose and the line that it starts on."""

    line: int
    kind: str
    text: str


@dataclass(frozen=True)
class Violation:
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def checked_files(prefix: str = "") -> list[str]:
    """Paths, relative to the root, of all files that are checked and that lie in `prefix` or are it."""
    found = []
    for root in _ROOTS:
        path = ROOT / root
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT).as_posix()
            if file.suffix in _READERS and "__pycache__" not in name and not name.startswith(_INPUTS):
                found.append(name)
    return [name for name in found if not prefix or name == prefix or name.startswith(f"{prefix}/")]


def violations(path: str) -> list[Violation]:
    """All violations of one file, by line."""
    return list(_violations(path))


@cache
def _violations(path: str) -> tuple[Violation, ...]:
    source = (ROOT / path).read_text(encoding="utf-8")
    found = [Violation(path, text.line, f"{text.kind}: {message}")
             for text in texts_of(path, source) for message in phrase_violations(text.text, path)]
    if path.endswith(".py"):
        found += [Violation(path, line, f"name `{name}`: {message}")
                  for line, name, kind in names_of(source) for message in name_violations(name, kind)]
    return tuple(sorted(found, key=lambda violation: violation.line))


def phrase_violations(text: str, path: str = "") -> Iterator[str]:
    """One message for each banned form that a paragraph has. Code in back-quotes and tags of HTML do not count."""
    prose = " ".join(re.sub(r"``.*?``|`[^`]*`", "`x`", re.sub(r"</?\w[^>]*>", "", text)).split())
    for phrase in PHRASES:
        if path.startswith(phrase.except_in) if phrase.except_in else False:
            continue
        if match := phrase.pattern.search(prose):
            around = prose[max(0, match.start() - 30):match.end() + 30]
            yield f"\"{match[0].strip()}\" in \"...{around}...\": {phrase.instead}"


def name_violations(name: str, kind: str) -> Iterator[str]:
    """Messages on the name of a function (`kind` is `function`) or of a class or a property (any other kind)."""
    if name in PUBLIC_NAMES:
        return
    parts = [part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]
    for part in parts:
        if part in NAME_WORDS:
            yield f"`{part}` is not a word of the project (docs/glossary.md)"
    if kind != "function" or len(parts) != 1 or name.startswith("__"):
        return
    (word,) = parts
    if word in PARTICIPLES or (word.endswith("ed") and len(word) > 3 and word not in NOT_PARTICIPLES):
        yield "a bare participle: name a function by a verb phrase"
    elif word in ADJECTIVES:
        yield "a bare adjective or adverb: name a function by a verb phrase"


def names_of(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and kind of each function and class. Kernels, fixtures and properties are no functions here."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield node.lineno, node.name, "class"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
            state = any(_PROPERTY.search(decorator) for decorator in decorators)
            yield node.lineno, node.name, "property" if state else "function"


def texts_of(path: str, source: str) -> Iterator[Text]:
    """The paragraphs of prose in a file."""
    return _READERS[Path(path).suffix](path, source)


def _markdown(path: str, source: str) -> Iterator[Text]:
    """Paragraphs, list items, headings and table rows outside fenced code."""
    paragraph: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate([*source.splitlines(), ""], 1):
        bare = line.strip()
        if fence or bare.startswith(("```", "~~~")):
            fence = "" if fence and bare == fence else fence or bare[:len(bare) - len(bare.lstrip("`~"))]
            line = bare = ""
        if not bare or bare.startswith(("#", "|", "* ", "- ", "<!--", ":")) or re.match(r"\d+\. ", bare):
            if paragraph:
                yield Text(start, "text", " ".join(paragraph))
            paragraph, start = [], number
        elif not paragraph:
            start = number
        if bare and not bare.startswith("<!--"):
            paragraph.append(bare.lstrip("#*-| ") if not bare.startswith("|") else bare.replace("|", " . "))


def _python(path: str, source: str) -> Iterator[Text]:
    tree = ast.parse(source)
    docstrings = dict(_docstrings(tree))
    for line, text in docstrings.values():
        yield from _paragraphs(line, "docstring", text)
    yield from _comments(source)
    is_test = path.startswith("tests/")
    if is_test:
        yield from _test_names(tree)
    else:
        yield from _messages(tree, docstrings)


def _docstrings(tree: ast.AST) -> Iterator[tuple[int, tuple[int, str]]]:
    """All strings that are statements, by the identity of their node."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield id(node.value), (node.lineno, node.value.value)


def _paragraphs(line: int, kind: str, text: str) -> Iterator[Text]:
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip():
            yield Text(line + len(part[:len(part) - len(part.lstrip())].splitlines()), kind, part)
        line += part.count("\n")


def _comments(source: str) -> Iterator[Text]:
    """Comments; lines right below each other are one paragraph."""
    lines: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != last + 1:
            yield Text(start, "comment", " ".join(lines))
            lines = []
        if not lines:
            start = token.start[0]
        lines.append(token.string.lstrip("#: "))
        last = token.start[0]
    if lines:
        yield Text(start, "comment", " ".join(lines))


def _test_names(tree: ast.AST) -> Iterator[Text]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Text(node.lineno, "test name", node.name.removeprefix("test_").replace("_", " ").capitalize() + ".")


def _messages(tree: ast.AST, docstrings: dict[int, tuple[int, str]]) -> Iterator[Text]:
    """String literals of three words or more: messages, helps and descriptions."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
              if part is not node}
    for node in ast.walk(tree):
        if id(node) in docstrings or id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values)
        else:
            continue
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= _WORDS_OF_A_MESSAGE and " " in text.strip():
            yield from _paragraphs(node.lineno, "message", text)


def _settings(path: str, source: str) -> Iterator[Text]:
    """Lines of a settings file: descriptions and comments."""
    for number, line in enumerate(source.splitlines(), 1):
        yield Text(number, "text", line)


_READERS: Final = {".md": _markdown, ".py": _python, ".toml": _settings, ".yml": _settings, ".yaml": _settings}
