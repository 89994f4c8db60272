// Symbols keep their values from one execution to the next; metadata; kernels.

// RUN: gpuvm-interpret %s --program=counter --input=x=i64=5 --output=total --output=sum --output=calls | FileCheck %s --check-prefix=ONCE
// RUN: gpuvm-interpret %s --program=counter --input=x=i64=5 --iterations=3 --output=total --output=sum --output=calls --output=before | FileCheck %s --check-prefix=THRICE
// RUN: gpuvm-interpret %s --program=slices --input=x=64xf32=7 --output=low --output=state --output_max_element_count=66 | FileCheck %s --check-prefix=SLICES
// RUN: gpuvm-interpret %s --program=bound --input=weights=3xf32=1,2,3 --input=x=3xf32=10,10,10 | FileCheck %s --check-prefix=BOUND
// RUN: gpuvm-interpret %s --program=metadata --input=x=4xf32=3,-4,0,12 --iterations=2 | FileCheck %s --check-prefix=METADATA
// RUN: gpuvm-interpret %s --program=metadata --input=x=4xf32=3,nan,0,12 | FileCheck %s --check-prefix=NAN
// RUN: gpuvm-interpret %s --program=bits --input=x=9xi1=1,1,0,1,1,1,1,1,1 | FileCheck %s --check-prefix=BITS
// RUN: gpuvm-interpret %s --program=integers --input=x=2xi8=-128,96 | FileCheck %s --check-prefix=INTEGERS
// RUN: gpuvm-interpret %s --program=kernels --input=x=4xf32=1,2,3,4 --output=doubled --output=kept | FileCheck %s --check-prefix=KERNELS

// ONCE: total: i64=5
// ONCE: sum: i64=105
// ONCE: calls: i32=1
// THRICE: total: i64=15
// THRICE: sum: i64=115
// THRICE: calls: i32=3
// THRICE: before: i64=10
gpuvm.program @counter(%x: tensor<i64>) -> (total: tensor<i64>) {
  gpuvm.register @before : tensor<i64>
  gpuvm.global @sum : tensor<i64> = dense<100> : tensor<i64>
  gpuvm.control @calls : tensor<i32>
  gpuvm.metric @seen : tensor<i64>
  %t = gpuvm.stage @add(%v = %x : tensor<i64>) -> tensor<i64> {
    %old = gpuvm.load @seen : tensor<i64>
    gpuvm.store %old, @before : tensor<i64>
    %new = arith.addi %old, %v : tensor<i64>
    gpuvm.store %new, @seen : tensor<i64>
    %s = gpuvm.load @sum : tensor<i64>
    %t = arith.addi %s, %v : tensor<i64>
    gpuvm.store %t, @sum : tensor<i64>
    // What was stored is what is loaded.
    %again = gpuvm.load @seen : tensor<i64>
    gpuvm.send %again : tensor<i64>
  }
  gpuvm.stage @count() {
    %one = arith.constant dense<1> : tensor<i32>
    %n = gpuvm.load @calls : tensor<i32>
    %m = arith.addi %n, %one : tensor<i32>
    gpuvm.store %m, @calls : tensor<i32>
  }
  gpuvm.return %t : !gpuvm.message<tensor<i64>>
}

// SLICES: low: 64xf32=1 1 {{.*}}
// SLICES: state: 128xf32=1 {{(1 )+}}7 7...
gpuvm.program @slices(%x: tensor<64xf32>) -> (low: tensor<64xf32>) {
  gpuvm.register @state : tensor<128xf32> = dense<1.0> : tensor<128xf32>
  %m = gpuvm.stage @patch(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    gpuvm.store %v, @state[64] : tensor<64xf32>
    %low = gpuvm.load @state[0] : tensor<64xf32>
    gpuvm.send %low : tensor<64xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<64xf32>>
}

// A heap symbol without a value is an input.
// BOUND: result0: 3xf32=20 40 60
gpuvm.program @bound(%x: tensor<3xf32>) -> tensor<3xf32> {
  gpuvm.heap @weights : tensor<3xf32>
  gpuvm.heap @two : tensor<3xf32> = dense<2.0> : tensor<3xf32>
  %m = gpuvm.stage @scale(%v = %x : tensor<3xf32>) -> tensor<3xf32> {
    %w = gpuvm.load @weights : tensor<3xf32>
    %t = gpuvm.load @two : tensor<3xf32>
    %p = arith.mulf %v, %w : tensor<3xf32>
    %q = arith.mulf %p, %t : tensor<3xf32>
    gpuvm.send %q : tensor<3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xf32>>
}

// METADATA: norm: f32=13
// METADATA: max_abs: f32=12
// METADATA: ticks: i64={{[1-9][0-9]*}}
// METADATA: status: i32=2
// METADATA: default: i32=0
// NAN: norm: f32=nan
// NAN: max_abs: f32=nan
// NAN: ticks: i64={{[1-9][0-9]*}}
gpuvm.program @metadata(%x: tensor<4xf32>) -> (norm: tensor<f32>, max_abs: tensor<f32>, ticks: tensor<i64>, status: tensor<i32>, default: tensor<i32>) {
  %m = gpuvm.stage @sender(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %attention = arith.constant dense<2> : tensor<i32>
    gpuvm.send %v : tensor<4xf32> status(%attention : tensor<i32>)
  }
  %n = gpuvm.stage @norm(%v = %m : !gpuvm.message<tensor<4xf32>>) -> tensor<f32> {
    %r = gpuvm.metadata norm of %v : tensor<4xf32> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  %a = gpuvm.stage @max_abs(%v = %m : !gpuvm.message<tensor<4xf32>>) -> tensor<f32> {
    %r = gpuvm.metadata max_abs of %v : tensor<4xf32> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  %t = gpuvm.stage @ticks(%v = %m : !gpuvm.message<tensor<4xf32>>) -> tensor<i64> {
    %r = gpuvm.metadata ticks of %v : tensor<4xf32> -> tensor<i64>
    gpuvm.send %r : tensor<i64>
  }
  %s = gpuvm.stage @status(%v = %m : !gpuvm.message<tensor<4xf32>>) -> tensor<i32> {
    %r = gpuvm.metadata status of %v : tensor<4xf32> -> tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  %d = gpuvm.stage @default(%v = %n : !gpuvm.message<tensor<f32>>) -> tensor<i32> {
    %r = gpuvm.metadata status of %v : tensor<f32> -> tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %n, %a, %t, %s, %d : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<i64>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i32>>
}

// The square root of eight, rounded to f32; a mask holds zeros and ones.
// BITS: result0: f32=2.828427
gpuvm.program @bits(%x: tensor<9xi1>) -> tensor<f32> {
  %m = gpuvm.stage @mask(%v = %x : tensor<9xi1>) -> tensor<9xi1> {
    gpuvm.send %v : tensor<9xi1>
  }
  %n = gpuvm.stage @norm(%v = %m : !gpuvm.message<tensor<9xi1>>) -> tensor<f32> {
    %r = gpuvm.metadata norm of %v : tensor<9xi1> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %n : !gpuvm.message<tensor<f32>>
}

// INTEGERS: norm: f32=160
// INTEGERS: max_abs: f32=128
gpuvm.program @integers(%x: tensor<2xi8>) -> (norm: tensor<f32>, max_abs: tensor<f32>) {
  %m = gpuvm.stage @sender(%v = %x : tensor<2xi8>) -> tensor<2xi8> {
    gpuvm.send %v : tensor<2xi8>
  }
  %n = gpuvm.stage @norm(%v = %m : !gpuvm.message<tensor<2xi8>>) -> tensor<f32> {
    %r = gpuvm.metadata norm of %v : tensor<2xi8> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  %a = gpuvm.stage @max_abs(%v = %m : !gpuvm.message<tensor<2xi8>>) -> tensor<f32> {
    %r = gpuvm.metadata max_abs of %v : tensor<2xi8> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %n, %a : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<f32>>
}

// Programs in the form the passes leave run too.
// KERNELS: doubled: 4xf32=2 4 6 8
// KERNELS: kept: 4xf32=2 4 6 8
gpuvm.program @kernels(%x: tensor<4xf32>) -> (doubled: tensor<4xf32>) {
  gpuvm.global @kept : tensor<4xf32>
  %y = flow.dispatch @double_0 map ["double"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    %r = arith.addf %in, %in : tensor<4xf32>
    gpuvm.yield %r : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %c = flow.copy %y ["double"] : tensor<4xf32>
  flow.expose %y as 30 of 0 : tensor<4xf32>
  gpuvm.store %c, @kept : tensor<4xf32>
  gpuvm.return %y : tensor<4xf32>
}
