"""From texts and files to plans; what is wrong with them; the cache."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import gpuvm
import numpy as np
import pytest
from conftest import HELLO, ROOT, echo_text

BAD = """gpuvm.program @p(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %z = arith.constant 0.0 : f32
    %r = arith.addf %v, %z : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}
"""
X = np.arange(8, dtype=np.float32)


def test_the_five_lines() -> None:
    program = gpuvm.compile(str(HELLO))
    result = program(x=np.arange(8, dtype=np.float32))
    assert repr(result) == "{'sum': array(140., dtype=float32)}"


def test_text_and_path() -> None:
    text = HELLO.read_text()
    assert gpuvm.compile(text, name=str(HELLO)).plan == gpuvm.compile(HELLO).plan
    assert gpuvm.compile([HELLO]).plan == gpuvm.compile(HELLO).plan
    with pytest.raises(gpuvm.UsageError, match=r"A name .* is for a text"):
        gpuvm.compile(HELLO, name="other")


def test_options() -> None:
    assert gpuvm.compile(HELLO, fusion="never").plan != gpuvm.compile(HELLO).plan
    assert gpuvm.compile(HELLO, target=["generic", "lavapipe"]).plan == gpuvm.compile(HELLO).plan
    assert gpuvm.compile(HELLO, exact=False, barrier_price=None).plan == gpuvm.compile(HELLO).plan
    assert gpuvm.compile(HELLO, keep_module=True, disable_fusion=True).plan != gpuvm.compile(HELLO).plan
    with pytest.raises(gpuvm.UsageError, match=r'--fusio=never \(did you mean "--fusion"\?\)'):
        gpuvm.compile(HELLO, fusio="never")
    with pytest.raises(gpuvm.UsageError, match="--fusion"):
        gpuvm.compile(HELLO, fusion="sometimes")


def test_parameters() -> None:
    text = """gpuvm.parameter @n = 8 in 1 to 64
gpuvm.parameter @rate = 0.5
gpuvm.program @scale(%x: tensor<@n@xf32>) -> (y: tensor<@n@xf32>) {
  %y = gpuvm.stage @s(%v = %x : tensor<@n@xf32>) -> tensor<@n@xf32> {
    %c = arith.constant dense<@rate@> : tensor<@n@xf32>
    %r = arith.mulf %v, %c : tensor<@n@xf32>
    gpuvm.send %r : tensor<@n@xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<@n@xf32>>
}
"""
    program = gpuvm.compile(text, set={"n": 3, "rate": 1e-05})
    assert program.parameters == {"n": 3, "rate": 1e-05}
    assert "parameter n = 3" in program.describe().splitlines()
    assert (program(x=[1, 2, 3])["y"] == np.array([1, 2, 3], np.float32) * np.float32(1e-05)).all()
    assert program.plan == gpuvm.compile(text, set=["n=3", f"rate={1e-05}"]).plan != gpuvm.compile(text).plan
    assert gpuvm.compile(text).parameters == {"n": 8, "rate": 0.5}
    assert gpuvm.compile(HELLO).parameters == {}
    with pytest.raises(gpuvm.CompileError, match=r'"n" is 65, more than its greatest value \(64\)') as caught:
        gpuvm.compile(text, set={"n": 65}, name="scale.mlir")
    (found,) = caught.value.diagnostics
    assert (found.file, found.line, found.column) == ("scale.mlir", 1, 17)
    with pytest.raises(gpuvm.CompileError, match=r'no parameter "rat" \(did you mean "rate"\? parameters: n, rate\)'):
        gpuvm.compile(text, set={"rat": 3})
    with pytest.raises(gpuvm.UsageError, match='"n" is no NAME=VALUE'):
        gpuvm.compile(text, set=["n"])
    with pytest.raises(gpuvm.CompileError, match=r"y is a message, not a tensor: .* \(n = 2\)"):
        gpuvm.compile(text.replace("!gpuvm.message<tensor<@n@xf32>>", "tensor<@n@xf32>"), set={"n": 2})


def test_another_language() -> None:
    path = ROOT / "examples" / "linear" / "affine.lvm"
    plan = gpuvm.compile(path).plan
    assert plan == gpuvm.compile(path.read_text(), name=str(path)).plan
    with pytest.raises(gpuvm.CompileError) as caught:
        gpuvm.compile("nonsense\nmore", name="x.lvm")
    assert [(each.file, each.line) for each in caught.value.diagnostics][:1] == [("x.lvm", 1)]


def test_located_diagnostics() -> None:
    with pytest.raises(gpuvm.CompileError) as caught:
        gpuvm.compile(BAD, name="bad.mlir")
    (found,) = caught.value.diagnostics
    assert (found.severity, found.file, found.line, found.column) == ("error", "bad.mlir", 4, 25)
    assert found.message.startswith("%z is a number (f32), not a tensor<8xf32>: write a constant as")
    assert str(caught.value).splitlines()[0] == f"bad.mlir:4:25: error: {found.message}"
    assert "    %r = arith.addf %v, %z : tensor<8xf32>" in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_notes() -> None:
    twice = "gpuvm.program @p() -> () {\n  gpuvm.return\n}\n" * 2
    with pytest.raises(gpuvm.CompileError) as caught:
        gpuvm.compile(twice)
    error, note = caught.value.diagnostics
    assert (error.severity, error.line, note.severity, note.line) == ("error", 4, "note", 1)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("missing.mlir", "cannot open input file 'missing.mlir': No such file or directory"),
        ("a\0b", "null character"),
        ("", "cannot open input file"),
        ("-", "standard input"),
        (["a.mlir", "b.mlir"], "One program is compiled, not 2."),
        ("{", "error: "),
        ("\n", "there is no gpuvm.program in the file"),
        ("\0\n\xff", "error: "),
        (ROOT / "examples", "s a directory"),
        pytest.param("!t = " + "tuple<" * 1000000 + "i32\n", 'The compiler crashes on "<text>".', id="deep"),
        ("gpuvm.program @p() -> (y: tensor<f32>) {\n  gpuvm.return %a#2147483647 : !gpuvm.message<tensor<f32>>\n}", "crashes"),
    ],
)
def test_bad_sources(source: Any, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gpuvm.Error) as caught:
        gpuvm.compile(source)
    assert text in str(caught.value)
    assert gpuvm.compile(HELLO)(x=X)["sum"] == 140


def test_a_source_of_another_type() -> None:
    with pytest.raises(TypeError):
        gpuvm.compile(7)  # type: ignore[arg-type]


def test_failures_fail_again(tmp_path: Path) -> None:
    """warp 1713 and 1711: what did not compile never runs, and a warm cache hides no error."""
    for _ in range(3):
        with pytest.raises(gpuvm.CompileError, match=r"bad\.mlir:4:25"):
            gpuvm.compile(BAD, name="bad.mlir", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    good = BAD.replace("arith.constant 0.0 : f32", "arith.constant dense<0.0> : tensor<8xf32>")
    assert gpuvm.compile(good, name="bad.mlir", cache=tmp_path)(x=X)["y"].tolist() == X.tolist()
    with pytest.raises(gpuvm.CompileError, match=r"bad\.mlir:4:25"):
        gpuvm.compile(BAD, name="bad.mlir", cache=tmp_path)


def test_compiling_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """warp 649: no device is needed, and none is opened."""
    monkeypatch.setenv("VK_DRIVER_FILES", "/dev/null")
    program = gpuvm.compile(HELLO, cache=False)
    assert program.plan.startswith(b"\x89GVP")
    assert repr(program) == "<gpuvm.Program: program hello; input x: 8xf32; output sum: f32>"


class Refuses:
    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the compiler is asked for {name}")


def test_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """warp 1499: what is compiled once need not be compiled again, in another process either."""
    source = tmp_path / "program.mlir"
    source.write_text(HELLO.read_text())
    plan = gpuvm.compile(source, cache=tmp_path / "a" / "b").plan
    (kept,) = (tmp_path / "a" / "b").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr("gpuvm._native.compiler", Refuses)
        assert gpuvm.compile(source, cache=tmp_path / "a" / "b").plan == plan
        with pytest.raises(AssertionError):
            gpuvm.compile(source, cache=tmp_path / "other")
        with pytest.raises(AssertionError):
            gpuvm.compile(source, cache=tmp_path / "a" / "b", fusion="never")
    # A file that was cut or changed is none.
    for damage in (kept.read_bytes()[:-1], kept.read_bytes()[:-1] + b"?", b""):
        kept.write_bytes(damage)
        assert gpuvm.compile(source, cache=tmp_path / "a" / "b").plan == plan
    # A changed source is another program.
    source.write_text(HELLO.read_text().replace("arith.mulf", "arith.addf"))
    assert gpuvm.compile(source, cache=tmp_path / "a" / "b")(x=X)["sum"] == 56


def test_the_folder_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUVM_CACHE_DIR", str(tmp_path / "own"))
    gpuvm.compile(HELLO)
    assert gpuvm.cache_dir() == tmp_path / "own" and len(list((tmp_path / "own").iterdir())) == 1
    gpuvm.compile(HELLO, cache=False)
    gpuvm.compile(HELLO, report=tmp_path / "report.json")  # It writes another file, which a cache would not.
    assert (tmp_path / "report.json").exists() and len(list((tmp_path / "own").iterdir())) == 1
    monkeypatch.delenv("GPUVM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert gpuvm.cache_dir() == tmp_path / "gpuvm" / "plans"


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert gpuvm.compile(HELLO, cache=tmp_path / "file")(x=X)["sum"] == 140


def test_save_and_load(tmp_path: Path) -> None:
    program = gpuvm.compile(HELLO)
    program.save(tmp_path / "hello.gvplan")
    assert [each.name for each in tmp_path.iterdir()] == ["hello.gvplan"]
    assert gpuvm.load(tmp_path / "hello.gvplan")(x=X)["sum"] == 140
    assert pickle.loads(pickle.dumps(program))(x=X)["sum"] == 140
    with pytest.raises(gpuvm.UsageError, match="cannot be written"):
        program.save(tmp_path / "no" / "hello.gvplan")


def test_bad_plans(tmp_path: Path) -> None:
    plan = gpuvm.compile(HELLO).plan
    with pytest.raises(gpuvm.PlanError, match="No such file"):
        gpuvm.load(tmp_path / "missing")
    with pytest.raises(gpuvm.PlanError, match=r"is no plan: gpuvm.compile makes one"):
        gpuvm.load(HELLO)
    with pytest.raises(gpuvm.PlanError, match="are no plan"):
        gpuvm.Vm(b"nothing")
    for bad in (plan[:-9], plan[:200] + bytes([plan[200] ^ 1]) + plan[201:], plan[:8] + b"\xff" + plan[9:], plan[:8]):
        with pytest.raises(gpuvm.PlanError):
            gpuvm.Vm(bad)


def test_threads() -> None:
    plans: list[bytes] = []
    texts = [echo_text("f32", f"{size}x") for size in (2, 3, 2, 3, 2, 3)]
    threads = [threading.Thread(target=lambda text=text: plans.append(gpuvm.compile(text, cache=False).plan)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(plans) == len(texts) and len(set(plans)) == 2


def test_version() -> None:
    assert gpuvm.__version__.count(".") == 2
    assert all(hasattr(gpuvm, name) for name in gpuvm.__all__)
    with pytest.raises(AttributeError):
        gpuvm.nothing  # noqa: B018
