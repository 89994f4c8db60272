// What a read outside of a table gets may be anything as long as it is selected
// away: on the device and in the interpreter.

// RUN: split-file %s %t
// RUN: gpuvm-compile %t/selected.mlir -o %t/selected.gvplan
// RUN: gpuvm-run %t/selected.gvplan --validate --input=x=5xi32=5,6,7,8,9 --input=d=i32=1 | FileCheck %s
// RUN: gpuvm-interpret %t/selected.mlir --input=x=5xi32=5,6,7,8,9 --input=d=i32=1 | FileCheck %s
// CHECK: body: 5xi32=-1 5 6 7 8
// CHECK-NEXT: after: 5xi32=0 5 6 7 8
// CHECK-NEXT: and: 5xi1=0 1 0 1 0
// CHECK-NEXT: branch: 5xi32=-2 6 7 8 9
// CHECK-NEXT: sum: i32=26
// RUN: gpuvm-run %t/selected.gvplan --validate --input=x=5xi32=5,6,7,8,9 --input=d=i32=3 | FileCheck %s --check-prefix=FAR
// RUN: gpuvm-interpret %t/selected.mlir --input=x=5xi32=5,6,7,8,9 --input=d=i32=3 | FileCheck %s --check-prefix=FAR
// FAR: body: 5xi32=-1 -1 -1 5 6
// FAR-NEXT: after: 5xi32=0 0 0 5 6
// FAR-NEXT: and: 5xi1=0 0 0 1 0
// FAR-NEXT: branch: 5xi32=-2 -2 -2 6 7
// FAR-NEXT: sum: i32=11

// Where it would decide, the interpreter says so, at the read.
// RUN: not gpuvm-interpret %t/decides.mlir --program=result --input=x=5xi32=5 2>&1 | FileCheck %s --check-prefixes=READ,RESULT
// RUN: not gpuvm-interpret %t/decides.mlir --program=branch --input=x=5xi32=5 2>&1 | FileCheck %s --check-prefixes=READ,BRANCH
// RUN: not gpuvm-interpret %t/decides.mlir --program=division --input=x=5xi32=5 2>&1 | FileCheck %s --check-prefixes=READ,DIVISION
// RUN: not gpuvm-interpret %t/decides.mlir --program=sum --input=x=5xi32=5 2>&1 | FileCheck %s --check-prefixes=READ,SUM
// RUN: not gpuvm-interpret %t/decides.mlir --program=sort --input=x=5xi32=5 2>&1 | FileCheck %s --check-prefixes=READ,SORT
// RUN: not gpuvm-interpret %t/decides.mlir --program=rows --input=n=i32=2 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: gpuvm-interpret %t/decides.mlir --program=rows --input=n=i32=3 | FileCheck %s --check-prefix=THERE
// READ: error: 'tensor.extract' op reads index 5 of a dimension of size 5, and what it gets is not selected away
// RESULT: note: this depends on it
// RESULT-NEXT: gpuvm.return
// BRANCH: note: this depends on it
// BRANCH-NEXT: scf.if
// DIVISION: note: this depends on it
// DIVISION-NEXT: arith.divsi
// SUM: note: this depends on it
// SUM-NEXT: linalg.reduce
// SORT: note: this depends on it
// SORT-NEXT: gpuvm.sort
// ROWS: error: 'gpuvm.gather' op picks row 2 of 2, and what it gets is not selected away
// THERE: y: 3xi32=1 2 3

//--- selected.mlir
#row = affine_map<(i) -> (i)>
!all = tensor<5xi32>
!flags = tensor<5xi1>

gpuvm.program @selected(%x: !all, %d: tensor<i32>) -> (body: !all, after: !all, and: !flags, branch: !all, sum: tensor<i32>) {
  %r:5 = gpuvm.stage @shift(%p = %x : !all, %by = %d : tensor<i32>) -> (!all, !all, !flags, !all, tensor<i32>) {
    %e = tensor.empty() : !all
    %f = tensor.empty() : !flags
    %distance = tensor.extract %by[] : tensor<i32>
    %body, %read, %inside, %and, %branch = linalg.generic {indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        outs(%e, %e, %f, %f, %e : !all, !all, !flags, !flags, !all) {
    ^bb0(%a: i32, %b: i32, %c: i1, %g: i1, %h: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %minus = arith.constant -1 : i32
      %none = arith.constant -2 : i32
      %at = linalg.index 0 : index
      %i = arith.index_cast %at : index to i32
      %far = arith.subi %i, %distance : i32
      %k = arith.index_cast %far : i32 to index
      %there = arith.cmpi sge, %far, %zero : i32
      %v = tensor.extract %p[%k] : !all
      %s = arith.select %there, %v, %minus : i32
      %bit = arith.andi %v, %one : i32
      %odd = arith.cmpi eq, %bit, %one : i32
      %both = arith.andi %there, %odd : i1
      %next = arith.addi %v, %one : i32
      %taken = scf.if %there -> i32 {
        scf.yield %next : i32
      } else {
        scf.yield %none : i32
      }
      linalg.yield %s, %v, %there, %both, %taken : i32, i32, i1, i1, i32
    } -> (!all, !all, !flags, !flags, !all)
    %zeros = arith.constant dense<0> : !all
    %after = arith.select %inside, %read, %zeros : !flags, !all
    %start = arith.constant dense<0> : tensor<i32>
    %sum = linalg.reduce { arith.addi } ins(%after : !all) outs(%start : tensor<i32>) dimensions = [0]
    gpuvm.send %body, %after, %and, %branch, %sum : !all, !all, !flags, !all, tensor<i32>
  }
  gpuvm.return %r#0, %r#1, %r#2, %r#3, %r#4
      : !gpuvm.message<!all>, !gpuvm.message<!all>, !gpuvm.message<!flags>, !gpuvm.message<!all>, !gpuvm.message<tensor<i32>>
}

//--- decides.mlir
#row = affine_map<(i) -> (i)>
!all = tensor<5xi32>

gpuvm.program @result(%x: !all) -> (y: !all) {
  %m = gpuvm.stage @s(%p = %x : !all) -> !all {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : !all) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : index
      %i = linalg.index 0 : index
      %k = arith.addi %i, %one : index
      %v = tensor.extract %p[%k] : !all
      linalg.yield %v : i32
    } -> !all
    gpuvm.send %r : !all
  }
  gpuvm.return %m : !gpuvm.message<!all>
}

gpuvm.program @branch(%x: !all) -> (y: !all) {
  %m = gpuvm.stage @s(%p = %x : !all) -> !all {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : !all) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %i = linalg.index 0 : index
      %k = arith.addi %i, %one : index
      %v = tensor.extract %p[%k] : !all
      %c = arith.cmpi eq, %v, %zero : i32
      %w = scf.if %c -> i32 {
        scf.yield %zero : i32
      } else {
        scf.yield %zero : i32
      }
      linalg.yield %w : i32
    } -> !all
    gpuvm.send %r : !all
  }
  gpuvm.return %m : !gpuvm.message<!all>
}

gpuvm.program @division(%x: !all) -> (y: !all) {
  %m = gpuvm.stage @s(%p = %x : !all) -> !all {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : !all) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %five = arith.constant 5 : index
      %i = linalg.index 0 : index
      %k = arith.addi %i, %one : index
      %v = tensor.extract %p[%k] : !all
      %q = arith.divsi %zero, %v : i32
      %c = arith.cmpi ult, %k, %five : index
      %w = arith.select %c, %q, %zero : i32
      linalg.yield %w : i32
    } -> !all
    gpuvm.send %r : !all
  }
  gpuvm.return %m : !gpuvm.message<!all>
}

gpuvm.program @sum(%x: !all) -> (y: tensor<i32>) {
  %m = gpuvm.stage @s(%p = %x : !all) -> tensor<i32> {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : !all) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : index
      %i = linalg.index 0 : index
      %k = arith.addi %i, %one : index
      %v = tensor.extract %p[%k] : !all
      linalg.yield %v : i32
    } -> !all
    %zeros = arith.constant dense<0> : tensor<20x5xi32>
    %start = arith.constant dense<0> : tensor<i32>
    %rows = linalg.broadcast ins(%r : !all) outs(%zeros : tensor<20x5xi32>) dimensions = [0]
    %t = linalg.reduce { arith.addi } ins(%rows : tensor<20x5xi32>) outs(%start : tensor<i32>) dimensions = [0, 1]
    gpuvm.send %t : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}

gpuvm.program @sort(%x: !all) -> (y: !all) {
  %m = gpuvm.stage @s(%p = %x : !all) -> !all {
    %e = tensor.empty() : !all
    %r = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : !all) {
    ^bb0(%o: i32):
      %one = arith.constant 1 : index
      %i = linalg.index 0 : index
      %k = arith.addi %i, %one : index
      %v = tensor.extract %p[%k] : !all
      linalg.yield %v : i32
    } -> !all
    %t = gpuvm.sort %r : !all
    gpuvm.send %t : !all
  }
  gpuvm.return %m : !gpuvm.message<!all>
}

// Rows behind a count are none that anything says.
gpuvm.program @rows(%n: tensor<i32>) -> (y: tensor<3xi32>) {
  %m = gpuvm.stage @s(%c = %n : tensor<i32>) -> tensor<3xi32> {
    %data = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
    %numbers = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
    %b = gpuvm.bounded %data[%c] : tensor<3xi32> -> tensor<?xi32, #gpuvm.bound<3>>
    %r = gpuvm.gather %b[%numbers] : tensor<?xi32, #gpuvm.bound<3>>, tensor<3xi32> -> tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}
