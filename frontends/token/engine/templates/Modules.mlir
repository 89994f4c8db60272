
// What a step does for modules of the user; EngineModules.cpp has the calls.
//@define moduleLimits
        %c8 = arith.constant 8 : index
        %padding = func.call @limits(%tables, %c7) : (!tables, index) -> i32
        %vocabulary = func.call @limits(%tables, %c8) : (!tables, index) -> i32
        %c9 = arith.constant 9 : index
        %classes = func.call @limits(%tables, %c9) : (!tables, index) -> i32
        %classes64 = arith.extui %classes : i32 to i64
        %others64 = arith.subi %bits64, %classes64 : i64
        %classMask = arith.shrui %not64, %others64 : i64
//@end
// 0 the model, 1 the prompt, 2 an answer, 3 what closes it, 4 the limit.
//@define sourceOfToken
            %source0 = arith.extui %isPrompt : i1 to i32
            %source1 = arith.select %isAnswer, %two, %source0 : i32
            %source2 = arith.select %isClose, %three, %source1 : i32
            %source3 = arith.select %isTimeout, %four, %source2 : i32
//@end
//@define changedToken
            %nowForced = arith.cmpi ne, @source@, %none : i32
            %nowAnswer = arith.cmpi eq, @source@, %two : i32
            %nowClose = arith.cmpi eq, @source@, %three : i32
            %nowTimeout = arith.cmpi eq, @source@, %four : i32
            %nowPattern = arith.ori %nowClose, %nowTimeout : i1
            %nowPrompt = arith.cmpi eq, @source@, %one : i32
            %nowOwn = arith.ori %nowPrompt, %nowPattern : i1
//@end
// The class of hit %h and how long it is; that of a text has no length.
//@if text
//@define classOfHit
              %class0 = func.call @hits(%tables, %hi, %c0) : (!tables, index, index) -> i32
              %length0 = func.call @hits(%tables, %hi, %c1) : (!tables, index, index) -> i32
              %class = arith.select %inText, %textEnd, %class0 : i32
              %length = arith.select %inText, %one, %length0 : i32
//@end
//@else
//@define classOfHit
              %class = func.call @hits(%tables, %hi, %c0) : (!tables, index, index) -> i32
              %length = func.call @hits(%tables, %hi, %c1) : (!tables, index, index) -> i32
//@end
//@end
//@define longestOfWay
            // The longest of the hits that a module left, of the way's classes.
            %way64 = arith.select %isJump, %jumps64, %advances64 : i64
            %wayHits = arith.select %isEvent, %h1, %c0 : index
            @longest@ = scf.for %h = %c0 to %wayHits step %c1 iter_args(%longestSoFar = %none) -> (i32) {
              %ei = arith.index_cast %node0 : i32 to index
              %firstHit = func.call @nodes(%tables, %ei, %c0) : (!tables, index, index) -> i32
              %h0 = arith.index_cast %firstHit : i32 to index
              %hi = arith.addi %h0, %h : index
@classOfHit@
              %class64 = arith.extui %class : i32 to i64
              %moved64 = arith.shrui %way64, %class64 : i64
              %moved = arith.trunci %moved64 : i64 to i32
              %longest1 = func.call @longer(%moved, %one, %length, %longestSoFar) : (i32, i32, i32, i32) -> i32
              scf.yield %longest1 : i32
            }
//@end
