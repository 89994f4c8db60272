#!/usr/bin/env python3
"""Writes a chain of stages that double a signal each, with a regulator between them or without.

    chain.py [--stages N] [--free] > chain.mlir

A regulator stage reads the largest magnitude of the message behind a stage (its metadata). Outside of 5 to 20
it asks for 10: it writes the factor, and whether the chain is stable, to Control, and the next stage applies
the factor before it doubles. So the loop closes on the device, within one submit; the host may read or write
these words. Metrics keep the least and the largest magnitude that a stage was given.
"""

import argparse

SIGNAL, MESSAGE = "tensor<256xf32>", "!gpuvm.message<tensor<256xf32>>"
TARGET, LOW, HIGH, LEAST = 10.0, 5.0, 20.0, 1e-4


def gain(i, source, kind, regulated):
    held = """
    %word = gpuvm.load @scale : tensor<i32>
    %scale = arith.bitcast %word : tensor<i32> to tensor<f32>
    %e = tensor.empty() : tensor<256xf32>
    %scales = linalg.broadcast ins(%scale : tensor<f32>) outs(%e : tensor<256xf32>) dimensions = [0]
    %held = arith.mulf %v, %scales : tensor<256xf32>""" if regulated else ""
    return f"""  %y{i} = gpuvm.stage @gain{i}(%v = {source} : {kind}) -> {SIGNAL} {{{held}
    %two = arith.constant dense<2.0> : {SIGNAL}
    %r = arith.mulf {"%held" if regulated else "%v"}, %two : {SIGNAL}
    gpuvm.send %r : {SIGNAL}
  }}"""


def regulate(i):
    return f"""  gpuvm.stage @regulate{i}(%v = %y{i} : {MESSAGE}) {{
    %least = arith.constant dense<{LEAST}> : tensor<f32>
    %target = arith.constant dense<{TARGET}> : tensor<f32>
    %low = arith.constant dense<{LOW}> : tensor<f32>
    %high = arith.constant dense<{HIGH}> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %yes = arith.constant dense<1> : tensor<i32>
    %no = arith.constant dense<0> : tensor<i32>
    %m = gpuvm.metadata max_abs of %v : {SIGNAL} -> tensor<f32>
    %some = arith.maximumf %m, %least : tensor<f32>
    %ideal = arith.divf %target, %some : tensor<f32>
    %above = arith.cmpf ogt, %m, %high : tensor<f32>
    %below = arith.cmpf olt, %m, %low : tensor<f32>
    %out = arith.ori %above, %below : tensor<i1>
    %scale = arith.select %out, %ideal, %one : tensor<i1>, tensor<f32>
    %stable = arith.select %out, %no, %yes : tensor<i1>, tensor<i32>
    %word = arith.bitcast %scale : tensor<f32> to tensor<i32>
    gpuvm.store %word, @scale : tensor<i32>
    gpuvm.store %stable, @stable : tensor<i32>
    %given = arith.mulf %m, %scale : tensor<f32>
    %l = gpuvm.load @least : tensor<f32>
    %nl = arith.minimumf %l, %given : tensor<f32>
    gpuvm.store %nl, @least : tensor<f32>
    %g = gpuvm.load @largest : tensor<f32>
    %ng = arith.maximumf %g, %given : tensor<f32>
    gpuvm.store %ng, @largest : tensor<f32>
  }}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stages", type=int, default=200)
    parser.add_argument("--free", action="store_true", help="without regulators")
    options = parser.parse_args()
    print(f"gpuvm.program @chain(%x: {SIGNAL}) -> (y: {SIGNAL}, least: tensor<f32>, largest: tensor<f32>, stable: tensor<i32>) {{")
    print("  gpuvm.control @scale : tensor<i32> = dense<0x3f800000> : tensor<i32>")
    print("  gpuvm.control @stable : tensor<i32> = dense<1> : tensor<i32>")
    print("  gpuvm.metric @least : tensor<f32> = dense<0x7f800000> : tensor<f32>")
    print("  gpuvm.metric @largest : tensor<f32>")
    source, kind = "%x", SIGNAL
    for i in range(options.stages):
        print(gain(i, source, kind, not options.free))
        if not options.free:
            print(regulate(i))
        source, kind = f"%y{i}", MESSAGE
    print(f"""  %least, %largest, %stable = gpuvm.stage @report() -> (tensor<f32>, tensor<f32>, tensor<i32>) {{
    %l = gpuvm.load @least : tensor<f32>
    %g = gpuvm.load @largest : tensor<f32>
    %s = gpuvm.load @stable : tensor<i32>
    gpuvm.send %l, %g, %s : tensor<f32>, tensor<f32>, tensor<i32>
  }}
  gpuvm.return {source}, %least, %largest, %stable : {MESSAGE}, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<i32>>
}}""")


main()
