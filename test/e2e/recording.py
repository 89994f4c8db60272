"""Broken sounds through examples/recording, against its reference: recording.py ROOT FOLDER.

Samples that are no numbers, a clipped recording that ends in silence, nothing but silence, and sounds that are refused. Exits 1 if
something is not as it should be.
"""

import pathlib
import sys

import numpy as np

ROOT, FOLDER = (pathlib.Path(argument) for argument in sys.argv[1:])
sys.path.append(str(ROOT / "examples" / "recording"))
import run  # noqa: E402
import sounds  # noqa: E402


def compare(name, sound, rate, patience=run.NEVER):
    outputs, _, settings = run.run(sound, rate, FOLDER / name, patience, validate=True)
    for text in run.differences(outputs, run.expected(sound, settings, patience)):
        sys.exit(f"{name}: {text}.")
    return outputs


def check(what, actual, expected):
    if actual != expected:
        sys.exit(f"{what}: {actual}, but it should be {expected}.")


def broken_samples():
    """Three channels at 44,100 samples a second: clipped for a second, with holes, then silent until the program does not listen any more."""
    rate = 44100
    sound = np.clip(6 * sounds.made_up(1.0, 3), -1, 1)
    sound[1000, 0], sound[2000:2010, 1], sound[3000, 2], sound[3001, 2] = np.nan, np.inf, -np.inf, 1e20
    outputs = compare("broken", np.concatenate([sound, np.zeros((2 * rate, 3), np.float32)]), rate, patience=4)
    check("samples that were silenced", outputs["silenced"], 13)
    check("samples at full scale", outputs["full"], int(np.sum(np.abs(sound) >= 0.999)))
    check("the file is read to its end", len(outputs["report"]) * 4096 < 3 * rate, True)
    print("broken samples ok")


def silence():
    outputs = compare("silence", np.zeros((10000, 1), np.float32), 48000)
    check("what becomes of silence", np.abs(outputs["clean"]).max(), 0)
    check("the gain of silence", outputs["report"][:, run.REPORT["gain"]].min(), 1)
    print("silence ok")


def refused(rate, channels, length=100):
    try:
        sounds.check(np.zeros((length, channels), np.float32), rate, "x.wav")
    except sounds.BadSound:
        return True
    return False


def main():
    broken_samples()
    silence()
    check("rates and channels", [refused(*of) for of in ((7999, 2), (192001, 2), (48000, 9), (48000, 0), (48000, 2, 0), (8000, 1), (192000, 8))],
          [True, True, True, True, True, False, False])
    sounds.write_wave(FOLDER / "slow.wav", np.zeros((100, 1)), 4000)
    sounds.write_wave(FOLDER / "empty.wav", np.zeros((0, 1)), 48000)
    print("rates and channels ok")


main()
