// The epochs of the linear-algebra VM, for any program of a size class: what it does
// is in tables. docs/linear-vm.md describes the machine. This program is in several
// files, in this order: Macros, Begin, Look, List, Linear, Execute, Next, Spawn, End.
//
// A turn of the loop is an epoch. Each part of the machines' state is an array with a
// row a machine. An epoch makes one list of the machines that run: those at a linear
// instruction, then those at one of the oracle, a branch, input and output, each in
// the order of their numbers. What a machine of the list computes stands at its place
// in the list, and the next state of each machine is taken from there.

// {l} is the number of the launch that machine {v} of phase {phase} belongs to, -1 if it is free.
//@define find phase v l
            %c0_ = arith.constant 0 : index
            %c1_ = arith.constant 1 : index
            %c2_ = arith.constant 2 : index
            %zero_ = arith.constant 0 : i32
            %one_ = arith.constant 1 : i32
            %not_ = arith.constant -1 : i32
            %pi_ = arith.index_cast {phase} : i32 to index
            %first_ = tensor.extract %phases[%pi_, %c0_] : !phases
            %count_ = tensor.extract %phases[%pi_, %c1_] : !phases
            %launched_ = tensor.extract %phases[%pi_, %c2_] : !phases
            %high_ = arith.addi %first_, %count_ : i32
            %steps_ = arith.constant @launchSteps@ : i32
            // The last launch whose first machine is not after this one.
            %found_:2 = scf.for %k_ = %zero_ to %steps_ step %one_ iter_args(%low_ = %first_, %up_ = %high_) -> (i32, i32) : i32 {
              %sum_ = arith.addi %low_, %up_ : i32
              %middle_ = arith.shrui %sum_, %one_ : i32
              %mi_ = arith.index_cast %middle_ : i32 to index
              %begin_ = tensor.extract %launches[%mi_, %c0_] : !launches
              %isBehind_ = arith.cmpi sgt, %begin_, {v} : i32
              %low1_ = arith.select %isBehind_, %low_, %middle_ : i32
              %up1_ = arith.select %isBehind_, %middle_, %up_ : i32
              scf.yield %low1_, %up1_ : i32, i32
            }
            %isLaunched_ = arith.cmpi slt, {v}, %launched_ : i32
            {l} = arith.select %isLaunched_, %found_#0, %not_ : i32
//@end
// Its first instruction and its status at first; used after `find`.
//@define begin l ip status
            %free_ = arith.constant 5 : i32
            %own_ = arith.maxsi {l}, %zero_ : i32
            %owni_ = arith.index_cast %own_ : i32 to index
            %from_ = tensor.extract %launches[%owni_, %c1_] : !launches
            {ip} = arith.select %isLaunched_, %from_, %zero_ : i32
            {status} = arith.select %isLaunched_, %zero_, %free_ : i32
//@end
// Its register or memory {w} at first; used after `find`.
//@define initial l w r
            %own_ = arith.maxsi {l}, %zero_ : i32
            %owni_ = arith.index_cast %own_ : i32 to index
            %column_ = arith.addi {w}, %c2_ : index
            %bits_ = tensor.extract %launches[%owni_, %column_] : !launches
            %kept_ = arith.select %isLaunched_, %bits_, %zero_ : i32
            {r} = arith.bitcast %kept_ : i32 to f32
//@end
// {r} is the sum {s}, of which {any} is 0 if it has no terms yet, and the coefficient {c}
// times the element {col} of machine %vi, whose instruction is %i.
//@define term c col any s r
                %is0_ = arith.cmpi eq, {col}, %none : i32
                %last_ = arith.constant 21 : i32
                %is21_ = arith.cmpi eq, {col}, %last_ : i32
                %below_ = arith.subi {col}, %one : i32
                %up_ = arith.maxsi %below_, %none : i32
                %most_ = arith.constant 19 : i32
                %in_ = arith.minsi %up_, %most_ : i32
                %ji_ = arith.index_cast %in_ : i32 to index
                %xj_ = tensor.extract %x_[%vi, %ji_] : !registers
                %ipf_ = arith.sitofp %i : i32 to f32
                %y0_ = arith.select %is21_, %onef, %xj_ : f32
                %y_ = arith.select %is0_, %ipf_, %y0_ : f32
                %term_ = arith.mulf {c}, %y_ : f32
                %isFirst_ = arith.cmpi eq, {any}, %none : i32
                %more_ = arith.addf {s}, %term_ : f32
                {r} = arith.select %isFirst_, %term_, %more_ : f32
//@end
// {r} is {x} as the state keeps it.
//@if room
//@define rounded x r
            %fifth_ = arith.constant 4 : index
            %halves_ = tensor.extract %limits[%fifth_] : !limits
            %isHalf_ = arith.trunci %halves_ : i32 to i1
            {r} = scf.if %isHalf_ -> f32 {
              %half_ = func.call @half({x}) : (f32) -> f32
              scf.yield %half_ : f32
            } else {
              scf.yield {x} : f32
            }
//@end
//@else
//@if f16
//@define rounded x r
            {r} = func.call @half({x}) : (f32) -> f32
//@end
//@else
//@define rounded x r
            {r} = arith.select %isListed, {x}, %zero : f32
//@end
//@end
//@end
