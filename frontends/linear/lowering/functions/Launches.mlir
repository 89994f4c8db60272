// The launch that machine `v` of `phase` belongs to, and whether it is one of any.
func.func private @find(%phase: i32, %v: i32, %phases: !phases, %launches: !launches) -> (i32, i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %not = arith.constant -1 : i32
  %pi = arith.index_cast %phase : i32 to index
  %first = tensor.extract %phases[%pi, %c0] : !phases
  %count = tensor.extract %phases[%pi, %c1] : !phases
  %launched = tensor.extract %phases[%pi, %c2] : !phases
  %high = arith.addi %first, %count : i32
  %steps = arith.constant @launchSteps@ : i32
  // The last launch whose first machine is not after this one.
  %found:2 = scf.for %k = %zero to %steps step %one iter_args(%low = %first, %up = %high) -> (i32, i32) : i32 {
    %sum = arith.addi %low, %up : i32
    %middle = arith.shrui %sum, %one : i32
    %mi = arith.index_cast %middle : i32 to index
    %begin = tensor.extract %launches[%mi, %c0] : !launches
    %isAfter = arith.cmpi sgt, %begin, %v : i32
    %low1 = arith.select %isAfter, %low, %middle : i32
    %up1 = arith.select %isAfter, %middle, %up : i32
    scf.yield %low1, %up1 : i32, i32
  }
  %isLaunched = arith.cmpi slt, %v, %launched : i32
  %l = arith.select %isLaunched, %found#0, %not : i32
  func.return %l, %isLaunched : i32, i1
}

// The first instruction of a machine of launch `l`, and its status at first.
func.func private @first_of(%l: i32, %isLaunched: i1, %launches: !launches) -> (i32, i32) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %free = arith.constant 5 : i32
  %own = arith.maxsi %l, %zero : i32
  %owni = arith.index_cast %own : i32 to index
  %from = tensor.extract %launches[%owni, %c1] : !launches
  %ip = arith.select %isLaunched, %from, %zero : i32
  %status = arith.select %isLaunched, %zero, %free : i32
  func.return %ip, %status : i32, i32
}

// Its register or memory `w` at first.
func.func private @initial(%l: i32, %isLaunched: i1, %w: index, %launches: !launches) -> f32 {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %own = arith.maxsi %l, %zero : i32
  %owni = arith.index_cast %own : i32 to index
  %column = arith.addi %w, %c2 : index
  %bits = tensor.extract %launches[%owni, %column] : !launches
  %kept = arith.select %isLaunched, %bits, %zero : i32
  %r = arith.bitcast %kept : i32 to f32
  func.return %r : f32
}
