"""Results cached between runs.

An entry is a pickle behind a message authentication code made with a key that only this user can read. So a cache that
came with someone else's files is never loaded: it could run code, or claim that a kernel is proved.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from msgspec import Struct

__all__ = ["Cache", "digest", "open_cache", "tool_signature"]

UNREADABLE: Final = "-"
"""In the place of a digest of a file that cannot be read."""

_KEY_BYTES: Final = 32
_MAC_BYTES: Final = 32
_RUNS_KEPT: Final = 24


def digest(*parts: bytes | str) -> str:
    """A digest of a sequence of parts; different sequences have different digests."""
    state = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


class Cache(Struct, frozen=True):
    """A folder of entries by kind and key. A faulty cache behaves as an empty one."""

    folder: Path
    key: bytes

    def load(self, kind: str, key: str) -> object | None:
        """The value stored, or None."""
        import pickle  # which a run without a cache can do without

        try:
            data = (self.folder / kind / key).read_bytes()
            if compare_digest(data[:_MAC_BYTES], self._mac(kind, key, data[_MAC_BYTES:])):
                value: object = pickle.loads(data[_MAC_BYTES:])
                return value
        except Exception:  # unreadable, or written by something that is no longer what it was
            return None
        return None

    def store(self, kind: str, key: str, value: object) -> None:
        """Keep a value, replacing what was there."""
        import pickle

        try:
            body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
            place = self.folder / kind
            if not place.is_dir():
                self._make(place)
            _write(place / key, self._mac(kind, key, body) + body)
        except (
            Exception
        ):  # a full or read-only disk, or a value nested too deep to pickle, costs speed and nothing else
            return

    def prune(self, kind: str, keep: int = _RUNS_KEPT) -> list[str]:
        """Remove all but the newest entries of a kind; the keys of those that were removed."""
        removed: list[str] = []
        try:
            entries = sorted((self.folder / kind).iterdir(), key=lambda p: p.stat().st_mtime_ns, reverse=True)
            for entry in entries[keep:]:
                entry.unlink(missing_ok=True)
                removed.append(entry.name)
        except OSError:
            return removed
        return removed

    def retain(self, kind: str, keys: Collection[str]) -> None:
        """Remove the entries of a kind that have none of these keys."""
        try:
            with os.scandir(self.folder / kind) as entries:
                for entry in entries:
                    if entry.name not in keys:
                        os.unlink(entry.path)
        except OSError:
            return

    def remove(self, kind: str) -> None:
        """Remove all entries of a kind."""
        self.retain(kind, ())
        with suppress(OSError):
            os.rmdir(self.folder / kind)

    def _mac(self, kind: str, key: str, body: bytes) -> bytes:
        state = blake2b(key=self.key, digest_size=_MAC_BYTES)
        state.update(f"{kind}/{key}:".encode())
        state.update(body)
        return state.digest()

    def _make(self, place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        marks = {
            ".gitignore": "*\n",
            "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
        }
        for name, text in marks.items():
            if not (self.folder / name).exists():
                _write(self.folder / name, text.encode())


def open_cache(folder: Path) -> Cache | None:
    """The cache in a folder; None when this user has no place for a private key."""
    key = _private_key(_key_folder() / "key")
    return None if key is None else Cache(folder, key)


def _key_folder() -> Path:
    if configured := os.environ.get("XDG_CACHE_HOME"):
        return Path(configured) / "tilecheck"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "tilecheck"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tilecheck"
    return Path.home() / ".cache" / "tilecheck"


def _private_key(path: Path) -> bytes | None:
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, os.urandom(_KEY_BYTES), replace=False)
        info = path.stat()
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o077):
            return None
        key = path.read_bytes()
    except (OSError, RuntimeError):  # no home folder, or none that can be written
        return None
    return key if len(key) == _KEY_BYTES else None


def _write(path: Path, data: bytes, replace: bool = True) -> None:
    """Write a file at once, readable by this user only. Without `replace`, an existing one stays."""
    temporary = path.with_name(f".new-{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        if replace or not path.exists():
            os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def tool_signature() -> str:
    """Changes whenever the checker, the interpreter or a library that verdicts depend on does."""
    package = Path(__file__).parents[1]
    stamps = [_stamp(path) for path in sorted(package.rglob("*.py"))]
    solver = _spec("z3")
    stamps += [_stamp(Path(solver.origin))] if solver and solver.origin else []
    return digest(sys.version, *stamps)


def _stamp(path: Path) -> str:
    info = path.stat()
    return f"{path}:{info.st_size}:{info.st_mtime_ns}"


def _spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):
        return None


def content_digests(paths: Iterable[str]) -> dict[str, str]:
    """Digest of each file's content, or `UNREADABLE`."""
    out = {}
    for path in paths:
        try:
            with open(path, "rb") as stream:
                out[path] = digest(stream.read())
        except OSError:
            out[path] = UNREADABLE
    return out
