"""Prints a program of N stages, each of which needs all of the message before it: two commands a stage.

  chain.py N
"""

import sys

SQUARE = "tensor<64x64xf32>"
message, kind = "%x", SQUARE
print(f"gpuvm.program @chain(%x: {SQUARE}) -> (y: {SQUARE}) {{")
for i in range(int(sys.argv[1])):
    print(f"""  %m{i} = gpuvm.stage @step{i}(%a = {message} : {kind}) -> {SQUARE} {{
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %sums = linalg.reduce {{ arith.addf }} ins(%a : {SQUARE}) outs(%zero : tensor<64xf32>) dimensions = [{i % 2}]
    %empty = tensor.empty() : {SQUARE}
    %each = linalg.broadcast ins(%sums : tensor<64xf32>) outs(%empty : {SQUARE}) dimensions = [{i % 2}]
    %rest = arith.subf %a, %each : {SQUARE}
    gpuvm.send %rest : {SQUARE}
  }}""")
    message, kind = f"%m{i}", f"!gpuvm.message<{SQUARE}>"
print(f"  gpuvm.return {message} : {kind}\n}}")
