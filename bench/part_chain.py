"""1,000 dependent stages on data that fits one workgroup, alone and as 132 instances,
against a CUDA graph of the same 1,000 kernels.

Each stage is a 3-point stencil, zero beyond the ends, so that no stage can be folded into
the next: y[i] = ((x[i-1] + x[i]) + x[i+1]) * 0.3333. All sides add and multiply in this
order in f32, and have the same bits.
"""

import math

import numpy as np

from gpuvm import Missing
from measure import interleave, spread
from stencil import FACTOR, program

STAGES = 1000
ELEMENTS = 4096
INSTANCES = (1, 132)
ITERATIONS, WARMUP = 30, 5

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


def check(who, output, right):
    if not np.array_equal(output.reshape(right.shape).view(np.uint32), right.view(np.uint32)):
        raise RuntimeError(f"{who} answers wrongly")


def gpuvm_subject(vm, instances, path, right, *options):
    name = "_".join(["stencil", str(instances), *(option.strip("-") for option in options)])
    compiled, manifest = vm.plan(name, program(STAGES, ELEMENTS, instances), *options)

    def sample():
        stats, output = vm.run(compiled, manifest, {"x": path}, ITERATIONS, WARMUP)
        check(name, output, right)
        sample.stats = stats
        return {"device_us": stats["device_us"]["median"], "wall_us": stats["wall_us"]["median"]}

    return sample


class CudaGraph:
    """The same stages as kernels of one CUDA graph, through CuPy."""

    def __init__(self, x, right):
        try:
            import cupy
            cupy.cuda.runtime.getDeviceCount()
        except Exception as reason:  # Whatever CuPy lacks here.
            raise Missing(f"CuPy cannot be used ({str(reason).splitlines()[0]})") from reason
        self.cupy, self.right, self.shape = cupy, right, x.shape
        self.buffers = [cupy.asarray(x), cupy.empty_like(cupy.asarray(x))]
        self.first = cupy.asarray(x)
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.events = [cupy.cuda.Event(), cupy.cuda.Event()]
        self.graph = min((self.capture(block) for block in (128, 256, 512, 1024)), key=self.time_us)

    def capture(self, block):
        """A graph of kernels with `block` threads; the input is copied in by its first node."""
        kernel = self.cupy.RawKernel(KERNEL.replace("FACTOR", f"{FACTOR}f"), "stencil")
        groups = (math.ceil(ELEMENTS / block), math.prod(self.shape[:-1]))
        kernel(groups, (block,), (*self.buffers, np.int32(ELEMENTS)))  # Compiles.
        self.cupy.cuda.Device().synchronize()
        with self.stream:
            self.stream.begin_capture()
            for i in range(STAGES):
                source = self.first if i == 0 else self.buffers[i % 2]
                kernel(groups, (block,), (source, self.buffers[(i + 1) % 2], np.int32(ELEMENTS)))
            return self.stream.end_capture()

    def time_us(self, graph, launches=ITERATIONS):
        """The median device time of a launch, between two events around it."""
        times = []
        for _ in range(WARMUP + launches):
            self.events[0].record(self.stream)
            graph.launch(self.stream)
            self.events[1].record(self.stream)
            self.events[1].synchronize()
            times.append(1e3 * self.cupy.cuda.get_elapsed_time(*self.events))
        return float(np.median(times[WARMUP:]))

    def __call__(self):
        us = self.time_us(self.graph)
        check("the CUDA graph", self.cupy.asnumpy(self.buffers[STAGES % 2]), self.right)
        return {"device_us": us}


def rows_of(instances, subjects, samples):
    graph = samples.get("CUDA graph")
    for name, values in samples.items():
        device = values["device_us"]
        row = {"instances": instances, "what": name, "dispatches": None,
               "device us": spread(device), "device us a stage": spread([us / STAGES for us in device]),
               "CUDA graph / this": graph and spread(
                   [peer / us for peer, us in zip(graph["device_us"], device)])}
        stats = getattr(subjects[name], "stats", None)
        if stats:
            row["dispatches"] = stats["dispatches"]
        yield row


def run(vm, options):
    options.cache.mkdir(parents=True, exist_ok=True)
    rows, notes, all_samples, device = [], [], {}, None
    for instances in INSTANCES:
        shape = (ELEMENTS,) if instances == 1 else (instances, ELEMENTS)
        x = np.random.default_rng(1).uniform(-2, 2, shape).astype(np.float32)
        path, right = options.cache / f"stencil_{instances}.npy", expected(x)
        np.save(path, x)
        subjects = {"chain": gpuvm_subject(vm, instances, path, right, "--chains=always"),
                    "one dispatch a stage": gpuvm_subject(vm, instances, path, right, "--chains=never")}
        try:
            if options.no_peers:
                raise Missing("peers are left out")
            subjects["CUDA graph"] = CudaGraph(x, right)
        except Missing as reason:
            notes.append(f"No CUDA graph with {instances} instances: {reason}.")
        samples = interleave(subjects, options.repeats, f"chain of {instances}")
        rows += rows_of(instances, subjects, samples)
        all_samples[str(instances)] = samples
        device = subjects["chain"].stats["device"]
    notes += [f"{STAGES:,} stages of a 3-point stencil over {ELEMENTS:,} f32 an instance; all outputs have the "
              "bits that NumPy's have.",
              "The CUDA graph has one kernel a stage, with the fastest of 128 to 1,024 threads a block."]
    return {"title": "Dependent stages in one workgroup", "device": device, "rows": rows,
            "notes": notes, "samples": all_samples}
