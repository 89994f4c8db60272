"""What is measured next to each other: our program, NumPy, IREE. Torch has torch_peer.py.

A subject has `sample()`, one measurement as a dict of microseconds, `output()`, the answer
as an array, and `close()`.
"""

import json
import pathlib
import time

import numpy as np

import peers
from gpuvm import Missing, bytes_moved
from inputs import NUMPY
from measure import percentile

# A sample is as many executions as fit this time, at most this many: a single short one
# says more about the clock than about the program.
SAMPLE_US, SAMPLE_MOST = 2000, 10


def executions(one_us):
    return max(1, min(SAMPLE_MOST, int(SAMPLE_US / max(one_us, 1))))


def error(got, wanted):
    """The largest difference relative to the largest magnitude wanted: 0 is equal. NaN
    anywhere is no match at all."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        raise RuntimeError(f"the output has shape {got.shape} where {wanted.shape} is right")
    if got.size == 0 or np.array_equal(got, wanted):
        return 0.0
    kind = np.int64 if wanted.dtype.kind in "bui" else np.float64 if wanted.size < 2 ** 24 else np.float32
    difference = float(np.max(np.abs(got.astype(kind) - wanted.astype(kind))))
    scale = float(np.max(np.abs(wanted)))
    return difference / scale if scale and difference == difference else float("inf")


class Ours:
    """A plan on a machine, its inputs bound."""

    def __init__(self, vm, machine, part, case, arrays):
        self.machine, self.case, self.arrays = machine, case, arrays
        self.file, self.manifest = vm.plan(case.plan_name(part), case.program, *case.options, language=case.language)
        self.begin()

    def begin(self):
        self.machine.load(self.file)
        for name, array in self.arrays.items():
            self.machine.bind(name, array)
        self.machine.execute()
        self.count = executions(self.machine.execute()["wall_us"])

    def sample(self):
        self.machine.execute()
        times = [self.machine.execute() for _ in range(self.count)]
        return {key: percentile(sorted(one[key] for one in times), 0.5) for key in times[0]}

    def read(self, output):
        """An output of the last execution, by its entry in the manifest."""
        array = np.empty(output["shape"], NUMPY[output["dtype"]])
        self.machine.read(output["name"], array)
        return array

    def output(self):
        outputs = {output["name"]: output for output in self.manifest["outputs"]}
        if self.case.compared:
            return self.case.compared({name: self.read(output) for name, output in outputs.items()})
        if self.case.output in outputs:
            return self.read(outputs[self.case.output])
        array = np.empty(self.case.result.shape, NUMPY[self.case.result.dtype])
        self.machine.read_symbol(self.case.output, array)
        return array

    def plan(self):
        """What one execution consists of."""
        stats = self.machine.stats()
        facts = {key: stats[key] for key in ("kernels", "dispatches", "barriers",
                                             "upload_bytes", "download_bytes")}
        return {**facts, "bytes_moved": bytes_moved(self.manifest), "memory_bytes": sum(self.manifest["regions"].values())}

    def close(self):
        pass  # the machine is used again


class Streamed(Ours):
    """A plan that is fed an input chunk after chunk, from its first state on; times are those of all chunks."""

    def begin(self):
        self.chunks = self.arrays[self.case.stream]
        self.answer = np.concatenate([self.read_chunk() for _ in self.fed()])

    def fed(self):
        """Executes for each chunk, and yields what that took."""
        self.machine.load(self.file)
        for name, array in self.arrays.items():
            if name != self.case.stream:
                self.machine.bind(name, array)
        for chunk in self.chunks:
            self.machine.bind(self.case.stream, chunk)
            yield self.machine.execute()

    def read_chunk(self):
        return self.read(next(output for output in self.manifest["outputs"] if output["name"] == self.case.output))

    def sample(self):
        times = list(self.fed())
        return {key: sum(one[key] for one in times) for key in times[0]}

    def output(self):
        return self.answer


class Host:
    """A function of the host that computes the output; with what is wanted, it must be that."""

    def __init__(self, case, compute, wanted=None):
        self.compute = compute
        start = time.perf_counter()
        self.answer = self.compute()
        self.count = executions((time.perf_counter() - start) * 1e6)
        worst = 0.0 if wanted is None else error(self.answer, wanted)
        if not worst <= case.bound:
            raise RuntimeError(f"the answer is wrong, error {worst:.1e} (bound {case.bound})")

    def sample(self):
        start = time.perf_counter()
        for _ in range(self.count):
            self.compute()
        return {"wall_us": (time.perf_counter() - start) * 1e6 / self.count}

    def output(self):
        return self.answer

    def error(self, got):
        return error(got, self.answer)

    def close(self):
        pass


class Iree:
    """The same function compiled by IREE in this form for this device, here or in the bundle."""

    def __init__(self, session, plan, case, arrays, device, form, options):
        self.form = form
        folder = pathlib.Path(session.vm.scratch.name) / f"iree-{form}"
        folder.mkdir(exist_ok=True)
        self.programs, module = self.compiled(session, plan, case, form, options)
        self.arguments = [f"--device={device}", f"--module={module}",
                          "--function=bench"]
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
            self.arguments.append(f"--input=@{folder / name}.npy")
        self.result = folder / "output.npy"

    @staticmethod
    def compiled(session, plan, case, form, options):
        """(the folder of IREE's programs, the module)"""
        if bundle := session.vm.bundle:
            module = bundle / "plans" / peers.module_name(plan, form)
            if not module.exists():
                raise Missing("the bundle has no module of it")
            return bundle / "bin", module
        cache = session.options.cache
        return peers.install(cache), peers.compiled(cache, case.iree, options)

    def sample(self):
        return peers.benchmark(self.programs, self.arguments)

    def output(self):
        peers.call(self.programs / "iree-run-module", *self.arguments, f"--output=@{self.result}")
        return np.load(self.result)

    def close(self):
        pass


def best_iree(session, part, case, arrays, device, forms):
    """The fastest of the forms whose answer is right."""
    right, wrong = [], []
    wanted = case.reference(arrays) if session.wanted is None else session.wanted
    for form, options in forms.items():
        try:
            subject = Iree(session, case.plan_name(part), case, arrays, device, form, options)
            off = error(subject.output(), wanted)
            if off <= case.bound:
                right.append((subject.sample()["wall_us"], subject))
            else:
                wrong.append(f"{form} answers wrongly (error {off:.1e})")
        except RuntimeError as reason:
            wrong.append(f"{form}: {str(reason).splitlines()[0]}")
    if not right:
        raise RuntimeError("; ".join(wrong))
    return min(right, key=lambda pair: pair[0])[1]
