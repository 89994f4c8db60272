!rows = tensor<?xf32, #gpuvm.bound<8>>

gpuvm.program @rows(%x: tensor<8xf32>) -> (kept: !rows) {
  %kept = gpuvm.stage @filter(%v = %x : tensor<8xf32>) -> !rows {
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %keep = arith.cmpf ogt, %v, %zero : tensor<8xf32>
    %k, %n = gpuvm.compact %v where %keep : (tensor<8xf32>, tensor<8xi1>) -> (tensor<8xf32>, tensor<i32>)
    %r = gpuvm.bounded %k[%n] : tensor<8xf32> -> !rows
    gpuvm.send %r : !rows
  }
  gpuvm.return %kept : !gpuvm.message<!rows>
}
