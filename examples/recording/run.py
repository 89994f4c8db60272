"""Takes the noise out of a recording on the device, chunk by chunk, and compares with NumPy and SciPy.

    run.py --work FOLDER [--file SOUND] [--patience SECONDS] [--repeats N] [--small] [--validate]

Without a file the recording is made of the sounds of Debian's package alsa-utils: eight announcements, each from its side, with noise
behind all of them. The program stops reading when nobody has spoken for SECONDS (2; 0, and for a file, never). Writes before.wav,
after.wav and picture.png to FOLDER. --small makes up three seconds and needs NumPy only.

Prints a result a line, "check ok" in the end; exits 1 if something is not as NumPy has it, 2 if there is no sound to work on.
"""

import argparse
import json
import math
import pathlib
import sys

import numpy as np

import reference
import sounds

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # Before a test's modules, one of which has that name, too.
import programs  # noqa: E402
from programs import say  # noqa: E402

# Largest differences from float64, at full scale 1. The transforms are within 4e-8 log2(2048) of the loudest frame in f32.
SAMPLES, GAINS, ROUNDING = 5e-6, 1e-5, 1e-6
LOWERED = 10  # What the announcements gain over their noise, at least, in dB.
NEVER = 2**31 - 1
REPORT = {"heard": 0, "peaks": 1, "sent": 2, "gain": 3, "limit": 4}


def chunks_of(seconds, rate):
    """How many chunks these seconds are; 0 seconds are more than there will be."""
    return math.ceil(seconds * rate / reference.CHUNK) if seconds > 0 else NEVER


def stream(plan, work, settings, patience, validate):
    """Runs the plan over sound.npy in `work`: (outputs by name, what was measured)."""
    files = {name: work / f"{name}.raw" for name in ("clean", "report", "ticks")}
    inputs = {name: np.float32(value) for name, value in settings.items()} | {"patience": np.int32(patience)}
    *printed, stats = programs.tool("gpuvm-run", plan, f"--stream=sound={work / 'sound.npy'}", "--stats=json", "--output=silenced", "--output=full",
                                    *(["--validate"] if validate else []), *programs.bind(plan, inputs, ())[0],
                                    *(f"--stream-output={name}={file}" for name, file in files.items())).splitlines()
    words = {name: int(value.split("=")[1]) for name, value in (line.split(": ") for line in printed)}
    outputs = {name: np.fromfile(file, np.int64 if name == "ticks" else np.float32) for name, file in files.items()}
    outputs["report"] = outputs["report"].reshape(-1, 6)
    outputs["ticks"] = outputs["ticks"].reshape(-1, 2)
    return outputs | words, json.loads(stats)


def run(sound, rate, work, patience=NEVER, repeats=1, validate=False):
    """(outputs by name, statistics of each repeat, the settings) of the program on `sound` (samples x channels), at its own time."""
    work.mkdir(parents=True, exist_ok=True)
    settings = {"window": reference.hann(), "equaliser": reference.equaliser(rate), **reference.paces(rate)}
    np.save(work / "sound.npy", np.pad(sound, [(0, reference.DELAY), (0, 0)]))
    plan = programs.compiled(work / "recording.gvplan", HERE / "recording.mlir", channels=sound.shape[1])
    say(f"{len(sound) / rate:.1f} s of sound, {sound.shape[1]} channels, in chunks of {1000 * reference.CHUNK / rate:.0f} ms ...")
    statistics = []
    for _ in range(repeats):
        outputs, stats = stream(plan, work, settings, patience, validate)
        statistics.append(stats)
    outputs["clean"] = outputs["clean"].reshape(-1, sound.shape[1])
    return outputs, statistics, settings


def expected(sound, settings, patience, transforms=reference.NUMPY):
    pace = {name: value for name, value in settings.items() if name not in ("window", "equaliser")}
    late = np.pad(sound, [(0, reference.DELAY), (0, 0)])
    return reference.process(late, np.float32(settings["equaliser"]).astype(np.float64), pace, patience, transforms)


def differences(outputs, right):
    """What is not as it should be, as sentences."""
    if len(outputs["report"]) != right["chunks"] or outputs["clean"].shape != right["clean"].shape:
        yield f"the program ended after {len(outputs['report'])} chunks, not {right['chunks']}"
        return
    off = float(np.max(np.abs(outputs["clean"] - right["clean"])))
    if not off <= SAMPLES:
        yield f"samples are off by {off:.2g} (at most {SAMPLES:g})"
    for name in ("peaks", "gain", "limit"):
        off = float(np.max(np.abs(outputs["report"][:, REPORT[name]] - right[name])))
        if not off <= GAINS:
            yield f"\"{name}\" is off by {off:.2g} (at most {GAINS:g})"
    peak = float(np.max(np.abs(outputs["clean"])))
    if not peak <= reference.CEILING * (1 + ROUNDING):
        yield f"a sample is {peak:.6f}, but the limiter lets {reference.CEILING} pass"


def scipy_differences(outputs, sound, rate, settings, patience):
    """The same against SciPy's transforms and its idea of the equaliser."""
    from scipy import signal
    curve = 10 ** (reference.MAKE_UP_DB / 20) * np.ones(reference.FRAME // 2 + 1)
    for b, a in reference.biquads(rate):
        curve = curve * np.abs(signal.freqz(b, a, np.arange(len(curve)) * 2 * np.pi / reference.FRAME)[1])
    yield from (f"with SciPy, {text}" for text in differences(outputs, expected(sound, settings | {"equaliser": curve}, patience, reference.SCIPY)))


def contrast(samples, rate):
    """How far the loud parts are above the quiet ones, in dB: 90th above 10th percentile of the level of 50 ms."""
    size = rate // 20
    parts = samples[:len(samples) // size * size].reshape(-1, size * samples.shape[1])
    levels = 10 * np.log10(np.mean(np.square(parts, dtype=np.float64), axis=1) + 1e-10)
    quiet, loud = np.percentile(levels, [10, 90])
    return loud - quiet


def report_speed(statistics, ticks, rate):
    """Seconds of sound for a second of the device, of each repeat; of the whole run, with what the first chunk takes to compile kernels."""
    length = reference.CHUNK / rate
    speeds = [length / (stats["device_us"]["median"] / 1e6) for stats in statistics]
    whole = [stats["stream"]["chunks"] * length / (stats["stream"]["wall_us"] / 1e6) for stats in statistics]
    first, *others = ticks[:, 0] / 1e6
    for key in ("device", "stages", "kernels", "dispatches", "barriers", "submits"):
        print(f"{key} {statistics[0][key]}")
    print(f"chunk_ms {1000 * length:.1f}")
    print(f"chunk_device_ms {1000 * length / np.median(speeds):.2f}")
    print(f"real_time_factor {np.median(speeds):.1f} ({min(speeds):.1f} to {max(speeds):.1f}, {len(speeds)} runs)")
    print(f"real_time_factor_of_the_run {np.median(whole):.1f} ({min(whole):.1f} to {max(whole):.1f})")
    print(f"ticks_ms {np.median(others or [first]):.2f} (at most {max(others or [first]):.2f}; of the first chunk {first:.0f})")
    print(f"latency_ms {1000 * (length + reference.DELAY / rate) + np.median(others or [first]):.1f}")


def report_sound(sound, outputs, after, rate):
    print(f"silenced_samples {outputs['silenced']}")
    print(f"full_scale_samples {outputs['full']}")
    print(f"chunks {len(outputs['report'])}")
    print(f"lowest_gain {outputs['report'][:, REPORT['gain']].min():.3f}")
    print(f"lowest_limit {outputs['report'][:, REPORT['limit']].min():.3f}")
    print(f"peak_without_them {outputs['report'][:, REPORT['peaks']].max():.3f}")
    print(f"peak {np.abs(after).max():.3f}")
    print(f"contrast_before {contrast(sound, rate):.1f} dB")
    print(f"contrast_after {contrast(after, rate):.1f} dB")


def load(options):
    """(samples, rate, seconds of patience)"""
    if options.small:
        return sounds.made_up(), sounds.RATE, 0
    if options.file:
        samples, rate = sounds.read(options.file)
        return samples, rate, 0
    return sounds.scene(sounds.debian_sounds(options.work)), sounds.RATE, 2


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for what is made")
    parser.add_argument("--file", type=pathlib.Path, help="a recording (what libsndfile reads: WAV, FLAC, OGG ...)")
    parser.add_argument("--patience", type=float, help="seconds of quiet after which to stop; 0: never")
    parser.add_argument("--repeats", type=int, default=5, help="how often to measure")
    parser.add_argument("--small", action="store_true", help="three seconds that are made up; no SciPy, no picture")
    parser.add_argument("--validate", action="store_true", help="turn on the Vulkan validation layer")
    return parser.parse_args()


def main():
    options = arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    sound, rate, seconds = load(options)
    sounds.check(sound, rate, options.file or "the recording")
    patience = chunks_of(seconds if options.patience is None else options.patience, rate)
    outputs, statistics, settings = run(sound, rate, options.work, patience, 1 if options.small else options.repeats, options.validate)
    after = outputs["clean"][reference.DELAY:]
    before = reference.without_holes(sound[:len(after)])
    print(f"seconds {len(sound) / rate:.1f}, {rate} samples a second, {sound.shape[1]} channels")
    report_sound(before, outputs, after, rate)
    report_speed(statistics, outputs["ticks"], rate)
    say("The same in NumPy ...")
    right = expected(sound, settings, patience)
    wrong = list(differences(outputs, right))
    if not wrong:
        print(f"off_by {np.max(np.abs(outputs['clean'] - right['clean'])):.1e}")
    sounds.write_wave(options.work / "before.wav", before, rate)
    sounds.write_wave(options.work / "after.wav", after, rate)
    if not options.small:
        import picture
        say("The same in SciPy ...")
        wrong += scipy_differences(outputs, sound, rate, settings, patience)
        if not options.file and contrast(after, rate) < contrast(before, rate) + LOWERED:
            wrong.append(f"the noise is not lowered by {LOWERED} dB against the voice")
        picture.draw(before, after, outputs, rate, options.work / "picture.png")
    say(f"{options.work}/before.wav, after.wav" + ("" if options.small else " and picture.png"))
    for text in wrong:
        programs.check(False, text)


if __name__ == "__main__":
    programs.finish(main, sounds.BadSound)
