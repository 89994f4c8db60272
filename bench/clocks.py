"""A GPU at the clocks it has under load, and what those are.

A GPU that has been idle, for example while NumPy computes, runs the next milliseconds at a
fraction of its clocks, so a sample taken then says how long the pause was.
"""

import ctypes
import ctypes.util
import time

# Clocks count as those of a load at this fraction of the highest there is.
UP = 0.95
# A GPU without a readable clock is kept busy for this long; one that does not get there, for so long at most.
BLIND_S, MOST_S = 0.2, 0.5
TURNS, ELEMENTS = 64, 2 ** 22

# About 1 ms on an H200, without a copy from or to the host.
TENSOR = f"tensor<{ELEMENTS}xf32>"
PROGRAM = f"""gpuvm.program @busy() -> (y: tensor<f32>) {{
  %x = gpuvm.stage @begin() -> {TENSOR} {{
    %one = arith.constant dense<1.0> : {TENSOR}
    gpuvm.send %one : {TENSOR}
  }}
  %last = gpuvm.repeat @again up_to {TURNS} (%v = %x : !gpuvm.message<{TENSOR}>) {{
    %next = gpuvm.stage @step(%old = %v : !gpuvm.message<{TENSOR}>) -> {TENSOR} {{
      %half = arith.constant dense<0.5> : {TENSOR}
      %less = arith.mulf %old, %half : {TENSOR}
      %new = arith.addf %less, %half : {TENSOR}
      gpuvm.send %new : {TENSOR}
    }}
    gpuvm.next %next : !gpuvm.message<{TENSOR}>
  }}
  %y = gpuvm.stage @end(%v = %last : !gpuvm.message<{TENSOR}>) -> tensor<f32> {{
    %first = tensor.extract_slice %v[0] [1] [1] : {TENSOR} to tensor<1xf32>
    %y = tensor.collapse_shape %first [] : tensor<1xf32> into tensor<f32>
    gpuvm.send %y : tensor<f32>
  }}
  gpuvm.return %y : !gpuvm.message<tensor<f32>>
}}
"""


class Nvml:
    """Clocks in MHz by NVIDIA's management library: those of the GPUs of this name, of which
    the fastest is taken to be the one that works."""

    GRAPHICS, MEMORY = 0, 2

    def __init__(self, device):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        if self.library.nvmlInit_v2():
            raise OSError("NVML does not start")
        count, name = ctypes.c_uint(), ctypes.create_string_buffer(96)
        self.library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        self.handles = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            if (self.library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0
                    and self.library.nvmlDeviceGetName(handle, name, len(name)) == 0
                    and name.value.decode() in device):
                self.handles.append(handle)
        if not self._highest("nvmlDeviceGetClockInfo", self.GRAPHICS):
            raise OSError(f"NVML has no clock of {device}")

    def _highest(self, function, kind):
        values = [0]
        for handle in self.handles:
            value = ctypes.c_uint()
            if getattr(self.library, function)(handle, kind, ctypes.byref(value)) == 0:
                values.append(value.value)
        return max(values)

    def now(self):
        """{"graphics": MHz, "memory": MHz}"""
        return {"graphics": self._highest("nvmlDeviceGetClockInfo", self.GRAPHICS),
                "memory": self._highest("nvmlDeviceGetClockInfo", self.MEMORY)}

    def most(self):
        return self._highest("nvmlDeviceGetMaxClockInfo", self.GRAPHICS)


class Unknown:
    """Clocks of a device that does not say them."""

    def now(self):
        return {}

    def most(self):
        return 0


def reader(device):
    try:
        return Nvml(device)
    except (OSError, AttributeError):
        return Unknown()


class Busy:
    """Work that raises a GPU's clocks. `execute()` is one piece of it, `clocks` a reader."""

    def __init__(self, execute, clocks, now=time.monotonic):
        self.execute, self.clocks, self.now = execute, clocks, now
        self.wanted = UP * clocks.most()

    def raise_clocks(self):
        """Returns when the clocks are up, with the device at work until then."""
        end = self.now() + (MOST_S if self.wanted else BLIND_S)
        highest = 0
        while self.now() < end:
            self.execute()
            highest = max(highest, self.clocks.now().get("graphics", 0))
            if self.wanted and highest >= self.wanted:
                return
        self.wanted = min(self.wanted, UP * highest)  # more than this card may have, by its power or its settings

    def around(self, sample):
        """A sample taken at raised clocks, with the clocks right after it."""
        def measured():
            self.raise_clocks()
            times = sample()
            return {**times, **{f"{name}_mhz": clock for name, clock in self.clocks.now().items()}}
        return measured
