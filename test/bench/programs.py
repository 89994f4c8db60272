"""programs.py FOLDER: writes the programs of every part of bench/ for the CPU's device.

The parts need NumPy only to compute with, which this does not, so a machine without it can
tell whether their programs compile.
"""

import pathlib
import sys
import types

sys.modules["numpy"] = types.ModuleType("numpy")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import importlib  # noqa: E402

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
options = types.SimpleNamespace(scale="1", cache=folder / "cache", bin=None, bundle=None, device="")
for part in sorted(pathlib.Path(sys.path[0]).glob("part_*.py")):
    module = importlib.import_module(part.stem)
    if not hasattr(module, "cases"):
        continue
    if part.stem == "part_chain":
        module.STAGES = 100  # test/kernels/chain/chain-stencil.test compiles all 1,000.
    cases = module.plans(options) if hasattr(module, "plans") else module.cases("cpu", options)
    for case in cases:
        path = folder / f"{case.plan_name(part.stem[5:])}.{case.language}"
        if callable(case.program):
            path = case.program(folder)
        else:
            path.write_text(case.program)
        print(path)
