"""Kernels, dispatches and barriers of the plans of language models: what plan_counts.txt has.

    plan_counts.py FOLDER            prints them; FOLDER is for what is compiled
    plan_counts.py FOLDER --write    updates plan_counts.txt

Sizes are those of SmolLM2-135M and, for gemma3, of Gemma 3 270M with its order of layers. A layer's counts are the difference between
two models with different numbers of layers; of gemma3 six layers are one, of which the last has no window.
"""

import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "e2e"))
import gguf_models  # noqa: E402
import gguf_writer  # noqa: E402

GOLDEN = HERE / "plan_counts.txt"
OF_SMOLLM = {"width": 576, "inner": 1536, "heads": 9, "caches": 3, "size": 64, "vocabulary": 49152}
OF_GEMMA = {"width": 640, "inner": 2048, "heads": 4, "caches": 1, "size": 256, "vocabulary": 262144, "seen": 512}
# Layers of the smaller model, how many the other one has more, and options of gpuvm-compile.
MODELS = {"llama": (OF_SMOLLM, 2, 1), "qwen2": (OF_SMOLLM, 2, 1), "qwen3": (OF_SMOLLM, 2, 1), "gemma3": (OF_GEMMA, 6, 6),
          "llama logprobs": (OF_SMOLLM, 2, 1, "--llm-logprobs"), "llama x 64": (OF_SMOLLM, 2, 1, "--llm-sequences=64")}


class Sized(gguf_models.Model):
    """Without weights: only shapes are compiled."""
    trained = 2048

    def __init__(self, kind, layers, sizes):
        self.kind, self.layers = kind, layers
        for name, value in sizes.items():
            setattr(self, name, value)

    def write(self, path):
        types = {"half": ("f16", 2)}
        tensors = {}
        for name, (what, shape) in self.shapes().items():
            kind, size = types.get(what, ("f32", 4))
            tensors[name] = kind, shape, size * math.prod(shape)
        gguf_writer.write(path, self.keys(), tensors, None)


def counts(kind, layers, sizes, folder, *options):
    """{program: (dispatches, barriers)}, and the number of kernels."""
    path = folder / f"{kind}-{layers}.gguf"
    Sized(kind, layers, sizes).write(path)
    plan = path.with_suffix(".gvplan")
    subprocess.run(["gpuvm-compile", path, "-o", plan, "--program=prefill,generate", *options], check=True)
    shown = json.loads(subprocess.run(["gpuvm-plan", "show", "--format=json", plan], check=True, capture_output=True, text=True).stdout)
    commands, programs = iter(shown["commands"]), {}
    for program in shown["programs"]:
        ops = [next(commands)["op"] for _ in range(program["commands"])]
        programs[program["name"]] = sum(op != "barrier" and op != "repeat" for op in ops), ops.count("barrier")
    return programs, len(shown["kernels"])


def lines(folder):
    for name, (sizes, layers, more, *options) in MODELS.items():
        kind = name.split()[0]
        few, kernels = counts(kind, layers, sizes, folder, *options)
        many, _ = counts(kind, layers + more, sizes, folder, *options)
        yield f"{name}: {kernels} kernels"
        for program, (dispatches, barriers) in few.items():
            all_dispatches, all_barriers = many[program]
            what = "a layer" if more == 1 else f"{more} layers"
            yield (f"{name} {program}: {what} {all_dispatches - dispatches} dispatches {all_barriers - barriers} barriers; "
                   f"with {layers} layers {dispatches} dispatches {barriers} barriers")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in lines(folder))
    if sys.argv[2:] == ["--write"]:
        GOLDEN.write_text(text)
    print(text, end="")


main()
