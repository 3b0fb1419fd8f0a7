"""The cache: a faulty one behaves as an empty one."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from tilecheck.pipeline.cache import Cache, digest, open_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    opened = open_cache(tmp_path / "cache")
    assert opened is not None
    return opened


def test_stored_results_are_loaded(cache: Cache) -> None:
    cache.store("run", "k", (1, "two"))
    assert cache.load("run", "k") == (1, "two")
    assert cache.load("run", "other") is None
    assert (cache.folder / ".gitignore").read_text() == "*\n"


def test_the_key_is_private_and_permanent(cache: Cache, tmp_path: Path) -> None:
    key = tmp_path / "user" / "tilecheck" / "key"
    assert key.stat().st_mode & 0o077 == 0
    assert open_cache(cache.folder) == cache


def test_an_entry_of_another_user_is_not_loaded(cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("run", "k", "theirs")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "me"))
    mine = open_cache(cache.folder)
    assert mine is not None and mine.load("run", "k") is None


class _Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, ("exploded",))


def test_a_forged_entry_is_never_unpickled(cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache.store("run", "k", 1)
    path = cache.folder / "run" / "k"
    mac = path.read_bytes()[:32]
    path.write_bytes(mac + pickle.dumps(_Bomb()))
    assert cache.load("run", "k") is None
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_a_damaged_entry_is_ignored(cache: Cache, damage: bytes) -> None:
    cache.store("run", "k", 1)
    (cache.folder / "run" / "k").write_bytes(damage)
    assert cache.load("run", "k") is None


def test_an_entry_under_another_name_is_ignored(cache: Cache) -> None:
    cache.store("run", "k", 1)
    os.rename(cache.folder / "run" / "k", cache.folder / "run" / "j")
    assert cache.load("run", "j") is None


def test_a_folder_that_cannot_be_created_only_disables_the_cache(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    unusable = Cache(tmp_path / "file" / "cache", cache.key)
    unusable.store("run", "k", 1)
    assert unusable.load("run", "k") is None


def test_a_key_that_others_can_read_is_not_used(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "user" / "tilecheck" / "key").chmod(0o644)
    assert open_cache(cache.folder) is None


def test_only_the_newest_entries_are_retained(cache: Cache) -> None:
    for number in range(5):
        cache.store("run", str(number), number)
        os.utime(cache.folder / "run" / str(number), ns=(number, number))
    cache.prune("run", keep=2)
    assert sorted(p.name for p in (cache.folder / "run").iterdir()) == ["3", "4"]


def test_digests_depend_on_the_boundaries_of_parts() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab") == digest(b"ab")
