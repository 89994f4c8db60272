"""1,000 dependent stages on data that fits one workgroup, alone and as 132 instances,
against a CUDA graph of the same 1,000 kernels.

Each stage is a 3-point stencil, zero beyond the ends, so that no stage can be folded into
the next: y[i] = ((x[i-1] + x[i]) + x[i+1]) * 0.3333. All sides add and multiply in this
order in f32, and have the same bits.
"""

import math
import time

import numpy as np

from gpuvm import Missing
from model import Case, Tensor
from stencil import FACTOR, program

TITLE = "Dependent stages in one workgroup"
STAGES = 1000
ELEMENTS = 4096
NOTES = (f"{STAGES:,} stages of a 3-point stencil over {ELEMENTS:,} f32 an instance; all outputs "
         "have the bits that NumPy's have.",
         "The CUDA graph has one kernel a stage, with the fastest of 128 to 1,024 threads a block.")
INSTANCES = {"gpu": (1, 132), "cpu": (1, 4)}
FORMS = {"chain": "--chains=always", "one dispatch a stage": "--chains=never"}
BLOCKS = (128, 256, 512, 1024)

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


def expected(x):
    """What NumPy says, one stage after the other."""
    for _ in range(STAGES):
        p = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(1, 1)])
        x = ((p[..., :-2] + x) + p[..., 2:]) * np.float32(FACTOR)
    return x


class CudaGraph:
    """The same stages as kernels of one CUDA graph, through CuPy."""

    def __init__(self, session, case, arrays):
        try:
            import cupy
            cupy.cuda.runtime.getDeviceCount()
        except Exception as reason:  # whatever CuPy lacks here
            raise Missing(f"CuPy cannot be used ({str(reason).splitlines()[0]})") from reason
        self.cupy, self.shape = cupy, arrays["x"].shape
        self.first = cupy.asarray(arrays["x"])
        self.buffers = [cupy.empty_like(self.first), cupy.empty_like(self.first)]
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.events = [cupy.cuda.Event(), cupy.cuda.Event()]
        graphs = {block: self.capture(block) for block in BLOCKS}
        for graph in graphs.values():
            self.launch(graph)
        best = min(graphs, key=lambda block: self.launch(graphs[block])["device_us"])
        self.graph, self.form = graphs[best], f"{best} threads a block"
        self.launch(self.graph)
        if not np.array_equal(self.output(), expected(arrays["x"])):
            raise RuntimeError("the CUDA graph answers wrongly")

    def capture(self, block):
        """A graph of kernels with `block` threads; the first reads the input."""
        kernel = self.cupy.RawKernel(KERNEL.replace("FACTOR", f"{FACTOR}f"), "stencil")
        groups = (math.ceil(ELEMENTS / block), math.prod(self.shape[:-1]))
        kernel(groups, (block,), (*self.buffers, np.int32(ELEMENTS)))  # compiles
        self.cupy.cuda.Device().synchronize()
        with self.stream:
            self.stream.begin_capture()
            for i in range(STAGES):
                source = self.first if i == 0 else self.buffers[i % 2]
                kernel(groups, (block,), (source, self.buffers[(i + 1) % 2], np.int32(ELEMENTS)))
            return self.stream.end_capture()

    def launch(self, graph):
        start = time.perf_counter()
        self.events[0].record(self.stream)
        graph.launch(self.stream)
        self.events[1].record(self.stream)
        self.events[1].synchronize()
        return {"wall_us": (time.perf_counter() - start) * 1e6,
                "device_us": 1e3 * self.cupy.cuda.get_elapsed_time(*self.events)}

    def sample(self):
        self.launch(self.graph)
        return self.launch(self.graph)

    def output(self):
        return self.cupy.asnumpy(self.buffers[STAGES % 2])

    def close(self):
        self.graph = None


def cases(device, _):
    for instances in INSTANCES[device]:
        shape = (ELEMENTS,) if instances == 1 else (instances, ELEMENTS)
        x = Tensor(shape, "f32", -2.0, 2.0)
        for form, option in FORMS.items():
            yield Case(f"{form}, {instances} of it", program(STAGES, ELEMENTS, instances),
                       {"x": x}, "y", x, answer=lambda d: expected(d["x"]),
                       peers={"CUDA graph": CudaGraph} if device == "gpu" else {},
                       options=(option,), stages=STAGES, bound=0.0)
