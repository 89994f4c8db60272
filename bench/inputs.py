"""Inputs made from a fixed seed: the same values on every machine, cheap at any size."""

import math
import zlib

import numpy as np

from model import Tensor

NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64}

# Random numbers are drawn once for this many elements and repeated from there on: drawing
# 2^28 of them takes longer than measuring. A prime, so that no row repeats the one above.
PERIOD = 4_194_301


def _block(tensor, seed):
    random = np.random.default_rng(seed)
    if tensor.dtype.startswith("f"):
        numbers = random.random(PERIOD, np.float32) * (tensor.high - tensor.low) + tensor.low
        return numbers.astype(NUMPY[tensor.dtype])
    return random.integers(tensor.low, tensor.high, PERIOD).astype(NUMPY[tensor.dtype])


class Inputs:
    """Arrays for cases. Those of one name and kind share memory, the longest so far."""

    def __init__(self):
        self.flat = {}
        self.on_device = {}

    @staticmethod
    def _key(name, tensor):
        return name, tensor.dtype, tensor.low, tensor.high, tensor.make

    def array(self, name, tensor):
        """The input `name`: an array as it is, one made, or one filled as the Tensor says."""
        if callable(tensor):
            return tensor()
        if not isinstance(tensor, Tensor):
            return tensor
        key = self._key(name, tensor)
        if key not in self.flat or len(self.flat[key]) < tensor.elements:
            self.on_device.pop(key, None)
            block = tensor.make() if tensor.make else _block(tensor, zlib.crc32(name.encode()))
            self.flat[key] = np.resize(block, max(tensor.elements, 1))
        return self.flat[key][:tensor.elements].reshape(tensor.shape)

    def arrays(self, case):
        return {name: self.array(name, tensor) for name, tensor in case.inputs.items()}

    def tensors(self, case, torch, device):
        """The same on torch's device, copied once for as long as they are kept; what is made
        is in forms that torch does not know."""
        result = {}
        for name, tensor in case.inputs.items():
            if callable(tensor):
                continue
            array = self.array(name, tensor)
            if not isinstance(tensor, Tensor):
                result[name] = torch.from_numpy(np.array(array)).to(device)
                continue
            key = self._key(name, tensor)
            if key not in self.on_device:
                self.on_device[key] = torch.from_numpy(self.flat[key]).to(device)
            result[name] = self.on_device[key][:math.prod(tensor.shape)].view(tensor.shape)
        return result

    def forget(self):
        """Frees all of it."""
        self.flat.clear()
        self.on_device.clear()
