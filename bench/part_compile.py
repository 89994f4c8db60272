"""How long a compile of Q6 takes, from the start of the process to its end."""

import pathlib
import time

import data
import peers
from gpuvm import Missing
from measure import interleave, spread


def timed(call):
    def sample():
        start = time.perf_counter()
        call()
        return {"ms": (time.perf_counter() - start) * 1e3}

    return sample


def run(vm, options):
    if vm.bundle:
        raise Missing("a bundle has no compiler")
    rows = data.rows_of(options.scale)
    folder = pathlib.Path(vm.scratch.name)
    source, plan = folder / "compile_q6.mlir", folder / "compile_q6.gvplan"
    source.write_text(data.q6_program(rows))
    subjects = {"gpuvm-compile": timed(lambda: vm.call("gpuvm-compile", source, "-o", plan))}
    left_out = []
    try:
        if options.no_peers:
            raise Missing("--no-peers")
        compiler = peers.install(options.cache) / "iree-compile"
        other, module = folder / "compile_iree.mlir", folder / "compile_iree.vmfb"
        other.write_text(peers.program(rows))
        subjects["iree-compile, vulkan"] = timed(
            lambda: peers.call(compiler, other, "-o", module, *peers.FORMS["vulkan"]["rdna3 descriptors"]))
    except Missing as reason:
        left_out.append(f"iree-compile: {reason}")
    samples = interleave(subjects, options.repeats, "compile")
    return {"title": "Compiling Q6", "notes": [], "left_out": left_out,
            "rows": [{"what": name, "ms": spread(samples[name]["ms"])} for name in subjects]}
