"""SciPy, FFTW and DuckDB, from Python's package index: peers on the threads that lavapipe has.

What is here gives a function that computes a case's output; planning and loading come before.
"""

import subprocess
import sys

import numpy as np

from gpuvm import ROOT, Missing

THREADS = 2  # of lavapipe, too: session.py


def install(cache):
    """Makes the libraries importable, installed once."""
    folder, wanted = cache / "host", ROOT / "bench" / "requirements-host.txt"
    stamp = folder / wanted.name
    if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
        print("installing SciPy, FFTW and DuckDB ...", file=sys.stderr, flush=True)
        # They take the NumPy that is here.
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
                               "--no-deps", "--target", str(folder), "--require-hashes", "-r", str(wanted)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Missing(f"SciPy, FFTW and DuckDB cannot be installed here ({reason})")
        stamp.write_bytes(wanted.read_bytes())
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


#===--- Transforms ---===#

def complex_words(numbers):
    """Complex numbers as two f32 after one another, in place."""
    return numbers.view(np.float32).reshape(*numbers.shape, 2)


def scipy_transform(name, x, **options):
    from scipy import fft
    return lambda: complex_words(getattr(fft, name)(x, workers=THREADS, **options))


def scipy_convolution(x, spectrum):
    from scipy import fft
    return lambda: complex_words(fft.ifft(fft.fft(x, workers=THREADS) * spectrum, workers=THREADS))


def fftw(x, axes, inverse=False, real=False):
    """Planned by measuring."""
    import pyfftw
    shape = (*x.shape[:-1], x.shape[-1] // 2 + 1) if real else x.shape
    source, result = pyfftw.empty_aligned(x.shape, x.dtype), pyfftw.empty_aligned(shape, np.complex64)
    plan = pyfftw.FFTW(source, result, axes=axes, direction="FFTW_BACKWARD" if inverse else "FFTW_FORWARD",
                       flags=["FFTW_MEASURE"], threads=THREADS)
    source[...] = x
    return lambda: complex_words(plan())


#===--- Tables and matrices ---===#

def scipy_csr(d):
    """With one thread: it has no more."""
    from scipy import sparse
    n = d["b"].shape[0]
    matrix = sparse.csr_array((d["v"], d["c"], d["o"]), shape=(n, n))
    return lambda: matrix @ d["b"]


def connect(tables):
    """A database of these tables: {name: {column: array}}."""
    import duckdb
    connection = duckdb.connect()
    connection.execute(f"SET threads = {THREADS}")
    for name, columns in tables.items():
        connection.register("given", columns)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        connection.unregister("given")
    return connection


def duckdb_groups(d, names, groups, numbered):
    """Sums by column k and counts, one after another; in the order of the keys unless those are numbers of groups."""
    connection = connect({"t": {name: d[name] for name in ("k", *names)}})
    sums = "".join(f", sum({name})::BIGINT AS {name}" for name in names)
    query = f"SELECT k{sums}, count(*) AS n FROM t GROUP BY k" + " ORDER BY k" * (not numbered)

    def call():
        columns = connection.execute(query).fetchnumpy()
        found = columns["k"] if numbered else np.arange(len(columns["k"]))
        result = np.zeros((len(names) + 1, groups), np.int64)
        for row, name in enumerate((*names, "n")):
            result[row, found] = columns[name]
        return result.ravel()

    return call


def duckdb_join(d):
    connection = connect({"probe": {"k": d["k"]}, "build": {"b": d["b"], "v": d["v"]}})
    query = "SELECT count(*), coalesce(sum(v), 0)::BIGINT FROM probe JOIN build ON k = b"
    return lambda: np.array(connection.execute(query).fetchone(), np.int64)
