"""The language of stages: functions on arrays become MLIR of the dialect gpuvm.

A call of a program runs its Python function once with arrays that are not there yet (array.py); each operation on them
is an operation of MLIR in a block (ir.py), at the place of the user's line (frames.py).
"""
