  %last:@allCarried@ = gpuvm.repeat @token.turns up_to @turns@ (@carriedTurn@, %l.turn = %zero : !gpuvm.message<!word>) {
    // A turn in which no stream is RUNNING is the last one. It does nothing, but
    // nothing waits for what is found out here.
    %l.done = gpuvm.stage @token.look(@lookInputs@) -> !flag {
      %no = arith.constant dense<false> : !flag
      %any = linalg.generic {indexing_maps = [@lookMaps@, affine_map<(s) -> ()>], iterator_types = ["reduction"]}
          ins(@lookOperands@ : @lookTypes@) outs(%no : !flag) {
      ^bb0(@lookArguments@, %o: i1):
        %none = arith.constant 0 : i32
        %is = arith.cmpi eq, %status, %none : i32
        %r = arith.ori %o, %is : i1
        linalg.yield %r : i1
      } -> !flag
      %yes = arith.constant dense<true> : !flag
      %done = arith.xori %any, %yes : !flag
      gpuvm.send %done : !flag
    }
//@if recordShown
    // The words of the turn before, which nothing waits for either.
    gpuvm.stage @token.record(@chunkInputs@, %turn_ = %l.turn : !gpuvm.message<!word>) {
@recordShown@
      gpuvm.send
    }
//@end
//@if model
    // What the model has not seen yet: the tokens of the last turn.
    %l.tokens, %l.many, %l.asks, %l.time = gpuvm.stage @token.show(@chunkInputs@, @shownInputs@) -> (!chunks, !streams, !streams, !streams) {
      %tables = gpuvm.load @token.tables : !tables
      %ec = tensor.empty() : !chunks
      %e = tensor.empty() : !streams
      %tokens = linalg.generic {indexing_maps = [@chunkMaps@, affine_map<(s, k) -> (s, k)>], iterator_types = ["parallel", "parallel"]}
          ins(@chunkOperands@ : @chunkTypes@) outs(%ec : !chunks) {
      ^bb0(@chunkArguments@, %o: i32):
        %c7 = arith.constant 7 : index
        %none = arith.constant 0 : i32
        %mask = arith.constant 0x1FFFFF : i32
        %padding = func.call @limits(%tables, %c7) : (!tables, index) -> i32
        %k = linalg.index 1 : index
        %word0 = arith.constant -1 : i32
@chooseWord@
        %isToken = arith.cmpi sge, @word@, %none : i32
        %token = arith.andi @word@, %mask : i32
        %r = arith.select %isToken, %token, %padding : i32
        linalg.yield %r : i32
      } -> !chunks
      %number, %asks, %time = linalg.generic {indexing_maps = [@shownMaps@, #s, #s, #s], iterator_types = ["parallel"]}
          ins(@shownOperands@ : @shownTypes@) outs(%e, %e, %e : !streams, !streams, !streams) {
      ^bb0(@shownArguments@, %o0: i32, %o1: i32, %o2: i32):
        linalg.yield %count, %asked, %clock : i32, i32, i32
      } -> (!streams, !streams, !streams)
      gpuvm.send %tokens, %number, %asks, %time : !chunks, !streams, !streams, !streams
    }
    %l.proposal = gpuvm.call @@model@ as @model (%l.tokens, %l.many, %l.asks, %l.time)
        : (!gpuvm.message<!chunks>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>) -> !gpuvm.message<!streams>
//@end
