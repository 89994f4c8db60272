"""Tokens and prompts of language models, with the shapes of known ones and noise as weights, as gpuvm-chat runs them."""

import functools
import math
import pathlib
import time

import numpy as np

import host
import llamacpp
from gpuvm import bytes_moved
from language_model import LanguageModel
from model import Case, Target
from noise_model import NoiseModel

TITLE = "Language models"
NOTES = ("A stage is a token. Tokens are generated from the position that a row says, in one submit, and drawn with the sampler's kernels "
         "(greedy); llama.cpp gets the likeliest by its greedy sampler on the processor; torch by argmax, with a mask over 256 rows of caches.",
         "A prompt is read by all but its last token, whose logits nothing asks for; llama.cpp makes those of the last one.",
         "Errors are those of logits after 32 tokens from llama.cpp's, whose products round activations to 8 bits, or sums to f16.",
         "torch: f16 weights, whatever those of the row are.")
CONTEXT, SCORED = 1024, 32
OPTIONS = ("--program=prefill,generate,score", f"--llm-context={CONTEXT}", "--llm-tokens=128")
ON_PROCESSOR = ("--llm-chunk=32", "--llm-products=f32")
BOUND = 2e-2

SMOLLM, LLAMA, GEMMA = "SmolLM2-135M", "Llama-3.2-1B", "Gemma-3-270M"
# The models, and tokens a second that are wanted.
MODELS = {"gpu": ((NoiseModel(SMOLLM, "f16"), Target(1e6 / 450, "rate")), (NoiseModel(SMOLLM, "q4_1", "q8_0"), Target(1e6 / 400, "rate")),
                  (NoiseModel(SMOLLM, "q8_0"), None), (NoiseModel(LLAMA, "f16"), Target(1e6 / 800, "rate")),
                  (NoiseModel(GEMMA, "q8_0"), Target(2.0, "llama.cpp"))),
          "cpu": ((NoiseModel(SMOLLM, "q4_1", "q8_0"), Target(10, "rate")), (NoiseModel(SMOLLM, "f16"), None))}
PROMPTS = {"gpu": (224, 512), "cpu": (64,)}
TOKENS = {"gpu": ((64, 64), (896, 64)), "cpu": ((16, 8),)}  # (position of the first one, how many)


def tokens_of(model, count):
    return np.random.default_rng(7).integers(0, model.shape.vocabulary, count).astype(np.int32)


@functools.cache
def folder_of(vm):
    folder = pathlib.Path(vm.scratch.name) / "models"
    folder.mkdir(exist_ok=True)
    return folder


class Work:
    """What one row does: reads a prompt of `rows` tokens, or generates `count` from position `first` on."""

    def __init__(self, model, rows=0, first=0, count=0):
        self.model, self.rows, self.first, self.count = model, rows, first, count
        self.length = (rows or first) + 1  # of the prompt; its last token is what generation begins with

    def case(self, device, target):
        read = self.rows
        what = f"{self.model}, " + (f"a prompt of {read}" if read else f"{self.count} tokens at {self.first}")
        s = self.model.shape
        width = 4 * s.caches * s.size * s.layers  # bytes of keys and values of a token
        cache = width * (read or sum(range(self.first, self.first + self.count)))
        parameters = sum(math.prod(shape) for _, shape, _ in self.model.tensors.values() if len(shape) == 2)
        peers = {"llama.cpp": lambda session, case, arrays: LlamaCpp(session, self)}
        if s.kind == "llama" and device == "gpu":
            peers["torch"] = lambda session, case, arrays: torch(session, self)
        count = read or self.count
        return Case(what, self.program, {}, plan=str(self.model), options=OPTIONS + ON_PROCESSOR * (device == "cpu"),
                    ours=lambda session, part, case: Ours(session, part, case, self), peers=peers,
                    bytes=self.model.bytes * (1 if read else count) + cache, operations=2 * parameters * count,
                    arithmetic="f16" if read else "f32", target=target, bound=BOUND, stages=0 if read else count, counts=(count, "tokens"))

    def program(self, folder):
        """A file that compiles like that of the model, without data."""
        return self.model.write(folder, holes=True)[0]


class Ours:
    """Our plan. Rows of one model share it."""

    def __init__(self, session, part, case, work):
        self.work, self.machine = work, session.machine
        self.file, self.manifest = session.vm.plan(case.plan_name(part), case.program, *case.options)
        self.model = LanguageModel(session.machine, self.file, self.manifest, *work.model.write(folder_of(session.vm)))
        self.tokens = tokens_of(work.model, work.length)
        self.logits = self.model.score(tokens_of(work.model, SCORED)).copy()
        self.sample()

    def sample(self):
        if self.work.rows:
            self.model.read(self.tokens)
            return self.model.read(self.tokens)
        self.model.read(self.tokens)
        return self.model.generate(self.work.count)

    def output(self):
        return self.logits

    def plan(self):
        stats = self.machine.stats()
        facts = {key: stats[key] for key in ("kernels", "dispatches", "barriers", "upload_bytes", "download_bytes")}
        return {**facts, "bytes_moved": bytes_moved(self.manifest), "memory_bytes": sum(self.manifest["regions"].values())}

    def close(self):
        pass  # the machine is used again


class LlamaCpp:
    """On the processor next to lavapipe, on the GPU by Vulkan."""

    def __init__(self, session, work):
        self.work = work
        if not hasattr(session, "llama"):
            session.llama = llamacpp.load(session)
        gpu = session.kind == "gpu"
        self.form = "llama.cpp Vulkan" if gpu else f"llama.cpp, {host.THREADS} threads"
        file, _ = work.model.write(folder_of(session.vm))
        self.model = llamacpp.Model(session.llama, file, CONTEXT, gpu, host.THREADS)
        tokens = tokens_of(work.model, SCORED)
        self.model.decode(tokens.tolist(), 0, "all")
        self.answer = np.stack([self.model.logits(i) for i in range(SCORED)])
        self.sample()

    def sample(self):
        self.model.forget()
        tokens = tokens_of(self.work.model, self.work.length).tolist()
        if self.work.rows:
            start = time.perf_counter()
            self.model.read(tokens[:-1])
        else:
            self.model.read(tokens[:-1])
            start = time.perf_counter()
            self.model.generate(tokens[-1], self.work.first, self.work.count)
        return {"wall_us": (time.perf_counter() - start) * 1e6}

    def output(self):
        return self.answer

    def error(self, got):
        from subjects import error
        return error(got, self.answer)

    def close(self):
        self.model.close()


def torch(session, work):
    import torch_model
    return torch_model.TorchModel(session, work.model.shape, work.rows, work.first, work.count or 1)


def works(device):
    for model, target in MODELS[device]:
        for first, count in TOKENS[device]:
            yield Work(model, first=first, count=count), target if first == TOKENS[device][0][0] else None
        for rows in PROMPTS[device]:
            yield Work(model, rows), Target(1.0, "llama.cpp") if device == "gpu" else None


def cases(device, _):
    for work, target in works(device):
        yield work.case(device, target)
