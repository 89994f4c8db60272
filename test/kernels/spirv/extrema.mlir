// The greatest and the least of rows of 4,096 numbers, many of them in one lane: -0 is less than +0, and a NaN
// of either sign is kept. Row i has at place 7 `a[i]`, at place 4000 `b[i]`, and elsewhere `c[i]`; results are
// the bits of numbers, and 1 for a NaN.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-plan disassemble %t.gvplan | FileCheck %s --check-prefix=CODE
// RUN: gpuvm-run %t.gvplan --validate --input=a=8xi32=0,-2147483648,0,2143289344,-4194304,1065353216,-2147483648,2139095040 --input=b=8xi32=-2147483648,-2147483648,0,0,1,-1082130432,1,-8388608 --input=c=8xi32=-2147483648,-2147483648,-2147483648,0,0,0,0,0 > %t.out
// RUN: FileCheck %s < %t.out
// RUN: gpuvm-interpret %s --input=a=8xi32=0,-2147483648,0,2143289344,-4194304,1065353216,-2147483648,2139095040 --input=b=8xi32=-2147483648,-2147483648,0,0,1,-1082130432,1,-8388608 --input=c=8xi32=-2147483648,-2147483648,-2147483648,0,0,0,0,0 | diff - %t.out

// 0x7f800000 is infinity; 1 in rows 3 and 4 stands for a NaN; row 6 has a subnormal number, which a device may take for +0.
// CHECK: most: 8xi32=0 -2147483648 0 1 1 1065353216 {{0|1}} 2139095040
// CHECK: least: 8xi32=-2147483648 -2147483648 -2147483648 1 1 -1082130432 -2147483648 -8388608

// The device's operation, not eight in its place.
// CODE: OpExtInst %float {{.*}} FMax
// CODE: OpExtInst %float {{.*}} FMin

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!rows = tensor<8xi32>
!all = tensor<8x4096xf32>
gpuvm.program @extrema(%a: !rows, %b: !rows, %c: !rows) -> (most: !rows, least: !rows) {
  %most, %least = gpuvm.stage @s(%a = %a : !rows, %b = %b : !rows, %c = %c : !rows) -> (!rows, !rows) {
    %e = tensor.empty() : !all
    %x = linalg.generic {indexing_maps = [#row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b, %c : !rows, !rows, !rows) outs(%e : !all) {
    ^bb0(%u: i32, %v: i32, %w: i32, %o: f32):
      %j = linalg.index 1 : index
      %seven = arith.constant 7 : index
      %late = arith.constant 4000 : index
      %isFirst = arith.cmpi eq, %j, %seven : index
      %isSecond = arith.cmpi eq, %j, %late : index
      %r = arith.select %isSecond, %v, %w : i32
      %s = arith.select %isFirst, %u, %r : i32
      %f = arith.bitcast %s : i32 to f32
      linalg.yield %f : f32
    } -> !all
    %low = arith.constant dense<0xFF800000> : tensor<8xf32>
    %high = arith.constant dense<0x7F800000> : tensor<8xf32>
    %g = linalg.reduce { arith.maximumf } ins(%x : !all) outs(%low : tensor<8xf32>) dimensions = [1]
    %l = linalg.reduce { arith.minimumf } ins(%x : !all) outs(%high : tensor<8xf32>) dimensions = [1]
    %one = arith.constant dense<1> : !rows
    %gb = arith.bitcast %g : tensor<8xf32> to !rows
    %lb = arith.bitcast %l : tensor<8xf32> to !rows
    %gn = arith.cmpf uno, %g, %g : tensor<8xf32>
    %ln = arith.cmpf uno, %l, %l : tensor<8xf32>
    %gr = arith.select %gn, %one, %gb : tensor<8xi1>, !rows
    %lr = arith.select %ln, %one, %lb : tensor<8xi1>, !rows
    gpuvm.send %gr, %lr : !rows, !rows
  }
  gpuvm.return %most, %least : !gpuvm.message<!rows>, !gpuvm.message<!rows>
}
