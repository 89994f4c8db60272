// The Game of Life on a torus whose rows are cut into blocks, one for each rank,
// written on the whole board: the boards one row up and one row down are slices
// and concatenations of it, and the compiler has the ranks exchange the rows at
// the edges of their blocks. How many cells live in the end is a sum of all.
//
//   gpuvm-compile life.mlir --set ranks=4 --set rows=4096 --set width=4096 -o life.gvplan
//   mpirun -n 4 gpuvm-run life.gvplan --input=start=@start.npy[{rank}/{ranks}] --output=end=@end.{rank}.npy --output=alive

gpuvm.parameter @ranks = 1 in 1 to 1024 "blocks of rows"
gpuvm.parameter @rows = 96 in 3 to 1048576 "of the board, a multiple of the ranks"
gpuvm.parameter @width = 64 in 3 to 1048576 "of a row"
gpuvm.parameter @generations = 100 in 1 to 1000000 "in one execution"

!board = tensor<@rows@x@width@xi8>
!row = tensor<1x@width@xi8>
!rows = tensor<@rows - 1@x@width@xi8>
!column = tensor<@rows@x1xi8>
!columns = tensor<@rows@x@width - 1@xi8>
!mask = tensor<@rows@x@width@xi1>
gpuvm.program @life(%start: !board {gpuvm.sharding = #gpuvm.sharding<0>})
    -> (end: !board {gpuvm.sharding = #gpuvm.sharding<0>}, alive: tensor<i32>) ranks(@ranks@) {
  %end = gpuvm.repeat @generations up_to @generations@ (%board = %start : !board) {
    %next = gpuvm.stage @live(%cells = %board : !gpuvm.message<!board>) -> !board {
      %first = tensor.extract_slice %cells[0, 0] [1, @width@] [1, 1] : !board to !row
      %last = tensor.extract_slice %cells[@rows - 1@, 0] [1, @width@] [1, 1] : !board to !row
      %not_first = tensor.extract_slice %cells[1, 0] [@rows - 1@, @width@] [1, 1] : !board to !rows
      %not_last = tensor.extract_slice %cells[0, 0] [@rows - 1@, @width@] [1, 1] : !board to !rows
      %above = tensor.concat dim(0) %last, %not_last : (!row, !rows) -> !board
      %below = tensor.concat dim(0) %not_first, %first : (!rows, !row) -> !board
      %two = arith.addi %above, %below : !board
      %three = arith.addi %two, %cells : !board

      %left = tensor.extract_slice %three[0, 0] [@rows@, 1] [1, 1] : !board to !column
      %right = tensor.extract_slice %three[0, @width - 1@] [@rows@, 1] [1, 1] : !board to !column
      %not_left = tensor.extract_slice %three[0, 1] [@rows@, @width - 1@] [1, 1] : !board to !columns
      %not_right = tensor.extract_slice %three[0, 0] [@rows@, @width - 1@] [1, 1] : !board to !columns
      %before = tensor.concat dim(1) %right, %not_right : (!column, !columns) -> !board
      %after = tensor.concat dim(1) %not_left, %left : (!columns, !column) -> !board
      %six = arith.addi %before, %after : !board
      %nine = arith.addi %six, %three : !board

      // A cell and its eight neighbours: three of them live, or four and the cell does.
      %c3 = arith.constant dense<3> : !board
      %c4 = arith.constant dense<4> : !board
      %is_three = arith.cmpi eq, %nine, %c3 : !board
      %is_four = arith.cmpi eq, %nine, %c4 : !board
      %born = arith.extui %is_three : !mask to !board
      %stays = arith.extui %is_four : !mask to !board
      %kept = arith.andi %stays, %cells : !board
      %lives = arith.ori %born, %kept : !board
      gpuvm.send %lives : !board
    }
    gpuvm.next %next : !gpuvm.message<!board>
  }
  %alive = gpuvm.stage @count(%cells = %end : !gpuvm.message<!board>) -> tensor<i32> {
    %zero = arith.constant dense<0> : tensor<i32>
    %wide = arith.extui %cells : !board to tensor<@rows@x@width@xi32>
    %sum = linalg.reduce { arith.addi } ins(%wide : tensor<@rows@x@width@xi32>) outs(%zero : tensor<i32>) dimensions = [0, 1]
    gpuvm.send %sum : tensor<i32>
  }
  gpuvm.return %end, %alive : !gpuvm.message<!board>, !gpuvm.message<tensor<i32>>
}
