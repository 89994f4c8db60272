// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

//===-- gpuvm.program ------------------------------------------------------===//

// expected-error-re @below {{C0: 'tensor<?xf32>' is no statically shaped tensor {{.*}}; write a program for each shape, or bounded rows}}
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

// expected-error @below {{C0: 'tensor<0xindex>' is no statically shaped tensor}}
gpuvm.program @program_c0_empty(%x: tensor<0xindex>) {
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

!rows = tensor<?xf32, #gpuvm.bound<8>>

// expected-error @below {{C5: input "y" has the rows of "z", which is no input}}
gpuvm.program @program_c5_unknown(%x: !rows, %y: !rows rows %z) {
  gpuvm.return
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>

// expected-error @below {{C5: input "y" ('tensor<?xf32, #gpuvm.bound<7>>') has the rows of "x" ('tensor<?xf32, #gpuvm.bound<8>>'): both must be bounded, by the same number}}
gpuvm.program @program_c5_bound(%x: !rows, %y: tensor<?xf32, #gpuvm.bound<7>> rows %x) {
  gpuvm.return
}

// -----

// expected-error @below {{C5: input "y" ('tensor<8xf32>') has the rows of "x" ('tensor<8xf32>'): both must be bounded}}
gpuvm.program @program_c5_static(%x: tensor<8xf32>, %y: tensor<8xf32> rows %x) {
  gpuvm.return
}

// -----

!rows = tensor<?xf32, #gpuvm.bound<8>>

// expected-error @below {{C5: input "z" has the rows of "y", which has those of "x": name that one}}
gpuvm.program @program_c5_chain(%x: !rows, %y: !rows rows %x, %z: !rows rows %y) {
  gpuvm.return
}

// -----

// expected-error @below {{C5: there is one name of rows per input}}
"gpuvm.program"() <{sym_name = "program_c5_count", function_type = (tensor<4xf32>) -> (), input_names = ["x"], output_names = [], input_rows = []}> ({
^bb0(%x: tensor<4xf32>):
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
  // expected-error @below {{C3: cannot stand between stages}}
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
    // expected-error-re @below {{C0: 'tensor<?xf32>' is no statically shaped tensor {{.*}}; write a program for each shape, or bounded rows}}
    %i = tensor.cast %in : tensor<4xf32> to tensor<?xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c1(%x: tensor<4xf32>) {
  // expected-error @below {{C1: the block arguments are not the operands' payloads}}
  "gpuvm.stage"(%x) <{sym_name = "s"}> ({
  ^bb0(%in: tensor<8xf32>):
    "gpuvm.send"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  }) : (tensor<4xf32>) -> ()
  gpuvm.return
}

// -----

gpuvm.program @stage_c1_operand(%x: tensor<4xf32>) {
  gpuvm.stage @outer(%in = %x : tensor<4xf32>) {
    %c = arith.constant 0 : index
    %i = arith.addi %c, %c : index
    // expected-error @below {{expected a tensor, a packed tensor or a message, not 'index'}}
    gpuvm.stage @s(%j = %i : index) {
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c2(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xi32> {
    // expected-error @below {{C2: sends}}
    gpuvm.send %in : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c2_nothing(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{C2: sends}}
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_count() {
  // expected-error @below {{C4: there is no stage of 0 instances}}
  gpuvm.stage @s instances(0) () {
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_operand(%x: tensor<4x8xf32>) {
  // expected-error @below {{C4: operand 0 of type 'tensor<4x8xf32>' cannot be cut into 3 of 'tensor<8xf32>'}}
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
    // expected-error @below {{C4: 4 of 'tensor<4xf32>' do not make 'tensor<4x8xf32>'}}
    gpuvm.send %half : tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c6_store(%x: tensor<4x8xf32>) {
  gpuvm.register @r : tensor<8xf32>
  gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) {
    // expected-error @below {{C5: cannot stand in a stage with instances}}
    gpuvm.store %in, @r : tensor<8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c5_load(%x: tensor<4x8xf32>) {
  gpuvm.register @r : tensor<4x8xf32>
  gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) {
    gpuvm.store own %in, @r : tensor<8xf32>
    // expected-error @below {{C5: loads what all instances have of @r, of which each stores its own}}
    %all = gpuvm.load @r : tensor<4x8xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @metadata_c2_instances(%x: tensor<4x8xf32>) {
  %m = gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    gpuvm.send %in : tensor<8xf32>
  }
  gpuvm.stage @r(%in = %m : !gpuvm.message<tensor<4x8xf32>>) {
    %four = gpuvm.metadata norm of %in : tensor<4x8xf32> -> tensor<4xf32>
    // expected-error @below {{C2: status is a 'tensor<i32>', not 'tensor<8xi32>'}}
    %eight = gpuvm.metadata status of %in : tensor<4x8xf32> -> tensor<8xi32>
  }
  gpuvm.return
}

// -----

gpuvm.program @metadata_c2_slice(%x: tensor<4x8xf32>) {
  %m = gpuvm.stage @s instances(4) (%in = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    gpuvm.send %in : tensor<8xf32>
  }
  gpuvm.stage @r instances(4) (%in = %m : !gpuvm.message<tensor<4x8xf32>>) {
    // expected-error @below {{C2: norm is a 'tensor<f32>', not 'tensor<4xf32>'}}
    %four = gpuvm.metadata norm of %in : tensor<8xf32> -> tensor<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c4() {
  gpuvm.stage @s() {
    // expected-error @below {{C3: cannot stand in a stage}}
    %m = memref.alloc() : memref<4xf32>
  }
  gpuvm.return
}

// -----

gpuvm.program @stage_c4_nested(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.map ins(%in : tensor<4xf32>) outs(%e : tensor<4xf32>) (%v: f32, %o: f32) {
      // expected-error @below {{C3: cannot stand in a stage}}
      %w = vector.broadcast %v : f32 to vector<4xf32>
      linalg.yield %v : f32
    }
  }
  gpuvm.return
}

// -----

// expected-error @below {{expects to be in a program, a repeat or a loop}}
gpuvm.stage @alone() {
}

// -----

//===-- gpuvm.send ---------------------------------------------------------===//

gpuvm.program @send_c1(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    %ok = arith.constant dense<0> : tensor<i32>
    // expected-error @below {{C1: there is a status but no payload}}
    gpuvm.send status(%ok : tensor<i32>)
  }
  gpuvm.return
}

// -----

gpuvm.program @send_status_type(%x: tensor<4xf32>) {
  %m = gpuvm.stage @s(%in = %x : tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{operand #1 must be tensor<i32>, but got 'tensor<4xf32>'}}
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

gpuvm.program @metadata_c1_field(%x: tensor<4xf32>) {
  %m:2 = gpuvm.stage @sender(%in = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    gpuvm.send %in, %in : tensor<4xf32>, tensor<4xf32>
  }
  gpuvm.stage @s(%in = %m#1 : !gpuvm.message<tensor<4xf32>>) {
    // expected-error @below {{C1: the operand is not the first field of a stage's message}}
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
    // expected-error @below {{C2: max_abs is a 'tensor<f32>', not 'tensor<f64>'}}
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
    // expected-error @below {{C2: ticks is a 'tensor<i64>', not 'tensor<f32>'}}
    %n = gpuvm.metadata ticks of %in : tensor<4xf32> -> tensor<f32>
  }
  gpuvm.return
}

// -----

//===-- gpuvm.yield --------------------------------------------------------===//

gpuvm.program @yield_c1(%x: tensor<4xf32>) {
  gpuvm.stage @s(%in = %x : tensor<4xf32>) {
    %y = linalg.map ins(%in : tensor<4xf32>) outs(%in : tensor<4xf32>) (%v: f32, %o: f32) {
      // expected-error @below {{C1: stands in no dispatch}}
      gpuvm.yield %v : f32
    }
  }
  gpuvm.return
}

// -----

// expected-error @below {{C1: parts = 0 (1 is the least)}}
func.func private @order() attributes {order = #gpuvm.order<kind = lanes, parts = 0, rows = 1, elements = 4>}

// -----

// expected-error @below {{C1: parts = 257 (1 to 256 are allowed)}}
func.func private @order() attributes {order = #gpuvm.order<kind = columns, parts = 257, rows = 1, elements = 1>}

// -----

// expected-error @below {{C2: a sequential order has no other numbers than 1}}
func.func private @order() attributes {order = #gpuvm.order<kind = sequential, parts = 1, rows = 2, elements = 1>}

// -----

// expected-error @below {{C2: a columns order has no other numbers than 1 but of its parts}}
func.func private @order() attributes {order = #gpuvm.order<kind = columns, parts = 1, rows = 2, elements = 1>}

// -----

// expected-error @below {{gpuvm.order is a #gpuvm.order, of a linalg.generic that reduces}}
func.func private @order() attributes {gpuvm.order = #gpuvm.order<kind = columns, parts = 1, rows = 1, elements = 1>}
