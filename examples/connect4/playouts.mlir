// Connect Four played at random, 65,536 games, and how many of them the first player
// wins, the second one, and nobody.
//
//     gpuvm-compile examples/connect4/playouts.mlir -o playouts.gvplan
//     gpuvm-run playouts.gvplan --input=seed=2xi32=1,2
//
// Lanes play 16 games each, one after the other in one loop: whose game ends
// begins the next one in the same turn, so that lanes that run side by side wait for
// each other only in their last games.
//
// A board is a word of 49 bits: a column has seven of them, the lowest one its
// bottom, and the highest one is always 0. A game is the stones of whoever is to
// move (%mine) and all stones (%all); in a column that is not full, adding its bottom
// to %all carries into the lowest bit that is free. Four in a row are looked for in
// all places at once, two stones and two stones: 1 bit apart if they stand on each
// other, 7 if side by side, 6 and 8 in the diagonals.
//
// Each lane draws moves with xorshift64* (Vigna, An experimental exploration of
// Marsaglia's xorshift generators, scrambled, 2016) from a start that gpuvm.random
// gives it. A draw is one of eight columns; one that is full or not there is drawn
// again, so that the columns that are left are equally probable.

gpuvm.parameter @lanes = 4096 in 1 to 16777216

!lanes = tensor<@lanes@xi32>
!words = tensor<@lanes@xi64>
!sum = !gpuvm.message<tensor<i32>>

gpuvm.program @playouts(%seed: tensor<2xi32>) -> (first: tensor<i32>, second: tensor<i32>, draws: tensor<i32>) {
  %first, %second, %draws = gpuvm.stage @play(%s = %seed : tensor<2xi32>) -> (!lanes, !lanes, !lanes) {
    %starts = gpuvm.random bits seed(%s : tensor<2xi32>) -> !words
    %init = tensor.empty() : !lanes
    %n1, %n2, %n0 = linalg.generic {
        indexing_maps = [affine_map<(lane) -> (lane)>, affine_map<(lane) -> (lane)>, affine_map<(lane) -> (lane)>,
                         affine_map<(lane) -> (lane)>], iterator_types = ["parallel"]}
        ins(%starts : !words) outs(%init, %init, %init : !lanes, !lanes, !lanes) {
    ^bb0(%start: i64, %u0: i32, %u1: i32, %u2: i32):
      %games = arith.constant 16 : i32
      %none = arith.constant 0 : i32
      %single = arith.constant 1 : i32
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
      %end:6 = scf.while (%mine = %zero, %all = %zero, %x = %state, %over = %none, %won1 = %none, %won2 = %none)
          : (i64, i64, i64, i32, i32, i32) -> (i64, i64, i64, i32, i32, i32) {
        %plays = arith.cmpi slt, %over, %games : i32
        scf.condition(%plays) %mine, %all, %x, %over, %won1, %won2 : i64, i64, i64, i32, i32, i32
      } do {
      ^bb0(%mine: i64, %all: i64, %x: i64, %over: i32, %won1: i32, %won2: i32):
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
        %stones = arith.ori %all, %stone : i64
        %own = arith.ori %mine, %stone : i64
        // Without a move nobody has four that had not before.
        %v1 = arith.shrui %own, %one : i64
        %v2 = arith.andi %own, %v1 : i64
        %v3 = arith.shrui %v2, %two : i64
        %vertical = arith.andi %v2, %v3 : i64
        %h1 = arith.shrui %own, %seven : i64
        %h2 = arith.andi %own, %h1 : i64
        %h3 = arith.shrui %h2, %fourteen : i64
        %horizontal = arith.andi %h2, %h3 : i64
        %d1 = arith.shrui %own, %six : i64
        %d2 = arith.andi %own, %d1 : i64
        %d3 = arith.shrui %d2, %twelve : i64
        %down = arith.andi %d2, %d3 : i64
        %u1_ = arith.shrui %own, %eight : i64
        %u2_ = arith.andi %own, %u1_ : i64
        %u3 = arith.shrui %u2_, %sixteen : i64
        %up = arith.andi %u2_, %u3 : i64
        %straight = arith.ori %vertical, %horizontal : i64
        %diagonal = arith.ori %down, %up : i64
        %four = arith.ori %straight, %diagonal : i64
        %wins = arith.cmpi ne, %four, %zero : i64
        %isFull = arith.cmpi eq, %stones, %board : i64
        %ends = arith.ori %wins, %isFull : i1
        // The first player puts the odd stones.
        %count = math.ctpop %stones : i64
        %low = arith.trunci %count : i64 to i32
        %odd = arith.andi %low, %single : i32
        %win = arith.extui %wins : i1 to i32
        %by1 = arith.andi %win, %odd : i32
        %by2 = arith.subi %win, %by1 : i32
        %w1 = arith.addi %won1, %by1 : i32
        %w2 = arith.addi %won2, %by2 : i32
        %end_ = arith.extui %ends : i1 to i32
        %over_ = arith.addi %over, %end_ : i32
        %theirs = arith.xori %all, %mine : i64
        %toMove = arith.select %isMove, %theirs, %mine : i64
        %mine_ = arith.select %ends, %zero, %toMove : i64
        %all_ = arith.select %ends, %zero, %stones : i64
        scf.yield %mine_, %all_, %next, %over_, %w1, %w2 : i64, i64, i64, i32, i32, i32
      }
      %decided = arith.addi %end#4, %end#5 : i32
      %nobody = arith.subi %games, %decided : i32
      linalg.yield %end#4, %end#5, %nobody : i32, i32, i32
    } -> (!lanes, !lanes, !lanes)
    gpuvm.send %n1, %n2, %n0 : !lanes, !lanes, !lanes
  }
  %sum:3 = gpuvm.stage @count(%w1 = %first : !gpuvm.message<!lanes>, %w2 = %second : !gpuvm.message<!lanes>,
                              %w0 = %draws : !gpuvm.message<!lanes>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %none = arith.constant dense<0> : tensor<i32>
    %s1, %s2, %s0 = linalg.reduce ins(%w1, %w2, %w0 : !lanes, !lanes, !lanes)
        outs(%none, %none, %none : tensor<i32>, tensor<i32>, tensor<i32>) dimensions = [0]
      (%a1: i32, %a2: i32, %a0: i32, %t1: i32, %t2: i32, %t0: i32) {
        %r1 = arith.addi %t1, %a1 : i32
        %r2 = arith.addi %t2, %a2 : i32
        %r0 = arith.addi %t0, %a0 : i32
        linalg.yield %r1, %r2, %r0 : i32, i32, i32
      }
    gpuvm.send %s1, %s2, %s0 : tensor<i32>, tensor<i32>, tensor<i32>
  }
  gpuvm.return %sum#0, %sum#1, %sum#2 : !sum, !sum, !sum
}
