"""Compiles what a run spends most of its time in, with mypyc. The sources stay as they are, and work without it.

    python native_build.py FOLDER [PATH ...] [--level 3] [--jobs 2]

The extension modules are written below FOLDER, where an installation has them: `tilecheck/proof/...` and one that they
share. PATHs are modules, or folders of them, that are compiled in place of all of `MODULES`.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent

MODULES: Final = (
    "tilecheck/proof", "tilecheck/kernel", "tilecheck/rules", "tilecheck/advice", "tilecheck/diagnostics.py",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tilecheck/host").glob("[!_]*.py")),
    *(f"tilecheck/source/{name}.py" for name in (
        "annotations", "discover", "escapes", "kernels", "ours", "packages", "places", "relevance", "skeleton",
        "suppressions", "targets")),
)
"""A compiled class has no subclass that is not compiled: of `source`, the editor server derives from what is left out.

What lowers a file is left out too: compiled code meets no recursion limit, which is what keeps trees shallow. So is
what starts and feeds processes: signals are seen between steps of the interpreter.
"""


def compile_modules(out: Path, paths: Sequence[str] = MODULES, level: str = "3", jobs: int = 0) -> None:
    """Write the extension modules of `paths` below `out`.

    level   of optimisation, as the C compiler counts
    jobs    C compilers at a time; 0 is one a processor

    Raises SystemExit when mypy finds an error, and what setuptools does when there is no C compiler.
    """
    out = out.resolve()
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copytree(ROOT / "tilecheck", work / "tilecheck", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        (work / "mypy.ini").write_text(_settings(), encoding="utf-8")
        os.chdir(work)
        try:
            for source in _sources(paths):
                widen_fields(Path(source))
            _build(out, sorted(_sources(paths)), level, jobs or os.cpu_count() or 1)
        finally:
            os.chdir(before)


def _settings() -> str:
    """The settings of mypy for what is compiled. What is only imported need not be installed."""
    mypy = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    own = f"[mypy]\npython_version = {mypy['python_version']}\nstrict = True\n"
    return own + "[mypy-z3.*]\nignore_missing_imports = True\n"


def _sources(paths: Sequence[str]) -> Iterator[str]:
    """Modules by their path from here; the files of packages only say what is in them."""
    for path in paths:
        found = Path(path).rglob("*.py") if Path(path).is_dir() else [Path(path)]
        yield from (file.as_posix() for file in found if file.name != "__init__.py")


def widen_fields(source: Path) -> None:
    """Write `X | X` where the type of a field is a class X that is not there yet when the class of the field is made.

    A compiled dataclass loads the classes of its fields, with the type checker's imports, but for those in unions.
    """
    text = source.read_bytes()
    tree = ast.parse(text)
    absent = {"object"} | {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.If)
        for imported in node.body if isinstance(imported, ast.ImportFrom) for alias in imported.names
    }
    lines = text.splitlines(keepends=True)
    for made in ast.walk(tree):
        for field in made.body if isinstance(made, ast.ClassDef) else ():
            kind = field.annotation if isinstance(field, ast.AnnAssign) else None
            if isinstance(kind, ast.Name) and kind.id in absent:
                line, end = lines[kind.lineno - 1], kind.end_col_offset
                lines[kind.lineno - 1] = line[:end] + f" | {kind.id}".encode() + line[end:]
    source.write_bytes(b"".join(lines))


def _build(out: Path, sources: Sequence[str], level: str, jobs: int) -> None:
    import setuptools  # first: mypyc takes `distutils`, which since Python 3.12 is only there with setuptools

    from mypyc.build import mypycify  # isort: skip

    extensions = mypycify(list(sources), opt_level=level, multi_file=True, group_name="tilecheck")
    build = setuptools.Distribution({"name": "tilecheck", "ext_modules": extensions}).get_command_obj("build_ext")
    build.build_lib, build.parallel = str(out), jobs
    build.ensure_finalized()
    build.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*", default=MODULES)
    parser.add_argument("--level", default="3")
    parser.add_argument("--jobs", type=int, default=0)
    arguments = parser.parse_args()
    compile_modules(arguments.folder, arguments.paths, arguments.level, arguments.jobs)


if __name__ == "__main__":
    main()
