"""PyTorch on the GPU in its best form: eager, compiled, and either in a CUDA graph."""

import os
import statistics
import time

from gpuvm import Missing
from subjects import error, executions

# A launch costs a few microseconds; a stage that takes much longer gains nothing from a graph.
GRAPH_BELOW_US = 500
TRIALS = 5
DEVICE = "cuda"

# Compiling in this process: a pool of workers takes longer to start than our kernels to build.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")


def load():
    """torch, with float32 meant as float32."""
    try:
        import torch
    except ImportError:
        raise Missing("torch cannot be imported") from None
    if not torch.cuda.is_available():
        raise Missing("torch has no GPU here")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.set_grad_enabled(False)
    return torch


class Form:
    """One way to compute a case: `call()` gives the output tensor."""

    def __init__(self, torch, name, call):
        self.torch, self.name, self.call = torch, name, call
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)
        self.call()
        torch.cuda.synchronize()
        self.count = 1
        self.count = executions(self.device_us())

    def device_us(self):
        """Device time of one call of `count` back to back, which hides the launches."""
        self.begin.record()
        for _ in range(self.count):
            self.call()
        self.end.record()
        self.torch.cuda.synchronize()
        return self.begin.elapsed_time(self.end) * 1e3 / self.count

    def wall_us(self):
        start = time.perf_counter()
        self.call()
        self.torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e6

    def trial(self):
        return statistics.median(self.device_us() for _ in range(TRIALS))


def captured(torch, form):
    """The form as a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        form.call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = form.call()

    def replay():
        graph.replay()
        return output

    return Form(torch, f"{form.name}, CUDA graph", replay)


class Torch:
    """The fastest form of a case."""

    def __init__(self, bench, case):
        self.torch = torch = bench.torch
        inputs = bench.inputs.tensors(case, torch, DEVICE)
        inputs.update(torch=torch, functional=torch.nn.functional, device=DEVICE)
        self.compared = case.compared
        self.stages = max(1, case.stages)
        self.failures = []
        forms = []
        for name, function in case.torch.items():
            self._add(forms, name, lambda f=function: f(inputs))
            if case.compiled and bench.options.compile:
                self._add(forms, f"{name}, compiled", self._compiled(function, inputs))
        if not forms:
            raise Missing("; ".join(self.failures))
        self.best = min(forms, key=Form.trial)
        self.answer = self.best.call()

    def _compiled(self, function, inputs):
        torch = self.torch
        torch._dynamo.reset()  # compiles for these shapes only, however many came before
        tensors = {k: v for k, v in inputs.items() if isinstance(v, torch.Tensor)}
        modules = {k: v for k, v in inputs.items() if k not in tensors}
        compiled = torch.compile(lambda t: function({**t, **modules}), dynamic=False)
        return lambda: compiled(tensors)

    def _add(self, forms, name, call):
        """The form and, where launches matter, its graph; a form that fails is noted."""
        try:
            forms.append(Form(self.torch, name, call))
            if forms[-1].trial() < GRAPH_BELOW_US * self.stages:
                forms.append(captured(self.torch, forms[-1]))
        except Exception as reason:  # whatever a compiler or a capture raises
            self.failures.append(f"{name}: {str(reason).strip().splitlines()[0][:200]}")

    @property
    def form(self):
        return self.best.name

    def sample(self):
        self.best.call()
        self.torch.cuda.synchronize()
        return {"wall_us": self.best.wall_us(), "device_us": self.best.device_us()}

    def error(self, got):
        """As subjects.error, of an array against this answer, on the GPU."""
        if self.compared:
            return error(got, self.output())
        torch = self.torch
        wanted = self.answer
        got = torch.from_numpy(got).to(DEVICE)
        if got.shape != wanted.shape:
            raise RuntimeError(f"the output has shape {tuple(got.shape)}, torch's {tuple(wanted.shape)}")
        kind = torch.float32 if wanted.dtype in (torch.float16, torch.float32) else torch.float64
        scale = float(wanted.abs().max())
        difference = float((got.to(kind) - wanted.to(kind)).abs().max())
        if difference == 0:
            return 0.0
        return difference / scale if scale and difference == difference else float("inf")

    def output(self):
        if self.compared:
            return self.compared({name: tensor.cpu().numpy() for name, tensor in self.answer.items()})
        return self.answer.cpu().numpy()

    def close(self):
        self.best = self.answer = None
        self.torch.cuda.empty_cache()
