"""A language model's plan (gpuvm-compile MODEL.gguf) on a machine, as gpuvm-chat uses it (docs/language-models.md)."""

import numpy as np

# Of one execution: prompts are long, and a processor is slow.
TIMEOUT_S = 3600
ENDS = 8  # tokens that end a text


def _word(value):
    return np.array(value, np.int32)


class LanguageModel:
    """`places`: of the file's tensors, {name: (first byte, bytes)}."""

    def __init__(self, machine, plan, manifest, file, places):
        self.machine = machine
        # A plan with one program calls its inputs and outputs by their own names.
        self.several = "programs" in manifest
        shapes = {one["name"]: one["shape"] for kind in ("inputs", "outputs", "symbols") for one in manifest[kind] if "shape" in one}
        self.context = shapes.get(self._name("prefill", "prompt"), [0])[0]
        self.most = shapes.get("tokens", [0])[0]
        self.logits = np.empty(shapes.get(self._name("score", "logits"), 0), np.float32)
        machine.set_timeout(TIMEOUT_S)
        machine.load(plan)
        machine.bind_file(file, places)

    def _name(self, program, name):
        return f"{program}.{name}" if self.several else name

    def _bind(self, program, **values):
        for name, value in values.items():
            self.machine.bind(self._name(program, name), value)

    def score(self, tokens, first=0):
        """The logits after each of the tokens at position `first` and after it; keys and values of those before are in the caches."""
        if not 0 < len(tokens) <= len(self.logits):
            raise ValueError(f"{len(tokens)} tokens are scored at once ({len(self.logits)} can be)")
        text = np.zeros(len(self.logits), np.int32)
        text[:len(tokens)] = tokens
        self._bind("score", text=text, **{"from": _word(first)})
        self.machine.execute("score")
        self.machine.read(self._name("score", "logits"), self.logits)
        return self.logits[:len(tokens)]

    def read(self, tokens, first=0):
        """Reads all tokens but the last one, which `generate` reads; the times of that."""
        if not 0 < len(tokens) <= self.context - first:
            raise ValueError(f"a prompt has {len(tokens)} tokens at {first} (the context has {self.context})")
        prompt = np.zeros(self.context, np.int32)
        prompt[:len(tokens)] = tokens
        self._bind("prefill", prompt=prompt, length=_word(len(tokens)), **{"from": _word(first)})
        return self.machine.execute("prefill")

    def generate(self, count, temperature=0.0, seed=0):
        """The times of an execution that makes `count` tokens."""
        if not 0 < count <= self.most:
            raise ValueError(f"{count} tokens are generated at once ({self.most} can be)")
        self._bind("generate", limit=_word(count), ends=np.full(ENDS, -1, np.int32), temperature=np.array(temperature, np.float32), top_k=_word(40),
                   top_p=np.array(0.95, np.float32), min_p=np.array(0.05, np.float32), seed=np.array([seed, 0], np.int32))
        return self.machine.execute("generate")

    def made(self, count):
        """The first tokens of the last execution that made some."""
        tokens = np.empty(self.most, np.int32)
        self.machine.read_symbol("tokens", tokens)
        return tokens[:count].tolist()
