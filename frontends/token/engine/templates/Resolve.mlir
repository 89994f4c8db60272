//@if model
// 1 if the model is to propose the next token, else 0.
//@define ask status pc number result
%lastZone = arith.constant @lastZone@ : i32
%askPc = arith.minsi {pc}, %lastZone : i32
%askZone = arith.index_cast %askPc : i32 to index
%askPrompt = func.call @zones(%tables, %askZone, %c0) : (!tables, index, index) -> i32
%askFlags = func.call @zones(%tables, %askZone, %c1) : (!tables, index, index) -> i32
%askTimeout = func.call @zones(%tables, %askZone, %c2) : (!tables, index, index) -> i32
{result} = func.call @asked({status}, {number}, %askPrompt, %askFlags, %askTimeout) : (i32, i32, i32, i32, i32) -> i32
//@end
//@end
// Answers first, then steps until no stream is RUNNING or there are no rows for
// what they emit. A turn is @steps@ steps of each stream.
gpuvm.program @run(%kind: !streams, %length: !streams, %answer: !answers)
    -> (turns: !word, pc: !streams, number: !streams, depth: !streams, status: !streams, pending: !streams) {
@functions@
//@if modules
@moduleFunctions@
//@end
//@if model
  // 1 if a stream takes what the model proposes next.
  func.func private @asked(%status: i32, %number: i32, %prompt: i32, %flags: i32, %timeout: i32) -> i32 {
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %isRunning = arith.cmpi eq, %status, %none : i32
    %isAfter = arith.cmpi sge, %number, %prompt : i32
    %input = arith.andi %flags, %one : i32
    %isFree = arith.cmpi eq, %input, %none : i32
    %three = arith.constant 3 : i32
    %closing = arith.shrui %flags, %three : i32
    %limit = arith.subi %timeout, %closing : i32
    %noLimit = arith.cmpi sle, %timeout, %none : i32
    %isEarly = arith.cmpi slt, %number, %limit : i32
    %inTime = arith.ori %noLimit, %isEarly : i1
    %a = arith.andi %isRunning, %isAfter : i1
    %b = arith.andi %isFree, %inTime : i1
    %is = arith.andi %a, %b : i1
    %r = arith.extui %is : i1 to i32
    func.return %r : i32
  }
//@end
  gpuvm.global @token.sizes : !sizes = dense<[@sizeValues@]> : !sizes
  %begin:@allCarried@ = gpuvm.stage @token.resolve(%kind_ = %kind : !streams, %length_ = %length : !streams)
      -> (@carriedTypes@, !streams) {
    %tables = gpuvm.load @token.tables : !tables
@loads@
    %answer0 = gpuvm.load @token.answer : !streams
    %e = tensor.empty() : !streams
    %status1, %pending1, %capture1, %answer1 = linalg.generic {indexing_maps = [#s, #s, #s, #s, #s, #s, #s, #s, #s, #s, #s, #s], iterator_types = ["parallel"]}
        ins(%kind_, %length_, %status, %pending, %capture, %answer0, %pc, %clock
            : !streams, !streams, !streams, !streams, !streams, !streams, !streams, !streams)
        outs(%e, %e, %e, %e : !streams, !streams, !streams, !streams) {
    ^bb0(%k: i32, %n: i32, %s: i32, %p: i32, %c: i32, %a: i32, %at: i32, %time: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %not = arith.constant -1 : i32
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %long = arith.constant 5 : i32
      %end = func.call @limits(%tables, %c0) : (!tables, index) -> i32
      %budget = func.call @limits(%tables, %c1) : (!tables, index) -> i32
      %most = func.call @limits(%tables, %c3) : (!tables, index) -> i32
      %waits = arith.cmpi eq, %s, %two : i32
      %comes = arith.cmpi sgt, %k, %none : i32
      %isResolved = arith.andi %waits, %comes : i1
      %isAnswer0 = arith.cmpi eq, %k, %one : i32
      %isAnswer = arith.andi %isResolved, %isAnswer0 : i1
      %isLong = arith.cmpi sgt, %n, %most : i32
      // TOOL_FAILED and TOOL_TIMEOUT are 3 and 4, as 1 more than what came.
      %failed = arith.addi %k, %one : i32
      %after = func.call @afterwards(%at, %time, %end, %budget) : (i32, i32, i32, i32) -> i32
      %s0 = arith.select %isLong, %long, %after : i32
      %s1 = arith.select %isAnswer, %s0, %failed : i32
      %s2 = arith.select %isResolved, %s1, %s : i32
      %p2 = arith.select %isAnswer, %not, %p : i32
      %c2 = arith.select %isAnswer, %none, %c : i32
      %a1 = arith.select %isLong, %a, %n : i32
      %a2 = arith.select %isAnswer, %a1, %a : i32
      linalg.yield %s2, %p2, %c2, %a2 : i32, i32, i32, i32
    } -> (!streams, !streams, !streams, !streams)
    gpuvm.store %answer1, @token.answer : !streams
//@if model
    %asked1 = linalg.generic {indexing_maps = [#s, #s, #s, #s], iterator_types = ["parallel"]}
        ins(%status1, %pc, %number : !streams, !streams, !streams) outs(%e : !streams) {
    ^bb0(%s: i32, %at: i32, %n: i32, %o: i32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
@ask %s %at %n %r@
      linalg.yield %r : i32
    } -> !streams
//@end
    gpuvm.send @startValues@, %answer1 : @carriedTypes@, !streams
  }
  %zero = gpuvm.stage @token.none() -> !word {
    %w = arith.constant dense<0> : !word
    gpuvm.send %w : !word
  }
