// A power iteration that ends when the device finds that its estimate of the
// largest eigenvalue (of the 64 x 64 Hilbert matrix) stands still. NumPy's
// eigvalsh in f64 says 2.1160809.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-compile %s --park=always --disable-fusion --chains=never -o %t.parked.gvplan
// RUN: gpuvm-run %t.gvplan --validate --output=eigenvalue --output=times > %t.device
// RUN: gpuvm-run %t.parked.gvplan --validate --output=eigenvalue --output=times > %t.parked
// RUN: gpuvm-interpret %s --output=eigenvalue --output=times > %t.reference
// RUN: FileCheck %s --input-file=%t.device
// RUN: FileCheck %s --input-file=%t.reference
// RUN: diff %t.device %t.reference
// RUN: diff %t.parked %t.reference

// CHECK: eigenvalue: f32=2.11608{{[0-9]*}}
// CHECK: times: i32={{1[3-9]}}

gpuvm.program @power() -> (eigenvalue: tensor<f32>, times: tensor<i32>, direction: tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %none = arith.constant dense<0> : tensor<i32>
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %matrix = gpuvm.stage @hilbert() -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%e : tensor<64x64xf32>) {
    ^bb0(%o: f32):
      %one = arith.constant 1.0 : f32
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = arith.addi %i, %j : index
      %w = arith.index_cast %k : index to i32
      %f = arith.sitofp %w : i32 to f32
      %g = arith.addf %f, %one : f32
      %r = arith.divf %one, %g : f32
      linalg.yield %r : f32
    } -> tensor<64x64xf32>
    gpuvm.send %m : tensor<64x64xf32>
  }
  %x, %value, %times = gpuvm.repeat @iterate up_to 200 (%v = %ones : tensor<64xf32>, %old = %zero : tensor<f32>, %n = %none : tensor<i32>) {
    %y = gpuvm.stage @multiply(%a = %matrix : !gpuvm.message<tensor<64x64xf32>>, %b = %v : !gpuvm.message<tensor<64xf32>>)
        -> tensor<64xf32> {
      %none2 = arith.constant dense<0.0> : tensor<64xf32>
      %r = linalg.matvec ins(%a, %b : tensor<64x64xf32>, tensor<64xf32>) outs(%none2 : tensor<64xf32>) -> tensor<64xf32>
      gpuvm.send %r : tensor<64xf32>
    }
    %scaled, %now, %done = gpuvm.stage @normalize(%w = %y : !gpuvm.message<tensor<64xf32>>, %before = %old : !gpuvm.message<tensor<f32>>)
        -> (tensor<64xf32>, tensor<f32>, tensor<i1>) {
      %least = arith.constant dense<0.0> : tensor<f32>
      %small = arith.constant dense<1.0e-06> : tensor<f32>
      %size = math.absf %w : tensor<64xf32>
      %most = linalg.reduce { arith.maximumf } ins(%size : tensor<64xf32>) outs(%least : tensor<f32>) dimensions = [0]
      %e = tensor.empty() : tensor<64xf32>
      %all = linalg.broadcast ins(%most : tensor<f32>) outs(%e : tensor<64xf32>) dimensions = [0]
      %unit = arith.divf %w, %all : tensor<64xf32>
      %d = arith.subf %most, %before : tensor<f32>
      %change = math.absf %d : tensor<f32>
      %limit = arith.mulf %small, %most : tensor<f32>
      %stands = arith.cmpf ole, %change, %limit : tensor<f32>
      gpuvm.send %unit, %most, %stands : tensor<64xf32>, tensor<f32>, tensor<i1>
    }
    %more = gpuvm.stage @count(%k = %n : !gpuvm.message<tensor<i32>>) -> tensor<i32> {
      %one = arith.constant dense<1> : tensor<i32>
      %r = arith.addi %k, %one : tensor<i32>
      gpuvm.send %r : tensor<i32>
    }
    gpuvm.next %scaled, %now, %more : !gpuvm.message<tensor<64xf32>>, !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<i32>>
        until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %value, %times, %x : !gpuvm.message<tensor<f32>>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<64xf32>>
}
