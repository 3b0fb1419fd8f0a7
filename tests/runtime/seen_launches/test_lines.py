"""The lines of answers are text, also where the words of an error are not."""

from __future__ import annotations

import msgspec

from tilecheck.pipeline.compile_messages import Answer, Refused, Where
from tilecheck_runtime.seen_launches.__main__ import encode_line


def test_words_that_no_text_encodes_are_replaced() -> None:
    refused = Refused("TileError", "b \udc80", (Where("f.py", 1, 0, 1, 2),))
    line = encode_line(Answer(3, "refused", "a \ud800", "k", refused))
    found = msgspec.json.decode(line, type=Answer)
    assert found.why == "a \\ud800"
    assert found.refused is not None
    assert (found.refused.words, found.refused.places) == ("b \\udc80", refused.places)
