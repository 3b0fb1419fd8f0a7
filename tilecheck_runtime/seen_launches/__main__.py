"""Reads a request from one file and writes the answers to another, one a line, each as soon as it is known."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from tilecheck.pipeline.compile_messages import Answer, Request
from tilecheck_runtime.seen_launches.answering import answer
from tilecheck_runtime.seen_launches.importing import describe_error, import_file
from tilecheck_runtime.tile_ir.front_end import is_available


def main(request_file: str, answers_file: str) -> None:
    with open(request_file, "rb") as file:
        request = msgspec.json.decode(file.read(), type=Request)
    for found in _answers(request):
        # opened each time, as an imported file may close what is open
        with open(answers_file, "ab") as out:
            out.write(encode_line(found))


def encode_line(found: Answer) -> bytes:
    """An answer as a line of JSON. Words of an error may hold what no text encodes; it is replaced."""
    try:
        return msgspec.json.encode(found) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_replace_surrogates(msgspec.to_builtins(found))) + b"\n"


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _replace_surrogates(item) for key, item in value.items()}
    return [*map(_replace_surrogates, value)] if isinstance(value, list | tuple) else value


def _answers(request: Request) -> Iterator[Answer]:
    if not is_available():
        yield Answer(-1, "failed", "the package cuda-tile cannot be imported")
        return
    try:
        module = import_file(request.file, request.roots)
    except BaseException as error:  # such as SystemExit
        yield Answer(-1, "failed", describe_error(error, request.file))
        return
    yield Answer(-1, "imported")
    for asked in request.asked:
        yield Answer(asked.number, "started")
        yield answer(asked, module)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # threads of an imported file do not end by themselves
