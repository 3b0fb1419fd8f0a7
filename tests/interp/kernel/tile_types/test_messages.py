"""Every message of TC501 to TC505 at an operation, word for word."""

from __future__ import annotations

import pytest

from tests.interp.kernel.tile_types.kernels import CODES, findings, one
from tests.interp.kernel.tile_types.messages import LAUNCHED, MESSAGES
from tilecheck.rules.catalog import module_of
from tilecheck.rules.messages.operands import line
from tilecheck.syntax.tree import Span

LAUNCH = """\
import cuda.tile as ct
import torch


@ct.kernel
def k(a, b):
    {body}


def host(stream):
    a = torch.zeros(64, dtype=torch.{a})
    b = torch.zeros(64, dtype=torch.{b})
    ct.launch(stream, (1,), k, (a, b))
"""


@pytest.mark.parametrize(("code", "how", "body", "message", "help_"), MESSAGES)
def test_a_message_names_the_types_and_where_they_are_from(
    code: str, how: str, body: str, message: str, help_: str,
) -> None:
    found = one(body)
    assert [(d.code, d.severity, d.message, d.help, d.notes) for d in found] == [(code, "error", message, help_, ())]


@pytest.mark.parametrize(("code", "how", "body", "a", "b", "message", "note", "help_"), LAUNCHED)
def test_what_only_a_launch_tells_is_told_with_the_launch(
    code: str, how: str, body: str, a: str, b: str, message: str, note: str, help_: str,
) -> None:
    text = LAUNCH.format(body=body, a=a, b=b)
    assert [(d.code, d.message, d.help, [n.message for n in d.notes]) for d in findings(text)] == [
        (code, message, help_, [note])]
    without = text.partition("def host")[0]
    assert findings(without) == []


def test_every_way_of_being_wrong_has_a_message_here() -> None:
    assert {(code, how) for code, how, *_ in (*MESSAGES, *LAUNCHED)} == {
        (code, how) for code in CODES for how in module_of(code)._WORDS}


def test_a_place_in_another_file_is_named_with_it() -> None:
    assert line(Span("h.py", 12, 0, 12, 3), "k.py") == " from h.py:12"
