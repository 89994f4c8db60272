"""Histograms, GROUP BY and a join by hash: what docs/irregular.md writes with scatter,
distinct and match.

Sums are of 64 bits and counts of 32, which all peers can add in any order with one result.
"""

import functools

import numpy as np

import host
import programs
from model import Case, Target, Tensor, goal

TITLE = "Groups"
NOTES = ("Bytes are those of the columns and of the results: what is sorted, numbered or looked up in between is not in them.",)
VALUES = (-1000, 1000)  # sums of 2^26 stay exact in float64, in which NumPy's and torch's bincount add
ODD = 2654435761        # times this, modulo 2^32, numbers become keys that are far apart, one to one


@functools.cache
def ordered(n, bins):
    return lambda: (np.arange(n, dtype=np.int64) * bins // n).astype(np.int32)


def histogram(n, bins, target=None, in_order=False):
    """Of random numbers, or of such that stand in order, as after a sort: neighbours meet at one bin."""
    x = Tensor((n,), "i32", make=ordered(n, bins)) if in_order else Tensor((n,), "i32", 0, bins)
    y = Tensor((bins,), "i32")
    body = f"""
        %ones = arith.constant dense<1> : {x}
        %zeros = arith.constant dense<0> : {y}
        %y = gpuvm.scatter add %ones at %x into %zeros : ({x}, {x}, {y}) -> {y}
    """
    torch = {"bincount": lambda d: d["torch"].bincount(d["x"], minlength=bins)}
    if bins <= 1024:  # it multiplies elements by bins, in 32 bits
        torch["histc"] = lambda d: d["torch"].histc(d["x"], bins, 0, bins - 1)
    return Case(f"histogram of {n:,} i32{' in order' * in_order}, {bins:,} bins",
                programs.gpuvm({"x": x}, "y", y, body), {"x": x}, "y", y,
                reference=lambda d: np.bincount(d["x"], minlength=bins), torch=torch,
                bytes=x.bytes + y.bytes, target=target, bound=0.0)


#===--- GROUP BY ---===#

def sums_of(names, d, keys, groups):
    """Sums by group of these columns and how many rows there are, one after another."""
    columns = [np.bincount(keys, d[name], groups).astype(np.int64) for name in names]
    return np.concatenate([*columns, np.bincount(keys, minlength=groups)])


def torch_sums(names, d, keys, groups):
    t = d["torch"]
    sums = [t.zeros(groups, dtype=t.int64, device=d["device"]).index_add_(0, keys, d[name]) for name in names]
    return t.cat([*sums, t.bincount(keys, minlength=groups)])


def torch_masks(names, d, groups):
    """For few groups: one masked sum for each."""
    t, masks = d["torch"], [d["k"] == group for group in range(groups)]
    columns = [t.stack([t.where(mask, d[name], 0).sum() for mask in masks]) for name in names]
    return t.cat([*columns, t.stack([mask.sum() for mask in masks])])


def scattered(names, column, numbers, keys, groups, result):
    """The lines that add up by the value `numbers`."""
    words, sums = Tensor((groups,), "i32"), Tensor((groups,), "i64")
    updates = [f"%{name}" for name in names] + ["%ones"]
    types = [column] * len(names) + [keys]
    results = [sums] * len(names) + [words]
    listed = lambda values: ", ".join(map(str, values))
    return f"""
        %ones = arith.constant dense<1> : {keys}
        %none = arith.constant dense<0> : {words}
        %zeros = arith.constant dense<0> : {sums}
        %s:{len(updates)} = gpuvm.scatter {listed(["add"] * len(updates))} {listed(updates)} at %{numbers} into
            {listed(["%zeros"] * len(names) + ["%none"])}
            : ({listed([*types, keys, *results])}) -> ({listed(results)})
        %counts = arith.extsi %s#{len(names)} : {words} to {sums}
        %y = tensor.concat dim(0) {listed([f"%s#{i}" for i in range(len(names))])}, %counts
            : ({listed([sums] * len(updates))}) -> {result}
    """


def group_by(what, inputs, names, groups, numbers, keys, torch, target=None, lines=""):
    """`numbers`: the value that says the group of each row, made of %k by `lines`."""
    result = Tensor(((len(names) + 1) * groups,), "i64")
    lines += scattered(names, inputs[names[0]], numbers, inputs["k"], groups, result)
    return Case(what, programs.gpuvm(inputs, "y", result, lines), inputs, "y", result,
                reference=lambda d: sums_of(names, d, keys(d), groups), torch=torch, compiled=len(torch) > 1,
                host={"DuckDB": lambda d: host.duckdb_groups(d, names, groups, numbered=numbers == "k")},
                bytes=sum(tensor.bytes for tensor in inputs.values()) + result.bytes, target=target, bound=0.0)


def dense(n, names, groups, target=None):
    """Keys that are the numbers of the groups."""
    inputs = {"k": Tensor((n,), "i32", 0, groups), **{name: Tensor((n,), "i64", *VALUES) for name in names}}
    torch = {"index_add_, bincount": lambda d: torch_sums(names, d, d["k"], groups)}
    if groups <= 8:
        torch["masked sums"] = lambda d: torch_masks(names, d, groups)
    sums = "sum" if len(names) == 1 else f"{len(names)} sums"
    return group_by(f"{sums} and counts of {n:,} rows, {groups:,} groups", inputs, names, groups, "k",
                    lambda d: d["k"], torch, target)


@functools.cache
def random_keys(n, groups):
    def make():
        return (np.random.default_rng(1).integers(0, groups, n, np.uint32) * np.uint32(ODD)).view(np.int32)
    return make


def random(n, groups, target=None):
    """Keys of any size; the groups come in the order of their keys, zeros where there are fewer."""
    k = Tensor((n,), "i32", make=random_keys(n, groups))
    inputs = {"k": k, "a": Tensor((n,), "i64", *VALUES)}
    lines = f"%numbers, %rows, %n = gpuvm.distinct %k : {k} -> {k}, {Tensor((groups,), 'i32')}"

    def torch(d):
        return torch_sums("a", d, d["torch"].unique(d["k"], return_inverse=True)[1], groups)

    return group_by(f"sum and counts of {n:,} rows, {groups:,} random keys", inputs, ["a"], groups, "numbers",
                    lambda d: np.unique(d["k"], return_inverse=True)[1], {"unique, index_add_, bincount": torch}, target,
                    lines)


#===--- Join ---===#

@functools.cache
def build_keys(rows):
    def make():
        return (np.random.default_rng(2).permutation(np.arange(rows, dtype=np.uint32)) * np.uint32(ODD)).view(np.int32)
    return make


def join(n, rows, target=None):
    """How many of the probes find their key, and the sum of the values next to it. Half of them do."""
    k, b = Tensor((n,), "i32", make=random_keys(n, 2 * rows)), Tensor((rows,), "i32", make=build_keys(rows))
    v, one, result = Tensor((rows,), "i64", *VALUES), Tensor((1,), "i64"), Tensor((2,), "i64")
    inputs = {"k": k, "b": b, "v": v}
    scalar = "tensor<i64>"
    body = f"""
        %first, %counts, %order = gpuvm.match %k in %b : ({k}), ({b}) -> {k}, {k}, {b}
        %zero = arith.constant dense<0> : {scalar}
        %found:2 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
            affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}}
            ins(%first, %counts : {k}, {k}) outs(%zero, %zero : {scalar}, {scalar}) {{
        ^bb0(%f: i32, %c: i32, %s: i64, %t: i64):
          %nothing = arith.constant 0 : i32
          %none = arith.constant 0 : i64
          %has = arith.cmpi sgt, %c, %nothing : i32
          %place = arith.select %has, %f, %nothing : i32
          %p = arith.index_cast %place : i32 to index
          %row = tensor.extract %order[%p] : {b}
          %r = arith.index_cast %row : i32 to index
          %x = tensor.extract %v[%r] : {v}
          %y = arith.select %has, %x, %none : i64
          %ones = arith.extui %has : i1 to i64
          %s1 = arith.addi %s, %ones : i64
          %t1 = arith.addi %t, %y : i64
          linalg.yield %s1, %t1 : i64, i64
        }} -> ({scalar}, {scalar})
        %count = tensor.expand_shape %found#0 [] output_shape [1] : {scalar} into {one}
        %sum = tensor.expand_shape %found#1 [] output_shape [1] : {scalar} into {one}
        %y = tensor.concat dim(0) %count, %sum : ({one}, {one}) -> {result}
    """

    def numpy(d):
        order = np.argsort(d["b"], kind="stable")
        table = d["b"][order]
        place = np.minimum(np.searchsorted(table, d["k"]), rows - 1)
        has = table[place] == d["k"]
        return np.array([has.sum(), d["v"][order[place[has]]].sum()])

    def torch(d):
        t = d["torch"]
        table, order = t.sort(d["b"])
        place = t.searchsorted(table, d["k"], out_int32=True).clamp_(max=rows - 1)
        has = table[place] == d["k"]
        return t.stack([has.sum(), t.where(has, d["v"][order[place]], 0).sum()])

    return Case(f"join, {n:,} probes of {rows:,} keys", programs.gpuvm(inputs, "y", result, body), inputs, "y",
                result, reference=numpy, torch={"sort, searchsorted, gather": torch}, host={"DuckDB": host.duckdb_join},
                bytes=sum(tensor.bytes for tensor in inputs.values()), target=target, bound=0.0)


def cases(device, _):
    gpu = device == "gpu"
    n, many = (2 ** 26, 2 ** 20) if gpu else (2 ** 20, 2 ** 14)
    equal = Target(1.0, "torch") if gpu else None
    yield histogram(n, 256)
    yield histogram(n, many)
    yield histogram(n, many, in_order=True)
    yield dense(n, ("a", "b"), 4, goal("gpu", 0.9) if gpu else None)
    yield dense(n, ("a",), many, equal)
    yield random(n, many, equal)
    yield join(n, n // 4, equal)
