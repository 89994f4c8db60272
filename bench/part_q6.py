"""TPC-H Q6: fused against unfused, against the copy speed, and against peers."""

import time

import data
import peers
from gpuvm import Missing, bytes_moved
from measure import interleave, spread

ITERATIONS, WARMUP = 5, 2
UNFUSED = ("--disable-fusion",)


def plans(vm, scale):
    """name -> (plan, manifest) of the two forms."""
    rows = data.rows_of(scale)
    text = data.q6_program(rows)
    return {"gpuvm fused": vm.plan(f"q6_sf{scale}_fused", text),
            "gpuvm unfused": vm.plan(f"q6_sf{scale}_unfused", text, *UNFUSED)}


def gpuvm_subject(vm, plan, manifest, folder, expected):
    inputs = {name: folder / f"{name}.npy" for name in data.q6.COLUMNS}

    def sample():
        stats, output = vm.run(plan, manifest, inputs, ITERATIONS, WARMUP)
        if int(output) != expected:
            raise RuntimeError(f"{plan.name} answers {int(output)} where {expected} is right")
        sample.stats = stats
        return {"wall_us": stats["wall_us"]["median"], "device_us": stats["device_us"]["median"],
                "copy_gbps": stats["copy_gbps"]}

    return sample


def numpy_subject(columns, expected):
    loaded = {name: values[:] for name, values in columns.items()}

    def sample():
        start = time.perf_counter()
        got = data.revenue(loaded)
        elapsed = time.perf_counter() - start
        if got != expected:
            raise RuntimeError("NumPy does not repeat its answer")
        return {"wall_us": elapsed * 1e6}

    return sample


def row(name, samples, moved, column_bytes):
    """One line of the table; samples are paired, so ratios are taken sample by sample."""
    result = {"what": name, "wall us": spread(samples["wall_us"]), "device us": None,
              "bytes moved": moved, "columns GB/s": None, "columns / copy speed %": None,
              "moved / copy speed %": None}
    if "device_us" in samples:
        pairs = list(zip(samples["device_us"], samples["copy_gbps"]))
        result["device us"] = spread(samples["device_us"])
        result["columns GB/s"] = spread([column_bytes / us / 1e3 for us, _ in pairs])
        result["columns / copy speed %"] = spread(
            [100 * column_bytes / us / 1e3 / copy for us, copy in pairs])
        result["moved / copy speed %"] = spread(
            [100 * moved / us / 1e3 / copy for us, copy in pairs])
    return result


def run(vm, options):
    folder, kind = data.columns(options.scale, options.cache)
    columns = data.load(folder)
    expected = data.revenue(columns)
    column_bytes = sum(values.nbytes for values in columns.values())
    forms = plans(vm, options.scale)
    subjects = {name: gpuvm_subject(vm, *form, folder, expected) for name, form in forms.items()}
    subjects["NumPy"] = numpy_subject(columns, expected)
    notes = [f"{len(columns['shipdate']):,} {kind}; {column_bytes:,} bytes of columns; every "
             f"answer is {data.q6.text(expected)}."]
    for target in peers.TARGETS:
        try:
            if options.no_peers:
                raise Missing("--no-peers")
            peer = peers.IreeQ6(target, columns, expected, options.cache, vm.scratch.name)
            subjects[f"IREE {target}"] = peer.measure
        except (Missing, RuntimeError) as reason:
            notes.append(f"IREE {target} is skipped: {reason}.")

    samples = interleave(subjects, options.repeats, "Q6")
    moved = {name: bytes_moved(manifest) for name, (_, manifest) in forms.items()}
    rows = [row(name, samples[name], moved.get(name), column_bytes) for name in subjects]
    copy = spread([speed for name in forms for speed in samples[name]["copy_gbps"]])
    notes.append(f"Copy speed in the same runs: {copy['median']:.1f} GB/s, reads and writes together "
                 f"({copy['p10']:.1f}-{copy['p90']:.1f}).")
    ratio = spread([slow / fast for slow, fast in
                    zip(samples["gpuvm unfused"]["device_us"], samples["gpuvm fused"]["device_us"])])
    notes.append(f"Fused is {ratio['median']:.2f} x as fast as unfused and moves 1/"
                 f"{moved['gpuvm unfused'] / moved['gpuvm fused']:.2f} of its bytes.")
    for name, subject in list(subjects.items())[:2]:
        stats = subject.stats
        notes.append(f"{name}: {stats['kernels']} kernels, {stats['dispatches']} dispatches, "
                     f"{stats['barriers']} barriers, {stats['submits']} submit.")
    return {"title": f"TPC-H Q6, scale factor {options.scale}", "device": subjects["gpuvm fused"].stats["device"],
            "rows": rows, "notes": notes, "copy_gbps": copy, "samples": samples}
