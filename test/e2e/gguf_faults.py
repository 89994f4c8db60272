"""Models that cannot be compiled: gguf_faults.py FOLDER writes a file for each, compiles it, and prints what is said of
it. A model that is right stays in FOLDER/right.gguf.
"""

import os
import subprocess
import sys

import numpy as np

import gguf_models


def write(folder, name, kind="llama", keys=(), tensors=()):
    """A model that is right but for some keys and tensors; those that are None are left out."""
    model = gguf_models.Model(kind)
    merge = lambda a, b: {key: value for key, value in (a | dict(b)).items() if value is not None}
    file, plan = os.path.join(folder, name + ".gguf"), os.path.join(folder, "plan")
    gguf_models.write(file, merge(model.keys(), keys), merge(model.tensors, tensors))
    if name == "right":
        return
    done = subprocess.run(["gpuvm-compile", file, "-o", plan], capture_output=True, text=True)
    print(done.stdout + done.stderr + f"exit code {done.returncode}" + (", written" if os.path.exists(plan) else ""))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    matrix = np.zeros((64, 64), "f2")
    write(folder, "right")
    write(folder, "no-architecture", keys={"general.architecture": None})
    write(folder, "other-architecture", keys={"general.architecture": "mamba"})
    write(folder, "escapes", keys={"general.architecture": "\x1b[31m" + "a" * 200})
    write(folder, "part", keys={"split.count": 2})
    write(folder, "no-layers", keys={"llama.block_count": None})
    write(folder, "zero-layers", keys={"llama.block_count": 0})
    write(folder, "text-for-layers", keys={"llama.block_count": "two"})
    write(folder, "more-layers", keys={"llama.block_count": 3})
    write(folder, "three-caches", keys={"llama.attention.head_count_kv": 3})
    write(folder, "large-heads", keys={"llama.attention.key_length": 1024})
    write(folder, "partly-rotated", keys={"llama.rope.dimension_count": 8})
    write(folder, "yarn", keys={"llama.rope.scaling.type": "yarn"})
    write(folder, "negative-base", keys={"llama.rope.freq_base": -1.0})
    write(folder, "experts", keys={"llama.expert_count": 8})
    write(folder, "soft-cap", kind="gemma3", keys={"gemma3.attn_logit_softcapping": -50.0})
    write(folder, "no-tensor", tensors={"blk.1.ffn_up.weight": None})
    write(folder, "no-embedding", tensors={"token_embd.weight": None})
    write(folder, "other-shape", tensors={"blk.0.attn_k.weight": matrix})
    write(folder, "flat-embedding", tensors={"token_embd.weight": np.zeros(64, "f2")})


main()
