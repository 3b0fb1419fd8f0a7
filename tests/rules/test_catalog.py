"""The catalog: one module for each rule, which is imported when the rule is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilecheck.rules import catalog
from tilecheck.rules.catalog import CODES, MODULES, NAMES, RULES, module_of

FOLDER = Path(catalog.__file__).parent
ROOT = FOLDER.parents[1]

KERNEL = """\
import cuda.tile as ct


@ct.kernel
def k(a, c, T: ct.Constant[int]):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
"""


def test_every_module_in_a_group_is_a_rule_of_the_catalog() -> None:
    found = {path.relative_to(FOLDER).with_suffix("").as_posix().replace("/", ".") for path in FOLDER.glob("*/*.py")
             if path.name != "__init__.py" and path.parent.name != "messages"}
    assert found == set(MODULES.values())


def test_every_rule_has_a_test_file() -> None:
    assert [module for module in MODULES.values() if not (
        Path(__file__).parent / module.replace(".", "/test_")).with_suffix(".py").is_file()] == []


def test_rules_are_ordered_by_code_and_names_are_unique() -> None:
    assert list(MODULES) == sorted(MODULES)
    assert len(CODES) == len(NAMES) == len(MODULES)


@pytest.mark.parametrize("code", MODULES)
def test_a_rule_has_the_code_and_name_of_its_module(code: str) -> None:
    rule = RULES[code]
    assert (rule.code, rule.name) == (code, NAMES[code])
    assert (module_of(code).__doc__ or "").startswith(f"{code} {rule.name}: {rule.summary}.\n\n## ")


PROGRAM = """\
import sys
from tilecheck.cli.app import main
main(sys.argv[1:])
print(*(name.removeprefix("tilecheck.rules.") for name in sys.modules if name.startswith("tilecheck.rules.")))
"""


def _import_rules(*arguments: str, folder: Path) -> set[str]:
    """The modules of rules that a command imports in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TILECHECK_CACHE_DIR": str(folder / "cache")})
    return set(done.stdout.splitlines()[-1].split()) & set(MODULES.values())


def test_rules_are_imported_when_they_are_needed(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL)
    suppressions = {module for module in MODULES.values() if module.startswith("suppressions.")}
    assert _import_rules("rules", folder=tmp_path) == set(MODULES.values())
    assert _import_rules("check", "k.py", folder=tmp_path) == set(MODULES.values())
    assert _import_rules("check", "k.py", folder=tmp_path) <= suppressions  # from the cache
