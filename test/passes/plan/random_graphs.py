"""Random graphs of stages: how many plans have as few barriers as any order of their kernels allows, and which ones copy.

    random_graphs.py COUNT [BYTES] [SEED]

Each stage is one kernel (nothing is fused) that reads messages, inputs and symbols, and sends what it computes, or stores
it, or both. The bound is the longest path of dependences: a load waits for the store before it, a store for that and for
the loads since. Prints how many plans reach it and how many copy; with --list the programs that do not, too.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

Stage = collections.namedtuple("Stage", "sources loads store sends")


def makeStages(rng):
    inputs = [f"%x{i}" for i in range(rng.randint(1, 3))]
    symbols = [f"g{i}" for i in range(rng.randint(0, 3))]
    values, stages = list(inputs), []
    for number in range(rng.randint(4, 24)):
        store = rng.choice(symbols) if symbols and rng.random() < 0.3 else None
        stages.append(Stage(rng.sample(values, min(len(values), rng.randint(1, 2))),
                            [rng.choice(symbols)] if symbols and rng.random() < 0.4 else [], store,
                            store is None or rng.random() < 0.5))
        if stages[-1].sends:
            values.append(f"%m{number}")
    sent = values[len(inputs):]
    outputs = rng.sample(sent, min(len(sent), rng.randint(1, 3)))
    return inputs, symbols, stages, outputs


def countBarriers(stages, outputs):
    """The bound."""
    needed, live = set(outputs), []
    for number, stage in reversed(list(enumerate(stages))):
        if stage.store or f"%m{number}" in needed:
            needed.update(stage.sources)
            live.append(number)
    depth, stored, loaded = {}, collections.Counter(), collections.Counter()
    for number in reversed(live):
        stage = stages[number]
        after = [depth[source] + 1 for source in stage.sources if source in depth]
        after += [stored[name] for name in stage.loads]
        if stage.store:
            after += [stored[stage.store], loaded[stage.store]]
        own = max(after, default=0)
        depth[f"%m{number}"] = own
        for name in stage.loads:
            loaded[name] = max(loaded[name], own + 1)
        if stage.store:
            stored[stage.store], loaded[stage.store] = own + 1, 0
    return max(depth.values(), default=0)


def write(inputs, symbols, stages, outputs, kind):
    def typeOf(value):
        return kind if value in inputs else f"!gpuvm.message<{kind}>"

    lines = [f"gpuvm.global @{name} : {kind}" for name in symbols]
    for number, stage in enumerate(stages):
        operands = ", ".join(f"%a{i} = {source} : {typeOf(source)}" for i, source in enumerate(stage.sources))
        lines.append((f"%m{number} = " if stage.sends else "") + f"gpuvm.stage @s{number}({operands})"
                     + (f" -> {kind}" if stage.sends else "") + " {")
        lines += [f"  %{name} = gpuvm.load @{name} : {kind}" for name in stage.loads]
        terms = [f"%a{i}" for i in range(len(stage.sources))] + [f"%{name}" for name in stage.loads]
        lines.append(f"  %e = tensor.empty() : {kind}")
        lines.append(f"  %v = linalg.generic {{indexing_maps = [{', '.join(['#id'] * (len(terms) + 1))}], "
                     f'iterator_types = ["parallel"]}} ins({", ".join(terms)} : {", ".join([kind] * len(terms))}) '
                     f"outs(%e : {kind}) {{")
        lines.append(f"  ^bb0({', '.join(f'%b{i}: f32' for i in range(len(terms)))}, %o: f32):")
        lines.append(f"    %c = arith.constant {number + 1}.0 : f32")
        lines.append("    %t0 = arith.mulf %b0, %c : f32")
        lines += [f"    %t{i} = arith.addf %t{i - 1}, %b{i} : f32" for i in range(1, len(terms))]
        lines += [f"    linalg.yield %t{len(terms) - 1} : f32", f"  }} -> {kind}"]
        value = "%v"
        if stage.store:
            lines.append(f"  gpuvm.store {value}, @{stage.store} : {kind}")
        lines += [f"  gpuvm.send {value} : {kind}" if stage.sends else "  gpuvm.send", "}"]
    header = ", ".join(f"{name}: {kind}" for name in inputs)
    results = ", ".join(f"o{i}: {kind}" for i in range(len(outputs)))
    end = f"gpuvm.return {', '.join(outputs)} : {', '.join(map(typeOf, outputs))}" if outputs else "gpuvm.return"
    return "#id = affine_map<(d0) -> (d0)>\n" f"gpuvm.program @p({header}) -> ({results}) {{\n  " + "\n  ".join([*lines, end]) + "\n}\n"


def main(arguments):
    isListed = "--list" in arguments
    numbers = [int(argument) for argument in arguments if argument != "--list"]
    count, size, seed = (numbers + [1 << 18, 0][len(numbers) - 1:])[:3]
    rng = random.Random(seed)
    reached = copied = 0
    with tempfile.TemporaryDirectory() as scratch:
        source, plan = pathlib.Path(scratch) / "p.mlir", pathlib.Path(scratch) / "p.gvplan"
        for number in range(count):
            inputs, symbols, stages, outputs = makeStages(rng)
            source.write_text(write(inputs, symbols, stages, outputs, f"tensor<{size // 4}xf32>"))
            subprocess.run(["gpuvm-compile", source, "--disable-fusion", "--chains=never", "-o", plan], check=True)
            shown = json.loads(subprocess.run(["gpuvm-plan", "show", "--format=json", plan], check=True,
                                              capture_output=True).stdout)
            ops = collections.Counter(command["op"] for command in shown["commands"])
            least = countBarriers(stages, outputs)
            reached += ops["barrier"] <= least
            copied += ops["copy"] > 0
            if isListed and (ops["barrier"] > least or ops["copy"]):
                print(f"// {number}: {ops['barrier']} barriers, {least} are enough; {ops['copy']} copies")
                print(source.read_text())
    print(f"{count} programs: {reached} with the fewest barriers, {copied} with copies")


main(sys.argv[1:])
