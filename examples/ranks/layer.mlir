// A layer of a network on a batch whose rows are cut into blocks, one for each
// rank, written on whole tensors: a product with weights that all ranks have,
// the largest of each column, and what is left of each row if it is taken away.
// The compiler makes the program of one rank of it.
//
//   gpuvm-compile layer.mlir --set ranks=3 -o layer.gvplan
//   mpirun -n 3 gpuvm-run layer.gvplan --input=x=@x.npy[{rank}/{ranks}] --input=w=@w.npy --output=y=@y.{rank}.npy

gpuvm.parameter @ranks = 1 in 1 to 1024 "blocks of rows"
gpuvm.parameter @rows = 96 "of the batch, a multiple of the ranks"
gpuvm.parameter @width = 64 "of a row"

!batch = tensor<@rows@x@width@xf32>
!weights = tensor<@width@x@width@xf32>
!columns = tensor<@width@xf32>
gpuvm.program @layer(%x: !batch {gpuvm.sharding = #gpuvm.sharding<0>}, %w: !weights)
    -> (y: !batch {gpuvm.sharding = #gpuvm.sharding<0>}, most: !columns) ranks(@ranks@) {
  %y, %most = gpuvm.stage @layer(%v = %x : !batch, %k = %w : !weights) -> (!batch, !columns) {
    %zero = arith.constant dense<0.0> : !batch
    %least = arith.constant dense<0xFF800000> : !columns
    %empty = tensor.empty() : !batch
    %product = linalg.matmul ins(%v, %k : !batch, !weights) outs(%zero : !batch) -> !batch
    %max = linalg.reduce { arith.maximumf } ins(%product : !batch) outs(%least : !columns) dimensions = [0]
    %all = linalg.broadcast ins(%max : !columns) outs(%empty : !batch) dimensions = [0]
    %rest = arith.subf %product, %all : !batch
    gpuvm.send %rest, %max : !batch, !columns
  }
  gpuvm.return %y, %most : !gpuvm.message<!batch>, !gpuvm.message<!columns>
}
