"""Memory that stays, several programs, executions in flight, devices."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
import weakref
from pathlib import Path

import gpuvm
import numpy as np
import pytest
from conftest import COUNTER, HELLO, loop_text

FOREVER = 2**31 - 1


def test_programs_over_one_memory(counter: gpuvm.Vm) -> None:
    assert counter.programs == ("add", "scale")
    assert [counter.run("add", amount=each)["sum"].item() for each in (1, 2, 3.5)] == [1, 3, 6.5]
    assert counter.run("scale", factor=2)["scaled"] == 13
    assert counter.read("total") == counter.read("add.sum") == counter.read("sum") == 6.5
    counter.write("total", 10)
    assert counter.run("scale", factor=3) == {"scaled": 30}
    counter.execute("add", amount=1)
    assert counter.read("sum") == 11


def test_program_of_several() -> None:
    program = gpuvm.compile(COUNTER)
    assert program["add"](amount=2)["sum"] == 2
    assert program["scale"](factor=4)["scaled"] == 8
    other = program.boot()
    assert other.run("add", amount=1)["sum"] == 1
    assert program["add"](amount=1)["sum"] == 3
    with pytest.raises(gpuvm.UsageError, match=r"The plan has 2 programs, and none is named: add, scale."):
        program(amount=1)
    with pytest.raises(gpuvm.UsageError, match='There is no program "ad"; did you mean "add"'):
        program["ad"]
    with pytest.raises(gpuvm.InputError, match='Program "scale" has no input "amount"'):
        program["scale"](amount=1)
    with pytest.raises(gpuvm.InputError, match=r'Program "add" lacks 1 of its inputs: amount \(f32\)'):
        program["add"]()


def test_what_a_plan_has(counter: gpuvm.Vm) -> None:
    assert list(counter.inputs) == ["add.amount", "scale.factor"]
    assert list(counter.outputs) == ["add.sum", "scale.scaled"]
    total = counter.symbols["total"]
    assert total.dtype == np.float32
    assert (total.shape, total.element, total.region, total.type) == ((), "f32", "globals", "f32")
    assert counter.describe().splitlines()[:3] == ["program add", "program scale", "input add.amount: f32"]
    assert [stage.name for stage in counter.stages] == ["add.step", "scale.times"]
    assert counter.stages[0].location.startswith("<text>:")


def test_symbols_are_checked(counter: gpuvm.Vm) -> None:
    with pytest.raises(gpuvm.InputError, match='There is no symbol "totl"; did you mean "total"'):
        counter.write("totl", 1)
    with pytest.raises(gpuvm.InputError, match=r'Symbol "total" \(f32\): the str'):
        counter.write("total", "one")
    with pytest.raises(gpuvm.InputError, match='There is no output or symbol "x"'):
        counter.read("x")


def test_save_and_restore(counter: gpuvm.Vm, tmp_path: Path) -> None:
    counter.run("add", amount=5)
    counter.save(tmp_path / "state")
    counter.run("add", amount=5)
    counter.restore(tmp_path / "state")
    assert counter.read("total") == 5
    with gpuvm.Vm(counter.plan) as other:
        other.restore(tmp_path / "state")
        assert other.run("add", amount=1)["sum"] == 6
        (tmp_path / "state").write_bytes((tmp_path / "state").read_bytes()[:-1])
        with pytest.raises(gpuvm.PlanError):
            other.restore(tmp_path / "state")
        with pytest.raises(gpuvm.UsageError):
            other.save(tmp_path / "no" / "state")
        assert other.read("total") == 6


def test_files_as_inputs(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    np.arange(16, dtype=np.float32).tofile(path)
    vm = gpuvm.compile(HELLO).boot()
    vm.bind_file("x", path, offset=4)
    assert vm.run()["sum"] == sum(i * i for i in range(1, 9))
    vm.bind_file_ranges(path, [gpuvm.FileRange("x", 0, 16), gpuvm.FileRange("x", 32, 16, 16)])
    assert vm.run()["sum"] == sum(i * i for i in (0, 1, 2, 3, 8, 9, 10, 11))
    with pytest.raises(gpuvm.Error):
        vm.bind_file("x", path, offset=60)
    with pytest.raises(gpuvm.UsageError, match="offset in the file -4 is no number from 0"):
        vm.bind_file("x", path, offset=-4)
    with pytest.raises(gpuvm.Error):
        vm.bind_file_ranges(path, [gpuvm.FileRange("x", 0, offset=40)])
    with pytest.raises(gpuvm.Error):
        vm.bind_file("x", tmp_path / "missing")
    with pytest.raises(gpuvm.InputError, match="lacks 1 of its inputs"):
        vm.run()
    with pytest.raises(gpuvm.InputError, match="did you mean"):
        vm.bind_file("xx", path)


def test_rows_that_the_device_counts() -> None:
    program = gpuvm.compile(
        """
!rows = tensor<?xf32, #gpuvm.bound<6>>
gpuvm.program @positive(%in: tensor<6xf32>) -> (kept: !rows) {
  %kept = gpuvm.stage @filter(%x = %in : tensor<6xf32>) -> !rows {
    %zero = arith.constant dense<0.0> : tensor<6xf32>
    %keep = arith.cmpf ogt, %x, %zero : tensor<6xf32>
    %v, %n = gpuvm.compact %x where %keep : (tensor<6xf32>, tensor<6xi1>) -> (tensor<6xf32>, tensor<i32>)
    %b = gpuvm.bounded %v[%n] : tensor<6xf32> -> !rows
    gpuvm.send %b : !rows
  }
  gpuvm.return %kept : !gpuvm.message<!rows>
}
"""
    )
    assert program(**{"in": [1, -1, 2, -2, 3, -3]})["kept"].tolist() == [1, 2, 3]
    assert program(**{"in": [-1] * 6})["kept"].tolist() == []
    assert program.outputs["kept"].shape == (6,) and program.outputs["kept"].rows


def test_inputs_with_as_many_rows_as_there_are(tmp_path: Path) -> None:
    program = gpuvm.compile(
        """
!rows = tensor<?x2xf32, #gpuvm.bound<1000>>
!column = tensor<?xf32, #gpuvm.bound<1000>>
gpuvm.program @scale(%x: !rows, %by: !column rows %x) -> (y: !rows, sum: tensor<f32>) {
  %y, %sum = gpuvm.stage @multiply(%a = %x : !rows, %b = %by : !column) -> (!rows, tensor<f32>) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%a, %b : !rows, !column) outs(%zero : tensor<f32>) {
    ^bb0(%v: f32, %f: f32, %old: f32):
      %p = arith.mulf %v, %f : f32
      %new = arith.addf %old, %p : f32
      linalg.yield %new : f32
    } -> tensor<f32>
    %twice = arith.addf %a, %a : !rows
    gpuvm.send %twice, %s : !rows, tensor<f32>
  }
  gpuvm.return %y, %sum : !gpuvm.message<!rows>, !gpuvm.message<tensor<f32>>
}
"""
    )
    assert program.inputs["x"].shape == (1000, 2) and program.inputs["x"].rows == program.inputs["by"].rows
    for count in (3, 0, 1000, 1):
        x = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
        by = np.full(count, 2, dtype=np.float32)
        result = program(x=x, by=by)
        np.testing.assert_array_equal(result["y"], 2 * x, strict=True)
        assert result["sum"] == (2 * x).sum()
    assert program.vm.stats().recordings == 1
    assert program(x=[[1, 2]], by=[3])["sum"] == 9
    for bad, text in (
        (np.zeros((1001, 2), np.float32), r'"x" .* has the shape \(1001, 2\), and \(1000, 2\), or fewer rows, is wanted'),
        (np.zeros((4, 3), np.float32), "has the shape"),
        (np.float32(1), "has the shape"),
        (np.zeros((4, 2), np.float32), 'Input "by" has 3 rows, and input "x", which has the same ones, has 4'),
    ):
        with pytest.raises(gpuvm.InputError, match=text):
            program(x=bad, by=np.ones(3, np.float32))
    vm = program.boot()
    path = tmp_path / "numbers"
    np.arange(10, dtype=np.float32).tofile(path)
    vm.bind_file("x", path, 8)
    assert vm.run(by=[1, 1, 1, 1])["y"].tolist() == [[4, 6], [8, 10], [12, 14], [16, 18]]
    with pytest.raises(gpuvm.Error, match="at most 1000 rows of 8 bytes, but the data given has 36 bytes"):
        vm.bind_file("x", path, 4)
    taken: list[int] = []
    chunks = ({"x": np.ones((n, 2), np.float32), "by": np.ones(n, np.float32)} for n in (1000, 7, 1))
    vm.stream(chunks, lambda result: taken.append(int(result["sum"])), outputs=["sum"])
    assert taken == [2000, 14, 2]


def test_in_flight(loop: gpuvm.Vm) -> None:
    run = loop.start(most=FOREVER)
    assert not run.done and not run.wait(0.01)
    with pytest.raises(TimeoutError, match=r'Program "loop" still runs after 0.01 s'):
        run.result(0.01)
    with pytest.raises(gpuvm.UsageError):
        loop.start(most=1)
    seen = [int(each) for _, each in zip(range(5), loop.watch("made"), strict=False)]
    assert seen == sorted(seen) and seen[-1] > 0
    run.cancel(60)
    assert run.done
    times = int(run.result()["times"])
    assert times >= seen[-1]
    assert loop.run(most=3)["times"] == 3


def test_watching_ends_with_the_execution(loop: gpuvm.Vm) -> None:
    run = loop.start(most=500)
    seen = [int(each) for each in loop.watch("made")]
    assert seen[-1] == 500 == run.result()["times"]


def test_executions_one_after_the_other(loop: gpuvm.Vm) -> None:
    first = loop.start(most=3)
    assert first.wait() and first.result()["times"] == 3
    second = loop.start(most=FOREVER)
    assert first.done and not second.done
    first.cancel()  # Which has ended: nothing happens.
    assert not second.done
    with pytest.raises(gpuvm.UsageError, match="are those of a later one now"):
        first.result()
    second.cancel(60)
    assert second.result()["times"] > 0
    assert "ended" in repr(second)


def test_excess_is_told_each_time() -> None:
    text = """
gpuvm.program @p(%x: tensor<i32>) -> (y: tensor<i32>) {
  gpuvm.control @found : tensor<i32> up_to 5
  %m = gpuvm.stage @count(%v = %x : tensor<i32>) -> tensor<i32> {
    gpuvm.store %v, @found : tensor<i32>
    gpuvm.send %v : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}
"""
    program = gpuvm.compile(text)
    run = program.vm.start(x=9)
    for _ in range(2):
        with pytest.raises(gpuvm.ExcessError, match="9"):
            run.result()
    with pytest.raises(gpuvm.ExcessError):
        program(x=7)
    assert program(x=5)["y"] == 5
    assert program.symbols["found"].bound == 5


def test_control_while_it_runs(loop: gpuvm.Vm) -> None:
    run = loop.start(most=FOREVER)
    threading.Timer(0.1, lambda: loop.write("cancel", 1)).start()
    assert run.result()["times"] > 0
    loop.write("cancel", 0)


def test_await(loop: gpuvm.Vm) -> None:
    async def both() -> tuple[int, int]:
        with gpuvm.compile(HELLO).boot() as other:
            first, second = await asyncio.gather(loop.start(most=50), other.start(x=np.ones(8, np.float32)))
            return int(first["times"]), int(second["sum"])

    assert asyncio.run(both()) == (50, 8)


def test_a_task_that_is_cancelled(loop: gpuvm.Vm) -> None:
    async def main() -> None:
        await asyncio.wait_for(loop.start(most=FOREVER)._poll(), 0.1)

    with pytest.raises((asyncio.TimeoutError, gpuvm.DeviceLostError)):
        asyncio.run(main())


def test_past_the_deadline(loop: gpuvm.Vm) -> None:
    loop.prepare()
    with gpuvm.Vm(loop.plan, timeout=0.2) as vm:
        with pytest.raises(gpuvm.DeviceLostError):
            vm.run(most=FOREVER)
        assert vm.is_lost
        with pytest.raises(gpuvm.DeviceLostError, match=r"reload\(\) loads the plan again"):
            vm.run(most=1)
        vm.reload()
        vm.set_timeout(60)
        assert vm.run(most=4)["times"] == 4


def test_a_program_whose_device_was_lost_goes_on() -> None:
    program = gpuvm.compile(loop_text())
    assert program(most=2)["times"] == 2
    program.vm.set_timeout(0.2)
    with pytest.raises(gpuvm.DeviceLostError):
        program(most=FOREVER)
    assert program(most=2)["times"] == 2


def test_threads(counter: gpuvm.Vm) -> None:
    sums: list[float] = []

    def work() -> None:
        for _ in range(20):
            sums.append(float(counter.run("add", amount=1)["sum"]))  # noqa: PERF401

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sums) == list(range(1, 81))


def test_stats(counter: gpuvm.Vm) -> None:
    counter.run("add", amount=1)
    counter.run("add", amount=1)
    stats = counter.stats()
    assert (stats.executions, stats.submits, stats.stages) == (2, 2, 2)
    assert stats.device_us > 0 and stats.robust
    assert counter.device_kind in ("cpu", "gpu") and counter.device
    with pytest.raises(gpuvm.UsageError, match="--keep-metadata"):
        counter.message_status(0)
    with gpuvm.compile(HELLO, keep_metadata=True).boot() as vm:
        vm.run(x=np.ones(8, np.float32))
        assert vm.message_status(0) == vm.message_status(1) == 0


def test_what_a_plan_has_needs_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "examples" / "hello.mlir").read_text()
    program = gpuvm.compile(text, name="hello.mlir", device="a device that is not there")
    assert program.describe().splitlines() == ["program hello", "input x: 8xf32", "output sum: f32"]
    assert [stage.location.partition(":")[0] for stage in program.stages] == ["hello.mlir"] * len(program.stages)
    assert program.programs == ("hello",) and not program.symbols
    with pytest.raises(gpuvm.UsageError, match='no program "hallo"; did you mean "hello"'):
        program["hallo"]
    with pytest.raises(gpuvm.DeviceError):
        program(x=np.zeros(8, np.float32))
    with pytest.raises(gpuvm.PlanError):
        gpuvm.Program(program.plan[:-8]).inputs  # noqa: B018
    assert "bytes" in repr(gpuvm.Program(program.plan[:-8]))


def test_profile(counter: gpuvm.Vm) -> None:
    with pytest.raises(gpuvm.UsageError, match="does not time commands"):
        counter.profile("add", amount=1)
    with gpuvm.Vm(counter.plan, profile=True) as vm:
        profile = vm.profile("add", executions=3, warmup=2, amount=2)
        assert vm.read("total") == 10 and vm.read("add.sum") == 10
        assert profile.executions == 3 and profile.total_us.p10 <= profile.total_us.median <= profile.total_us.p90
        assert [stage.name for stage in profile.stages] == ["add.step", "scale.times"]
        assert profile.stages[0].kernels and profile.stages[1].alone_us.median == 0
        assert 0.99 < sum(each.share for each in profile.kernels) < 1.01
        assert profile.kernels[0].name in str(profile) and json.loads(profile.text)["commands"]
        with pytest.raises(gpuvm.UsageError, match="one execution at least"):
            vm.profile("add", executions=0, amount=1)
        with pytest.raises(gpuvm.InputError):
            vm.profile("add", executions=1)
    assert gpuvm.compile(HELLO).profile(executions=2, x=np.ones(8, np.float32)).executions == 2


def test_a_profile_can_be_cancelled(loop: gpuvm.Vm) -> None:
    with gpuvm.Vm(loop.plan, profile=True) as vm:
        vm.prepare()
        threading.Timer(0.5, lambda: vm.cancel(60)).start()
        with pytest.raises(gpuvm.UsageError, match="The profile is cancelled"):
            vm.profile(executions=1000, warmup=0, most=FOREVER)
        assert vm.run(most=2)["times"] == 2


def test_tables_for_notebooks(counter: gpuvm.Vm) -> None:
    with gpuvm.compile(COUNTER.replace("@step", '@"<b>"'), name="a&b.mlir", keep_metadata=True).boot(profile=True) as vm:
        profile = vm.profile("add", executions=1, amount=1)._repr_html_()
        assert "&lt;b&gt;" in profile and "<b>" not in profile and "1 executions" in profile
    program = gpuvm.compile(HELLO)
    made = program(x=np.arange(8, dtype=np.float32))
    assert made == {"sum": 140} and repr(made) == "{'sum': array(140., dtype=float32)}"
    assert "float32" in made._repr_html_() and "140." in made._repr_html_()  # type: ignore[attr-defined]
    assert "8xf32" in program._repr_html_() and "hello.mlir:" in program._repr_html_()
    assert "executions</td>" in counter._repr_html_()
    counter.close()
    assert "closed" in counter._repr_html_()


def test_a_page_of_a_plan(tmp_path: Path) -> None:
    program = gpuvm.compile(HELLO, device="a device that is not there")
    page = program.page(title="Five & six")
    assert page.startswith("<!DOCTYPE html>") and "<title>Five &amp; six</title>" in page
    assert len(program.page(code=())) < len(page)
    profile = gpuvm.compile(HELLO).profile(executions=1, x=np.ones(8, np.float32))
    program.html(tmp_path / "hello.html", profile=profile)
    assert profile.device in (tmp_path / "hello.html").read_text() and profile.device not in page
    with pytest.raises(gpuvm.UsageError, match=r'no text "gsl" of kernels; did you mean "glsl"'):
        program.page(code=["gsl"])
    other = gpuvm.compile(COUNTER)
    with pytest.raises(gpuvm.PlanError):
        other.page(profile=profile)
    with pytest.raises(gpuvm.UsageError):
        program.html(tmp_path / "no" / "hello.html")


def test_life(counter: gpuvm.Vm) -> None:
    assert repr(counter).startswith("<gpuvm.Vm on ")
    counter.close()
    counter.close()
    assert repr(counter) == "<gpuvm.Vm: closed>"
    with pytest.raises(gpuvm.UsageError, match="The VM is closed"):
        counter.run("add", amount=1)


def test_nothing_keeps_a_vm() -> None:
    vm = gpuvm.compile(HELLO).boot()
    vm.run(x=np.zeros(8, np.float32))
    dead = weakref.ref(vm)
    del vm
    gc.collect()
    assert dead() is None


def test_closing_ends_what_is_in_flight(loop: gpuvm.Vm) -> None:
    loop.start(most=FOREVER)
    start = time.monotonic()
    loop.close()
    assert time.monotonic() - start < 30


def test_devices() -> None:
    program = gpuvm.compile(HELLO)
    with pytest.raises(gpuvm.DeviceError, match="nonsense"):
        program.boot(device="nonsense")
    with program.boot(device="cpu", cache=False) as vm:
        assert vm.device_kind == "cpu"
    with pytest.raises(gpuvm.OutOfMemoryError):
        program.boot(vram_budget=1)
    for bad in ({"timeout": -1}, {"timeout": float("nan")}, {"vram_budget": -1}, {"vram_budget": 1 << 64}):
        with pytest.raises(gpuvm.UsageError):
            program.boot(**bad)
    with program.boot(timeout=float("inf")) as vm:
        assert vm.run(x=np.ones(8, np.float32))["sum"] == 8
        with pytest.raises(gpuvm.UsageError):
            vm.message_status(-1)
