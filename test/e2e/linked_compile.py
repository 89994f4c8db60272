"""A program that is linked with a language model is compiled in a time linear in the model's layers: linked_compile.py FOLDER

The question of examples/retrieval, with models of 8, 16 and 32 layers.
"""

import pathlib
import resource
import subprocess
import sys

import gguf_models

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SPARE_SECONDS = 0.8  # What a process may vary by.


def user_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    call = lambda *arguments: subprocess.run(["gpuvm-compile", *arguments], check=True)
    seconds = []
    for layers in (8, 16, 32):
        model = type("Deep", (gguf_models.Model,), {"layers": layers, "trained": 512})("qwen2")
        model.write(folder / "model.gguf")
        call(folder / "model.gguf", "--llm-chunk=32", "--program=embed,prefill,generate", "--keep-module", "-o", folder / "model.gvplan")
        before = user_seconds()
        call(EXAMPLES / "retrieval" / "ask.mlir", f"--set=width={model.width}", f"--link={EXAMPLES / 'prompt.mlir'}", f"--link={folder / 'model.gvplan'}", "-o", folder / "ask.gvplan")
        seconds.append(user_seconds() - before)
        print(f"{layers} layers: {seconds[-1]:.2f} s", flush=True)
    few, more, most = seconds
    # 16 more layers cost twice what 8 more do; the bound is between that and four times as much.
    assert most - more <= 3 * (more - few) + SPARE_SECONDS, "slower than linear"


main()
