"""Compiled kernels on disk: shared, killed, damaged, foreign, and in excess of the limit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tilecheck_runtime.errors.compilation import CacheFolderError
from tilecheck_runtime.kernel_cache import folder as folders
from tilecheck_runtime.kernel_cache.record import DamagedRecord, Record, decode, encode
from tilecheck_runtime.kernel_cache.store import LIMIT, Store, limit

posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and permissions are those of POSIX")
ROOT = Path(__file__).parents[3]


def key(n):
    return f"{n:064x}"


def record(n, size=1000):
    return Record(key(n), {"symbol": f"kernel{n}"}, bytes([n % 256]) * size)


def put(store, n, size=1000):
    return store.get_or_make(key(n), lambda: record(n, size), lambda _: True)


def place(store, n):
    return store._place(key(n))


def test_built_entries_are_found(tmp_path):
    store = Store(tmp_path / "kernels")
    assert put(store, 1) == (record(1), False)
    assert Store(tmp_path / "kernels").get_or_make(key(1), lambda: pytest.fail("made again"), lambda _: True) == (
        record(1), True)
    about = store.info()
    assert (about.kernels, about.bytes) == (1, place(store, 1).stat().st_size)
    assert store.clear().kernels == 1 and store.info().kernels == 0


@posix
def test_the_cache_is_private_to_the_user(tmp_path):
    store = Store(tmp_path / "new" / "kernels")
    put(store, 1)
    for path in (store.folder, *store.folder.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


DAMAGES = {
    "bit": lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
    "cut": lambda data: data[:-10],
    "empty": lambda data: b"",
    "longer": lambda data: data + b"\0",
    "another": lambda data: encode(record(2)),
    "other format": lambda data: b"something else" + data,
    "header": lambda data: encode(Record(key(1), {}, b""))[:60] + data[60:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_rebuilt(tmp_path, damage):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    path = place(store, 1)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(DamagedRecord):
        decode(path.read_bytes(), key(1))
    assert put(store, 1) == (record(1), False)
    assert put(store, 1) == (record(1), True)


def test_an_entry_that_its_reader_refuses_is_rebuilt(tmp_path):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    made = store.get_or_make(key(1), lambda: record(1, 7), lambda r: len(r.cubin) == 7)
    assert made == (record(1, 7), False)


@posix
def test_an_entry_that_others_can_write_is_not_used(tmp_path):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    place(store, 1).chmod(0o666)
    assert put(store, 1)[1] is False


@posix
def test_a_link_in_place_of_an_entry_is_not_followed(tmp_path):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    elsewhere = tmp_path / "elsewhere"
    os.replace(place(store, 1), elsewhere)
    place(store, 1).symlink_to(elsewhere)
    assert put(store, 1)[1] is False
    assert not place(store, 1).is_symlink()


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_is_refused(tmp_path, mode):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    store.folder.chmod(mode)
    with pytest.raises(CacheFolderError, match=rf"can be written by others \(mode {mode:o}\)(?s:.)*chmod 700 "):
        put(store, 1)


@posix
def test_a_folder_in_one_that_others_can_write_is_refused(tmp_path):
    store = Store(tmp_path / "open" / "kernels")
    put(store, 1)
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(CacheFolderError, match=r"lies in .*open, which others can change"):
        put(store, 1)
    (tmp_path / "open").chmod(0o1777)
    assert put(store, 1)[1]


@posix
def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    owner = store.folder.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(CacheFolderError, match=rf"belongs to another user \(uid {owner}\)"):
        put(store, 1)


@posix
def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "kernels").write_text("")
    with pytest.raises(CacheFolderError, match="is not a folder"):
        put(Store(tmp_path / "kernels"), 1)


def test_kernels_are_compiled_without_a_writable_cache(tmp_path, monkeypatch):
    store = Store(tmp_path / "kernels")

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert put(store, 1) == (record(1), False)
    assert store.info().kernels == 0 and not list(store.folder.rglob(".[0-9]*"))
    monkeypatch.setattr(os, "makedirs", full)
    assert put(store, 1) == (record(1), False)


@posix
@pytest.mark.parametrize("missing", ["open", "flock"])
def test_a_file_system_without_locks(tmp_path, monkeypatch, missing):
    from tilecheck_runtime.kernel_cache import locks

    def refuse_lock(*_, **__):
        raise OSError("no locks available")

    monkeypatch.setattr(locks, "os" if missing == "open" else "fcntl", type("Without", (), {
        "open": refuse_lock, "flock": refuse_lock, "LOCK_EX": 2, "O_RDWR": 0, "O_CREAT": 0, "close": os.close}))
    store = Store(tmp_path / "kernels")
    if missing == "flock":
        monkeypatch.setattr(locks, "os", os)
    assert put(store, 1) == (record(1), False) and put(store, 1) == (record(1), True)


def test_the_least_recently_used_entry_is_evicted_first(tmp_path):
    store = Store(tmp_path / "kernels", most=20_000)
    for n in range(10):
        put(store, n, 1500)
        os.utime(place(store, n), (n, n))
    os.utime(place(store, 0))  # used again
    put(store, 99, 8000)
    left = [n for n in (*range(10), 99) if place(store, n).exists()]
    assert left == [0, *range(10 - (len(left) - 2), 10), 99]
    assert store.info().bytes <= 20_000


def test_using_an_entry_keeps_it(tmp_path):
    store = Store(tmp_path / "kernels")
    put(store, 1)
    os.utime(place(store, 1), (1, 1))
    put(store, 1)
    assert place(store, 1).stat().st_mtime > time.time() - PATIENCE


def test_an_entry_larger_than_the_cache_stays_until_the_next(tmp_path):
    store = Store(tmp_path / "kernels", most=100)
    put(store, 1)
    assert put(store, 1)[1]
    put(store, 2)
    assert not place(store, 1).exists() and put(store, 2)[1]


def test_files_of_dead_processes_are_removed(tmp_path):
    store = Store(tmp_path / "kernels", most=10)
    put(store, 1)
    old, young = (place(store, 1).with_name(name) for name in (".1-old", ".1-young"))
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    store.info()
    assert not old.exists() and young.exists()


def test_threads_make_an_entry_once(tmp_path):
    store, made = Store(tmp_path / "kernels"), []

    def make():
        made.append(1)
        time.sleep(0.05)
        return record(1)

    threads = [threading.Thread(target=store.get_or_make, args=(key(1), make, lambda _: True)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_a_failed_build_is_retried(tmp_path):
    store = Store(tmp_path / "kernels")

    def fails():
        raise RuntimeError("compiler crashed")

    with pytest.raises(RuntimeError):
        store.get_or_make(key(1), fails, lambda _: True)
    assert put(store, 1) == (record(1), False)


WORKER = textwrap.dedent("""
    import os, sys, time
    from pathlib import Path
    from tilecheck_runtime.kernel_cache.record import Record
    from tilecheck_runtime.kernel_cache.store import Store
    folder, log, rounds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    store = Store(folder, most=400_000)
    for turn in range(rounds):
        n = turn % 20
        key = f"{n:064x}"

        def make():
            with open(log, "a") as file:
                file.write(f"{n}\\n")
            time.sleep(0.002)
            return Record(key, {"n": n}, bytes([n]) * 50_000)

        found, _ = store.get_or_make(key, make, lambda r: True)
        assert found == Record(key, {"n": n}, bytes([n]) * 50_000), "a wrong kernel"
    print("done", flush=True)
""")


def workers(tmp_path, count, rounds):
    (tmp_path / "worker.py").write_text(WORKER)
    command = [sys.executable, *(str(tmp_path / name) for name in ("worker.py", "kernels", "log")), str(rounds)]
    return [subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True) for _ in range(count)]


@posix
def test_processes_make_an_entry_once(tmp_path):
    for process in workers(tmp_path, 4, 5):
        out, err = process.communicate(timeout=PATIENCE)
        assert out == "done\n", err
    assert sorted((tmp_path / "log").read_text().split()) == ["0", "1", "2", "3", "4"]


@posix
@pytest.mark.slow
def test_eight_killed_processes_leave_a_valid_cache(tmp_path):
    """Killed at any moment, over and over; whoever comes next gets whole kernels or makes them anew."""
    for turn in range(3):
        running = workers(tmp_path, 8, 100_000)
        time.sleep(2.0 + 0.3 * turn)
        assert all(p.poll() is None for p in running), [p.communicate()[1] for p in running if p.poll() is not None]
        for process in running:
            process.send_signal(signal.SIGKILL)
        for process in running:
            process.communicate(timeout=PATIENCE)
    store = Store(tmp_path / "kernels", most=400_000)
    for path in store._root.glob("[0-9a-f][0-9a-f]/[0-9a-f]*"):
        assert decode(path.read_bytes(), path.name).cubin == bytes([int(path.name, 16)]) * 50_000
    process, = workers(tmp_path, 1, 40)
    assert process.communicate(timeout=PATIENCE)[0] == "done\n"  # no lock is left behind
    assert store.info().bytes <= 400_000


def test_the_location_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    assert folders.choose_folder() == tmp_path
    for off in ("off", "0", "none"):
        monkeypatch.setenv(folders.VARIABLE, off)
        assert folders.choose_folder() is None
    monkeypatch.delenv(folders.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folders.choose_folder() == tmp_path / "tilecheck" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folders.choose_folder() == tmp_path / ".cache" / "tilecheck" / "kernels"


@pytest.mark.parametrize(("text", "size"), [("", 1 << 30), ("1000", 1000), ("2k", 2048), ("3M", 3 << 20),
                                            ("1GiB", 1 << 30), ("5 MB", 5 << 20)])
def test_how_large_it_may_become(monkeypatch, text, size):
    monkeypatch.setenv(LIMIT, text)
    assert limit() == size


def test_an_invalid_size_is_reported(monkeypatch):
    monkeypatch.setenv(LIMIT, "much")
    with pytest.raises(ValueError, match="TILECHECK_KERNEL_CACHE_SIZE is a number of bytes such as 500M, not 'much'"):
        limit()
