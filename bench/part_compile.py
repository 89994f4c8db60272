"""How long a compile takes, from the start of the process to its end: of Q6, and of a graph of many random stages."""

import pathlib
import time

import data
import graphs
import peers
from gpuvm import Missing
from measure import interleave, spread


def timed(call):
    def sample():
        start = time.perf_counter()
        call()
        return {"ms": (time.perf_counter() - start) * 1e3}

    return sample


STAGES = 1000
GRAPHS = 3  # compiles of the graph


def run(vm, options):
    if vm.bundle:
        raise Missing("a bundle has no compiler")
    rows = data.rows_of(options.scale)
    folder = pathlib.Path(vm.scratch.name)
    plan, sizes = folder / "compile_q6.gvplan", data.q6_options(rows)
    subjects = {"gpuvm-compile": timed(lambda: vm.call("gpuvm-compile", data.Q6_PROGRAM, "-o", plan, *sizes))}
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
    graph, graph_plan = folder / "compile_graph.mlir", folder / "compile_graph.gvplan"
    graph.write_text(graphs.program(STAGES))
    name = f"gpuvm-compile, {STAGES:,} random stages"
    samples |= interleave({name: timed(lambda: vm.call("gpuvm-compile", graph, "-o", graph_plan))},
                          min(GRAPHS, options.repeats), "compile")
    return {"title": "Compiling", "notes": [], "left_out": left_out,
            "rows": [{"what": name, "ms": spread(samples[name]["ms"])} for name in samples]}
