"""Lists the banned words and names of files.

    python -m tests.words FOLDER...           violations in these folders or files
    python -m tests.words --count             their number in each pending folder
    python -m tests.words --done FOLDER...    remove folders without violations from the list of pending ones
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.words.pending import PENDING_FILE, pending
from tests.words.scan import checked_files, violations


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--count"]:
        for folder in pending():
            print(f"{sum(len(violations(path)) for path in checked_files(folder)):6}  {folder}")
        return 0
    done = arguments[:1] == ["--done"]
    folders = [folder.rstrip("/") for folder in arguments[done:]]
    if not folders:
        print(__doc__)
        return 2
    found = [violation for folder in folders for path in checked_files(folder) for violation in violations(path)]
    for violation in found:
        print(violation)
    if done and not found:
        lines = PENDING_FILE.read_text().splitlines(keepends=True)
        PENDING_FILE.write_text("".join(line for line in lines if line.strip() not in folders))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
