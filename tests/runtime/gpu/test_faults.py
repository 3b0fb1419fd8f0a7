"""Things that go wrong on a GPU: the right error, no wrong result, no crash."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tilecheck_runtime import f32


def script(text, **environment):
    import os

    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=200,
                          env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_kernel_that_faults_is_named():
    code, out, err = script("""
        import tilecheck_runtime as tcr
        from tests.cases.dialect import add
        from tests.runtime.dialect.kernels import in_place
        from tests.runtime.backends.cuda.kernels import increased
        from tilecheck_runtime import f32
        from tilecheck_runtime.backends.selection.select import current

        x = tcr.ones((1 << 20,), f32)
        good = add(tcr.zeros((1 << 20,), f32).partition(1024), x, x).sync()
        wrong = tcr.zeros((1 << 20,), f32)
        wrong._storage.memory.address = 0x10
        flight = increased(wrong.partition(1024)).start()
        try:
            flight.wait()
        except Exception as error:
            print(type(error).__name__, error)
        try:
            add(tcr.zeros((4,), f32).partition(4), x, x).sync()
        except Exception as error:
            print(type(error).__name__)
    """)
    assert "DeviceFailureError the GPU failed with CUDA_ERROR_ILLEGAL_ADDRESS" in out, (out, err)
    assert "`increased` launched at" in out and "`add`" not in out.splitlines()[0]
    assert out.splitlines()[-1] == "DeviceFailureError" and code in (0, 1, 120)


def test_a_missing_driver_or_device_is_reported():
    _, out, err = script("import tilecheck_runtime as tcr; tcr.zeros((4,), 'float32')", CUDA_VISIBLE_DEVICES="")
    assert "NoGPUError" in err and "CUDA_VISIBLE_DEVICES" in err, (out, err)
    code, out, err = script("import tilecheck_runtime as tcr; print(tcr.zeros((4,), 'float32')._storage.memory.device)",
                            CUDA_VISIBLE_DEVICES="", TILECHECK_BACKEND="")
    assert out.strip() == "cpu" and code == 0, err


def test_a_program_that_ends_in_flight():
    code, out, err = script("""
        import tilecheck_runtime as tcr
        from tests.cases.dialect import add
        from tilecheck_runtime import f32

        x = tcr.ones((1 << 24,), f32)
        flights = [add(tcr.zeros((1 << 24,), f32).partition(1024), x, x).start() for _ in range(20)]
        print("ends")
    """)
    assert (code, out.strip()) == (0, "ends"), err


def test_strict_streams(monkeypatch):
    monkeypatch.setenv("TILECHECK_STREAMS", "strict")
    x = tcr.ones((1 << 26,), f32)
    bound = add.bind(tcr.zeros((1 << 26,), f32).partition(1024), x, x)
    side = tcr.stream("side")
    for _ in range(10):
        bound()
    with pytest.raises(tcr.StreamError, match="stream `side` uses memory that stream `default` still uses"):
        bound(side)
    assert (bound.release().numpy()[::100_001] == 2).all()


def test_a_grid_that_is_too_large():
    z = tcr.zeros(((1 << 24) + 8,), f32).partition(1)
    x = tcr.ones(((1 << 24) + 8,), f32)
    op = add(z, x, x)
    with pytest.raises(tcr.GridError, match="blocks along axis 0"):
        op.sync()


def test_memory_that_does_not_fit():
    with pytest.raises(MemoryError, match="bytes do not fit on cuda:0"):
        tcr.empty((1 << 40,), f32, unsafe="it is not there")
    tcr.ones((4,), f32)
