"""A question answered from a text, in one submit: search by the model's own hidden states, then the answer.

    run.py --work DIR [--question TEXT] [--model FILE] [--passages FILE] [--answer N]

Passages are the entries of docs/glossary.md, or the lines of a file. The model is SmolLM2-135M-Instruct, or a file whose chats are ChatML.
gpuvm-serve makes the passages' vectors, which are kept. Checks that one submit finds the passage and says the tokens of its parts run
apart: the vector of the question, the nearest passage in NumPy, and the prompt that a host puts together. Exits 1 if a check fails.
"""

import argparse
import http.client
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import models  # noqa: E402
from programs import BadData, Failed, check, execute, finish, say  # noqa: E402

GLOSSARY = HERE.parent.parent / "docs" / "glossary.md"
QUESTION = 3  # The part of a prompt.
HEAD = "<|im_start|>user\nText: "
MIDDLE = "\n\nAnswer from the text: "
TAIL = "<|im_end|>\n<|im_start|>assistant\n"


def entries(path):
    """"term: what it means", of the glossary's table."""
    plain = lambda cell: re.sub(r"[*`]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)).strip()
    rows = [line.strip().strip("|").split("|") for line in path.read_text().splitlines() if line.startswith("| **")]
    return [f"{plain(term)}: {plain(meaning)}" for term, meaning, *_ in rows]


def served_vectors(model, plan, texts, device):
    """A row for each list of tokens, of length 1."""
    server = subprocess.Popen(["gpuvm-serve", model.path, f"--plan={plan}", "--port=0", "--max-body=100000000", *device],
                              stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if found := re.search(r"http://([\d.]+):(\d+)", line):
                break
        else:
            raise Failed(f"gpuvm-serve ends with {server.wait()}")
        connection = http.client.HTTPConnection(found[1], int(found[2]), timeout=3600)
        connection.request("POST", "/v1/embeddings", json.dumps({"input": texts}), {"Content-Type": "application/json"})
        reply = json.loads(connection.getresponse().read())
    finally:
        server.terminate()
        server.wait()
    if "error" in reply:
        raise Failed(reply["error"]["message"].rstrip("."))
    return np.array([item["embedding"] for item in reply["data"]], "f4")


def vectors_of(model, plan, texts, work, device):
    """The same, kept in a file for the texts that they are of."""
    kept = work / "passages.npz"
    said = json.dumps([str(model.path), texts])
    if kept.exists():
        with np.load(kept) as file:
            if str(file["texts"]) == said:
                return file["vectors"]
    say(f"Reading {len(texts)} passages, {sum(map(len, texts))} tokens ...")
    vectors = served_vectors(model, plan, texts, device)
    np.savez(kept, texts=said, vectors=vectors)
    return vectors


def apart(model, plan, parts, texts, vectors, common, most, options):
    """(the passage, tokens), one program after the other with a host between them."""
    question = parts[QUESTION]
    outputs, _ = execute(plan, model.weights | {"document": models.padded(question), "document_length": f"i32={len(question)}", "last": "i32=0"},
                         ["embedding"], "--program=embed", *options)
    best = int((vectors @ (outputs["embedding"] - common)).argmax())
    parts = parts[:models.INSERTED] + [texts[best]] + parts[models.INSERTED + 1:]
    return best, model.answer(plan, sum(parts, []), most, *options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--question", default="What is a codec?")
    parser.add_argument("--model", type=pathlib.Path, help="a GGUF file, instead of SmolLM2")
    parser.add_argument("--passages", type=pathlib.Path, help="a file with a passage in each line, instead of the glossary")
    parser.add_argument("--answer", type=int, default=48, help="tokens of an answer at most")
    parser.add_argument("--device")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    device = [f"--device={options.device}"] if options.device else []
    limits = ["--timeout=3600", *device]

    model = models.Model(options.model or models.downloaded(options.work))
    passages = options.passages.read_text().splitlines() if options.passages else entries(GLOSSARY)
    texts = model.tokens_of_lines(passages)
    fits = [i for i, text in enumerate(texts) if 0 < len(text) <= models.PART]
    if not fits:
        raise BadData(f"no passage has from 1 to {models.PART} tokens")
    passages, texts = [passages[i] for i in fits], [texts[i] for i in fits]
    plan = model.plan(options.work)
    raw = vectors_of(model, plan, texts, options.work, device)
    common = raw.mean(0)
    vectors = raw - common
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    parts = [model.tokens(HEAD, True), [], model.tokens(MIDDLE), model.tokens(options.question), model.tokens(TAIL, True)]
    prompt, lengths = models.rows_of(parts)
    table, rows = models.rows_of(texts)
    whole = model.linked(options.work, plan, len(texts), HERE / "ask.mlir", width=model.width)
    outputs, stats = execute(whole, model.weights | {
        "parts": prompt, "lengths": lengths, "passages": table, "rows": rows, "vectors": vectors, "common": common,
        "limit": f"i32={options.answer}", "ends": model.ends()},
        ["passage", "nearness", "made", "tokens"], "--warmup=1", *limits)
    best, tokens = int(outputs["passage"]), models.said(outputs)
    print(f"question {options.question}\npassage {passages[best]}\nanswer {model.text(tokens).strip()}")
    print(f"nearness {float(outputs['nearness']):.3f}")

    best_apart, tokens_apart = apart(model, plan, parts, texts, vectors, common, options.answer, limits)
    check(best == best_apart, f"passage {best} in one submit, {best_apart} in parts")
    check(tokens == tokens_apart, f"tokens {tokens} in one submit, {tokens_apart} in parts")
    check(models.is_one_submit(stats), f"{stats['submits']} submits from the question to the answer")
    print(f"tokens {len(tokens)}\nsubmits {stats['submits']}\ndispatches {stats['dispatches']}\n"
          f"device_ms {stats['device_us']['median'] / 1000:.0f}")


finish(main)
