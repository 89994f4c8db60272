// Elements of two, four and eight bits: bytes in memory, computed in i8 and f32. Of an integer the low bits count.

// DEFINE: %{compile} = gpuvm-compile %s -o %t.gvplan --program
// DEFINE: %{run} = gpuvm-run %t.gvplan --validate
// DEFINE: %{interpret} = gpuvm-interpret %s --program

// RUN: %{compile}=integers
// RUN: %{run} --input=x=5xi8=0,7,-8,15,3 | FileCheck %s --check-prefix=INTEGERS
// RUN: %{interpret}=integers --input=x=5xi8=0,7,-8,15,3 | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: sum: 5xi8=-3 4 5 -4 0
// INTEGERS: signed: 5xi32=0 7 -8 -1 3
// INTEGERS: unsigned: 5xf32=0 7 8 15 3
// INTEGERS: half: 5xi8=0 3 4 7 1
// INTEGERS: less: 5xi1=1 0 0 0 1
// INTEGERS: kept: 5xi8=0 7 -8 -2 6
// INTEGERS: pair: 5xi8=0 -1 0 -1 -1
gpuvm.program @integers(%x: tensor<5xi4>) -> (sum: tensor<5xi4>, signed: tensor<5xi32>, unsigned: tensor<5xf32>, half: tensor<5xi4>, less: tensor<5xi1>, kept: tensor<5xi4>, pair: tensor<5xi2>) {
  gpuvm.heap @table : tensor<5xi4> = dense<[-3, -3, -3, -3, -3]> : tensor<5xi4>
  %y:7 = gpuvm.stage @s(%x = %x : tensor<5xi4>) -> (tensor<5xi4>, tensor<5xi32>, tensor<5xf32>, tensor<5xi4>, tensor<5xi1>, tensor<5xi4>, tensor<5xi2>) {
    %table = gpuvm.load @table : tensor<5xi4>
    %sum = arith.addi %x, %table : tensor<5xi4>
    %signed = arith.extsi %x : tensor<5xi4> to tensor<5xi32>
    %unsigned = arith.uitofp %x : tensor<5xi4> to tensor<5xf32>
    %one = arith.constant dense<1> : tensor<5xi4>
    %four = arith.constant dense<4> : tensor<5xi4>
    %half = arith.shrui %x, %one : tensor<5xi4>
    %less = arith.cmpi ult, %x, %four : tensor<5xi4>
    %two = arith.constant dense<2> : tensor<5xi32>
    %twice = arith.muli %signed, %two : tensor<5xi32>
    %number = arith.sitofp %twice : tensor<5xi32> to tensor<5xf32>
    %kept = arith.fptosi %number : tensor<5xf32> to tensor<5xi4>
    %pair = arith.trunci %x : tensor<5xi4> to tensor<5xi2>
    gpuvm.send %sum, %signed, %unsigned, %half, %less, %kept, %pair : tensor<5xi4>, tensor<5xi32>, tensor<5xf32>, tensor<5xi4>, tensor<5xi1>, tensor<5xi4>, tensor<5xi2>
  }
  gpuvm.return %y#0, %y#1, %y#2, %y#3, %y#4, %y#5, %y#6 : !gpuvm.message<tensor<5xi4>>, !gpuvm.message<tensor<5xi32>>, !gpuvm.message<tensor<5xf32>>, !gpuvm.message<tensor<5xi4>>, !gpuvm.message<tensor<5xi1>>, !gpuvm.message<tensor<5xi4>>, !gpuvm.message<tensor<5xi2>>
}

// Memory of small elements: a symbol, a slice at a computed offset, padding, a table, a branch, a sum that is rounded
// each time.
// RUN: %{compile}=moved
// RUN: %{run} --input=x=4xi8=56,60,-64,1 --input=k=i32=2 | FileCheck %s --check-prefix=MOVED
// RUN: %{interpret}=moved --input=x=4xi8=56,60,-64,1 --input=k=i32=2 | FileCheck %s --check-prefix=MOVED
// MOVED: slice: 2xi8=-64 1
// MOVED: pad: 6xi8=120 56 60 -64 1 120
// MOVED: sum: f32=1{{$}}
// MOVED: KEPT: 4xi8=56 60 -64 1
// MOVED: chosen: 4xi8=56 60 48 1
gpuvm.program @moved(%x: tensor<4xf8E4M3FN>, %k: tensor<i32>) -> (slice: tensor<2xf8E4M3FN>, pad: tensor<6xf8E4M3FN>, sum: tensor<f32>, KEPT: tensor<4xf8E4M3FN>, chosen: tensor<4xf8E4M3FN>) {
  gpuvm.global @kept : tensor<4xf8E4M3FN>
  %y:4 = gpuvm.stage @s(%x = %x : tensor<4xf8E4M3FN>, %k = %k : tensor<i32>) -> (tensor<2xf8E4M3FN>, tensor<6xf8E4M3FN>, tensor<f32>, tensor<4xf8E4M3FN>) {
    gpuvm.store %x, @kept : tensor<4xf8E4M3FN>
    %e = tensor.extract %k[] : tensor<i32>
    %i = arith.index_cast %e : i32 to index
    %slice = tensor.extract_slice %x[%i] [2] [1] : tensor<4xf8E4M3FN> to tensor<2xf8E4M3FN>
    %large = arith.constant 256.0 : f8E4M3FN
    %pad = tensor.pad %x low[1] high[1] {
    ^bb0(%j: index):
      tensor.yield %large : f8E4M3FN
    } : tensor<4xf8E4M3FN> to tensor<6xf8E4M3FN>
    %zero = arith.constant dense<0.0> : tensor<f8E4M3FN>
    %total = linalg.reduce { arith.addf } ins(%x : tensor<4xf8E4M3FN>) outs(%zero : tensor<f8E4M3FN>) dimensions = [0]
    %first = arith.constant 0 : index
    %least = arith.constant 0.0 : f8E4M3FN
    %empty = tensor.empty() : tensor<4xf8E4M3FN>
    %chosen = linalg.map ins(%x : tensor<4xf8E4M3FN>) outs(%empty : tensor<4xf8E4M3FN>) (%a: f8E4M3FN, %o: f8E4M3FN) {
      %is = arith.cmpf olt, %a, %least : f8E4M3FN
      %c = scf.if %is -> (f8E4M3FN) {
        %t = tensor.extract %x[%first] : tensor<4xf8E4M3FN>
        %u = arith.divf %t, %a : f8E4M3FN
        %v = arith.negf %u : f8E4M3FN
        scf.yield %v : f8E4M3FN
      } else {
        scf.yield %a : f8E4M3FN
      }
      linalg.yield %c : f8E4M3FN
    }
    %sum = arith.extf %total : tensor<f8E4M3FN> to tensor<f32>
    %square = arith.mulf %sum, %sum : tensor<f32>
    %two = arith.constant dense<4.0> : tensor<f32>
    %third = arith.mulf %square, %two : tensor<f32>
    gpuvm.send %slice, %pad, %third, %chosen : tensor<2xf8E4M3FN>, tensor<6xf8E4M3FN>, tensor<f32>, tensor<4xf8E4M3FN>
  }
  %kept = gpuvm.stage @t() -> tensor<4xf8E4M3FN> {
    %kept = gpuvm.load @kept : tensor<4xf8E4M3FN>
    gpuvm.send %kept : tensor<4xf8E4M3FN>
  }
  gpuvm.return %y#0, %y#1, %y#2, %kept, %y#3 : !gpuvm.message<tensor<2xf8E4M3FN>>, !gpuvm.message<tensor<6xf8E4M3FN>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<4xf8E4M3FN>>, !gpuvm.message<tensor<4xf8E4M3FN>>
}
