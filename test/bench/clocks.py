"""clocks.py PROGRAM: how long a made-up GPU is kept busy before a sample, and what clocks a made-up NVML has. Writes
a short form of the program that keeps one busy to PROGRAM."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import clocks  # noqa: E402


class Gpu:
    """Its clock rises by 100 MHz with each millisecond of work, from 300 MHz to `reaches`."""

    def __init__(self, reaches, most=2000):
        self.reaches, self.highest = reaches, most
        self.time = self.idle = 0.0
        self.work = 0

    def execute(self):
        self.time += 0.001
        self.work += 1

    def now(self):
        return {"graphics": min(300 + 100 * self.work, self.reaches), "memory": 3201} if self.highest else {}

    def most(self):
        return self.highest

    def rest(self):
        self.work = 0


def pieces(gpu, busy):
    """Pieces of work before a sample after a rest, and the sample."""
    gpu.rest()
    sample = busy.around(lambda: {"device_us": 7.0, "pieces": gpu.work})()
    return sample


for name, gpu in {"reaches": Gpu(2000), "capped": Gpu(1500), "silent": Gpu(2000, 0)}.items():
    busy = clocks.Busy(gpu.execute, gpu, lambda g=gpu: g.time)
    print(f"{name}:", pieces(gpu, busy), "again:", pieces(gpu, busy))
print("NVML:", (nvml := clocks.reader("NVIDIA H200")).now(), nvml.most())
print("none:", clocks.reader("another").now())
pathlib.Path(sys.argv[1]).write_text(clocks.PROGRAM.replace(f"up_to {clocks.TURNS}", "up_to 2"))
