// Connect Four by Monte-Carlo tree search, wholly on the device: boards side by side, a
// tree for each, 64,512 games at random a tree with the defaults, one submit.
//
//     gpuvm-compile examples/connect4/search.mlir -o search.gvplan
//     gpuvm-run search.gvplan --input=given=20x2xi64=0 --input=styles=2x3xf32=1,96,2,1,96,2
//         --input=seed=2xi32=1,2 --input=budget=i64=10000000000
//
// A turn of the search sends @walkers down each tree. A walker stops at a move that
// has no node yet, and opens it: all 7 moves of the position are looked at, @rounds games
// at random are played from each, and the sum is added to all nodes on the way. The rule
// by which it goes down is UCT (Kocsis and Szepesvari, Bandit based Monte-Carlo
// planning, 2006). Walkers are lanes of one kernel, so none sees where the others go:
// each multiplies what it adds to a mean for exploration by a factor of its own, by
// chance between 1/2 and 3/2, and so they part. If two open the same move, the node is
// one's, and the games are both's.
//
// An agent may look ahead. A move that wins, that loses because the other one wins at
// once, or that wins because he cannot help it then has no games but this value. It is
// carried up: a node with a move that wins is lost by whoever has moved into it, one
// whose moves all lose is won (Winands et al., Monte-Carlo tree search solver, 2008).
// And it may play games so too: at random, but for moves that win or stop a four
// (Teytaud and Teytaud, On the huge benefit of decisive moves in Monte-Carlo tree
// search algorithms, 2010). Without, it is plain UCT with games at random.
//
// @tree.visits and @tree.wins are of nodes (of the one who moved into it, in halves).
// @tree.children has at 8 k to 8 k + 6 an entry for the move of node k into each column:
// 0 if there is none, 1 + s if there is no node behind it and its games brought s
// halves, else the node; and at 8 k + 7 the place of the entry that leads to k.
// Bits 28 and 29 of an entry say that it is decided: 1 won, 2 drawn, 3 lost by whoever
// makes it; where there is no node, what is left is 1 if it makes four. Walker w of all
// @lanes owns node lanes (t + 1) + w in turn t, whether it makes use of it or not, so
// nobody has to count nodes. The entry 8 walkers g leads to the root of board g, and
// @tree.visits of walkers g counts games at random that were really played. A board is
// two words, as in playouts.mlir; walkers play the moves as they pass.
//
// Two agents play each other: agent (ply + board) mod 2 is to move. Both see the
// boards; the constants they explore with and their states of chance are their own
// (@temper, @chance). `styles` has for each how much it explores, how many turns it
// may search (with none it plays at random), and whether it looks ahead: 0 not at all, 1
// in the tree, 2 in games too. `given` holds boards to begin with, as the stones of whoever is to move and all stones, or -1 and
// -1 to go on from where the agents left it: 42 executions play all games to their ends.

gpuvm.parameter @games = 20 in 1 to 65536 "boards side by side"
gpuvm.parameter @walkers = 48 in 1 to 4096 "walkers of a board in a turn"
gpuvm.parameter @turns = 96 in 1 to 1000000 "of a search, at most"
gpuvm.parameter @depth = 24 in 1 to 42 "plies that a tree may be deep"
gpuvm.parameter @lanes = @games * walkers@
gpuvm.parameter @rounds = 2 in 1 to @min(36, (lanes - 1) floordiv 4)@ "games at random of each move of a leaf"
gpuvm.parameter @nodes = @(turns + 1) * lanes@ in 1 to 268435455 // Entries have 28 bits for one.

!boards = tensor<@games@x2xi64>
!games = tensor<@games@xi32>
!reals = tensor<@games@xf32>
!columns = tensor<@games@x7xi32>
!walkers = tensor<@lanes@xi32>
!words = tensor<@lanes@xi64>
!leaves = tensor<@lanes@x7xi32>
!changes = tensor<@lanes@x9xi32>
!paths = tensor<@lanes@x@depth@xi32>
!nodes = tensor<@nodes@xi32>
!moves = tensor<@8 * nodes@xi32>
#0 = affine_map<(i) -> ()>
#i = affine_map<(i) -> (i)>
#pi = affine_map<(i, j) -> (i)>
#pj = affine_map<(i, j) -> (i, j)>
#p0 = affine_map<(i, j) -> ()>

gpuvm.program @search(%given: !boards, %styles: tensor<2x3xf32>, %seed: tensor<2xi32>, %budget: tensor<i64>)
    -> (moves: !games, outcomes: !games, visits: !columns, wins: !columns, turns: tensor<i32>, time: tensor<i64>, playouts: !games) {
  gpuvm.global @boards : !boards = dense<0> : !boards
  gpuvm.global @tree.visits : !nodes
  gpuvm.global @tree.wins : !nodes
  gpuvm.global @tree.children : !moves
  gpuvm.global @exploration : !reals
  gpuvm.global @history : tensor<43x@games@x8xi32>
  gpuvm.global @submits : tensor<i32> = dense<0> : tensor<i32>
  gpuvm.register @temper : tensor<2xf32>
  gpuvm.register @chance : tensor<2xi64> = dense<[0x1234567, 0x7654321]> : tensor<2xi64>
  gpuvm.metric @spread : !reals
  gpuvm.metric @boosts : tensor<i32>

  // The stones with which four in a row begin, in the direction in which neighbours are so many bits apart.
  func.func private @rows(%stones: i64, %apart: i64) -> i64 {
    %one = arith.constant 1 : i64
    %far = arith.shli %apart, %one : i64
    %x1 = arith.shrui %stones, %apart : i64
    %two = arith.andi %stones, %x1 : i64
    %x2 = arith.shrui %two, %far : i64
    %four = arith.andi %two, %x2 : i64
    func.return %four : i64
  }
  // Where one stone more makes four in a row in this direction: three on one side, or two and one.
  func.func private @gaps(%stones: i64, %apart: i64) -> i64 {
    %twice = arith.addi %apart, %apart : i64
    %thrice = arith.addi %twice, %apart : i64
    %x1 = arith.shli %stones, %apart : i64
    %x2 = arith.shli %stones, %twice : i64
    %x3 = arith.shli %stones, %thrice : i64
    %x4 = arith.shrui %stones, %apart : i64
    %x5 = arith.shrui %stones, %twice : i64
    %x6 = arith.shrui %stones, %thrice : i64
    %x12 = arith.andi %x1, %x2 : i64
    %x45 = arith.andi %x4, %x5 : i64
    %x34 = arith.ori %x3, %x4 : i64
    %x16 = arith.ori %x1, %x6 : i64
    %x7 = arith.andi %x12, %x34 : i64
    %x8 = arith.andi %x45, %x16 : i64
    %gap = arith.ori %x7, %x8 : i64
    func.return %gap : i64
  }

  // Each agent draws the state of chance that its games at random begin with, and
  // sends how it explores and for how long.
  %temper, %patience, %insight, %chances = gpuvm.stage @wake instances(2) (%style = %styles : tensor<2x3xf32>)
      -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi64>) {
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
    %t = tensor.extract_slice %style[0] [1] [1] : tensor<3xf32> to tensor<f32>
    %p = tensor.extract_slice %style[1] [1] [1] : tensor<3xf32> to tensor<f32>
    %k = tensor.extract_slice %style[2] [1] [1] : tensor<3xf32> to tensor<f32>
    %turns = arith.fptosi %p : tensor<f32> to tensor<i32>
    %knows = arith.fptosi %k : tensor<f32> to tensor<i32>
    gpuvm.store own %t, @temper : tensor<f32>
    gpuvm.send %t, %turns, %knows, %new : tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>
  }

  // What each game is: -1 open, 0 drawn, 1 or 2 won by the first or second player, -2
  // no position that a game can come to (status 1, ANOMALY).
  %states, %movers, %occupied, %agents = gpuvm.stage @judge instances(@games@) (%board = %given : !boards)
      -> (!games, tensor<@games@xi64>, tensor<@games@xi64>, !games) {
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
        %x = func.call @rows(%mine, %near) : (i64, i64) -> i64
        %y = func.call @rows(%theirs, %near) : (i64, i64) -> i64
        %nf = arith.ori %f, %x : i64
        %ng = arith.ori %h, %y : i64
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
  %turnsOf, %temperOf, %insightOf, %chanceOf = gpuvm.stage @plant(%state = %states : !gpuvm.message<!games>, %odd = %agents : !gpuvm.message<!games>,
      %t = %temper : !gpuvm.message<tensor<2xf32>>, %p = %patience : !gpuvm.message<tensor<2xi32>>, %i = %insight : !gpuvm.message<tensor<2xi32>>,
      %c = %chances : !gpuvm.message<tensor<2xi64>>, %s = %seed : tensor<2xi32>) -> (!games, !reals, !games, !games) {
    %none = arith.constant dense<0> : !nodes
    %nowhere = arith.constant dense<0> : !moves
    gpuvm.store %none, @tree.visits : !nodes
    gpuvm.store %none, @tree.wins : !nodes
    gpuvm.store %nowhere, @tree.children : !moves
    %e = tensor.empty() : !games
    %ef = tensor.empty() : !reals
    %r:4 = linalg.generic {indexing_maps = [#i, #i, #i, #i, #i, #i], iterator_types = ["parallel"]}
        ins(%state, %odd : !games, !games) outs(%e, %ef, %e, %e : !games, !reals, !games, !games) {
    ^bb0(%is: i32, %o: i32, %u0: i32, %u1: f32, %u2: i32, %u3: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %word = arith.constant 32 : i64
      %golden = arith.constant 0x9E3779B97F4A7C15 : i64
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %open = arith.constant -1 : i32
      %place = linalg.index 0 : index
      %game = arith.index_cast %place : index to i32
      %sum = arith.addi %game, %o : i32
      %agent = arith.andi %sum, %one : i32
      %a = arith.index_cast %agent : i32 to index
      %turns = tensor.extract %p[%a] : tensor<2xi32>
      %constant = tensor.extract %t[%a] : tensor<2xf32>
      %chance = tensor.extract %c[%a] : tensor<2xi64>
      %knows = tensor.extract %i[%a] : tensor<2xi32>
      %seed0 = tensor.extract %s[%c0] : tensor<2xi32>
      %seed1 = tensor.extract %s[%c1] : tensor<2xi32>
      %low = arith.extui %seed0 : i32 to i64
      %up = arith.extui %seed1 : i32 to i64
      %high = arith.shli %up, %word : i64
      %both = arith.ori %low, %high : i64
      %blend0 = arith.muli %both, %golden : i64
      %blend1 = arith.xori %blend0, %chance : i64
      %blend2 = arith.muli %blend1, %golden : i64
      %key64 = arith.shrui %blend2, %word : i64
      %key = arith.trunci %key64 : i64 to i32
      %isOpen = arith.cmpi eq, %is, %open : i32
      %n = arith.select %isOpen, %turns, %zero : i32
      linalg.yield %n, %constant, %knows, %key : i32, f32, i32, i32
    } -> (!games, !reals, !games, !games)
    gpuvm.store %r#1, @exploration : !reals
    gpuvm.send %r#0, %r#1, %r#2, %r#3 : !games, !reals, !games, !games
  }

  %zero = arith.constant dense<0> : tensor<i32>
  %never = arith.constant dense<0> : tensor<i64>
  %turns, %time = gpuvm.repeat @search up_to @turns@ (%turn = %zero : tensor<i32>, %clock = %never : tensor<i64>) {
    // Down the tree: the move at which each walker stops, the board behind it, whether it is decided, and what its entry becomes.
    %stops, %leafMine, %leafAll, %leafEnds, %made_ = gpuvm.stage @select(%t = %turn : !gpuvm.message<tensor<i32>>, %limit = %turnsOf : !gpuvm.message<!games>,
        %m = %movers : !gpuvm.message<tensor<@games@xi64>>, %a = %occupied : !gpuvm.message<tensor<@games@xi64>>,
        %knows = %insightOf : !gpuvm.message<!games>, %chance = %chanceOf : !gpuvm.message<!games>)
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
        %c7 = arith.constant 7 : index
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %won = arith.constant 1 : i32
        %lost = arith.constant 3 : i32
        %four = arith.constant 4 : i32
        %eight = arith.constant 8 : i32
        %nibble = arith.constant 15 : i32
        %fifteen = arith.constant 15 : i32
        %thirteen = arith.constant 13 : i32
        %sixteen = arith.constant 16 : i32
        %walkers = arith.constant @walkers@ : i32
        %lanes = arith.constant @lanes@ : i32
        %depths = arith.constant @depth@ : i32
        %each = arith.constant @rounds@ : i32
        %nowhere = arith.constant -1 : i32
        %high = arith.constant 28 : i32
        %ids = arith.constant 0x0FFFFFFF : i32
        %golden = arith.constant 0x9E3779B9 : i32
        %mix1 = arith.constant 0x85EBCA6B : i32
        %mix2 = arith.constant 0xC2B2AE35 : i32
        %one64 = arith.constant 1 : i64
        %seven64 = arith.constant 7 : i64
        %valid = arith.constant 0x0FDFBF7EFDFBF : i64
        %half = arith.constant 0.5 : f32
        %fifteenth = arith.constant 0.0666666667 : f32
        %f0 = arith.constant 0.0 : f32
        %worst = arith.constant -1.0 : f32
        %i = linalg.index 0 : index
        %lane = arith.index_cast %i : index to i32
        %game = arith.divui %lane, %walkers : i32
        %first = arith.muli %game, %walkers : i32
        %top = arith.muli %first, %eight : i32
        %g = arith.index_cast %game : i32 to index
        %mine0 = tensor.extract %m[%g] : tensor<@games@xi64>
        %all0 = tensor.extract %a[%g] : tensor<@games@xi64>
        %until = tensor.extract %limit[%g] : !games
        %constant = tensor.extract %constants[%g] : !reals
        %sight = tensor.extract %knows[%g] : !games
        %key = tensor.extract %chance[%g] : !games
        %sees = arith.cmpi ne, %sight, %no : i32
        %deepest = arith.subi %depths, %single : i32
        %square0 = arith.mulf %constant, %constant : f32
        // Chance of this walker in this turn.
        %row = arith.addi %now, %single : i32
        %firstId = arith.muli %row, %lanes : i32
        %id = arith.addi %firstId, %lane : i32
        %spread = arith.muli %id, %golden : i32
        %h0 = arith.xori %spread, %key : i32
        %h1 = arith.shrui %h0, %sixteen : i32
        %h2 = arith.xori %h0, %h1 : i32
        %h3 = arith.muli %h2, %mix1 : i32
        %h4 = arith.shrui %h3, %thirteen : i32
        %dice0 = arith.xori %h3, %h4 : i32
        %topAt = arith.index_cast %top : i32 to index
        %entry0 = tensor.extract %children[%topAt] : !moves
        %isOpen0 = arith.cmpi sle, %entry0, %ids : i32
        %isSearched = arith.cmpi slt, %now, %until : i32
        %isNode0 = arith.cmpi sge, %entry0, %lanes : i32
        %walks = arith.andi %isSearched, %isOpen0 : i1
        %goes0 = arith.andi %walks, %isNode0 : i1
        %edge0 = arith.select %walks, %top, %nowhere : i32
        %down:8 = scf.while (%goes = %goes0, %edge = %edge0, %entry = %entry0, %mine = %mine0, %all = %all0, %depth = %single, %dice = %dice0, %end = %no)
            : (i1, i32, i32, i64, i64, i32, i32, i32) -> (i1, i32, i32, i64, i64, i32, i32, i32) {
          scf.condition(%goes) %goes, %edge, %entry, %mine, %all, %depth, %dice, %end : i1, i32, i32, i64, i64, i32, i32, i32
        } do {
        ^bb0(%goes: i1, %edge: i32, %node: i32, %mine: i64, %all: i64, %depth: i32, %dice: i32, %end: i32):
          %n0 = arith.index_cast %node : i32 to index
          %total = tensor.extract %visits[%n0] : !nodes
          %totalf = arith.sitofp %total : i32 to f32
          %log = math.log %totalf : f32
          %square = arith.mulf %square0, %log : f32
          %base = arith.muli %node, %eight : i32
          %d1 = arith.muli %dice, %mix2 : i32
          %d2 = arith.shrui %d1, %sixteen : i32
          %rolled = arith.xori %d1, %d2 : i32
          %best:5 = scf.for %k = %c0 to %c7 step %c1 iter_args(%most = %worst, %c = %no, %chosen = %no, %chances = %rolled, %isWon = %no)
              -> (f32, i32, i32, i32, i32) {
            %column = arith.index_cast %k : index to i32
            %place = arith.addi %base, %column : i32
            %at = arith.index_cast %place : i32 to index
            %entry = tensor.extract %children[%at] : !moves
            %code = arith.shrui %entry, %high : i32
            %isNode = arith.cmpi sge, %entry, %lanes : i32
            %isDecided = arith.cmpi sgt, %entry, %ids : i32
            %child0 = arith.andi %entry, %ids : i32
            %child = arith.select %isNode, %child0, %no : i32
            %number = arith.index_cast %child : i32 to index
            %n1 = tensor.extract %visits[%number] : !nodes
            %w1 = tensor.extract %wins[%number] : !nodes
            %w2 = arith.subi %entry, %single : i32
            %rest = arith.subi %lost, %code : i32
            %w3 = arith.muli %rest, %each : i32
            %w4 = arith.select %isDecided, %w3, %w1 : i32
            %w = arith.select %isNode, %w4, %w2 : i32
            %isCounted = arith.cmpi ne, %child, %no : i32
            %isPlain = arith.cmpi sle, %entry, %ids : i32
            %counts = arith.andi %isCounted, %isPlain : i1
            %n = arith.select %counts, %n1, %each : i32
            %nf = arith.sitofp %n : i32 to f32
            %wf = arith.sitofp %w : i32 to f32
            %wh = arith.mulf %wf, %half : f32
            %mean = arith.divf %wh, %nf : f32
            %ratio = arith.divf %square, %nf : f32
            %bonus = math.sqrt %ratio : f32
            %roll = arith.andi %chances, %nibble : i32
            %rollf = arith.sitofp %roll : i32 to f32
            %part = arith.mulf %rollf, %fifteenth : f32
            %factor = arith.addf %part, %half : f32
            %blurred = arith.mulf %bonus, %factor : f32
            %score0 = arith.addf %mean, %blurred : f32
            %isThere = arith.cmpi ne, %entry, %no : i32
            %isHope = arith.cmpi ne, %code, %lost : i32
            %isMove = arith.andi %isThere, %isHope : i1
            %score = arith.select %isMove, %score0, %worst : f32
            %takes = arith.cmpf ogt, %score, %most : f32
            %wins_ = arith.cmpi eq, %code, %won : i32
            %winsHere = arith.extui %wins_ : i1 to i32
            %nm = arith.select %takes, %score, %most : f32
            %nc = arith.select %takes, %column, %c : i32
            %ne = arith.select %takes, %entry, %chosen : i32
            %nd = arith.shrui %chances, %four : i32
            %nw = arith.ori %isWon, %winsHere : i32
            scf.yield %nm, %nc, %ne, %nd, %nw : f32, i32, i32, i32, i32
          }
          // What follows from the moves: one of them wins, or all of them lose.
          %isWon = arith.cmpi ne, %best#4, %no : i32
          %isLost = arith.cmpf olt, %best#0, %f0 : f32
          %follows0 = arith.ori %isWon, %isLost : i1
          %follows = arith.andi %follows0, %sees : i1
          %value = arith.select %isWon, %lost, %won : i32
          %code = arith.shrui %best#2, %high : i32
          %end_ = arith.select %follows, %value, %code : i32
          %next = arith.addi %base, %best#1 : i32
          %edge_ = arith.select %follows, %edge, %next : i32
          %entry_ = arith.select %follows, %node, %best#2 : i32
          %wide = arith.extui %best#1 : i32 to i64
          %bit = arith.muli %wide, %seven64 : i64
          %bottom = arith.shli %one64, %bit : i64
          %carried = arith.addi %all, %bottom : i64
          %free = arith.xori %all, %valid : i64
          %stone = arith.andi %carried, %free : i64
          %stones = arith.ori %all, %stone : i64
          %theirs = arith.xori %all, %mine : i64
          %mine_ = arith.select %follows, %mine, %theirs : i64
          %all_ = arith.select %follows, %all, %stones : i64
          %more = arith.addi %depth, %single : i32
          %isOpen = arith.cmpi eq, %end_, %no : i32
          %isNode = arith.cmpi sge, %best#2, %lanes : i32
          %fits = arith.cmpi slt, %more, %deepest : i32
          %goes1 = arith.andi %isOpen, %isNode : i1
          %goesOn = arith.andi %goes1, %fits : i1
          scf.yield %goesOn, %edge_, %entry_, %mine_, %all_, %more, %rolled, %end_ : i1, i32, i32, i64, i64, i32, i32, i32
        }
        // A move without a node gets one, and a node that is decided a mark.
        %mark = arith.shli %down#7, %high : i32
        %marked = arith.ori %down#2, %mark : i32
        %isNode = arith.cmpi sge, %down#2, %lanes : i32
        %entry = arith.select %isNode, %marked, %id : i32
        %isOver = arith.cmpi sgt, %down#2, %ids : i32
        %made = arith.select %isOver, %down#2, %entry : i32
        linalg.yield %down#1, %down#3, %down#4, %down#7, %made : i32, i64, i64, i32, i32
      } -> (!walkers, !words, !words, !walkers, !walkers)
      gpuvm.send %r#0, %r#1, %r#2, %r#3, %r#4 : !walkers, !words, !words, !walkers, !walkers
    }

    // The moves of each leaf: which are none, which are decided within two plies, and 2 games at random from each of the others: 2 for each
    // that the one who moves there wins, 1 for a draw.
    %entries, %totals = gpuvm.stage @play(%m = %leafMine : !gpuvm.message<!words>, %a = %leafAll : !gpuvm.message<!words>, %last = %leafEnds : !gpuvm.message<!walkers>,
        %edges = %stops : !gpuvm.message<!walkers>, %knows = %insightOf : !gpuvm.message<!games>, %chance = %chanceOf : !gpuvm.message<!games>,
        %t = %turn : !gpuvm.message<tensor<i32>>) -> (!leaves, !walkers) {
      %e = tensor.empty() : !leaves
      %r:2 = linalg.generic {indexing_maps = [#pi, #pi, #pi, #pi, #p0, #pj, #pj], iterator_types = ["parallel", "parallel"]}
          ins(%m, %a, %last, %edges, %t : !words, !words, !walkers, !walkers, tensor<i32>) outs(%e, %e : !leaves, !leaves) {
      ^bb0(%mine0: i64, %all0: i64, %end: i32, %edge: i32, %now: i32, %u0: i32, %u1: i32):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %games = arith.constant @rounds@ : i32
        %walkers = arith.constant @walkers@ : i32
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %double = arith.constant 2 : i32
        %triple = arith.constant 3 : i32
        %seven32 = arith.constant 7 : i32
        %nine = arith.constant 9 : i32
        %eighteen = arith.constant 18 : i32
        %high = arith.constant 28 : i32
        %thirteen = arith.constant 13 : i32
        %sixteen32 = arith.constant 16 : i32
        %golden = arith.constant 0x9E3779B9 : i32
        %mix1 = arith.constant 0x85EBCA6B : i32
        %mix2 = arith.constant 0xC2B2AE35 : i32
        %factor = arith.constant 1664525 : i32
        %summand = arith.constant 1013904223 : i32
        %zero64 = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %two = arith.constant 2 : i64
        %three = arith.constant 3 : i64
        %six = arith.constant 6 : i64
        %seven = arith.constant 7 : i64
        %eight = arith.constant 8 : i64
        %places = arith.constant 49 : i64
        %byte = arith.constant 255 : i64
        %shifts = arith.constant 0x08060701 : i64
        %valid = arith.constant 0x0FDFBF7EFDFBF : i64
        %bottoms = arith.constant 0x40810204081 : i64
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %lane = arith.index_cast %i : index to i32
        %column = arith.index_cast %j : index to i32
        %game = arith.divui %lane, %walkers : i32
        %g = arith.index_cast %game : i32 to index
        %sight = tensor.extract %knows[%g] : !games
        %key = tensor.extract %chance[%g] : !games
        %sees = arith.cmpi ne, %sight, %no : i32
        %thinks = arith.cmpi eq, %sight, %double : i32
        // Chance of this lane in this turn.
        %lanes = arith.constant @lanes@ : i32
        %row = arith.muli %now, %lanes : i32
        %walk = arith.addi %row, %lane : i32
        %walks = arith.muli %walk, %seven32 : i32
        %count = arith.addi %walks, %column : i32
        %h0 = arith.muli %count, %golden : i32
        %h1 = arith.xori %h0, %key : i32
        %h2 = arith.shrui %h1, %sixteen32 : i32
        %h3 = arith.xori %h1, %h2 : i32
        %h4 = arith.muli %h3, %mix2 : i32
        %h5 = arith.shrui %h4, %thirteen : i32
        %h6 = arith.xori %h4, %h5 : i32
        %h7 = arith.muli %h6, %mix1 : i32
        %h8 = arith.shrui %h7, %sixteen32 : i32
        %dice = arith.xori %h7, %h8 : i32
        // The move, and where a stone would make four before and after it.
        %theirs0 = arith.xori %all0, %mine0 : i64
        %free0 = arith.xori %all0, %valid : i64
        %column64 = arith.extui %column : i32 to i64
        %bit = arith.muli %column64, %seven : i64
        %bottom = arith.shli %one, %bit : i64
        %raised0 = arith.addi %all0, %bottom : i64
        %stone0 = arith.andi %raised0, %free0 : i64
        %stones0 = arith.ori %all0, %stone0 : i64
        %moved0 = arith.ori %mine0, %stone0 : i64
        %fours:3 = scf.for %k = %c0 to %c4 step %c1 iter_args(%f = %zero64, %f_ = %zero64, %f__ = %zero64) -> (i64, i64, i64) {
          %direction = arith.index_cast %k : index to i64
          %shift = arith.muli %direction, %eight : i64
          %shifted = arith.shrui %shifts, %shift : i64
          %d1 = arith.andi %shifted, %byte : i64
          %x = func.call @gaps(%mine0, %d1) : (i64, i64) -> i64
          %y = func.call @gaps(%theirs0, %d1) : (i64, i64) -> i64
          %z = func.call @gaps(%moved0, %d1) : (i64, i64) -> i64
          %fx = arith.ori %f, %x : i64
          %fy = arith.ori %f_, %y : i64
          %fz = arith.ori %f__, %z : i64
          scf.yield %fx, %fy, %fz : i64, i64, i64
        }
        %theirFours = arith.andi %fours#1, %valid : i64
        %myFours = arith.andi %fours#2, %valid : i64
        %raised = arith.addi %stones0, %bottoms : i64
        %free = arith.xori %stones0, %valid : i64
        %replies = arith.andi %raised, %free : i64
        %wins64 = arith.andi %stone0, %fours#0 : i64
        %isWon = arith.cmpi ne, %wins64, %zero64 : i64
        %isFull = arith.cmpi eq, %replies, %zero64 : i64
        // They win at once, or can neither stop all of mine nor keep from opening one.
        %atOnce = arith.andi %theirFours, %replies : i64
        %isLost = arith.cmpi ne, %atOnce, %zero64 : i64
        %must = arith.andi %myFours, %replies : i64
        %isMust = arith.cmpi ne, %must, %zero64 : i64
        %answers = arith.select %isMust, %must, %replies : i64
        %above = arith.shli %answers, %one : i64
        %opened = arith.andi %above, %myFours : i64
        %isHelpless = arith.cmpi eq, %opened, %above : i64
        %mustLess = arith.subi %must, %one : i64
        %mustTwo = arith.andi %must, %mustLess : i64
        %isDouble = arith.cmpi ne, %mustTwo, %zero64 : i64
        %isSure = arith.ori %isHelpless, %isDouble : i1
        %code0 = arith.select %isSure, %single, %no : i32
        %code1 = arith.select %isLost, %triple, %code0 : i32
        %code2 = arith.select %sees, %code1, %no : i32
        %code3 = arith.select %isFull, %double, %code2 : i32
        %code = arith.select %isWon, %single, %code3 : i32
        %isThere = arith.cmpi sge, %edge, %no : i32
        %isOpen = arith.cmpi eq, %end, %no : i32
        %isMove = arith.cmpi ne, %stone0, %zero64 : i64
        %isUnknown = arith.cmpi eq, %code, %no : i32
        // Moves that anybody would make count: one that wins, else those that stop a four, and do not lose at once if there are others.
        %up0 = arith.addi %all0, %bottoms : i64
        %open0 = arith.andi %up0, %free0 : i64
        %winning0 = arith.andi %fours#0, %open0 : i64
        %canWin0 = arith.cmpi ne, %winning0, %zero64 : i64
        %stopping0 = arith.andi %theirFours, %open0 : i64
        %mustStop0 = arith.cmpi ne, %stopping0, %zero64 : i64
        %useful0 = arith.select %mustStop0, %stopping0, %open0 : i64
        %under0 = arith.shrui %theirFours, %one : i64
        %bad0 = arith.andi %useful0, %under0 : i64
        %safe0 = arith.xori %useful0, %bad0 : i64
        %isSafe0 = arith.cmpi ne, %safe0, %zero64 : i64
        %defence0 = arith.select %isSafe0, %safe0, %useful0 : i64
        %sensible0 = arith.select %canWin0, %winning0, %defence0 : i64
        %considered = arith.select %sees, %sensible0, %open0 : i64
        %isIn = arith.andi %stone0, %considered : i64
        %isSensible = arith.cmpi ne, %isIn, %zero64 : i64
        %p1 = arith.andi %isThere, %isOpen : i1
        %p2 = arith.andi %p1, %isMove : i1
        %p3 = arith.andi %p1, %isSensible : i1
        %plays0 = arith.andi %p3, %isUnknown : i1
        %over0 = arith.select %plays0, %no, %games : i32
        %played:8 = scf.while (%mine = %theirs0, %all = %stones0, %own = %theirFours, %others = %myFours, %x = %dice, %side = %no, %over = %over0, %score = %no)
            : (i64, i64, i64, i64, i32, i32, i32, i32) -> (i64, i64, i64, i64, i32, i32, i32, i32) {
          %plays = arith.cmpi slt, %over, %games : i32
          scf.condition(%plays) %mine, %all, %own, %others, %x, %side, %over, %score : i64, i64, i64, i64, i32, i32, i32, i32
        } do {
        ^bb0(%mine: i64, %all: i64, %own: i64, %others: i64, %x: i32, %side: i32, %over: i32, %score: i32):
          %x1 = arith.muli %x, %factor : i32
          %next = arith.addi %x1, %summand : i32
          %top = arith.shrui %next, %sixteen32 : i32
          %scaled = arith.muli %top, %seven32 : i32
          %start32 = arith.shrui %scaled, %sixteen32 : i32
          %start = arith.extui %start32 : i32 to i64
          %turn = arith.muli %start, %seven : i64
          %turnBack = arith.subi %places, %turn : i64
          %up = arith.addi %all, %bottoms : i64
          %empty = arith.xori %all, %valid : i64
          %open = arith.andi %up, %empty : i64
          %winning = arith.andi %own, %open : i64
          %stopping = arith.andi %others, %open : i64
          %canWin = arith.cmpi ne, %winning, %zero64 : i64
          %mustStop = arith.cmpi ne, %stopping, %zero64 : i64
          %useful = arith.select %mustStop, %stopping, %open : i64
          %less = arith.subi %stopping, %one : i64
          %second = arith.andi %stopping, %less : i64
          %isHopeless = arith.cmpi ne, %second, %zero64 : i64
          %defence = arith.select %isHopeless, %zero64, %useful : i64
          %sensible = arith.select %canWin, %winning, %defence : i64
          %moves = arith.select %thinks, %sensible, %open : i64
          // One of them: the first one from a column at random on.
          %r1 = arith.shrui %moves, %turn : i64
          %r2 = arith.shli %moves, %turnBack : i64
          %turned = arith.ori %r1, %r2 : i64
          %negative = arith.subi %zero64, %turned : i64
          %lowest = arith.andi %turned, %negative : i64
          %r3 = arith.shli %lowest, %turn : i64
          %r4 = arith.shrui %lowest, %turnBack : i64
          %back = arith.ori %r3, %r4 : i64
          %stone = arith.andi %back, %valid : i64
          %fourth = arith.andi %stone, %own : i64
          %wins = arith.cmpi ne, %fourth, %zero64 : i64
          %isStuck = arith.cmpi eq, %moves, %zero64 : i64
          %isDrawn = arith.cmpi eq, %open, %zero64 : i64
          %ends = arith.ori %wins, %isStuck : i1
          %winner = arith.addi %side, %side : i32
          %loser = arith.subi %double, %winner : i32
          %s1 = arith.select %isDrawn, %single, %loser : i32
          %s2 = arith.select %wins, %winner, %s1 : i32
          %gain = arith.select %ends, %s2, %no : i32
          %score_ = arith.addi %score, %gain : i32
          %end_ = arith.extui %ends : i1 to i32
          %over_ = arith.addi %over, %end_ : i32
          %theirs = arith.xori %all, %mine : i64
          %stones = arith.ori %all, %stone : i64
          %moved = arith.ori %mine, %stone : i64
          // Where a stone more makes four: three below, or three of four in a row.
          %v1 = arith.shli %moved, %one : i64
          %v2 = arith.shli %moved, %two : i64
          %v3 = arith.shli %moved, %three : i64
          %v12 = arith.andi %v1, %v2 : i64
          %vertical = arith.andi %v12, %v3 : i64
          %level = func.call @gaps(%moved, %seven) : (i64, i64) -> i64
          %falling = func.call @gaps(%moved, %six) : (i64, i64) -> i64
          %rising = func.call @gaps(%moved, %eight) : (i64, i64) -> i64
          %m1 = arith.ori %vertical, %level : i64
          %m2 = arith.ori %falling, %rising : i64
          %m3 = arith.ori %m1, %m2 : i64
          %made = arith.andi %m3, %valid : i64
          %other = arith.subi %single, %side : i32
          %mine_ = arith.select %ends, %theirs0, %theirs : i64
          %all_ = arith.select %ends, %stones0, %stones : i64
          %own_ = arith.select %ends, %theirFours, %others : i64
          %others_ = arith.select %ends, %myFours, %made : i64
          %side_ = arith.select %ends, %no, %other : i32
          scf.yield %mine_, %all_, %own_, %others_, %next, %side_, %over_, %score_ : i64, i64, i64, i64, i32, i32, i32, i32
        }
        // What is decided counts like the games that are not played: (3 - code) each; so does, in every lane, a leaf that is.
        %toMove = arith.subi %end, %single : i32
        %rest = arith.subi %triple, %code : i32
        // (Of what is not considered nobody knows: 1.)
        %half = arith.select %isUnknown, %single, %rest : i32
        %value = arith.select %isOpen, %half, %toMove : i32
        %sure = arith.muli %value, %games : i32
        %points = arith.select %plays0, %played#7, %sure : i32
        %notOpen = arith.cmpi ne, %end, %no : i32
        %counts0 = arith.ori %notOpen, %isSensible : i1
        %counts = arith.andi %isThere, %counts0 : i1
        %seen = arith.select %plays0, %games, %no : i32
        %seenHigh = arith.shli %seen, %eighteen : i32
        %visitsHigh = arith.shli %games, %nine : i32
        %sum0 = arith.addi %points, %visitsHigh : i32
        %sum1 = arith.addi %sum0, %seenHigh : i32
        %sum = arith.select %counts, %sum1, %no : i32
        %known0 = arith.shli %code, %high : i32
        %soon = arith.extui %isWon : i1 to i32
        %known = arith.ori %known0, %soon : i32
        %unknown = arith.addi %points, %single : i32
        %entry0 = arith.select %isUnknown, %unknown, %known : i32
        %entry = arith.select %p2, %entry0, %no : i32
        linalg.yield %entry, %sum : i32, i32
      } -> (!leaves, !leaves)
      %ew = tensor.empty() : !walkers
      %nothing = arith.constant 0 : i32
      %zeros = linalg.fill ins(%nothing : i32) outs(%ew : !walkers) -> !walkers
      %sum = linalg.reduce { arith.addi } ins(%r#1 : !leaves) outs(%zeros : !walkers) dimensions = [1]
      gpuvm.send %r#0, %sum : !leaves, !walkers
    }

    // The moves of a new node, and the one that leads to it (of walkers that came to one move the last one's); a mark on what is decided.
    gpuvm.stage @expand(%new = %entries : !gpuvm.message<!leaves>, %at = %stops : !gpuvm.message<!walkers>, %id = %made_ : !gpuvm.message<!walkers>,
        %t = %turn : !gpuvm.message<tensor<i32>>) {
      %children = gpuvm.load @tree.children : !moves
      %e = tensor.empty() : !changes
      %r:2 = linalg.generic {indexing_maps = [#pi, #pi, #p0, #pj, #pj], iterator_types = ["parallel", "parallel"]}
          ins(%at, %id, %t : !walkers, !walkers, tensor<i32>) outs(%e, %e : !changes, !changes) {
      ^bb0(%edge: i32, %made: i32, %now: i32, %u0: i32, %u1: i32):
        %single = arith.constant 1 : i32
        %six = arith.constant 6 : i32
        %seven = arith.constant 7 : i32
        %eight = arith.constant 8 : i32
        %lanes = arith.constant @lanes@ : i32
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %lane = arith.index_cast %i : index to i32
        %slot = arith.index_cast %j : index to i32
        %move = arith.minsi %slot, %six : i32
        %k = arith.index_cast %move : i32 to index
        %entry = tensor.extract %new[%i, %k] : !leaves
        %row = arith.addi %now, %single : i32
        %first = arith.muli %row, %lanes : i32
        %node = arith.addi %first, %lane : i32
        %base = arith.muli %node, %eight : i32
        %own = arith.addi %base, %slot : i32
        %isParent = arith.cmpi eq, %slot, %seven : i32
        %isEdge = arith.cmpi eq, %slot, %eight : i32
        %v1 = arith.select %isParent, %edge, %entry : i32
        %v2 = arith.select %isEdge, %made, %v1 : i32
        %place = arith.select %isEdge, %edge, %own : i32
        linalg.yield %v2, %place : i32, i32
      } -> (!changes, !changes)
      %more = gpuvm.scatter max %r#0 at %r#1 into %children : (!changes, !changes, !moves) -> !moves
      gpuvm.store %more, @tree.children : !moves
    }

    // Up the tree: lane d of a walker climbs d moves, and counts for the one who made that move; above the root, games that were played.
    %counted = gpuvm.stage @back(%score = %totals : !gpuvm.message<!walkers>, %at = %stops : !gpuvm.message<!walkers>) -> tensor<i32> {
      %visits = gpuvm.load @tree.visits : !nodes
      %wins = gpuvm.load @tree.wins : !nodes
      %children = gpuvm.load @tree.children : !moves
      %e = tensor.empty() : !paths
      %r:3 = linalg.generic {indexing_maps = [#pi, #pi, #pj, #pj, #pj], iterator_types = ["parallel", "parallel"]}
          ins(%score, %at : !walkers, !walkers) outs(%e, %e, %e : !paths, !paths, !paths) {
      ^bb0(%s: i32, %edge: i32, %u0: i32, %u1: i32, %u2: i32):
        %no = arith.constant 0 : i32
        %single = arith.constant 1 : i32
        %three = arith.constant 3 : i32
        %seven = arith.constant 7 : i32
        %eight = arith.constant 8 : i32
        %nine = arith.constant 9 : i32
        %eighteen = arith.constant 18 : i32
        %field = arith.constant 511 : i32
        %nowhere = arith.constant -1 : i32
        %lanes = arith.constant @lanes@ : i32
        %ids = arith.constant 0x0FFFFFFF : i32
        %d = linalg.index 1 : index
        %depth = arith.index_cast %d : index to i32
        %some = arith.maxsi %edge, %no : i32
        %place = arith.index_cast %some : i32 to index
        %entry = tensor.extract %children[%place] : !moves
        %leaf0 = arith.andi %entry, %ids : i32
        %parent = arith.shrui %some, %three : i32
        %isLeaf = arith.cmpi eq, %depth, %no : i32
        %from = arith.select %isLeaf, %leaf0, %parent : i32
        %end:2 = scf.while (%node = %from, %left = %depth) : (i32, i32) -> (i32, i32) {
          %isBelow = arith.cmpi sge, %node, %lanes : i32
          %isLess = arith.cmpi sgt, %left, %single : i32
          %goes = arith.andi %isBelow, %isLess : i1
          scf.condition(%goes) %node, %left : i32, i32
        } do {
        ^bb0(%node: i32, %left: i32):
          %base = arith.muli %node, %eight : i32
          %slot = arith.addi %base, %seven : i32
          %n = arith.index_cast %slot : i32 to index
          %back = tensor.extract %children[%n] : !moves
          %up = arith.shrui %back, %three : i32
          %less = arith.subi %left, %single : i32
          scf.yield %up, %less : i32, i32
        }
        %isNode = arith.cmpi sge, %end#0, %lanes : i32
        %isThere = arith.cmpi sge, %edge, %no : i32
        %isAbove0 = arith.cmpi slt, %end#0, %lanes : i32
        %isNext = arith.cmpi eq, %end#1, %single : i32
        %isAbove = arith.andi %isAbove0, %isNext : i1
        %isPlace = arith.ori %isNode, %isAbove : i1
        %counts = arith.andi %isPlace, %isThere : i1
        %position = arith.select %counts, %end#0, %nowhere : i32
        %points = arith.andi %s, %field : i32
        %moved = arith.shrui %s, %nine : i32
        %games = arith.andi %moved, %field : i32
        %halves = arith.addi %games, %games : i32
        %odd = arith.andi %depth, %single : i32
        %isOther = arith.cmpi ne, %odd, %no : i32
        %other = arith.subi %halves, %points : i32
        %gain = arith.select %isOther, %points, %other : i32
        %played = arith.shrui %s, %eighteen : i32
        %visits_ = arith.select %isNode, %games, %played : i32
        %wins_ = arith.select %isNode, %gain, %no : i32
        linalg.yield %position, %visits_, %wins_ : i32, i32, i32
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
        %perRoot = arith.constant @8 * walkers@ : i32
        %eight = arith.constant 8 : i32
        %lanes = arith.constant @lanes@ : i32
        %ids = arith.constant 0x0FFFFFFF : i32
        %i = linalg.index 0 : index
        %game = arith.index_cast %i : index to i32
        %edge = arith.muli %game, %perRoot : i32
        %edgeAt = arith.index_cast %edge : i32 to index
        %marked = tensor.extract %children[%edgeAt] : !moves
        %root = arith.andi %marked, %ids : i32
        %moves = arith.muli %root, %eight : i32
        %range:2 = scf.for %k = %c0 to %c7 step %c1 iter_args(%least = %f1, %best = %f0) -> (f32, f32) {
          %column = arith.index_cast %k : index to i32
          %place = arith.addi %moves, %column : i32
          %at = arith.index_cast %place : i32 to index
          %entry = tensor.extract %children[%at] : !moves
          %isNode = arith.cmpi sge, %entry, %lanes : i32
          %isOpen = arith.cmpi sle, %entry, %ids : i32
          %isUsed = arith.andi %isNode, %isOpen : i1
          %child = arith.select %isUsed, %entry, %no : i32
          %number = arith.index_cast %child : i32 to index
          %n = tensor.extract %visits[%number] : !nodes
          %w = tensor.extract %wins[%number] : !nodes
          %nf = arith.sitofp %n : i32 to f32
          %wf = arith.sitofp %w : i32 to f32
          %halves = arith.mulf %wf, %half : f32
          %mean = arith.divf %halves, %nf : f32
          %hasGames = arith.cmpi sgt, %n, %no : i32
          %isSeen = arith.andi %isUsed, %hasGames : i1
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
  %picked, %visited, %won, %played = gpuvm.stage @choose(%state = %states : !gpuvm.message<!games>, %m = %movers : !gpuvm.message<tensor<@games@xi64>>,
      %a = %occupied : !gpuvm.message<tensor<@games@xi64>>, %s = %seed : tensor<2xi32>, %t = %turns : !gpuvm.message<tensor<i32>>)
      -> (!games, !columns, !columns, !games) {
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
    %counts:3 = linalg.generic {indexing_maps = [#pj, #pj, #pj], iterator_types = ["parallel", "parallel"]} outs(%ec, %ec, %ec : !columns, !columns, !columns) {
    ^bb0(%u0: i32, %u1: i32, %u2: i32):
      %perRoot = arith.constant @8 * walkers@ : i32
      %no = arith.constant 0 : i32
      %single = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %lost = arith.constant 3 : i32
      %eight = arith.constant 8 : i32
      %high = arith.constant 28 : i32
      %each = arith.constant @rounds@ : i32
      %lanes = arith.constant @lanes@ : i32
      %ids = arith.constant 0x0FFFFFFF : i32
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %game = arith.index_cast %i : index to i32
      %column = arith.index_cast %j : index to i32
      %edge = arith.muli %game, %perRoot : i32
      %edgeAt = arith.index_cast %edge : i32 to index
      %marked = tensor.extract %children[%edgeAt] : !moves
      %root = arith.andi %marked, %ids : i32
      %isRoot = arith.cmpi sge, %root, %lanes : i32
      %base = arith.muli %root, %eight : i32
      %place = arith.addi %base, %column : i32
      %at = arith.index_cast %place : i32 to index
      %entry0 = tensor.extract %children[%at] : !moves
      %entry = arith.select %isRoot, %entry0, %no : i32
      %code = arith.shrui %entry, %high : i32
      %child = arith.andi %entry, %ids : i32
      %isNode = arith.cmpi sge, %child, %lanes : i32
      %node = arith.select %isNode, %child, %no : i32
      %number = arith.index_cast %node : i32 to index
      %n0 = tensor.extract %visits[%number] : !nodes
      %w0 = tensor.extract %wins[%number] : !nodes
      %isMove = arith.cmpi ne, %entry, %no : i32
      %n1 = arith.select %isMove, %each, %no : i32
      %n = arith.select %isNode, %n0, %n1 : i32
      %less = arith.subi %child, %single : i32
      %some = arith.maxsi %less, %no : i32
      %w1 = arith.select %isNode, %w0, %some : i32
      %rest = arith.subi %lost, %code : i32
      %w2 = arith.muli %rest, %n : i32
      %isDecided = arith.cmpi ne, %code, %no : i32
      %w = arith.select %isDecided, %w2, %w1 : i32
      // How good it is: lost, open, won, won in 3 plies, won at once.
      %isWon = arith.cmpi eq, %code, %single : i32
      %isLost = arith.cmpi eq, %code, %lost : i32
      %quick1 = arith.addi %lost, %child : i32
      %quick = arith.select %isNode, %two, %quick1 : i32
      %open0 = arith.select %isLost, %no, %single : i32
      %rank = arith.select %isWon, %quick, %open0 : i32
      linalg.yield %n, %w, %rank : i32, i32, i32
    } -> (!columns, !columns, !columns)
    %games = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%e : !games) {
    ^bb0(%u0: i32):
      %walkers = arith.constant @walkers@ : index
      %i = linalg.index 0 : index
      %above = arith.muli %i, %walkers : index
      %n = tensor.extract %visits[%above] : !nodes
      linalg.yield %n : i32
    } -> !games
    %chosen = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]}
        ins(%state, %a : !games, tensor<@games@xi64>) outs(%e : !games) {
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
      %many = arith.constant 53 : i64
      %i = linalg.index 0 : index
      %best:2 = scf.for %k = %c0 to %c7 step %c1 iter_args(%most = %least, %c = %none) -> (i64, i32) {
        %column = arith.index_cast %k : index to i64
        %n = tensor.extract %counts#0[%i, %k] : !columns
        %draw = tensor.extract %draws[%i, %k] : !columns
        %wide = arith.extui %n : i32 to i64
        %high = arith.shli %wide, %few : i64
        %chance = arith.extui %draw : i32 to i64
        %part = arith.andi %chance, %low : i64
        %rank = tensor.extract %counts#2[%i, %k] : !columns
        %rank64 = arith.extui %rank : i32 to i64
        %class = arith.shli %rank64, %many : i64
        %sum = arith.ori %high, %part : i64
        %key = arith.ori %sum, %class : i64
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
        ins(%chosen, %m, %a : !games, tensor<@games@xi64>, tensor<@games@xi64>) outs(%eb : !boards) {
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
    %made = tensor.expand_shape %chosen [[0, 1]] output_shape [@games@, 1] : !games into tensor<@games@x1xi32>
    %both = tensor.concat dim(1) %counts#0, %made : (!columns, tensor<@games@x1xi32>) -> tensor<@games@x8xi32>
    %row = tensor.expand_shape %both [[0, 1], [2]] output_shape [1, @games@, 8] : tensor<@games@x8xi32> into tensor<1x@games@x8xi32>
    gpuvm.store %row, @history[%submits] : tensor<1x@games@x8xi32>
    gpuvm.send %chosen, %counts#0, %counts#1, %games : !games, !columns, !columns, !games
  }
  gpuvm.return %picked, %states, %visited, %won, %turns, %time, %played : !gpuvm.message<!games>, !gpuvm.message<!games>, !gpuvm.message<!columns>,
      !gpuvm.message<!columns>, !gpuvm.message<tensor<i32>>, !gpuvm.message<tensor<i64>>, !gpuvm.message<!games>
}
