"""Tokens that a model's generate draws on the device, against their probabilities.

    sampling.py FOLDER [RUNS]    250 tokens with each of so many seeds (4) and of two settings

All embeddings are equal, so each token has the same logits after any text. The probabilities are those of llama.cpp's
samplers in its order: top k, top p, min p, temperature. Exits 1 if a filtered token is drawn, if chi-square says that
the counts come from other probabilities (p < 0.001), or if a seed does not give the same tokens again.
"""

import os
import subprocess
import sys

import numpy as np

import gguf_models

CONTEXT, TOKENS = 512, 250


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def wanted(logits, temperature, top_k, top_p, min_p):
    order = np.argsort(-logits, kind="stable")[:top_k]
    p = np.exp(logits[order] - logits[order[0]])
    share = p / p.sum()
    kept = (np.cumsum(share) - share < top_p) & (p >= min_p)
    q = np.where(kept, np.exp((logits[order] - logits[order[0]]) / temperature), 0)
    result = np.zeros(len(logits))
    result[order] = q / q.sum()
    return result


def limit(freedom):
    """What chi-square exceeds with probability 0.001 (Wilson and Hilferty)."""
    return freedom * (1 - 2 / (9 * freedom) + 3.09 * np.sqrt(2 / (9 * freedom))) ** 3


def main():
    folder, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)

    class Flat(gguf_models.Model):
        layers, width, inner, heads, caches, size, vocabulary = 1, 32, 32, 1, 1, 32, 96

        def keys(self):
            return super().keys() | {"llama.context_length": CONTEXT}

    model = Flat("llama", seed=3)
    model.tensors["token_embd.weight"][:] = model.tensors["token_embd.weight"][0]
    model.tensors["blk.0.attn_output.weight"][:] = 0
    model.tensors["blk.0.ffn_down.weight"][:] = 0
    places = model.write(path("flat.gguf"))
    logits = model.logits(np.array([1]))[0]
    run("gpuvm-compile", path("flat.gguf"), "-o", path("plan"), f"--llm-context={CONTEXT}", f"--llm-tokens={TOKENS}", "--llm-chunk=8")

    def save(name, array):
        np.save(path(name + ".npy"), np.asarray(array, "i4"))
        return "@" + path(name + ".npy")

    weights = [f"--input={name}=@{path('flat.gguf')}+{place}" for name, place in places.items()]
    weights += [f"--input=prompt={save('prompt', np.ones(CONTEXT))}", "--input=length=i32=2", "--input=prefill.from=i32=0",
                f"--input=limit=i32={TOKENS}", f"--input=ends={save('ends', np.full(8, -1))}"]

    def draw(seed, temperature, top_k, top_p, min_p):
        run("gpuvm-run", path("plan"), "--run=prefill,generate", *weights, f"--input=temperature=f32={temperature}",
            f"--input=top_k=i32={top_k}", f"--input=top_p=f32={top_p}", f"--input=min_p=f32={min_p}",
            f"--input=seed={save('seed', [seed, 9])}", f"--output=tokens=@{path('tokens.npy')}")
        return np.load(path("tokens.npy"))

    for number, filters in enumerate([(1.0, 1000, 2.0, 0.0), (0.6, 30, 0.9, 0.05)]):
        drawn = np.concatenate([draw(100 * number + seed, *filters) for seed in range(runs)])
        p = wanted(logits, *filters)
        counts = np.bincount(drawn, minlength=len(p))
        if counts[p == 0].any():
            sys.exit(f"{filters}: draws tokens that are filtered: {np.flatnonzero(counts * (p == 0))}")
        expected = p * len(drawn)
        # Cells of at least 5; what is rarer is one cell.
        large = expected >= 5
        rest = expected[~large].sum()
        chi = ((counts[large] - expected[large]) ** 2 / expected[large]).sum()
        freedom = large.sum() - 1
        if rest >= 5:
            chi += (counts[~large].sum() - rest) ** 2 / rest
            freedom += 1
        if not chi < limit(freedom):
            sys.exit(f"{filters}: chi-square is {chi:.1f} with {freedom} degrees of freedom (at most {limit(freedom):.1f})")
        print(f"{filters}: {len(drawn)} tokens, {np.count_nonzero(p)} different ones, as probable as they should be")
    if not np.array_equal(draw(5, 1.0, 1000, 2.0, 0.0), draw(5, 1.0, 1000, 2.0, 0.0)):
        sys.exit("a seed gives other tokens the second time")
    if np.array_equal(draw(5, 1.0, 1000, 2.0, 0.0), draw(6, 1.0, 1000, 2.0, 0.0)):
        sys.exit("another seed gives the same tokens")
    if set(draw(5, 0.0, 1000, 2.0, 0.0)) != {int(logits.argmax())}:
        sys.exit("temperature 0 does not draw the likeliest token")


main()
