gpuvm.program @newton(%x: tensor<4xf32>) -> (root: tensor<4xf32>, times: tensor<i32>) {
  %zero = arith.constant dense<0> : tensor<i32>
  %root, %times = gpuvm.repeat @newton up_to 40 (%r = %x : tensor<4xf32>, %n = %zero : tensor<i32>) {
    %better, %more, %done = gpuvm.stage @step
        (%old = %r : !gpuvm.message<tensor<4xf32>>, %count = %n : !gpuvm.message<tensor<i32>>, %v = %x : tensor<4xf32>)
        -> (tensor<4xf32>, tensor<i32>, tensor<i1>) {
      %half = arith.constant dense<0.5> : tensor<4xf32>
      %one = arith.constant dense<1> : tensor<i32>
      %none = arith.constant dense<0.0> : tensor<f32>
      %q = arith.divf %v, %old : tensor<4xf32>
      %s = arith.addf %old, %q : tensor<4xf32>
      %new = arith.mulf %s, %half : tensor<4xf32>
      %change = arith.subf %old, %new : tensor<4xf32>
      %size = math.absf %change : tensor<4xf32>
      %most = linalg.reduce { arith.maximumf } ins(%size : tensor<4xf32>) outs(%none : tensor<f32>) dimensions = [0]
      %d = arith.cmpf oeq, %most, %none : tensor<f32>
      %c = arith.addi %count, %one : tensor<i32>
      gpuvm.send %new, %c, %d : tensor<4xf32>, tensor<i32>, tensor<i1>
    }
    gpuvm.next %better, %more : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<i32>> until %done : !gpuvm.message<tensor<i1>>
  }
  gpuvm.return %root, %times : !gpuvm.message<tensor<4xf32>>, !gpuvm.message<tensor<i32>>
}

