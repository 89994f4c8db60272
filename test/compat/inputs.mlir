// Inputs with as many rows as the host gives (1.18).
!column = tensor<?xi32, #gpuvm.bound<8>>
gpuvm.program @inputs(%price: !column, %amount: !column rows %price) -> (worth: !column) {
  %worth = gpuvm.stage @multiply(%p = %price : !column, %a = %amount : !column) -> !column {
    %w = arith.muli %p, %a : !column
    gpuvm.send %w : !column
  }
  gpuvm.return %worth : !gpuvm.message<!column>
}
