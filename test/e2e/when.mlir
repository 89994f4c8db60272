// Stages that run on a condition which the device computes: chosen messages,
// stores, statuses, chains of conditions, conditions of instances, loops that
// would not end for what nobody needs.

// RUN: split-file %s %t
// RUN: gpuvm-compile %t/chosen.mlir -o %t/chosen.gvplan
// RUN: gpuvm-compile %t/chosen.mlir -o %t/alone.gvplan --disable-fusion --chains=never

// Both conditions hold, one of them, none.
// RUN: gpuvm-run %t/chosen.gvplan --validate --input=x=4xf32=1,-30,3,4 | FileCheck %s --check-prefix=BOTH
// RUN: gpuvm-run %t/alone.gvplan --validate --input=x=4xf32=1,-30,3,4 | FileCheck %s --check-prefix=BOTH
// RUN: gpuvm-interpret %t/chosen.mlir --input=x=4xf32=1,-30,3,4 | FileCheck %s --check-prefix=BOTH
// RUN: gpuvm-run %t/chosen.gvplan --validate --input=x=4xf32=1,2,3,12 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t/alone.gvplan --validate --input=x=4xf32=1,2,3,12 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-interpret %t/chosen.mlir --input=x=4xf32=1,2,3,12 | FileCheck %s --check-prefix=ONE
// RUN: gpuvm-run %t/chosen.gvplan --validate --input=x=4xf32=1,2,3,4 | FileCheck %s --check-prefix=NONE
// RUN: gpuvm-run %t/alone.gvplan --validate --input=x=4xf32=1,2,3,4 | FileCheck %s --check-prefix=NONE
// RUN: gpuvm-interpret %t/chosen.mlir --input=x=4xf32=1,2,3,4 | FileCheck %s --check-prefix=NONE

// BOTH-DAG: y: 4xf32=2 -60 6 8
// BOTH-DAG: z: 4xf32=3 -59 7 9
// BOTH-DAG: seen: i32=2
// BOTH-DAG: state: 4xf32=1 -30 3 4
// BOTH-DAG: log: 3xi32=0 7 0
// ONE-DAG: y: 4xf32=2 4 6 24
// ONE-DAG: z: 4xf32=2 4 6 24
// ONE-DAG: seen: i32=2
// ONE-DAG: state: 4xf32=1 2 3 12
// ONE-DAG: log: 3xi32=0 7 0
// NONE-DAG: y: 4xf32=1 2 3 4
// NONE-DAG: z: 4xf32=1 2 3 4
// NONE-DAG: seen: i32=0
// NONE-DAG: state: 4xf32=9 9 9 9
// NONE-DAG: log: 3xi32=0 0 0

//--- chosen.mlir
gpuvm.program @chosen(%x: tensor<4xf32>)
    -> (y: tensor<4xf32>, z: tensor<4xf32>, seen: tensor<i32>, state: tensor<4xf32>, log: tensor<3xi32>) {
  gpuvm.global @state : tensor<4xf32> = dense<9.0> : tensor<4xf32>
  gpuvm.global @log : tensor<3xi32>
  %large, %negative = gpuvm.stage @judge(%v = %x : tensor<4xf32>)
      -> (tensor<i1>, tensor<i1>) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %ten = arith.constant dense<10.0> : tensor<f32>
    %most = linalg.reduce ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
        (%e: f32, %m: f32) {
          %a = math.absf %e : f32
          %n = arith.maximumf %a, %m : f32
          linalg.yield %n : f32
        }
    %least = linalg.reduce { arith.minimumf } ins(%v : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    %l = arith.cmpf ogt, %most, %ten : tensor<f32>
    %n = arith.cmpf olt, %least, %zero : tensor<f32>
    gpuvm.send %l, %n : tensor<i1>, tensor<i1>
  }
  %y = gpuvm.stage @double when(%large : !gpuvm.message<tensor<i1>>) (%v = %x : tensor<4xf32>)
      -> tensor<4xf32> {
    %r = arith.addf %v, %v : tensor<4xf32>
    %two = arith.constant dense<2> : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %seven = arith.constant dense<7> : tensor<1xi32>
    gpuvm.store %v, @state : tensor<4xf32>
    gpuvm.store %seven, @log[%one] : tensor<1xi32>
    gpuvm.send %r : tensor<4xf32> else %v : tensor<4xf32> status(%two : tensor<i32>)
  }
  %z = gpuvm.stage @raise when(%negative : !gpuvm.message<tensor<i1>>)
      (%v = %y : !gpuvm.message<tensor<4xf32>>) -> tensor<4xf32> {
    %one = arith.constant dense<1.0> : tensor<4xf32>
    %r = arith.addf %v, %one : tensor<4xf32>
    gpuvm.send %r : tensor<4xf32> else %v : tensor<4xf32>
  }
  %seen = gpuvm.stage @status(%v = %y : !gpuvm.message<tensor<4xf32>>) -> tensor<i32> {
    %s = gpuvm.metadata status of %v : tensor<4xf32> -> tensor<i32>
    gpuvm.send %s : tensor<i32>
  }
  %state, %log = gpuvm.stage @after() -> (tensor<4xf32>, tensor<3xi32>) {
    %s = gpuvm.load @state : tensor<4xf32>
    %l = gpuvm.load @log : tensor<3xi32>
    gpuvm.send %s, %l : tensor<4xf32>, tensor<3xi32>
  }
  gpuvm.return %y, %z, %seen, %state, %log : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<4xf32>>,
      !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<3xi32>>
}

// Instances: each has its own condition, or all have one. A loop that would not
// end runs only where it does.

// RUN: gpuvm-compile %t/instances.mlir -o %t/instances.gvplan
// RUN: gpuvm-run %t/instances.gvplan --validate --input=x=4x2xi32=8,6,7,0,12,3,5,1 --input=active=4xi1=1,0,1,0 --input=all=i1=1 | FileCheck %s --check-prefix=INST
// RUN: gpuvm-interpret %t/instances.mlir --input=x=4x2xi32=8,6,7,0,12,3,5,1 --input=active=4xi1=1,0,1,0 --input=all=i1=1 | FileCheck %s --check-prefix=INST
// RUN: gpuvm-run %t/instances.gvplan --validate --input=x=4x2xi32=8,6,7,0,12,3,5,1 --input=active=4xi1=0 --input=all=i1=0 | FileCheck %s --check-prefix=PARKED
// RUN: gpuvm-interpret %t/instances.mlir --input=x=4x2xi32=8,6,7,0,12,3,5,1 --input=active=4xi1=0 --input=all=i1=0 | FileCheck %s --check-prefix=PARKED
// INST-DAG: gcd: 4xi32=2 -1 3 -1
// INST-DAG: scaled: 4xi32=20 -10 30 -10
// PARKED-DAG: gcd: 4xi32=-1 -1 -1 -1
// PARKED-DAG: scaled: 4xi32=-1 -1 -1 -1

//--- instances.mlir
gpuvm.program @instances(%x: tensor<4x2xi32>, %active: tensor<4xi1>, %all: tensor<i1>)
    -> (gcd: tensor<4xi32>, scaled: tensor<4xi32>) {
  %none = gpuvm.stage @none() -> tensor<4xi32> {
    %n = arith.constant dense<-1> : tensor<4xi32>
    gpuvm.send %n : tensor<4xi32>
  }
  %gcd = gpuvm.stage @gcd instances(4) when(%active : tensor<4xi1>)
      (%v = %x : tensor<4x2xi32>, %old = %none : !gpuvm.message<tensor<4xi32>>) -> tensor<4xi32> {
    %first = tensor.extract_slice %v[0] [1] [1] : tensor<2xi32> to tensor<i32>
    %second = tensor.extract_slice %v[1] [1] [1] : tensor<2xi32> to tensor<i32>
    %empty = tensor.empty() : tensor<i32>
    %g = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                         iterator_types = []}
        ins(%first, %second : tensor<i32>, tensor<i32>) outs(%empty : tensor<i32>) {
    ^bb0(%a: i32, %b: i32, %o: i32):
      %zero = arith.constant 0 : i32
      // By subtraction: without an end for 7 and 0.
      %r:2 = scf.while (%p = %a, %q = %b) : (i32, i32) -> (i32, i32) {
        %goes = arith.cmpi ne, %p, %q : i32
        scf.condition(%goes) %p, %q : i32, i32
      } do {
      ^bb0(%p: i32, %q: i32):
        %less = arith.cmpi slt, %p, %q : i32
        %pq = arith.subi %p, %q : i32
        %qp = arith.subi %q, %p : i32
        %np = arith.select %less, %p, %pq : i32
        %nq = arith.select %less, %qp, %q : i32
        scf.yield %np, %nq : i32, i32
      }
      linalg.yield %r#0 : i32
    } -> tensor<i32>
    gpuvm.send %g : tensor<i32> else %old : tensor<i32>
  }
  %scaled = gpuvm.stage @scale instances(4) when(shared %all : tensor<i1>)
      (%v = %gcd : !gpuvm.message<tensor<4xi32>>) -> tensor<4xi32> {
    %ten = arith.constant dense<10> : tensor<i32>
    %r = arith.muli %v, %ten : tensor<i32>
    gpuvm.send %r : tensor<i32> else %v : tensor<i32>
  }
  gpuvm.return %gcd, %scaled : !gpuvm.message<tensor<4xi32>>, !gpuvm.message<tensor<4xi32>>
}
