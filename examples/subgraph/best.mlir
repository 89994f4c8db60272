// The nodes with the highest scores, in a table that stays: rows are node and score, and there are as many as the table
// has room for, or fewer.

gpuvm.parameter @nodes = 1000

!nodes = tensor<@nodes@xi32>
!scores = tensor<?xf32, #gpuvm.bound<@nodes@>>
!top = tensor<?xf32, #gpuvm.bound<10>>
!places = tensor<?xi32, #gpuvm.bound<10>>
gpuvm.program @best(%nodes: !nodes, %numNodes: tensor<i32>, %scores: tensor<@nodes@xf32>)
    -> (node: tensor<10xi32>, score: tensor<10xf32>, rows: tensor<i32>) {
  gpuvm.global @node : tensor<10xi32>
  gpuvm.global @score : tensor<10xf32>
  gpuvm.global @rows : tensor<i32>
  %node, %score, %rows = gpuvm.stage @rank(%id = %nodes : !nodes, %n = %numNodes : tensor<i32>, %s = %scores : tensor<@nodes@xf32>)
      -> (tensor<10xi32>, tensor<10xf32>, tensor<i32>) {
    %none = arith.constant dense<-1> : tensor<i32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %there = gpuvm.bounded %s[%n] : tensor<@nodes@xf32> -> !scores
    %top, %at = gpuvm.top_k %there : !scores -> !top, !places
    %ids = gpuvm.gather %id[%at] : !nodes, !places -> !places
    %count = gpuvm.count %top : !top
    %a = gpuvm.filled %ids with %none : !places, tensor<i32> -> tensor<10xi32>
    %b = gpuvm.filled %top with %zero : !top, tensor<f32> -> tensor<10xf32>
    gpuvm.store %a, @node : tensor<10xi32>
    gpuvm.store %b, @score : tensor<10xf32>
    gpuvm.store %count, @rows : tensor<i32>
    gpuvm.send %a, %b, %count : tensor<10xi32>, tensor<10xf32>, tensor<i32>
  }
  gpuvm.return %node, %score, %rows : !gpuvm.message<tensor<10xi32>>, !gpuvm.message<tensor<10xf32>>, !gpuvm.message<tensor<i32>>
}
