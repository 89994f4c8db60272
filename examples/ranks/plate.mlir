// Heat in a plate whose rows are cut into blocks, one for each rank. Each step
// needs the rows next to the own block: an exchange of two rows with each
// neighbour. Any number of ranks gives the same bits.
//
//   gpuvm-compile plate.mlir --set ranks=3 -o plate.gvplan
//   mpirun -n 3 gpuvm-run plate.gvplan --input=x=@x.npy[{rank}/{ranks}] --output=y=@y.{rank}.npy

gpuvm.parameter @ranks = 1 in 1 to 1024 "blocks of rows"
gpuvm.parameter @rows = 96 "of the whole plate, a multiple of the ranks"
gpuvm.parameter @width = 64 "of a row"
gpuvm.parameter @steps = 100 in 1 to 1000000 "in one execution"

!block = tensor<@rows / ranks@x@width@xf32>
!halo = tensor<@rows / ranks + 2@x@width@xf32>
gpuvm.program @plate(%x: !block) -> (y: !block) ranks(@ranks@) {
  %y = gpuvm.repeat @steps up_to @steps@ (%rows = %x : !block) {
    %all = gpuvm.update_halo %rows axis(0) halo(1, 1) : !gpuvm.message<!block> -> !halo
    %next = gpuvm.stage @flow(%v = %all : !halo) -> !block {
      %quarter = arith.constant dense<0.25> : !block
      %half = arith.constant dense<0.5> : !block
      %above = tensor.extract_slice %v[0, 0] [@rows / ranks@, @width@] [1, 1] : !halo to !block
      %own = tensor.extract_slice %v[1, 0] [@rows / ranks@, @width@] [1, 1] : !halo to !block
      %below = tensor.extract_slice %v[2, 0] [@rows / ranks@, @width@] [1, 1] : !halo to !block
      %around = arith.addf %above, %below : !block
      %in = arith.mulf %around, %quarter : !block
      %stays = arith.mulf %own, %half : !block
      %sum = arith.addf %in, %stays : !block
      gpuvm.send %sum : !block
    }
    gpuvm.next %next : !gpuvm.message<!block>
  }
  gpuvm.return %y : !gpuvm.message<!block>
}
