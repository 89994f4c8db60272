// The token-stream VM for workflows of a size class. What a workflow is stands
// in the tables, which the plan is given.
!streams = tensor<@streams@xi32>
!row = tensor<1x@streams@xi32>
!records = tensor<@turns@x@streams@xi32>
!word = tensor<i32>
!chunks = tensor<@streams@x@chunk@xi32>
!flag = tensor<i1>
!answers = tensor<@answerRows@x@answerTokens@xi32>
!tables = tensor<@tableWords@xi32> // EngineSizes.cpp says what is in them
!sizes = tensor<@sizeCount@xi32>
#s = affine_map<(s) -> (s)>

gpuvm.heap @token.tables : !tables

// The streams: what EngineText.cpp says that each of them has. What they emit
// in an execution: a word a token, and of the steps of a turn each has its rows.
@globals@
gpuvm.global @token.answer : !streams // tokens
@records@

//@define functions
@tableFunctions@
  // The finalizer of MurmurHash3.
  func.func private @fmix(%h: i32) -> i32 {
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
  // DONE at END, BUDGET where there is none left, else RUNNING.
  func.func private @afterwards(%pc: i32, %clock: i32, %end: i32, %budget: i32) -> i32 {
    %running = arith.constant 0 : i32
    %done = arith.constant 1 : i32
    %over = arith.constant 7 : i32
    %isDone = arith.cmpi sge, %pc, %end : i32
    %isOver = arith.cmpi sge, %clock, %budget : i32
    %r0 = arith.select %isOver, %over, %running : i32
    %r = arith.select %isDone, %done, %r0 : i32
    func.return %r : i32
  }
  // The longer of the hits so far and this one, if the mask has its class.
  func.func private @longer(%mask: i32, %bit: i32, %tokens: i32, %before: i32) -> i32 {
    %none = arith.constant 0 : i32
    %b = arith.andi %mask, %bit : i32
    %is = arith.cmpi ne, %b, %none : i32
    %more = arith.maxsi %tokens, %before : i32
    %r = arith.select %is, %more, %before : i32
    func.return %r : i32
  }
  // The test model sees a token.
  func.func private @observe(%hash: i32, %token: i32) -> i32 {
    %golden = arith.constant 0x9E3779B9 : i32
    %a = arith.xori %hash, %token : i32
    %b = arith.addi %a, %golden : i32
    %r = func.call @fmix(%b) : (i32) -> i32
    func.return %r : i32
  }
//@end
