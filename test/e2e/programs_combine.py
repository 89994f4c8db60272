"""Programs for the differential test: reductions of several accumulators that depend on each other."""

import math

from program_text import Program, is_float

SHAPES = [((1, 5200), [1]), ((3, 70001), [1]), ((37, 300), [1]), ((9000, 40), [1]), ((5, 16), [1]), ((7, 17), [1]),
          ((600, 11), [0]), ((3, 50, 70), [0, 2]), ((2500, 2, 3), [0])]
FORMS = [("f32", "ogt", None), ("f32", "ogt", "maximumf"), ("f32", "oge", None), ("f32", "olt", "minimumf"),
         ("f64", "ole", None), ("f16", "ogt", "maxnumf"), ("i32", "sgt", "maxsi"), ("i8", "ult", None),
         ("i64", "sle", None), ("i16", "uge", "maxui")]


def least(predicate, dtype):
    """What no element beats: the initial key."""
    greatest = predicate[-2:] in ("lt", "le")
    if is_float(dtype):
        return 1e4 if greatest else -1e4
    signed = 2 ** (int(dtype[1:]) - 1)
    if predicate[0] == "u":
        return -1 if greatest else 0
    return signed - 1 if greatest else -signed


def element_number(shape, axes):
    """The number of an element among those of its result, as text that ends in %n : i32."""
    lines, number = [], None
    for axis in axes:
        lines += [f"%l{axis} = linalg.index {axis} : index", f"%y{axis} = arith.index_cast %l{axis} : index to i32"]
        if number:
            lines += [f"%c{axis} = arith.constant {shape[axis]} : i32", f"%t{axis} = arith.muli {number}, %c{axis} : i32",
                      f"%u{axis} = arith.addi %t{axis}, %y{axis} : i32"]
        number = f"%u{axis}" if number else f"%y{axis}"
    return "\n".join(lines + [f"%zero = arith.constant 0 : i32", f"%n = arith.addi {number}, %zero : i32"])


def arg_reduce(s, x, axes, predicate, extremum):
    """The best element, by comparison or as an extremum, and its number."""
    shape = [n for i, n in enumerate(x.shape) if i not in axes]
    inits = [s.constant(shape, x.dtype, least(predicate, x.dtype)), s.constant(shape, "i32", -7)]
    compare = "cmpf" if is_float(x.dtype) else "cmpi"
    key = f"arith.{extremum} %e0, %a0 : {x.dtype}" if extremum else f"arith.select %c, %e0, %a0 : {x.dtype}"
    body = (element_number(x.shape, axes) + f"\n%c = arith.{compare} {predicate}, %e0, %a0 : {x.dtype}\n%k = {key}\n"
            "%i = arith.select %c, %n, %a1 : i32")
    return s.fold([x], inits, axes, body, ["%k", "%i"])


def arg_program(name, shape, axes, dtype, predicate, extremum):
    p = Program(name)
    p.few = True
    x = p.input(shape, dtype)
    p.outputs = [p.stage(lambda s, x, i=i: arg_reduce(s, x, axes, predicate, extremum)[i], x) for i in (0, 1)]
    return p


def mixed_program(name, shape, axes):
    """A sum, an arg-max and a largest value in one pass, and what follows from all of them."""
    p = Program(name)
    x = p.input(shape, "f32")
    kept = [n for i, n in enumerate(shape) if i not in axes]

    def build(s, x):
        inits = [s.constant(kept, "f32", 0.5), s.constant(kept, "f32", -3.0), s.constant(kept, "i32", -1),
                 s.constant(kept, "f32", 0.0)]
        body = (element_number(shape, axes) + "\n%sq = arith.mulf %e0, %e0 : f32\n%sum = arith.addf %sq, %a0 : f32\n"
                "%c = arith.cmpf ule, %e0, %a1 : f32\n%k = arith.select %c, %a1, %e0 : f32\n"
                "%i = arith.select %c, %a2, %n : i32\n%m = arith.maximumf %a3, %sq : f32")
        total, key, index, most = s.fold([x], inits, axes, body, ["%sum", "%k", "%i", "%m"])
        number = s.cast("arith.sitofp", index, "f32")
        return s.binary("arith.addf", s.binary("arith.mulf", total, number), s.binary("arith.subf", key, most))

    p.outputs = [p.stage(build, x)]
    return p


def claim_program(name, shape, axes):
    """Bodies that only the user knows to be associative: a product of complex numbers in f32, the element of least
    magnitude, and an arg-min whose ties its body decides itself."""
    p = Program(name)
    x, y, z = p.input(shape, "f32"), p.input(shape, "f32"), p.input(shape, "i32")
    kept = [n for i, n in enumerate(shape) if i not in axes]

    def product(s, x, y):
        inits = [s.constant(kept, "f32", 1.0), s.constant(kept, "f32", 0.0)]
        body = ("%p = arith.mulf %a0, %e0 : f32\n%q = arith.mulf %a1, %e1 : f32\n%re = arith.subf %p, %q : f32\n"
                "%u = arith.mulf %a0, %e1 : f32\n%t = arith.mulf %a1, %e0 : f32\n%im = arith.addf %u, %t : f32")
        re, im = s.fold([x, y], inits, axes, body, ["%re", "%im"], "gpuvm.associative")
        return s.binary("arith.addf", re, im)

    def magnitude(s, x):
        body = ("%h = math.absf %e0 : f32\n%y = math.absf %a0 : f32\n%c = arith.cmpf olt, %h, %y : f32\n"
                "%r = arith.select %c, %e0, %a0 : f32")
        return s.fold([x], [s.constant(kept, "f32", 9.0)], axes, body, ["%r"], "gpuvm.associative")[0]

    def first_least(s, z):
        inits = [s.constant(kept, "i32", 5), s.constant(kept, "i32", 2 ** 31 - 1)]
        body = (element_number(shape, axes) + "\n%less = arith.cmpi slt, %e0, %a0 : i32\n"
                "%q = arith.cmpi eq, %e0, %a0 : i32\n%b = arith.cmpi slt, %n, %a1 : i32\n"
                "%t = arith.andi %q, %b : i1\n%c = arith.ori %less, %t : i1\n"
                "%k = arith.select %c, %e0, %a0 : i32\n%i = arith.select %c, %n, %a1 : i32")
        key, index = s.fold([z], inits, axes, body, ["%k", "%i"], "gpuvm.associative")
        return s.binary("arith.xori", key, s.binary("arith.muli", index, s.constant(kept, "i32", 16)))

    p.outputs = [p.stage(product, x, y), p.stage(magnitude, x), p.stage(first_least, z)]
    return p


def combine(_):
    for number, (shape, axes) in enumerate(SHAPES):
        for dtype, predicate, extremum in [FORMS[(number + i) % len(FORMS)] for i in (0, 3)]:
            yield arg_program(f"arg_{number}_{dtype}_{predicate}_{extremum}", shape, axes, dtype, predicate, extremum)
        yield mixed_program(f"mixed_arg_{number}", shape, axes)
        if math.prod(shape) < 50000:
            yield claim_program(f"claim_{number}", shape, axes)
