"""Compare a measurement of `incremental.py` with the performance budget.

    python benchmarks/budget.py [RESULTS.json] [--update]

`budget.json` has the most processor time (seconds) and peak memory (MB) of some measurements. The exit status is 1 if
one of them is exceeded or missing. `--update` sets the budget to the measurement plus a quarter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
BUDGET: Final = HERE / "budget.json"
MEASURED: Final = ("cold", "warm", "single_file", "comment", "edited_kernel", "server_edit")
UNITS: Final = ("cpu_s", "peak_mb")
SLACK: Final = 1.25

Samples = Mapping[str, Mapping[str, float]]


def compare(samples: Samples, budget: Samples) -> list[str]:
    """One line for each measurement that exceeds the budget."""
    out = []
    for name, limits in budget.items():
        for unit, limit in limits.items():
            found = samples.get(name, {}).get(unit)
            if found is None:
                out.append(f"{name}: {unit} was not measured")
            elif found > limit:
                out.append(f"{name}: {unit} is {found:g}, the budget is {limit:g}")
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare or update, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("results", type=Path, nargs="?", default=HERE / "results" / "incremental.json")
    parser.add_argument("--update", action="store_true", help="set the budget to the measurement plus a quarter")
    given = parser.parse_args(arguments)
    samples: Samples = json.loads(given.results.read_text())["samples"]
    if given.update:
        budget = {name: {unit: round(samples[name][unit] * SLACK, 2) for unit in UNITS} for name in MEASURED}
        BUDGET.write_text(json.dumps(budget, indent=2) + "\n")
    exceeded = compare(samples, json.loads(BUDGET.read_text()))
    print("\n".join(exceeded) or "within the budget")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
