"""The pages that explain the rules."""

from __future__ import annotations

from pathlib import Path

from tilecheck.rules.registry import BY_NAME, RULES, find
from tilecheck.text.did_you_mean import did_you_mean


class PageError(LookupError):
    """There is no such rule."""


def page(code_or_name: str) -> str:
    """The page of a rule, in Markdown."""
    rule = find(code_or_name)
    if rule is None:
        raise PageError(f"unknown rule '{code_or_name}'{did_you_mean(code_or_name, [*RULES, *BY_NAME])}")
    return page_file(rule.code).read_text(encoding="utf-8")


def page_file(code: str) -> Path:
    """Where the page of a rule is."""
    return _folder() / f"{code}.md"


def sections(text: str) -> dict[str, str]:
    """The text below each heading of a page, by heading."""
    parts = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    return {heading.strip(): body for heading, _, body in parts}


def _folder() -> Path:
    package = Path(__file__).parent.parent
    installed = package / "_rules"
    return installed if installed.is_dir() else package.parent / "docs" / "rules"
