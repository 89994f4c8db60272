"""One run of the harness: measures cases next to their peers, whatever fails in between."""

import os
import sys
import time

import clocks
from gpuvm import Missing
import host
from inputs import Inputs
from measure import interleave, spread
from model import Row, peak
import peers
from subjects import Host, Ours, Streamed, best_iree, error
import torch_peer

# A case is measured for about this long at most, and at least LEAST times.
CASE_S, LEAST = 5.0, 5


class Late(Exception):
    """The run's time is over."""


class Session:
    def __init__(self, vm, options):
        self.vm, self.options = vm, options
        self.inputs = Inputs()
        self.end = time.monotonic() + options.seconds if options.seconds else float("inf")
        self.device, self.copy_gbps = vm.copy_speed()
        self.kind = "cpu" if "llvmpipe" in self.device.lower() else "gpu"
        if self.kind == "cpu":  # before lavapipe starts its threads
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:host.THREADS])
            os.environ["LP_NUM_THREADS"] = vm.environment["LP_NUM_THREADS"] = str(host.THREADS)
        os.environ.pop("GPUVM_VALIDATE", None)  # validation is for tests
        self.machine = vm.machine()
        self.busy = self.make_busy() if self.kind == "gpu" else None
        self.torch, self.notes, self.wanted = None, [], None
        if self.kind == "gpu" and not options.no_peers:
            try:
                self.torch = torch_peer.load()
            except Missing as reason:
                self.notes.append(f"PyTorch is left out: {reason}.")

    def make_busy(self):
        """What raises the GPU's clocks before a sample, on a machine of its own."""
        machine = self.vm.machine()
        machine.load(self.vm.plan("busy", clocks.PROGRAM)[0])
        return clocks.Busy(machine.execute, clocks.reader(self.device))

    #===--- One case ---===#

    def peers(self, part, case, arrays):
        """name -> function that makes the subject. The first one's answer is the right one."""
        makers = {}
        if self.torch and case.torch:
            makers["torch"] = lambda: torch_peer.Torch(self, case)
        if case.reference and (self.kind == "cpu" or not self.torch):
            makers["NumPy"] = lambda: Host(case, lambda: case.reference(arrays))
        if self.options.no_peers:
            return makers
        if self.kind == "cpu" and case.iree and case.reference:
            for name, forms in peers.FORMS.items():
                makers[f"IREE {name}"] = lambda n=name, f=forms: best_iree(self, part, case, arrays, peers.DEVICES[n], f)
        elif case.iree_on_gpu:
            makers["IREE vulkan"] = lambda: best_iree(self, part, case, arrays, "vulkan", peers.GPU_FORMS)
        for name, prepare in case.host.items() if self.kind == "cpu" else ():
            makers[name] = lambda p=prepare: self.host(case, arrays, p)
        for name, maker in case.peers.items():
            makers[name] = lambda m=maker: m(self, case, arrays)
        return makers

    def host(self, case, arrays, prepare):
        host.install(self.options.cache)
        return Host(case, prepare(arrays), self.wanted)

    def subjects(self, part, case, left_out):
        """(ours and every peer that can be had, the error of ours)"""
        arrays = self.inputs.arrays(case)
        if self.busy:
            self.busy.raise_clocks()  # how long an execution takes decides how many a sample has
        if case.ours:
            ours = case.ours(self, part, case)
        else:
            ours = (Streamed if case.stream else Ours)(self.vm, self.machine, part, case, arrays)
        subjects, right, self.wanted = {"gpuvm": ours}, None, None
        for name, make in self.peers(part, case, arrays).items():
            try:
                subjects[name] = make()
            except Exception as reason:  # a peer may fail in any way; ours goes on
                left_out.append(f"{name}, {case.what}: {short(reason)}")
            if right is None and hasattr(subjects.get(name), "error"):
                right = subjects[name]
                self.wanted = right.output() if self.kind == "cpu" else None
        return subjects, self.checked(case, arrays, ours.output(), right)

    @staticmethod
    def checked(case, arrays, got, right):
        """The error of our output; a wrong one is no row. `right` is a peer, or None."""
        compute = case.answer or (case.reference if right is None else None)
        if compute is None and right is None:
            return None
        worst = error(got, compute(arrays)) if compute else right.error(got)
        if not worst <= case.bound:
            raise RuntimeError(f"the answer is wrong, error {worst:.1e} (bound {case.bound})")
        return worst

    def repeats(self, subjects):
        start = time.monotonic()
        for subject in subjects.values():
            subject.sample()
        once = time.monotonic() - start
        fits = int(CASE_S / max(once, 1e-6))
        return max(min(self.options.repeats, LEAST), min(self.options.repeats, fits))

    def measure(self, part, case, left_out):
        """The Row of a case; peers that could not be had are noted in `left_out`."""
        if time.monotonic() > self.end:
            raise Late()
        subjects, worst = self.subjects(part, case, left_out)
        try:
            around = self.busy.around if self.busy else lambda sample: sample
            samples = interleave({name: around(subject.sample) for name, subject in subjects.items()},
                                 self.repeats(subjects), f"{part}: {case.what}")
            times = {name: {key: spread(values) for key, values in sample.items()}
                     for name, sample in samples.items()}
            return Row(case.what, times.pop("gpuvm"), times,
                       {name: subject.form for name, subject in subjects.items()
                        if hasattr(subject, "form")},
                       case.bytes, case.operations, target=case.target, error=worst,
                       bound=case.bound, plan=subjects["gpuvm"].plan(), stages=case.stages,
                       counts=case.counts, extra=case.extra)
        finally:
            for subject in subjects.values():
                subject.close()

    #===--- One part ---===#

    def part(self, name, title, cases, done=lambda result: None):
        """Measures the cases; `done` is called with the result so far after each of them."""
        result = {"title": title, "device": self.device, "rows": [], "notes": list(self.notes)}
        copies, rows, left_out = [self.copy_gbps], [], []
        arithmetic = {}
        for case in cases:
            try:
                rows.append(self.measure(name, case, left_out))
                arithmetic[case.what] = case.arithmetic
            except Late:
                left_out.append(f"{case.what}: the run's {self.options.seconds} s are over")
            except Exception as reason:  # one row never stops the rest
                left_out.append(f"{case.what}: {short(reason)}")
            if self.kind == "cpu":  # whose memory other processes use, too
                copies.append(self.vm.copy_speed()[1])
            result["left_out"] = left_out
            self.finish(result, rows, copies, arithmetic)
            done(result)
        if self.kind == "gpu":
            copies.append(self.vm.copy_speed()[1])
        self.copy_gbps = copies[-1]
        self.finish(result, rows, copies, arithmetic)
        self.inputs.forget()
        return result

    def finish(self, result, rows, copies, arithmetic):
        """Limits from the copy speeds measured around the rows."""
        result["copy_gbps"] = spread(copies)
        for row in rows:
            row.set_limit(result["copy_gbps"]["median"], peak(self.device, arithmetic[row.what]))
        result["rows"] = [row.json() for row in rows]


def short(reason):
    """The first line of an exception's text, with its kind where it says nothing."""
    lines = str(reason).strip().splitlines()
    print(f"left out: {reason}", file=sys.stderr, flush=True)
    return (lines[0] if lines else type(reason).__name__)[:300]
