"""The text of a chain of stencil stages, for the benchmark and its test.

A stage is y[i] = ((x[i-1] + x[i]) + x[i+1]) * 0.3333, with zeros beyond the ends.
"""

FACTOR = 0.3333

STAGE = """\
  %m{i} = gpuvm.stage @s{i}{instances}(%v = {source} : {kind}) -> {whole} {{
    %zero = arith.constant 0.0 : f32
    %k = arith.constant dense<{factor}> : {own}
    %p = tensor.pad %v low[1] high[1] {{
    ^bb0(%i: index):
      tensor.yield %zero : f32
    }} : {own} to {padded}
    %l = tensor.extract_slice %p[0] [{elements}] [1] : {padded} to {own}
    %r = tensor.extract_slice %p[2] [{elements}] [1] : {padded} to {own}
    %a = arith.addf %l, %v : {own}
    %b = arith.addf %a, %r : {own}
    %y = arith.mulf %b, %k : {own}
    gpuvm.send %y : {own}
  }}
"""


def program(stages, elements, instances=1):
    """The chain as a program; `instances` of it side by side."""
    own, padded = f"tensor<{elements}xf32>", f"tensor<{elements + 2}xf32>"
    whole = own if instances == 1 else f"tensor<{instances}x{elements}xf32>"
    text = f"gpuvm.program @chain(%x: {whole}) -> (y: {whole}) {{\n"
    for i in range(stages):
        text += STAGE.format(
            i=i, source=f"%m{i - 1}" if i else "%x", own=own, padded=padded, whole=whole,
            kind=f"!gpuvm.message<{whole}>" if i else whole, elements=elements, factor=FACTOR,
            instances="" if instances == 1 else f" instances({instances}) ")
    return text + f"  gpuvm.return %m{stages - 1} : !gpuvm.message<{whole}>\n}}\n"
