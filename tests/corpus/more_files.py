"""A file alone against its whole tree: verdicts, and launches at which the contract holds, that the tree lacks.

    python -m tests.corpus.more_files PATH ...

More files show more launches, so that a clause may be open at one of them. They take nothing back: no kernel has a
weaker verdict, and no launch is lost at which the contract holds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tilecheck.config import Config, load_config
from tilecheck.diagnostics import KernelReport, Report
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.run import analyse_paths

VERDICTS: Final = ("proved", "conditional", "unproven", "refuted")
Key = tuple[str, str, int]


def check(paths: Sequence[str], config: Config) -> Report:
    return finish(analyse_paths(paths, config), config)


def by_kernel(report: Report) -> Mapping[Key, KernelReport]:
    return {(k.file, k.name, k.line): k for k in report.kernels}


def compare(folder: Path, files: Sequence[str] = ()) -> Iterator[str]:
    """Differences to the disadvantage of the whole tree, in words; of these files, or of all files with kernels."""
    config = replace(load_config([folder]), use_cache=False)
    tree = check([str(folder)], config)
    whole = by_kernel(tree)
    yield from (f"{f.file}: {f.message}" for f in tree.failures if "internal error" in f.message)
    for file in files or sorted({key[0] for key in whole}):
        for key, alone in by_kernel(check([file], config)).items():
            together = whole.get(key)
            if together is None:
                yield f"{key[0]}::{key[1]}: found in the file alone only"
            else:
                yield from (f"{key[0]}::{key[1]}: {what}" for what in compare_kernel(alone, together))


def compare_kernel(alone: KernelReport, together: KernelReport) -> Iterator[str]:
    if _rank(together) > _rank(alone):
        yield f"{alone.verdict} alone, {together.verdict} in the tree"
    if together.launches.holds < alone.launches.holds:
        yield f"the contract holds at {alone.launches.holds} launches alone, at {together.launches.holds} in the tree"
    states = {c.clause: c.state for c in together.contract}
    for clause in alone.contract:
        if clause.state == "discharged" and states.get(clause.clause) == "unseen":
            yield f"`{clause.clause}` is discharged alone, and not seen in the tree"


def _rank(kernel: KernelReport) -> int:
    """The weaker the verdict, the larger; suppressed and faulty kernels last."""
    return VERDICTS.index(kernel.verdict) if kernel.verdict in VERDICTS else len(VERDICTS)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(path, flush=True)
        for line in compare(Path(path)):
            print(f"  {line}", flush=True)
