// RUN: gpuvm-opt %s --gpuvm-lower-bounded --split-input-file --verify-diagnostics

gpuvm.program @unknown() {
  // expected-error @below {{has the rows of @x: both must be bounded heap symbols}}
  gpuvm.heap @y : tensor<?xi32, #gpuvm.bound<8>> rows @x
  gpuvm.return
}

// -----

gpuvm.program @bounds() {
  gpuvm.heap @x : tensor<?xi32, #gpuvm.bound<9>>
  // expected-error @below {{has the rows of @x: both must have the same bound, and be symbols of the program or of the module}}
  gpuvm.heap @y : tensor<?xi32, #gpuvm.bound<8>> rows @x
  gpuvm.return
}

// -----

gpuvm.program @initial() {
  // expected-error @below {{C2: the host says how many rows there are, so there is no initial value}}
  gpuvm.heap @x : tensor<?xi32, #gpuvm.bound<2>> = dense<1> : tensor<2xi32>
  gpuvm.return
}

// -----

gpuvm.program @slice() -> (y: tensor<64xi32>) {
  gpuvm.heap @x : tensor<?xi32, #gpuvm.bound<128>>
  %y = gpuvm.stage @s() -> tensor<64xi32> {
    // expected-error @below {{C2: the bounded symbol @x has no slices}}
    %v = gpuvm.load @x[64] : tensor<64xi32>
    gpuvm.send %v : tensor<64xi32>
  }
  gpuvm.return %y : !gpuvm.message<tensor<64xi32>>
}

// -----

gpuvm.heap @x : tensor<?xi32, #gpuvm.bound<8>>
gpuvm.program @unlinked() -> (y: tensor<?xi32, #gpuvm.bound<8>>) {
  %y = gpuvm.stage @s() -> tensor<?xi32, #gpuvm.bound<8>> {
    // expected-error @below {{reads @x of the module, which gpuvm-link puts into the program}}
    %v = gpuvm.load @x : tensor<?xi32, #gpuvm.bound<8>>
    gpuvm.send %v : tensor<?xi32, #gpuvm.bound<8>>
  }
  gpuvm.return %y : !gpuvm.message<tensor<?xi32, #gpuvm.bound<8>>>
}
