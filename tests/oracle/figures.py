"""Runs the checker over many generated kernels and counts the outcomes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from unittest.mock import patch

from tests.oracle.aspects import Aspect, Kind
from tests.oracle.generate import Subject, from_seed
from tests.oracle.judging import DECIDED, Outcome, examine, explain
from tilecheck.repair.candidates import advise

CHUNK = 20


@dataclass(frozen=True)
class Figures:
    """All outcomes of a run, and what they come to."""

    outcomes: tuple[Outcome, ...]
    subject: Subject = "races"

    def of(self, *truths: str) -> list[Outcome]:
        return [o for o in self.outcomes if o.truth in truths]

    @property
    def contradicted(self) -> list[Outcome]:
        return [o for o in self.outcomes if o.contradictions]

    @property
    def rules(self) -> Counter[str]:
        return Counter(r for o in self.outcomes for r in o.rules)

    @property
    def safe_decided(self) -> float:
        safe = self.of("safe")
        return sum(o.decided for o in safe) / max(len(safe), 1)

    @property
    def colliding_refuted(self) -> float:
        colliding = self.of("colliding")
        return sum(o.verdict == "refuted" for o in colliding) / max(len(colliding), 1)

    @property
    def mixed_decided(self) -> float:
        mixed = self.of("mixed")
        return sum(o.verdict in ("refuted", *DECIDED) for o in mixed) / max(len(mixed), 1)

    def summary(self) -> str:
        total = len(self.outcomes)
        lines = [f"{total} kernels, {sum(o.ever_collides for o in self.outcomes)} collide on some launch"]
        for truth in ("safe", "colliding", "mixed", "idle"):
            found = self.of(truth)
            verdicts = ", ".join(f"{v} {n}" for v, n in sorted(Counter(o.verdict for o in found).items()))
            lines.append(f"{truth:10} {len(found):5} ({len(found) / max(total, 1):.0%}): {verdicts}")
        lines.append(f"safe decided {self.safe_decided:.1%}, colliding refuted {self.colliding_refuted:.1%}, "
                     f"mixed settled {self.mixed_decided:.1%}, contradicted {len(self.contradicted)}")
        lines.append("rules: " + ", ".join(f"{r} {n}" for r, n in self.rules.most_common()))
        return "\n".join(lines)

    def list_missed(self) -> str:
        """Lists the kernels that were neither decided nor refuted, by construct."""
        misses = [o for o in self.outcomes if (o.truth == "safe" and not o.decided)
                  or (o.truth == "colliding" and o.verdict != "refuted")]
        constructs = Counter((o.truth, f) for o in misses for f in (*o.features, *o.slips))
        lines = [f"{truth:10} {feature:28} {n}" for (truth, feature), n in constructs.most_common(40)]
        return "\n".join([*lines, "kernels: " + " ".join(o.name for o in misses)])


@dataclass(frozen=True)
class Shares:
    """Bounds or padding: each kernel with the results for that kind."""

    kind: Kind
    outcomes: tuple[tuple[Outcome, Aspect], ...]

    @property
    def obligations(self) -> int:
        return sum(a.obligations for _, a in self.outcomes)

    def of(self, truth: str) -> list[Aspect]:
        return [a for _, a in self.outcomes if a.truth == truth]

    @property
    def safe_decided(self) -> float:
        safe = self.of("safe")
        return sum(a.decided for a in safe) / max(len(safe), 1)

    @property
    def safe_silent(self) -> float:
        """Nothing is printed about kernels that are right."""
        safe = self.of("safe")
        return sum(not a.flagged for a in safe) / max(len(safe), 1)

    @property
    def faulty_refuted(self) -> float:
        faulty = self.of("faulty")
        return sum(a.verdict == "refuted" for a in faulty) / max(len(faulty), 1)

    @property
    def faulty_flagged(self) -> float:
        """Refuted, or warned of by the name of a clause."""
        faulty = self.of("faulty")
        return sum(a.verdict == "refuted" or a.flagged for a in faulty) / max(len(faulty), 1)

    @property
    def faulty_noticed(self) -> float:
        """The same, or decided under a clause that launches that go wrong break."""
        faulty = self.of("faulty")
        return sum(a.verdict == "refuted" or a.flagged or a.named for a in faulty) / max(len(faulty), 1)

    def summary(self) -> str:
        lines = [f"{self.kind}: {len(self.outcomes)} kernels, {self.obligations} obligations"]
        for truth in ("safe", "faulty", "mixed", "idle"):
            found = self.of(truth)
            verdicts = ", ".join(f"{v} {n}" for v, n in sorted(Counter(a.verdict for a in found).items()))
            lines.append(f"{truth:10} {len(found):5}: {verdicts}")
        lines.append(f"safe decided {self.safe_decided:.1%}, safe silent {self.safe_silent:.1%}, faulty refuted "
                     f"{self.faulty_refuted:.1%}, refuted or warned of {self.faulty_flagged:.1%}, or under a clause "
                     f"{self.faulty_noticed:.1%}")
        return "\n".join(lines)

    def list_missed(self) -> str:
        """Right kernels not decided and wrong ones not flagged, by construct."""
        misses = [(o, a) for o, a in self.outcomes if (a.truth == "safe" and not a.decided)
                  or (a.truth == "faulty" and not a.flagged and a.verdict != "refuted" and not a.named)]
        constructs = Counter((a.truth, f) for o, a in misses for f in (*o.features, *o.slips))
        lines = [f"{truth:10} {feature:28} {n}" for (truth, feature), n in constructs.most_common(40)]
        for truth in ("safe", "faulty"):
            lines.append(f"{truth}: " + " ".join(o.name for o, a in misses if a.truth == truth))
        return "\n".join(lines)


def shares(figures: Figures, kind: Kind) -> Shares:
    """Of the kernels that have obligations of the kind, if any has; one without goes wrong nowhere."""
    pairs = [(o, o.aspect(kind)) for o in figures.outcomes]
    some = any(a is not None and a.obligations for _, a in pairs)
    return Shares(kind, tuple((o, a) for o, a in pairs if a is not None and (a.obligations or not some)))


def _chunk(seeds: Sequence[int], launches: int, subject: Subject) -> list[Outcome]:
    return [examine(from_seed(seed, subject), f"seed {seed}", count=launches) for seed in seeds]


def _without_advice() -> AbstractContextManager[object]:
    """Advice takes half of the time of a check and is not judged here. The small samples have it."""
    return patch.object(advise, "_ADVICE", {})


def _disable_advice() -> None:
    _without_advice().__enter__()


def measure(seeds: Iterable[int], launches: int = 30, workers: int | None = None,
            subject: Subject = "races") -> Figures:
    """Examine the kernels of all seeds, by default on all cores. The result does not depend on `workers`."""
    every = list(seeds)
    chunks = [every[at:at + CHUNK] for at in range(0, len(every), CHUNK)]
    count = workers or len(os.sched_getaffinity(0))
    if count == 1:
        with _without_advice():
            return Figures(tuple(o for c in chunks for o in _chunk(c, launches, subject)), subject)
    with ProcessPoolExecutor(count, initializer=_disable_advice) as pool:
        parts = pool.map(_chunk, chunks, [launches] * len(chunks), [subject] * len(chunks))
        return Figures(tuple(o for part in parts for o in part), subject)


def contradictions(figures: Figures, limit: int = 10) -> str:
    """The contradicted verdicts, readable."""
    bad = figures.contradicted
    parts = [explain(from_seed(int(o.name.split()[1]), figures.subject), o) for o in bad[:limit]]
    return f"{len(bad)} contradicted\n" + "\n".join(parts)
