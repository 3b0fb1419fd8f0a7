"""Parts of the documentation that follow from the rules: pages, tables, navigation.

    python -m tests.docs.generated             print which files are not current
    python -m tests.docs.generated --update    write them

The exit status is 1 if a file is not current. A part of a file that is written here stands between two lines that
contain `rules: begin` and `rules: end`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.docs.markdown import ROOT
from tilecheck.mypy_plugin.codes import CODES, FAILURE, rules_of
from tilecheck.rules.catalog import MODULES, NAMES, RULES
from tilecheck.rules.pages import page

__all__ = ["SERIES", "main", "stale"]

SERIES: Final[Mapping[str, str]] = {
    "TC1": "races and ownership",
    "TC2": "bounds",
    "TC3": "padding and results",
    "TC4": "host code and launches",
    "TC5": "tiles and types",
    "TC6": "language",
    "TC9": "suppressions",
}
"""The subject of the rules of each series."""

_PART: Final = re.compile(r"(?<=rules: begin).*?\n(?=[^\n]*rules: end)", re.DOTALL)


def _table() -> Iterator[str]:
    yield " -->\n\n| code | name | finds |\n|---|---|---|\n"
    for rule in RULES.values():
        yield f"| [{rule.code}](rules/{rule.code}.md) | {rule.name} | {rule.summary} |\n"
    yield "\n"


def _navigation() -> Iterator[str]:
    yield "\n"
    for series, title in SERIES.items():
        yield f'      - "{series}xx: {title}":\n'
        for code, name in NAMES.items():
            if code.startswith(series):
                yield f'          - "{code}: {name}": rules/{code}.md\n'


def _mypy_codes() -> Iterator[str]:
    yield " -->\n\n| code | rules |\n|---|---|\n"
    for code in CODES:
        if code != FAILURE:
            yield f"| `{code}` | {', '.join(rules_of(code))} |\n"
    yield f"| `{FAILURE}` | what could not be checked, such as an invalid contract or wrong settings |\n\n"


_PARTS: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "docs/README.md": _table, "docs/mypy.md": _mypy_codes, "mkdocs.yml": _navigation,
}


def _files() -> Iterator[tuple[Path, str]]:
    """Each file with the text that it should have."""
    for code, module in MODULES.items():
        source = f"tilecheck/rules/{module.replace('.', '/')}.py"
        heading, body = page(code).split("\n", 1)
        text = f"{heading}\n\n<!-- Generated from {source}: edit the docstring there. -->\n{body}"
        yield ROOT / "docs" / "rules" / f"{code}.md", text
    for name, part in _PARTS.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        yield ROOT / name, _PART.sub(lambda _, part=part: "".join(part()), text)


def stale() -> dict[Path, str | None]:
    """The files that are not current, with the text that they should have; None for one that should not exist."""
    wanted = dict(_files())
    out: dict[Path, str | None] = {
        path: text for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text}
    return out | {path: None for path in (ROOT / "docs" / "rules").glob("*.md") if path not in wanted}


def main(arguments: list[str]) -> int:
    """Print the files that are not current, or write them."""
    found = stale()
    for path, text in found.items():
        print(path.relative_to(ROOT))
        if arguments == ["--update"]:
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    return int(bool(found) and arguments != ["--update"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
