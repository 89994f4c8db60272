    %l.next:@carried@, %l.more = gpuvm.stage @token.step
        (@stepOperands@, %answer_ = %begin#@carried@ : !gpuvm.message<!streams>, %answers = %answer : !answers,
//@if model
         %proposal_ = %l.proposal : !gpuvm.message<!streams>,
//@end
         %turn_ = %l.turn : !gpuvm.message<!word>) -> (@carriedTypes@, !word) {
      %tables = gpuvm.load @token.tables : !tables
      %e = tensor.empty() : !streams
      %s:@stepResults@ = linalg.generic {indexing_maps = [@maps@], iterator_types = ["parallel"]}
//@if model
          ins(%proposal_ : !streams)
//@end
          outs(@outs@ : @resultTypes@) {
      ^bb0(@blockArguments@):
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %c5 = arith.constant 5 : index
        %c6 = arith.constant 6 : index
        %c7 = arith.constant 7 : index
        %nodeBits = arith.constant 0x3FFFFFFF : i32
        %three = arith.constant 3 : i32
        %steps = arith.constant @steps@ : index
        %classWords = arith.constant @classWords@ : index
        %not = arith.constant -1 : i32
        %none = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %two = arith.constant 2 : i32
        %four = arith.constant 4 : i32
        %five = arith.constant 5 : i32
        %six = arith.constant 6 : i32
        %eight = arith.constant 8 : i32
        %k21 = arith.constant 21 : i32
        %k22 = arith.constant 22 : i32
        %k24 = arith.constant 24 : i32
        %k30 = arith.constant 30 : i32
        %k31 = arith.constant 31 : i32
        %k32 = arith.constant 32 : i32
        %k255 = arith.constant 255 : i32
        %salt = arith.constant 0x5BD1E995 : i32
        %false = arith.constant false
        %true = arith.constant true
        %end = func.call @limits(%tables, %c0) : (!tables, index) -> i32
        %budget = func.call @limits(%tables, %c1) : (!tables, index) -> i32
        %captureTokens = func.call @limits(%tables, %c2) : (!tables, index) -> i32
        %all = func.call @limits(%tables, %c4) : (!tables, index) -> i32
        %bi = linalg.index 0 : index
        %b = arith.index_cast %bi : index to i32
//@if modules
        // Of modules: the states that they begin with, a token that is none.
@moduleConstants@
@moduleLimits@
//@end
        // Read like this the state has two places that take turns, and is not copied.
@read@
        %lastRow = arith.constant @lastAnswer@ : index
        %row = arith.minui %bi, %lastRow : index
        %answerTokens = tensor.extract %answer_[%bi] : !streams
        %w = arith.remui %b, %all : i32
        %wi = arith.index_cast %w : i32 to index
//@if text
        %textRoot = func.call @workflows(%tables, %wi, %c6) : (!tables, index, index) -> i32
        %heard = arith.constant 62 : i32
//@end
//@if test
        %weight = func.call @workflows(%tables, %wi, %c1) : (!tables, index, index) -> i32
        %firstPhrase = func.call @workflows(%tables, %wi, %c2) : (!tables, index, index) -> i32
        %phrases = func.call @workflows(%tables, %wi, %c3) : (!tables, index, index) -> i32
        %firstFiller = func.call @workflows(%tables, %wi, %c4) : (!tables, index, index) -> i32
        %fillers = func.call @workflows(%tables, %wi, %c5) : (!tables, index, index) -> i32
//@end
        %l:@results@ = scf.for %k = %c0 to %steps step %c1
            iter_args(@iterArguments@@wordArguments@) -> (@scalars@) {
//@if model
          // Ahead of the model it goes while tokens are forced; a model that is
          // behind makes it wait.
          %isLive = arith.cmpi eq, %status, %none : i32
          %isFirst = arith.cmpi eq, %k, %c0 : index
          %isForcedNext = arith.cmpi eq, %asked, %none : i32
          %isProposal = arith.cmpi sge, %proposal, %none : i32
          %isProposed = arith.andi %isFirst, %isProposal : i1
          %mayGo = arith.ori %isProposed, %isForcedNext : i1
          %isRunning = arith.andi %isLive, %mayGo : i1
//@else
          %isRunning = arith.cmpi eq, %status, %none : i32
//@end
          %n:@allStates@ = scf.if %isRunning -> (@stepScalars@) {
            %zi = arith.index_cast %pc : i32 to index
            %prompt = func.call @zones(%tables, %zi, %c0) : (!tables, index, index) -> i32
            %flags = func.call @zones(%tables, %zi, %c1) : (!tables, index, index) -> i32
            %timeout = func.call @zones(%tables, %zi, %c2) : (!tables, index, index) -> i32
            %closingTokens = arith.shrui %flags, %three : i32
            // 1: where the token is from.
            %isPrompt = arith.cmpi slt, %number, %prompt : i32
            %input = arith.andi %flags, %one : i32
            %feeds = arith.cmpi ne, %input, %none : i32
            %isFeed = arith.select %isPrompt, %false, %feeds : i1
            %isMore = arith.cmpi slt, %fed, %answerTokens : i32
            %takes = arith.andi %isFeed, %isMore : i1
            %took0 = arith.extui %takes : i1 to i32
            %fed0 = arith.addi %fed, %took0 : i32
            %limit = arith.subi %timeout, %closingTokens : i32
            %hasLimit = arith.cmpi sgt, %timeout, %none : i32
            %isLate = arith.cmpi sge, %number, %limit : i32
            %isTimeout = arith.andi %hasLimit, %isLate : i1
            %inTime = arith.xori %isTimeout, %true : i1
            %isAnswer = arith.andi %takes, %inTime : i1
            %isClose0 = arith.cmpi ne, %isFeed, %takes : i1
            %isClose = arith.andi %isClose0, %inTime : i1
            %isFed = arith.ori %isPrompt, %isFeed : i1
            %isForced = arith.ori %isFed, %isTimeout : i1
            %isPattern = arith.ori %isClose, %isTimeout : i1
            %isText = arith.cmpi ne, %isForced, %isAnswer : i1
            %t:3 = scf.if %isForced -> (i32, i32, i32) {
              %token = scf.if %isText -> i32 {
                // Of the prompt, or of the pattern that closes the zone.
                %first = func.call @zones(%tables, %zi, %c3) : (!tables, index, index) -> i32
                %closing = func.call @zones(%tables, %zi, %c4) : (!tables, index, index) -> i32
                %p0 = arith.addi %first, %number : i32
                %q0 = arith.subi %number, %prompt : i32
                %q1 = arith.subi %q0, %answerTokens : i32
                %q2 = arith.subi %number, %limit : i32
                %q3 = arith.select %isTimeout, %q2, %q1 : i32
                %q4 = arith.maxsi %q3, %none : i32
                %q5 = arith.subi %closingTokens, %one : i32
//@if modules
                // It is fed again where a module spoilt it.
                %q6 = arith.remui %q4, %closingTokens : i32
//@else
                %q6 = arith.minsi %q4, %q5 : i32
//@end
                %q7 = arith.addi %closing, %q6 : i32
                %place0 = arith.select %isPattern, %q7, %p0 : i32
                %pi = arith.index_cast %place0 : i32 to index
                %token = func.call @tokens(%tables, %pi) : (!tables, index) -> i32
                scf.yield %token : i32
              } else {
                %fi = arith.index_cast %fed : i32 to index
                %token = tensor.extract %answers[%row, %fi] : !answers
                scf.yield %token : i32
              }
//@if test
              scf.yield %token, %phrase, %place : i32, i32, i32
//@else
              scf.yield %token, %none, %none : i32, i32, i32
//@end
            } else {
//@if test
              %inPhrase = arith.cmpi sge, %phrase, %none : i32
              %x0 = arith.xori %hash, %salt : i32
              %random = func.call @fmix(%x0) : (i32) -> i32
              %low = arith.andi %random, %k255 : i32
              %high = arith.shrui %random, %eight : i32
              %isLow = arith.cmpi slt, %low, %weight : i32
              %hasPhrase = arith.cmpi sgt, %phrases, %none : i32
              %begins = arith.andi %isLow, %hasPhrase : i1
              %isPhrase = arith.ori %inPhrase, %begins : i1
              %p:3 = scf.if %isPhrase -> (i32, i32, i32) {
                %chosen = arith.remui %high, %phrases : i32
                %own = arith.select %inPhrase, %phrase, %chosen : i32
                %at = arith.select %inPhrase, %place, %none : i32
                %row0 = arith.addi %firstPhrase, %own : i32
                %rowi = arith.index_cast %row0 : i32 to index
                %begin = func.call @phrases(%tables, %rowi, %c0) : (!tables, index, index) -> i32
                %length = func.call @phrases(%tables, %rowi, %c1) : (!tables, index, index) -> i32
                %tokenPlace = arith.addi %begin, %at : i32
                %at1 = arith.addi %at, %one : i32
                %isLast = arith.cmpi sge, %at1, %length : i32
                %left = arith.select %isLast, %not, %own : i32
                scf.yield %tokenPlace, %left, %at1 : i32, i32, i32
              } else {
                %chosen = arith.remui %high, %fillers : i32
                %tokenPlace = arith.addi %firstFiller, %chosen : i32
                scf.yield %tokenPlace, %not, %none : i32, i32, i32
              }
              %pi = arith.index_cast %p#0 : i32 to index
              %proposal = func.call @tokens(%tables, %pi) : (!tables, index) -> i32
              scf.yield %proposal, %p#1, %p#2 : i32, i32, i32
//@else
              scf.yield %proposal, %none, %none : i32, i32, i32
//@end
            }
//@if manipulation
            // Modules may change it and say that it is from elsewhere.
@sourceOfToken@
@manipulations@
@changedToken@
//@end
//@if test
            // 2: The model has seen it; one that is a program of its own is shown it with the next turn.
            %hash1 = func.call @observe(%hash, @token@) : (i32, i32) -> i32
//@end
            // 3: Which patterns it completes.
            %inert0 = arith.andi %flags, %four : i32
            %isInert = arith.cmpi ne, %inert0, %none : i32
            %isUnheard = arith.andi @isAnswer@, %isInert : i1
            %symbol = scf.if %isUnheard -> i32 {
              scf.yield %none : i32
            } else {
              %ti = arith.index_cast @token@ : i32 to index
              %symbol = func.call @symbols(%tables, %ti) : (!tables, index) -> i32
              scf.yield %symbol : i32
            }
            %ni = arith.index_cast %node : i32 to index
            %si = arith.index_cast %symbol : i32 to index
            %move = func.call @moves(%tables, %ni, %si) : (!tables, index, index) -> i32
            %node0 = arith.andi %move, %nodeBits : i32
            %hasHits = arith.cmpi ne, %move, %node0 : i32
            %manyHits = scf.if %hasHits -> i32 {
              %ei = arith.index_cast %node0 : i32 to index
              %many = func.call @nodes(%tables, %ei, %c1) : (!tables, index, index) -> i32
              scf.yield %many : i32
            } else {
              scf.yield %none : i32
            }
//@if text
            // In the text of what is not the zone's own: one pattern at most.
            %tokeni = arith.index_cast @token@ : i32 to index
            %column = func.call @columns(%tables, %tokeni) : (!tables, index) -> i32
            %columni = arith.index_cast %column : i32 to index
            %texti = arith.index_cast %text : i32 to index
            %textMove = func.call @steps(%tables, %texti, %columni) : (!tables, index, index) -> i32
            %textEnd = func.call @ends(%tables, %texti, %columni) : (!tables, index, index) -> i32
            %text0 = arith.andi %textMove, %nodeBits : i32
            %hasEnd = arith.cmpi ne, %textMove, %text0 : i32
            %manyEnds = arith.extui %hasEnd : i1 to i32
            %isListening = arith.cmpi ne, %text, %none : i32
            %isOther = arith.ori @isOwn@, %isUnheard : i1
            %isForeign = arith.xori %isOther, %true : i1
            %inText = arith.andi %isListening, %isForeign : i1
            %manyHeard = arith.select %inText, %manyEnds, %manyHits : i32
            %h1 = arith.index_cast %manyHeard : i32 to index
//@else
            %h1 = arith.index_cast %manyHits : i32 to index
//@end
//@if transition
            %hit:5 = scf.for %h = %c0 to %h1 step %c1
                iter_args(%opens = %none, %closes = %none, %jumps = %none, %advances = %none, %complete = %none64) -> (i32, i32, i32, i32, i64) {
//@else
            %hit:4 = scf.for %h = %c0 to %h1 step %c1
                iter_args(%opens = %none, %closes = %none, %jumps = %none, %advances = %none) -> (i32, i32, i32, i32) {
//@end
              %ei = arith.index_cast %node0 : i32 to index
              %firstHit = func.call @nodes(%tables, %ei, %c0) : (!tables, index, index) -> i32
              %h0 = arith.index_cast %firstHit : i32 to index
              %hi = arith.addi %h0, %h : index
@classOfHit@
              %bit0 = arith.andi %class, %k31 : i32
              %bit = arith.shli %one, %bit0 : i32
              %wordNumber = arith.shrui %class, %five : i32
              %w0 = arith.index_cast %wordNumber : i32 to index
              %w1 = arith.addi %w0, %classWords : index
              %w2 = arith.addi %w1, %classWords : index
              %w3 = arith.addi %w2, %classWords : index
              %m0 = func.call @masks(%tables, %zi, %w0) : (!tables, index, index) -> i32
              %m1 = func.call @masks(%tables, %zi, %w1) : (!tables, index, index) -> i32
              %m2 = func.call @masks(%tables, %zi, %w2) : (!tables, index, index) -> i32
              %m3 = func.call @masks(%tables, %zi, %w3) : (!tables, index, index) -> i32
              %o1 = func.call @longer(%m0, %bit, %length, %opens) : (i32, i32, i32, i32) -> i32
              %x1 = func.call @longer(%m1, %bit, %length, %closes) : (i32, i32, i32, i32) -> i32
              %j1 = func.call @longer(%m2, %bit, %length, %jumps) : (i32, i32, i32, i32) -> i32
              %a1 = func.call @longer(%m3, %bit, %length, %advances) : (i32, i32, i32, i32) -> i32
//@if transition
              %class64 = arith.extui %class : i32 to i64
              %bit64 = arith.shli %one64, %class64 : i64
              %complete1 = arith.ori %complete, %bit64 : i64
              scf.yield %o1, %x1, %j1, %a1, %complete1 : i32, i32, i32, i32, i64
//@else
              scf.yield %o1, %x1, %j1, %a1 : i32, i32, i32, i32
//@end
            }
            // 4: Escapes.
            %isOpen = arith.cmpi ne, %hit#0, %none : i32
            %isShut = arith.cmpi ne, %hit#1, %none : i32
            %open = arith.extui %isOpen : i1 to i32
            %shut = arith.extui %isShut : i1 to i32
            %d0 = arith.addi %depth, %open : i32
            %d1 = arith.subi %d0, %shut : i32
            %depth0 = arith.maxsi %d1, %none : i32
            %isOutside = arith.cmpi eq, %depth0, %none : i32
            %isFree = arith.ori %isOutside, @isPattern@ : i1
            // 5: Whether the zone is left.
//@if transition
@transitions@
@zoneMasks@
            %jumps64 = arith.andi %jumpMask, @triggers@ : i64
            %advances64 = arith.andi %advanceMask, @triggers@ : i64
            %j0 = arith.cmpi ne, %jumps64, %none64 : i64
            %a0 = arith.cmpi ne, %advances64, %none64 : i64
//@else
            %j0 = arith.cmpi ne, %hit#2, %none : i32
            %a0 = arith.cmpi ne, %hit#3, %none : i32
//@end
            %isJump = arith.andi %j0, %isFree : i1
            %isAdvance = arith.andi %a0, %isFree : i1
            %isEvent = arith.ori %isJump, %isAdvance : i1
//@if transition
@longestOfWay@
//@else
            %m0 = arith.select %isJump, %hit#2, %hit#3 : i32
            @longest@ = arith.select %isEvent, %m0, %none : i32
//@end
//@if text
            // Only what a pattern of tokens has is a length.
            %most = arith.select %inText, %none, %longest : i32
            %caused0 = arith.cmpi ne, %longest, %none : i32
            %caused = arith.extui %caused0 : i1 to i32
            %heardLength = arith.addi %heard, %caused : i32
            %heardLongest = arith.select %inText, %heardLength, %longest : i32
            %text2 = arith.select %isUnheard, %textRoot, %text0 : i32
            %text1 = arith.select %isEvent, %textRoot, %text2 : i32
//@end
            %event0 = arith.extui %isEvent : i1 to i32
            %event1 = arith.extui %isJump : i1 to i32
            %event = arith.addi %event0, %event1 : i32
            // 6: The record.
            %forced = arith.extui @isForced@ : i1 to i32
            %unheard = arith.extui %isUnheard : i1 to i32
            %r0 = arith.shli %forced, %k21 : i32
            %r1 = arith.shli %event, %k22 : i32
            %r2 = arith.shli @recordedLongest@, %k24 : i32
            %r3 = arith.shli %unheard, %k30 : i32
            %r4 = arith.ori @token@, %r0 : i32
            %r5 = arith.ori %r1, %r2 : i32
            %r6 = arith.ori %r4, %r5 : i32
            %word = arith.ori %r6, %r3 : i32
            // 7: What is captured.
            %output0 = arith.andi %flags, %two : i32
            %isOutput = arith.cmpi ne, %output0, %none : i32
            %isFree0 = arith.xori @isForced@, %true : i1
            %took = arith.andi %isOutput, %isFree0 : i1
            %noRoom = arith.cmpi sge, %capture, %captureTokens : i32
            %isFull = arith.andi %took, %noRoom : i1
            %adds = arith.cmpi ne, %took, %isFull : i1
            %add = arith.extui %adds : i1 to i32
            %bit = arith.extui %took : i1 to i32
            %capture0 = arith.addi %capture, %add : i32
            %b0 = arith.shli %captured, %one : i32
            %captured0 = arith.ori %b0, %bit : i32
            // 8: Where it goes.
            %clock1 = arith.addi %clock, %one : i32
            %v:8 = scf.if %isEvent -> (i32, i32, i32, i32, i32, i32, i32, i32) {
              %jump = func.call @zones(%tables, %zi, %c6) : (!tables, index, index) -> i32
              %next = func.call @zones(%tables, %zi, %c7) : (!tables, index, index) -> i32
              %new = arith.select %isJump, %jump, %next : i32
              %isTold = arith.cmpi ne, %isOutput, %isFull : i1
              %leaves = arith.andi %isOutput, %isTold : i1
              %c:2 = scf.if %leaves -> (i32, i32) {
                %bits0 = arith.subi %k32, %most : i32
                %bits1 = arith.maxsi %bits0, %none : i32
                %bits2 = arith.shrui %not, %bits1 : i32
                %bits = arith.andi %captured0, %bits2 : i32
                %drop = math.ctpop %bits : i32
                %kept0 = arith.subi %capture0, %drop : i32
                %kept = arith.maxsi %kept0, %none : i32
                %isEnd = arith.cmpi sge, %new, %end : i32
                %safe = arith.select %isEnd, %none, %new : i32
                %safei = arith.index_cast %safe : i32 to index
                %flags1 = func.call @zones(%tables, %safei, %c1) : (!tables, index, index) -> i32
                %tool = func.call @zones(%tables, %zi, %c5) : (!tables, index, index) -> i32
                %tool1 = func.call @zones(%tables, %safei, %c5) : (!tables, index, index) -> i32
                %output1 = arith.andi %flags1, %two : i32
                %captures = arith.cmpi ne, %output1, %none : i32
                %isSame = arith.cmpi eq, %tool1, %tool : i32
                %goes0 = arith.andi %captures, %isSame : i1
                %goes = arith.select %isEnd, %false, %goes0 : i1
                %raised = arith.select %goes, %pending, %tool : i32
                scf.yield %kept, %raised : i32, i32
              } else {
                scf.yield %capture0, %pending : i32, i32
              }
              scf.yield %new, %none, %none, %none, %none, %none, %c#0, %c#1 : i32, i32, i32, i32, i32, i32, i32, i32
            } else {
              %more = arith.addi %number, %one : i32
              scf.yield %pc, %more, %depth0, %node0, %captured0, %fed0, %capture0, %pending : i32, i32, i32, i32, i32, i32, i32, i32
            }
//@if modules
            // Modules that come after all else, and what begins again.
@posts@
//@end
            // 9: The status.
            %after = func.call @afterwards(%v#0, %clock1, %end, %budget) : (i32, i32, i32, i32) -> i32
            %isAsking = arith.cmpi sge, %v#7, %none : i32
            %s0 = arith.select %isAsking, %two, %after : i32
            %status2 = arith.select %isFull, %six, %s0 : i32
//@if model
@ask %status2 %v#0 %v#1 %asked1@
//@end
            scf.yield @stateStepped@, %word@extraStepped@ : @stepScalars@
          } else {
            scf.yield @stateKept@, %not@extraKept@ : @stepScalars@
          }
@keepWords@
          scf.yield @stepped@@keptWords@ : @scalars@
        }
//@if model
        %sum0 = arith.constant 0 : i32
@countWords@
//@end
        linalg.yield @yielded@ : @yieldedTypes@
      } -> (@resultTypes@)
@storeWords@
      %one_ = arith.constant dense<1> : !word
      %more = arith.addi %turn_, %one_ : !word
      gpuvm.send @sentValues@, %more : @carriedTypes@, !word
    }
