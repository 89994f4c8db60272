// A few elements that are made of the only result of a reduction are computed by the lane that finishes it, in its kernel: here
// words that say what a value is like, one of which is counted up where it is.

// DEFINE: %{program} = described
// DEFINE: %{case} =
// DEFINE: %{n} = 7
// DEFINE: %{x} =
// DEFINE: %{check} = gpuvm-compile %s --program=%{program} --set=n=%{n} -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=%{case}-PLAN && gpuvm-run %t.gvplan --validate --iterations=3 --output=words --output=total %{x} | FileCheck %s --check-prefix=%{case}

// A workgroup has all of it.
// REDEFINE: %{case} = short
// REDEFINE: %{x} = --input=x=7xi32=1,-2,3,4,5,6,-70
// RUN: %{check}
// short-PLAN: 0 dispatch for stage "describe"
// short-PLAN-NEXT: groups 1x1x1
// short-PLAN-NOT: dispatch
// short: words: 4xi32=-53 6 3 0
// short: total: i32=-53

// Many do, the last of which finishes it.
// REDEFINE: %{case} = long
// REDEFINE: %{n} = 100000
// REDEFINE: %{x} = --input=x=100000xi32=3
// RUN: %{check}
// long-PLAN: 0 dispatch for stage "describe"
// long-PLAN-NEXT: groups {{[1-9][0-9]+}}x1x1
// long-PLAN-NOT: dispatch
// long: words: 4xi32=300000 3 3 0
// long: total: i32=300000

// As many as it reads: they are no few.
// REDEFINE: %{case} = equal
// REDEFINE: %{program} = equal
// REDEFINE: %{x} = --input=x=2x2xi32=1,2,3,4
// RUN: %{check}
// equal-PLAN: commands
// equal: words: 4xi32=10 4 3 0
// equal: total: i32=10

gpuvm.parameter @n = 7 in 1 to 1000000

gpuvm.program @described(%x: tensor<@n@xi32>) -> (total: tensor<i32>) {
  gpuvm.global @words : tensor<4xi32>
  %t = gpuvm.stage @describe(%v = %x : tensor<@n@xi32>) -> tensor<i32> {
    %zero = arith.constant dense<0> : tensor<i32>
    %old = gpuvm.load @words : tensor<4xi32>
    %sum = linalg.reduce { arith.addi } ins(%v : tensor<@n@xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    %most = linalg.reduce { arith.maxsi } ins(%v : tensor<@n@xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    %empty = tensor.empty() : tensor<4xi32>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%sum, %most, %old : tensor<i32>, tensor<i32>, tensor<4xi32>) outs(%empty : tensor<4xi32>) {
    ^bb0(%s: i32, %m: i32, %o: i32, %u: i32):
      %i = linalg.index 0 : index
      %word = arith.index_cast %i : index to i32
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %is0 = arith.cmpi eq, %word, %first : i32
      %is1 = arith.cmpi eq, %word, %one : i32
      %is2 = arith.cmpi eq, %word, %two : i32
      %more = arith.addi %o, %one : i32
      %r2 = arith.select %is2, %more, %o : i32
      %r1 = arith.select %is1, %m, %r2 : i32
      %r0 = arith.select %is0, %s, %r1 : i32
      linalg.yield %r0 : i32
    } -> tensor<4xi32>
    gpuvm.store %new, @words : tensor<4xi32>
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %t : !gpuvm.message<tensor<i32>>
}

gpuvm.program @equal(%x: tensor<2x2xi32>) -> (total: tensor<i32>) {
  gpuvm.global @words : tensor<4xi32>
  %t = gpuvm.stage @describe(%v = %x : tensor<2x2xi32>) -> tensor<i32> {
    %zero = arith.constant dense<0> : tensor<i32>
    %old = gpuvm.load @words : tensor<4xi32>
    %sum = linalg.reduce { arith.addi } ins(%v : tensor<2x2xi32>) outs(%zero : tensor<i32>) dimensions = [0, 1]
    %most = linalg.reduce { arith.maxsi } ins(%v : tensor<2x2xi32>) outs(%zero : tensor<i32>) dimensions = [0, 1]
    %empty = tensor.empty() : tensor<4xi32>
    %new = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%sum, %most, %old : tensor<i32>, tensor<i32>, tensor<4xi32>) outs(%empty : tensor<4xi32>) {
    ^bb0(%s: i32, %m: i32, %o: i32, %u: i32):
      %i = linalg.index 0 : index
      %word = arith.index_cast %i : index to i32
      %first = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %is0 = arith.cmpi eq, %word, %first : i32
      %is1 = arith.cmpi eq, %word, %one : i32
      %is2 = arith.cmpi eq, %word, %two : i32
      %more = arith.addi %o, %one : i32
      %r2 = arith.select %is2, %more, %o : i32
      %r1 = arith.select %is1, %m, %r2 : i32
      %r0 = arith.select %is0, %s, %r1 : i32
      linalg.yield %r0 : i32
    } -> tensor<4xi32>
    gpuvm.store %new, @words : tensor<4xi32>
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %t : !gpuvm.message<tensor<i32>>
}
