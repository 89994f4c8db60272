// A bug planted in a program of 130 lines comes out in fewer than 25: --exact
// refuses a function in a body that reads a table.

// RUN: gpuvm-reduce %s -o %t.mlir --test='gpuvm-opt --gpuvm-generalize --gpuvm-make-exact {} 2>&1 | grep "math.exp.*does not give the same bits" && grep tensor.extract {}'
// RUN: %python -c "import sys; sys.exit(len(open(sys.argv[1]).readlines()) >= 25)" %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK: gpuvm.program
// CHECK: stage @look_up
// CHECK: math.exp
// CHECK: tensor.extract
// CHECK-NOT: stage @

// Without a path in it, the command gets it as its last argument. What does not
// hold at all is said.
// RUN: gpuvm-reduce %s --test='grep -q " sort "' | FileCheck %s --check-prefix=SORT
// RUN: not gpuvm-reduce %s --test='grep -q " fft "' 2>&1 | FileCheck %s --check-prefix=NONE
// SORT: sort
// SORT-NOT: scan
// NONE: gpuvm-reduce: error: The test does not hold of the program itself: "grep -q " fft "" does not exit with 0

#row = affine_map<(i) -> (i)>
!all = tensor<64xf32>
!words = tensor<64xi32>

gpuvm.program @planted(%x: !all, %y: !all, %at: !words, %limit: tensor<f32>)
    -> (total: tensor<f32>, picked: !all, order: !words, sums: !words, counts: tensor<8xi32>, state: !all) {
  gpuvm.global @memory : !all
  %scaled = gpuvm.stage @scale(%v = %x : !all, %w = %y : !all) -> !all {
    %two = arith.constant dense<2.0> : !all
    %a = arith.mulf %v, %two : !all
    %b = arith.addf %a, %w : !all
    %c = arith.subf %b, %v : !all
    gpuvm.send %c : !all
  }
  %kept:2 = gpuvm.stage @filter(%v = %scaled : !gpuvm.message<!all>, %most = %limit : tensor<f32>) -> (!all, tensor<i32>) {
    %e = tensor.empty() : tensor<64xi1>
    %empty = tensor.empty() : !all
    %wide = linalg.broadcast ins(%most : tensor<f32>) outs(%empty : !all) dimensions = [0]
    %keep = arith.cmpf olt, %v, %wide : !all
    %k, %n = gpuvm.compact %v where %keep : (!all, tensor<64xi1>) -> (!all, tensor<i32>)
    gpuvm.send %k, %n : !all, tensor<i32>
  }
  %ordered:2 = gpuvm.stage @order(%v = %kept#0 : !gpuvm.message<!all>) -> (!all, !words) {
    %s, %n = gpuvm.sort %v numbers : !all
    gpuvm.send %s, %n : !all, !words
  }
  %summed = gpuvm.stage @sum(%v = %ordered#1 : !gpuvm.message<!words>) -> !words {
    %s = gpuvm.scan %v dimension 0 : (!words) -> !words {
    ^bb0(%before: i32, %next: i32):
      %p = arith.addi %before, %next : i32
      gpuvm.yield %p : i32
    }
    gpuvm.send %s : !words
  }
  %found = gpuvm.stage @look_up(%v = %ordered#0 : !gpuvm.message<!all>, %a = %at : !words) -> !all {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
        ins(%a, %v : !words, !all) outs(%e : !all) {
    ^bb0(%p: i32, %own: f32, %unused: f32):
      %mask = arith.constant 63 : i32
      %low = arith.andi %p, %mask : i32
      %i = arith.index_cast %low : i32 to index
      %one = arith.constant 1.0 : f32
      %h = math.exp %own : f32
      %g = tensor.extract %v[%i] : !all
      %d = arith.subf %g, %h : f32
      %q = arith.mulf %d, %d : f32
      %l = arith.addf %q, %one : f32
      linalg.yield %l : f32
    } -> !all
    gpuvm.send %r : !all
  }
  %binned = gpuvm.stage @histogram(%v = %summed : !gpuvm.message<!words>) -> tensor<8xi32> {
    %seven = arith.constant dense<7> : !words
    %ones = arith.constant dense<1> : !words
    %none = arith.constant dense<0> : tensor<8xi32>
    %bins = arith.andi %v, %seven : !words
    %c = gpuvm.scatter add %ones at %bins into %none : (!words, !words, tensor<8xi32>) -> tensor<8xi32>
    gpuvm.send %c : tensor<8xi32>
  }
  %smooth = gpuvm.stage @smooth(%v = %found : !gpuvm.message<!all>, %w = %scaled : !gpuvm.message<!all>) -> !all {
    %e = tensor.empty() : !all
    %half = arith.constant 0.5 : f32
    %r = linalg.map ins(%v, %w : !all, !all) outs(%e : !all) (%p: f32, %q: f32, %o: f32) {
      %s = arith.addf %p, %q : f32
      %t = arith.mulf %s, %half : f32
      %small = arith.cmpf olt, %t, %half : f32
      %u = scf.if %small -> f32 {
        %n = arith.negf %t : f32
        scf.yield %n : f32
      } else {
        scf.yield %t : f32
      }
      linalg.yield %u : f32
    }
    gpuvm.send %r : !all
  }
  %kept_state = gpuvm.stage @remember(%v = %smooth : !gpuvm.message<!all>) -> !all {
    %old = gpuvm.load @memory : !all
    %new = arith.addf %old, %v : !all
    gpuvm.store %new, @memory : !all
    gpuvm.send %new : !all
  }
  %total = gpuvm.stage @total(%v = %kept_state : !gpuvm.message<!all>, %n = %kept#1 : !gpuvm.message<tensor<i32>>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%v : !all) outs(%zero : tensor<f32>) dimensions = [0]
    %f = arith.sitofp %n : tensor<i32> to tensor<f32>
    %d = arith.mulf %s, %f : tensor<f32>
    gpuvm.send %d : tensor<f32>
  }
  gpuvm.return %total, %smooth, %ordered#1, %summed, %binned, %kept_state
      : !gpuvm.message<tensor<f32>>, !gpuvm.message<!all>, !gpuvm.message<!words>, !gpuvm.message<!words>,
        !gpuvm.message<tensor<8xi32>>, !gpuvm.message<!all>
}

// Programs that have nothing to do with it.
gpuvm.program @first(%x: !all) -> (y: !all) {
  %m = gpuvm.stage @work(%v = %x : !all) -> !all {
    %r = arith.negf %v : !all
    gpuvm.send %r : !all
  }
  gpuvm.return %m : !gpuvm.message<!all>
}

gpuvm.program @last(%x: !words) -> (y: !words) {
  %m = gpuvm.stage @work(%v = %x : !words) -> !words {
    %r = arith.addi %v, %v : !words
    %s = arith.muli %r, %v : !words
    gpuvm.send %s : !words
  }
  gpuvm.return %m : !gpuvm.message<!words>
}
