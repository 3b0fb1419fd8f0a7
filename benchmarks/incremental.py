"""Time and memory of the checker after an edit of a tree: command line, watch mode, editor server, mypy and its daemon.

    python benchmarks/incremental.py [PATH/TO/tilegym] [--only NAME ...] [--output FILE]

Measures on a copy of the tree, and writes `benchmarks/results/incremental.json`: for each measurement wall time and,
where the process is a child of this one, processor time with its workers (seconds) and the peak memory of its largest
process (MB). The measurements of a group run in order, each after one edit. `budget.py` compares them with a budget.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "incremental.json"
EDITED: Final = Path("ops/cutile/softmax.py")
"""The file that is edited. The edit of a kernel changes no verdict and moves no line."""
BEFORE: Final = "ct.load(input, "
AFTER: Final = "ct.load( input, "
WATCHING: Final = "watching for changes"

Sample = dict[str, float]


class Tree:
    """A copy of a tree, and the processes that are measured on it."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.folder = folder
        self.path = folder / source.name
        shutil.copytree(source, self.path, ignore=shutil.ignore_patterns(".tilecheck_cache", "__pycache__"))
        self.environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "XDG_CACHE_HOME": str(folder / "user"),
            "PYTHONPATH": str(ROOT)}

    def run(self, *arguments: str) -> Sample:
        """Run Python with these arguments."""
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1, 2):
            raise RuntimeError(f"{' '.join(arguments)} ended with status {process.returncode}")
        return {"wall_s": round(wall, 3), "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
                "peak_mb": round(usage.ru_maxrss / 1024, 1)}

    def check(self, *arguments: str, path: str = "") -> Sample:
        """Run the command line."""
        return self.run("-m", "tilecheck", "check", "--isolated", "--no-respect-gitignore", "--format", "json",
                        *arguments, path or self.path.name)

    def add_comment(self) -> None:
        """Append a comment to a file."""
        with (self.path / EDITED).open("a", encoding="utf-8") as file:
            file.write("# a comment\n")

    def add_file(self) -> None:
        """Add a file that no other file imports."""
        (self.path / "unrelated_to_all.py").write_text("x = 1\n", encoding="utf-8")

    def edit_kernel(self) -> None:
        """Edit a kernel, there and back."""
        file = self.path / EDITED
        text = file.read_text(encoding="utf-8")
        changed = text.replace(AFTER, BEFORE, 1) if AFTER in text else text.replace(BEFORE, AFTER, 1)
        if changed == text:
            raise RuntimeError(f"{EDITED} has no `{BEFORE}`")
        file.write_text(changed, encoding="utf-8")


def measure_command_line(tree: Tree) -> dict[str, Sample]:
    """The command line."""
    tree.check("--no-cache", path=f"{tree.path.name}/{EDITED}")  # compiles the modules of the checker
    out = {"cold": tree.check(), "warm": tree.check()}
    for name, edit in (("comment", tree.add_comment), ("unrelated_file", tree.add_file),
                       ("edited_kernel", tree.edit_kernel)):
        edit()
        out[name] = tree.check()
    return {**out, "single_file": tree.check("--no-cache", path=f"{tree.path.name}/{EDITED}")}


def measure_watch(tree: Tree) -> dict[str, Sample]:
    """A save under `--watch`, from the write to the end of the report."""
    command = [sys.executable, "-m", "tilecheck", "check", "--isolated", "--no-respect-gitignore", "--watch",
               tree.path.name]
    with subprocess.Popen(command, cwd=tree.folder, env=tree.environment, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        try:
            _await(process)
            out = {}
            for name, edit in (("comment", tree.add_comment), ("edited_kernel", tree.edit_kernel)):
                time.sleep(1)
                start = time.perf_counter()
                edit()
                _await(process)
                out[f"watch_{name}"] = {"wall_s": round(time.perf_counter() - start, 3)}
            return out
        finally:
            process.kill()


def _await(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if WATCHING in line:
            return
    raise RuntimeError("the watch ended")


def measure_server(tree: Tree) -> dict[str, Sample]:
    """An edit in the editor server, in a process of its own: the time from the edit to the findings."""
    done = subprocess.run([sys.executable, __file__, "--serve", str(tree.path)], env=tree.environment, text=True,
                          capture_output=True, check=True)
    return {"server_edit": json.loads(done.stdout.splitlines()[-1])}


def serve(folder: Path) -> None:
    """Open a folder as an editor does, edit a kernel, and print a sample of the edit."""
    from tilecheck.server.analysis.session import Session
    from tilecheck.server.messages import Opened, Published, Reply, Settings

    replies: list[Reply] = []
    session = Session(replies.append)
    path = folder / EDITED
    text = path.read_text(encoding="utf-8")
    session.take(Settings((str(folder),), "utf-16"))
    session.take(Opened(str(path), 1, text))
    while session.step():
        pass
    replies.clear()
    start, cpu = time.perf_counter(), time.process_time()
    session.take(Opened(str(path), 2, text.replace(BEFORE, AFTER, 1)))
    while session.step() and not any(isinstance(r, Published) and r.version == 2 for r in replies):
        pass
    print(json.dumps({
        "wall_s": round(time.perf_counter() - start, 3), "cpu_s": round(time.process_time() - cpu, 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)}))


def measure_mypy(tree: Tree) -> dict[str, Sample]:
    """mypy, and its daemon, without and with the plugin."""
    out: dict[str, Sample] = {}
    for kind, plugin in (("without", ""), ("with", "plugins = tilecheck.mypy_plugin\n")):
        config = tree.folder / f"{kind}.ini"
        config.write_text(f"[mypy]\n{plugin}ignore_missing_imports = True\n", encoding="utf-8")
        options = ("--config-file", str(config), "--cache-dir", str(tree.folder / f"mypy_{kind}"), tree.path.name)
        out |= _after_edits(tree, f"mypy_{kind}", partial(tree.run, "-m", "mypy", *options))
        daemon = ("-m", "mypy.dmypy", "--status-file", str(tree.folder / f"{kind}.status"))
        try:
            for name, sample in _after_edits(tree, f"dmypy_{kind}", partial(tree.run, *daemon, "run", "--", *options)
                                             ).items():
                out[name] = {"wall_s": sample["wall_s"]}  # the rest is of the client alone
        finally:
            tree.run(*daemon, "stop")
    return out


def _after_edits(tree: Tree, name: str, run: Callable[[], Sample]) -> dict[str, Sample]:
    out = {f"{name}_cold": run()}
    for edit, change in (("comment", tree.add_comment), ("edited_kernel", tree.edit_kernel)):
        run()
        change()
        out[f"{name}_{edit}"] = run()
    return out


GROUPS: Final[Mapping[str, Callable[[Tree], dict[str, Sample]]]] = {
    "command_line": measure_command_line, "watch": measure_watch, "server": measure_server, "mypy": measure_mypy,
}


@contextmanager
def copy_tree(source: Path) -> Iterator[Tree]:
    """A copy of a tree in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        yield Tree(source, Path(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tree", type=Path, nargs="?", default=ROOT / ".corpus" / "tilegym")
    parser.add_argument("--only", action="append", choices=GROUPS, help="a group of measurements; repeatable")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.serve:
        serve(given.tree)
        return 0
    known = json.loads(given.output.read_text()) if given.output.exists() else {}
    samples: dict[str, Sample] = known.get("samples", {})
    for name in given.only or GROUPS:
        with copy_tree(given.tree.resolve()) as tree:
            found = GROUPS[name](tree)
        samples |= found
        for key, sample in found.items():
            print(f"{key:28}", *(f"{value:9.2f} {unit}" for unit, value in sample.items()))
    given.output.parent.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "processors": os.cpu_count(), "system": platform.system()}
    given.output.write_text(json.dumps({"machine": machine, "samples": samples}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
