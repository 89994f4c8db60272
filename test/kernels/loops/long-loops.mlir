// Loops that run longer than Mesa's llvmpipe lets those of an invocation run
// (65,535 turns together, before version 25): docs/rationale/long-loops.md.

// DEFINE: %{program} =
// DEFINE: %{inputs} =
// DEFINE: %{check} = FileCheck %s --check-prefix=%{program}
// DEFINE: %{run} = gpuvm-compile %s --program=%{program} -o %t.gvplan && gpuvm-run %t.gvplan --validate %{inputs}
// DEFINE: %{test} = %{run} | %{check}

// Ten million turns of one element, few of its neighbours; i64 and f32 carried.
// REDEFINE: %{program} = one
// REDEFINE: %{inputs} = --input=x=5xi32=0,7,65535,200000,10000000
// RUN: %{test}
// one: y: 5xi64=0 28 2147450880 20000100000 50000005000000
// one-NEXT: z: 5xf32=1 1 1 0.5 0.5

// The same program for the kernel of devices without a limit.
// RUN: gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=FORMS
// FORMS: gives way to [[plain:.*_unlimited_loops]] where
// FORMS: {{.*}}_resumed
// FORMS: says in binding {{[0-9]+}} whether a loop is unfinished
// FORMS: [[plain]] {{.*}}
// FORMS-NEXT: needs {{.*}}unlimited_loops
// FORMS: reads and writes window 0 of registers
// FORMS-NEXT: writes window 1 of registers
// FORMS-EMPTY:
// What those do without.
// FORMS: barrier
// FORMS: not on devices with unlimited_loops
// FORMS: dispatch_indirect for stage "count"
// FORMS: not on devices with unlimited_loops

// It runs alone.
// RUN: gpuvm-run %t.gvplan --assume-features=unlimited_loops --stats=text --input=x=5xi32=0,7,100,1000,2000 | FileCheck %s --check-prefix=ALONE
// ALONE: y: 5xi64=0 28 5050 500500 2001000
// ALONE: dispatches {{ *}}1
// ALONE: barriers {{ *}}0

// Lanes of a subgroup whose inner loops are long in different turns of the outer
// one, and an inner loop in a branch. Against the interpreter.
// REDEFINE: %{program} = nested
// REDEFINE: %{inputs} = --input=x=16xi32=3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3
// RUN: %{test}
// RUN: gpuvm-interpret %s --program=nested %{inputs} | %{check}

// nested: y: 16xi32=1499591028 1607364148 638561652 -1960565580 215896308 1466618256 -472411692 -1468622580 1499591028 1607364148 638561652 -1960565580 215896308 1466618256 -472411692 -1468622580

// Constant bounds beyond the limit, and a reduction that reads the elements.
// REDEFINE: %{program} = constant
// REDEFINE: %{inputs} =
// RUN: %{test}
// constant: y: i32=1320000

// Millions of elements, all of which loop, six of them for very long.
// REDEFINE: %{program} = many
// REDEFINE: %{inputs} = --input=n=i32=100
// RUN: %{test}
// many: sum: i64=543070761

// A million iterations of one element are right however its loops lie in one another, short
// ones among them (docs/arithmetic.md): in each iteration, beside a long loop, in a branch.
// REDEFINE: %{program} = short
// REDEFINE: %{inputs} =
// RUN: %{test}
// short: inside: i32=2081428970
// short-NEXT: beside: i32=1853797714
// short-NEXT: seldom: i32=925021665

// A loop that does not end has no result, where there is a limit.
// RUN: gpuvm-compile %s --program=one -o %t.gvplan
// RUN: not gpuvm-run %t.gvplan --no-variants --input=x=5xi32=1,2,3,4,2147483647 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: A loop of stage "count" runs longer than this device's driver ({{.*}}) lets loops run, so there is no result.

#identity = affine_map<(i) -> (i)>

gpuvm.program @one(%x: tensor<5xi32>) -> (y: tensor<5xi64>, z: tensor<5xf32>) {
  %y, %z = gpuvm.stage @count(%v = %x : tensor<5xi32>) -> (tensor<5xi64>, tensor<5xf32>) {
    %e = tensor.empty() : tensor<5xi64>
    %f = tensor.empty() : tensor<5xf32>
    %r:2 = linalg.generic {indexing_maps = [#identity, #identity, #identity], iterator_types = ["parallel"]}
        ins(%v : tensor<5xi32>) outs(%e, %f : tensor<5xi64>, tensor<5xf32>) {
    ^bb0(%n: i32, %u: i64, %w: f32):
      %zero = arith.constant 0 : i32
      %none = arith.constant 0 : i64
      %one = arith.constant 1 : i32
      %whole = arith.constant 1.0 : f32
      %half = arith.constant 0.5 : f32
      %late = arith.constant 100000 : i32
      %q:3 = scf.while (%c = %zero, %s = %none, %h = %whole) : (i32, i64, f32) -> (i32, i64, f32) {
        %go = arith.cmpi slt, %c, %n : i32
        scf.condition(%go) %c, %s, %h : i32, i64, f32
      } do {
      ^bb0(%c: i32, %s: i64, %h: f32):
        %next = arith.addi %c, %one : i32
        %wide = arith.extsi %next : i32 to i64
        %sum = arith.addi %s, %wide : i64
        %is_late = arith.cmpi eq, %c, %late : i32
        %halved = arith.mulf %h, %half : f32
        %held = arith.select %is_late, %halved, %h : f32
        scf.yield %next, %sum, %held : i32, i64, f32
      }
      linalg.yield %q#1, %q#2 : i64, f32
    } -> (tensor<5xi64>, tensor<5xf32>)
    gpuvm.send %r#0, %r#1 : tensor<5xi64>, tensor<5xf32>
  }
  gpuvm.return %y, %z : !gpuvm.message<tensor<5xi64>>, !gpuvm.message<tensor<5xf32>>
}

gpuvm.program @nested(%x: tensor<16xi32>) -> (y: tensor<16xi32>) {
  %y = gpuvm.stage @search(%v = %x : tensor<16xi32>) -> tensor<16xi32> {
    %e = tensor.empty() : tensor<16xi32>
    %r = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
        ins(%v : tensor<16xi32>) outs(%e : tensor<16xi32>) {
    ^bb0(%a: i32, %u: i32):
      %i = linalg.index 0 : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i32
      %unit = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %eight = arith.constant 8 : index
      %many = arith.constant 20000 : index
      %few = arith.constant 5 : index
      %own = arith.remui %i, %eight : index
      %q = scf.for %t = %zero to %eight step %one iter_args(%sum = %a) -> i32 {
        %mine = arith.cmpi eq, %t, %own : index
        %times = arith.select %mine, %many, %few : index
        %before = arith.muli %sum, %three : i32
        %inner = scf.if %mine -> i32 {
          %s = scf.for %j = %zero to %times step %one iter_args(%p = %before) -> i32 {
            %jj = arith.index_cast %j : index to i32
            %mixed = arith.muli %p, %three : i32
            %next = arith.addi %mixed, %jj : i32
            scf.yield %next : i32
          }
          scf.yield %s : i32
        } else {
          %tt = arith.index_cast %t : index to i32
          %k:2 = scf.while (%c = %none, %p = %before) : (i32, i32) -> (i32, i32) {
            %go = arith.cmpi sle, %c, %tt : i32
            scf.condition(%go) %c, %p : i32, i32
          } do {
          ^bb0(%c: i32, %p: i32):
            %c1 = arith.addi %c, %unit : i32
            %p1 = arith.xori %p, %c1 : i32
            scf.yield %c1, %p1 : i32, i32
          }
          scf.yield %k#1 : i32
        }
        %last = arith.addi %inner, %before : i32
        scf.yield %last : i32
      }
      linalg.yield %q : i32
    } -> tensor<16xi32>
    gpuvm.send %r : tensor<16xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<16xi32>>
}

gpuvm.program @constant() -> (y: tensor<i32>) {
  %y = gpuvm.stage @total() -> tensor<i32> {
    %e = tensor.empty() : tensor<20xi32>
    %r = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]} outs(%e : tensor<20xi32>) {
    ^bb0(%u: i32):
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %outer = arith.constant 300 : index
      %inner = arith.constant 220 : index
      %none = arith.constant 0 : i32
      %unit = arith.constant 1 : i32
      %b = scf.for %i = %zero to %outer step %one iter_args(%s = %none) -> i32 {
        %c = scf.for %j = %zero to %inner step %one iter_args(%t = %s) -> i32 {
          %next = arith.addi %t, %unit : i32
          scf.yield %next : i32
        }
        scf.yield %c : i32
      }
      linalg.yield %b : i32
    } -> tensor<20xi32>
    %start = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%r : tensor<20xi32>) outs(%start : tensor<i32>) dimensions = [0]
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i32>>
}

gpuvm.program @many(%n: tensor<i32>) -> (sum: tensor<i64>) {
  %y = gpuvm.stage @count(%m = %n : tensor<i32>) -> tensor<i64> {
    %e = tensor.empty() : tensor<5242880xi64>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #identity], iterator_types = ["parallel"]}
        ins(%m : tensor<i32>) outs(%e : tensor<5242880xi64>) {
    ^bb0(%limit: i32, %u: i64):
      %i = linalg.index 0 : index
      %number = arith.index_cast %i : index to i32
      %seven = arith.constant 7 : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %low = arith.andi %number, %seven : i32
      %few = arith.addi %low, %limit : i32
      %apart = arith.constant 1000003 : i32
      %five = arith.constant 5 : i32
      %far = arith.constant 700 : i32
      %place = arith.remui %number, %apart : i32
      %is = arith.cmpi eq, %place, %five : i32
      %many = arith.muli %few, %far : i32
      %stop = arith.select %is, %many, %few : i32
      %q = scf.while (%c = %zero) : (i32) -> i32 {
        %go = arith.cmpi slt, %c, %stop : i32
        scf.condition(%go) %c : i32
      } do {
      ^bb0(%c: i32):
        %next = arith.addi %c, %one : i32
        scf.yield %next : i32
      }
      %wide = arith.extsi %q : i32 to i64
      linalg.yield %wide : i64
    } -> tensor<5242880xi64>
    %start = arith.constant dense<0> : tensor<i64>
    %s = linalg.reduce { arith.addi } ins(%r : tensor<5242880xi64>) outs(%start : tensor<i64>) dimensions = [0]
    gpuvm.send %s : tensor<i64>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i64>>
}

// The element 776 of each.
gpuvm.program @short() -> (inside: tensor<i32>, beside: tensor<i32>, seldom: tensor<i32>) {
  %inside = gpuvm.stage @inside() -> tensor<i32> {
    %e = tensor.empty() : tensor<50021xi32>
    %y = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]} outs(%e : tensor<50021xi32>) {
    ^bb0(%out: i32):
      %at = linalg.index 0 : index
      %place = arith.constant 776 : index
      %is = arith.cmpi eq, %at, %place : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %many = arith.constant 27027 : index
      %few = arith.constant 37 : index
      %times = arith.select %is, %many, %one : index
      %x = arith.constant 1 : i32
      %a = arith.constant 1664525 : i32
      %c = arith.constant 1013904223 : i32
      %r = scf.for %i = %zero to %times step %one iter_args(%v = %x) -> (i32) {
        %s = scf.for %j = %zero to %few step %one iter_args(%w = %v) -> (i32) {
          %t = arith.muli %w, %a : i32
          %n = arith.addi %t, %c : i32
          scf.yield %n : i32
        }
        scf.yield %s : i32
      }
      linalg.yield %r : i32
    } -> tensor<50021xi32>
    %p = arith.constant 776 : index
    %v = tensor.extract %y[%p] : tensor<50021xi32>
    %m = tensor.from_elements %v : tensor<i32>
    gpuvm.send %m : tensor<i32>
  }
  %beside = gpuvm.stage @beside() -> tensor<i32> {
    %e = tensor.empty() : tensor<50021xi32>
    %y = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]} outs(%e : tensor<50021xi32>) {
    ^bb0(%out: i32):
      %at = linalg.index 0 : index
      %place = arith.constant 776 : index
      %is = arith.cmpi eq, %at, %place : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      %many = arith.constant 333000 : index
      %few = arith.constant 37 : index
      %times = arith.select %is, %many, %one : index
      %x = arith.constant 1 : i32
      %a = arith.constant 1664525 : i32
      %c = arith.constant 1013904223 : i32
      %r = scf.for %i = %zero to %three step %one iter_args(%v = %x) -> (i32) {
        %s = scf.for %j = %zero to %few step %one iter_args(%w = %v) -> (i32) {
          %t = arith.muli %w, %a : i32
          %n = arith.addi %t, %c : i32
          scf.yield %n : i32
        }
        %u = scf.for %j = %zero to %times step %one iter_args(%w = %s) -> (i32) {
          %t = arith.muli %w, %a : i32
          %n = arith.addi %t, %c : i32
          scf.yield %n : i32
        }
        scf.yield %u : i32
      }
      linalg.yield %r : i32
    } -> tensor<50021xi32>
    %p = arith.constant 776 : index
    %v = tensor.extract %y[%p] : tensor<50021xi32>
    %m = tensor.from_elements %v : tensor<i32>
    gpuvm.send %m : tensor<i32>
  }
  %seldom = gpuvm.stage @seldom() -> tensor<i32> {
    %e = tensor.empty() : tensor<50021xi32>
    %y = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]} outs(%e : tensor<50021xi32>) {
    ^bb0(%out: i32):
      %at = linalg.index 0 : index
      %place = arith.constant 776 : index
      %is = arith.cmpi eq, %at, %place : index
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %thousand = arith.constant 1000 : index
      %many = arith.constant 940000 : index
      %few = arith.constant 64 : index
      %times = arith.select %is, %many, %one : index
      %x = arith.constant 1 : i32
      %a = arith.constant 1664525 : i32
      %c = arith.constant 1013904223 : i32
      %r = scf.for %i = %zero to %times step %one iter_args(%v = %x) -> (i32) {
        %rest = arith.remui %i, %thousand : index
        %enters = arith.cmpi eq, %rest, %zero : index
        %s = scf.if %enters -> (i32) {
          %s = scf.for %j = %zero to %few step %one iter_args(%w = %v) -> (i32) {
            %t = arith.muli %w, %a : i32
            %n = arith.addi %t, %c : i32
            scf.yield %n : i32
          }
          scf.yield %s : i32
        } else {
          scf.yield %v : i32
        }
        %t = arith.muli %s, %a : i32
        %n = arith.addi %t, %c : i32
        scf.yield %n : i32
      }
      linalg.yield %r : i32
    } -> tensor<50021xi32>
    %p = arith.constant 776 : index
    %v = tensor.extract %y[%p] : tensor<50021xi32>
    %m = tensor.from_elements %v : tensor<i32>
    gpuvm.send %m : tensor<i32>
  }
  gpuvm.return %inside, %beside, %seldom : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}
