// Connect Four by Monte-Carlo tree search, wholly on the device: 20 boards side by
// side, a tree for each, 73,728 games at random a tree, one submit.
//
//     gpuvm-compile examples/connect4/search.mlir -o search.gvplan
//     gpuvm-run search.gvplan --input=given=20x2xi64=0 --input=styles=2x2xf32=1,96,1,96
//         --input=seed=2xi32=1,2 --input=budget=i64=10000000000
//
// A turn of the search sends 48 walkers down each tree. Walkers are lanes of one
// kernel, so none sees where the others go; but the rule they follow has no chance
// in it, so walker r computes where walkers 0 to r - 1 go from each node that it
// passes, and counts them as visits whose result is not known yet (Liu et al., Watch
// the Unobserved: A Simple Approach to Parallelizing Monte Carlo Tree Search, 2020).
// The rule is UCT (Kocsis and Szepesvari, Bandit based Monte-Carlo planning, 2006)
// but for moves that win at once or stop the other one from it, which leave no choice
// (Teytaud and Teytaud, On the huge benefit of decisive moves in Monte-Carlo tree
// search algorithms, 2010). A walker stops at a move that has no node yet or ends the
// game. 16 games at random are played from there, unless it is decided two plies
// later, and the results added to all nodes on the way.
//
// A node is a move and what comes of it: @tree.visits and @tree.wins (of the one who
// makes the move, in halves); @tree.children has the nodes behind node k at 8 k to
// 8 k + 6, one for each column, 0 where there is none; @tree.parents leads back. Walker w
// of all 960 owns node 960 (t + 1) + w in turn t, whether it makes use of it or not,
// so nobody has to count nodes; node 48 g is the root of board g. A board is
// two words, as in playouts.mlir; walkers play the moves as they pass.
//
// Two agents play each other: agent (ply + board) mod 2 is to move. Both see the
// boards; the constants they explore with and their states of chance are their own
// (@temper, @chance). `styles` has for each how much it explores and how many
// turns it may search: with no turns it plays at random. `given` holds boards to
// begin with, as the stones of whoever is to move and all stones, or -1 and -1 to go
// on from where the agents left it: 42 executions play all games to their ends.
//
// For other sizes replace all over the text 20 boards, 48 walkers, 960 of both, 96
// turns, 97 rows of nodes, 93120 nodes, 744960 moves, 384 moves of a row of a board,
// and 24 plies that a tree may be deep; 4 lanes of a leaf and 4 games of a lane (%games)
// make the 16 (%each) and twice as many halves (%halves). run.py does so.

!boards = tensor<20x2xi64>
!games = tensor<20xi32>
!reals = tensor<20xf32>
!columns = tensor<20x7xi32>
!walkers = tensor<960xi32>
!words = tensor<960xi64>
!lanes = tensor<960x4xi64>
!scores = tensor<960x4xi32>
!paths = tensor<960x24xi32>
!nodes = tensor<93120xi32>
!rows = tensor<97x960xi32>
!moves = tensor<744960xi32>
#0 = affine_map<(i) -> ()>
#i = affine_map<(i) -> (i)>
#pi = affine_map<(i, j) -> (i)>
#pj = affine_map<(i, j) -> (i, j)>
#p0 = affine_map<(i, j) -> ()>

gpuvm.program @search(%given: !boards, %styles: tensor<2x2xf32>, %seed: tensor<2xi32>, %budget: tensor<i64>)
    -> (moves: !games, outcomes: !games, visits: !columns, wins: !columns, turns: tensor<i32>, time: tensor<i64>) {
  gpuvm.global @boards : !boards = dense<0> : !boards
  gpuvm.global @tree.visits : !nodes
  gpuvm.global @tree.wins : !nodes
  gpuvm.global @tree.children : !moves
  gpuvm.global @tree.parents : !rows
  gpuvm.global @exploration : !reals
  gpuvm.global @history : tensor<43x20x8xi32>
  gpuvm.global @submits : tensor<i32> = dense<0> : tensor<i32>
  gpuvm.register @temper : tensor<2xf32>
  gpuvm.register @chance : tensor<2xi64> = dense<[0x1234567, 0x7654321]> : tensor<2xi64>
  gpuvm.metric @spread : !reals
  gpuvm.metric @boosts : tensor<i32>

  // Each agent draws the state of chance that its games at random begin with, and
  // sends how it explores and for how long.
  %temper, %patience, %chances = gpuvm.stage @wake instances(2) (%style = %styles : tensor<2x2xf32>)
      -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi64>) {
    %old = gpuvm.load own @chance : tensor<i64>
    %twelve = arith.constant dense<12> : tensor<i64>
    %left = arith.constant dense<25> : tensor<i64>
    %right = arith.constant dense<27> : tensor<i64>
    %a = arith.shrui %old, %twelve : tensor<i64>
    %b = arith.xori %old, %a : tensor<i64>
    %c = arith.shli %b, %left : tensor<i64>
    %d = arith.xori %b, %c : tensor<i64>
    %e = arith.shrui %d, %right : tensor<i64>
    %new = arith.xori %d, %e : tensor<i64>
    gpuvm.store own %new, @chance : tensor<i64>
    %t = tensor.extract_slice %style[0] [1] [1] : tensor<2xf32> to tensor<f32>
    %p = tensor.extract_slice %style[1] [1] [1] : tensor<2xf32> to tensor<f32>
    %turns = arith.fptosi %p : tensor<f32> to tensor<i32>
    gpuvm.store own %t, @temper : tensor<f32>
    gpuvm.send %t, %turns, %new : tensor<f32>, tensor<i32>, tensor<i64>
  }

  // What each game is: -1 open, 0 drawn, 1 or 2 won by the first or second player, -2
  // no position that a game can come to (status 1, ANOMALY).
  %states, %movers, %occupied, %agents = gpuvm.stage @judge instances(20) (%board = %given : !boards)
      -> (!games, tensor<20xi64>, tensor<20xi64>, !games) {
    %kept = gpuvm.load own @boards : tensor<2xi64>
    %mine0 = tensor.extract_slice %board[0] [1] [1] : tensor<2xi64> to tensor<i64>
    %all0 = tensor.extract_slice %board[1] [1] [1] : tensor<2xi64> to tensor<i64>
    %mine1 = tensor.extract_slice %kept[0] [1] [1] : tensor<2xi64> to tensor<i64>
    %all1 = tensor.extract_slice %kept[1] [1] [1] : tensor<2xi64> to tensor<i64>
    %e = tensor.empty() : tensor<i32>
    %e64 = tensor.empty() : tensor<i64>
    %judged:4 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>,
            affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%mine0, %all0, %mine1, %all1 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
        outs(%e, %e64, %e64, %e : tensor<i32>, tensor<i64>, tensor<i64>, tensor<i32>) {
    ^bb0(%m0: i64, %a0: i64, %m1: i64, %a1: i64, %o0: i32, %o1: i64, %o2: i64, %o3: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %none = arith.constant -1 : i64
      %eight = arith.constant 8 : i64
      %byte = arith.constant 255 : i64
      %shifts = arith.constant 0x08060701 : i64
      %valid = arith.constant 0x0FDFBF7EFDFBF : i64
      %bottoms = arith.constant 0x40810204081 : i64
      %open = arith.constant -1 : i32
      %illegal = arith.constant -2 : i32
      %drawn = arith.constant 0 : i32
      %single = arith.constant 1 : i32
      %second = arith.constant 2 : i32
      %goesOn = arith.cmpi eq, %a0, %none : i64
      %mine = arith.select %goesOn, %m1, %m0 : i64
      %all = arith.select %goesOn, %a1, %a0 : i64
      %theirs = arith.xori %all, %mine : i64
      %fours:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%f = %zero, %h = %zero) -> (i64, i64) {
        %number = arith.index_cast %k : index to i64
        %at = arith.muli %number, %eight : i64
        %moved = arith.shrui %shifts, %at : i64
        %near = arith.andi %moved, %byte : i64
        %far = arith.shli %near, %one : i64
        %x1 = arith.shrui %mine, %near : i64
        %x2 = arith.andi %mine, %x1 : i64
        %x3 = arith.shrui %x2, %far : i64
        %x4 = arith.andi %x2, %x3 : i64
        %y1 = arith.shrui %theirs, %near : i64
        %y2 = arith.andi %theirs, %y1 : i64
        %y3 = arith.shrui %y2, %far : i64
        %y4 = arith.andi %y2, %y3 : i64
        %nf = arith.ori %f, %x4 : i64
        %ng = arith.ori %h, %y4 : i64
        scf.yield %nf, %ng : i64, i64
      }
      // Stones lie inside, one upon the other, and whoever is to move has as many as
      // the other one or one less, and has not won: the last move would have come too late.
      %extra = arith.ori %mine, %all : i64
      %union = arith.ori %extra, %valid : i64
      %isInside = arith.cmpi eq, %union, %valid : i64
      %isPart = arith.cmpi eq, %extra, %all : i64
      %raised = arith.addi %all, %bottoms : i64
      %under = arith.andi %raised, %all : i64
      %isStacked = arith.cmpi eq, %under, %zero : i64
      %count = math.ctpop %all : i64
      %ownCount = math.ctpop %mine : i64
      %half = arith.shrui %count, %one : i64
      %isEven = arith.cmpi eq, %ownCount, %half : i64
      %isOpen = arith.cmpi eq, %fours#0, %zero : i64
      %l1 = arith.andi %isInside, %isPart : i1
      %l2 = arith.andi %isStacked, %isEven : i1
      %l3 = arith.andi %l1, %l2 : i1
      %isLegal = arith.andi %l3, %isOpen : i1
      %isFull = arith.cmpi eq, %all, %valid : i64
      %isWon = arith.cmpi ne, %fours#1, %zero : i64
      // The second player has the even stones.
      %low = arith.trunci %count : i64 to i32
      %odd = arith.andi %low, %single : i32
      %winner = arith.subi %second, %odd : i32
      %unwon = arith.select %isFull, %drawn, %open : i32
      %ended = arith.select %isWon, %winner, %unwon : i32
      %state = arith.select %isLegal, %ended, %illegal : i32
      linalg.yield %state, %mine, %all, %odd : i32, i64, i64, i32
    } -> (tensor<i32>, tensor<i64>, tensor<i64>, tensor<i32>)
    %bad = arith.constant dense<-2> : tensor<i32>
    %anomaly = arith.constant dense<1> : tensor<i32>
    %ok = arith.constant dense<0> : tensor<i32>
    %isBad = arith.cmpi eq, %judged#0, %bad : tensor<i32>
    %status = arith.select %isBad, %anomaly, %ok : tensor<i1>, tensor<i32>
    gpuvm.send %judged#0, %judged#1, %judged#2, %judged#3 : tensor<i32>, tensor<i64>, tensor<i64>, tensor<i32> status(%status : tensor<i32>)
  }

  // How many turns each game is searched for (none if it is over), with which constant, and the agents' seeds. Trees are empty.
  %turnsOf, %temperOf, %chanceOf = gpuvm.stage @plant(%state = %states : !gpuvm.message<!games>, %odd = %agents : !gpuvm.message<!games>,
      %t = %temper : !gpuvm.message<tensor<2xf32>>, %p = %patience : !gpuvm.message<tensor<2xi32>>, %c = %chances : !gpuvm.message<tensor<2xi64>>)
      -> (!games, !reals, tensor<20xi64>) {
    %none = arith.constant dense<0> : !nodes
    %nowhere = arith.constant dense<0> : !moves
    gpuvm.store %none, @tree.visits : !nodes
    gpuvm.store %none, @tree.wins : !nodes
    gpuvm.store %nowhere, @tree.children : !moves
    %e = tensor.empty() : !games
    %ef = tensor.empty() : !reals
    %e64 = tensor.empty() : tensor<20xi64>
    %r:3 = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i], iterator_types = ["parallel"]}
        ins(%state, %odd : !games, !games) outs(%e, %ef, %e64 : !games, !reals, tensor<20xi64>) {
    ^bb0(%s: i32, %o: i32, %u0: i32, %u1: f32, %u2: i64):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %open = arith.constant -1 : i32
      %i = linalg.index 0 : index
      %game = arith.index_cast %i : index to i32
      %sum = arith.addi %game, %o : i32
      %agent = arith.andi %sum, %one : i32
      %a = arith.index_cast %agent : i32 to index
      %turns = tensor.extract %p[%a] : tensor<2xi32>
      %constant = tensor.extract %t[%a] : tensor<2xf32>
      %chance = tensor.extract %c[%a] : tensor<2xi64>
      %isOpen = arith.cmpi eq, %s, %open : i32
      %n = arith.select %isOpen, %turns, %zero : i32
      linalg.yield %n, %constant, %chance : i32, f32, i64
    } -> (!games, !reals, tensor<20xi64>)
    gpuvm.store %r#1, @exploration : !reals
    gpuvm.send %r#0, %r#1, %r#2 : !games, !reals, tensor<20xi64>
  }

  %zero = arith.constant dense<0> : tensor<i32>
  %never = arith.constant dense<0> : tensor<i64>
  %turns, %time = gpuvm.repeat @search up_to 96 (%turn = %zero : tensor<i32>, %clock = %never : tensor<i64>) {
    // Down the tree: the move at which each walker stops, the board behind it, whether
    // it is decided (1 won by who made it, 2 drawn, 3 lost), and the node that it makes.
    %stops, %leafMine, %leafAll, %leafEnds, %made_ = gpuvm.stage @select(%t = %turn : !gpuvm.message<tensor<i32>>, %limit = %turnsOf : !gpuvm.message<!games>,
        %m = %movers : !gpuvm.message<tensor<20xi64>>, %a = %occupied : !gpuvm.message<tensor<20xi64>>)
        -> (!walkers, !words, !words, !walkers, !walkers) {
      %visits = gpuvm.load @tree.visits : !nodes
      %wins = gpuvm.load @tree.wins : !nodes
      %children = gpuvm.load @tree.children : !moves
      %constants = gpuvm.load @exploration : !reals
      %e = tensor.empty() : !walkers
      %e64 = tensor.empty() : !words
      %r:5 = linalg.generic {indexing_maps = [#0, #i, #i, #i, #i, #i], iterator_types = ["parallel"]}
          ins(%t : tensor<i32>) outs(%e, %e64, %e64, %e, %e : !walkers, !words, !words, !walkers, !walkers) {
      ^bb0(%now: i32, %u0: i32, %u1: i64, %u2: i64, %u3: i32, %u4: i32):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c7 = arith.constant 7 : index
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %two32 = arith.constant 2 : i32
        %nowhere = arith.constant -1 : i32
        %seven32 = arith.constant 7 : i32
        %three32 = arith.constant 3 : i32
        %four32 = arith.constant 4 : i32
        %six32 = arith.constant 6 : i32
        %nine32 = arith.constant 9 : i32
        %lowerHalf = arith.constant 0xFFFF : i32
        %upperHalf = arith.constant 0xFFFF0000 : i32
        %word = arith.constant 32 : i64
        %meanScale = arith.constant 32767.5 : f32 // Of halves.
        %meanUnit = arith.constant 1.52590219e-05 : f32
        %eight32 = arith.constant 8 : i32
        %walkers = arith.constant 48 : i32
        %lanes = arith.constant 960 : i32
        %depths = arith.constant 24 : i32
        %each = arith.constant 16 : i32
        %zero64 = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %seven = arith.constant 7 : i64
        %eight = arith.constant 8 : i64
        %nine = arith.constant 9 : i64
        %mask = arith.constant 511 : i64
        %pillar = arith.constant 127 : i64
        %bottoms = arith.constant 0x40810204081 : i64
        %byte = arith.constant 255 : i64
        %shifts = arith.constant 0x08060701 : i64
        %valid = arith.constant 0x0FDFBF7EFDFBF : i64
        %f0 = arith.constant 0.0 : f32
        %fhalf = arith.constant 0.5 : f32
        %f1 = arith.constant 1.0 : f32
        %worst = arith.constant -1.0 : f32
        %unseen = arith.constant 1.0e+09 : f32
        %i = linalg.index 0 : index
        %lane = arith.index_cast %i : index to i32
        %game = arith.divui %lane, %walkers : i32
        %root = arith.muli %game, %walkers : i32
        %rank0 = arith.subi %lane, %root : i32
        %g = arith.index_cast %game : i32 to index
        %mine0 = tensor.extract %m[%g] : tensor<20xi64>
        %all0 = tensor.extract %a[%g] : tensor<20xi64>
        %until = tensor.extract %limit[%g] : !games
        %constant = tensor.extract %constants[%g] : !reals
        %goes0 = arith.cmpi slt, %now, %until : i32
        // Which column is tried first where all are alike: another one each turn.
        %sum = arith.addi %now, %game : i32
        %mixed = arith.remui %sum, %seven32 : i32
        %end:7 = scf.while (%goes = %goes0, %node = %root, %mine = %mine0, %all = %all0, %rank = %rank0, %depth = %single,
                            %edge = %nowhere, %last = %no) : (i1, i32, i64, i64, i32, i32, i32, i32) -> (i32, i64, i64, i32, i32, i32, i32) {
          scf.condition(%goes) %node, %mine, %all, %rank, %depth, %edge, %last : i32, i64, i64, i32, i32, i32, i32
        } do {
        ^bb0(%node: i32, %mine: i64, %all: i64, %rank: i32, %depth: i32, %edge: i32, %last: i32):
          %base = arith.muli %node, %eight32 : i32
          // Where a stone would make four, of whoever is to move and of the other one.
          %theirs = arith.xori %all, %mine : i64
          %free = arith.xori %all, %valid : i64
          %fours:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%f = %zero64, %h = %zero64) -> (i64, i64) {
            %direction = arith.index_cast %k : index to i64
            %shift = arith.muli %direction, %eight : i64
            %moved = arith.shrui %shifts, %shift : i64
            %d1 = arith.andi %moved, %byte : i64
            %d2 = arith.addi %d1, %d1 : i64
            %d3 = arith.addi %d2, %d1 : i64
            %m1 = arith.shli %mine, %d1 : i64
            %m2 = arith.shli %mine, %d2 : i64
            %m3 = arith.shli %mine, %d3 : i64
            %m4 = arith.shrui %mine, %d1 : i64
            %m5 = arith.shrui %mine, %d2 : i64
            %m6 = arith.shrui %mine, %d3 : i64
            %m12 = arith.andi %m1, %m2 : i64
            %m45 = arith.andi %m4, %m5 : i64
            %m34 = arith.ori %m3, %m4 : i64
            %m16 = arith.ori %m1, %m6 : i64
            %m7 = arith.andi %m12, %m34 : i64
            %m8 = arith.andi %m45, %m16 : i64
            %m9 = arith.ori %m7, %m8 : i64
            %nf = arith.ori %f, %m9 : i64
            %t1 = arith.shli %theirs, %d1 : i64
            %t2 = arith.shli %theirs, %d2 : i64
            %t3 = arith.shli %theirs, %d3 : i64
            %t4 = arith.shrui %theirs, %d1 : i64
            %t5 = arith.shrui %theirs, %d2 : i64
            %t6 = arith.shrui %theirs, %d3 : i64
            %t12 = arith.andi %t1, %t2 : i64
            %t45 = arith.andi %t4, %t5 : i64
            %t34 = arith.ori %t3, %t4 : i64
            %t16 = arith.ori %t1, %t6 : i64
            %t7 = arith.andi %t12, %t34 : i64
            %t8 = arith.andi %t45, %t16 : i64
            %t9 = arith.ori %t7, %t8 : i64
            %ng = arith.ori %h, %t9 : i64
            scf.yield %nf, %ng : i64, i64
          }
          // Moves that win leave no others to think about, nor do moves that must be stopped.
          %raised = arith.addi %all, %bottoms : i64
          %open = arith.andi %raised, %free : i64
          %winning = arith.andi %fours#0, %open : i64
          %stopping = arith.andi %fours#1, %open : i64
          %canWin = arith.cmpi ne, %winning, %zero64 : i64
          %mustStop = arith.cmpi ne, %stopping, %zero64 : i64
          %defence = arith.select %mustStop, %stopping, %open : i64
          %allowed = arith.select %canWin, %winning, %defence : i64
          // What is known of each column, 32 bits of four words: the upper half of the visits as f32, and the mean times 2^16 - 1.
          %known:5 = scf.for %k = %c0 to %c7 step %c1 iter_args(%s = %each, %k0 = %zero64, %k1 = %zero64, %k2 = %zero64, %k3 = %zero64)
              -> (i32, i64, i64, i64, i64) {
            %column = arith.index_cast %k : index to i32
            %place = arith.addi %base, %column : i32
            %at = arith.index_cast %place : i32 to index
            %child = tensor.extract %children[%at] : !moves
            %number = arith.index_cast %child : i32 to index
            %n = tensor.extract %visits[%number] : !nodes
            %w = tensor.extract %wins[%number] : !nodes
            %more = arith.addi %s, %n : i32
            %nf = arith.sitofp %n : i32 to f32
            %wf = arith.sitofp %w : i32 to f32
            %ratio = arith.divf %wf, %nf : f32
            %scaled = arith.mulf %ratio, %meanScale : f32
            %mean = arith.fptosi %scaled : f32 to i32
            %float = arith.bitcast %nf : f32 to i32
            %upper = arith.andi %float, %upperHalf : i32
            %both = arith.ori %upper, %mean : i32
            %wide = arith.extui %both : i32 to i64
            %odd = arith.andi %column, %single : i32
            %isOdd = arith.cmpi ne, %odd, %no : i32
            %high = arith.shli %wide, %word : i64
            %bits = arith.select %isOdd, %high, %wide : i64
            %which = arith.shrui %column, %single : i32
            %is0 = arith.cmpi eq, %which, %no : i32
            %is1 = arith.cmpi eq, %which, %single : i32
            %is2 = arith.cmpi eq, %which, %two32 : i32
            %is3 = arith.cmpi eq, %which, %three32 : i32
            %b0 = arith.select %is0, %bits, %zero64 : i64
            %b1 = arith.select %is1, %bits, %zero64 : i64
            %b2 = arith.select %is2, %bits, %zero64 : i64
            %b3 = arith.select %is3, %bits, %zero64 : i64
            %n0 = arith.ori %k0, %b0 : i64
            %n1 = arith.ori %k1, %b1 : i64
            %n2 = arith.ori %k2, %b2 : i64
            %n3 = arith.ori %k3, %b3 : i64
            scf.yield %more, %n0, %n1, %n2, %n3 : i32, i64, i64, i64, i64
          }
          %totalf = arith.sitofp %known#0 : i32 to f32
          %log = math.log %totalf : f32
          // C^2 log N: the square of what is added to a mean, times visits.
          %square0 = arith.mulf %constant, %constant : f32
          %square = arith.mulf %square0, %log : f32
          // Walkers 0 to %rank choose, as many at once as choose the same: how many chose each column (nine bits each), and the last choice.
          %chosen:3 = scf.while (%there = %no, %sent = %zero64, %choice = %zero64) : (i32, i64, i64) -> (i32, i64, i64) {
            %goes = arith.cmpi sle, %there, %rank : i32
            scf.condition(%goes) %there, %sent, %choice : i32, i64, i64
          } do {
          ^bb0(%there: i32, %sent: i64, %choice: i64):
            %best:5 = scf.for %k = %c0 to %c7 step %c1 iter_args(%most = %worst, %second = %worst, %c = %zero64, %q = %f0, %visited = %f0)
                -> (f32, f32, i64, f32, f32) {
              %count = arith.index_cast %k : index to i32
              %turned = arith.addi %count, %mixed : i32
              %wraps = arith.cmpi sge, %turned, %seven32 : i32
              %back = arith.subi %turned, %seven32 : i32
              %column = arith.select %wraps, %back, %turned : i32
              %isLow = arith.cmpi slt, %column, %two32 : i32
              %isMiddle = arith.cmpi slt, %column, %four32 : i32
              %isHigh = arith.cmpi slt, %column, %six32 : i32
              %w23 = arith.select %isHigh, %known#3, %known#4 : i64
              %w123 = arith.select %isMiddle, %known#2, %w23 : i64
              %words = arith.select %isLow, %known#1, %w123 : i64
              %odd = arith.andi %column, %single : i32
              %isOdd = arith.cmpi ne, %odd, %no : i32
              %high = arith.shrui %words, %word : i64
              %both64 = arith.select %isOdd, %high, %words : i64
              %both = arith.trunci %both64 : i64 to i32
              %upper = arith.andi %both, %upperHalf : i32
              %lower = arith.andi %both, %lowerHalf : i32
              %nf = arith.bitcast %upper : i32 to f32
              %lf = arith.sitofp %lower : i32 to f32
              %mean0 = arith.mulf %lf, %meanUnit : f32
              %column64 = arith.extui %column : i32 to i64
              %place9 = arith.muli %column, %nine32 : i32
              %digit = arith.extui %place9 : i32 to i64
              %sentAll = arith.shrui %sent, %digit : i64
              %sentHere = arith.andi %sentAll, %mask : i64
              %v = arith.trunci %sentHere : i64 to i32
              %unknown = arith.muli %v, %each : i32
              %uf = arith.sitofp %unknown : i32 to f32
              %tf = arith.addf %nf, %uf : f32
              %isSeen = arith.cmpf ogt, %nf, %f0 : f32
              %mean = arith.select %isSeen, %mean0, %fhalf : f32
              %ratio = arith.divf %square, %tf : f32
              %bonus = math.sqrt %ratio : f32
              %score0 = arith.addf %mean, %bonus : f32
              %isTried = arith.cmpf ogt, %tf, %f0 : f32
              %score1 = arith.select %isTried, %score0, %unseen : f32
              %place7 = arith.muli %column, %seven32 : i32
              %bit = arith.extui %place7 : i32 to i64
              %cells = arith.shrui %allowed, %bit : i64
              %cell = arith.andi %cells, %pillar : i64
              %isMove = arith.cmpi ne, %cell, %zero64 : i64
              %score = arith.select %isMove, %score1, %worst : f32
              %takes = arith.cmpf ogt, %score, %most : f32
              %others = arith.maximumf %score, %second : f32
              %nm = arith.select %takes, %score, %most : f32
              %ns = arith.select %takes, %most, %others : f32
              %nc = arith.select %takes, %column64, %c : i64
              %nq = arith.select %takes, %mean, %q : f32
              %nv = arith.select %takes, %tf, %visited : f32
              scf.yield %nm, %ns, %nc, %nq, %nv : f32, f32, i64, f32, f32
            }
            // It is chosen until its score, mean + sqrt(square / visits), comes down to the second one.
            %lead = arith.subf %best#1, %best#3 : f32
            %lead2 = arith.mulf %lead, %lead : f32
            %least = arith.divf %square, %lead2 : f32
            %missing = arith.subf %least, %best#4 : f32
            %eachf = arith.sitofp %each : i32 to f32
            %times0 = arith.divf %missing, %eachf : f32
            %times1 = arith.fptosi %times0 : f32 to i32
            %capped = arith.minsi %times1, %rank : i32
            %times2 = arith.addi %capped, %single : i32
            %times3 = arith.maxsi %times2, %single : i32
            %isAhead = arith.cmpf ole, %lead, %f0 : f32
            %left0 = arith.subi %rank, %there : i32
            %left = arith.addi %left0, %single : i32
            %isUnseen = arith.cmpf oeq, %best#4, %f0 : f32
            %times4 = arith.select %isAhead, %left, %times3 : i32
            %times5 = arith.select %isUnseen, %single, %times4 : i32
            %times = arith.minsi %times5, %left : i32
            %times64 = arith.extui %times : i32 to i64
            %digit = arith.muli %best#2, %nine : i64
            %unit = arith.shli %times64, %digit : i64
            %more = arith.addi %sent, %unit : i64
            %gone = arith.addi %there, %times : i32
            scf.yield %gone, %more, %best#2 : i32, i64, i64
          }
          %column = arith.trunci %chosen#2 : i64 to i32
          %digit = arith.muli %chosen#2, %nine : i64
          %sentAll = arith.shrui %chosen#1, %digit : i64
          %sentHere = arith.andi %sentAll, %mask : i64
          %with = arith.trunci %sentHere : i64 to i32
          %after = arith.subi %with, %single : i32
          %place = arith.addi %base, %column : i32
          %at = arith.index_cast %place : i32 to index
          %child = tensor.extract %children[%at] : !moves
          %bit = arith.muli %chosen#2, %seven : i64
          %cells = arith.shli %pillar, %bit : i64
          %stone = arith.andi %open, %cells : i64
          %stones = arith.ori %all, %stone : i64
          %isWon = arith.cmpi ne, %winning, %zero64 : i64
          %isFull = arith.cmpi eq, %stones, %valid : i64
          %isEnd = arith.ori %isWon, %isFull : i1
          %draw = arith.select %isFull, %two32, %no : i32
          %end_ = arith.select %isWon, %single, %draw : i32
          %isInner = arith.cmpi ne, %child, %no : i32
          %fits = arith.cmpi slt, %depth, %depths : i32
          %deeper = arith.andi %isInner, %fits : i1
          %true = arith.constant true
          %isOpen = arith.xori %isEnd, %true : i1
          %goesOn = arith.andi %deeper, %isOpen : i1
          %down = arith.addi %depth, %single : i32
          %depth_ = arith.select %goesOn, %down, %depth : i32
          scf.yield %goesOn, %child, %theirs, %stones, %after, %depth_, %place, %end_ : i1, i32, i64, i64, i32, i32, i32, i32
        }
        // What whoever is to move at the leaf cannot help, in two plies (3: wins at once; 1: cannot stop the other one).
        %leafTheirs = arith.xori %end#2, %end#1 : i64
        %leafFree = arith.xori %end#2, %valid : i64
        %leafFours:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%f = %zero64, %h = %zero64) -> (i64, i64) {
          %direction = arith.index_cast %k : index to i64
          %shift = arith.muli %direction, %eight : i64
          %moved = arith.shrui %shifts, %shift : i64
          %d1 = arith.andi %moved, %byte : i64
          %d2 = arith.addi %d1, %d1 : i64
          %d3 = arith.addi %d2, %d1 : i64
          %m1 = arith.shli %end#1, %d1 : i64
          %m2 = arith.shli %end#1, %d2 : i64
          %m3 = arith.shli %end#1, %d3 : i64
          %m4 = arith.shrui %end#1, %d1 : i64
          %m5 = arith.shrui %end#1, %d2 : i64
          %m6 = arith.shrui %end#1, %d3 : i64
          %m12 = arith.andi %m1, %m2 : i64
          %m45 = arith.andi %m4, %m5 : i64
          %m34 = arith.ori %m3, %m4 : i64
          %m16 = arith.ori %m1, %m6 : i64
          %m7 = arith.andi %m12, %m34 : i64
          %m8 = arith.andi %m45, %m16 : i64
          %m9 = arith.ori %m7, %m8 : i64
          %nf = arith.ori %f, %m9 : i64
          %t1 = arith.shli %leafTheirs, %d1 : i64
          %t2 = arith.shli %leafTheirs, %d2 : i64
          %t3 = arith.shli %leafTheirs, %d3 : i64
          %t4 = arith.shrui %leafTheirs, %d1 : i64
          %t5 = arith.shrui %leafTheirs, %d2 : i64
          %t6 = arith.shrui %leafTheirs, %d3 : i64
          %t12 = arith.andi %t1, %t2 : i64
          %t45 = arith.andi %t4, %t5 : i64
          %t34 = arith.ori %t3, %t4 : i64
          %t16 = arith.ori %t1, %t6 : i64
          %t7 = arith.andi %t12, %t34 : i64
          %t8 = arith.andi %t45, %t16 : i64
          %t9 = arith.ori %t7, %t8 : i64
          %ng = arith.ori %h, %t9 : i64
          scf.yield %nf, %ng : i64, i64
        }
        %leafRaised = arith.addi %end#2, %bottoms : i64
        %replies = arith.andi %leafRaised, %leafFree : i64
        %atOnce = arith.andi %leafFours#0, %replies : i64
        %threats0 = arith.andi %leafFours#1, %leafFree : i64
        // Of threats, each reply stops the one it takes, and opens the place above it.
        %now1 = arith.andi %threats0, %replies : i64
        %isThreat = arith.cmpi ne, %now1, %zero64 : i64
        %answers = arith.select %isThreat, %now1, %replies : i64
        %above = arith.shli %answers, %one : i64
        %lost = arith.andi %above, %threats0 : i64
        %lacks = arith.cmpi eq, %lost, %above : i64
        %lessOne = arith.subi %now1, %one : i64
        %secondThreat = arith.andi %now1, %lessOne : i64
        %isDouble = arith.cmpi ne, %secondThreat, %zero64 : i64
        %cannot = arith.ori %lacks, %isDouble : i1
        %winsAtOnce = arith.cmpi ne, %atOnce, %zero64 : i64
        %sure0 = arith.select %cannot, %single, %no : i32
        %sure1 = arith.select %winsAtOnce, %three32, %sure0 : i32
        %wasOpen = arith.cmpi eq, %end#6, %no : i32
        %sure = arith.select %wasOpen, %sure1, %end#6 : i32
        // The first walker that came to a move without a node makes it.
        %isThere = arith.cmpi sge, %end#5, %no : i32
        %isFirst = arith.cmpi eq, %end#3, %no : i32
        %isNew = arith.cmpi eq, %end#0, %no : i32
        %m1 = arith.andi %isThere, %isFirst : i1
        %makes = arith.andi %m1, %isNew : i1
        %row = arith.addi %now, %single : i32
        %first = arith.muli %row, %lanes : i32
        %id = arith.addi %first, %lane : i32
        %made = arith.select %makes, %id, %no : i32
        linalg.yield %end#5, %end#1, %end#2, %sure, %made : i32, i64, i64, i32, i32
      } -> (!walkers, !words, !words, !walkers, !walkers)
      gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4 : !walkers, !words, !words, !walkers, !walkers
    }

    // A node where none was, and its way back up.
    gpuvm.stage @expand(%at = %stops : !gpuvm.message<!walkers>, %id = %made_ : !gpuvm.message<!walkers>, %t = %turn : !gpuvm.message<tensor<i32>>) {
      %children = gpuvm.load @tree.children : !moves
      %more = gpuvm.scatter max %id at %at into %children : (!walkers, !walkers, !moves) -> !moves
      gpuvm.store %more, @tree.children : !moves
      %one = arith.constant dense<1> : tensor<i32>
      %row = arith.addi %t, %one : tensor<i32>
      %three = arith.constant dense<3> : !walkers
      %parents = arith.shrsi %at, %three : !walkers
      %parentRow = tensor.expand_shape %parents [[0, 1]] output_shape [1, 960] : !walkers into tensor<1x960xi32>
      gpuvm.store %parentRow, @tree.parents[%row] : tensor<1x960xi32>
    }

    // 16 games at random from each leaf, 4 in each of 4 lanes: 2 for each that the one
    // who moved last wins, 1 for a draw.
    %totals = gpuvm.stage @play(%m = %leafMine : !gpuvm.message<!words>, %a = %leafAll : !gpuvm.message<!words>, %last = %leafEnds : !gpuvm.message<!walkers>,
        %edges = %stops : !gpuvm.message<!walkers>, %chance = %chanceOf : !gpuvm.message<tensor<20xi64>>, %s = %seed : tensor<2xi32>,
        %t = %turn : !gpuvm.message<tensor<i32>>) -> !walkers {
      %submits = gpuvm.load @submits : tensor<i32>
      %k0 = tensor.expand_shape %t [] output_shape [1] : tensor<i32> into tensor<1xi32>
      %k1 = tensor.expand_shape %submits [] output_shape [1] : tensor<i32> into tensor<1xi32>
      %stream = tensor.concat dim(0) %k0, %k1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %starts = gpuvm.random bits seed(%s : tensor<2xi32>) stream(%stream : tensor<2xi32>) -> !lanes
      %e = tensor.empty() : !scores
      %r = linalg.generic {indexing_maps = [#pi, #pi, #pi, #pi, #pj, #pj], iterator_types = ["parallel", "parallel"]}
          ins(%m, %a, %last, %edges, %starts : !words, !words, !walkers, !walkers, !lanes) outs(%e : !scores) {
      ^bb0(%mine0: i64, %all0: i64, %done: i32, %at: i32, %start: i64, %unused: i32):
        %games = arith.constant 4 : i32
        %walkers = arith.constant 48 : i32
        %none = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %double = arith.constant 2 : i32
        %zero64 = arith.constant 0 : i64
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
        %i = linalg.index 0 : index
        %lane = arith.index_cast %i : index to i32
        %game = arith.divui %lane, %walkers : i32
        %g = arith.index_cast %game : i32 to index
        %private = tensor.extract %chance[%g] : tensor<20xi64>
        %blend = arith.xori %start, %private : i64
        %state = arith.ori %blend, %one : i64
        %before64 = math.ctpop %all0 : i64
        %before = arith.trunci %before64 : i64 to i32
        %isOpen = arith.cmpi eq, %done, %none : i32
        %isThere = arith.cmpi sge, %at, %none : i32
        %plays0 = arith.andi %isOpen, %isThere : i1
        // Whoever moved last has won (1), nobody has (2), or the other one has (3), whatever would come.
        %three = arith.constant 3 : i32
        %value = arith.subi %three, %done : i32
        %sure = arith.muli %value, %games : i32
        %over0 = arith.select %plays0, %none, %games : i32
        %score0 = arith.select %plays0, %none, %sure : i32
        %played:5 = scf.while (%mine = %mine0, %all = %all0, %x = %state, %over = %over0, %score = %score0)
            : (i64, i64, i64, i32, i32) -> (i64, i64, i64, i32, i32) {
          %plays = arith.cmpi slt, %over, %games : i32
          scf.condition(%plays) %mine, %all, %x, %over, %score : i64, i64, i64, i32, i32
        } do {
        ^bb0(%mine: i64, %all: i64, %x: i64, %over: i32, %score: i32):
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
          %isMove = arith.cmpi ne, %stone, %zero64 : i64
          %stones = arith.ori %all, %stone : i64
          %own2 = arith.ori %mine, %stone : i64
          %v1 = arith.shrui %own2, %one : i64
          %v2 = arith.andi %own2, %v1 : i64
          %v3 = arith.shrui %v2, %two : i64
          %vertical = arith.andi %v2, %v3 : i64
          %h1 = arith.shrui %own2, %seven : i64
          %h2 = arith.andi %own2, %h1 : i64
          %h3 = arith.shrui %h2, %fourteen : i64
          %horizontal = arith.andi %h2, %h3 : i64
          %d1 = arith.shrui %own2, %six : i64
          %d2 = arith.andi %own2, %d1 : i64
          %d3 = arith.shrui %d2, %twelve : i64
          %down = arith.andi %d2, %d3 : i64
          %u1 = arith.shrui %own2, %eight : i64
          %u2 = arith.andi %own2, %u1 : i64
          %u3 = arith.shrui %u2, %sixteen : i64
          %up = arith.andi %u2, %u3 : i64
          %straight = arith.ori %vertical, %horizontal : i64
          %diagonal = arith.ori %down, %up : i64
          %four = arith.ori %straight, %diagonal : i64
          %wins = arith.cmpi ne, %four, %zero64 : i64
          %isFull = arith.cmpi eq, %stones, %board : i64
          %ends = arith.ori %wins, %isFull : i1
          // Stones of the one who moved last: an even number of plies later.
          %count64 = math.ctpop %stones : i64
          %count = arith.trunci %count64 : i64 to i32
          %plies = arith.subi %count, %before : i32
          %odd = arith.andi %plies, %single : i32
          %even = arith.subi %single, %odd : i32
          %won = arith.muli %even, %double : i32
          %result = arith.select %wins, %won, %single : i32
          %gain = arith.select %ends, %result, %none : i32
          %score_ = arith.addi %score, %gain : i32
          %end_ = arith.extui %ends : i1 to i32
          %over_ = arith.addi %over, %end_ : i32
          %theirs = arith.xori %all, %mine : i64
          %toMove = arith.select %isMove, %theirs, %mine : i64
          %mine_ = arith.select %ends, %mine0, %toMove : i64
          %all_ = arith.select %ends, %all0, %stones : i64
          scf.yield %mine_, %all_, %next, %over_, %score_ : i64, i64, i64, i32, i32
        }
        linalg.yield %played#4 : i32
      } -> !scores
      %ew = tensor.empty() : !walkers
      %nothing = arith.constant 0 : i32
      %zeros = linalg.fill ins(%nothing : i32) outs(%ew : !walkers) -> !walkers
      %sum = linalg.reduce { arith.addi } ins(%r : !scores) outs(%zeros : !walkers) dimensions = [1]
      gpuvm.send %sum : !walkers
    }

    // Up the tree: lane d of a walker climbs d moves, and counts for the one who made that move.
    %counted = gpuvm.stage @back(%score = %totals : !gpuvm.message<!walkers>, %at = %stops : !gpuvm.message<!walkers>) -> tensor<i32> {
      %visits = gpuvm.load @tree.visits : !nodes
      %wins = gpuvm.load @tree.wins : !nodes
      %children = gpuvm.load @tree.children : !moves
      %rows = gpuvm.load @tree.parents : !rows
      %parents = tensor.collapse_shape %rows [[0, 1]] : !rows into !nodes
      %e = tensor.empty() : !paths
      %r:3 = linalg.generic {indexing_maps = [#pi, #pi, #pj, #pj, #pj], iterator_types = ["parallel", "parallel"]}
          ins(%score, %at : !walkers, !walkers) outs(%e, %e, %e : !paths, !paths, !paths) {
      ^bb0(%s: i32, %move: i32, %u0: i32, %u1: i32, %u2: i32):
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %nowhere = arith.constant -1 : i32
        %each = arith.constant 16 : i32
        %halves = arith.constant 32 : i32
        %lanes = arith.constant 960 : i32
        %d = linalg.index 1 : index
        %depth = arith.index_cast %d : index to i32
        %isThere = arith.cmpi sge, %move, %no : i32
        %some = arith.maxsi %move, %no : i32
        %place = arith.index_cast %some : i32 to index
        %leaf0 = tensor.extract %children[%place] : !moves
        %leaf = arith.select %isThere, %leaf0, %no : i32
        %end:2 = scf.while (%node = %leaf, %left = %depth) : (i32, i32) -> (i32, i32) {
          %isBelow = arith.cmpi sge, %node, %lanes : i32
          %isLess = arith.cmpi sgt, %left, %no : i32
          %goes = arith.andi %isBelow, %isLess : i1
          scf.condition(%goes) %node, %left : i32, i32
        } do {
        ^bb0(%node: i32, %left: i32):
          %n = arith.index_cast %node : i32 to index
          %up = tensor.extract %parents[%n] : !nodes
          %less = arith.subi %left, %single : i32
          scf.yield %up, %less : i32, i32
        }
        %isNode = arith.cmpi sge, %end#0, %lanes : i32
        %position = arith.select %isNode, %end#0, %nowhere : i32
        %odd = arith.andi %depth, %single : i32
        %isOther = arith.cmpi ne, %odd, %no : i32
        %other = arith.subi %halves, %s : i32
        %gain = arith.select %isOther, %other, %s : i32
        linalg.yield %position, %each, %gain : i32, i32, i32
      } -> (!paths, !paths, !paths)
      %v, %w = gpuvm.scatter add, add %r#1, %r#2 at %r#0 into %visits, %wins
          : (!paths, !paths, !paths, !nodes, !nodes) -> (!nodes, !nodes)
      gpuvm.store %v, @tree.visits : !nodes
      gpuvm.store %w, @tree.wins : !nodes
      %one = arith.constant dense<1> : tensor<i32>
      gpuvm.send %one : tensor<i32>
    }

    // A regulator: where all moves of a root score alike, later turns explore more.
    %alike = gpuvm.stage @regulate(%t = %temperOf : !gpuvm.message<!reals>, %limit = %turnsOf : !gpuvm.message<!games>) -> !games {
      %visits = gpuvm.load @tree.visits : !nodes
      %wins = gpuvm.load @tree.wins : !nodes
      %children = gpuvm.load @tree.children : !moves
      %old = gpuvm.load @exploration : !reals
      %e = tensor.empty() : !games
      %ef = tensor.empty() : !reals
      %r:3 = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i, #i], iterator_types = ["parallel"]}
          ins(%t, %old, %limit : !reals, !reals, !games) outs(%ef, %ef, %e : !reals, !reals, !games) {
      ^bb0(%base: f32, %constant: f32, %turns: i32, %u0: f32, %u1: f32, %u2: i32):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %f0 = arith.constant 0.0 : f32
        %f1 = arith.constant 1.0 : f32
        %half = arith.constant 0.5 : f32
        %close = arith.constant 0.02 : f32
        %step = arith.constant 1.1 : f32
        %most = arith.constant 2.0 : f32
        %perRoot = arith.constant 384 : i32
        %i = linalg.index 0 : index
        %game = arith.index_cast %i : index to i32
        %root = arith.muli %game, %perRoot : i32
        %range:2 = scf.for %k = %c0 to %c7 step %c1 iter_args(%least = %f1, %best = %f0) -> (f32, f32) {
          %column = arith.index_cast %k : index to i32
          %place = arith.addi %root, %column : i32
          %at = arith.index_cast %place : i32 to index
          %child = tensor.extract %children[%at] : !moves
          %number = arith.index_cast %child : i32 to index
          %n = tensor.extract %visits[%number] : !nodes
          %w = tensor.extract %wins[%number] : !nodes
          %nf = arith.sitofp %n : i32 to f32
          %wf = arith.sitofp %w : i32 to f32
          %halves = arith.mulf %wf, %half : f32
          %mean = arith.divf %halves, %nf : f32
          %isSeen = arith.cmpi sgt, %n, %no : i32
          %low = arith.select %isSeen, %mean, %f1 : f32
          %high = arith.select %isSeen, %mean, %f0 : f32
          %nl = arith.minimumf %least, %low : f32
          %nh = arith.maximumf %best, %high : f32
          scf.yield %nl, %nh : f32, f32
        }
        %difference = arith.subf %range#1, %range#0 : f32
        %spread = arith.maximumf %difference, %f0 : f32
        %isClose = arith.cmpf olt, %spread, %close : f32
        %isSearched = arith.cmpi sgt, %turns, %no : i32
        %boosts = arith.andi %isClose, %isSearched : i1
        %more = arith.mulf %constant, %step : f32
        %limited = arith.mulf %base, %most : f32
        %raised = arith.minimumf %more, %limited : f32
        %new = arith.select %boosts, %raised, %base : f32
        %is = arith.extui %boosts : i1 to i32
        linalg.yield %new, %spread, %is : f32, f32, i32
      } -> (!reals, !reals, !games)
      gpuvm.store %r#0, @exploration : !reals
      gpuvm.store %r#1, @spread : !reals
      gpuvm.send %r#2 : !games
    }

    // The end: the time is over, or no game is searched any longer.
    %later, %ticks, %isOver = gpuvm.stage @look(%v = %counted : !gpuvm.message<tensor<i32>>, %t = %turn : !gpuvm.message<tensor<i32>>,
        %limit = %turnsOf : !gpuvm.message<!games>, %most = %budget : tensor<i64>, %boosts = %alike : !gpuvm.message<!games>)
        -> (tensor<i32>, tensor<i64>, tensor<i1>) {
      %one = arith.constant dense<1> : tensor<i32>
      %none = arith.constant dense<0> : tensor<i32>
      %now = gpuvm.metadata ticks of %v : tensor<i32> -> tensor<i64>
      %next = arith.addi %t, %one : tensor<i32>
      %longest = linalg.reduce { arith.maxsi } ins(%limit : !games) outs(%none : tensor<i32>) dimensions = [0]
      %sum = linalg.reduce { arith.addi } ins(%boosts : !games) outs(%none : tensor<i32>) dimensions = [0]
      %old = gpuvm.load @boosts : tensor<i32>
      %more = arith.addi %old, %sum : tensor<i32>
      gpuvm.store %more, @boosts : tensor<i32>
      %isLate = arith.cmpi sgt, %now, %most : tensor<i64>
      %isDone = arith.cmpi sge, %next, %longest : tensor<i32>
      %r = arith.ori %isLate, %isDone : tensor<i1>
      gpuvm.send %next, %now, %r : tensor<i32>, tensor<i64>, tensor<i1>
    }
    gpuvm.next %later, %ticks : !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i64>> until %isOver : !gpuvm.message<tensor<i1>>
  }

  // The move of each game is the one most visited, of equal ones any; -1 where there is none. It is made on the board both agents see.
  %picked, %visited, %won = gpuvm.stage @choose(%state = %states : !gpuvm.message<!games>, %m = %movers : !gpuvm.message<tensor<20xi64>>,
      %a = %occupied : !gpuvm.message<tensor<20xi64>>, %s = %seed : tensor<2xi32>, %t = %turns : !gpuvm.message<tensor<i32>>)
      -> (!games, !columns, !columns) {
    %visits = gpuvm.load @tree.visits : !nodes
    %wins = gpuvm.load @tree.wins : !nodes
    %children = gpuvm.load @tree.children : !moves
    %submits = gpuvm.load @submits : tensor<i32>
    %one = arith.constant dense<1> : tensor<i32>
    %more = arith.addi %submits, %one : tensor<i32>
    gpuvm.store %more, @submits : tensor<i32>
    %nothing = arith.constant dense<-1> : tensor<1xi32>
    %k1 = tensor.expand_shape %submits [] output_shape [1] : tensor<i32> into tensor<1xi32>
    %stream = tensor.concat dim(0) %nothing, %k1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %draws = gpuvm.random bits seed(%s : tensor<2xi32>) stream(%stream : tensor<2xi32>) -> !columns
    %e = tensor.empty() : !games
    %ec = tensor.empty() : !columns
    %counts:2 = linalg.generic {indexing_maps = [#pj, #pj], iterator_types = ["parallel", "parallel"]} outs(%ec, %ec : !columns, !columns) {
    ^bb0(%u0: i32, %u1: i32):
      %perRoot = arith.constant 384 : i32
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %game = arith.index_cast %i : index to i32
      %column = arith.index_cast %j : index to i32
      %root = arith.muli %game, %perRoot : i32
      %place = arith.addi %root, %column : i32
      %at = arith.index_cast %place : i32 to index
      %child = tensor.extract %children[%at] : !moves
      %number = arith.index_cast %child : i32 to index
      %n = tensor.extract %visits[%number] : !nodes
      %w = tensor.extract %wins[%number] : !nodes
      linalg.yield %n, %w : i32, i32
    } -> (!columns, !columns)
    %chosen = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
        ins(%state, %a : !games, tensor<20xi64>) outs(%e : !games) {
    ^bb0(%is: i32, %all: i64, %u0: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %none = arith.constant -1 : i32
      %zero64 = arith.constant 0 : i64
      %one64 = arith.constant 1 : i64
      %seven = arith.constant 7 : i64
      %few = arith.constant 21 : i64
      %valid = arith.constant 0x0FDFBF7EFDFBF : i64
      %least = arith.constant -1 : i64
      %low = arith.constant 0x1FFFFF : i64
      %i = linalg.index 0 : index
      %best:2 = scf.for %k = %c0 to %c7 step %c1 iter_args(%most = %least, %c = %none) -> (i64, i32) {
        %column = arith.index_cast %k : index to i64
        %n = tensor.extract %counts#0[%i, %k] : !columns
        %draw = tensor.extract %draws[%i, %k] : !columns
        %wide = arith.extui %n : i32 to i64
        %high = arith.shli %wide, %few : i64
        %chance = arith.extui %draw : i32 to i64
        %part = arith.andi %chance, %low : i64
        %key = arith.ori %high, %part : i64
        %bit = arith.muli %column, %seven : i64
        %bottom = arith.shli %one64, %bit : i64
        %carried = arith.addi %all, %bottom : i64
        %free = arith.xori %all, %valid : i64
        %stone = arith.andi %carried, %free : i64
        %isMove = arith.cmpi ne, %stone, %zero64 : i64
        %isMore = arith.cmpi sgt, %key, %most : i64
        %takes = arith.andi %isMove, %isMore : i1
        %number = arith.trunci %column : i64 to i32
        %nk = arith.select %takes, %key, %most : i64
        %nc = arith.select %takes, %number, %c : i32
        scf.yield %nk, %nc : i64, i32
      }
      %isOpen = arith.cmpi eq, %is, %none : i32
      %r = arith.select %isOpen, %best#1, %none : i32
      linalg.yield %r : i32
    } -> !games
    %eb = tensor.empty() : !boards
    %after = linalg.generic {indexing_maps = [#pi, #pi, #pi, #pj], iterator_types = ["parallel", "parallel"]}
        ins(%chosen, %m, %a : !games, tensor<20xi64>, tensor<20xi64>) outs(%eb : !boards) {
    ^bb0(%move: i32, %mine: i64, %all: i64, %u0: i64):
      %no = arith.constant 0 : i32
      %c0 = arith.constant 0 : index
      %one64 = arith.constant 1 : i64
      %seven = arith.constant 7 : i64
      %j = linalg.index 1 : index
      %isMade = arith.cmpi sge, %move, %no : i32
      %column = arith.maxsi %move, %no : i32
      %wide = arith.extui %column : i32 to i64
      %bit = arith.muli %wide, %seven : i64
      %bottom = arith.shli %one64, %bit : i64
      %carried = arith.addi %all, %bottom : i64
      %stones = arith.ori %carried, %all : i64
      %theirs = arith.xori %all, %mine : i64
      %newMine = arith.select %isMade, %theirs, %mine : i64
      %newAll = arith.select %isMade, %stones, %all : i64
      %isFirst = arith.cmpi eq, %j, %c0 : index
      %r = arith.select %isFirst, %newMine, %newAll : i64
      linalg.yield %r : i64
    } -> !boards
    gpuvm.store %after, @boards : !boards
    // What was considered in each submit, and what came of it, for whoever wants to know.
    %made = tensor.expand_shape %chosen [[0, 1]] output_shape [20, 1] : !games into tensor<20x1xi32>
    %both = tensor.concat dim(1) %counts#0, %made : (!columns, tensor<20x1xi32>) -> tensor<20x8xi32>
    %row = tensor.expand_shape %both [[0, 1], [2]] output_shape [1, 20, 8] : tensor<20x8xi32> into tensor<1x20x8xi32>
    gpuvm.store %row, @history[%submits] : tensor<1x20x8xi32>
    gpuvm.send %chosen, %counts#0, %counts#1 : !games, !columns, !columns
  }
  gpuvm.return %picked, %states, %visited, %won, %turns, %time : !gpuvm.message<!games>, !gpuvm.message<!games>, !gpuvm.message<!columns>,
      !gpuvm.message<!columns>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i64>>
}
