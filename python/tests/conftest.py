"""Programs that tests run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import gpuvm
import pytest

ROOT = Path(__file__).resolve().parents[2]
HELLO = ROOT / "examples" / "hello.mlir"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests find nothing that others have kept, but for compiled kernels."""
    monkeypatch.setenv("GPUVM_CACHE_DIR", str(tmp_path_factory.mktemp("plans")))


@pytest.fixture
def hello() -> gpuvm.Program:
    return gpuvm.compile(HELLO)


def echo_text(element: str, shape: str = "2x3x") -> str:
    """A program that gives back what it gets."""
    tensor = f"tensor<{shape}{element}>"
    return f"""
gpuvm.program @echo(%x: {tensor}) -> (y: {tensor}) {{
  %m = gpuvm.stage @copy(%v = %x : {tensor}) -> {tensor} {{
    gpuvm.send %v : {tensor}
  }}
  gpuvm.return %m : !gpuvm.message<{tensor}>
}}
"""


@pytest.fixture(scope="session")
def echo() -> Callable[..., gpuvm.Program]:
    made: dict[tuple[str, str], gpuvm.Program] = {}

    def of(element: str, shape: str = "2x3x") -> gpuvm.Program:
        key = (element, shape)
        if key not in made:
            made[key] = gpuvm.compile(echo_text(*key), cache=False)
        return made[key]

    return of


COUNTER = """
gpuvm.global @total : tensor<f32>

gpuvm.program @add(%amount: tensor<f32>) -> (sum: tensor<f32>) {
  %m = gpuvm.stage @step(%a = %amount : tensor<f32>) -> tensor<f32> {
    %old = gpuvm.load @total : tensor<f32>
    %new = arith.addf %old, %a : tensor<f32>
    gpuvm.store %new, @total : tensor<f32>
    gpuvm.send %new : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

gpuvm.program @scale(%factor: tensor<f32>) -> (scaled: tensor<f32>) {
  %m = gpuvm.stage @times(%f = %factor : tensor<f32>) -> tensor<f32> {
    %old = gpuvm.load @total : tensor<f32>
    %new = arith.mulf %old, %f : tensor<f32>
    gpuvm.send %new : tensor<f32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}
"""


@pytest.fixture
def counter() -> Iterator[gpuvm.Vm]:
    """Two programs over one memory."""
    with gpuvm.compile(COUNTER).boot() as vm:
        yield vm


def loop_text(ends: str = "ori") -> str:
    """Counts in the metric `made` to `most`, or (ori) and (andi) until it is told to end."""
    return f"""
gpuvm.program @loop(%most: tensor<i32>) -> (times: tensor<i32>) {{
  gpuvm.control @cancel : tensor<i32>
  gpuvm.metric @made : tensor<i32>
  %zero = arith.constant dense<0> : tensor<i32>
  %times = gpuvm.repeat @steps up_to 1000000000 (%n = %zero : tensor<i32>) {{
    %next, %done = gpuvm.stage @step(%count = %n : !gpuvm.message<tensor<i32>>, %m = %most : tensor<i32>)
        -> (tensor<i32>, tensor<i1>) {{
      %one = arith.constant dense<1> : tensor<i32>
      %none = arith.constant dense<0> : tensor<i32>
      %now = arith.addi %count, %one : tensor<i32>
      gpuvm.store %now, @made : tensor<i32>
      %word = gpuvm.load @cancel : tensor<i32>
      %cancelled = arith.cmpi ne, %word, %none : tensor<i32>
      %enough = arith.cmpi sge, %now, %m : tensor<i32>
      %both = arith.{ends} %cancelled, %enough : tensor<i1>
      gpuvm.send %now, %both : tensor<i32>, tensor<i1>
    }}
    gpuvm.next %next : !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }}
  gpuvm.return %times : !gpuvm.message<tensor<i32>>
}}
"""


@pytest.fixture
def loop() -> Iterator[gpuvm.Vm]:
    """A program that runs for hours, and ends when it is told to."""
    with gpuvm.compile(loop_text()).boot() as vm:
        yield vm


def clean_environment() -> dict[str, str]:
    """For processes that tests start: where the package and its libraries are."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
