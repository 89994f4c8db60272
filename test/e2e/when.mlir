// Stages that run on a condition which the device computes: chosen messages,
// stores, statuses, chains of conditions, conditions of instances, loops that
// would not end for what nobody needs.

// RUN: split-file %s %t
// RUN: gpuvm-compile %t/chosen.mlir -o %t/chosen.gvplan
// RUN: gpuvm-compile %t/chosen.mlir -o %t/alone.gvplan --fusion=stages --chains=never --park=always
// RUN: gpuvm-plan show %t/alone.gvplan | FileCheck %s --check-prefix=PLAN
// PLAN: kernel double_map_1_counts
// PLAN: dispatch_indirect for stage "double"
// PLAN-NEXT: groups from control[0..12)
// PLAN-NEXT: kernel double_map_1
// RUN: gpuvm-run %t/alone.gvplan --validate --input=x=4xf32=1,2,3,4 --iterations=3 | FileCheck %s --check-prefix=NONE

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

// A stage of several kernels, worth parking, which wait for a condition that is
// known after they could have begun. What comes out of it in the end stays where
// what is sent else is.

// RUN: gpuvm-compile %t/large.mlir -o %t/large.gvplan
// RUN: gpuvm-plan show %t/large.gvplan | FileCheck %s --check-prefix=LARGE
// LARGE-COUNT-2: dispatch_indirect for stage "heavy"
// RUN: gpuvm-compile %t/large.mlir -o %t/never.gvplan --park=never
// RUN: gpuvm-plan show %t/never.gvplan | FileCheck %s --check-prefix=NEVER
// NEVER-NOT: dispatch_indirect
// RUN: gpuvm-run %t/large.gvplan --validate --input=x=4194304xi32=3 --input=limit=i32=4 | FileCheck %s --check-prefix=SKIPPED
// RUN: gpuvm-interpret %t/large.mlir --input=x=4194304xi32=3 --input=limit=i32=4 | FileCheck %s --check-prefix=SKIPPED
// RUN: gpuvm-run %t/large.gvplan --validate --input=x=4194304xi32=3 --input=limit=i32=2 | FileCheck %s --check-prefix=RUNS
// RUN: gpuvm-interpret %t/large.mlir --input=x=4194304xi32=3 --input=limit=i32=2 | FileCheck %s --check-prefix=RUNS
// SKIPPED: first: 2xi32=4 4
// SKIPPED-NEXT: last: 2xi32=4 4
// RUNS: first: 2xi32=4 8
// RUNS-NEXT: last: 2xi32=16777212 16777216

//--- large.mlir
gpuvm.program @large(%x: tensor<4194304xi32>, %limit: tensor<i32>) -> (first: tensor<2xi32>, last: tensor<2xi32>) {
  %ready = gpuvm.stage @ready(%v = %x : tensor<4194304xi32>) -> tensor<4194304xi32> {
    %one = arith.constant dense<1> : tensor<4194304xi32>
    %r = arith.addi %v, %one : tensor<4194304xi32>
    gpuvm.send %r : tensor<4194304xi32>
  }
  %goes = gpuvm.stage @judge(%v = %x : tensor<4194304xi32>, %l = %limit : tensor<i32>) -> tensor<i1> {
    %zero = arith.constant dense<0> : tensor<i32>
    %most = linalg.reduce { arith.maxsi } ins(%v : tensor<4194304xi32>) outs(%zero : tensor<i32>) dimensions = [0]
    %g = arith.cmpi sgt, %most, %l : tensor<i32>
    gpuvm.send %g : tensor<i1>
  }
  %y = gpuvm.stage @heavy when(%goes : !gpuvm.message<tensor<i1>>)
      (%v = %ready : !gpuvm.message<tensor<4194304xi32>>) -> tensor<4194304xi32> {
    %sums = gpuvm.scan %v dimension 0 : (tensor<4194304xi32>) -> tensor<4194304xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      gpuvm.yield %c : i32
    }
    %again = gpuvm.scan %sums dimension 0 : (tensor<4194304xi32>) -> tensor<4194304xi32> {
    ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      gpuvm.yield %c : i32
    }
    gpuvm.send %again : tensor<4194304xi32> else %v : tensor<4194304xi32>
  }
  %first, %last = gpuvm.stage @ends(%v = %y : !gpuvm.message<tensor<4194304xi32>>) -> (tensor<2xi32>, tensor<2xi32>) {
    %f = tensor.extract_slice %v[0] [2] [1] : tensor<4194304xi32> to tensor<2xi32>
    %l = tensor.extract_slice %v[4194302] [2] [1] : tensor<4194304xi32> to tensor<2xi32>
    gpuvm.send %f, %l : tensor<2xi32>, tensor<2xi32>
  }
  gpuvm.return %first, %last : !gpuvm.message<tensor<2xi32>>, !gpuvm.message<tensor<2xi32>>
}
