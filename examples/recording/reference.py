"""What recording.mlir computes, in NumPy and float64, on the whole recording at once.

There are no chunks here but where the program has a rule for each of them. Spectra and the way back come from NumPy, or with
`scipy_transforms` from scipy.signal.stft and istft.
"""

import warnings

import numpy as np

FRAME, HOP, HOPS = 1024, 256, 16
CHUNK = HOP * HOPS
OVERLAP = FRAME - HOP
DELAY = OVERLAP + HOP
CEILING = 0.891
MOST = 16.0
MAKE_UP_DB = 9.0


def paces(rate):
    """By what the program's gains and its estimate of the noise change in a frame, a chunk or a hop: inputs by name."""
    decibels = {"closing": (-20 / 0.075, HOP), "noisier": (2 * 1.5, CHUNK), "returning": (0.5, CHUNK), "rising": (16, HOP)}
    # Of a power, 10 dB are ten times as much; of the others, 20.
    return {name: np.float32(10 ** (each / 20 * samples / rate)) for name, (each, samples) in decibels.items()}


def hann():
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)


def biquads(rate):
    """Coefficients (b, a) of the equaliser's filters (R. Bristow-Johnson's cookbook): no rumble, more of what makes speech clear."""
    w, q = 2 * np.pi * 90 / rate, np.sqrt(0.5)
    alpha, c = np.sin(w) / (2 * q), np.cos(w)
    yield np.array([(1 + c) / 2, -(1 + c), (1 + c) / 2]), np.array([1 + alpha, -2 * c, 1 - alpha])
    w, q, a = 2 * np.pi * min(3000.0, rate / 4) / rate, 0.9, 10 ** (4 / 40)
    alpha, c = np.sin(w) / (2 * q), np.cos(w)
    yield np.array([1 + alpha * a, -2 * c, 1 - alpha * a]), np.array([1 + alpha / a, -2 * c, 1 - alpha / a])


def equaliser(rate):
    """The equaliser's gain at each frequency of a spectrum: the magnitudes of its filters, and 9 dB for all."""
    z = np.exp(-2j * np.pi * np.arange(FRAME // 2 + 1) / FRAME)
    gain = 10 ** (MAKE_UP_DB / 20)
    for b, a in biquads(rate):
        gain = gain * np.abs(np.polyval(b[::-1], z) / np.polyval(a[::-1], z))
    return gain


def numpy_spectra(x):
    frames = np.lib.stride_tricks.sliding_window_view(x, FRAME, axis=-1)[..., ::HOP, :]
    return np.fft.rfft(frames * hann())


def overlap_add(frames):
    out = np.zeros((*frames.shape[:-2], frames.shape[-2] * HOP + OVERLAP))
    for t in range(frames.shape[-2]):
        out[..., t * HOP:t * HOP + FRAME] += frames[..., t, :]
    return out


def numpy_signal(spectra):
    return overlap_add(np.fft.irfft(spectra) * hann()) / 1.5


def scipy_spectra(x):
    from scipy import signal
    spectra = signal.stft(x, window="hann", nperseg=FRAME, noverlap=OVERLAP, boundary=None, padded=False)[2]
    return np.swapaxes(spectra, -1, -2) * hann().sum()


def scipy_signal(spectra):
    """istft divides by the sum of the squared windows, which at both ends is not the 1.5 of the middle."""
    from scipy import signal
    with warnings.catch_warnings(action="ignore"):  # That it cannot be inverted at the ends.
        out = signal.istft(np.swapaxes(spectra, -1, -2) / hann().sum(), window="hann", nperseg=FRAME, noverlap=OVERLAP, boundary=False)[1]
    return out * overlap_add(np.broadcast_to(hann() ** 2, (spectra.shape[-2], FRAME))) / 1.5


NUMPY, SCIPY = (numpy_spectra, numpy_signal), (scipy_spectra, scipy_signal)


def without_holes(x):
    """Silence where there is no number, or one far above full scale."""
    return np.where(np.abs(x) <= MOST, x, 0)


def noise_power(power, noisier):
    """The noise in each chunk: the least mean power so far, which may rise a little in each."""
    means = power.reshape(len(power), -1, HOPS, power.shape[-1]).mean(axis=2)
    noise, now = np.empty_like(means), np.full_like(means[:, 0], 1e9)
    for k in range(means.shape[1]):
        now = np.where(means[:, k] > 1e-9, np.minimum(means[:, k], now * noisier), now)
        noise[:, k] = now
    return noise


def gate(power, noisier, closing):
    wide = np.pad(power, [(0, 0), (0, 0), (2, 2)])
    mean = sum(wide[..., i:i + power.shape[-1]] for i in range(5)) / 5
    target = np.maximum(1 - 4 * np.repeat(noise_power(mean, noisier), HOPS, axis=1) / (mean + 1e-12), 0.06)
    gains, now = np.empty_like(target), np.zeros_like(target[:, 0])
    for t in range(target.shape[1]):
        now = np.maximum(target[:, t], closing * now)
        gains[:, t] = now
    return gains


def fits(peaks):
    return np.where(peaks > CEILING, CEILING / np.maximum(peaks, 1e-4), 1.0)


def regulated(voice, returning):
    """(the samples times the regulator's gain, their peak in each chunk before that, the gain in each chunk)"""
    peaks = np.abs(voice).reshape(len(voice), -1, CHUNK).max(axis=(0, 2))
    gains, now = [], 1.0
    for most in fits(peaks):
        before, now = now, min(now * returning, most)
        ramp = before + (now - before) * np.arange(HOP) / HOP
        gains.append(np.concatenate([ramp, np.full(CHUNK - HOP, now)]))
    return voice * np.concatenate(gains), peaks, np.array([g[-1] for g in gains])


def limited(samples, rising):
    """(the samples a hop later and below the ceiling, the limiter's gains at the ends of hops)"""
    late = np.pad(samples, [(0, 0), (HOP, 0)])
    hops = late.reshape(len(late), -1, HOP)
    fit = fits(np.abs(hops).max(axis=2))
    bounds = np.ones_like(fit)
    for j in range(1, fit.shape[1]):
        bounds[:, j] = np.minimum(np.minimum(fit[:, j - 1], fit[:, j]), rising * bounds[:, j - 1])
    part = np.arange(HOP) / HOP
    line = bounds[:, :-1, None] + (bounds[:, 1:] - bounds[:, :-1])[..., None] * part
    return (hops[:, :-1] * line).reshape(len(late), -1), bounds


def chunks_wanted(peaks, patience):
    """How many chunks the program asks for: it stops when `patience` of them were quiet."""
    quiet = 0
    for k, peak in enumerate(peaks):
        quiet = quiet + 1 if peak < 0.05 else 0
        if quiet >= patience:
            return k + 1
    return len(peaks)


def process(sound, curve, pace, patience, transforms=NUMPY):
    """What the program makes of `sound` (samples x channels): a dictionary of arrays, those of samples as long as the sound."""
    to_spectra, to_signal = transforms
    pace = {name: float(value) for name, value in pace.items()}
    x = without_holes(sound.T.astype(np.float64))
    x = np.pad(x, [(0, 0), (OVERLAP, -x.shape[1] % CHUNK)])
    spectra = to_spectra(x)
    gains = gate(np.abs(spectra) ** 2, pace["noisier"], pace["closing"])
    voice = to_signal(spectra * gains * curve)[:, :x.shape[1] - OVERLAP]
    driven, peaks, gain = regulated(voice, pace["returning"])
    out, bounds = limited(driven, pace["rising"])
    chunks = chunks_wanted(peaks, patience)
    least = [bounds[:, k * HOPS:(k + 1) * HOPS + 1].min() for k in range(chunks)]
    return {"clean": out.T[:min(chunks * CHUNK, len(sound))], "peaks": peaks[:chunks], "gain": gain[:chunks], "limit": np.array(least),
            "chunks": chunks}
