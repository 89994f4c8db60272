"""Keys at positions beyond 100,000 against NumPy, which has angles in f64: angles.py FOLDER ARCHITECTURE

A key is kept as f16, so a pair of its numbers is off by up to 2^-11 of its length, and by the error of its angle. Exits 1 and says
what differs.
"""

import pathlib
import subprocess
import sys

import numpy as np

import gguf_models

CONTEXT, CHUNK = 131072, 16
MOST = 2 ** -11 + 2e-4


def main():
    folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    file, plan, text, keys = (folder / f"{kind}{end}" for end in (".gguf", ".gvplan", "-text.npy", "-keys.npy"))
    model = gguf_models.Model(kind, seed=len(kind))
    model.trained = CONTEXT
    places = model.write(file)
    call = lambda *arguments: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    call("gpuvm-compile", file, "-o", plan, "--program=score", f"--llm-context={CONTEXT}", f"--llm-chunk={CHUNK}", "--llm-products=f32")
    tokens = np.random.default_rng(7).integers(0, model.vocabulary, CHUNK)
    np.save(text, tokens.astype("i4"))
    for first in (1 << 14, 99_991, CONTEXT - CHUNK):
        call("gpuvm-run", plan, *(f"--input={name}=@{file}+{place}" for name, place in places.items()), f"--input=text=@{text}",
             f"--input=from=i32={first}", f"--output=keys.0=@{keys}")
        got = np.load(keys)[first:first + CHUNK].reshape(CHUNK, model.caches, model.size).astype(np.float64)
        forward = model.forward_pass(np.float64)
        forward.position = first
        forward.read(tokens)
        wanted = forward.keys[0][0]
        pairs = lambda x: x.reshape(*x.shape[:-1], -1, 2) if kind == "llama" else np.stack(np.split(x, 2, axis=-1), axis=-1)
        error = (np.linalg.norm(pairs(got - wanted), axis=-1) / np.linalg.norm(pairs(wanted), axis=-1)).max()
        if not error <= MOST:
            sys.exit(f"{kind}: a pair of a key at a position from {first} on is off by {error:.1e} of its length (at most {MOST:.1e})")
    print(f"{kind}: keys as NumPy computes them")


main()
