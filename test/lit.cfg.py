# How lit runs the .mlir and .test files below this folder.
#
#   tools/test                     everything
#   lit -v test/passes             one folder, with the programs of build/bin
#   lit -v --param build=FOLDER test/passes
#
# Programs are found by name: ours, then LLVM's (FileCheck, not, split-file, count).
# %python is a Python 3 without packages, but for tests that require `numpy`; %venv one
# with those of requirements.txt for tests that require them. Every run on a device validates.

import ctypes.util
import glob
import importlib.util
import os
import shutil
import subprocess
import sys

import lit.formats

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(lit_config.params.get("build", os.path.join(ROOT, "build")))
LLVM_TOOLS = os.environ.get("LLVM_TOOLS_DIR", "/usr/lib/llvm-22/bin")

config.name = "gpuvm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "compat", "fuzz", "hostile", "runtime"]
config.test_source_root = os.path.join(ROOT, "test")
config.test_exec_root = os.path.join(BUILD, "test", "lit")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(BUILD, "bin"), LLVM_TOOLS, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
config.environment["GPUVM_VALIDATE"] = "1"
# Nothing fails because the machine is busy with other things: an execution has an hour, and scripts
# give programs a limit of CPU time (e2e/processes.py).
config.environment["GPUVM_TIMEOUT"] = "3600"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Nothing of a test stays in the source tree.
config.substitutions += [("%python", sys.executable), ("%root", ROOT), ("%build", BUILD)]

for program in ("FileCheck", "gpuvm-run"):
    if not shutil.which(program, path=config.environment["PATH"]):
        lit_config.fatal(f"{program} is not found; run tools/build (or pass --param build=FOLDER)")

# Tests run on lavapipe, the device every machine has; a caller who sets
# VK_DRIVER_FILES picks another.
LAVAPIPE = sorted(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json"))
DRIVERS = os.environ.get("VK_DRIVER_FILES") or os.pathsep.join(LAVAPIPE)
if DRIVERS:
    config.environment["VK_DRIVER_FILES"] = DRIVERS
    config.environment["VK_ICD_FILENAMES"] = DRIVERS
    if all(path in LAVAPIPE for path in DRIVERS.split(os.pathsep)):
        config.available_features.add("lavapipe")
for name in ("ASAN_OPTIONS", "LP_NATIVE_VECTOR_WIDTH", "LP_NUM_THREADS", "XDG_RUNTIME_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if importlib.util.find_spec("numpy"):  # python3-numpy, which tools/test installs.
    config.available_features.add("numpy")
if importlib.util.find_spec("pytest"):  # python3-pytest, the same.
    config.available_features.add("pytest")
PHOTO = "/usr/share/matplotlib/mpl-data/sample_data/grace_hopper.jpg"
if importlib.util.find_spec("PIL") and os.path.exists(PHOTO):  # python3-pil, python-matplotlib-data, the same.
    config.available_features.add("photo")
# What test/requirements.txt has, which tools/test installs; or where it is installed otherwise.
venv = os.path.join(ROOT, ".cache", "tests", "venv")
is_there = glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "openai"))
config.substitutions.append(("%venv", os.path.join(venv, "bin", "python") if is_there else sys.executable))
if is_there:
    config.available_features.add("openai")
for package in ("duckdb", "gguf", "openai"):  # Where they are installed.
    if importlib.util.find_spec(package):
        config.available_features.add(package)
# python3-selenium, python3-pil, chromium-driver, the same.
if importlib.util.find_spec("selenium") and importlib.util.find_spec("PIL") and shutil.which("chromedriver"):
    config.available_features.add("chromium")
if os.path.exists(os.path.join(ROOT, ".cache", "vscode", "node_modules", "installed-lock.json")):  # tools/test gets it by tools/dev/vscode.
    config.available_features.add("vscode")
if shutil.which("mpirun") and ctypes.util.find_library("mpi"):  # openmpi-bin, libopenmpi3, the same.
    config.available_features.add("mpi")
    # As root in a container, and more ranks than processors.
    config.substitutions.append(("%mpirun", "mpirun --allow-run-as-root --oversubscribe"))
if subprocess.run(["unshare", "--uts", "--ipc", "true"], capture_output=True).returncode == 0:
    config.available_features.add("namespaces")
if ctypes.util.find_library("fftw3"):  # libfftw3-double3, the same.
    config.available_features.add("fftw")
for program in ("glslangValidator", "spirv-val"):
    if shutil.which(program):
        config.available_features.add(program)
