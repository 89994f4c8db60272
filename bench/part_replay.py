"""What a replay costs the host: chains of 1 to 1,000 stages, one submit each."""

import numpy as np

from measure import interleave, spread

STAGES = (1, 10, 100, 1000)
ELEMENTS = 1024
ITERATIONS, WARMUP = 30, 5


def program(stages):
    """A chain in which each stage adds one to its message."""
    tensor = f"tensor<{ELEMENTS}xf32>"
    lines = [f"gpuvm.program @chain(%x: {tensor}) -> (y: {tensor}) {{"]
    for i in range(stages):
        source = "%x" if i == 0 else f"%m{i - 1}"
        kind = tensor if i == 0 else f"!gpuvm.message<{tensor}>"
        lines += [f"  %m{i} = gpuvm.stage @s{i}(%in = {source} : {kind}) -> {tensor} {{",
                  f"    %one = arith.constant dense<1.0> : {tensor}",
                  f"    %next = arith.addf %in, %one : {tensor}",
                  f"    gpuvm.send %next : {tensor}",
                  "  }"]
    lines += [f"  gpuvm.return %m{stages - 1} : !gpuvm.message<{tensor}>", "}", ""]
    return "\n".join(lines)


def plan(vm, stages):
    return vm.plan(f"chain_{stages}", program(stages), "--disable-fusion")


def host_us(stats):
    """What one execution costs beside the device's own work: the host's calls and the
    wake-up at the end."""
    on_device = sum(stats[key]["median"] for key in ("upload_us", "device_us", "download_us"))
    return stats["wall_us"]["median"] - on_device


def subject(vm, stages, x):
    compiled, manifest = plan(vm, stages)
    expected = np.load(x) + np.float32(stages)

    def sample():
        stats, output = vm.run(compiled, manifest, {"x": x}, ITERATIONS, WARMUP)
        if not np.array_equal(output, expected):
            raise RuntimeError(f"the chain of {stages} stages answers wrongly")
        sample.stats = stats
        return {"host_us": host_us(stats), "wall_us": stats["wall_us"]["median"],
                "device_us": stats["device_us"]["median"]}

    return sample


def run(vm, options):
    x = options.cache / "chain_x.npy"
    x.parent.mkdir(parents=True, exist_ok=True)
    np.save(x, np.arange(ELEMENTS, dtype=np.float32))
    subjects = {stages: subject(vm, stages, x) for stages in STAGES}
    samples = interleave(subjects, options.repeats, "replay")
    rows = []
    for stages in STAGES:
        stats, values = subjects[stages].stats, samples[stages]
        rows.append({"stages": stages, "dispatches": stats["dispatches"],
                     "barriers": stats["barriers"], "submits": stats["submits"],
                     "host us": spread(values["host_us"]), "wall us": spread(values["wall_us"]),
                     "device us": spread(values["device_us"]),
                     "device us a stage": spread([us / stages for us in values["device_us"]])})
    notes = [f"Each stage adds 1 to {ELEMENTS:,} f32; fusion is off, so every stage is a dispatch.",
             "host us: wall time less the device's time for copies and commands."]
    return {"title": "Replay of a recorded chain", "device": subjects[1].stats["device"],
            "rows": rows, "notes": notes, "samples": {str(k): v for k, v in samples.items()}}
