"""The compiler is found and runs in a separate environment, and its problems are reported with a remedy."""

from __future__ import annotations

import importlib.metadata
import os
import stat

import pytest

from tests.runtime.compile import fake, needs
from tilecheck_runtime.compile import toolchain
from tilecheck_runtime.compile.toolchain import (
    OVERRIDE,
    check_architecture_name,
    check_supported,
    environment,
    find_toolchain,
)
from tilecheck_runtime.errors.compilation import ArchitectureError, MissingToolError, ToolVersionError

pytestmark = [needs.bytecode, pytest.mark.skipif(os.name != "posix", reason="the fake compiler is a shell script")]


@pytest.fixture(autouse=True)
def forgotten():
    toolchain._find_toolchain.cache_clear()
    toolchain._architectures.cache_clear()
    yield
    toolchain._find_toolchain.cache_clear()
    toolchain._architectures.cache_clear()


@pytest.fixture
def versions(monkeypatch):
    """Installed packages, by name."""
    known = {"cuda-tile": "1.7.0"}

    def version(name):
        if name not in known:
            raise importlib.metadata.PackageNotFoundError(name)
        return known[name]

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(toolchain.Path, "glob", lambda self, pattern: iter(()))  # no toolkit in /usr/local
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv(OVERRIDE, raising=False)
    return known


def test_a_named_compiler_is_used(tmp_path, monkeypatch):
    path = fake.tileiras(tmp_path, release="13.5")
    monkeypatch.setenv(OVERRIDE, path)
    tools = find_toolchain()
    assert (tools.tileiras, tools.root, tools.version, tools.bytecode) == (path, str(tmp_path), (13, 5), "13.4")
    assert tools.architectures == ("sm_80", "sm_90") and tools.unchecked
    assert any("13.5" in part for part in tools.identity) and "ptxas 1\n" in tools.identity


def test_an_older_one_gets_older_bytecode_with_all_bounds_checks(tmp_path, monkeypatch):
    monkeypatch.setenv(OVERRIDE, fake.tileiras(tmp_path, release="13.3"))
    assert find_toolchain().bytecode == "13.3" and not find_toolchain().unchecked


def test_a_compiler_on_the_path_is_found(tmp_path, versions, monkeypatch):
    path = fake.tileiras(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(path))
    assert find_toolchain().tileiras == path


@pytest.mark.parametrize(("packages", "message"), [
    ({}, r"`tileiras`, which makes machine code of Tile IR, is not installed\n(?s:.)*pip install 'tilecheck\[gpu\]'"),
    ({"nvidia-cuda-tileiras": "13.4.92"}, "incomplete: nvidia-cuda-tileiras 13.4.92, nvidia-cuda-nvcc missing"),
    ({"cuda-tile": "1.6.2"}, "cuda-tile 1.6.2 is too old: 1.7 or later is needed"),
    ({"cuda-tile": None}, "`cuda.tile`, which makes Tile IR of kernels, is not installed"),
    ({"nvidia-cuda-tileiras": "13.4.92", "nvidia-cuda-nvcc": "13.5.1", "nvidia-nvvm": "13.4.92"},
     r"different versions: .*nvcc 13.5.1(?s:.)*pip install 'nvidia-cuda-tileiras==13.4.\*'"),
])
def test_missing_or_incompatible_tools_are_reported(versions, packages, message):
    versions.update(packages)
    for name in [n for n, v in versions.items() if v is None]:
        del versions[name]
    with pytest.raises((MissingToolError, ToolVersionError), match=message):
        find_toolchain()


@pytest.mark.parametrize(("release", "message"), [("13.1", "tileiras 13.1 at `.*` is too old: 13.3 or later is needed"),
                                                  ("x", "does not say which version it is")])
def test_unsupported_versions_are_refused(tmp_path, monkeypatch, release, message):
    monkeypatch.setenv(OVERRIDE, fake.tileiras(tmp_path, release=release))
    with pytest.raises(ToolVersionError, match=message):
        find_toolchain()


def test_a_named_compiler_that_does_not_exist_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv(OVERRIDE, str(tmp_path / "nothing"))
    with pytest.raises(MissingToolError, match=f"{OVERRIDE} names `.*nothing`, which is not a program\n.*unset it"):
        find_toolchain()
    broken = tmp_path / "broken"
    broken.write_text("#!/nonexistent/interpreter\n")
    broken.chmod(0o755)
    monkeypatch.setenv(OVERRIDE, str(broken))
    with pytest.raises(MissingToolError, match=r"`.*broken` cannot be run: "):
        find_toolchain()


@pytest.mark.parametrize(("arch", "message"), [
    ("sm_75", r"GPUs of sm_75 do not run kernels in Tile IR\n.*sm_80 \(Ampere\) and later"),
    ("sm_90a", "`sm_90a` is not an architecture\n.*write `sm_90`"),
    ("90", "`90` is not an architecture\n.*write `sm_90`"),
    ("compute_100", "write `sm_100`"),
    ("hopper", "write sm_ and a number, as in `sm_90`"),
])
def test_names_of_architectures(arch, message):
    with pytest.raises(ArchitectureError, match=message):
        check_architecture_name(arch)


@pytest.mark.parametrize(("arch", "message"), [
    ("sm_130", r"tileiras 13.4 does not generate code for sm_130\n(?s:.)*it does for sm_80, sm_90\n.*update it"),
    ("sm_86", "does not generate code for sm_86\n(?s:.)*choose one of these"),
])
def test_architectures_that_a_compiler_does_not_have(tmp_path, monkeypatch, arch, message):
    monkeypatch.setenv(OVERRIDE, fake.tileiras(tmp_path))
    check_supported("sm_90", find_toolchain())
    with pytest.raises(ArchitectureError, match=message):
        check_supported(arch, find_toolchain())


def test_a_compiler_that_lists_no_architectures_is_tried_for_all(tmp_path, monkeypatch):
    monkeypatch.setenv(OVERRIDE, fake.tileiras(tmp_path, architectures=""))
    check_supported("sm_130", find_toolchain())


def test_tools_ignore_another_cuda_in_the_environment():
    given = {"CUDA_HOME": "/old", "CUDA_PATH": "/old", "LD_LIBRARY_PATH": "/old/lib64", "LD_PRELOAD": "x.so",
             "NVVM_HOME": "/old", "PATH": "/old/bin", "HOME": "/home/me", "TMPDIR": "/scratch"}
    assert environment("/new/bin/tileiras", given) == {"HOME": "/home/me", "TMPDIR": "/scratch", "PATH": "/new/bin"}


def test_the_fake_is_a_program(tmp_path):
    assert os.stat(fake.tileiras(tmp_path)).st_mode & stat.S_IXUSR
