"""What a model says after 20 prompts, always the likeliest token, next to what llama.cpp says of the same file.

    continuations.py MODEL.gguf [--tokens 32] [--products f16]

Where one leaves the other, the logits of both tokens: in NumPy (forward_pass.py), and in llama.cpp, which rounds activations to 8 bits. It
is a tie if ours is the likeliest in NumPy or at most --most of the largest logit below it; anything else exits 1. Needs what
teacher_forced.py needs.
"""

import argparse
import pathlib
import sys

import numpy as np

from forward_pass import read_file
from teacher_forced import ROOT, llamacpp, on_device, places_of

PROMPTS = ("The capital of France is", "Water boils at a temperature of", "Once upon a time, in a small village,",
           "The three laws of thermodynamics say that", "A compiler is a program that", "def fibonacci(n):\n", "Dear Sir or Madam,\n\n",
           "Ingredients for pancakes: flour,", "In 1969, the first humans", "The opposite of hot is", "To be, or not to be,",
           "1, 1, 2, 3, 5, 8,", "Photosynthesis is the process by which", "The largest planet of the solar system",
           "Question: What is 7 times 8?\nAnswer:", "My favourite book is", "SELECT name FROM users WHERE", "Bonjour, je m'appelle",
           "The weather today", "A prime number is")


def difference(ours, theirs):
    """The first place where they differ, or None."""
    return next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--products", default="f32")
    parser.add_argument("--most", type=float, default=1e-3)
    parser.add_argument("--device", default="")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / ".cache")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".cache" / "continuations")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    context = 128
    if options.tokens > context // 2:
        parser.error(f"--tokens is {options.tokens}, but at most {context // 2} are generated")
    model, device = on_device(options, options.model, places_of(options.model), context, "--program=prefill,generate", "--llm-chunk=32",
                              f"--llm-tokens={context // 2}")
    llama = llamacpp.Model(llamacpp.Library(llamacpp.install(options.cache)), options.model, context, threads=1)
    forward = read_file(options.model)
    print(f"{pathlib.Path(options.model).stem}, {options.tokens} tokens after each prompt, products of {options.products}, {device}")
    same = ties = 0
    for text in PROMPTS:
        prompt = llama.tokenize(text)
        model.read(prompt)
        model.generate(options.tokens)
        ours = model.made(options.tokens)
        llama.forget()
        llama.read(prompt[:-1])
        theirs = llama.generate(prompt[-1], len(prompt) - 1, options.tokens)
        place = difference(ours, theirs)
        if place is None:
            same += 1
            continue
        before = prompt + ours[:place]
        forward.forget()
        right = forward.logits(before)[-1]
        llama.forget()
        llama.read(before)
        other = llama.logits()
        pair = ours[place], theirs[place]
        below = (right.max() - right[pair[0]]) / np.abs(right).max()
        ties += bool(below <= options.most)
        print(f"{text!r}: they leave at token {place}: ours {pair[0]}, llama.cpp's {pair[1]}; logits in NumPy "
              f"{right[pair[0]]:.4f} and {right[pair[1]]:.4f}, in llama.cpp {other[pair[0]]:.4f} and {other[pair[1]]:.4f}")
    others = len(PROMPTS) - same - ties
    print(f"{same} of {len(PROMPTS)} are the same; in {ties} ours is the likeliest in NumPy, or within {options.most:g}; {others} are neither")
    return 0 if others == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
