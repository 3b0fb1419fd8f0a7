"""Verdicts and discharged clauses of a file alone hold when its whole tree is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.more_files import compare


def test_more_files_take_nothing_back(tmp_path: Path) -> None:
    """A caller in another file, a class of its own, and a function whose name is that of a method."""
    (tmp_path / "kernels.py").write_text("""\
import cuda.tile as ct


@ct.kernel
def double(x, out, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (T,)) * 2)


def apply(x):
    import torch
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.shape[0], 128),), double, (x, out, 128))
    return out
""")
    (tmp_path / "model.py").write_text("""\
import torch
from kernels import apply


class Layer(torch.nn.Module):
    def __init__(self, n):
        self.weight = torch.zeros(n)

    def forward(self, x):
        for _ in range(3):
            x = apply(x)
        return x + apply(self.weight)


def run(x):
    return apply(x)
""")
    assert list(compare(tmp_path)) == []


@pytest.mark.nightly
def test_more_files_of_the_corpus_take_nothing_back(corpus: Path) -> None:
    assert list(compare(corpus / "tilegym")) == []
