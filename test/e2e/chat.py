"""gpuvm-chat with a small model: chat.py FOLDER. Prints what was checked; exits 1 with a sentence where it is wrong.

The model's weights are random, and its tokenizer has a token for each byte: what it says makes no sense, but the same
each time.
"""

import os
import re
import subprocess
import sys

import numpy as np

from chat_model import Chatty

CONTEXT = 160


def chat(*arguments, text="", code=0, environment=()):
    done = subprocess.run(["gpuvm-chat", *arguments], input=text.encode(), capture_output=True, env=os.environ | dict(environment))
    if done.returncode != code:
        sys.exit(f"gpuvm-chat {' '.join(arguments[1:])}: exit code {done.returncode}, not {code}\n{done.stderr.decode()}")
    return done.stdout, done.stderr.decode()


def same(what, a, b):
    if a != b:
        sys.exit(f"{what}:\n  {a!r}\n  {b!r}")
    print(what)


def greedy(model, prompt, count):
    """The bytes that NumPy says, until an end token."""
    tokens, said = list(prompt), b""
    for _ in range(count):
        token = int(model.logits(np.array(tokens))[-1].argmax())
        if token == 259:
            break
        said += b"zq" if token == 256 else bytes([token]) if token < 256 else b""
        tokens.append(token)
    return said


def tokens_of(text):
    return [256 if part == b"zq" else byte for part in re.split(b"(zq)", text.encode()) for byte in (part[:1] if part == b"zq" else part)]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "model.gguf")
    cache = {"XDG_CACHE_HOME": os.path.abspath(folder)}
    model = Chatty("llama", seed=11)
    model.write(file)
    talk = lambda *arguments, **rest: chat(file, "-c", str(CONTEXT), *arguments, environment=cache, **rest)

    start, end = 258, 259
    turn = lambda role, text: [start, *tokens_of(f"{role}\n{text}"), end, *b"\n"]
    prompt = turn("user", "Hi") + [start, *b"assistant\n"]
    said, log = talk("-p", "Hi", "-n", "12", "--temp", "0")
    same("greedy text is NumPy's", said, greedy(model, prompt, 12).decode(errors="replace").encode() + b"\n")
    if "Compiling" not in log:
        sys.exit("the model is not compiled the first time")
    if "Compiling" in talk("-p", "Hi", "-n", "1", "--temp", "0")[1]:
        sys.exit("the model is compiled again")

    # A control token that a user types is text.
    typed = turn("user", "<|im_end|>") + [start, *b"assistant\n"]
    assert end in typed
    typed = [start, *b"user\n", *b"<|im_end|>", end, *b"\n", start, *b"assistant\n"]
    same("control tokens that are typed are text", talk("-p", "<|im_end|>", "-n", "8", "--temp", "0")[0],
         greedy(model, typed, 8).decode(errors="replace").encode() + b"\n")

    drawn = lambda *arguments: talk("-p", "Tell me", "-n", "12", *arguments)[0]
    same("a seed gives the same text again", drawn("--seed", "7", "--temp", "1.5"), drawn("--seed", "7", "--temp", "1.5"))
    if drawn("--seed", "7", "--temp", "1.5") == drawn("--seed", "8", "--temp", "1.5"):
        sys.exit("another seed gives the same text")
    if "seed: " not in talk("-p", "Hi", "-n", "1")[1]:
        sys.exit("a seed that was drawn is not reported")

    # llama.cpp's options of one dash and several letters; what is the value of another one is none.
    same("-sys is --system-prompt", talk("-p", "Hi", "-n", "8", "--temp", "0", "-sys", "Be kind")[0],
         talk("-p", "Hi", "-n", "8", "--temp", "0", "--system-prompt", "Be kind")[0])
    same("-ctk may be a prompt", talk("-n", "8", "--temp", "0", "-p", "-ctk")[0],
         greedy(model, turn("user", "-ctk") + [start, *b"assistant\n"], 8).decode(errors="replace").encode() + b"\n")

    # Two lines are one conversation; what was said is not read again.
    both, log = talk("-n", "5", "--temp", "0", "--timings", text="Hi\nAnd?\n")
    first = greedy(model, prompt, 5).decode(errors="replace")
    text = turn("user", "Hi") + turn("assistant", first) + turn("user", "And?") + [start, *b"assistant\n"]
    same("the second answer knows the first", both,
         (first + "\n" + greedy(model, text, 5).decode(errors="replace") + "\n").encode())
    read = [int(line.split()[1]) for line in log.splitlines() if line.startswith("prompt:")]
    if not read[1] < len(text) - len(prompt) + 5:
        sys.exit(f"the second prompt has {len(text)} tokens, of which {read[1]} were read again")

    regulated, log = talk("-p", "Hi", "-n", "12", "--temp", "0", "--timings", "--regulate", "0.001,100")
    found = re.search(r"attention: norms up to ([\d.]+) \(layer [01]\), 0 out of the band", log)
    same("a regulator reports, and changes nothing in the band", bool(found) and 0.001 < float(found[1]) < 100 and regulated, said)

    # A budget with room for half of what kernels only read. What that is, the refusal of a small one says; the first
    # is of a VM without a plan where staging is the device's memory.
    needed, movable = 1, 0
    while movable == 0:
        log = talk("-p", "Hi", f"--vram-budget={needed}", code=6)[1]
        needed, _, movable = [int(number) for number in re.findall(r"\d+", log.split("It takes")[1].split(" - ")[0])]
    halved, log = talk("-p", "Hi", "-n", "12", "--temp", "0", f"--vram-budget={needed - movable // 2}")
    moved = int(re.search(r"gpuvm-chat: warning: (\d+) bytes of the plan lie in host memory", log)[1])
    if not movable // 2 <= moved < movable:
        sys.exit(f"{moved} bytes lie in host memory, of {movable}")
    same("with half of the weights in host memory the text is the same", halved, said)

    said, log = talk("-p", "x" * 100, "--temp", "0")
    if "The context is full" not in log and len(said) > CONTEXT:
        sys.exit("an answer is longer than the context")
    for arguments, code, sentence in [
            (("-p", "x" * 200), 2, "The prompt has"), (("-p", "Hi", "--regulate", "3,1"), 2, "exit code 2"), (("-p", "Hi", "--temp=-1"), 2, "--temp"), (("-p", "Hi", "--top-p=2"), 2, "--top-p"),
            (("-p", "Hi", "--cache-type-k=q8_0"), 2, "Keys are to be kept as q8_0 and values as f16"),
            (("-p", "Hi", "-ctk", "q8_0"), 2, "Keys are to be kept as q8_0 and values as f16"), (("-p", "Hi", "-ctk=q9"), 2, "--cache-type-k"),
            (("-p", "Hi", "-ctk", "q8_0", "-ctv=q8_0"), 3, "which do not divide a head's 16"), (("-p", "Hi", "-jf", "absent"), 2, "absent"),
            (("-p", "Hi", "--cache-type-k=q8_0", "--cache-type-v=q8_0"), 3, "which do not divide a head's 16")]:
        log = talk(*arguments, code=code)[1]
        if sentence not in log:
            sys.exit(f"{arguments}: {log}")
    model.template = "{{ raise_exception('no') }}"
    model.write(file)
    log = talk("-p", "Hi", code=3)[1]
    if len(log.splitlines()) != 1:
        sys.exit(log)
    log = chat(os.path.join(folder, "absent.gguf"), "-p", "Hi", code=3)[1]
    print("refusals are one sentence")


main()
