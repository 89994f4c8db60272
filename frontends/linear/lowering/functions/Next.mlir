// The next state. When a phase is over the next one begins: its launches, then its free machines.
func.func private @advance(%phase_: !word, %mode_: !word, %how_: !word) -> (!word, !flag) {
//@if room
  %limits = gpuvm.load @linear.limits : !limits
//@end
  %ew = tensor.empty() : !word
  %ef = tensor.empty() : !flag
  %p1, %f1 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar, #scalar, #scalar], iterator_types = []}
      ins(%phase_, %mode_, %how_ : !word, !word, !word) outs(%ew, %ef : !word, !flag) {
  ^bb0(%p: i32, %m: i32, %h: i32, %o0: i32, %o1: i1):
    %none = arith.constant 0 : i32
    %one = arith.constant 1 : i32
//@if room
    %three_ = arith.constant 3 : index
    %all = tensor.extract %limits[%three_] : !limits
    %last = arith.subi %all, %one : i32
//@else
    %last = arith.constant @lastPhase@ : i32
//@end
    %isOver = arith.cmpi eq, %m, %one : i32
    %isGood = arith.cmpi eq, %h, %none : i32
    %isMore = arith.cmpi slt, %p, %last : i32
    %goes = arith.andi %isGood, %isMore : i1
    %isFresh = arith.andi %isOver, %goes : i1
    %step = arith.extui %isFresh : i1 to i32
    %p1 = arith.addi %p, %step : i32
    linalg.yield %p1, %isFresh : i32, i1
  } -> (!word, !flag)
  func.return %p1, %f1 : !word, !flag
}
func.func private @words(%ip_: !machines, %status_: !machines, %fault_: !machines, %sp_: !machines, %launch_: !machines, %class_: !machines,
    %at_: !machines, %place_: !machines, %next_: !machines, %state_: !machines, %why_: !machines, %level_: !machines, %phase_: !word,
    %fresh_: !flag) -> (!machines, !machines, !machines, !machines, !machines) {
  %phases = gpuvm.load @linear.phases : !phases
  %launches = gpuvm.load @linear.launches : !launches
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %em = tensor.empty() : !machines
  %r:5 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v, #v, #all, #all, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%ip_, %status_, %fault_, %sp_, %launch_, %class_, %at_, %place_, %phase_, %fresh_
          : !machines, !machines, !machines, !machines, !machines, !machines, !machines, !machines, !word, !flag)
      outs(%em, %em, %em, %em, %em : !machines, !machines, !machines, !machines, !machines) {
  ^bb0(%i: i32, %s: i32, %f: i32, %d: i32, %own: i32, %c: i32, %now: i32, %k: i32, %phase: i32, %isFresh: i1,
       %o0: i32, %o1: i32, %o2: i32, %o3: i32, %o4: i32):
    %vi = linalg.index 0 : index
    %v = arith.index_cast %vi : index to i32
    %r:5 = scf.if %isFresh -> (i32, i32, i32, i32, i32) {
      %l, %isLaunched = func.call @find(%phase, %v, %phases, %launches) : (i32, i32, !phases, !launches) -> (i32, i1)
      %ib, %sb = func.call @first_of(%l, %isLaunched, %launches) : (i32, i1, !launches) -> (i32, i32)
      scf.yield %ib, %sb, %none, %none, %l : i32, i32, i32, i32, i32
    } else {
      %isListed = arith.cmpi sge, %k, %none : i32
      %e:4 = scf.if %isListed -> (i32, i32, i32, i32) {
        %isLinear = arith.cmpi eq, %c, %none : i32
        %g:4 = scf.if %isLinear -> (i32, i32, i32, i32) {
          %i1 = arith.addi %now, %one : i32
          scf.yield %i1, %none, %f, %d : i32, i32, i32, i32
        } else {
          %ki = arith.index_cast %k : i32 to index
          %i1 = tensor.extract %next_[%ki] : !machines
          %s1 = tensor.extract %state_[%ki] : !machines
          %f1 = tensor.extract %why_[%ki] : !machines
          %d1 = tensor.extract %level_[%ki] : !machines
          scf.yield %i1, %s1, %f1, %d1 : i32, i32, i32, i32
        }
        scf.yield %g#0, %g#1, %g#2, %g#3 : i32, i32, i32, i32
      } else {
        // It woke up, but the budget is over.
        %isAwake = arith.cmpi eq, %c, %four : i32
        %i1 = arith.select %isAwake, %now, %i : i32
        %s1 = arith.select %isAwake, %none, %s : i32
        scf.yield %i1, %s1, %f, %d : i32, i32, i32, i32
      }
      scf.yield %e#0, %e#1, %e#2, %e#3, %own : i32, i32, i32, i32, i32
    }
    linalg.yield %r#0, %r#1, %r#2, %r#3, %r#4 : i32, i32, i32, i32, i32
  } -> (!machines, !machines, !machines, !machines, !machines)
  func.return %r#0, %r#1, %r#2, %r#3, %r#4 : !machines, !machines, !machines, !machines, !machines
}
func.func private @registers(%x_: !registers, %class_: !machines, %place_: !machines, %product_: !registers, %value_: !floats,
    %register_: !machines, %frame_: !machines, %stack_: !frames, %phase_: !word, %fresh_: !flag) -> !registers {
  %phases = gpuvm.load @linear.phases : !phases
  %launches = gpuvm.load @linear.launches : !launches
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %not = arith.constant -1 : i32
  %minus = arith.constant -2 : i32
  %c1 = arith.constant 1 : index
  %er = tensor.empty() : !registers
  %r = linalg.generic {indexing_maps = [#vw, #row, #row, #row0, #row0, #vw], iterator_types = ["parallel", "parallel"]}
      ins(%x_, %class_, %place_, %phase_, %fresh_ : !registers, !machines, !machines, !word, !flag) outs(%er : !registers) {
  ^bb0(%old: f32, %c: i32, %k: i32, %phase: i32, %isFresh: i1, %o: f32):
    %vi = linalg.index 0 : index
    %v = arith.index_cast %vi : index to i32
    %wi = linalg.index 1 : index
    %w = arith.index_cast %wi : index to i32
    %r = scf.if %isFresh -> f32 {
      %l, %isLaunched = func.call @find(%phase, %v, %phases, %launches) : (i32, i32, !phases, !launches) -> (i32, i1)
      %begin = func.call @initial(%l, %isLaunched, %wi, %launches) : (i32, i1, index, !launches) -> f32
      scf.yield %begin : f32
    } else {
      %isListed = arith.cmpi sge, %k, %none : i32
      %e = scf.if %isListed -> f32 {
        %ki = arith.index_cast %k : i32 to index
        %isLinear = arith.cmpi eq, %c, %none : i32
        %g = scf.if %isLinear -> f32 {
          %p = tensor.extract %product_[%ki, %wi] : !registers
          scf.yield %p : f32
        } else {
          %to = tensor.extract %register_[%ki] : !machines
          %is = arith.cmpi eq, %to, %w : i32
//@if call
          %pops = arith.cmpi slt, %to, %not : i32
          %p = scf.if %pops -> f32 {
            %mask = arith.subi %minus, %to : i32
            %bit0 = arith.shrui %mask, %w : i32
            %bit = arith.andi %bit0, %one : i32
            %isKept = arith.cmpi ne, %bit, %none : i32
            %back = scf.if %isKept -> f32 {
              %g = tensor.extract %frame_[%ki] : !machines
              %from = arith.subi %minus, %g : i32
              %fi = arith.index_cast %from : i32 to index
              %w1 = arith.addi %wi, %c1 : index
              %bits = tensor.extract %stack_[%fi, %w1] : !frames
              %saved = arith.bitcast %bits : i32 to f32
              scf.yield %saved : f32
            } else {
              scf.yield %old : f32
            }
            scf.yield %back : f32
          } else {
            %new = tensor.extract %value_[%ki] : !floats
            %q = arith.select %is, %new, %old : f32
            scf.yield %q : f32
          }
//@else
          %new = tensor.extract %value_[%ki] : !floats
          %p = arith.select %is, %new, %old : f32
//@end
          scf.yield %p : f32
        }
        scf.yield %g : f32
      } else {
        scf.yield %old : f32
      }
      scf.yield %e : f32
    }
    linalg.yield %r : f32
  } -> !registers
  func.return %r : !registers
}
func.func private @push(%l: !machines, %frame_: !machines, %at_: !machines, %x_: !registers, %stack_: !frames) -> !frames {
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %not = arith.constant -1 : i32
  %em = tensor.empty() : !machines
  %eu = tensor.empty() : !pushed
  %pushed = linalg.generic {indexing_maps = [#row, #row, #vw], iterator_types = ["parallel", "parallel"]}
      ins(%l, %frame_ : !machines, !machines) outs(%eu : !pushed) {
  ^bb0(%v: i32, %g: i32, %o: i32):
    %wi = linalg.index 1 : index
    %w = arith.index_cast %wi : index to i32
    %pushes = arith.cmpi sge, %g, %none : i32
    %r = scf.if %pushes -> i32 {
      %vi = arith.index_cast %v : i32 to index
      %isIp = arith.cmpi eq, %w, %none : i32
      %k0 = arith.subi %w, %one : i32
      %k = arith.maxsi %k0, %none : i32
      %ki = arith.index_cast %k : i32 to index
      %register = tensor.extract %x_[%vi, %ki] : !registers
      %bits = arith.bitcast %register : f32 to i32
      %i = tensor.extract %at_[%vi] : !machines
      %after = arith.addi %i, %one : i32
      %e = arith.select %isIp, %after, %bits : i32
      scf.yield %e : i32
    } else {
      scf.yield %none : i32
    }
    linalg.yield %r : i32
  } -> !pushed
  %to = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%frame_ : !machines) outs(%em : !machines) {
  ^bb0(%g: i32, %o: i32):
    %r = arith.maxsi %g, %not : i32
    linalg.yield %r : i32
  } -> !machines
  %s = gpuvm.scatter last %pushed at %to into %stack_ {distinct} : (!pushed, !machines, !frames) -> !frames
  func.return %s : !frames
}

// Writes take effect; of several to one address that of the highest number, which is
// the last one of the list.
func.func private @writes(%a: !machines) -> !flag {
  %no = arith.constant dense<false> : !flag
  %not = arith.constant dense<-1> : !machines
  %is = arith.cmpi ne, %a, %not : !machines
  %any = linalg.reduce { arith.ori } ins(%is : tensor<@machines@xi1>) outs(%no : !flag) dimensions = [0]
  func.return %any : !flag
}
func.func private @commit(%a: !machines, %w: !machines, %memory_: !shared) -> !shared {
  %s = gpuvm.scatter last %w at %a into %memory_ : (!machines, !machines, !shared) -> !shared
  func.return %s : !shared
}
