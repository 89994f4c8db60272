// Repeats: what gpuvm.repeat, gpuvm.next and what is around them reject.

// RUN: gpuvm-opt %s --split-input-file --verify-diagnostics

gpuvm.program @no_time(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  // expected-error @+1 {{C3: repeat @r cannot run 0 times (1 to 2147483647)}}
  %y = gpuvm.repeat @r up_to 0 (%v = %x : tensor<8xf32>) {
    gpuvm.next %v : !gpuvm.message<tensor<8xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @too_often(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  // expected-error @+1 {{C3: repeat @r cannot run 2147483648 times (1 to 2147483647)}}
  %y = gpuvm.repeat @r up_to 2147483648 (%v = %x : tensor<8xf32>) {
    gpuvm.next %v : !gpuvm.message<tensor<8xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @other_arguments(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  // expected-error @+1 {{C1: the block arguments are not the operands as messages}}
  %y = "gpuvm.repeat"(%x) <{sym_name = "r", times = 2 : i64}> ({
  ^bb0(%v: tensor<8xf32>):
    gpuvm.next %v : tensor<8xf32>
  }) : (tensor<8xf32>) -> !gpuvm.message<tensor<8xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @other_results(%x: tensor<8xf32>) -> (y: tensor<4xf32>) {
  // expected-error @+1 {{C2: the results are not what is carried}}
  %y = "gpuvm.repeat"(%x) <{sym_name = "r", times = 2 : i64}> ({
  ^bb0(%v: !gpuvm.message<tensor<8xf32>>):
    gpuvm.next %v : !gpuvm.message<tensor<8xf32>>
  }) : (tensor<8xf32>) -> !gpuvm.message<tensor<4xf32>>
  gpuvm.return %y : !gpuvm.message<tensor<4xf32>>
}

// -----

gpuvm.program @other_next(%x: tensor<8xf32>, %z: tensor<4xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.repeat @r up_to 2 (%v = %x : tensor<8xf32>) {
    // expected-error @+1 {{C2: does not name what is carried}}
    gpuvm.next %z : tensor<4xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @no_next(%x: tensor<8xf32>) {
  gpuvm.repeat @r up_to 2 () {
    // expected-error @+1 {{block with no terminator}}
    gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @symbol_inside(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.repeat @r up_to 2 (%v = %x : tensor<8xf32>) {
    // expected-error @+1 {{expects parent op to be one of 'gpuvm.program, builtin.module'}}
    gpuvm.metric @m : tensor<i32>
    gpuvm.next %v : !gpuvm.message<tensor<8xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @work_outside_a_stage(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %y = gpuvm.repeat @r up_to 2 (%v = %x : tensor<8xf32>) {
    // expected-error @+1 {{C4: cannot stand between stages}}
    %w = arith.addf %x, %x : tensor<8xf32>
    gpuvm.next %w : tensor<8xf32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>
gpuvm.program @bounded(%x: tensor<8xf32>, %n: tensor<i32>) -> (y: !rows) {
  %r = gpuvm.stage @rows(%v = %x : tensor<8xf32>, %k = %n : tensor<i32>) -> !rows {
    %b = gpuvm.bounded %v[%k] : tensor<8xf32> -> !rows
    gpuvm.send %b : !rows
  }
  // expected-error @+1 {{C5: carries '!gpuvm.message<tensor<?xf32, #gpuvm.bound<8>>>', whose number of rows only the device knows}}
  %y = gpuvm.repeat @r up_to 2 (%v = %r : !gpuvm.message<!rows>) {
    gpuvm.next %v : !gpuvm.message<!rows>
  }
  gpuvm.return %y : !gpuvm.message<!rows>
}

// -----

gpuvm.program @until_a_number(%x: tensor<i32>) -> (y: tensor<i32>) {
  %y = gpuvm.repeat @r up_to 2 (%v = %x : tensor<i32>) {
    // expected-error @+1 {{C1: the condition is '!gpuvm.message<tensor<i32>>', not a tensor<i1>}}
    gpuvm.next %v : !gpuvm.message<tensor<i32>> until %v : !gpuvm.message<tensor<i32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<i32>>
}

// -----

gpuvm.program @same_names(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %z = gpuvm.stage @s(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    gpuvm.send %a : tensor<8xf32>
  }
  %y = gpuvm.repeat @r up_to 2 (%v = %z : !gpuvm.message<tensor<8xf32>>) {
    // expected-error @+1 {{C4: another one is named "s"}}
    %w = gpuvm.stage @s(%a = %v : !gpuvm.message<tensor<8xf32>>) -> tensor<8xf32> {
      gpuvm.send %a : tensor<8xf32>
    }
    gpuvm.next %w : !gpuvm.message<tensor<8xf32>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @metadata_of_what_is_carried(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
  %z = gpuvm.repeat @r up_to 2 (%v = %x : tensor<8xf32>) {
    %w = gpuvm.stage @s(%a = %v : !gpuvm.message<tensor<8xf32>>) -> tensor<f32> {
      // expected-error @+1 {{C1: the operand is not the first field of a stage's message}}
      %n = gpuvm.metadata norm of %a : tensor<8xf32> -> tensor<f32>
      gpuvm.send %n : tensor<f32>
    }
    gpuvm.next %v : !gpuvm.message<tensor<8xf32>>
  }
  gpuvm.return %z : !gpuvm.message<tensor<8xf32>>
}

// -----

gpuvm.program @arguments() {
  // expected-error @+1 {{C1: the block arguments are not the operands}}
  "flow.loop"() <{times = 20 : i64}> ({
  ^body(%x: tensor<i32>):
    flow.next
  }) : () -> ()
  gpuvm.return
}

// -----

gpuvm.program @stray() {
  flow.loop 20 times {
    // expected-error @+1 {{C1: cannot stand between stages: put it into the body of a stage}}
    %x = tensor.empty() : tensor<8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @no_times() {
  // expected-error @+1 {{C2: cannot run -1 times}}
  flow.loop -1 times {
  }
  gpuvm.return
}

// -----

gpuvm.program @one_register() {
  gpuvm.register @a : tensor<8xf32>
  // expected-error @+1 {{C3: a rotation has two registers or more, not [@a]}}
  flow.loop 2 times rotating [[@a]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @no_register() {
  gpuvm.register @a : tensor<8xf32>
  gpuvm.global @g : tensor<8xf32>
  // expected-error @+1 {{C3: @g is not a register}}
  flow.loop 2 times rotating [[@a, @g]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @two_types() {
  gpuvm.register @a : tensor<8xf32>
  gpuvm.register @b : tensor<8xi32>
  // expected-error @+1 {{C3: register @b has the type 'tensor<8xi32>', not 'tensor<8xf32>'}}
  flow.loop 2 times rotating [[@a, @b]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @twice() {
  gpuvm.register @a : tensor<8xf32>
  // expected-error @+1 {{C3: register @a is in two rotations}}
  flow.loop 2 times rotating [[@a, @a]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @elsewhere_at_the_end() {
  gpuvm.register @a : tensor<8xf32>
  gpuvm.register @b : tensor<8xf32>
  // expected-error @+1 {{C4: 0 and 3 turns do not end where a rotation of 2 begins}}
  flow.loop 3 times rotating [[@a, @b]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @no_condition() {
  // expected-error @+1 {{C5: @go is not a register}}
  flow.loop 2 times while @go {
  }
  gpuvm.return
}

// -----

gpuvm.program @condition_of_another_type() {
  gpuvm.register @go : tensor<i32>
  // expected-error @+1 {{C5: register @go has the type 'tensor<i32>', not tensor<i1>}}
  flow.loop 2 times while @go {
  }
  gpuvm.return
}

// -----

gpuvm.program @condition_takes_turns() {
  gpuvm.register @go : tensor<i1>
  gpuvm.register @next : tensor<i1>
  // expected-error @+1 {{C5: register @go is in a rotation}}
  flow.loop 2 times while @go rotating [[@go, @next]] from 0 {
  }
  gpuvm.return
}

// -----

gpuvm.program @next_of_another_type(%x: tensor<8xf32>, %n: tensor<i32>) {
  %y = flow.loop @r 20 times (%v = %x : tensor<8xf32>) {
    // expected-error @+1 {{C1: has 'tensor<i32>', not 'tensor<8xf32>'}}
    flow.next %n : tensor<i32>
  }
  gpuvm.return
}

// -----

gpuvm.program @no_number(%go: tensor<i1>) {
  // expected-error @+1 {{C5: no iteration value 0 after another one, or a register, too}}
  %y = flow.loop @r 20 times (%g = %go : tensor<i1>) while %g {
    flow.next %g : tensor<i1>
  }
  gpuvm.return
}

// -----

gpuvm.program @value_of_another_type(%n: tensor<i32>) {
  // expected-error @+1 {{C5: goes on while 'tensor<i32>' after 'tensor<i32>' is true, not a tensor<i1> after a tensor<i32>}}
  %y:2 = flow.loop @r 20 times (%i = %n : tensor<i32>, %g = %n : tensor<i32>) while %g {
    flow.next %i, %g : tensor<i32>, tensor<i32>
  }
  gpuvm.return
}

// -----

gpuvm.program @no_value(%x: tensor<8xf32>) {
  // expected-error @+1 {{is no iteration value}}
  %y = flow.loop @r 20 times (%v = %x : tensor<8xf32>) while %x {
    flow.next %v : tensor<8xf32>
  }
  gpuvm.return
}
