"""Discrete Fourier transforms and convolutions for the differential test."""

from program_text import Program, tensor


def transform(s, x, options=""):
    """`options` as the operation has them: "inverse dimension 0 to 1"."""
    words = options.split()
    number = lambda word, default: int(words[words.index(word) + 1]) if word in words else default
    taken = number("dimension", len(x.shape) - 2)
    shape = list(x.shape)
    shape.insert(number("to", taken), shape.pop(taken))
    return s.add(shape, x.dtype, f"gpuvm.fft %{x.name} {options} : {x.type} -> {tensor(shape, x.dtype)}", exact=False)


def convolve(s, x, spectrum):
    return s.add(x.shape, x.dtype, f"gpuvm.convolve %{x.name}, %{spectrum.name} : {x.type}", exact=False)


def rfft(s, x):
    shape = (*x.shape[:-1], x.shape[-1] // 2 + 1, 2)
    return s.add(shape, x.dtype, f"gpuvm.rfft %{x.name} : {x.type} -> {tensor(shape, x.dtype)}", exact=False)


def irfft(s, x, length):
    shape = (*x.shape[:-2], length)
    return s.add(shape, x.dtype, f"gpuvm.irfft %{x.name} : {x.type} -> {tensor(shape, x.dtype)}", exact=False)


def program(name, build, *shapes, dtype="f32"):
    p = Program(f"fft_{name}_{dtype}" if dtype != "f32" else f"fft_{name}")
    p.sums = True
    p.outputs = [p.stage(build, *(p.input(shape, dtype) for shape in shapes))]
    return p


def plain(shape, options="", dtype="f32"):
    name = "x".join(map(str, shape)) + "".join("_" + word for word in options.split())
    return program(name, lambda s, x: transform(s, x, options), (*shape, 2), dtype=dtype)


def windowed(batch, length):
    """What is read is computed: a window of a real signal, one frame behind the other, half over each other."""
    def build(s, signal, window):
        frames = s.concat(s.expand(s.slice(signal, [0], [batch * length], [1]), [batch, 1, length]),
                          s.expand(s.slice(signal, [length // 2], [batch * length], [1]), [batch, 1, length]), 1)
        window = s.broadcast(window, (batch, 2, length), [0, 1])
        frames = s.expand(s.collapse(s.binary("arith.mulf", frames, window)), [2 * batch, length, 1])
        return transform(s, s.pad(frames, [0, 0, 0], [0, 0, 1], 0))

    return program(f"windowed_{batch}x{length}", build, (batch * length + length // 2,), (length,))


def doubled(shape, options=""):
    """Elementwise operations on what is read and on what is made."""
    def build(s, x, y):
        made = transform(s, s.binary("arith.addf", x, x), options)
        return s.binary("arith.addf", made, y) if made.shape == y.shape else s.binary("arith.mulf", made, made)

    name = "x".join(map(str, shape)) + "".join("_" + word for word in options.split())
    return program(f"doubled_{name}", build, (*shape, 2), (*shape, 2))


def planar(batch, length):
    """Real and imaginary parts apart."""
    return program(f"planar_{batch}x{length}", lambda s, x: transform(s, s.transpose(x, [1, 2, 0])),
                   (2, batch, length))


def image(shape, options=""):
    """All of an image."""
    return program("image_" + "x".join(map(str, shape)) + options.replace(" ", "_"),
                   lambda s, x: transform(s, transform(s, x, options), f"{options} dimension {len(shape) - 2}"),
                   (*shape, 2))


def paired(blocks, length):
    """Two blocks of a real signal at a time are one complex signal; a block ends with the start of the next one."""
    def build(s, x, more):
        joined = s.concat(x, more, 1)
        pairs = s.add((blocks // 2, 2, 2 * length), "f32", f"tensor.expand_shape %{joined.name} [[0, 1], [2]] output_shape "
                      f"[{blocks // 2}, 2, {2 * length}] : {joined.type} into tensor<{blocks // 2}x2x{2 * length}xf32>")
        return transform(s, s.transpose(pairs, [0, 2, 1]))

    return program(f"paired_{blocks}x{length}", build, (blocks, length), (blocks, length))


def flat(shape, options, result):
    """Neighbouring dimensions of the result taken together."""
    def build(s, x):
        made = s.add(result, "f32", f"gpuvm.fft %{x.name} {options} : {x.type} -> {tensor(result, 'f32')}", exact=False)
        return s.binary("arith.addf", made, made)

    return program("flat_" + "x".join(map(str, result)), build, (*shape, 2))


def instances(count, length):
    """One transform for each instance, of its own signal, and a convolution with the spectrum they share."""
    p = Program(f"fft_instances_{count}x{length}")
    p.sums = True
    x, spectrum = p.input((count, length, 2), "f32"), p.input((length, 2), "f32")

    def build(s, x, spectrum):
        y = transform(s, x)
        return s.binary("arith.addf", y, convolve(s, y, spectrum))

    p.outputs = [p.stage(build, x, spectrum, instances=count, shared=[spectrum])]
    return p


def filtered(batch, length, dtype="f32"):
    return program(f"convolve_{batch}x{length}", convolve, *[(batch, length, 2)] * 2, dtype=dtype)


def real(batch, length, dtype="f32"):
    return program(f"real_{batch}x{length}", rfft, (batch, length), dtype=dtype)


def to_real(batch, length, dtype="f32"):
    return program(f"to_real_{batch}x{length}", lambda s, x: irfft(s, x, length), (batch, length // 2 + 1, 2),
                   dtype=dtype)


SHORT = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 22, 26, 32, 39, 64, 105, 143, 210, 256, 360, 512,
         1000, 1001, 1024, 2048, 2310, 4096)


def ffts(_):
    for i, length in enumerate(SHORT):
        yield plain(((1, 3, 37, 2)[i % 4], length), "inverse" if i % 3 == 1 else "")
    yield plain((4095,))
    yield plain((300, 8), "inverse")
    yield plain((5000, 3))
    yield plain((1, 8192))
    for shape, options in [((5, 12, 7), "dimension 1"), ((12, 35), "dimension 0"), ((256, 21), "inverse dimension 0"),
                           ((3, 8, 9), "dimension 0 to 1"), ((3, 16, 100), "dimension 2 to 0"),
                           ((1024, 9), "inverse dimension 0 to 1"), ((2, 60, 3), "dimension 1 to 2")]:
        yield plain(shape, options)
    # Several workgroups in turn.
    yield plain((270000, 2))
    # Taken apart, and by a chirp.
    for length in (5000, 10000, 16384, 65536, 8192 * 11):
        yield plain((1, length), "inverse" if length == 10000 else "")
    yield plain((3, 8575))
    yield plain((2, 10000, 2), "dimension 1 to 0")
    for length in (17, 101, 34, 289, 1009):
        yield plain((3, length), "inverse" if length == 34 else "")
    yield plain((1, 10007))
    yield plain((19, 5), "dimension 0 to 1")
    for length in (1, 6, 13, 64, 120, 1024):
        yield plain((5, length), dtype="f64")
    yield plain((1, 8192), dtype="f64")
    yield plain((2, 23), "inverse", dtype="f64")
    yield windowed(7, 64)
    yield windowed(2, 1000)
    for shape, options in [((3, 16), ""), ((2, 500), "inverse"), ((40, 12), "dimension 0"), ((6, 8), "dimension 0 to 1")]:
        yield doubled(shape, options)
    yield planar(5, 128)
    yield paired(6, 20)
    yield flat((3, 16, 10), "dimension 2 to 1", (3, 160, 2))
    yield flat((6, 30), "inverse", (6, 60))
    yield flat((1, 10000), "", (20000,))
    yield instances(5, 48)
    yield instances(3, 10000)
    yield image((16, 24))
    yield image((2, 9, 100), "inverse")
    for batch, length in ((1, 1), (5, 2), (33, 7), (3, 16), (7, 48), (2, 100), (3, 1024), (2, 4096), (1, 10000), (2, 37)):
        yield filtered(batch, length)
    yield filtered(3, 60, dtype="f64")
    for batch, length in ((1, 1), (3, 2), (2, 3), (5, 8), (4, 15), (3, 100), (2, 1024), (1, 8190), (2, 202), (1, 20000)):
        yield real(batch, length)
        yield to_real(batch, length)
    yield real(2, 30, dtype="f64")
    yield to_real(2, 31, dtype="f64")
