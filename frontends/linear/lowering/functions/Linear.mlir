// The sum `s`, of which `any` is 0 if it has no terms yet, and the coefficient `c` times the
// element `col` of machine `vi`, whose instruction is `i`.
func.func private @term(%c: f32, %col: i32, %any: i32, %s: f32, %vi: index, %i: i32, %x_: !registers) -> f32 {
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %onef = arith.constant 1.0 : f32
  %is0 = arith.cmpi eq, %col, %none : i32
  %last = arith.constant 21 : i32
  %is21 = arith.cmpi eq, %col, %last : i32
  %below = arith.subi %col, %one : i32
  %up = arith.maxsi %below, %none : i32
  %most = arith.constant 19 : i32
  %in = arith.minsi %up, %most : i32
  %ji = arith.index_cast %in : i32 to index
  %xj = tensor.extract %x_[%vi, %ji] : !registers
  %ipf = arith.sitofp %i : i32 to f32
  %y0 = arith.select %is21, %onef, %xj : f32
  %y = arith.select %is0, %ipf, %y0 : f32
  %term = arith.mulf %c, %y : f32
  %isFirst = arith.cmpi eq, %any, %none : i32
  %more = arith.addf %s, %term : f32
  %r = arith.select %isFirst, %term, %more : f32
  func.return %r : f32
}

// Linear: the rows of the matrix of its instruction times the state of its machine.
func.func private @linear(%l: !machines, %n: !sizes, %at_: !machines, %x_: !registers) -> !registers {
  %metadata = gpuvm.load @linear.metadata : !metadata
//@if room
  %limits = gpuvm.load @linear.limits : !limits
//@end
//@if packed
  %packed = gpuvm.load @linear.packed : !packed
//@else
  %dense = gpuvm.load @linear.dense : !dense
  %values = gpuvm.load @linear.values : !values
  %columns = gpuvm.load @linear.columns : !columns
  %pointers = gpuvm.load @linear.pointers : !pointers
//@end
//@if dictionary
  %dictionary = gpuvm.load @linear.dictionary : !dictionary
//@end
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %four = arith.constant 4 : i32
  %columns22 = arith.constant 22 : i32
  %er = tensor.empty() : !registers
  %product = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
      ins(%l : !machines) outs(%er : !registers) {
  ^bb0(%v: i32, %o: f32):
    %ki = linalg.index 0 : index
    %k = arith.index_cast %ki : index to i32
    %wi = linalg.index 1 : index
    %size = tensor.extract %n[%c0] : !sizes
    %isListed = arith.cmpi slt, %k, %size : i32
    %r = scf.if %isListed -> f32 {
      %vi = arith.index_cast %v : i32 to index
      %i = tensor.extract %at_[%vi] : !machines
      %ii = arith.index_cast %i : i32 to index
      %w = arith.index_cast %wi : index to i32
      %number = arith.addi %w, %one : i32
//@if tables
      %format = tensor.extract %metadata[%ii, %c0] : !metadata
//@end
      %offset = tensor.extract %metadata[%ii, %c1] : !metadata
      %first = arith.divui %offset, %four : i32
//@if tables
      %isDense = arith.cmpi eq, %format, %one : i32
      %sum = scf.if %isDense -> f32 {
        %rowAt = arith.muli %number, %columns22 : i32
        %begin = arith.addi %first, %rowAt : i32
        %all:2 = scf.for %j = %none to %columns22 step %one iter_args(%s = %zero, %any = %none) -> (f32, i32) : i32 {
          %e = arith.addi %begin, %j : i32
          %ei = arith.index_cast %e : i32 to index
          %c = tensor.extract %dense[%ei] : !dense
          %isThere = arith.cmpf une, %c, %zero : f32
          %next:2 = scf.if %isThere -> (f32, i32) {
            %b = func.call @term(%c, %j, %any, %s, %vi, %i, %x_) : (f32, i32, i32, f32, index, i32, !registers) -> f32
            scf.yield %b, %one : f32, i32
          } else {
            scf.yield %s, %any : f32, i32
          }
          scf.yield %next#0, %next#1 : f32, i32
        }
        scf.yield %all#0 : f32
      } else {
        %p = arith.addi %first, %number : i32
        %p1 = arith.addi %p, %one : i32
        %pi = arith.index_cast %p : i32 to index
        %p1i = arith.index_cast %p1 : i32 to index
        %begin = tensor.extract %pointers[%pi] : !pointers
        %end = tensor.extract %pointers[%p1i] : !pointers
        %count = arith.subi %end, %begin : i32
        %all = scf.for %t_ = %none to %columns22 step %one iter_args(%s = %zero) -> f32 : i32 {
          %isThere = arith.cmpi slt, %t_, %count : i32
          %b = scf.if %isThere -> f32 {
            %j = arith.addi %begin, %t_ : i32
            %je = arith.index_cast %j : i32 to index
            %c = tensor.extract %values[%je] : !values
            %col = tensor.extract %columns[%je] : !columns
            %a = func.call @term(%c, %col, %t_, %s, %vi, %i, %x_) : (f32, i32, i32, f32, index, i32, !registers) -> f32
            scf.yield %a : f32
          } else {
            scf.yield %s : f32
          }
          scf.yield %b : f32
        }
        scf.yield %all : f32
      }
//@end
//@if blocks
      // Pointers of the rows of blocks, the blocks' columns, their values by rows.
      %side = arith.constant @blockSide@ : i32
      %across = arith.constant @blocksAcross@ : i32
      %places = arith.constant @blockPlaces@ : i32
      %blockRow = arith.divui %number, %side : i32
      %inBlock = arith.remui %number, %side : i32
      %p = arith.addi %first, %blockRow : i32
      %p1 = arith.addi %p, %one : i32
      %last = arith.addi %first, %across : i32
      %pi = arith.index_cast %p : i32 to index
      %p1i = arith.index_cast %p1 : i32 to index
      %lasti = arith.index_cast %last : i32 to index
      %begin = tensor.extract %packed[%pi] : !packed
      %end = tensor.extract %packed[%p1i] : !packed
      %blocks = tensor.extract %packed[%lasti] : !packed
      %columnsAt = arith.addi %last, %one : i32
      %valuesAt = arith.addi %columnsAt, %blocks : i32
      %sum, %terms = scf.for %t_ = %none to %places step %one iter_args(%s = %zero, %any = %none) -> (f32, i32) : i32 {
        %before = arith.divui %t_, %side : i32
        %block = arith.addi %begin, %before : i32
        %isIn = arith.cmpi slt, %block, %end : i32
        %next:2 = scf.if %isIn -> (f32, i32) {
          %j = arith.remui %t_, %side : i32
          %top = arith.muli %block, %side : i32
          %row = arith.addi %top, %inBlock : i32
          %rowAt = arith.muli %row, %side : i32
          %at = arith.addi %rowAt, %j : i32
          %e = arith.addi %valuesAt, %at : i32
          %ei = arith.index_cast %e : i32 to index
          %bits = tensor.extract %packed[%ei] : !packed
          %c = arith.bitcast %bits : i32 to f32
          %isThere = arith.cmpf une, %c, %zero : f32
          %more:2 = scf.if %isThere -> (f32, i32) {
            %columnAt = arith.addi %columnsAt, %block : i32
            %ci = arith.index_cast %columnAt : i32 to index
            %blockColumn = tensor.extract %packed[%ci] : !packed
            %left = arith.muli %blockColumn, %side : i32
            %col = arith.addi %left, %j : i32
            %a = func.call @term(%c, %col, %any, %s, %vi, %i, %x_) : (f32, i32, i32, f32, index, i32, !registers) -> f32
            scf.yield %a, %one : f32, i32
          } else {
            scf.yield %s, %any : f32, i32
          }
          scf.yield %more#0, %more#1 : f32, i32
        } else {
          scf.yield %s, %any : f32, i32
        }
        scf.yield %next#0, %next#1 : f32, i32
      }
//@end
//@if dictionary
      // Pointers of the rows; of each coefficient its column in five bits, and its value's number.
      %p = arith.addi %first, %number : i32
      %p1 = arith.addi %p, %one : i32
      %pi = arith.index_cast %p : i32 to index
      %p1i = arith.index_cast %p1 : i32 to index
      %begin = tensor.extract %packed[%pi] : !packed
      %end = tensor.extract %packed[%p1i] : !packed
      %count = arith.subi %end, %begin : i32
      %pointers = arith.constant 23 : i32
      %five = arith.constant 5 : i32
      %mask = arith.constant 31 : i32
      %after = arith.addi %first, %pointers : i32
      %own = arith.addi %after, %begin : i32
      %sum = scf.for %t_ = %none to %columns22 step %one iter_args(%s = %zero) -> f32 : i32 {
        %isIn = arith.cmpi slt, %t_, %count : i32
        %next = scf.if %isIn -> f32 {
          %e = arith.addi %own, %t_ : i32
          %ei = arith.index_cast %e : i32 to index
          %word = tensor.extract %packed[%ei] : !packed
          %col = arith.andi %word, %mask : i32
          %value = arith.shrui %word, %five : i32
          %ci = arith.index_cast %value : i32 to index
          %c = tensor.extract %dictionary[%ci] : !dictionary
          %a = func.call @term(%c, %col, %t_, %s, %vi, %i, %x_) : (f32, i32, i32, f32, index, i32, !registers) -> f32
          scf.yield %a : f32
        } else {
          scf.yield %s : f32
        }
        scf.yield %next : f32
      }
//@end
//@if runlength
      // The number of coefficients, their values, and two to a word the zeros before each:
      // all rows up to the machine's own are walked. No instruction has more than 24 of them.
      %firsti = arith.index_cast %first : i32 to index
      %count = tensor.extract %packed[%firsti] : !packed
      %valuesAt = arith.addi %first, %one : i32
      %gapsAt = arith.addi %valuesAt, %count : i32
      %most = arith.constant 24 : i32
      %mask = arith.constant 0xFFFF : i32
      %sum, %terms, %places = scf.for %t_ = %none to %most step %one
          iter_args(%s = %zero, %any = %none, %place = %none) -> (f32, i32, i32) : i32 {
        %isIn = arith.cmpi slt, %t_, %count : i32
        %next:3 = scf.if %isIn -> (f32, i32, i32) {
          %half = arith.shrui %t_, %one : i32
          %g = arith.addi %gapsAt, %half : i32
          %gi = arith.index_cast %g : i32 to index
          %word = tensor.extract %packed[%gi] : !packed
          %odd = arith.andi %t_, %one : i32
          %by = arith.shli %odd, %four : i32
          %shifted = arith.shrui %word, %by : i32
          %gap = arith.andi %shifted, %mask : i32
          %at = arith.addi %place, %gap : i32
          %after = arith.addi %at, %one : i32
          %row = arith.divui %at, %columns22 : i32
          %isOwn = arith.cmpi eq, %row, %number : i32
          %more:2 = scf.if %isOwn -> (f32, i32) {
            %e = arith.addi %valuesAt, %t_ : i32
            %ei = arith.index_cast %e : i32 to index
            %bits = tensor.extract %packed[%ei] : !packed
            %c = arith.bitcast %bits : i32 to f32
            %col = arith.remui %at, %columns22 : i32
            %a = func.call @term(%c, %col, %any, %s, %vi, %i, %x_) : (f32, i32, i32, f32, index, i32, !registers) -> f32
            scf.yield %a, %one : f32, i32
          } else {
            scf.yield %s, %any : f32, i32
          }
          scf.yield %more#0, %more#1, %after : f32, i32, i32
        } else {
          scf.yield %s, %any, %place : f32, i32, i32
        }
        scf.yield %next#0, %next#1, %next#2 : f32, i32, i32
      }
//@end
      scf.yield %sum : f32
    } else {
      scf.yield %zero : f32
    }
//@if room
    %rr = func.call @rounded_as(%r, %limits) : (f32, !limits) -> f32
//@else
    %rr = func.call @rounded(%r, %isListed) : (f32, i1) -> f32
//@end
    linalg.yield %rr : f32
  } -> !registers
  func.return %product : !registers
}
