"""A recording, cleaned as it comes (examples/recording): chunks of 4,096 samples of two channels, an execution each.

NumPy and SciPy have the whole recording at once, in double precision. Torch's forms take the same chunks, in single precision: one
operation after another, or a chunk as a CUDA graph.
"""

import functools

import numpy as np

import examples
from model import Case, Tensor, wanted

reference, sounds = examples.load("recording/reference"), examples.load("recording/sounds")

CHUNKS, CHANNELS = 35, 2
NEVER = 2 ** 31 - 1
FRAME, HOP, HOPS, CHUNK, OVERLAP = reference.FRAME, reference.HOP, reference.HOPS, reference.CHUNK, reference.OVERLAP
BINS = FRAME // 2 + 1


@functools.cache
def sound():
    return sounds.made_up()[:CHUNKS * CHUNK].astype(np.float32)


def whole(transforms):
    """What the program makes of all chunks; it is late by DELAY samples."""
    def call(d):
        late = np.pad(d["sound"].reshape(-1, CHANNELS), [(0, reference.DELAY), (0, 0)])
        pace = {name: d[name] for name in ("closing", "noisier", "returning", "rising")}
        clean = reference.process(late, d["equaliser"].astype(np.float64), pace, NEVER, transforms)["clean"]
        return clean[:CHUNKS * CHUNK].astype(np.float32)
    return call


def scipy_whole(d):
    return lambda: whole(reference.SCIPY)(d)


class Chunks:
    """recording.mlir with torch's operations; `step` makes `clean` of `chunk` and goes on with the state."""

    START = {"before": ((CHANNELS, OVERLAP), 0.0), "noise": ((CHANNELS, BINS), 1e9), "open": ((CHANNELS, BINS), 0.0),
             "unfinished": ((CHANNELS, 3, HOP), 0.0), "ahead": ((CHANNELS, 1, HOP), 0.0), "limit": ((CHANNELS, 1), 1.0), "gain": ((), 1.0)}

    def __init__(self, d):
        self.d, torch = d, d["torch"]
        new = functools.partial(torch.zeros, dtype=torch.float32, device=d["sound"].device)
        self.chunk, self.clean = new(CHUNK, CHANNELS), new(CHUNK, CHANNELS)
        self.state = {name: new(shape) for name, (shape, _) in self.START.items()}
        self.part = torch.arange(HOP, device=d["sound"].device) / HOP
        self.ramp = torch.zeros(HOPS, HOP, device=d["sound"].device) + 1
        self.ramp[0] = self.part
        # What is held of each frame, or hop, falls or rises by so much until the end of it.
        self.closed = d["closing"] ** torch.arange(1, HOPS + 1, device=d["sound"].device)[:, None]
        self.risen = d["rising"] ** torch.arange(1, HOPS + 1, device=d["sound"].device)

    def reset(self):
        for name, (_, value) in self.START.items():
            self.state[name].fill_(value)

    def keep(self, **state):
        for name, value in state.items():
            self.state[name].copy_(value)

    def fits(self, peaks):
        torch = self.d["torch"]
        return torch.where(peaks > reference.CEILING, reference.CEILING / peaks.clamp(min=1e-4), 1)

    def step(self):
        torch, d, state = self.d["torch"], self.d, self.state
        x = torch.where(self.chunk.abs() <= reference.MOST, self.chunk, 0).T
        samples = torch.cat([state["before"], x], 1)
        spectra = torch.fft.rfft(samples.unfold(1, FRAME, HOP) * d["window"])
        power = torch.nn.functional.pad(spectra.real ** 2 + spectra.imag ** 2, (2, 2)).unfold(2, 5, 1).mean(-1)
        mean = power.mean(1)
        noise = torch.where(mean > 1e-9, torch.minimum(mean, state["noise"] * d["noisier"]), state["noise"])
        target = (1 - 4 * noise[:, None] / (power + 1e-12)).clamp(min=0.06)
        held = torch.maximum((target / self.closed).cummax(1).values, state["open"][:, None]) * self.closed
        parts = torch.fft.irfft(spectra * (held * d["equaliser"])) * (d["window"] / 1.5)
        sums = torch.cat([state["unfinished"], torch.zeros_like(parts[:, :, :HOP])], 1)
        for k in range(FRAME // HOP):
            sums[:, k:k + HOPS] += parts[:, :, k * HOP:(k + 1) * HOP]
        voice = sums[:, :HOPS]
        gain = torch.minimum(state["gain"] * d["returning"], self.fits(voice.abs().max()))
        driven = torch.cat([state["ahead"], voice * (state["gain"] + (gain - state["gain"]) * self.ramp)], 1)
        fit = self.fits(driven.abs().amax(2))
        bound = torch.minimum((torch.minimum(fit[:, :-1], fit[:, 1:]) / self.risen).cummin(1).values, state["limit"]) * self.risen
        left = torch.cat([state["limit"], bound[:, :-1]], 1)
        out = driven[:, :HOPS] * (left[..., None] + (bound - left)[..., None] * self.part)
        self.clean.copy_(out.reshape(CHANNELS, CHUNK).T)
        self.keep(before=x[:, -OVERLAP:], noise=noise, open=held[:, -1], unfinished=sums[:, HOPS:], ahead=driven[:, HOPS:],
                  limit=bound[:, -1:], gain=gain)


def torch_chunks(captured):
    def prepare(d):
        torch, chunks = d["torch"], Chunks(d)
        if not captured:
            return chunks, chunks.step
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            chunks.step()
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(graph):
            chunks.step()
        return chunks, graph.replay

    def call(d):
        key = "graph" if captured else "eager"
        if key not in d:
            d[key] = prepare(d)
        chunks, step = d[key]
        chunks.reset()
        result = d["torch"].empty_like(d["sound"])
        for chunk, clean in zip(d["sound"], result):
            chunks.chunk.copy_(chunk)
            step()
            clean.copy_(chunks.clean)
        return result.view(-1, CHANNELS)
    return call


def pace(name):
    return Tensor((), "f32", make=lambda: np.array(reference.paces(sounds.RATE)[name], np.float32))


def cases(device, _):
    inputs = {"sound": Tensor((CHUNKS, CHUNK, CHANNELS), "f32", make=sound), "patience": Tensor((), "i32", make=lambda: np.array(NEVER, np.int32)),
              "window": Tensor((FRAME,), "f32", make=lambda: reference.hann().astype(np.float32)),
              "equaliser": Tensor((BINS,), "f32", make=lambda: reference.equaliser(sounds.RATE).astype(np.float32))}
    inputs |= {name: pace(name) for name in ("closing", "noisier", "returning", "rising")}
    yield Case(f"recording, {CHUNKS} chunks of 85 ms", examples.text("recording/recording"), inputs, "clean", stream="sound",
               reference=whole(reference.NUMPY), host={"SciPy": scipy_whole},
               torch={"chunk after chunk": torch_chunks(False), "a CUDA graph of a chunk": torch_chunks(True)},
               target=wanted(device), bound=1e-5)
