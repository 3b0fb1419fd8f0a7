"""The words for a refusal of the compiler, for those who raise it as an error."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from tilecheck.interp.kernel.device.refusal import Refusal
from tilecheck.rules.catalog import MODULES
from tilecheck.rules.messages.refusals import Texts

__all__ = ["describe_refusal"]


def describe_refusal(refusal: Refusal) -> str:
    """The message of the rule that reports a refusal, and its help."""
    module = import_module(f"tilecheck.rules.{MODULES[refusal.code]}")
    message, help_ = (text.format(*refusal.words) for text in cast(Texts, module.TEXTS)[refusal.how])
    return f"{message}: {help_}"
