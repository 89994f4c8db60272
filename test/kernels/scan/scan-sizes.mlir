// A scan's kernel has little code, which drivers for CPUs compile in a moment, whatever its rows are; GPUs run a
// variant that keeps its elements in registers. Both had 70 KB, and lavapipe took ten seconds.

// RUN: gpuvm-compile %s --program=rows -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s
// RUN: gpuvm-compile %s --program=words -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s

// A tile is taken in up to 16 rows of 1,024 elements, of which these have the first alone. The variant had code for all of
// them, 59 KB with an exponential, and an H200 took 15 us for it.
// RUN: gpuvm-compile %s --program=short -o %t.gvplan && gpuvm-plan show %t.gvplan | FileCheck %s --check-prefix=SHORT
// SHORT: s_scan_subgroups local size {{.*}} SPIR-V {{[0-9]?[0-9][0-9][0-9][0-9]}} bytes

// CHECK:      SPIR-V {{([0-9]|1[0-9]|2[0-3])[0-9][0-9][0-9]}} bytes
// CHECK:        gives way to [[variant:.*_subgroups]] where
// CHECK:      [[variant]] local size
// CHECK-NEXT:   needs {{.*}}subgroup_32

gpuvm.program @rows(%x: tensor<33x31xi1>) -> (o: tensor<16x33x31xi1>) {
  %m = gpuvm.stage @s(%a = %x : tensor<33x31xi1>) -> tensor<16x33x31xi1> {
    %e = tensor.empty() : tensor<16x33x31xi1>
    %b = linalg.broadcast ins(%a : tensor<33x31xi1>) outs(%e : tensor<16x33x31xi1>) dimensions = [0]
    %r = gpuvm.scan %b dimension 2 : (tensor<16x33x31xi1>) -> tensor<16x33x31xi1> {
    ^bb0(%p: i1, %q: i1):
      %s = arith.andi %p, %q : i1
      gpuvm.yield %s : i1
    }
    gpuvm.send %r : tensor<16x33x31xi1>
  }
  gpuvm.return %m : !gpuvm.message<tensor<16x33x31xi1>>
}

!text = tensor<35149xi8>
!flags = tensor<35149xi1>
!places = tensor<35149xi32>
#i = affine_map<(i) -> (i)>
gpuvm.program @words(%text: !text) -> (at: tensor<8000xi32>, n: tensor<i32>) {
  %at, %n = gpuvm.stage @begin(%l = %text : !text) -> (tensor<8000xi32>, tensor<i32>) {
    %e = tensor.empty() : !flags
    %ep = tensor.empty() : !places
    %is, %at = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]} ins(%l : !text) outs(%e, %ep : !flags, !places) {
    ^bb0(%c: i8, %u: i1, %u2: i32):
      %i = linalg.index 0 : index
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %zero = arith.constant 0 : i8
      %i1 = arith.subi %i, %one : index
      %i2 = arith.maxsi %i1, %c0 : index
      %b = tensor.extract %l[%i2] : !text
      %gap = arith.cmpi eq, %b, %zero : i8
      %letter = arith.cmpi ne, %c, %zero : i8
      %f = arith.andi %gap, %letter : i1
      %ii = arith.index_cast %i : index to i32
      linalg.yield %f, %ii : i1, i32
    } -> (!flags, !places)
    %p, %n = gpuvm.compact %at where %is : (!places, !flags) -> (tensor<8000xi32>, tensor<i32>)
    gpuvm.send %p, %n : tensor<8000xi32>, tensor<i32>
  }
  gpuvm.return %at, %n : !gpuvm.message<tensor<8000xi32>>, !gpuvm.message<tensor<i32>>
}

gpuvm.program @short(%x: tensor<128xf32>) -> (y: tensor<128xf32>) {
  %m = gpuvm.stage @s(%a = %x : tensor<128xf32>) -> tensor<128xf32> {
    %e = math.exp %a : tensor<128xf32>
    %r = gpuvm.scan %e dimension 0 : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      gpuvm.yield %s : f32
    }
    gpuvm.send %r : tensor<128xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<128xf32>>
}
