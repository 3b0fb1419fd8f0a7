"""Compiles what a run spends most of its time in, with mypyc. The sources stay as they are, and work without it.

    python native_build.py FOLDER [PATH ...] [--level 1] [--jobs 2]

The extension modules are written below FOLDER, where an installation has them: `tilecheck/solver/...` and one that they
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from native_sources import write_out_caches, write_out_records, write_out_tables, write_out_unions

ROOT: Final = Path(__file__).resolve().parent

MODULES: Final = (
    "tilecheck/solver", "tilecheck/interp/kernel", "tilecheck/rules", "tilecheck/repair/candidates",
    "tilecheck/diagnostics.py", "tilecheck/syntax/spans.py", "tilecheck/syntax/walk.py",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tilecheck/interp/host").glob("[!_]*.py")),
    *(f"tilecheck/project/{name}.py" for name in (
        "annotations", "discover", "escapes", "kernels", "ours", "packages", "relevance", "skeleton",
        "suppressions", "targets")),
)
"""A compiled class has no subclass that is not compiled: of `source`, the editor server derives from what is left out.

What lowers a file is left out too: compiled code meets no recursion limit, which is what keeps trees shallow. So is
what starts and feeds processes: signals are seen between steps of the interpreter.
"""


_PART: Final = 4_000_000
"""Bytes of C that are compiled as one file: it takes about 300 MB."""
_UNIX: Final = ["-Wno-error", "-fvisibility=hidden"]
"""A warning of a newer compiler is no fault here; and what is not seen outside is called directly, or inlined."""


def compile_modules(out: Path, paths: Sequence[str] = MODULES, level: str = "1", jobs: int = 0) -> None:
    """Write the extension modules of `paths` below `out`.

    level   of optimisation, as the C compiler counts; with 2 or 3 it takes half as long again
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
            sources = sorted(_sources(paths))
            write_out_records([Path(source) for source in sources])
            for source in sources:
                write_out_tables(Path(source))
                write_out_unions(Path(source))
                write_out_caches(Path(source))
                widen_fields(Path(source))
            _build(out, sources, level, jobs or os.cpu_count() or 1)
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

    from setuptools.command.build_ext import build_ext  # isort: skip

    class Build(build_ext):
        """Nearly all is one extension of many files, which setuptools compiles one after another."""

        def build_extensions(self) -> None:
            one = self.compiler.compile
            with ThreadPoolExecutor(jobs) as pool:
                def several(files: list[str], *rest: Any, **options: Any) -> list[str]:
                    made = pool.map(lambda file: one([file], *rest, **options), files)
                    return [file for each in made for file in each]

                self.compiler.compile = several
                super().build_extensions()

    extensions = mypycify(list(sources), opt_level=level, debug_level="0", multi_file=True,
                            group_name="tilecheck")
    for extension in extensions:
        extension.sources = _gathered(extension.sources)
        if os.name == "posix":
            extension.extra_compile_args += _UNIX
    build = Build(setuptools.Distribution({"name": "tilecheck", "ext_modules": extensions}))
    build.build_lib, build.parallel = str(out), jobs
    build.ensure_finalized()
    build.run()


def _gathered(sources: Sequence[str]) -> list[str]:
    """The C files of an extension, those of modules as fewer files that include them: each reads 30,000 lines of
    declarations first, and functions of one file are inlined in each other."""
    own = [Path(source) for source in sources if Path(source).name.startswith("__native_")]
    parts: list[list[Path]] = []
    size = _PART
    for path in own:
        if size >= _PART:
            parts.append([])
            size = 0
        parts[-1].append(path)
        size += path.stat().st_size
    made = []
    for number, part in enumerate(parts):
        path = part[0].with_name(f"part{number}.c")
        path.write_text("".join(f'#include "{each.name}"\n' for each in part), encoding="utf-8")
        made.append(str(path))
    return made + [source for source in sources if Path(source) not in own]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("paths", nargs="*", default=MODULES)
    parser.add_argument("--level", default="1")
    parser.add_argument("--jobs", type=int, default=0)
    arguments = parser.parse_args()
    compile_modules(arguments.folder, arguments.paths, arguments.level, arguments.jobs)


if __name__ == "__main__":
    main()
