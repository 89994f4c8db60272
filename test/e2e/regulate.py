"""Norms of attention kept in a band: regulate.py FOLDER. Exits 1 with a sentence where it is wrong.

A healthy model gives the same bits with a regulator as without one, and its norms are NumPy's. In another one the values of a layer are
40 times as large: its norms are reported, and with a band logits and norms are those of NumPy's forward pass with scaled results.
"""

import os
import subprocess
import sys

import numpy as np

import forward_pass
import gguf_models
import sequences

CHUNK, LENGTH, STEPS, LAYER = 8, 19, 6, 1


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments[:3])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


class Regulated(forward_pass.ForwardPass):
    """With the norms of all rows, scaled to the band."""
    low, high = 0.0, np.inf

    def attend(self, layer, q):
        result = super().attend(layer, q)
        norms = np.sqrt((result ** 2).mean(-1, keepdims=True))
        self.norms = getattr(self, "norms", {})
        self.norms.setdefault(layer, []).extend(norms[:, 0])
        return result * np.clip(norms, self.low, self.high) / norms


def expected(model, text, low=0.0, high=np.inf):
    """Logits, and the norms of each layer, in f64, of the whole text that was read and said."""
    whole = model.forward_pass(np.float64)
    own = Regulated(whole.sizes, whole.tensors, np.float64)
    own.low, own.high = low, high
    return own.logits(text), np.array([own.norms[layer] for layer in range(whole.sizes.layers)])


class Runs:
    """A model with several plans."""

    products = "f32"

    def __init__(self, folder, model, name):
        self.path = lambda part: os.path.join(folder, f"{name}-{part}")
        self.model = model
        places = model.write(self.path("model.gguf"))
        self.weights = [f"--input={tensor}=@{self.path('model.gguf')}+{place}" for tensor, place in places.items()]

    def outputs(self, text, *options):
        """Logits after two chunks; tokens after a prompt; with a regulator norms, and how many were outside."""
        plan, names = self.path("plan"), ["tokens", *(["attention_norm", "attention_outside"] if options else [])]
        run("gpuvm-compile", self.path("model.gguf"), "-o", plan, "--llm-context=40", f"--llm-chunk={CHUNK}", "--llm-tokens=16",
            "--llm-candidates=40", f"--llm-products={self.products}", *options)
        save = lambda name, array: (np.save(self.path(name), np.asarray(array, "i4")), "@" + self.path(name))[1]
        logits = []
        for part in range(2):
            run("gpuvm-run", plan, "--program=score", *self.weights, f"--input=text={save('text.npy', text[part * CHUNK:(part + 1) * CHUNK])}",
                f"--input=score.from=i32={part * CHUNK}", f"--output=logits=@{self.path('logits.npy')}",
                *([f"--restore={self.path('state')}"] if part else []), f"--save={self.path('state')}")
            logits.append(np.load(self.path("logits.npy")))
        run("gpuvm-run", plan, "--run=prefill,generate", *self.weights, f"--input=prompt={save('prompt.npy', np.pad(text, (0, 40 - len(text))))}",
            f"--input=length=i32={len(text)}", "--input=prefill.from=i32=0", f"--input=limit=i32={STEPS}",
            f"--input=ends={save('ends.npy', np.full(8, -1))}", "--input=temperature=f32=0", "--input=top_k=i32=1", "--input=top_p=f32=0",
            "--input=min_p=f32=0", f"--input=seed={save('seed.npy', [1, 2])}", *(f"--output={name}=@{self.path(name + '.npy')}" for name in names))
        return np.concatenate(logits), *(np.load(self.path(name + ".npy")) for name in names)


def close(what, got, wanted, most=3e-3):
    error = np.abs(got - wanted).max() / np.abs(wanted).max()
    if not error < most:
        sys.exit(f"{what} differ by {error:.1e} of the largest")


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    text = np.random.default_rng(3).integers(0, gguf_models.Model.vocabulary, LENGTH)

    for kind, products in (("llama", "f32"), ("gemma3", "f32"), ("qwen2", "f16")):
        healthy = Runs(folder, gguf_models.Model(kind, seed=5), kind)
        healthy.products = products
        logits, tokens = healthy.outputs(text)
        again, same, norms, outside = healthy.outputs(text, "--llm-regulate=0.001,100")
        if not (np.array_equal(logits, again) and np.array_equal(tokens, same)):
            sys.exit(f"{kind}: a regulator changes a healthy model")
        said = np.concatenate([text, tokens[:STEPS - 1]])  # The last one is not read.
        close(f"{kind}: norms", norms, expected(healthy.model, said)[1].max(1))
        if outside.any():
            sys.exit(f"{kind}: {outside} rows of a healthy model are outside")
    print("a healthy model has the same bits, and NumPy's norms")

    # Of two sequences one ends earlier: its rows do not count any more.
    plan = sequences.Plan(folder, "llama", "f32", False, "--llm-regulate=0,1e30")
    both = [sequences.Sequence(text[:n], count, 0, 1) for n, count in ((LENGTH, 2), (5, 9))]
    for place, sequence in enumerate(both):
        plan.prefill(place, sequence.prompt)
    plan.generate({place: (sequence, sequence.tokens) for place, sequence in enumerate(both)})
    plan.prefill(2, text[:1], options=[f"--output=attention_norm=@{plan.path('norms.npy')}"])  # Which reads no token.
    of_each = [expected(plan.model, np.array(sequence.prompt + sequence.made[:-1]))[1].max(1) for sequence in both]
    close("norms of sequences", np.load(plan.path("norms.npy")), np.max(of_each, axis=0))
    print("of sequences, rows that are tokens count")

    model = gguf_models.Model("llama", seed=5)
    model.tensors[f"blk.{LAYER}.attn_v.weight"] = model.tensors[f"blk.{LAYER}.attn_v.weight"] * np.float16(40)
    planted = Runs(folder, model, "planted")
    free, unbounded = expected(model, text)
    low, high = 0.5 * unbounded[0].min(), 1.5 * unbounded[0].max()
    if not unbounded[LAYER].min() > high:
        sys.exit("the planted weights make no large norms")
    for band, is_damped in ((f"{low},{high}", True), ("0,1e30", False)):
        logits, tokens, norms, outside = planted.outputs(text, f"--llm-regulate={band}")
        said = np.concatenate([text, tokens[:STEPS - 1]])
        wanted, of_layers = expected(model, said, *((low, high) if is_damped else ()))
        close(f"logits with the band {band}", logits, wanted[:2 * CHUNK])
        close(f"norms with the band {band}", norms, of_layers.max(1))
        rows = ((of_layers < low) | (of_layers > high)).sum(1) if is_damped else np.zeros(len(of_layers))
        if not np.array_equal(outside, rows):
            sys.exit(f"{outside} rows are outside of {band}, not {rows}")
        print(f"{'damped' if is_damped else 'reported'}: {outside} rows outside")
    if np.abs(free[:2 * CHUNK] - wanted[:2 * CHUNK]).max() > 1e-9:
        sys.exit("the expected numbers of a report are not those without a band")


main()
