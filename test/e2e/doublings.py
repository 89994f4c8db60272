"""Writes a program of 30 stages that double what they get (conformance case 17), one behind the other or as a loop."""

import sys

DOUBLE = """%r = arith.addf %v, %v : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>"""

if sys.argv[1] == "chain":
    stages, last = [], "%x"
    for i in range(30):
        kind = "tensor<8xf32>" if i == 0 else "!gpuvm.message<tensor<8xf32>>"
        stages.append(f"  %m{i} = gpuvm.stage @double{i}(%v = {last} : {kind}) -> tensor<8xf32> {{\n    {DOUBLE}\n  }}")
        last = f"%m{i}"
    body = "\n".join(stages)
    kind = "!gpuvm.message<tensor<8xf32>>"
else:
    body = f"""  %end = gpuvm.repeat @depth up_to 30 (%a = %x : tensor<8xf32>) {{
    %m = gpuvm.stage @double(%v = %a : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {{
    {DOUBLE}
    }}
    gpuvm.next %m : !gpuvm.message<tensor<8xf32>>
  }}"""
    last, kind = "%end", "!gpuvm.message<tensor<8xf32>>"
print(f"gpuvm.program @doublings(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {{\n{body}\n  gpuvm.return {last} : {kind}\n}}")
