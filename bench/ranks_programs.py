"""Programs of several ranks for bench/ranks, as texts of MLIR.

Data is made on the device, by a program of its own where that would take a part of the time, so that files do not limit the sizes.
"""

import pathlib

from part_loops import DIRECTIONS, Scalars, collided

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples/ranks"


def aligned(size):
    return (size + 255) // 256 * 256


def exchange(ranks, size, kind, times):
    """`times` exchanges of `size` bytes for each other rank, and nothing else: a plan."""
    source = size * (ranks if kind == "all_to_all" else 1)
    target = size * (1 if kind == "shift_up" else ranks)
    begin = aligned(source)
    extra = " offset 1 rotate true" if kind == "shift_up" else ""
    return f"""
plan.module @exchange regions [{begin + aligned(target)}, 0, 0, 0, 0] instances 0 ranks {ranks} {{
  plan.program @exchange {{
    plan.symbol "source" : tensor<{source}xi8> at <registers, 0, {source}>
    plan.repeat {times} times {{
      plan.exchange [#plan.transfer<{kind}, <registers, 0, {source}> to <registers, {begin}, {target}>{extra}>] for []
      plan.await
    }}
  }}
}}
"""


HEAT_SUM = """\
        %s1 = arith.addf %a, %b : f32
        %s2 = arith.addf %c, %d : f32
        %s = arith.addf %s1, %s2 : f32
        %four = arith.constant 4.0 : f32
        %f = arith.mulf %here, %four : f32
        %flow = arith.subf %s, %f : f32
        %rate = arith.constant 0.125 : f32
        %change = arith.mulf %flow, %rate : f32
        %r = arith.addf %here, %change : f32
        linalg.yield %r : f32
"""

HEAT_STEP = """
    %m{i} = gpuvm.stage @step{i}(%old = {source} : {kind}) -> {after} {{
      %empty = tensor.empty() : {after}
      %new = linalg.generic {{indexing_maps = [affine_map<(y, x) -> (y, x)>], iterator_types = ["parallel", "parallel"]}}
          outs(%empty : {after}) {{
      ^bb0(%unused: f32):
        %y = linalg.index 0 : index
        %x = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %right = arith.constant {right} : index
        %y1 = arith.addi %y, %c1 : index
        %y2 = arith.addi %y, %c2 : index
        %x1 = arith.subi %x, %c1 : index
        %x2 = arith.addi %x, %c1 : index
        %isFirst = arith.cmpi eq, %x, %c0 : index
        %isLast = arith.cmpi eq, %x, %right : index
        %before = arith.select %isFirst, %right, %x1 : index
        %after = arith.select %isLast, %c0, %x2 : index
        %here = tensor.extract %old[%y1, %x] : {before}
        %a = tensor.extract %old[%y, %x] : {before}
        %b = tensor.extract %old[%y2, %x] : {before}
        %c = tensor.extract %old[%y1, %before] : {before}
        %d = tensor.extract %old[%y1, %after] : {before}
""" + HEAT_SUM + """      }} -> {after}
      gpuvm.send %new : {after}
    }}"""


def heat(ranks, size, deep, iterations):
    """examples/ranks/heat.mlir on noise. Between exchanges each iteration is a stage of its own, of two rows less than the one before."""
    rows = size // ranks
    block = f"tensor<{rows}x{size}xf32>"
    steps, source, kind = [], "%halo", f"tensor<{rows + 2 * deep}x{size}xf32>"
    for i in range(deep):
        before, after = (f"tensor<{rows + 2 * (deep - i - k)}x{size}xf32>" for k in (0, 1))
        steps.append(HEAT_STEP.format(i=i, source=source, kind=kind, before=before, after=after, right=size - 1))
        source, kind = f"%m{i}", f"!gpuvm.message<{after}>"
    return f"""
gpuvm.program @heat() -> (corner: tensor<1xf32>) ranks({ranks}) {{
  %start = gpuvm.stage @noise() -> {block} {{
    %seed = arith.constant dense<[7, 0]> : tensor<2xi32>
    %rank = gpuvm.rank : tensor<i32>
    %v = gpuvm.random uniform seed(%seed : tensor<2xi32>) stream(%rank : tensor<i32>) -> {block}
    gpuvm.send %v : {block}
  }}
  %end = gpuvm.repeat @round up_to {iterations // deep} (%u = %start : !gpuvm.message<{block}>) {{
    %halo = gpuvm.update_halo %u axis(0) halo({deep}, {deep}) rotate : !gpuvm.message<{block}> -> tensor<{rows + 2 * deep}x{size}xf32>
{"".join(steps)}
    gpuvm.next {source} : {kind}
  }}
  %corner = gpuvm.stage @corner(%v = %end : !gpuvm.message<{block}>) -> tensor<1xf32> {{
    %corner = tensor.extract_slice %v[0, 0] [1, 1] [1, 1] : {block} to tensor<1xf32>
    gpuvm.send %corner : tensor<1xf32>
  }}
  gpuvm.return %corner : !gpuvm.message<tensor<1xf32>>
}}
""", {}


def heat_meanwhile(ranks, size, iterations):
    """Heat whose first and last row are apart from the others, which are computed while these rows move: an exchange in each iteration."""
    rows = size // ranks
    row, many = f"tensor<1x{size}xf32>", f"tensor<{rows - 2}x{size}xf32>"

    def stage(name, kind, operands, reads):
        """`reads`: code of %here, and of %a above and %b below it; `side` is what is beside it."""
        code, side = reads
        return f"""
    %{name} = gpuvm.stage @{name}({operands}) -> {kind} {{
      %empty = tensor.empty() : {kind}
      %new = linalg.generic {{indexing_maps = [affine_map<(y, x) -> (y, x)>], iterator_types = ["parallel", "parallel"]}}
          outs(%empty : {kind}) {{
      ^bb0(%unused: f32):
        %y = linalg.index 0 : index
        %x = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %last = arith.constant {rows - 3} : index
        %right = arith.constant {size - 1} : index
        %isTop = arith.cmpi eq, %y, %c0 : index
        %isBottom = arith.cmpi eq, %y, %last : index
        %y1 = arith.subi %y, %c1 : index
        %y2 = arith.addi %y, %c1 : index
        %above = arith.maxsi %y1, %c0 : index
        %below = arith.minsi %y2, %last : index
        %x1 = arith.subi %x, %c1 : index
        %x2 = arith.addi %x, %c1 : index
        %isFirst = arith.cmpi eq, %x, %c0 : index
        %isLast = arith.cmpi eq, %x, %right : index
        %before = arith.select %isFirst, %right, %x1 : index
        %after = arith.select %isLast, %c0, %x2 : index
{code}
        %c = tensor.extract {side.format(x="%before")}
        %d = tensor.extract {side.format(x="%after")}
{HEAT_SUM}      }} -> {kind}
      gpuvm.send %new : {kind}
    }}"""
    inner = (f"""        %here = tensor.extract %m[%y, %x] : {many}
        %a1 = tensor.extract %m[%above, %x] : {many}
        %a2 = tensor.extract %t[%c0, %x] : {row}
        %a = arith.select %isTop, %a2, %a1 : f32
        %b1 = tensor.extract %m[%below, %x] : {many}
        %b2 = tensor.extract %u[%c0, %x] : {row}
        %b = arith.select %isBottom, %b2, %b1 : f32""", "%m[%y, {x}] : " + many)
    top = (f"""        %here = tensor.extract %t[%c0, %x] : {row}
        %a = tensor.extract %n[%c0, %x] : {row}
        %b = tensor.extract %m[%c0, %x] : {many}""", "%t[%c0, {x}] : " + row)
    bottom = (f"""        %here = tensor.extract %u[%c0, %x] : {row}
        %a = tensor.extract %m[%last, %x] : {many}
        %b = tensor.extract %n[%c0, %x] : {row}""", "%u[%c0, {x}] : " + row)
    one, all_rows = f"!gpuvm.message<{row}>", f"!gpuvm.message<{many}>"
    start = "".join(f"""
  %s{name} = gpuvm.stage @noise_{name}() -> {kind} {{
    %seed = arith.constant dense<[7, 0]> : tensor<2xi32>
    %rank = gpuvm.rank : tensor<i32>
    %v = gpuvm.random uniform seed(%seed : tensor<2xi32>) stream(%rank : tensor<i32>) -> {kind}
    gpuvm.send %v : {kind}
  }}""" for name, kind in (("t", row), ("m", many), ("u", row)))
    return f"""
gpuvm.program @heat() -> (corner: tensor<1xf32>) ranks({ranks}) {{{start}
  %e:3 = gpuvm.repeat @iteration up_to {iterations} (%pt = %st : {one}, %pm = %sm : {all_rows}, %pu = %su : {one}) {{
    %above = gpuvm.shift %pu offset(1) rotate : {one}
    %below = gpuvm.shift %pt offset(-1) rotate : {one}
{stage("inner", many, f"%t = %pt : {one}, %m = %pm : {all_rows}, %u = %pu : {one}", inner)}
{stage("top", row, f"%n = %above : {row}, %t = %pt : {one}, %m = %pm : {all_rows}", top)}
{stage("bottom", row, f"%m = %pm : {all_rows}, %u = %pu : {one}, %n = %below : {row}", bottom)}
    gpuvm.next %top, %inner, %bottom : {one}, {all_rows}, {one}
  }}
  %corner = gpuvm.stage @corner(%v = %e#0 : {one}) -> tensor<1xf32> {{
    %corner = tensor.extract_slice %v[0, 0] [1, 1] [1, 1] : {row} to tensor<1xf32>
    gpuvm.send %corner : tensor<1xf32>
  }}
  gpuvm.return %corner : !gpuvm.message<tensor<1xf32>>
}}
""", {}


def heat_alone(size, iterations):
    """The same by one rank without a halo: what one device does best."""
    grid = f"tensor<{size}x{size}xf32>"
    step = HEAT_STEP.format(i=0, source="%u", kind=f"!gpuvm.message<{grid}>", before=grid, after=grid, right=size - 1)
    step = step.replace("%y1 = arith.addi %y, %c1 : index", "%y0 = arith.subi %y, %c1 : index").replace(
        "%y2 = arith.addi %y, %c2 : index", """%y3 = arith.addi %y, %c1 : index
        %isTop = arith.cmpi eq, %y, %c0 : index
        %isBottom = arith.cmpi eq, %y, %right : index
        %above = arith.select %isTop, %right, %y0 : index
        %y2 = arith.select %isBottom, %c0, %y3 : index""")
    step = step.replace("%old[%y, %x]", "%old[%above, %x]").replace("%y1", "%y")
    text, _ = heat(1, size, 1, iterations)
    begin, end = text.index("    %halo ="), text.index("    gpuvm.next")
    return (text[:begin] + step + "\n" + text[end:]).replace(" ranks(1) {", " {"), {}


Q6 = """
  %own = gpuvm.stage @sum() -> tensor<i64> {{
{loads}    %zero = arith.constant dense<0> : tensor<i64>
    %sum = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
                           iterator_types = ["reduction"]}}
        ins(%s, %d, %q, %p : {column}, {column}, {column}, {column}) outs(%zero : tensor<i64>) {{
    ^bb0(%date: i32, %percent: i32, %number: i32, %cents: i32, %total: i64):
      // 1994 in days since 1970, 5 to 7 percent, less than 24.
      %first = arith.constant 8766 : i32
      %end = arith.constant 9131 : i32
      %low = arith.constant 5 : i32
      %high = arith.constant 7 : i32
      %most = arith.constant 24 : i32
      %a = arith.cmpi sge, %date, %first : i32
      %b = arith.cmpi slt, %date, %end : i32
      %c = arith.cmpi sge, %percent, %low : i32
      %e = arith.cmpi sle, %percent, %high : i32
      %f = arith.cmpi slt, %number, %most : i32
      %ab = arith.andi %a, %b : i1
      %ce = arith.andi %c, %e : i1
      %abce = arith.andi %ab, %ce : i1
      %keep = arith.andi %abce, %f : i1
      %wide = arith.extsi %cents : i32 to i64
      %factor = arith.extsi %percent : i32 to i64
      %product = arith.muli %wide, %factor : i64
      %none = arith.constant 0 : i64
      %part = arith.select %keep, %product, %none : i64
      %next = arith.addi %total, %part : i64
      linalg.yield %next : i64
    }} -> tensor<i64>
    gpuvm.send %sum : tensor<i64>
  }}
  %revenue = gpuvm.all_reduce %own add : !gpuvm.message<tensor<i64>>
  gpuvm.return %revenue : tensor<i64>
}}
"""


def q6(ranks, rows):
    """TPC-H's query 6 on columns that the program @fill makes, once."""
    column = f"tensor<{rows // ranks}xi32>"
    columns = {"shipdate": (8036, 10562), "discount": (0, 11), "quantity": (1, 51), "price": (90091, 10494951)}
    fill, loads = "gpuvm.program @fill() {\n", ""
    for number, (name, (low, high)) in enumerate(columns.items()):
        fill = f"gpuvm.global @{name} : {column}\n" + fill + f"""  gpuvm.stage @make_{name}() {{
    %seed = arith.constant dense<[7, {number}]> : tensor<2xi32>
    %rank = gpuvm.rank : tensor<i32>
    %v = gpuvm.random below({high - low}) seed(%seed : tensor<2xi32>) stream(%rank : tensor<i32>) -> {column}
    %low = arith.constant dense<{low}> : {column}
    %c = arith.addi %v, %low : {column}
    gpuvm.store %c, @{name} : {column}
  }}
"""
        loads += f"    %{name[0]} = gpuvm.load @{name} : {column}\n"
    fill += "  gpuvm.return\n}\n"
    return fill + f"gpuvm.program @q6() -> (revenue: tensor<i64>) ranks({ranks}) {{" + Q6.format(loads=loads, column=column), {}



def boltzmann(ranks, size, turns):
    """The lattice of bench/part_loops.py, its rows in blocks, of which the first and the last row are apart from the others: while these rows of all ranks move, the
    others are computed (docs/exchanges.md)."""
    rows = size // ranks
    kinds = {"t": f"tensor<1x{size}xf32>", "v": f"tensor<{rows - 2}x{size}xf32>", "b": f"tensor<1x{size}xf32>"}
    row = kinds["t"]

    def each(text, numbers=range(9)):
        return ", ".join(text.format(i=i) for i in numbers)

    def message(part):
        return f"!gpuvm.message<{kinds[part]}>"

    def step(name, kind, operands, place):
        """A stage that computes the nine populations of `kind`; `place(i, dy, x)` is code for the one of number i that has arrived."""
        code = Scalars("        ")
        arrived = []
        for i, (dy, dx) in enumerate(DIRECTIONS):
            x = "%x"
            if dx:
                by = code.add(f"arith.constant {(size - dx) % size} : index").name
                x = code.add(f"arith.andi {code.add(f'arith.addi %x, {by} : index').name}, %back : index").name
            arrived.append(place(code, i, dy, x))
        made = [value.name for value in collided(arrived)]
        lines = "\n".join(code.lines)
        return f"""
    %{name}:9 = gpuvm.stage @{name}({operands}) -> ({each(kind)}) {{
      %empty = tensor.empty() : {kind}
      %r:9 = linalg.generic {{indexing_maps = [{each("affine_map<(y, x) -> (y, x)>")}],
                           iterator_types = ["parallel", "parallel"]}}
          outs({each("%empty")} : {each(kind)}) {{
      ^bb0({each("%u{i}: f32")}):
        %y = linalg.index 0 : index
        %x = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %last = arith.constant {rows - 3} : index
        %back = arith.constant {size - 1} : index
        %isFirst = arith.cmpi eq, %y, %c0 : index
        %isLast = arith.cmpi eq, %y, %last : index
        %y1 = arith.subi %y, %c1 : index
        %y2 = arith.addi %y, %c1 : index
        %above = arith.maxsi %y1, %c0 : index
        %below = arith.minsi %y2, %last : index
{lines}
        linalg.yield {", ".join(made)} : {each("f32")}
      }} -> ({each(kind)})
      gpuvm.send {each("%r#{i}")} : {each(kind)}
    }}"""

    def extract(code, part, i, y, x, kind):
        return code.add(f"tensor.extract %{part}{i}[{y}, {x}] : {kinds[kind]}")

    def inner(code, i, dy, x):
        if not dy:
            return extract(code, "v", i, "%y", x, "v")
        inside = extract(code, "v", i, "%above" if dy > 0 else "%below", x, "v").name
        outside = extract(code, "t" if dy > 0 else "b", i, "%c0", x, "t").name
        return code.add(f"arith.select {'%isFirst' if dy > 0 else '%isLast'}, {outside}, {inside} : f32")

    def top(code, i, dy, x):
        return extract(code, *{1: ("a", i, "%c0", x, "t"), 0: ("t", i, "%c0", x, "t"), -1: ("v", i, "%c0", x, "v")}[dy])

    def bottom(code, i, dy, x):
        return extract(code, *{1: ("v", i, "%last", x, "v"), 0: ("b", i, "%c0", x, "t"), -1: ("c", i, "%c0", x, "t")}[dy])
    down, level, up = ([i for i, (dy, _) in enumerate(DIRECTIONS) if dy == way] for way in (1, 0, -1))
    start = "".join(f"""
  %{part}s{i} = gpuvm.stage @start_{part}{i}() -> {kind} {{
    %seed = arith.constant dense<[7, {i}]> : tensor<2xi32>
    %rank = gpuvm.rank : tensor<i32>
    %u = gpuvm.random uniform seed(%seed : tensor<2xi32>) stream(%rank : tensor<i32>) -> {kind}
    %one = arith.constant dense<1.0> : {kind}
    %v = arith.addf %u, %one : {kind}
    gpuvm.send %v : {kind}
  }}""" for part, kind in kinds.items() for i in range(9))
    state = ", ".join(each(f"%{part}p{{i}} = %{part}s{{i}} : {message(part)}") for part in kinds)
    shifts = "".join(f"    %a{i} = gpuvm.shift %bp{i} offset(1) rotate : {message('b')}\n" for i in down)
    shifts += "".join(f"    %c{i} = gpuvm.shift %tp{i} offset(-1) rotate : {message('t')}\n" for i in up)

    def of(part, numbers, name=None):
        return each(f"%{part}{{i}} = %{part}p{{i}} : {message(part)}", numbers) if not name else each(f"%{name}{{i}} = %{name}{{i}} : {row}", numbers)
    steps = step("inner", kinds["v"], f"{of('v', range(9))}, {of('t', down)}, {of('b', up)}", inner)
    steps += step("top", row, f"{of('a', down, 'a')}, {of('t', level)}, {of('v', up)}", top)
    steps += step("bottom", row, f"{of('v', down)}, {of('b', level)}, {of('c', up, 'c')}", bottom)
    following = ", ".join(each(f"%{name}#{{i}}") for name in ("top", "inner", "bottom"))
    types = ", ".join(each(message(part)) for part in kinds)
    return f"""
gpuvm.program @boltzmann() -> (corner: tensor<1xf32>) ranks({ranks}) {{{start}
  %l:27 = gpuvm.repeat @steps up_to {turns} ({state}) {{
{shifts}{steps}
    gpuvm.next {following} : {types}
  }}
  %corner = gpuvm.stage @corner(%v = %l#0 : {message("t")}) -> tensor<1xf32> {{
    %k = tensor.extract_slice %v[0, 0] [1, 1] [1, 1] : {row} to tensor<1xf32>
    gpuvm.send %k : tensor<1xf32>
  }}
  gpuvm.return %corner : !gpuvm.message<tensor<1xf32>>
}}
""", {}


def sort(ranks, numbers):
    """examples/ranks/sort.mlir on random numbers that the program @fill makes, once; it merges what has come, which is sorted."""
    block = numbers // ranks
    text = (EXAMPLES / "sort.mlir").read_text(encoding="utf-8")
    fill = """gpuvm.global @numbers : !block
gpuvm.program @fill() {
  gpuvm.stage @draw() {
    %seed = arith.constant dense<[7, 0]> : tensor<2xi32>
    %rank = gpuvm.rank : tensor<i32>
    %v = gpuvm.random bits seed(%seed : tensor<2xi32>) stream(%rank : tensor<i32>) -> !block
    gpuvm.store %v, @numbers : !block
  }
  gpuvm.return
}

"""
    text = text.replace("gpuvm.program @sort(%x: !block) -> (sorted: !rows, count: tensor<i32>)",
                        fill + "gpuvm.global @ordered : !rows\ngpuvm.program @sort() -> (count: tensor<i32>)")
    text = text.replace("@own(%v = %x : !block)", "@own()").replace("    %s = gpuvm.sort %v : !block\n",
                                                                   "    %v = gpuvm.load @numbers : !block\n    %s = gpuvm.sort %v : !block\n")
    merged = "    %s = gpuvm.sort %flat : !rows\n"
    if ranks == 2:
        merged = """    %a = tensor.extract_slice %flat[0] [@room@] [1] : !rows to tensor<@room@xi32>
    %b = tensor.extract_slice %flat[@room@] [@room@] [1] : !rows to tensor<@room@xi32>
    %s = gpuvm.merge %a, %b : tensor<@room@xi32>, tensor<@room@xi32> -> !rows
"""
    text = text.replace("    %s = gpuvm.sort %flat : !rows\n", merged + "    gpuvm.store %s, @ordered : !rows\n")
    text = text.replace("%sorted, %count = gpuvm.stage @merge(%g = %got : !rows, %c = %came : !parts) -> (!rows, tensor<i32>)",
                        "%count = gpuvm.stage @merge(%g = %got : !rows, %c = %came : !parts) -> tensor<i32>")
    text = text.replace("gpuvm.send %s, %n : !rows, tensor<i32>", "gpuvm.send %n : tensor<i32>")
    text = text.replace("gpuvm.return %sorted, %count : !gpuvm.message<!rows>, !gpuvm.message<tensor<i32>>",
                        "gpuvm.return %count : !gpuvm.message<tensor<i32>>")
    # Of random numbers the parts are nearly equal.
    return text, {"ranks": ranks, "block": block, "samples": 4096 if block % 4096 == 0 else 4000, "spare": 16}


def sort_alone(numbers):
    """The same numbers by one gpuvm.sort."""
    return f"""
gpuvm.global @numbers : tensor<{numbers}xi32>
gpuvm.global @ordered : tensor<{numbers}xi32>
gpuvm.program @fill() {{
  gpuvm.stage @draw() {{
    %seed = arith.constant dense<[7, 0]> : tensor<2xi32>
    %v = gpuvm.random bits seed(%seed : tensor<2xi32>) -> tensor<{numbers}xi32>
    gpuvm.store %v, @numbers : tensor<{numbers}xi32>
  }}
  gpuvm.return
}}
gpuvm.program @sort() {{
  gpuvm.stage @order() {{
    %v = gpuvm.load @numbers : tensor<{numbers}xi32>
    %s = gpuvm.sort %v : tensor<{numbers}xi32>
    gpuvm.store %s, @ordered : tensor<{numbers}xi32>
  }}
  gpuvm.return
}}
""", {}
