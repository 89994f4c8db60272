"""The linear-algebra VM; test/python/linear.test compares random programs with the reference."""

from __future__ import annotations

from pathlib import Path

import gpuvm
import gpuvm.linear
import numpy as np
import pytest
from conftest import ROOT

SUMS = """
.buffer x 4 in
.buffer y 4 out
.routine main
  VMID r0
  SETI r1, base(x)
  ADD r1, r1, r0
  READ r2, r1
  STORE r2, m3
  LOAD r3, m3
  ADD r2, r2, r3
  SETI r1, base(y)
  ADD r1, r1, r0
  WRITE r1, r2
  HALT
.phase all
run main 4
"""


@pytest.mark.parametrize("mode", ["auto", "faithful", "compiled", "fused"])
def test_machines(mode: str) -> None:
    program = gpuvm.linear.assemble(SUMS, mode=mode)
    assert program.machines == 4 and list(program.buffers) == ["x", "y"]
    run = program.run(x=np.arange(4, dtype=np.float32))
    assert run["y"].tolist() == [0, 2, 4, 6] and dict(run).keys() == {"y"}
    assert run.machines == 4 and run.status_names == ("HALTED",) * 4 and run.fault_names == ("",) * 4
    assert run.registers[2].tolist() == [2, 6, 4, 2] and run.memory[3, 3] == 3
    assert run.phases[0].end == "stopped" and run.phases[0].io == 4 * 4
    assert "4 machines" in repr(run) and "<td" in run._repr_html_() and "4 machines" in repr(program)


def test_faults_are_results() -> None:
    run = gpuvm.linear.assemble(".routine main\n  SETI r0, -5\n  READ r1, r0\n  HALT\n.phase p\nrun main 2\n").run()
    assert run.status_names == ("FAULTED",) * 2 and run.fault_names == ("ADDRESS",) * 2
    assert run.phases[0].end == "faulted"
    assert run.ip.tolist() == [1, 1]


def test_a_file_and_its_plan(tmp_path: Path) -> None:
    path = ROOT / "examples" / "linear" / "affine.lvm"
    program = gpuvm.linear.load(path)
    x = np.arange(1, 9, dtype=np.float32)
    expected = program(x=x)["y"]
    program.plan.save(tmp_path / "affine.gvplan")
    loaded = gpuvm.linear.load(tmp_path / "affine.gvplan", device="cpu")
    assert np.array_equal(loaded(x=x)["y"], expected)
    with loaded.plan.boot() as vm:
        assert np.array_equal(loaded.run(vm=vm, x=x)["y"], expected)
    with pytest.raises(gpuvm.UsageError, match="compiled already: mode would change nothing"):
        gpuvm.linear.load(tmp_path / "affine.gvplan", mode="fused")


def test_what_is_wrong() -> None:
    with pytest.raises(gpuvm.CompileError, match=r"<text>\.lvm:2:3: error: .*NOP"):
        gpuvm.linear.assemble(".routine main\n  NOP r0\n.phase p\nrun main 1\n")
    with pytest.raises(gpuvm.UsageError, match=r'ends with ".lvm"'):
        gpuvm.linear.assemble(SUMS, name="sums")
    with pytest.raises(gpuvm.UsageError, match="linear-mode"):
        gpuvm.linear.assemble(SUMS, mode="quick")
    with pytest.raises(gpuvm.PlanError, match="no output state"):
        gpuvm.linear.Program(gpuvm.compile(ROOT / "examples" / "hello.mlir"))
    program = gpuvm.linear.assemble(SUMS)
    with pytest.raises(gpuvm.InputError, match="lacks 1 of its inputs: x"):
        program.run()
    with pytest.raises(gpuvm.UsageError, match=r'no buffer "z" that comes out \(buffers: y'):
        program.run(x=[0, 1, 2, 3])["z"]
