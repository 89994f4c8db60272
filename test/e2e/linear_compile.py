"""Programs of n steps compile in a time, and to a plan, linear in n.

    linear_compile.py FOLDER

Steps in one stage use the step before twice, and would be 2^n copies of the first without a place for what is read often: sums of
neighbours by slices and by tables, pointer jumping, the key expansion of AES in scalars, additions of a scalar to itself. Other steps
are stages. The device agrees with the interpreter to the bit, and the key expansion with FIPS 197.
"""

import os
import resource
import struct
import subprocess
import sys

MOST_SECONDS = 2.0
SPARE_SECONDS = 0.25  # What starting a process may vary by.
SPARE_BYTES = 8192  # Of a plan: two kernels more or less.
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")  # FIPS 197, A.1
LAST_WORDS = "d014f9a8c9ee2589e13f0cc8b6630ca6"
COUNT = 1000


def program(inputs, result, lines, last):
    given = ", ".join(f"%{name} : {kind}" for name, kind in inputs.items())
    taken = ", ".join(f"%{name} = %{name} : {kind}" for name, kind in inputs.items())
    body = "\n    ".join(lines)
    return f"""gpuvm.program @steps({given.replace(' :', ':')}) -> (y: {result}) {{
  %r = gpuvm.stage @s({taken}) -> {result} {{
    {body}
    gpuvm.send {last} : {result}
  }}
  gpuvm.return %r : !gpuvm.message<{result}>
}}
"""


def additions(n):
    lines = ["%i = arith.constant 0 : index", "%v0 = tensor.extract %x[%i] : tensor<1xi32>"]
    lines += [f"%v{k} = arith.addi %v{k - 1}, %v{k - 1} : i32" for k in range(1, n + 1)]
    lines.append(f"%all = tensor.from_elements %v{n} : tensor<1xi32>")
    return program({"x": "tensor<1xi32>"}, "tensor<1xi32>", lines, "%all"), {"x": struct.pack("<i", 3)}


def slices(n):
    lines = []
    for k in range(1, n + 1):
        old, new = COUNT - k + 1, COUNT - k
        for side, at in (("a", 0), ("b", 1)):
            lines.append(f"%{side}{k} = tensor.extract_slice %{f'v{k - 1}' if k > 1 else 'x'}[{at}] [{new}] [1] : "
                         f"tensor<{old}xf32> to tensor<{new}xf32>")
        lines.append(f"%v{k} = arith.addf %a{k}, %b{k} : tensor<{new}xf32>")
    return program({"x": f"tensor<{COUNT}xf32>"}, f"tensor<{COUNT - n}xf32>", lines, f"%v{n}"), {"x": floats()}


def tables(n):
    kind = f"tensor<{COUNT}xf32>"
    lines = ["%i1 = arith.constant 1 : index", f"%last = arith.constant {COUNT - 1} : index", f"%e = tensor.empty() : {kind}"]
    for k in range(1, n + 1):
        before = f"%v{k - 1}" if k > 1 else "%x"
        lines.append(f"""%v{k} = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}} outs(%e : {kind}) {{
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = arith.addi %i, %i1 : index
      %k = arith.minsi %j, %last : index
      %a = tensor.extract {before}[%i] : {kind}
      %b = tensor.extract {before}[%k] : {kind}
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    }} -> {kind}""")
    return program({"x": kind}, kind, lines, f"%v{n}"), {"x": floats()}


def jumps(n):
    kind = f"tensor<{COUNT}xi32>"
    lines = [f"%p{k} = gpuvm.gather {at}[{at}] : {kind}, {kind} -> {kind}"
             for k, at in ((k, f"%p{k - 1}" if k > 1 else "%x") for k in range(1, n + 1))]
    parents = [max(0, i - 1 - i % 3) for i in range(COUNT)]
    return program({"x": kind}, kind, lines, f"%p{n}"), {"x": struct.pack(f"<{COUNT}i", *parents)}


def stages(n):
    """A stage for each step: many are refused to share a kernel, for each pair of neighbours."""
    kind, lines, given = f"tensor<{COUNT}xf32>", [], f"%x : tensor<{COUNT}xf32>"
    for k in range(1, n + 1):
        lines.append(f"""  %s{k} = gpuvm.stage @s{k}(%a = {given}) -> {kind} {{
    %c = arith.constant dense<{0.5 + k / 4096}> : {kind}
    %p = arith.mulf %a, %c : {kind}
    %q = arith.addf %p, %c : {kind}
    gpuvm.send %q : {kind}
  }}""")
        given = f"%s{k} : !gpuvm.message<{kind}>"
    body = "\n".join(lines)
    return f"gpuvm.program @steps(%x: {kind}) -> (y: {kind}) {{\n{body}\n  gpuvm.return {given}\n}}\n", {"x": floats()}


def floats():
    return struct.pack(f"<{COUNT}f", *((i * 37 % 101) / 8 for i in range(COUNT)))


def sbox():
    """FIPS 197, 5.1.1: inverses in GF(2^8), and an affine map of bits."""
    table, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= (p << 1) & 0xff ^ (0x1b if p & 0x80 else 0)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xff
        q ^= 0x09 if q & 0x80 else 0
        rotated = [((q << s) | (q >> (8 - s))) & 0xff for s in range(5)]
        table[p] = rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63
        if p == 1:
            return table


def keys(n):
    lines = [f"%c{c} = arith.constant {c} : i32" for c in (8, 16, 24, 255)]
    for i in range(4):
        lines += [f"%at{i} = arith.constant {i} : index", f"%w{i} = tensor.extract %key[%at{i}] : tensor<4xi32>"]
    round_constant = 1
    for i in range(4, n):
        last = f"%w{i - 1}"
        if i % 4 == 0:
            lines.append(f"%r{i} = arith.constant {round_constant << 24} : i32")
            round_constant = round_constant << 1 ^ (0x11b if round_constant & 0x80 else 0)
            last = f"%r{i}"
            for byte in range(4):  # Of the word that is rotated by a byte.
                name, source, target = f"{i}_{byte}", (byte * 8 + 24) % 32, byte * 8
                shifted = f"%s{name}" if source else f"%w{i - 1}"
                if source:
                    lines.append(f"%s{name} = arith.shrui %w{i - 1}, %c{source} : i32")
                lines += [f"%m{name} = arith.andi {shifted}, %c255 : i32", f"%x{name} = arith.index_cast %m{name} : i32 to index",
                          f"%b{name} = tensor.extract %sbox[%x{name}] : tensor<256xi32>"]
                placed = f"%b{name}"
                if byte:
                    lines.append(f"%l{name} = arith.shli %b{name}, %c{target} : i32")
                    placed = f"%l{name}"
                lines.append(f"%t{name} = arith.xori {last}, {placed} : i32")
                last = f"%t{name}"
        lines.append(f"%w{i} = arith.xori %w{i - 4}, {last} : i32")
    words = ", ".join(f"%w{i}" for i in range(n))
    lines.append(f"%all = tensor.from_elements {words} : tensor<{n}xi32>")
    data = {"key": struct.pack("<4I", *struct.unpack(">4I", KEY)), "sbox": struct.pack("<256i", *sbox())}
    return program({"key": "tensor<4xi32>", "sbox": "tensor<256xi32>"}, f"tensor<{n}xi32>", lines, "%all"), data


def write_npy(path, data, kind):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(data) // 4},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_steps(path, text):
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    before = cpu_seconds()
    subprocess.run(["gpuvm-compile", path + ".mlir", "-o", path + ".gvplan"], check=True)
    return cpu_seconds() - before, os.path.getsize(path + ".gvplan")


def check(folder, build, n):
    path = os.path.join(folder, build.__name__)
    half_seconds, half_bytes = compile_steps(path, build(n // 2)[0])
    text, data = build(n)
    seconds, size = compile_steps(path, text)
    print(f"{build.__name__}: {n // 2} steps {half_seconds:.2f} s, {half_bytes} bytes; {n} steps {seconds:.2f} s, {size} bytes")
    assert seconds < MOST_SECONDS and seconds <= 2 * half_seconds + SPARE_SECONDS, "slower than linear"
    assert size <= 2 * half_bytes + SPARE_BYTES, "larger than linear"
    inputs = []
    for name, values in data.items():
        write_npy(f"{path}.{name}.npy", values, "<f4" if "f32" in text else "<i4")
        inputs.append(f"--input={name}=@{path}.{name}.npy")
    subprocess.run(["gpuvm-interpret", path + ".mlir", *inputs, f"--output=y=@{path}.y.npy"], check=True)
    subprocess.run(["gpuvm-run", path + ".gvplan", "--validate", *inputs, f"--expected_output=y=@{path}.y.npy",
                    "--expected_f32_threshold=0"], check=True)
    with open(path + ".y.npy", "rb") as file:
        return file.read()


def main():
    folder = sys.argv[1]
    for build, steps in ((additions, 64), (slices, 32), (tables, 46), (jumps, 34), (stages, 500)):
        check(folder, build, steps)
    words = struct.unpack("<4I", check(folder, keys, 44)[-16:])
    assert "".join(f"{word:08x}" for word in words) == LAST_WORDS, words


main()
