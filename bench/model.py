"""What one benchmark is (Case) and what one line of a table says (Row).

Times are microseconds. A spread is {median, p10, p90, n} (measure.spread).
"""

import dataclasses
import math

BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8}

# Operations per second of dense arithmetic, by a part of the device's name: NVIDIA H100
# Tensor Core GPU datasheet, SXM column (the H200's are the same); f16 on tensor cores.
# Those of i32 are a quarter of f32's: 64 lanes of a multiprocessor where f32 has 128, and
# none that multiply and add at once (NVIDIA H100 Tensor Core GPU Architecture).
_HOPPER = {"f32": 66.9e12, "f16": 989.4e12, "i32": 16.7e12}
PEAK = {"H200": _HOPPER, "H100": _HOPPER}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """Shape and element type; as an input, filled uniformly from [low, high) or by `make`,
    which returns all of it."""
    shape: tuple
    dtype: str
    low: float = -0.5
    high: float = 1.0
    make: object = None

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def bytes(self):
        return self.elements * BYTES[self.dtype]

    def __str__(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.dtype + ">"


@dataclasses.dataclass(frozen=True)
class Target:
    """Our speed has to be at least this fraction of the limit's or of a peer's; of "rate", it is
    how many of what is counted a second."""
    fraction: float
    of: str = "limit"


def goal(device, fraction=None):
    """What a case is to reach: on a GPU this fraction of the limit, if any; on the CPU's
    Vulkan device the speed of IREE on the same driver."""
    if device == "cpu":
        return Target(1.0, "IREE vulkan")
    return fraction and Target(fraction)


def wanted(device):
    """What an application is to reach: on a GPU the speed of torch."""
    return Target(1.0, "torch") if device == "gpu" else None


@dataclasses.dataclass(frozen=True)
class Case:
    """One program with what it is compared with.

    `reference` computes the output with NumPy from {input: array} and is a peer; where it
    would be no fair one, `answer` is there instead. `torch` has forms of the same with
    tensors, and `host` libraries next to lavapipe. Peers that need more are `peers`: {name: function
    (session, case, arrays) -> subject} (see subjects.py).

    A program with several outputs has `compared`, which makes one array of {output: array}, as its peers on the host
    do; torch's forms give {output: tensor}. A program that is fed chunk after chunk has `stream`, the input whose
    first dimension counts them: one sample is all of them, from the state that the program begins in."""
    what: str
    program: object                    # in its language: a text, or folder -> the file, made there
    inputs: dict                       # name -> Tensor, an array, or what makes one
    output: str = ""
    result: Tensor = None
    compared: object = None
    stream: str = ""
    reference: object = None
    answer: object = None
    torch: dict = dataclasses.field(default_factory=dict)
    compiled: bool = False             # torch.compile is a form too
    host: dict = dataclasses.field(default_factory=dict)  # name -> arrays -> what computes the output (host.py)
    language: str = "mlir"             # or "lvm"
    iree: str = ""                     # MLIR of the same function, or nothing
    iree_on_gpu: bool = False          # it is a peer on a GPU, too
    peers: dict = dataclasses.field(default_factory=dict)
    options: tuple = ()                # of gpuvm-compile
    bytes: int = 0                     # read once and written once
    operations: int = 0
    arithmetic: str = "f32"
    target: Target = None
    bound: float = 1e-5                # of the error (subjects.error)
    stages: int = 0                    # if not 0, times are given for one of so many, too
    counts: tuple = ()                 # (how many, of what): a column says how many a second
    extra: dict = dataclasses.field(default_factory=dict)  # further columns
    plan: str = ""                     # that cases of one program share, if not one of its own
    ours: object = None                # (session, part, case) -> what runs the plan, if not one program does (subjects.Ours)

    def plan_name(self, part):
        return part + "_" + "".join(c if c.isalnum() else "_" for c in (self.plan or self.what).lower())


@dataclasses.dataclass
class Row:
    """A measured case. `ours` and each of `peers` have spreads `wall_us` and, where there is
    a device clock, `device_us`."""
    what: str
    ours: dict
    peers: dict = dataclasses.field(default_factory=dict)
    forms: dict = dataclasses.field(default_factory=dict)  # peer -> what was fastest
    bytes: int = 0
    operations: int = 0
    limit_us: float = None
    limit: str = ""                    # "copy" or "arithmetic": which rules
    target: Target = None
    error: float = None
    bound: float = None
    plan: dict = dataclasses.field(default_factory=dict)   # kernels, dispatches, ...
    stages: int = 0
    counts: tuple = ()
    extra: dict = dataclasses.field(default_factory=dict)

    def set_limit(self, copy_gbps, peak):
        """From the copy speed and, if there is one, the peak of the arithmetic."""
        times = {}
        if copy_gbps and self.bytes:
            times["copy"] = self.bytes / copy_gbps / 1e3
        if peak and self.operations:
            times["arithmetic"] = self.operations / peak * 1e6
        if times:
            self.limit = max(times, key=times.get)
            self.limit_us = times[self.limit]

    def fraction(self):
        """Our speed as a fraction of the limit's."""
        if self.limit_us is None or "device_us" not in self.ours:
            return None
        return self.limit_us / self.ours["device_us"]["median"]

    def against(self, peer):
        """Our speed divided by the peer's: device time if it has one, else wall time."""
        key = "device_us" if "device_us" in self.peers[peer] else "wall_us"
        return self.peers[peer][key]["median"] / self.ours[key]["median"]

    def reached(self):
        """How much of what the target names we reach; None if it was not measured."""
        if self.target is None:
            return None
        if self.target.of == "limit":
            return self.fraction()
        if self.target.of == "rate":
            return self.counts[0] / self.ours.get("device_us", self.ours["wall_us"])["median"] * 1e6
        return self.against(self.target.of) if self.target.of in self.peers else None

    def json(self):
        """Everything, derived values too."""
        reached = self.reached()
        result = dataclasses.asdict(self)
        result["fraction"] = self.fraction()
        result["against"] = {peer: self.against(peer) for peer in self.peers}
        result["reached"] = reached
        result["met"] = None if reached is None else reached >= self.target.fraction
        return result


def peak(device, arithmetic):
    """Operations per second of this device, or None if it is not listed."""
    return next((rates[arithmetic] for name, rates in PEAK.items()
                 if name in device and arithmetic in rates), None)
