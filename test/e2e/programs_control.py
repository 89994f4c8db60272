"""Programs for the differential test whose bodies branch and loop."""

from program_text import Program, is_float


def constants(dtype, **numbers):
    """One scalar constant a line, by name."""
    text = lambda n: repr(float(n)) if is_float(dtype) else str(int(n))
    return "\n".join(f"%{name} = arith.constant {text(n)} : {dtype}" for name, n in numbers.items())


def mapped(s, inputs, types, body, results):
    """An elementwise operation whose body is text: inputs are %e0, %e1, ...; its results."""
    inits = [s.empty(inputs[0].shape, dtype) for dtype in types]
    return s.fold(inputs, inits, (), body, results)


def low_bits(s, x, mask):
    return s.binary("arith.andi", x, s.constant(x.shape, x.dtype, mask))


def collatz(s, x):
    """Steps to 1 of 1 to 65536."""
    t = x.dtype
    body = f"""{constants(t, one=1, two=2, three=3, zero=0)}
%start = arith.addi %e0, %one : {t}
%r:2 = scf.while (%n = %start, %steps = %zero) : ({t}, {t}) -> ({t}, {t}) {{
  %goes = arith.cmpi ne, %n, %one : {t}
  scf.condition(%goes) %n, %steps : {t}, {t}
}} do {{
^bb0(%n: {t}, %steps: {t}):
  %bit = arith.andi %n, %one : {t}
  %odd = arith.cmpi eq, %bit, %one : {t}
  %next = scf.if %odd -> ({t}) {{
    %p = arith.muli %n, %three : {t}
    %q = arith.addi %p, %one : {t}
    scf.yield %q : {t}
  }} else {{
    %h = arith.shrui %n, %one : {t}
    scf.yield %h : {t}
  }}
  %more = arith.addi %steps, %one : {t}
  scf.yield %next, %more : {t}, {t}
}}"""
    return mapped(s, [low_bits(s, x, 0xFFFF)], [t], body, ["%r#1"])[0]


def gcd(s, x, y):
    t = x.dtype
    body = f"""{constants(t, zero=0)}
%r:2 = scf.while (%a = %e0, %b = %e1) : ({t}, {t}) -> ({t}, {t}) {{
  %goes = arith.cmpi ne, %b, %zero : {t}
  scf.condition(%goes) %a, %b : {t}, {t}
}} do {{
^bb0(%a: {t}, %b: {t}):
  %c = arith.remui %a, %b : {t}
  scf.yield %b, %c : {t}, {t}
}}"""
    return mapped(s, [low_bits(s, x, 0xFFFFF), low_bits(s, y, 0xFFF)], [t], body, ["%r#0"])[0]


def power(s, x, n):
    """By squaring; the exponent is in [0, 31]."""
    t, times = x.dtype, "mulf" if is_float(x.dtype) else "muli"
    body = f"""{constants(t, unit=1)}
{constants("i32", one=1, zero=0)}
%r:3 = scf.while (%k = %e1, %p = %unit, %b = %e0) : (i32, {t}, {t}) -> (i32, {t}, {t}) {{
  %goes = arith.cmpi sgt, %k, %zero : i32
  scf.condition(%goes) %k, %p, %b : i32, {t}, {t}
}} do {{
^bb0(%k: i32, %p: {t}, %b: {t}):
  %bit = arith.andi %k, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %q = arith.{times} %p, %b : {t}
  %next = arith.select %odd, %q, %p : {t}
  %square = arith.{times} %b, %b : {t}
  %half = arith.shrui %k, %one : i32
  scf.yield %half, %next, %square : i32, {t}, {t}
}}"""
    return mapped(s, [x, low_bits(s, n, 31)], [t], body, ["%r#1"])[0]


def nested(s, x):
    """A while in a for in a for; the results of the inner loops are what the outer ones go on with."""
    t = x.dtype
    body = f"""{constants(t, zero=0, one=1, three=3)}
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c5 = arith.constant 5 : index
%i = linalg.index 0 : index
%m = arith.remui %i, %c5 : index
%r:2 = scf.for %j = %c0 to %m step %c1 iter_args(%a = %e0, %n = %zero) -> ({t}, {t}) {{
  %s:2 = scf.for %k = %j to %c5 step %c1 iter_args(%b = %a, %o = %n) -> ({t}, {t}) {{
    %kk = arith.index_cast %k : index to {t}
    %start = arith.addi %b, %kk : {t}
    %w:2 = scf.while (%v = %start, %p = %o) : ({t}, {t}) -> ({t}, {t}) {{
      %rest = arith.remui %v, %three : {t}
      %goes = arith.cmpi eq, %rest, %one : {t}
      scf.condition(%goes) %v, %p : {t}, {t}
    }} do {{
    ^bb0(%v: {t}, %p: {t}):
      %u = arith.shrui %v, %one : {t}
      %q = arith.addi %p, %one : {t}
      scf.yield %u, %q : {t}, {t}
    }}
    scf.yield %w#0, %w#1 : {t}, {t}
  }}
  scf.yield %s#1, %s#0 : {t}, {t}
}}
%sum = arith.xori %r#0, %r#1 : {t}"""
    return mapped(s, [low_bits(s, x, 0xFFFF)], [t], body, ["%sum"])[0]


def counted(s, x):
    """From -3 to a number that may be less, in i32; values that change places."""
    t, plus = x.dtype, "addf" if is_float(x.dtype) else "addi"
    body = f"""{constants("i32", low=-3, two=2, mask=15)}
%i = linalg.index 0 : index
%n = arith.index_cast %i : index to i32
%m = arith.andi %n, %mask : i32
%high = arith.subi %m, %mask : i32
%to = arith.addi %high, %mask : i32
%end = arith.subi %to, %two : i32
{constants(t, unit=1)}
%r:2 = scf.for %j = %low to %end step %two iter_args(%a = %e0, %b = %unit) -> ({t}, {t}) : i32 {{
  %c = arith.{plus} %a, %b : {t}
  scf.yield %b, %c : {t}, {t}
}}
%sum = arith.{plus} %r#0, %r#1 : {t}"""
    return mapped(s, [x], [t], body, ["%sum"])[0]


def branches(s, x):
    """An if with results of several types, one in the other."""
    t = x.dtype
    less, plus, times = ("cmpf olt", "addf", "mulf") if is_float(t) else ("cmpi slt", "addi", "muli")
    body = f"""{constants(t, zero=0, one=1)}
{constants("i32", none=0, some=7, many=9)}
%yes = arith.constant true
%no = arith.constant false
%negative = arith.{less}, %e0, %zero : {t}
%r:3 = scf.if %negative -> ({t}, i32, i1) {{
  %p = arith.{times} %e0, %e0 : {t}
  scf.yield %p, %some, %yes : {t}, i32, i1
}} else {{
  %small = arith.{less}, %e0, %one : {t}
  %q:2 = scf.if %small -> ({t}, i32) {{
    scf.yield %e0, %none : {t}, i32
  }} else {{
    %p = arith.{plus} %e0, %e0 : {t}
    scf.yield %p, %many : {t}, i32
  }}
  scf.yield %q#0, %q#1, %no : {t}, i32, i1
}}
%f = arith.extui %r#2 : i1 to i32
%g = arith.addi %r#1, %f : i32"""
    number, kind = mapped(s, [x], [t, "i32"], body, ["%r#0", "%g"])
    zero = s.constant(kind.shape, "i32", 7)
    isEven = s.compare("slt", kind, zero)
    return s.select(isEven, number, s.binary(f"arith.{plus}", number, number))


def guarded(s, x, y):
    """A quotient only where there is one."""
    body = """%zero = arith.constant 0 : i32
%there = arith.cmpi ne, %e1, %zero : i32
%r = scf.if %there -> (i32) {
  %q = arith.divui %e0, %e1 : i32
  scf.yield %q : i32
} else {
  scf.yield %e0 : i32
}"""
    return mapped(s, [x, low_bits(s, y, 3)], ["i32"], body, ["%r"])[0]


def testing(s, x):
    """A while whose condition takes a loop and a branch, with a flag that goes around."""
    body = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c3 = arith.constant 3 : index
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%limit = arith.constant 90 : i32
%flag = arith.constant false
%r:3 = scf.while (%a = %e0, %n = %zero, %f = %flag) : (i32, i32, i1) -> (i32, i32, i1) {
  %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %zero) -> (i32) {
    %k = arith.index_cast %j : index to i32
    %h = arith.shrui %a, %k : i32
    %c = arith.addi %b, %h : i32
    scf.yield %c : i32
  }
  %goes = scf.if %f -> (i1) {
    %big = arith.cmpi sgt, %s, %limit : i32
    scf.yield %big : i1
  } else {
    %any = arith.cmpi sgt, %s, %zero : i32
    scf.yield %any : i1
  }
  scf.condition(%goes) %s, %n, %goes : i32, i32, i1
} do {
^bb0(%a: i32, %n: i32, %f: i1):
  %three = arith.constant 3 : i32
  %h = arith.shrui %a, %three : i32
  %m = arith.addi %n, %one : i32
  %bit = arith.trunci %m : i32 to i1
  scf.yield %h, %m, %bit : i32, i32, i1
}
%last = arith.extui %r#2 : i1 to i32
%u = arith.addi %r#0, %r#1 : i32
%v = arith.addi %u, %last : i32"""
    return mapped(s, [low_bits(s, x, 0xFFFF)], ["i32"], body, ["%v"])[0]


def element(dtype):
    """%y: the square of %e0, or of a negative one its opposite."""
    less, minus, times = ("cmpf olt", "subf", "mulf") if is_float(dtype) else ("cmpi slt", "subi", "muli")
    return f"""{constants(dtype, zero=0)}
%negative = arith.{less}, %e0, %zero : {dtype}
%y = scf.if %negative -> ({dtype}) {{
  %m = arith.{minus} %zero, %e0 : {dtype}
  scf.yield %m : {dtype}
}} else {{
  %p = arith.{times} %e0, %e0 : {dtype}
  scf.yield %p : {dtype}
}}"""


def halvings(dtype):
    """%y: how often %e0 can be halved."""
    return f"""{constants(dtype, zero=0, one=1)}
%w:2 = scf.while (%v = %e0, %n = %zero) : ({dtype}, {dtype}) -> ({dtype}, {dtype}) {{
  %goes = arith.cmpi ugt, %v, %one : {dtype}
  scf.condition(%goes) %v, %n : {dtype}, {dtype}
}} do {{
^bb0(%v: {dtype}, %n: {dtype}):
  %h = arith.shrui %v, %one : {dtype}
  %m = arith.addi %n, %one : {dtype}
  scf.yield %h, %m : {dtype}, {dtype}
}}
%y = arith.xori %w#1, %zero : {dtype}"""


def summed(s, x, axes, body):
    plus = "addf" if is_float(x.dtype) else "addi"
    kept = [n for i, n in enumerate(x.shape) if i not in axes]
    init = s.constant(kept, x.dtype, 1)
    return s.fold([x], [init], axes, f"{body(x.dtype)}\n%r = arith.{plus} %y, %a0 : {x.dtype}", ["%r"])[0]


def stateful(s, x, axes):
    """What an accumulator becomes depends on a branch: no order but that of the text."""
    t, plus = x.dtype, "addf" if is_float(x.dtype) else "addi"
    less = "cmpf olt" if is_float(t) else "cmpi slt"
    kept = [n for i, n in enumerate(x.shape) if i not in axes]
    body = f"""{constants(t, zero=0)}
%negative = arith.{less}, %e0, %zero : {t}
%r = scf.if %negative -> ({t}) {{
  scf.yield %e0 : {t}
}} else {{
  %p = arith.{plus} %a0, %e0 : {t}
  scf.yield %p : {t}
}}"""
    return s.fold([x], [s.constant(kept, t, 0)], axes, body, ["%r"])[0]


def gcd_sums(s, x, y):
    """Like a matrix product, of a size that would be tiled: sums of greatest common divisors."""
    rows, columns = x.shape[0], y.shape[1]
    init = s.constant((rows, columns), "i32", 0)
    maps = [f"affine_map<(i, j, k) -> ({dims})>" for dims in ("i, k", "k, j", "i, j")]
    return s.add((rows, columns), "i32", f"""linalg.generic {{indexing_maps = [{', '.join(maps)}],
    iterator_types = ["parallel", "parallel", "reduction"]}}
    ins(%{x.name}, %{y.name} : {x.type}, {y.type}) outs(%{init.name} : {init.type}) {{
^bb0(%p: i32, %q: i32, %sum: i32):
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%a = %p, %b = %q) : (i32, i32) -> (i32, i32) {{
    %goes = arith.cmpi ne, %b, %zero : i32
    scf.condition(%goes) %a, %b : i32, i32
  }} do {{
  ^bb0(%a: i32, %b: i32):
    %c = arith.remui %a, %b : i32
    scf.yield %b, %c : i32, i32
  }}
  %next = arith.addi %sum, %r#0 : i32
  linalg.yield %next : i32
}} -> {init.type}""")


def maps():
    for dtype in ("i32", "i64"):
        for make in (collatz, nested):
            yield f"{make.__name__}_{dtype}", [dtype], make
        yield f"gcd_{dtype}", [dtype, dtype], gcd
    for dtype in ("f32", "i32", "i64", "f16", "bf16", "f64", "i8"):
        yield f"branches_{dtype}", [dtype], branches
        yield f"counted_{dtype}", [dtype], counted
    for dtype in ("f32", "i32", "i64"):
        yield f"power_{dtype}", [dtype, "i32"], power
    yield "guarded", ["i32", "i32"], guarded
    yield "testing", ["i32"], testing


def map_program(name, types, make, shape):
    p = Program("control_" + name + "_" + "x".join(map(str, shape)))
    inputs = [p.input(shape, dtype) for dtype in types]
    made = p.stage(make, *inputs)
    plus = "addf" if is_float(made.dtype) else "addi"
    doubled = p.stage(lambda s, x: s.binary(f"arith.{plus}", x, x), made)
    p.outputs = [made, doubled]
    return p


def reduction_program(dtype, shape, axes, body):
    p = Program(f"control_sum_{body.__name__}_{dtype}_{'x'.join(map(str, shape))}_{''.join(map(str, axes))}")
    x = p.input(shape, dtype)
    p.outputs = [p.stage(lambda s, x: summed(s, x, axes, body), x)]
    return p


def control(_):
    for name, types, make in maps():
        yield map_program(name, types, make, (1000,))
    for name, types, make in list(maps())[:6]:
        yield map_program(name, types, make, (3, 7, 32))
    for dtype in ("f32", "i32", "i64"):
        for shape, axes in (((5000,), (0,)), ((7, 900), (1,)), ((900, 64), (0,)), ((100, 12), (1,)), ((64, 8, 64), (1,))):
            yield reduction_program(dtype, shape, axes, element)
            if dtype != "f32":
                yield reduction_program(dtype, shape, axes, halvings)
        p = Program(f"control_state_{dtype}")
        x = p.input((40, 50), dtype)
        p.outputs = [p.stage(lambda s, x: stateful(s, x, (1,)), x), p.stage(lambda s, x: stateful(s, x, (0, 1)), x)]
        yield p
    # What loops is in front of a reduction and behind one.
    p = Program("control_rows")
    x = p.input((60, 300), "i32")
    steps = p.stage(collatz, x)
    sums = p.stage(lambda s, v: s.reduce("arith.addi", v, [1], 0), steps)
    p.outputs = [steps, sums, p.stage(collatz, sums),
                 p.stage(lambda s, v, w: s.binary("arith.subi", v, s.broadcast(w, v.shape, [1])), steps, sums)]
    yield p
    p = Program("control_product")
    x, y = p.input((40, 50), "i32"), p.input((50, 36), "i32")
    p.outputs = [p.stage(gcd_sums, x, y)]
    yield p
    # Instances, one of which has its own numbers of everything.
    p = Program("control_instances")
    x, y = p.input((6, 100), "i32"), p.input((100,), "i32")
    p.outputs = [p.stage(gcd, x, y, instances=6, shared=(y,)), p.stage(nested, x, instances=6)]
    yield p
    p = Program("control_exact")
    p.exact = True
    x, n = p.input((500,), "f32"), p.input((500,), "i32")
    n.fill = "random"
    p.outputs = [p.stage(power, x, n), p.stage(branches, x), p.stage(counted, x),
                 p.stage(lambda s, x: summed(s, x, (0,), element), x)]
    yield p
