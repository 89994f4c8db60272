// The conformance cases of the virtual machine: registers, scale, pipeline,
// several VMs, maxnorm and regulator, status and sums, the first query.

// RUN: gpuvm-interpret %s --program=registers --input=x=8xf32=1,2,3,4,5,6,7,8 --output=back --output=r5 | FileCheck %s --check-prefix=REGISTERS
// RUN: gpuvm-interpret %s --program=scale --input=r0=8xf32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=SCALE
// RUN: gpuvm-interpret %s --program=pipeline --input=r0=8xf32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=PIPELINE
// RUN: gpuvm-interpret %s --program=pipeline --input=r0=8xf32=10,20,30,40,50,60,70,80 | FileCheck %s --check-prefix=AGAIN
// RUN: gpuvm-interpret %s --program=affine --input=x=8xf32=1,2,3,4,5,6,7,8 --input=y=8xf32=-3,-1,0,1,3,-5,2,-0.5 | FileCheck %s --check-prefix=AFFINE
// RUN: gpuvm-interpret %s --program=affine --input=x=8xf32=10,20,30,40,50,60,70,80 --input=y=8xf32=0 | FileCheck %s --check-prefix=AFFINE10
// RUN: gpuvm-interpret %s --program=copy --input=x=4xf32=42,43,44,45 | FileCheck %s --check-prefix=COPY
// RUN: gpuvm-interpret %s --program=four --input=x=4xf32=1,2,3,4 | FileCheck %s --check-prefix=FOUR
// RUN: gpuvm-interpret %s --program=maxnorm --input=x=8xf32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=MAXNORM
// RUN: gpuvm-interpret %s --program=regulator --input=x=3xf32=30,0,0 | FileCheck %s --check-prefix=REGULATE30
// RUN: gpuvm-interpret %s --program=regulator --input=x=3xf32=0,12,0 | FileCheck %s --check-prefix=REGULATE12
// RUN: gpuvm-interpret %s --program=regulator --input=x=3xf32=0,0,8 | FileCheck %s --check-prefix=REGULATE8
// RUN: gpuvm-interpret %s --program=status --input=x=8xf32=1,2,3,4,5,6,7,8 --output=sum --output=seen --output=status | FileCheck %s --check-prefix=STATUS
// RUN: gpuvm-interpret %s --program=query --output=sum --output=count | FileCheck %s --check-prefix=QUERY

// Case 1:
// REGISTERS: back: 16xf32=1 2 3 4 5 6 7 8 0 0 0 0 0 0 0 0
// REGISTERS: r5: 16xf32=0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
gpuvm.program @registers(%x: tensor<8xf32>) -> (back: tensor<16xf32>) {
  gpuvm.register @r0 : tensor<16xf32>
  gpuvm.register @r5 : tensor<16xf32>
  gpuvm.stage @write(%v = %x : tensor<8xf32>) {
    %old = gpuvm.load @r0 : tensor<16xf32>
    %new = tensor.insert_slice %v into %old[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
    gpuvm.store %new, @r0 : tensor<16xf32>
  }
  %m = gpuvm.stage @read() -> tensor<16xf32> {
    %v = gpuvm.load @r0 : tensor<16xf32>
    gpuvm.send %v : tensor<16xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<16xf32>>
}

// Case 2:
// SCALE: r30: 8xf32=3 6 9 12 15 18 21 24
gpuvm.program @scale(%r0: tensor<8xf32>) -> (r30: tensor<8xf32>) {
  %m = gpuvm.stage @scale(%x = %r0 : tensor<8xf32>) -> tensor<8xf32> {
    %three = arith.constant dense<3.0> : tensor<8xf32>
    %y = arith.mulf %x, %three : tensor<8xf32>
    gpuvm.send %y : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// Case 3:
// PIPELINE: sent: 8xf32=2 4 6 8 10 12 14 16
// PIPELINE: received: 8xf32=2 4 6 8 10 12 14 16
// PIPELINE: result: 8xf32=-2 -4 -6 -8 -10 -12 -14 -16
// AGAIN: result: 8xf32=-20 -40 -60 -80 -100 -120 -140 -160
gpuvm.program @pipeline(%r0: tensor<8xf32>) -> (sent: tensor<8xf32>, received: tensor<8xf32>, result: tensor<8xf32>) {
  gpuvm.register @received : tensor<8xf32>
  %m = gpuvm.stage @vm0(%x = %r0 : tensor<8xf32>) -> tensor<8xf32> {
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %y = arith.mulf %x, %two : tensor<8xf32>
    gpuvm.send %y : tensor<8xf32>
  }
  %n = gpuvm.stage @vm1(%x = %m : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
    gpuvm.store %x, @received : tensor<8xf32>
    %minus = arith.constant dense<-1.0> : tensor<8xf32>
    %y = arith.mulf %x, %minus : tensor<8xf32>
    gpuvm.send %y : tensor<8xf32>
  }
  %r31 = gpuvm.load @received : tensor<8xf32>
  gpuvm.return %m, %r31, %n : !gpuvm.message<tensor<8xf32>>, tensor<8xf32>, !gpuvm.message<tensor<8xf32>>
}

// Case 4:
// AFFINE: affine: 8xf32=3 5 7 9 11 13 15 17
// AFFINE: relu: 8xf32=0 0 0 1 3 0 2 0
// AFFINE10: affine: 8xf32=21 41 61 81 101 121 141 161
gpuvm.program @affine(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (affine: tensor<8xf32>, relu: tensor<8xf32>) {
  %m = gpuvm.stage @affine(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    %two = arith.constant dense<2.0> : tensor<8xf32>
    %one = arith.constant dense<1.0> : tensor<8xf32>
    %p = arith.mulf %v, %two : tensor<8xf32>
    %r = arith.addf %p, %one : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  %n = gpuvm.stage @relu(%v = %y : tensor<8xf32>) -> tensor<8xf32> {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %r = arith.maximumf %v, %zero : tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %m, %n : !gpuvm.message<tensor<8xf32>>, !gpuvm.message<tensor<8xf32>>
}

// COPY: result0: 8xf32=0 0 42 43 44 45 0 0
gpuvm.program @copy(%x: tensor<4xf32>) -> tensor<8xf32> {
  %m = gpuvm.stage @copy(%v = %x : tensor<4xf32>) -> tensor<8xf32> {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %r = tensor.insert_slice %v into %zero[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    gpuvm.send %r : tensor<8xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<8xf32>>
}

// FOUR: a: 4xf32=2 3 4 5
// FOUR: d: 4xf32=2 3 4 5
gpuvm.program @four(%x: tensor<4xf32>) -> (a: tensor<4xf32>, b: tensor<4xf32>, c: tensor<4xf32>, d: tensor<4xf32>) {
  %a = gpuvm.stage @vm0(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.addf %v, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %b = gpuvm.stage @vm1(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.addf %v, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %c = gpuvm.stage @vm2(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.addf %v, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  %d = gpuvm.stage @vm3(%v = %x : tensor<4xf32>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.addf %v, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %a, %b, %c, %d : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>
}

// Case 5:
// MAXNORM: result0: f32=8
gpuvm.program @maxnorm(%x: tensor<8xf32>) -> tensor<f32> {
  %m = gpuvm.stage @sender(%v = %x : tensor<8xf32>) -> tensor<8xf32> {
    gpuvm.send %v : tensor<8xf32>
  }
  %n = gpuvm.stage @maxnorm(%v = %m : !gpuvm.message<tensor<8xf32>>) -> tensor<f32> {
    %r = gpuvm.metadata max_abs of %v : tensor<8xf32> -> tensor<f32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %n : !gpuvm.message<tensor<f32>>
}

// Target 10, low 5, high 20: outside, the scale brings the norm to the target.
// REGULATE30: scale: f32=0.33333334
// REGULATE30: inside: i1=0
// REGULATE12: scale: f32=1
// REGULATE12: inside: i1=1
// REGULATE8: scale: f32=1
// REGULATE8: inside: i1=1
gpuvm.program @regulator(%x: tensor<3xf32>) -> (scale: tensor<f32>, inside: tensor<i1>) {
  gpuvm.metric @inside : tensor<i1>
  %m = gpuvm.stage @sender(%v = %x : tensor<3xf32>) -> tensor<3xf32> {
    gpuvm.send %v : tensor<3xf32>
  }
  %s = gpuvm.stage @regulator(%v = %m : !gpuvm.message<tensor<3xf32>>) -> tensor<f32> {
    %norm = gpuvm.metadata norm of %v : tensor<3xf32> -> tensor<f32>
    %low = arith.constant dense<5.0> : tensor<f32>
    %high = arith.constant dense<20.0> : tensor<f32>
    %target = arith.constant dense<10.0> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %a = arith.cmpf oge, %norm, %low : tensor<f32>
    %b = arith.cmpf ole, %norm, %high : tensor<f32>
    %in = arith.andi %a, %b : tensor<i1>
    %q = arith.divf %target, %norm : tensor<f32>
    %r = arith.select %in, %one, %q : tensor<i1>, tensor<f32>
    gpuvm.store %in, @inside : tensor<i1>
    gpuvm.send %r : tensor<f32>
  }
  %f = gpuvm.load @inside : tensor<i1>
  gpuvm.return %s, %f : !gpuvm.message<tensor<f32>>, tensor<i1>
}

// Case 8:
// STATUS: sum: f32=36
// STATUS: seen: i32=3
// STATUS: status: i32=0
gpuvm.program @status(%x: tensor<8xf32>) -> (sum: tensor<f32>) {
  gpuvm.metric @status : tensor<i32>
  gpuvm.metric @seen : tensor<i32>
  %m = gpuvm.stage @sum(%v = %x : tensor<8xf32>) -> tensor<f32> {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %three = arith.constant dense<3> : tensor<i32>
    %r = linalg.reduce { arith.addf } ins(%v : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    gpuvm.send %r : tensor<f32> status(%three : tensor<i32>)
  }
  gpuvm.stage @see(%v = %m : !gpuvm.message<tensor<f32>>) {
    %s = gpuvm.metadata status of %v : tensor<f32> -> tensor<i32>
    gpuvm.store %s, @seen : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<f32>>
}

// Case 9: SELECT SUM(salary), COUNT(*) WHERE salary > 128, salaries 1 to 256.
// QUERY: sum: f32=24640
// QUERY: count: i32=128
gpuvm.program @query() -> (sum: tensor<f32>) {
  gpuvm.metric @count : tensor<i32>
  %salary = gpuvm.stage @table() -> tensor<256xf32> {
    %e = tensor.empty() : tensor<256xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<256xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %one = arith.constant 1 : index
      %k = arith.addi %i, %one : index
      %w = arith.index_cast %k : index to i32
      %f = arith.sitofp %w : i32 to f32
      linalg.yield %f : f32
    } -> tensor<256xf32>
    gpuvm.send %r : tensor<256xf32>
  }
  %kept = gpuvm.stage @filter(%s = %salary : !gpuvm.message<tensor<256xf32>>) -> tensor<256xi1> {
    %limit = arith.constant dense<128.0> : tensor<256xf32>
    %m = arith.cmpf ogt, %s, %limit : tensor<256xf32>
    gpuvm.send %m : tensor<256xi1>
  }
  %sum = gpuvm.stage @aggregate(%k = %kept : !gpuvm.message<tensor<256xi1>>, %s = %salary : !gpuvm.message<tensor<256xf32>>) -> tensor<f32> {
    %fzero = arith.constant dense<0.0> : tensor<f32>
    %izero = arith.constant dense<0> : tensor<i32>
    %none = arith.constant dense<0.0> : tensor<256xf32>
    %v = arith.select %k, %s, %none : tensor<256xi1>, tensor<256xf32>
    %n = arith.extui %k : tensor<256xi1> to tensor<256xi32>
    %r = linalg.reduce { arith.addf } ins(%v : tensor<256xf32>) outs(%fzero : tensor<f32>) dimensions = [0]
    %c = linalg.reduce { arith.addi } ins(%n : tensor<256xi32>) outs(%izero : tensor<i32>) dimensions = [0]
    gpuvm.store %c, @count : tensor<i32>
    gpuvm.send %r : tensor<f32>
  }
  gpuvm.return %sum : !gpuvm.message<tensor<f32>>
}
