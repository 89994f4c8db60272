"""Blurs of what takes some computing: a colour conversion, and the mean of each pixel's neighbourhood."""

import numpy as np

import programs
from model import Case, Tensor

TITLE = "Blurs"
GAMMA = 2.2
SHAPES = {"gpu": ((1024, 1024), (4096, 4096), (8192, 8192)), "cpu": ((512, 512), (1024, 1024))}


def blur(height, width, taps, form):
    """Of linear light, e^(x^2.2) - 1; with zeros around it ("padded") or around the ends ("rolled")."""
    x, around = Tensor((height, width), "f32", 0.0, 1.0), taps // 2
    lines = [f"%gamma = arith.constant dense<{GAMMA}> : {x}", f"%power = math.powf %x, %gamma : {x}",
             f"%light = math.expm1 %power : {x}", "%zero = arith.constant 0.0 : f32"]
    names = []
    if form == "padded":
        wide = Tensor((height + 2 * around, width + 2 * around), "f32")
        lines += [f"%wide = tensor.pad %light low[{around}, {around}] high[{around}, {around}] {{",
                  "^bb0(%i: index, %j: index):", "tensor.yield %zero : f32", f"}} : {x} to {wide}"]
        for i in range(taps * taps):
            names.append(f"%n{i}")
            lines.append(f"%n{i} = tensor.extract_slice %wide[{i // taps}, {i % taps}] [{height}, {width}] [1, 1] : {wide} to {x}")
    else:
        for i in range(taps * taps):
            name = "%light"
            for axis, by in enumerate(((i // taps - around) % height, (i % taps - around) % width)):
                if by == 0:
                    continue
                shape = x.shape
                last, first = [tuple(n if d == axis else shape[d] for d in (0, 1)) for n in (shape[axis] - by, by)]
                at = ", ".join(str(by * (d == axis)) for d in (0, 1))
                last, first = Tensor(last, "f32"), Tensor(first, "f32")
                own = f"%m{i}_{axis}"
                lines += [f"{own}l = tensor.extract_slice {name}[{at}] [{last.shape[0]}, {last.shape[1]}] [1, 1] : {x} to {last}",
                          f"{own}f = tensor.extract_slice {name}[0, 0] [{first.shape[0]}, {first.shape[1]}] [1, 1] : {x} to {first}",
                          f"{own} = tensor.concat dim({axis}) {own}l, {own}f : ({last}, {first}) -> {x}"]
                name = own
            names.append(name)
    total = names[0]
    for i, name in enumerate(names[1:]):
        lines.append(f"%t{i} = arith.addf {total}, {name} : {x}")
        total = f"%t{i}"
    lines += [f"%share = arith.constant dense<{1 / taps**2:.9e}> : {x}", f"%y = arith.mulf {total}, %share : {x}"]

    def reference(d):
        light = np.expm1(d["x"] ** np.float32(GAMMA))
        wide = np.pad(light, around, mode="wrap" if form == "rolled" else "constant")
        parts = [wide[i:i + height, j:j + width] for i in range(taps) for j in range(taps)]
        return sum(parts[1:], parts[0]) * np.float32(1 / taps**2)

    def torch(d):
        light = d["torch"].expm1(d["x"] ** GAMMA)[None, None]
        wide = d["functional"].pad(light, [around] * 4, mode="circular" if form == "rolled" else "constant")
        return d["functional"].avg_pool2d(wide, taps, stride=1)[0, 0]

    return Case(f"blur {taps}x{taps}, {form}, {height}x{width}", **programs.both({"x": x}, "y", x, "\n".join(lines)), reference=reference,
                torch={"expm1, avg_pool2d": torch}, compiled=True, bytes=2 * x.bytes, bound=2e-5)


def cases(device, _):
    for height, width in SHAPES[device]:
        for taps, form in ((3, "padded"), (5, "padded"), (3, "rolled")):
            yield blur(height, width, taps, form)
