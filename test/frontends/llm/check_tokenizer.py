#!/usr/bin/env python3
"""Compares gpuvm-tokenize with others, on a machine that has them.

check_tokenizer.py huggingface MODEL.gguf [--lines=N] [--text=FILE...]
    Hugging Face's `tokenizers`, built from the file's metadata with the `gguf` package, on N lines (100,000) of the texts
    (default: this repository), of many scripts, and with bytes that are no UTF-8, which both replace by U+FFFD.
check_tokenizer.py vocabularies FOLDER
    The expected numbers of llama.cpp's models/ggml-vocab-*.gguf (.inp, .out), as the sdist of llama-cpp-python has them.

Prints each difference's text and exits 1 if there is one.
"""

import argparse
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xEFF), (0x2000, 0x218F),
           (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1FAFF), (0x1D400, 0x1D7FF), (0x20000, 0x2A6DF)]
WORDS = ["'s", "'S", "'ll", "'Ll", "'RE", "'\u017f", "don't", "I'VE", "1234567", "3.14", "\u0661\u0662", "\u00bd", "\u2167", "The", "!!", "::", "->",
         "/*", "__init__", "<|im_start|>", "</s>", "e\u0301", "\u0130", "\u212a"]
SPACES = [" ", "  ", "\t", "\r", "\u00a0", "\u3000", "\u2028", "\u0085", "\u180e", "\u200b", "    "]


def ours(model, lines):
    """The numbers that gpuvm-tokenize gives for each line, as text."""
    run = subprocess.run(["gpuvm-tokenize", model, "--lines"], input=b"".join(line + b"\n" for line in lines), capture_output=True)
    if run.returncode:
        return run.stderr.decode().strip()
    return run.stdout.decode().split("\n")[:-1]


def make_lines(texts, count):
    """`count` lines: half of the texts', a quarter of many scripts, a quarter of the texts' with bytes changed."""
    rng = random.Random(48)
    known = [line for path in texts for line in path.read_bytes().split(b"\n")]

    def characters():
        first, last = rng.choice(SCRIPTS)
        return "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 6)))

    def broken():
        line = bytearray(rng.choice(known)[:200] or b"x")
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(line) + 1)
            line[at:at + rng.randint(0, 2)] = rng.randbytes(rng.randint(1, 4))
        return bytes(line)

    def mixed():
        parts = [rng.choice([rng.choice(SPACES), rng.choice(WORDS), characters()]) for _ in range(rng.randint(1, 20))]
        return "".join(parts).encode()

    lines = [rng.choice([lambda: rng.choice(known), lambda: rng.choice(known), mixed, broken])() for _ in range(count)]
    return [line.replace(b"\n", b" ") for line in lines]


def pre_tokenizer(name):
    """Hugging Face's, as the tokenizer.json of the first model of that name has it."""
    from tokenizers import Regex, pre_tokenizers as pre
    endings = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
    spaces = r"\s*[\r\n]+|\s+(?!\S)|\s+"
    words = endings + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + spaces
    split = lambda pattern: pre.Split(Regex(pattern), "isolated")
    level = lambda use_regex: pre.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    digits = pre.Digits(individual_digits=True)
    if name in ("gpt-2", "mpt"):
        return level(True)
    if name in ("smollm", "starcoder", "refact", "command-r"):
        return pre.Sequence([digits, level(True)])
    if name == "llama-bpe":
        return pre.Sequence([split(words), level(False)])
    if name == "qwen2":
        return pre.Sequence([split(words.replace("{1,3}", "")), level(False)])
    if name == "deepseek-coder":
        stages = ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"]
        return pre.Sequence([split(stage) for stage in stages] + [digits, level(False)])
    sys.exit(f'No pre-tokenizer of Hugging Face is written down for "{name}".')


def huggingface(arguments):
    import gguf
    from tokenizers import AddedToken, Tokenizer, models
    fields = gguf.GGUFReader(arguments.path).fields
    value = lambda key: fields[f"tokenizer.ggml.{key}"].contents()
    tokens = value("tokens")
    merges = [tuple(merge.split(" ")) for merge in value("merges")]
    name = value("pre")
    peer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges, ignore_merges=name == "llama-bpe"))
    peer.pre_tokenizer = pre_tokenizer(name)
    peer.add_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, value("token_type"))
                     if kind == 4 and not token.startswith(("<|", "<\uff5c"))])
    texts = arguments.text or [path for end in ("md", "cpp", "py", "mlir") for path in sorted(ROOT.glob(f"[a-z]*/**/*.{end}"))
                               if not path.relative_to(ROOT).parts[0].startswith("build")]
    lines = make_lines(texts, arguments.lines)
    expected = [" ".join(map(str, peer.encode(line.decode(errors="replace"), add_special_tokens=False).ids)) for line in lines]
    return lines, ours(arguments.path, lines), expected


def check(name, texts, found, expected):
    if isinstance(found, str):
        print(f"{name}: {found}")
        return "error" in found and "is not known" in found
    wrong = [text for text, one, other in zip(texts, found, expected, strict=True) if one != other]
    for text in wrong[:10]:
        print(f"{name}: differs: {text[:200]!r}")
    print(f"{name}: {len(texts)} texts, {len(wrong)} differ")
    return not wrong


def vocabularies(folder):
    """One run of gpuvm-tokenize a text, as texts have lines."""
    for model in sorted(folder.glob("ggml-vocab-*.gguf")):
        inputs, outputs = (model.with_name(model.name + end) for end in (".inp", ".out"))
        if not inputs.exists():
            continue
        texts = inputs.read_bytes().split(b"\n__ggml_vocab_test__\n")
        expected = [line.strip() for line in outputs.read_text().split("\n")][:len(texts)]
        runs = [subprocess.run(["gpuvm-tokenize", model], input=text, capture_output=True) for text in texts]
        failed = next((run.stderr.decode().strip() for run in runs if run.returncode), None)
        yield model.name, texts, failed or [run.stdout.decode().strip() for run in runs], expected


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("peer", choices=["huggingface", "vocabularies"])
parser.add_argument("path", type=pathlib.Path)
parser.add_argument("--lines", type=int, default=100_000)
parser.add_argument("--text", type=pathlib.Path, nargs="*")
options = parser.parse_args()
cases = vocabularies(options.path) if options.peer == "vocabularies" else [("huggingface", *huggingface(options))]
if not all([check(*case) for case in cases]):
    sys.exit(1)
