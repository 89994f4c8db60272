"""A plan on lavapipe by the C ABI (libgpuvm), for tests that set and read symbols between executions."""

import ctypes
import os
import shutil

import numpy as np


def _library():
    folder = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("gpuvm-run"))))
    return ctypes.CDLL(os.path.join(folder, "lib", "libgpuvm.so"))


class Machine:
    def __init__(self, plan):
        self.lib = _library()
        self.lib.vm_last_error.restype = ctypes.c_char_p
        self.vm = ctypes.c_void_p()
        options = (ctypes.c_uint64 * 64)()  # gpuvm_options, with room for what later versions add.
        self.lib.vm_options_init(options)
        self._check(self.lib.vm_boot(options, ctypes.byref(self.vm)))
        self._check(self.lib.vm_program_file(self.vm, plan.encode()))

    def _check(self, code):
        if code:
            raise RuntimeError(self.lib.vm_last_error(self.vm).decode())

    def bind(self, name, array):
        self._check(self.lib.vm_bind_input(self.vm, name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                                           ctypes.c_size_t(array.nbytes)))

    def bind_file(self, name, path, offset):
        self._check(self.lib.vm_bind_file(self.vm, name.encode(), path.encode(), ctypes.c_uint64(offset)))

    def set(self, name, array):
        self._check(self.lib.vm_write_symbol(self.vm, name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                                             ctypes.c_size_t(array.nbytes)))

    def get(self, name, count, kind="i4"):
        array = np.zeros(count, kind)
        self._check(self.lib.vm_read_symbol(self.vm, name.encode(), array.ctypes.data_as(ctypes.c_void_p),
                                            ctypes.c_size_t(array.nbytes)))
        return array

    def run(self, program):
        self._check(self.lib.vm_execute(self.vm, program.encode()))
