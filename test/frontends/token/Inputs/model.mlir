// The model for tests as a program of its own, for 16 streams: weight 64, phrases "b[E]", "[A]" and "cab", fillers
// "abc", seed 0. It is shown the tokens of a turn in the next one; were it shown one too many or too few, all that follows
// would differ.

!streams = tensor<16xi32>
!chunks = tensor<16x4xi32>
#s = affine_map<(s) -> (s)>

gpuvm.program private @test_model(%tokens: !chunks, %count: !streams, %asked: !streams, %clock: !streams) -> (proposal: !streams) {
  gpuvm.heap @text : tensor<13xi32> = dense<[98, 91, 69, 93, 91, 65, 93, 99, 97, 98, 97, 98, 99]> : tensor<13xi32>
  gpuvm.heap @phrases : tensor<3x2xi32> = dense<[[0, 4], [4, 3], [7, 3]]> : tensor<3x2xi32>
  gpuvm.global @hash : !streams
  gpuvm.global @phrase : !streams
  gpuvm.global @place : !streams

  func.func private @mixed(%h: i32) -> i32 {
    %c16 = arith.constant 16 : i32
    %c13 = arith.constant 13 : i32
    %m0 = arith.constant 0x85EBCA6B : i32
    %m1 = arith.constant 0xC2B2AE35 : i32
    %a0 = arith.shrui %h, %c16 : i32
    %a = arith.xori %h, %a0 : i32
    %b = arith.muli %a, %m0 : i32
    %b0 = arith.shrui %b, %c13 : i32
    %c = arith.xori %b, %b0 : i32
    %d = arith.muli %c, %m1 : i32
    %d0 = arith.shrui %d, %c16 : i32
    %r = arith.xori %d, %d0 : i32
    func.return %r : i32
  }

  %p = gpuvm.stage @propose(%tokens_ = %tokens : !chunks, %count_ = %count : !streams, %asked_ = %asked : !streams, %clock_ = %clock : !streams)
      -> !streams {
    %text = gpuvm.load @text : tensor<13xi32>
    %phrases = gpuvm.load @phrases : tensor<3x2xi32>
    %hash = gpuvm.load @hash : !streams
    %phrase = gpuvm.load @phrase : !streams
    %place = gpuvm.load @place : !streams
    %e = tensor.empty() : !streams
    %r:4 = linalg.generic {indexing_maps = [#s, #s, #s, #s, #s, #s, #s, #s, #s, #s], iterator_types = ["parallel"]}
        ins(%count_, %asked_, %clock_, %hash, %phrase, %place
            : !streams, !streams, !streams, !streams, !streams, !streams)
        outs(%e, %e, %e, %e : !streams, !streams, !streams, !streams) {
    ^bb0(%n: i32, %isAsked: i32, %time: i32, %h0: i32, %own0: i32, %at0: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %not = arith.constant -1 : i32
      %three = arith.constant 3 : i32
      %eight = arith.constant 8 : i32
      %ten = arith.constant 10 : i32
      %k255 = arith.constant 255 : i32
      %weight = arith.constant 64 : i32
      %golden = arith.constant 0x9E3779B9 : i32
      %salt = arith.constant 0x5BD1E995 : i32
      // A stream begins.
      %bi = linalg.index 0 : index
      %b = arith.index_cast %bi : index to i32
      %b1 = arith.addi %b, %golden : i32
      %b2 = func.call @mixed(%b1) : (i32) -> i32
      %begun = func.call @mixed(%b2) : (i32) -> i32
      %isFirst = arith.cmpi eq, %time, %none : i32
      %h1 = arith.select %isFirst, %begun, %h0 : i32
      %own1 = arith.select %isFirst, %not, %own0 : i32
      // What it has not seen.
      %ni = arith.index_cast %n : i32 to index
      %h2 = scf.for %k = %c0 to %ni step %c1 iter_args(%h = %h1) -> (i32) {
        %t = tensor.extract %tokens_[%bi, %k] : !chunks
        %x0 = arith.xori %h, %t : i32
        %x1 = arith.addi %x0, %golden : i32
        %x2 = func.call @mixed(%x1) : (i32) -> i32
        scf.yield %x2 : i32
      }
      %asks = arith.cmpi ne, %isAsked, %none : i32
      %p:3 = scf.if %asks -> (i32, i32, i32) {
        %y0 = arith.xori %h2, %salt : i32
        %random = func.call @mixed(%y0) : (i32) -> i32
        %low = arith.andi %random, %k255 : i32
        %high = arith.shrui %random, %eight : i32
        %chosen = arith.remui %high, %three : i32
        %inPhrase = arith.cmpi sge, %own1, %none : i32
        %begins = arith.cmpi slt, %low, %weight : i32
        %isPhrase = arith.ori %inPhrase, %begins : i1
        %own = arith.select %inPhrase, %own1, %chosen : i32
        %at = arith.select %inPhrase, %at0, %none : i32
        %owni = arith.index_cast %own : i32 to index
        %first = tensor.extract %phrases[%owni, %c0] : tensor<3x2xi32>
        %length = tensor.extract %phrases[%owni, %c1] : tensor<3x2xi32>
        %i0 = arith.addi %first, %at : i32
        %i1 = arith.addi %ten, %chosen : i32
        %i2 = arith.select %isPhrase, %i0, %i1 : i32
        %i = arith.index_cast %i2 : i32 to index
        %proposal = tensor.extract %text[%i] : tensor<13xi32>
        %next = arith.addi %at, %one : i32
        %isLast = arith.cmpi sge, %next, %length : i32
        %left = arith.select %isLast, %not, %own : i32
        %left1 = arith.select %isPhrase, %left, %not : i32
        scf.yield %proposal, %left1, %next : i32, i32, i32
      } else {
        scf.yield %none, %own1, %at0 : i32, i32, i32
      }
      linalg.yield %p#0, %h2, %p#1, %p#2 : i32, i32, i32, i32
    } -> (!streams, !streams, !streams, !streams)
    gpuvm.store %r#1, @hash : !streams
    gpuvm.store %r#2, @phrase : !streams
    gpuvm.store %r#3, @place : !streams
    gpuvm.send %r#0 : !streams
  }
  gpuvm.return %p : !gpuvm.message<!streams>
}
