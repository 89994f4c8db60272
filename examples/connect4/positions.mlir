// How many positions of Connect Four there are after so many plies, none of them
// counted twice and nobody playing on after four in a row. An execution is one ply:
//
//     gpuvm-compile examples/connect4/positions.mlir -o positions.gvplan
//     gpuvm-run positions.gvplan --iterations=8 --output=count --output=counts
//
// A position is two words of 49 bits, as in playouts.mlir: the stones of whoever is
// to move (@mine) and all stones (@all). Their sum is a number that no other position
// has: in each column of the board it is a word of seven bits whose carries stay
// inside, and it gives both back with @all.
//
// The globals have @room for positions, of which @live are there; each has seven
// moves. What is no move becomes the largest number. Sorted,
// equal ones stand next to each other, and the first of each is kept. `count` is
// right even if there is no room for that many, but then nothing after it is.

gpuvm.parameter @room = 65536 "positions of a ply; plies before the one with more are counted right"

!boards = tensor<@room@xi64>
!seven = tensor<@room@x7xi64>
!moves = tensor<@7 * room@xi64>
!others = tensor<@7 * room - 1@xi64>
!marks = tensor<@7 * room@xi1>
!sent = !gpuvm.message<!moves>
#row = affine_map<(p) -> (p)>
#move = affine_map<(p, column) -> (p, column)>
#position = affine_map<(p, column) -> (p)>
#whole = affine_map<(p, column) -> ()>

gpuvm.program @positions() -> (count: tensor<i32>) {
  gpuvm.global @mine : !boards = dense<0> : !boards
  gpuvm.global @all : !boards = dense<0> : !boards
  gpuvm.global @live : tensor<i32> = dense<1> : tensor<i32>
  gpuvm.global @ply : tensor<i32> = dense<1> : tensor<i32>
  gpuvm.metric @counts : tensor<43xi32> = dense<0> : tensor<43xi32>

  %sums, %boards = gpuvm.stage @move() -> (!moves, !moves) {
    %mine = gpuvm.load @mine : !boards
    %all = gpuvm.load @all : !boards
    %live = gpuvm.load @live : tensor<i32>
    %init = tensor.empty() : !seven
    %moved:2 = linalg.generic {
        indexing_maps = [#position, #position, #whole, #move, #move], iterator_types = ["parallel", "parallel"]}
        ins(%mine, %all, %live : !boards, !boards, tensor<i32>)
        outs(%init, %init : !seven, !seven) {
    ^bb0(%own: i64, %stones: i64, %n: i32, %o0: i64, %o1: i64):
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %six = arith.constant 6 : i64
      %seven = arith.constant 7 : i64
      %eight = arith.constant 8 : i64
      %twelve = arith.constant 12 : i64
      %fourteen = arith.constant 14 : i64
      %sixteen = arith.constant 16 : i64
      %board = arith.constant 0xFDFBF7EFDFBF : i64
      %none = arith.constant 0x7FFFFFFFFFFFFFFF : i64
      // Have the other stones four in a row?
      %theirs = arith.xori %stones, %own : i64
      %v1 = arith.shrui %theirs, %one : i64
      %v2 = arith.andi %theirs, %v1 : i64
      %v3 = arith.shrui %v2, %two : i64
      %vertical = arith.andi %v2, %v3 : i64
      %h1 = arith.shrui %theirs, %seven : i64
      %h2 = arith.andi %theirs, %h1 : i64
      %h3 = arith.shrui %h2, %fourteen : i64
      %horizontal = arith.andi %h2, %h3 : i64
      %d1 = arith.shrui %theirs, %six : i64
      %d2 = arith.andi %theirs, %d1 : i64
      %d3 = arith.shrui %d2, %twelve : i64
      %down = arith.andi %d2, %d3 : i64
      %u1 = arith.shrui %theirs, %eight : i64
      %u2 = arith.andi %theirs, %u1 : i64
      %u3 = arith.shrui %u2, %sixteen : i64
      %up = arith.andi %u2, %u3 : i64
      %straight = arith.ori %vertical, %horizontal : i64
      %diagonal = arith.ori %down, %up : i64
      %four = arith.ori %straight, %diagonal : i64
      // The stone in this column, 0 if it is full.
      %c = linalg.index 1 : index
      %column = arith.index_cast %c : index to i64
      %place = arith.muli %column, %seven : i64
      %bottom = arith.shli %one, %place : i64
      %carried = arith.addi %stones, %bottom : i64
      %free = arith.xori %stones, %board : i64
      %stone = arith.andi %carried, %free : i64
      %p = linalg.index 0 : index
      %number = arith.index_cast %p : index to i32
      %isThere = arith.cmpi slt, %number, %n : i32
      %isOpen = arith.cmpi eq, %four, %zero : i64
      %fits = arith.cmpi ne, %stone, %zero : i64
      %goes = arith.andi %isThere, %isOpen : i1
      %isMove = arith.andi %goes, %fits : i1
      // What was theirs is now of whoever is to move.
      %after = arith.ori %stones, %stone : i64
      %sum = arith.addi %theirs, %after : i64
      %key = arith.select %isMove, %sum, %none : i64
      linalg.yield %key, %after : i64, i64
    } -> (!seven, !seven)
    %keys = tensor.collapse_shape %moved#0 [[0, 1]] : !seven into !moves
    %after = tensor.collapse_shape %moved#1 [[0, 1]] : !seven into !moves
    gpuvm.send %keys, %after : !moves, !moves
  }

  %sorted, %with = gpuvm.stage @sort(%k = %sums : !sent, %b = %boards : !sent)
      -> (!moves, !moves) {
    %s:2 = gpuvm.sort %k payloads(%b) : !moves, !moves
    gpuvm.send %s#0, %s#1 : !moves, !moves
  }

  %count = gpuvm.stage @keep(%k = %sorted : !sent, %b = %with : !sent) -> tensor<i32> {
    %nothing = arith.constant -1 : i64
    %init = tensor.empty() : !moves
    %shorter = tensor.extract_slice %k[0] [@7 * room - 1@] [1] : !moves to !others
    %before = tensor.pad %shorter low[1] high[0] {
    ^bb0(%i: index):
      tensor.yield %nothing : i64
    } : !others to !moves
    %mask = tensor.empty() : !marks
    %kept:2 = linalg.generic {
        indexing_maps = [#row, #row, #row, #row, #row], iterator_types = ["parallel"]}
        ins(%k, %before, %b : !moves, !moves, !moves)
        outs(%mask, %init : !marks, !moves) {
    ^bb0(%key: i64, %last: i64, %stones: i64, %o0: i1, %o1: i64):
      %none = arith.constant 0x7FFFFFFFFFFFFFFF : i64
      %isNew = arith.cmpi ne, %key, %last : i64
      %isMove = arith.cmpi ne, %key, %none : i64
      %keep = arith.andi %isNew, %isMove : i1
      %own = arith.subi %key, %stones : i64
      linalg.yield %keep, %own : i1, i64
    } -> (!marks, !moves)
    %mine, %all, %n = gpuvm.compact %kept#1, %b where %kept#0
        : (!moves, !moves, !marks) -> (!boards, !boards, tensor<i32>)
    gpuvm.store %mine, @mine : !boards
    gpuvm.store %all, @all : !boards
    gpuvm.store %n, @live : tensor<i32>
    // After ply p, element p of @counts.
    %ply = gpuvm.load @ply : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %next = arith.addi %ply, %one : tensor<i32>
    %row = tensor.expand_shape %n [] output_shape [1] : tensor<i32> into tensor<1xi32>
    gpuvm.store %row, @counts[%ply] : tensor<1xi32>
    gpuvm.store %next, @ply : tensor<i32>
    gpuvm.send %n : tensor<i32>
  }
  gpuvm.return %count : !gpuvm.message<tensor<i32>>
}
