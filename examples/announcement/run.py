"""A recording that a language model answers about: classified on the device, its name put into a prompt, the answer, in one submit.

    run.py --work DIR [--announcement NAME] [--file SOUND] [--model FILE] [--small]

Recordings are the eight announcements of Debian's alsa-utils ("Front left" ...), later, quieter and with noise under them. The model is
SmolLM2-135M-Instruct, or a file whose chats are ChatML. Checks that all eight are recognised, and that one submit finds the class and says
the tokens of its parts run apart; the class is that of NumPy, too. Exits 1 if a check fails.
"""

import argparse
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "recording")]
import models  # noqa: E402
import sounds  # noqa: E402
from programs import BadData, check, execute, finish, tool  # noqa: E402

SAMPLES, FRAME, BANDS, SHIFTS = 98304, 1024, 24, 16
NAMES = [name for name, *_ in sounds.ANNOUNCEMENTS]
HEAD = "<|im_start|>user\nAn announcer says: \""
TAIL = "\". Which loudspeaker is tested?<|im_end|>\n<|im_start|>assistant\n"


def bank():
    """Triangles that overlap by half, as wide as each other in octaves, from 150 to 8,000 Hz: frequencies x bands."""
    edges = np.linspace(np.log(150), np.log(8000), BANDS + 2)
    pitch = np.log(np.maximum(np.fft.rfftfreq(FRAME, 1 / sounds.RATE), 1))[:, None]
    rising, falling = pitch - edges[:-2], edges[2:] - pitch
    return np.maximum(0, np.minimum(rising / np.diff(edges)[:-1], falling / np.diff(edges)[1:])).astype("f4")


def fitted(sound, start=0):
    """Its first channel, SAMPLES long, after `start` samples of silence."""
    return np.pad(sound[:SAMPLES - start, 0], (start, max(0, SAMPLES - start - len(sound)))).astype("f4")


def bands(sound):
    power = np.abs(np.fft.rfft(sound.reshape(-1, FRAME) * np.hanning(FRAME))) ** 2
    log = np.log(power @ bank() + 1e-3)
    return log - log.mean(0)


def likeness(sound, templates):
    wide = np.pad(bands(sound), ((SHIFTS, SHIFTS), (0, 0)))
    shifted = np.array([wide[s:s + SAMPLES // FRAME] for s in range(2 * SHIFTS + 1)])
    return np.einsum("stb,ctb->cs", shifted, templates).max(1)


def made_up():
    """Eight words of two syllables, each a hum of its own, and noise."""
    random, time = np.random.default_rng(0), np.arange(sounds.RATE // 2) / sounds.RATE
    syllable = lambda pitch: np.sin(np.pi * time * 2) * sum(np.sin(2 * np.pi * pitch * k * time) / k for k in range(1, 12))
    pitches = [(a, b) for a in (110, 180, 300) for b in (140, 230, 420)][:len(NAMES)]
    words = [0.3 * np.concatenate([syllable(a), syllable(b)])[:, None] for a, b in pitches]
    return words, 0.05 * random.standard_normal((sounds.RATE, 1))


def announced(options):
    """(announcements, noise), each samples x channels."""
    if options.small:
        return made_up()
    folder = sounds.debian_sounds(options.work)
    return [sounds.read(folder / f"{name}.wav")[0] for name in NAMES], sounds.read(folder / "Noise.wav")[0]


def heard(word, noise, number):
    """As a microphone hears it: later, quieter, over noise."""
    sound = fitted(word, 3000 + 700 * number)
    return (0.5 * (sound + 0.3 * np.resize(np.roll(noise[:, 0], -1000 * number), SAMPLES))).astype("f4")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--announcement", choices=NAMES, default="Rear_Left")
    parser.add_argument("--file", type=pathlib.Path, help="a recording of your own, of 48,000 samples a second")
    parser.add_argument("--model", type=pathlib.Path, help="a GGUF file, instead of SmolLM2")
    parser.add_argument("--answer", type=int, default=32, help="tokens of an answer at most")
    parser.add_argument("--small", action="store_true", help="sounds that are made up")
    parser.add_argument("--device")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    limits = ["--timeout=3600", *([f"--device={options.device}"] if options.device else [])]

    words, noise = announced(options)
    templates = np.array([bands(fitted(word)) for word in words])
    templates = (templates / np.sqrt((templates ** 2).sum((1, 2), keepdims=True))).astype("f4")
    filters = {"window": np.hanning(FRAME).astype("f4"), "bank": bank(), "templates": templates}
    recordings = [heard(word, noise, number) for number, word in enumerate(words)]
    classify = options.work / "classify.gvplan"
    tool("gpuvm-compile", HERE / "classify.mlir", "--program=classify", "-o", classify)

    def classified(sound):
        outputs, _ = execute(classify, filters | {"sound": sound}, ["label", "likeness"], *limits)
        check(np.allclose(outputs["likeness"], likeness(sound, templates), rtol=1e-3, atol=1e-2), "the likeness is not NumPy's")
        return int(outputs["label"])

    labels = [classified(sound) for sound in recordings]
    print(f"recognised {sum(label == number for number, label in enumerate(labels))} of {len(NAMES)}")
    check(labels == list(range(len(NAMES))), f"announcements are taken for {[NAMES[label] for label in labels]}")

    sound = recordings[NAMES.index(options.announcement)]
    if options.file:
        sound, rate = sounds.read(options.file)
        if rate != sounds.RATE:
            raise sounds.BadSound(f"\"{options.file}\" has {rate} samples a second, not {sounds.RATE}.")
        sound = fitted(sound)
    model = models.Model(options.model or models.downloaded(options.work))
    plan = model.plan(options.work)
    names = model.tokens_of_lines([name.replace("_", " ").lower() for name in NAMES])
    table, rows = models.rows_of(names)
    parts = [model.tokens(HEAD, True), [], model.tokens(TAIL, True), [], []]
    prompt, lengths = models.rows_of(parts)
    whole = model.linked(options.work, plan, len(names), HERE / "answer.mlir", HERE / "classify.mlir")
    outputs, stats = execute(whole, model.weights | filters | {
        "sound": sound, "parts": prompt, "lengths": lengths, "names": table, "rows": rows, "limit": f"i32={options.answer}", "ends": model.ends()},
        ["label", "made", "tokens"], "--warmup=1", *limits)
    label, tokens = int(outputs["label"]), models.said(outputs)
    print(f"label {NAMES[label]}\nanswer {model.text(tokens).strip()}")

    label_apart = classified(sound)
    parts[models.INSERTED] = names[label_apart]
    tokens_apart = model.answer(plan, sum(parts, []), options.answer, *limits)
    check(label == label_apart, f"label {label} in one submit, {label_apart} in parts")
    check(tokens == tokens_apart, f"tokens {tokens} in one submit, {tokens_apart} in parts")
    check(models.is_one_submit(stats), f"{stats['submits']} submits from the recording to the answer")
    print(f"tokens {len(tokens)}\nsubmits {stats['submits']}\ndispatches {stats['dispatches']}\n"
          f"device_ms {stats['device_us']['median'] / 1000:.0f}")


finish(main, (BadData, sounds.BadSound))
