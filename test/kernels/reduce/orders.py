"""Sums in orders that the text of a program asks for (gpuvm.order).

    orders.py FOLDER

A sequential one against Python, which rounds each addition to f32; the others, and products of matrices, against
the interpreter. Exits 1 if a bit differs.
"""

import pathlib
import random
import struct
import subprocess
import sys


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def program(rows, count, order, columns):
    """Sums of `count` numbers each: of rows, or of columns."""
    shape = f"{count}x{rows}" if columns else f"{rows}x{count}"
    maps = "affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (" + ("d1" if columns else "d0") + ")>"
    kinds = '"reduction", "parallel"' if columns else '"parallel", "reduction"'
    return shape, f"""
gpuvm.program @sums(%x: tensor<{shape}xf32>) -> (y: tensor<{rows}xf32>) {{
  %y = gpuvm.stage @add(%v = %x : tensor<{shape}xf32>) -> tensor<{rows}xf32> {{
    %zero = arith.constant dense<0.0> : tensor<{rows}xf32>
    %s = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
        ins(%v : tensor<{shape}xf32>) outs(%zero : tensor<{rows}xf32>) attrs = {{gpuvm.order = #gpuvm.order<{order}>}} {{
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    }} -> tensor<{rows}xf32>
    gpuvm.send %s : tensor<{rows}xf32>
  }}
  gpuvm.return %y : !gpuvm.message<tensor<{rows}xf32>>
}}
"""


def in_instances(rows, count, order):
    """The same, of a stage with an instance for each row."""
    return f"{rows}x{count}", f"""
gpuvm.program @sums(%x: tensor<{rows}x{count}xf32>) -> (y: tensor<{rows}xf32>) {{
  %y = gpuvm.stage @add instances({rows}) (%v = %x : tensor<{rows}x{count}xf32>) -> tensor<{rows}xf32> {{
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}}
        ins(%v : tensor<{count}xf32>) outs(%zero : tensor<f32>) attrs = {{gpuvm.order = #gpuvm.order<{order}>}} {{
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %b, %a : f32
      linalg.yield %c : f32
    }} -> tensor<f32>
    gpuvm.send %s : tensor<f32>
  }}
  gpuvm.return %y : !gpuvm.message<tensor<{rows}xf32>>
}}
"""


def main(folder):
    generator = random.Random(1)
    cases = [(1, 5000, "kind = sequential, parts = 1, rows = 1, elements = 1", False),
             (3, 100, "kind = sequential, parts = 1, rows = 1, elements = 1", False),
             (64, 700, "kind = sequential, parts = 1, rows = 1, elements = 1", True),
             (5, 3000, "kind = sequential, parts = 1, rows = 1, elements = 1", None),
             (5, 3000, "kind = lanes, parts = 2, rows = 2, elements = 4", None)]
    for _ in range(12):
        rows = generator.choice([1, 1, 3, 40, 1500])
        count = generator.choice([20, 999, 4096, 30000 if rows < 100 else 512])
        elements = generator.choice([e for e in (1, 2, 4, 8, 16) if rows == 1 or count % e == 0])
        group = generator.choice([1, 2, 3, 16])
        most = min(256, -(-count // (256 * group * elements)))
        parts = generator.randint(1, most)
        cases.append((rows, count, f"kind = lanes, parts = {parts}, rows = {group}, elements = {elements}", False))
    for _ in range(5):
        rows, count = generator.choice([33, 200]), generator.choice([65, 1000])
        parts = generator.randint(1, min(256, -(-count // 8)))
        cases.append((rows, count, f"kind = columns, parts = {parts}, rows = 1, elements = 1", True))
    failed = 0
    for number, (rows, count, order, columns) in enumerate(cases):
        shape, text = in_instances(rows, count, order) if columns is None else program(rows, count, order, columns)
        source, plan, data = (folder / f"{number}.{end}" for end in ("mlir", "gvplan", "bin"))
        source.write_text(text)
        values = [f32(generator.gauss(0, 1) * 10 ** generator.randint(-3, 3)) for _ in range(rows * count)]
        data.write_bytes(struct.pack(f"<{len(values)}f", *values))
        subprocess.run(["gpuvm-compile", source, "-o", plan], check=True)
        made = {}
        for name, what in (("gpuvm-run", plan), ("gpuvm-interpret", source)):
            out = folder / f"{number}.{name}.bin"
            subprocess.run([name, what, f"--input=x={shape}xf32=@{data}", f"--output=y=@{out}"], check=True,
                           stdout=subprocess.DEVNULL)
            made[name] = out.read_bytes()[-4 * rows:]
        if "sequential" in order:
            sums = [0.0] * rows
            for i, value in enumerate(values):
                row = i % rows if columns else i // count
                sums[row] = f32(sums[row] + value)
            made["Python"] = struct.pack(f"<{rows}f", *sums)
        if len(set(made.values())) != 1:
            failed += 1
            print(f"{rows} sums of {count} numbers, {order}: {', '.join(made)} differ")
    print(f"{len(cases)} orders, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])) != 0)
