"""Small GGUF files of language models: llama (with frequency factors and a head of its own), qwen2, qwen3, gemma3."""

import pathlib
import sys

import numpy as np

from forward_pass import ForwardPass, Sizes

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import gguf_writer  # noqa: E402
import quantized  # noqa: E402

TYPES = {"float32": "f32", "float16": "f16"}


def write(path, keys, tensors):
    """Writes a GGUF file of arrays. Returns where the data of each begins."""
    described = {name: (TYPES[array.dtype.name], array.shape, array.nbytes) for name, array in tensors.items()}
    places = gguf_writer.write(path, keys, described, lambda name: tensors[name].tobytes())
    return {name: first for name, (first, _) in places.items()}


CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
          "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


class Model:
    """Random weights. Matrices are f16, norms and biases f32."""

    layers, width, inner, heads, caches, size, vocabulary = 2, 64, 96, 4, 2, 16, 160
    epsilon, base, local_base, window, period, cap = 1e-5, 10000.0, 10000.0, 0, 0, 0.0
    trained = 128  # tokens of a text
    seen = 5  # with a window

    def __init__(self, kind, seed=0):
        self.kind = kind
        random = np.random.default_rng(seed)
        make = {"half": lambda *shape: (random.standard_normal(shape) / np.sqrt(shape[-1]) * 1.5).astype("f2"),
                "norm": lambda n: (1 + 0.2 * random.standard_normal(n)).astype("f4"),
                "bias": lambda n: (0.5 * random.standard_normal(n)).astype("f4"),
                "factors": lambda n: (1 + 3 * random.random(n)).astype("f4")}
        if kind == "gemma3":
            self.layers, self.size, self.base = 7, 32, 1e6
        self.tensors = {name: make[what](*shape) for name, (what, shape) in self.shapes().items()}
        self.tensors["token_embd.weight"] *= 4

    def shapes(self):
        """What each tensor is, and its shape."""
        if self.kind == "gemma3":
            self.window, self.period, self.cap = self.seen, 6, 4.0
        queries, keys = self.heads * self.size, self.caches * self.size
        half, norm, bias = (lambda *shape, what=what: (what, shape) for what in ("half", "norm", "bias"))
        t = {"token_embd.weight": half(self.vocabulary, self.width)}
        if self.kind == "llama":
            t["rope_freqs.weight"] = ("factors", (self.size // 2,))
            t["output.weight"] = half(self.vocabulary, self.width)
        for layer in range(self.layers):
            own = {"attn_norm.weight": norm(self.width), "attn_q.weight": half(queries, self.width),
                   "attn_k.weight": half(keys, self.width), "attn_v.weight": half(keys, self.width),
                   "attn_output.weight": half(self.width, queries), "ffn_norm.weight": norm(self.width),
                   "ffn_gate.weight": half(self.inner, self.width), "ffn_up.weight": half(self.inner, self.width),
                   "ffn_down.weight": half(self.width, self.inner)}
            if self.kind == "qwen2":
                own |= {"attn_q.bias": bias(queries), "attn_k.bias": bias(keys), "attn_v.bias": bias(keys)}
            if self.kind in ("qwen3", "gemma3"):
                own |= {"attn_q_norm.weight": norm(self.size), "attn_k_norm.weight": norm(self.size)}
            if self.kind == "gemma3":
                own |= {"post_attention_norm.weight": norm(self.width), "post_ffw_norm.weight": norm(self.width)}
            t |= {f"blk.{layer}.{name}": what for name, what in own.items()}
        t["output_norm.weight"] = norm(self.width)
        return t

    def keys(self):
        own = {"block_count": self.layers, "embedding_length": self.width, "feed_forward_length": self.inner,
               "attention.head_count": self.heads, "attention.head_count_kv": self.caches, "attention.key_length": self.size,
               "attention.value_length": self.size, "attention.layer_norm_rms_epsilon": self.epsilon,
               "rope.freq_base": self.base, "context_length": self.trained}
        if self.window:
            own |= {"attention.sliding_window": self.window, "attn_logit_softcapping": self.cap}
        return {"general.architecture": self.kind} | {f"{self.kind}.{key}": value for key, value in own.items()}

    def byte_tokenizer(self, template=CHATML):
        """Keys of a tokenizer that has a token for each byte, "zq", and three that control a chat; 260 in all."""
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        rest = [byte for byte in range(256) if byte not in printable]
        letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(rest)}
        control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2",
                "tokenizer.ggml.tokens": [letters[byte] for byte in range(256)] + ["zq"] + control,
                "tokenizer.ggml.token_type": [1] * 257 + [3] * len(control),
                "tokenizer.ggml.merges": ["z q"], "tokenizer.ggml.bos_token_id": 257, "tokenizer.ggml.eos_token_id": 259,
                "tokenizer.chat_template": template}

    def data(self, name):
        """The bytes of a tensor."""
        return self.tensors[name].tobytes()

    def write(self, path):
        """Writes the file. Returns where the data of each tensor begins."""
        return write(path, self.keys(), self.tensors)

    def forward_pass(self, dtype=np.float32, halves=False, blocks=False):
        sizes = Sizes(self.kind, self.layers, self.width, self.heads, self.caches, self.size, self.epsilon, self.base, self.local_base,
                      self.window, self.period, self.cap)
        return ForwardPass(sizes, self.tensors, dtype, halves, blocks)

    def logits(self, tokens, blocks=False):
        """In f64, after each of the tokens."""
        return self.forward_pass(np.float64, blocks=blocks).logits(tokens)

    def embedding(self, tokens, last=False, blocks=False):
        """The mean of all states, or the last one, of length 1."""
        states = self.forward_pass(np.float64, blocks=blocks).read(tokens)
        vector = states[-1] if last else states.mean(0)
        return vector / np.linalg.norm(vector)


class Wide(Model):
    """With rows, heads and texts as long as those of real models."""

    layers, width, inner, heads, caches, size, vocabulary = 3, 256, 512, 4, 2, 64, 1024
    trained, seen = 32768, 100

    def __init__(self, kind, seed=0):
        super().__init__(kind, seed)
        self.tensors["token_embd.weight"] /= 8  # So that a tied head makes no large logits.


class Mixed(Wide):
    """With a codec for each kind of matrix, as files are that llama.cpp quantizes."""

    codecs = {"token_embd": "q8_0", "output": "q6_k", "attn_q": "q5_0", "attn_k": "q4_1", "attn_v": "q8_0", "attn_output": "q4_k",
              "ffn_gate": "q4_0", "ffn_up": "q5_0", "ffn_down": "q6_k"}
    # So that numbers are about as large as a sum of so many needs them.
    scales = {"q8_0": 2 ** -10, "q6_k": 2 ** -14, "q5_0": 2 ** -7, "q4_k": 2 ** -12, "q4_1": 2 ** -6, "q4_0": 2 ** -6}

    def __init__(self, kind, seed=0):
        super().__init__(kind, seed)
        self.packed = {}
        for name, array in self.tensors.items():
            codec = self.codecs.get(name.split(".")[-2])
            if array.ndim == 2 and codec:
                packed = quantized.Packed(codec, *array.shape, distinct=array.shape[0], scale=self.scales[codec])
                self.packed[name], self.tensors[name] = packed, packed.decoded()

    def data(self, name):
        return self.packed[name]().tobytes() if name in self.packed else super().data(name)

    def write(self, path):
        described = {name: (TYPES[array.dtype.name], array.shape, array.nbytes) for name, array in self.tensors.items()}
        described |= {name: (packed.codec, (packed.rows, packed.length), packed.bytes) for name, packed in self.packed.items()}
        places = gguf_writer.write(path, self.keys(), described, self.data)
        return {name: first for name, (first, _) in places.items()}
