// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- gpuvm.program ------------------------------------------------------===//

// expected-error @below {{C0: 'tensor<?xf32>' is no statically shaped tensor}}
gpuvm.program @program_c0_dynamic(%x: tensor<?xf32>) {
  gpuvm.return
}

// -----

// expected-error @below {{C0: 'tensor<4xi7>' is no statically shaped tensor}}
gpuvm.program @program_c0_element(%x: tensor<4xi7>) {
  gpuvm.return
}

// -----

// expected-error @below {{C0: 'tensor<65536x65536xi8>' is no statically shaped tensor}}
gpuvm.program @program_c0_size(%x: tensor<65536x65536xi8>) {
  gpuvm.return
}

// -----

// expected-error @below {{C0: 'tensor<0xi8>' is no statically shaped tensor}}
gpuvm.program @program_c0_empty(%x: tensor<0xi8>) {
  gpuvm.return
}

// -----

// expected-error @below {{C1: the block arguments do not have the input types}}
"gpuvm.program"() <{sym_name = "program_c1", function_type = (tensor<4xf32>) -> (), input_names = ["x"], output_names = []}> ({
^bb0(%x: tensor<4xi32>):
  "gpuvm.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{C2: there is one name per input and output}}
"gpuvm.program"() <{sym_name = "program_c2_count", function_type = (tensor<4xf32>) -> (), input_names = [], output_names = []}> ({
^bb0(%x: tensor<4xf32>):
  "gpuvm.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{C2: two inputs are named "x"}}
"gpuvm.program"() <{sym_name = "program_c2_inputs", function_type = (tensor<4xf32>, tensor<4xf32>) -> (), input_names = ["x", "x"], output_names = []}> ({
^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
  "gpuvm.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{C2: two outputs are named "y"}}
gpuvm.program @program_c2_outputs(%x: tensor<4xf32>) -> (y: tensor<4xf32>, y: tensor<4xf32>) {
  gpuvm.return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

gpuvm.program @program_c2_heap(%price: tensor<4xf32>) {
  // expected-error @below {{C2: an input is named "price" too}}
  gpuvm.heap @price : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @program_c3(%x: tensor<4xf32>) {
  // expected-error @below {{C3: cannot stand in a program outside a stage}}
  %y = arith.negf %x : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @program_c3_end() {
  // expected-error @below {{block with no terminator}}
  gpuvm.metric @count : tensor<i64>
}

// -----

gpuvm.program @program_stage_names() {
  // expected-note @below {{see existing symbol definition here}}
  gpuvm.stage @twice() {
  }
  // expected-error @below {{redefinition of symbol named 'twice'}}
  gpuvm.stage @twice() {
  }
  gpuvm.return
}

// -----

gpuvm.program @program_symbols() {
  // expected-note @below {{see existing symbol definition here}}
  gpuvm.metric @count : tensor<i64>
  // expected-error @below {{redefinition of symbol named 'count'}}
  gpuvm.global @count : tensor<i64>
  gpuvm.return
}

// -----

//===-- gpuvm.return -------------------------------------------------------===//

gpuvm.program @return_c1_count(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  // expected-error @below {{C1: the program has 1 outputs, 0 are returned}}
  gpuvm.return
}

// -----

gpuvm.program @return_c1_type(%x: tensor<4xf32>) -> (tensor<4xi32>) {
  // expected-error @below {{C1: 'tensor<4xf32>' does not hold the output's 'tensor<4xi32>'}}
  gpuvm.return %x : tensor<4xf32>
}

// -----

//===-- gpuvm.stage --------------------------------------------------------===//

gpuvm.program @stage_c0(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C0: 'tensor<4xindex>' is no statically shaped tensor}}
    %i = arith.constant dense<0> : tensor<4xindex>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c0_dynamic(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C0: 'tensor<?xf32>' is no statically shaped tensor}}
    %i = tensor.cast %in : tensor<4xf32> to tensor<?xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: the block arguments are not the operands' payloads}}
  "gpuvm.stage"(%x) <{sym_name = "s"}> ({
  ^bb0(%in: tensor<8xf32>):
    "gpuvm.send"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  }) : (tensor<4xf32>) -> ()
  gpuvm.return
}

// -----

gpuvm.program @stage_c1_operand(%x: tensor<4xf32>) {
  gpuvm.stage @outer(%in = %x : tensor<4xf32>) {
    %i = arith.constant 0 : index
    // expected-error @below {{expected a tensor, a packed tensor or a message, not 'index'}}
    gpuvm.stage @s(%j = %i : index) {
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c2(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xi32> {
    // expected-error @below {{C2: does not send the stage's messages}}
    gpuvm.send %in : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c2_nothing(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{C2: does not send the stage's messages}}
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c3(%x: tensor<4xf32>) {
  // expected-error @below {{C3: a stage sends at most one message, not 2}}
  %m, %n = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    gpuvm.send %in, %in : tensor<4xf32>, tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_count() {
  // expected-error @below {{C5: there is no stage of 0 instances}}
  gpuvm.stage @s instances(0) () {
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_operand(%x: tensor<4x8xf32>) {
  // expected-error @below {{C5: operand 0 of type 'tensor<4x8xf32>' cannot be cut into 3 of 'tensor<8xf32>'}}
  gpuvm.stage @s instances(3) (%in = %x : tensor<4x8xf32>) {
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_scalar(%x: tensor<f32>) {
  // expected-error @below {{expected a leading dimension to cut along, or the word "shared" before the operand}}
  gpuvm.stage @s instances(3) (%in = %x : tensor<f32>) {
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_message(%x: tensor<4x8xf32>) {
  %m = gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %half = tensor.extract_slice %in[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    // expected-error @below {{C5: 4 of 'tensor<4xf32>' do not make 'tensor<4x8xf32>'}}
    gpuvm.send %half : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c6_status(%x: tensor<4x8xf32>) {
  %m = gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %bad = arith.constant dense<1> : tensor<i32>
    // expected-error @below {{C6: a stage with instances sends no status}}
    gpuvm.send %in : tensor<8xf32> status(%bad : tensor<i32>)
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c6_store(%x: tensor<4x8xf32>) {
  gpuvm.register @r : tensor<8xf32>
  gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) {
    // expected-error @below {{C6: cannot stand in a stage with instances}}
    gpuvm.store %in, @r : tensor<8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @kernel_c4(%x: tensor<4xf32>) {
  // expected-error @below {{C4: a chain yields a value that no step holds}}
  %y = gpuvm.kernel @k chain ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @hold_c1(%x: tensor<4xf32>) {
  %y = gpuvm.kernel @k chain ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    // expected-error @below {{all of {values, held} have same type}}
    %h = "gpuvm.hold"(%in) : (tensor<4xf32>) -> tensor<4xi32>
    gpuvm.yield %h : tensor<4xi32>
  } : (tensor<4xf32>) -> tensor<4xi32>
  gpuvm.return
}

// -----

gpuvm.program @stage_c4() {
  gpuvm.stage @s() {
    // expected-error @below {{C4: cannot stand in a stage}}
    %m = memref.alloc() : memref<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c4_nested(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.map ins(%in : tensor<4xf32>) outs(%e : tensor<4xf32>) (%v: f32, %o: f32) {
      // expected-error @below {{C4: cannot stand in a stage}}
      %w = vector.broadcast %v : f32 to vector<4xf32>
      linalg.yield %v : f32
    }
  }
  gpuvm.return
}

// -----

// expected-error @below {{expects parent op 'gpuvm.program'}}
gpuvm.stage @alone() {
}

// -----

//===-- gpuvm.send ---------------------------------------------------------===//

gpuvm.program @send_c1_count(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    %ok = arith.constant dense<0> : tensor<i32>
    // expected-error @below {{C1: there are 2 statuses for 1 payloads}}
    gpuvm.send %in : tensor<4xf32> status(%ok, %ok : tensor<i32>, tensor<i32>)
  }
  gpuvm.return
}

// -----

gpuvm.program @send_c1_type(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{C1: a status is a tensor<i32>, not 'tensor<4xf32>'}}
    gpuvm.send %in : tensor<4xf32> status(%in : tensor<4xf32>)
  }
  gpuvm.return
}

// -----

//===-- gpuvm.metadata -----------------------------------------------------===//

gpuvm.program @metadata_c1_register(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: the operand is not a message the stage receives}}
    %n = gpuvm.metadata norm of %in : tensor<4xf32> -> tensor<f32>
  }
  gpuvm.return
}

// -----

gpuvm.program @metadata_c1_value(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    %y = arith.negf %in : tensor<4xf32>
    // expected-error @below {{C1: the operand is not a message the stage receives}}
    %n = gpuvm.metadata norm of %y : tensor<4xf32> -> tensor<f32>
  }
  gpuvm.return
}

// -----

gpuvm.program @metadata_c2_float(%x: tensor<4xf32>) {
  %m = gpuvm.stage @a(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    gpuvm.send %in : tensor<4xf32>
  }
  gpuvm.stage @b(%in = %m : !gpuvm.message<tensor<4xf32>>) {
    // expected-error @below {{C2: max_abs is a tensor<'f32'>, not 'tensor<f64>'}}
    %n = gpuvm.metadata max_abs of %in : tensor<4xf32> -> tensor<f64>
  }
  gpuvm.return
}

// -----

gpuvm.program @metadata_c2_integer(%x: tensor<4xf32>) {
  %m = gpuvm.stage @a(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    gpuvm.send %in : tensor<4xf32>
  }
  gpuvm.stage @b(%in = %m : !gpuvm.message<tensor<4xf32>>) {
    // expected-error @below {{C2: ticks is a tensor<'i32'>, not 'tensor<f32>'}}
    %n = gpuvm.metadata ticks of %in : tensor<4xf32> -> tensor<f32>
  }
  gpuvm.return
}

// -----

//===-- symbols ------------------------------------------------------------===//

gpuvm.program @register_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.register @r : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @metric_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<i32>', the symbol 'tensor<i64>'}}
  gpuvm.metric @m : tensor<i64> = dense<0> : tensor<i32>
  gpuvm.return
}

// -----

gpuvm.program @global_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.global @g : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @control_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xi32>', the symbol 'tensor<i32>'}}
  gpuvm.control @c : tensor<i32> = dense<0> : tensor<2xi32>
  gpuvm.return
}

// -----

gpuvm.program @control_c2() {
  // expected-error @below {{C2: Control holds i32 words, not 'tensor<3xi64>'}}
  gpuvm.control @c : tensor<3xi64>
  gpuvm.return
}

// -----

gpuvm.program @heap_c1() {
  // expected-error @below {{C1: the initial value has type 'tensor<2xf32>', the symbol 'tensor<4xf32>'}}
  gpuvm.heap @h : tensor<4xf32> = dense<0.0> : tensor<2xf32>
  gpuvm.return
}

// -----

gpuvm.program @symbol_c0() {
  // expected-error @below {{attribute 'type' failed to satisfy constraint}}
  gpuvm.heap @h : tensor<4xindex>
  gpuvm.return
}

// -----

//===-- gpuvm.load and gpuvm.store -----------------------------------------===//

gpuvm.program @load_c1() {
  gpuvm.stage @s() {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @missing in the program}}
    %v = gpuvm.load @missing : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c1_kernel() {
  gpuvm.extern_kernel @k "k.spv" () -> tensor<i32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.stage @s() {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @k in the program}}
    %v = gpuvm.load @k : tensor<i32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_type() {
  gpuvm.global @g : tensor<4xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: symbol @g has type 'tensor<4xf32>', not 'tensor<2xf32>'}}
    %v = gpuvm.load @g : tensor<2xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_past_end() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<65xf32>' at 64 is not inside the symbol's 'tensor<128xf32>'}}
    %v = gpuvm.load @g[64] : tensor<65xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_negative() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<64xf32>' at -64 is not inside the symbol's 'tensor<128xf32>'}}
    %v = gpuvm.load @g[-64] : tensor<64xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_inner() {
  gpuvm.global @g : tensor<2x64xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<1x32xf32>' at 1 is not inside the symbol's 'tensor<2x64xf32>'}}
    %v = gpuvm.load @g[1] : tensor<1x32xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c2_scalar() {
  gpuvm.global @g : tensor<f32>
  gpuvm.stage @s() {
    // expected-error @below {{C2: the slice 'tensor<f32>' at 0 is not inside the symbol's 'tensor<f32>'}}
    %v = gpuvm.load @g[0] : tensor<f32>
  }
  gpuvm.return
}

// -----

gpuvm.program @load_c3() {
  gpuvm.global @g : tensor<128xf32>
  gpuvm.stage @s() {
    // expected-error @below {{C3: the slice starts at byte 128, which is not a multiple of 256}}
    %v = gpuvm.load @g[32] : tensor<64xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c1(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: there is no register, metric, global, control or heap symbol @missing in the program}}
    gpuvm.store %in, @missing : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c2(%x: tensor<4xf32>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C2: symbol @g has type 'tensor<8xf32>', not 'tensor<4xf32>'}}
    gpuvm.store %in, @g : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c3(%x: tensor<4xf32>) {
  gpuvm.global @g : tensor<8xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C3: the slice starts at byte 16, which is not a multiple of 256}}
    gpuvm.store %in, @g[4] : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @store_c4(%x: tensor<4xf32>) {
  gpuvm.heap @h : tensor<4xf32>
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C4: heap symbol @h is immutable}}
    gpuvm.store %in, @h : tensor<4xf32>
  }
  gpuvm.return
}

// -----

//===-- external kernels ---------------------------------------------------===//

gpuvm.program @extern_c1_result() {
  // expected-error @below {{C1: has no result}}
  gpuvm.extern_kernel @k "k.spv" (tensor<4xf32>) -> () local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c1_type() {
  // expected-error @below {{C1: 'memref<4xf32>' is not a tensor of the machine}}
  gpuvm.extern_kernel @k "k.spv" (memref<4xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c2_local_size() {
  // expected-error @below {{C2: local_size and groups are three positive numbers}}
  gpuvm.extern_kernel @k "k.spv" () -> tensor<4xf32> local_size [1, 1] groups [1, 1, 1]
  gpuvm.return
}

// -----

gpuvm.program @extern_c2_groups() {
  // expected-error @below {{C2: local_size and groups are three positive numbers}}
  gpuvm.extern_kernel @k "k.spv" () -> tensor<4xf32> local_size [1, 1, 1] groups [1, 0, 1]
  gpuvm.return
}

// -----

gpuvm.program @invoke_c1_missing(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: there is no external kernel @k}}
    %r = gpuvm.invoke @k(%in) : (tensor<4xf32>) -> tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @invoke_c1_type(%x: tensor<4xf32>) {
  gpuvm.extern_kernel @k "k.spv" (tensor<8xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    // expected-error @below {{C1: external kernel @k has type '(tensor<8xf32>) -> tensor<4xf32>'}}
    %r = gpuvm.invoke @k(%in) : (tensor<4xf32>) -> tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @invoke_c2(%x: tensor<4xf32>) {
  gpuvm.extern_kernel @k "k.spv" (tensor<4xf32>) -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  // expected-error @below {{C2: a window of 12 bytes does not hold 'tensor<4xf32>'}}
  %r = gpuvm.invoke @k(%x) {output_windows = [#gpuvm.window<registers, 0, 12>]} : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

//===-- kernels ------------------------------------------------------------===//

gpuvm.program @kernel_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: the block arguments are not the operands}}
  %y = gpuvm.kernel @k map ["s"] (%x) {
  ^bb0(%in: tensor<8xf32>):
    gpuvm.yield %in : tensor<8xf32>
  } : (tensor<4xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c2(%x: tensor<4xf32>) {
  // expected-error @below {{C2: the body does not yield the results}}
  %y = gpuvm.kernel @k map ["s"] (%x) {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<8xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c3_length(%x: tensor<4xf32>) {
  // expected-error @below {{C3: a window of 15 bytes does not hold 'tensor<4xf32>'}}
  %y = gpuvm.kernel @k map ["s"] (%x) attributes {input_windows = [#gpuvm.window<registers, 0, 15>]} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @kernel_c3_count(%x: tensor<4xf32>) {
  // expected-error @below {{C3: there are 0 windows for 1 tensors}}
  %y = gpuvm.kernel @k map ["s"] (%x) attributes {output_windows = []} {
  ^bb0(%in: tensor<4xf32>):
    gpuvm.yield %in : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @copy_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: a window of 8 bytes does not hold 'tensor<4xf32>'}}
  %y = gpuvm.copy %x ["s"] {input_windows = [#gpuvm.window<registers, 0, 8>]} : tensor<4xf32>
  gpuvm.return
}

// -----

gpuvm.program @expose_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: there is no register 32 of instance 0}}
  gpuvm.expose %x as 32 of 0 : tensor<4xf32>
  gpuvm.return
}
