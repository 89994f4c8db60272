"""Models of each architecture, compiled from GGUF files and run: logits and generated tokens against NumPy.

    language_models.py FOLDER ARCHITECTURE [f16] [q8_0 | cache-f32]

The logits of a chunk, of the chunk after it (which reads the caches), and of one that reaches past the end of the context; vectors
of texts; tokens that one submit generates greedily after a prompt that was read in chunks. Exits 1 and says what differs.
"""

import os
import subprocess
import sys

import numpy as np

import forward_pass
import gguf_models

CONTEXT, CHUNK, STEPS = 40, 8, 6


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    folder, kind = sys.argv[1:3]
    options = sys.argv[3:]
    products = "f16" if "f16" in options else "f32"
    blocks = "q8_0" in options  # of the caches
    wide = "cache-f32" in options
    # With products of f32, the caches alone decide; numbers of blocks that lie between two may become either.
    most = 1e-2 if blocks or products == "f16" else 1e-5 if wide else 2e-3
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, f"{kind}-{name}")
    model = gguf_models.Model(kind, seed=len(kind))
    places = model.write(path("model.gguf"))
    run("gpuvm-compile", path("model.gguf"), "-o", path("plan"), f"--llm-context={CONTEXT}", f"--llm-chunk={CHUNK}", "--llm-tokens=16",
        "--llm-candidates=40", f"--llm-products={products}", f"--llm-cache={'q8_0' if blocks else 'f32' if wide else 'f16'}")
    weights = [f"--input={name}=@{path('model.gguf')}+{place}" for name, place in places.items()]

    def save(name, array, dtype):
        np.save(path(name + ".npy"), np.asarray(array, dtype))
        return "@" + path(name + ".npy")

    random = np.random.default_rng(7)
    tokens = random.integers(0, model.vocabulary, 2 * CHUNK)
    wanted = model.logits(tokens, blocks)
    for part, name in enumerate(("first", "second")):
        own = tokens[part * CHUNK:(part + 1) * CHUNK]
        run("gpuvm-run", path("plan"), "--program=score", *weights, f"--input=text={save('text', own, 'i4')}",
            f"--input=score.from=i32={part * CHUNK}", f"--output=logits={'@' + path('logits.npy')}",
            *([f"--restore={path('state')}"] if part else []), f"--save={path('state')}")
        got = np.load(path("logits.npy"))
        expected = wanted[part * CHUNK:(part + 1) * CHUNK]
        error = np.abs(got - expected).max() / np.abs(expected).max()
        if not error < most:
            sys.exit(f"{kind}: the logits of the {name} chunk differ by {error:.1e} of the largest")

    if blocks:  # Of the first layer, whose keys differ by roundings only.
        numbers, scales = path("numbers.npy"), path("scales.npy")
        run("gpuvm-run", path("plan"), "--program=score", *weights, f"--input=text={save('text', tokens[:CHUNK], 'i4')}",
            "--input=score.from=i32=0", f"--output=keys.0=@{numbers}", f"--output=keys.0.scales=@{scales}")
        numbers = np.load(numbers)[:CHUNK].reshape(CHUNK, -1, forward_pass.BLOCK).astype("i4")
        scales = np.load(scales)[:numbers.size // forward_pass.BLOCK].reshape(CHUNK, -1, 1)
        wanted = model.forward_pass(np.float64)
        wanted.read(tokens[:CHUNK])
        whole, scale = forward_pass.blocks_of(wanted.keys[0][0])
        off = np.abs(numbers - whole.reshape(numbers.shape))
        assert off.max() <= 1 and off.mean() < 1e-3, (off.max(), off.mean())
        assert np.allclose(scales.ravel(), scale.ravel(), rtol=1e-3, atol=0)

    # Vectors of texts of one token, of a chunk and of three: means, and of the last token.
    for length, last in ((1, 0), (CHUNK, 0), (2 * CHUNK + 3, 0), (2 * CHUNK + 3, 1)):
        rows = random.integers(0, model.vocabulary, CONTEXT)
        run("gpuvm-run", path("plan"), "--program=embed", *weights, f"--input=document={save('document', rows, 'i4')}",
            f"--input=document_length=i32={length}", f"--input=last=i32={last}", f"--output=embedding=@{path('embedding.npy')}")
        error = np.abs(np.load(path("embedding.npy")) - model.embedding(rows[:length], last, blocks)).max()
        if not error < most:
            sys.exit(f"{kind}: the vector of {length} tokens (last: {last}) differs by {error:.1e}")

    # A prompt of one chunk and some, whose last token generation reads.
    prompt = tokens[:CHUNK + 3]
    rows = np.zeros(CONTEXT, "i4")
    rows[:len(prompt)] = prompt
    save("prompt", rows, "i4"), save("ends", np.full(8, -1), "i4"), save("seed", [1, 2], "i4")

    def generate(times, limit, temperature):
        """The tokens of the last of so many executions, which go on with the text."""
        out = run("gpuvm-run", path("plan"), "--run=prefill" + ",generate" * times, *weights, f"--input=prompt=@{path('prompt.npy')}",
                  f"--input=length=i32={len(prompt)}", "--input=prefill.from=i32=0", f"--input=limit=i32={limit}",
                  f"--input=ends=@{path('ends.npy')}", f"--input=temperature=f32={temperature}", "--input=top_k=i32=40",
                  "--input=top_p=f32=0.95", "--input=min_p=f32=0.05", f"--input=seed=@{path('seed.npy')}",
                  f"--output=tokens=@{path('tokens.npy')}", "--output=count", "--output=end")
        assert f"count: i32={limit}" in out and "end: i32=2" in out, out
        return np.load(path("tokens.npy"))[:limit].tolist()

    drawn = generate(1, STEPS, 2)
    parts = generate(3, STEPS // 3, 2)
    if parts != drawn[-len(parts):]:
        sys.exit(f"{kind}: one execution draws {drawn}, and the last of three {parts}")
    text = list(prompt)
    for token in generate(1, STEPS, 0):
        scores = model.logits(np.array(text), blocks)[-1]
        below = scores.max() - scores[token]
        if below > most * np.abs(scores).max():
            sys.exit(f"{kind}: token {len(text)} is {token}, {below:.1e} below the likeliest one")
        text.append(int(token))

    # Half of a chunk is left of the context; the other tokens have no place in it.
    text = random.integers(0, model.vocabulary, CONTEXT)
    before = CONTEXT - CHUNK // 2
    own = np.append(text[before:], text[:CHUNK // 2])
    run("gpuvm-run", path("plan"), "--run=prefill,score", *weights, f"--input=prompt={save('prompt', text, 'i4')}",
        f"--input=length=i32={before + 1}", "--input=prefill.from=i32=0", f"--input=text={save('text', own, 'i4')}",
        f"--input=score.from=i32={before}", f"--output=logits={'@' + path('logits.npy')}")
    expected = model.logits(text, blocks)[before:]
    error = np.abs(np.load(path("logits.npy"))[:len(expected)] - expected).max() / np.abs(expected).max()
    if not error < most:
        sys.exit(f"{kind}: the logits at the end of the context differ by {error:.1e} of the largest")
    print(f"{kind}, {products}{', q8_0' if blocks else ''}{', caches of f32' if wide else ''}: as NumPy computes it")


main()
