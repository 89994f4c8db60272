// Connect Four played at random, 65,536 games side by side, each in a lane of its
// own, and how many of them the first player wins, the second one, and nobody.
//
//     gpuvm-compile examples/connect4/playouts.mlir -o playouts.gvplan
//     gpuvm-run playouts.gvplan --input=seed=2xi32=1,2
//
// A board is a word of 49 bits: a column has seven of them, the lowest one its
// bottom, and the highest one is always 0. A game is the stones of whoever is to
// move (%mine) and all stones (%all); in a column that is not full, adding its bottom
// to %all carries into the lowest bit that is free. Four in a row are looked for in
// all places at once, two stones and two stones: 1 bit apart if they stand on each
// other, 7 if side by side, 6 and 8 in the diagonals.
//
// Each game draws its moves with xorshift64* (Vigna, An experimental exploration of
// Marsaglia's xorshift generators, scrambled, 2016) from a start that gpuvm.random
// gives it. A draw is one of eight columns; one that is full or not there is drawn
// again, so that the columns that are left are equally probable.
//
// For another number of games replace 65536 by it.

!games = tensor<65536xi32>
!words = tensor<65536xi64>
!sum = !gpuvm.message<tensor<i32>>

gpuvm.program @playouts(%seed: tensor<2xi32>) -> (first: tensor<i32>, second: tensor<i32>, draws: tensor<i32>) {
  %won = gpuvm.stage @play(%s = %seed : tensor<2xi32>) -> !games {
    %starts = gpuvm.random bits seed(%s : tensor<2xi32>) -> !words
    %init = tensor.empty() : !games
    %winners = linalg.generic {
        indexing_maps = [affine_map<(game) -> (game)>, affine_map<(game) -> (game)>], iterator_types = ["parallel"]}
        ins(%starts : !words) outs(%init : !games) {
    ^bb0(%start: i64, %unused: i32):
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %seven = arith.constant 7 : i64
      %board = arith.constant 0x0FDFBF7EFDFBF : i64
      %two = arith.constant 2 : i64
      %six = arith.constant 6 : i64
      %eight = arith.constant 8 : i64
      %twelve = arith.constant 12 : i64
      %fourteen = arith.constant 14 : i64
      %sixteen = arith.constant 16 : i64
      %left = arith.constant 25 : i64
      %right = arith.constant 27 : i64
      %top = arith.constant 61 : i64
      %factor = arith.constant 0x2545F4914F6CDD1D : i64
      %state = arith.ori %start, %one : i64 // Of 0 nothing else would come.
      %end:4 = scf.while (%mine = %zero, %all = %zero, %x = %state) : (i64, i64, i64) -> (i64, i64, i64, i64) {
        // Whoever moved has won if some four of the other stones are in a row.
        %theirs = arith.xori %all, %mine : i64
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
        %open = arith.cmpi eq, %four, %zero : i64
        %free = arith.cmpi ne, %all, %board : i64
        %goes = arith.andi %open, %free : i1
        scf.condition(%goes) %mine, %all, %x, %four : i64, i64, i64, i64
      } do {
      ^bb0(%mine: i64, %all: i64, %x: i64, %four: i64):
        %x1 = arith.shrui %x, %twelve : i64
        %x2 = arith.xori %x, %x1 : i64
        %x3 = arith.shli %x2, %left : i64
        %x4 = arith.xori %x2, %x3 : i64
        %x5 = arith.shrui %x4, %right : i64
        %next = arith.xori %x4, %x5 : i64
        %scrambled = arith.muli %next, %factor : i64
        %column = arith.shrui %scrambled, %top : i64
        %place = arith.muli %column, %seven : i64
        %bottom = arith.shli %one, %place : i64
        %carried = arith.addi %all, %bottom : i64
        %taken = arith.xori %all, %board : i64
        %stone = arith.andi %carried, %taken : i64
        %isMove = arith.cmpi ne, %stone, %zero : i64
        %theirs = arith.xori %all, %mine : i64
        %toMove = arith.select %isMove, %theirs, %mine : i64
        %stones = arith.ori %all, %stone : i64
        scf.yield %toMove, %stones, %next : i64, i64, i64
      }
      // 0: nobody. Else 1 or 2, who has put the last stone.
      %count = math.ctpop %end#1 : i64
      %isSecond = arith.andi %count, %one : i64
      %player = arith.subi %two, %isSecond : i64
      %isDraw = arith.cmpi eq, %end#3, %zero : i64
      %winner = arith.select %isDraw, %zero, %player : i64
      %r = arith.trunci %winner : i64 to i32
      linalg.yield %r : i32
    } -> !games
    gpuvm.send %winners : !games
  }
  %first, %second, %draws = gpuvm.stage @count(%w = %won : !gpuvm.message<!games>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %none = arith.constant dense<0> : tensor<i32>
    %sums:3 = linalg.generic {
        indexing_maps = [affine_map<(game) -> (game)>, affine_map<(game) -> ()>, affine_map<(game) -> ()>, affine_map<(game) -> ()>],
        iterator_types = ["reduction"]}
        ins(%w : !games) outs(%none, %none, %none : tensor<i32>, tensor<i32>, tensor<i32>) {
    ^bb0(%winner: i32, %s1: i32, %s2: i32, %s0: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %is1 = arith.cmpi eq, %winner, %one : i32
      %is2 = arith.cmpi eq, %winner, %two : i32
      %is0 = arith.cmpi eq, %winner, %zero : i32
      %n1 = arith.extui %is1 : i1 to i32
      %n2 = arith.extui %is2 : i1 to i32
      %n0 = arith.extui %is0 : i1 to i32
      %t1 = arith.addi %s1, %n1 : i32
      %t2 = arith.addi %s2, %n2 : i32
      %t0 = arith.addi %s0, %n0 : i32
      linalg.yield %t1, %t2, %t0 : i32, i32, i32
    } -> (tensor<i32>, tensor<i32>, tensor<i32>)
    gpuvm.send %sums#0, %sums#1, %sums#2 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  gpuvm.return %first, %second, %draws : !sum, !sum, !sum
}
