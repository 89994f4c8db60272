"""Compares the structures of python/gpuvm/_native.py with the C headers: structs.py FOLDER. A C program prints where each field is."""

import ctypes
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from gpuvm import _models, _native  # noqa: E402

HEADERS = [ROOT / "runtime/include/gpuvm.h", ROOT / "frontends/include/gpuvm-compiler.h", ROOT / "frontends/include/gpuvm-models.h"]
NUMBERS = {"GPUVM_ABI_VERSION": _native.RUNTIME_ABI, "GPUVM_COMPILER_ABI_VERSION": _native.COMPILER_ABI, "GPUVM_MODELS_ABI_VERSION": _models.MODELS_ABI,
           "GPUVM_NOT_READY": _native.NOT_READY, "GPUVM_PAGE_GLSL": _native.PAGE_GLSL, "GPUVM_PAGE_SPIRV": _native.PAGE_SPIRV, "GPUVM_INPUT": _native.INPUT, "GPUVM_OUTPUT": _native.OUTPUT,
           "GPUVM_SYMBOL": _native.SYMBOL, "GPUVM_STAGE": _native.STAGE, "GPUVM_PROGRAM": _native.PROGRAM,
           "GPUVM_PARAMETER": _native.PARAMETER,
           **{f"GPUVM_{name.upper()}": number for number, name in enumerate(_native.REGIONS)}}


def structures():
    """By the name in C, which is the documentation."""
    classes = [value for value in [*vars(_native).values(), *vars(_models).values()] if isinstance(value, type) and issubclass(value, ctypes.Structure)]
    return {each.__doc__: each for each in classes if each.__doc__ and each.__doc__.startswith("gpuvm_")}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found = structures()
    lines = [f'printf("%s %zu\\n", "{name}", sizeof({name}));' for name in found]
    lines += [f'printf("%s %zu\\n", "{name}.{field[0]}", offsetof({name}, {field[0]}));' for name, each in found.items() for field in each._fields_]
    lines += [f'printf("%s %zu\\n", "{name}", (size_t){name});' for name in NUMBERS]
    includes = "".join(f'#include "{header}"\n' for header in HEADERS)
    (folder / "structs.c").write_text(f"{includes}#include <stdio.h>\nint main(void) {{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run(["cc", folder / "structs.c", "-o", folder / "structs"], check=True)
    said = subprocess.run([folder / "structs"], check=True, capture_output=True, text=True).stdout
    here = {name: ctypes.sizeof(each) for name, each in found.items()}
    here |= {f"{name}.{field[0]}": getattr(each, field[0]).offset for name, each in found.items() for field in each._fields_}
    there = {name: int(number) for name, number in (line.split() for line in said.splitlines())}
    wrong = [f"{name}: {number} in C, {(here | NUMBERS)[name]} in Python" for name, number in there.items() if (here | NUMBERS)[name] != number]
    declared = set(re.findall(r"\b(vm[clt]?_\w+)\(", "".join(header.read_text() for header in HEADERS)))
    wrong += [f"{name}: not in C" for name in {**_native._SIGNATURES, **_native._COMPILER_SIGNATURES, **_models.SIGNATURES} if name not in declared]
    print("\n".join(wrong) or f"{len(there)} places and numbers are the same")
    sys.exit(bool(wrong) or len(found) < 15)


main()
