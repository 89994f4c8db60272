"""Sounds as arrays of samples and channels, 1 at full scale: from files, from Debian, made up; and back to a WAV file."""

import pathlib
import shutil
import subprocess
import wave

import numpy as np

RATE = 48000
LEAST_RATE, MOST_RATE = 8000, 192000
MOST_CHANNELS = 8
PACKAGE = "alsa-utils"
INSTALLED = pathlib.Path("/usr/share/sounds/alsa")
# How loud the announcer of alsa-utils is left and right, so that the place is heard: name, left, right.
ANNOUNCEMENTS = [("Front_Center", 0.7, 0.7), ("Front_Left", 1.0, 0.25), ("Front_Right", 0.25, 1.0), ("Side_Left", 0.9, 0.1),
                 ("Side_Right", 0.1, 0.9), ("Rear_Left", 0.6, 0.2), ("Rear_Right", 0.2, 0.6), ("Rear_Center", 0.5, 0.5)]
NOISE = 0.4  # How much of Noise.wav is under them: about 15 dB below the voice.


class BadSound(Exception):
    """What is wrong with a file, in a sentence."""


def read_wave(path):
    """(samples, rate) of a WAV file of 16-bit samples, by Python's own library."""
    with wave.open(str(path)) as file:
        if file.getsampwidth() != 2:
            raise BadSound(f"\"{path}\" has samples of {8 * file.getsampwidth()} bits; without the package soundfile only 16 are read.")
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return data.reshape(-1, file.getnchannels()).astype(np.float32) / 32768, file.getframerate()


def read(path):
    """(samples, rate) of what libsndfile reads, or without it of a WAV file."""
    if not path.is_file():
        raise BadSound(f"There is no file \"{path}\".")
    try:
        import soundfile
    except ImportError:
        soundfile = None
    try:
        return soundfile.read(path, dtype="float32", always_2d=True) if soundfile else read_wave(path)
    except (wave.Error, EOFError, RuntimeError) as error:
        raise BadSound(f"\"{path}\" is no sound file that can be read ({str(error).rstrip('.')}).") from error


def write_wave(path, samples, rate):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.clip(np.rint(samples * 32767), -32768, 32767).astype("<i2").tobytes())


def check(samples, rate, name):
    """Raises BadSound if the program is not made for such a sound."""
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise BadSound(f"\"{name}\" has {rate} samples a second; from {LEAST_RATE} to {MOST_RATE} are possible.")
    if not 1 <= samples.shape[1] <= MOST_CHANNELS:
        raise BadSound(f"\"{name}\" has {samples.shape[1]} channels; from 1 to {MOST_CHANNELS} are possible.")
    if not len(samples):
        raise BadSound(f"\"{name}\" has no samples.")


def debian_sounds(work):
    """The folder of alsa-utils' sounds: where it is installed, or from its package, which is kept in `work`."""
    if INSTALLED.is_dir():
        return INSTALLED
    folder = work / PACKAGE
    sounds = folder / INSTALLED.relative_to("/")
    if sounds.is_dir():
        return sounds
    if not shutil.which("apt-get"):
        raise BadSound("There is no apt-get to get Debian's sounds with; give a recording of your own with --file.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    got = subprocess.run(["apt-get", "download", PACKAGE], cwd=folder, capture_output=True, text=True)
    packages = list(folder.glob("*.deb"))
    if got.returncode or not packages:
        raise BadSound(f"Debian's package {PACKAGE} cannot be got ({got.stderr.strip()}); apt-get update may help, or --file.")
    subprocess.run(["dpkg", "-x", packages[0], folder], check=True)
    return sounds


def scene(folder):
    """A stereo recording: the announcements of `folder` one after the other, each from its side, with its noise under all of them."""
    pause = np.zeros((int(0.6 * RATE), 2))
    parts = [2 * pause]
    for name, *sides in ANNOUNCEMENTS:
        voice, rate = read(folder / f"{name}.wav")
        if rate != RATE:
            raise BadSound(f"\"{name}.wav\" has {rate} samples a second, not {RATE}.")
        parts += [voice[:, :1] * sides, pause]
    voices = np.concatenate([*parts, *[pause] * 6])
    noise = read(folder / "Noise.wav")[0][:, 0]
    # Another part of the noise on each side.
    left = np.resize(noise, len(voices))
    right = np.resize(np.roll(noise, len(noise) // 2), len(voices))
    return (voices + NOISE * np.stack([left, right], axis=1)).astype(np.float32)


def made_up(seconds=3.0, channels=2, seed=1):
    """Hums in syllables, with white noise: for tests, which have no sounds."""
    random = np.random.default_rng(seed)
    time = np.arange(int(seconds * RATE)) / RATE
    syllables = np.clip(np.sin(2 * np.pi * 1.3 * time - 0.8), 0, 1) ** 0.5
    hum = sum(np.sin(2 * np.pi * 140 * k * time + k * k) / k for k in range(1, 30))
    sides = np.linspace(1, 0.3, channels)
    voice = 0.25 * (syllables * hum)[:, None] * sides
    return (voice + 0.01 * random.standard_normal((len(time), channels))).astype(np.float32)
