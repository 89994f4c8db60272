"""A gpuvm machine inside this process: runtime/include/gpuvm.h through ctypes.

Benchmarks execute plans here rather than with gpuvm-run, so that inputs are bound once and
single executions alternate with those of peers in the same process.
"""

import ctypes
import time


class _Layout(ctypes.Structure):
    """gpuvm_layout"""
    _fields_ = [("instances", ctypes.c_uint32), ("register_bytes", ctypes.c_uint64),
                ("globals_bytes", ctypes.c_uint64), ("metrics_bytes", ctypes.c_uint64),
                ("control_bytes", ctypes.c_uint64), ("heap_bytes", ctypes.c_uint64)]


class _Options(ctypes.Structure):
    """gpuvm_options"""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("device", ctypes.c_char_p),
                ("cache_dir", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint64),
                ("validate", ctypes.c_int), ("robust", ctypes.c_int), ("trace", ctypes.c_int),
                ("layout", _Layout), ("vram_budget_bytes", ctypes.c_uint64),
                ("reserved", ctypes.c_uint64 * 6)]


class _Stats(ctypes.Structure):
    """gpuvm_stats"""
    _fields_ = [("struct_bytes", ctypes.c_size_t)]
    _fields_ += [(name, ctypes.c_uint64) for name in
                 ("recordings", "executions", "submits", "host_submits", "stages", "kernels",
                  "dispatches", "barriers", "upload_bytes", "download_bytes")]
    _fields_ += [(name, ctypes.c_double) for name in
                 ("wall_us", "submit_us", "device_us", "upload_us", "download_us",
                  "compile_us")]


class _Range(ctypes.Structure):
    """gpuvm_file_range"""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("input", ctypes.c_char_p), ("offset", ctypes.c_uint64),
                ("size_bytes", ctypes.c_uint64), ("file_offset", ctypes.c_uint64)]


class Failure(RuntimeError):
    """A call of the runtime failed; its text is the runtime's sentence."""


def load_library(path):
    """libgpuvm.so, next to the libraries of the system: a bundle's older C++ library must
    not be the one that other packages of this process then find."""
    try:
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        pass  # the bundle's is found by the library's own search path
    library = ctypes.CDLL(str(path))
    library.vm_last_error.restype = ctypes.c_char_p
    library.vm_device_name.restype = ctypes.c_char_p
    return library


class Machine:
    """One VM. `load` gives it a program; data are NumPy arrays or
    anything with a writable buffer."""

    def __init__(self, library, device=""):
        self.library = library
        self.handle = ctypes.c_void_p()
        options = _Options()
        library.vm_options_init(ctypes.byref(options))
        options.device = device.encode()
        self._check(library.vm_boot(ctypes.byref(options), ctypes.byref(self.handle)))

    def _check(self, status):
        if status:
            raise Failure(self.library.vm_last_error(self.handle).decode())

    @staticmethod
    def _pointer(data):
        """(address, size) of an array without gaps."""
        if hasattr(data, "ctypes"):  # NumPy's, which may be read-only
            if not data.flags.c_contiguous:
                raise TypeError("the array has gaps")
            return data.ctypes.data, data.nbytes
        view = memoryview(data).cast("B")
        return ctypes.addressof(ctypes.c_char.from_buffer(view)), view.nbytes

    def load(self, plan):
        self._check(self.library.vm_program_file(self.handle, str(plan).encode()))

    def bind(self, name, data):
        address, size = self._pointer(data)
        self._check(self.library.vm_bind_input(
            self.handle, name.encode(), ctypes.c_void_p(address), ctypes.c_size_t(size)))

    def bind_file(self, path, places):
        """Binds inputs to parts of a file: {name: (first byte, bytes)}."""
        ranges = (_Range * len(places))(*(_Range(ctypes.sizeof(_Range), name.encode(), 0, size, first)
                                          for name, (first, size) in places.items()))
        self._check(self.library.vm_bind_file_ranges(self.handle, str(path).encode(), ranges, ctypes.c_size_t(len(ranges))))

    def execute(self, program=None):
        """Runs a program once and waits, without a name the only one; its times in microseconds.

        `wall_us` is the time of the call less the device's time for copies of inputs and
        outputs, `host_us` what of it the device does not work."""
        start = time.perf_counter()
        status = self.library.vm_execute(self.handle, program and program.encode())
        elapsed = (time.perf_counter() - start) * 1e6
        self._check(status)
        stats = self.stats()
        wall = elapsed - stats["upload_us"] - stats["download_us"]
        return {"wall_us": wall, "device_us": stats["device_us"],
                "host_us": wall - stats["device_us"]}

    def set_timeout(self, seconds):
        """Of each execution from now on."""
        self._check(self.library.vm_set_timeout(self.handle, ctypes.c_uint64(1000 * seconds)))

    def stats(self):
        stats = _Stats(struct_bytes=ctypes.sizeof(_Stats))
        self._check(self.library.vm_stats(self.handle, ctypes.byref(stats)))
        return {name: getattr(stats, name) for name, _ in _Stats._fields_}

    def read(self, name, data):
        """Fills `data` with an output of the last execution."""
        self._read(self.library.vm_read_output, name, data)

    def read_symbol(self, name, data):
        """Fills `data` with a global, metric or control symbol."""
        self._read(self.library.vm_read_symbol, name, data)

    def _read(self, function, name, data):
        address, size = self._pointer(data)
        self._check(function(self.handle, name.encode(), ctypes.c_void_p(address),
                             ctypes.c_size_t(size)))

    def device(self):
        return self.library.vm_device_name(self.handle).decode()

    def close(self):
        if self.handle:
            self.library.vm_shutdown(self.handle)
            self.handle = ctypes.c_void_p()
