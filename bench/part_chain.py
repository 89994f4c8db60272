"""1,000 dependent stages on data that fits one workgroup, alone and as 132 instances,
against a CUDA graph of the same 1,000 kernels.

Each stage is a 3-point stencil, zero beyond the ends, so that no stage can be folded into
the next. All sides add and multiply in the same order in f32, and have the same bits.
"""

import math
import time

import numpy as np

from gpuvm import Missing
from model import Case, Target, Tensor
from stencil import FACTOR, program

TITLE = "Dependent stages in one workgroup"
NOTES = ("1,000 stages of a 3-point stencil over 4,096 f32 an instance.",
         "The CUDA graph has one kernel a stage, with the fastest of 128 to 1,024 threads a block.")
STAGES = 1000
ELEMENTS = 4096
INSTANCES = (1, 132)
TRIALS = 10

KERNEL = r"""
extern "C" __global__ void stencil(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x += (long long)blockIdx.y * n;
  y += (long long)blockIdx.y * n;
  if (i >= n) return;
  float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
  y[i] = __fmul_rn(__fadd_rn(__fadd_rn(left, x[i]), right), FACTOR);
}
"""


def reference(x):
    """What NumPy says, one stage after the other."""
    for _ in range(STAGES):
        p = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(1, 1)])
        x = ((p[..., :-2] + x) + p[..., 2:]) * np.float32(FACTOR)
    return x


class CudaGraph:
    """The same stages as kernels of one CUDA graph, through CuPy."""

    def __init__(self, _session, _case, arrays):
        try:
            import cupy
            cupy.cuda.runtime.getDeviceCount()
        except Exception as reason:  # Whatever CuPy lacks here.
            raise Missing(f"CuPy cannot be used ({str(reason).splitlines()[0]})") from reason
        self.cupy, self.first = cupy, cupy.asarray(arrays["x"])
        self.buffers = [cupy.empty_like(self.first), cupy.empty_like(self.first)]
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.events = [cupy.cuda.Event(), cupy.cuda.Event()]
        graphs = [self.capture(block) for block in (128, 256, 512, 1024)]
        self.graph = min(graphs, key=lambda graph: min(self.time(graph)["device_us"] for _ in range(TRIALS)))

    def capture(self, block):
        """A graph of kernels with `block` threads; the first one reads the input."""
        kernel = self.cupy.RawKernel(KERNEL.replace("FACTOR", f"{FACTOR}f"), "stencil")
        groups = (math.ceil(ELEMENTS / block), self.first.size // ELEMENTS)
        kernel(groups, (block,), (self.first, self.buffers[1], np.int32(ELEMENTS)))  # Compiles.
        self.cupy.cuda.Device().synchronize()
        with self.stream:
            self.stream.begin_capture()
            for i in range(STAGES):
                source = self.first if i == 0 else self.buffers[i % 2]
                kernel(groups, (block,), (source, self.buffers[(i + 1) % 2], np.int32(ELEMENTS)))
            return self.stream.end_capture()

    def time(self, graph):
        """One launch, between two events around it."""
        start = time.perf_counter()
        self.events[0].record(self.stream)
        graph.launch(self.stream)
        self.events[1].record(self.stream)
        self.events[1].synchronize()
        wall = 1e6 * (time.perf_counter() - start)
        return {"wall_us": wall, "device_us": 1e3 * self.cupy.cuda.get_elapsed_time(*self.events)}

    def sample(self):
        return self.time(self.graph)

    def output(self):
        self.time(self.graph)
        return self.cupy.asnumpy(self.buffers[STAGES % 2])

    def close(self):
        self.graph = self.buffers = self.first = None


def cases(device, options):
    for instances in INSTANCES:
        x = Tensor((ELEMENTS,) if instances == 1 else (instances, ELEMENTS), "f32", -2.0, 2.0)
        for what, mode in (("one dispatch", "always"), ("a dispatch a stage", "never")):
            if device == "cpu" and (instances, mode) == (132, "never"):
                continue  # Minutes on a CPU.
            yield Case(f"{instances} x {STAGES:,} stages, {what}", program(STAGES, ELEMENTS, instances),
                       {"x": x}, "y", x, answer=lambda d: reference(d["x"]), peers={"CUDA graph": CudaGraph},
                       options=(f"--chains={mode}",), stages=STAGES, bound=0.0,
                       target=Target(5.0, "CUDA graph") if mode == "always" else None)
