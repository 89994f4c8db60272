"""Where the time of a device goes: vm_profile of gpuvm.h."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._html import table


@dataclass(frozen=True)
class Spread:
    """Microseconds over the executions."""

    median: float
    p10: float
    p90: float

    def __str__(self) -> str:
        return f"{self.median:.2f} us ({self.p10:.2f} to {self.p90:.2f})"


@dataclass(frozen=True)
class KernelTime:
    """A kernel, or "(barrier)", "(upload)", "(idle)": all its calls of one execution together."""

    name: str
    calls: int
    total_us: Spread
    share: float
    """Of the time of all executions, 0 to 1."""
    gbps: float
    """Bytes of its windows by the median time, in GB/s; 0 if either is 0."""
    stages: tuple[str, ...]
    locations: tuple[str, ...]
    """"file.mlir:12:5" of each of its stages."""


@dataclass(frozen=True)
class StageTime:
    """A stage of the program: commands that work for it alone, and those that work for others, too."""

    name: str
    location: str
    alone_us: Spread
    fused_us: Spread
    kernels: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """What `gpuvm-run --profile` says; docs/profiling.md says how it is measured."""

    program: str
    device: str
    executions: int
    total_us: Spread
    """Uploads, commands and downloads of an execution."""
    kernels: tuple[KernelTime, ...]
    """The longest first."""
    stages: tuple[StageTime, ...]
    """In the order of the source."""
    text: str
    """JSON, which gpuvm-run --profile=json prints, with each command and the reasons of barriers."""

    @staticmethod
    def of(text: bytes) -> Profile:
        """From JSON."""
        found = json.loads(text)
        return Profile(
            program=found["program"],
            device=found["device"],
            executions=found["executions"],
            total_us=_spread(found["total_us"]),
            kernels=tuple(_kernel(each) for each in found["kernels"]),
            stages=tuple(_stage(each) for each in found["stages"]),
            text=text.decode(),
        )

    def rows(self) -> list[tuple[str, int, float, float, float, str]]:
        """Kernels that take time: name, calls, microseconds (median), share, GB/s, stages."""
        return [
            (each.name, each.calls, each.total_us.median, each.share, each.gbps, ", ".join(each.stages))
            for each in self.kernels
            if each.total_us.p90
        ]

    def _repr_html_(self) -> str:
        title = f"{self.program} on {self.device}: {self.executions} executions, each {self.total_us}"
        rows = [(name, calls, us, f"{share:.1%}", gbps or "", stages) for name, calls, us, share, gbps, stages in self.rows()]
        return table(("kernel", "calls", "us", "share", "GB/s", "stages"), rows, caption=title)

    def __str__(self) -> str:
        lines = [f"profile of {self.program} on {self.device}: {self.executions} executions, each {self.total_us}"]
        for name, calls, microseconds, share, gbps, stages in self.rows():
            speed = f"{gbps:8.2f} GB/s" if gbps else " " * 13
            lines.append(f"{name:<32} {calls:>6} {microseconds:>12.2f} us {share:>6.1%} {speed}  {stages}".rstrip())
        return "\n".join(lines)


def _spread(found: Mapping[str, float]) -> Spread:
    return Spread(**found)


def _kernel(found: Mapping[str, Any]) -> KernelTime:
    return KernelTime(
        name=found["name"],
        calls=found["calls"],
        total_us=_spread(found["total_us"]),
        share=found["share"],
        gbps=found["gbps"],
        stages=tuple(found["stages"]),
        locations=tuple(found["locations"]),
    )


def _stage(found: Mapping[str, Any]) -> StageTime:
    return StageTime(
        name=found["name"],
        location=found["location"],
        alone_us=_spread(found["alone_us"]),
        fused_us=_spread(found["fused_us"]),
        kernels=tuple(found["kernels"]),
    )
