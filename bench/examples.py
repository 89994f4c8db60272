"""Modules of examples/, for benchmarks of them: several folders there have modules of one name, and so has this one."""

import importlib.util
import sys

from gpuvm import ROOT

FOLDER = ROOT / "examples"


def load(path):
    """The module examples/PATH.py, in whose folder it finds its own imports."""
    file = FOLDER / f"{path}.py"
    name = f"examples_{path.replace('/', '_')}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(file.parent))
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(file.parent))
        sys.modules[name] = module
    return sys.modules[name]


def settings(**parameters):
    """Options of gpuvm-compile for the values of a program's parameters."""
    return tuple(load("programs").settings(parameters))


def text(path):
    """The program examples/PATH.mlir."""
    return (FOLDER / f"{path}.mlir").read_text()
