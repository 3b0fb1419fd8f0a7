"""A baseline from an untrusted source: a hard error at most, never code, never a write elsewhere."""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Run
from tilecheck.baseline.baseline import BaselineError, Known, parse, render_baseline
from tilecheck.config import ConfigError, load_config

GOOD = {"file": "a.py", "kernel": "k", "code": "TC101", "digest": "00", "witness": True, "count": 1}


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("exploded",)


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"hello",
    "no text": b"\xff\xfe\x00",
    "a pickle": pickle.dumps(_Bomb()),
    "deep": b"[" * 200_000 + b"]" * 200_000,
    "a list": b"[]",
    "no findings": b'{"version": 1}',
    "something more": b'{"version": 1, "findings": [], "plugins": ["os"]}',
    "a later version": b'{"version": 2, "findings": []}',
    "a version that is true": b'{"version": true, "findings": []}',
    "findings that are no list": b'{"version": 1, "findings": {}}',
    "a name twice": b'{"version": 1, "version": 1, "findings": []}',
    "a huge number": b'{"version": 1, "findings": [%s]}' % (b"9" * 6000),
    "a cut": render_baseline({Known("a.py", None, "TC101", "0", True): 1}).encode()[:-20],
    **{f"an entry with {name} {value!r}": json.dumps({"version": 1, "findings": [{**GOOD, name: value}]}).encode()
       for name, value in [
           ("file", 3), ("kernel", 3), ("code", None), ("digest", []), ("witness", 1), ("witness", "no"),
           ("count", 0), ("count", -1), ("count", True), ("count", 1.5), ("count", 10**9), ("count", "1"),
           ("extra", 1), ("file", {"a": 1})]},
    "an entry that lacks a name": json.dumps({"version": 1, "findings": [{"file": "a.py"}]}).encode(),
    "an entry that is none": b'{"version": 1, "findings": [7]}',
    "not a number": json.dumps({"version": 1, "findings": [{**GOOD, "count": float("nan")}]}).encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_invalid_baseline_is_an_error_and_is_not_overwritten(run: Run, name: str) -> None:
    Path("known.json").write_bytes(HOSTILE[name])
    before = sorted(os.listdir())
    for option in ([], ["--update-baseline"], ["--prune-baseline"]):
        result = run("racy.py", "--no-cache", "--baseline", "known.json", *option)
        assert result.status == 2
        assert result.err.startswith("error: baseline: known.json: ") and result.err.count("\n") == 1
        assert len(result.err) < 500 and result.out == ""
    assert Path("known.json").read_bytes() == HOSTILE[name]
    assert sorted(os.listdir()) == before


def test_paths_in_it_lead_nowhere(run: Run) -> None:
    entries = [{**GOOD, "file": file} for file in ("/etc/passwd", "../../../x.py", "a\0b", "x" * 5000, "", "C:\\x")]
    Path("known.json").write_text(json.dumps({"version": 1, "findings": entries}))
    result = run(".", "--baseline", "known.json", "--prune-baseline", "--format", "concise")
    assert result.status == 1
    assert len(parse(Path("known.json").read_bytes())) <= len(entries)


def test_only_regular_files_are_read(run: Run) -> None:
    Path("folder.json").mkdir()
    assert run("racy.py", "--baseline", "folder.json").status == 2
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe.json")
        assert run("racy.py", "--baseline", "pipe.json").status == 2


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="modes do not keep this user out")
def test_an_unreadable_baseline_is_an_error(run: Run) -> None:
    Path("known.json").write_text(render_baseline({}))
    Path("known.json").chmod(0)
    assert run("racy.py", "--baseline", "known.json").status == 2


def test_a_link_in_its_place_is_replaced_and_not_followed(run: Run, tmp_path: Path) -> None:
    for target in (tmp_path / "precious.json", tmp_path / "not_there.json"):
        if target.name == "precious.json":
            target.write_text(render_baseline({}))
        Path("known.json").symlink_to(target)
        assert run("racy.py", "--baseline", "known.json", "--update-baseline").status == 0
        assert not Path("known.json").is_symlink() and len(parse(Path("known.json").read_bytes())) == 1
        assert not target.exists() or target.read_text() == render_baseline({})
        Path("known.json").unlink()


def test_a_configuration_cannot_have_files_outside_its_folder_written(run: Run, tmp_path: Path) -> None:
    Path("out").symlink_to(tmp_path)
    for path in ("../known.json", "/tmp/known.json", "out/known.json", "a/../../known.json"):
        Path("pyproject.toml").write_text(f'[tool.tilecheck]\nbaseline = "{path}"\n')
        result = run("--update-baseline")
        assert result.status == 2 and "baseline must be a file in this folder" in result.err
    with pytest.raises(ConfigError):
        load_config(["racy.py"])
    assert not (tmp_path / "known.json").exists()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_baseline_or_an_error(data: st.DataObject) -> None:
    known = {Known("a.py", "k", "TC101", "00" * 8, True): 2, Known("b.py", None, "TC102", "11", False): 1}
    good = render_baseline(known).encode()
    cut = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(cut, min(len(good), cut + 8)))
    mutated = good[:cut] + data.draw(st.binary(max_size=6)) + good[end:]
    for text in (mutated, data.draw(st.binary(max_size=60))):
        try:
            found = parse(text)
        except BaselineError as error:
            assert "\n" not in str(error)
        else:
            assert all(isinstance(entry, Known) and count > 0 for entry, count in found.items())


def test_reading_restores_the_written_baseline() -> None:
    baseline = {
        Known("a \u00e9\udc80\n.py", None, "TC101", "00", True): 3, Known("a.py", "f.<locals>.k", "TC1", "", False): 1}
    assert parse(render_baseline(baseline).encode()) == baseline
    assert render_baseline(parse(render_baseline(baseline).encode())) == render_baseline(baseline)
    with pytest.raises(BaselineError):
        parse(b"{}")
