// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

gpuvm.program @scan_c1_shape(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>, %b = %y : tensor<9xf32>) {
    // expected-error @below {{C1: an input has shape 'tensor<9xf32>', another 'tensor<8xf32>'}}
    %r:2 = gpuvm.scan %a, %b dimension 0 : (tensor<8xf32>, tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
    ^bb0(%p: f32, %q: f32, %u: f32, %v: f32):
      gpuvm.yield %u, %v : f32, f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c1_type(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C1: the scan of 'tensor<8xf32>' is not 'tensor<8xf64>'}}
    %r = gpuvm.scan %a dimension 0 : (tensor<8xf32>) -> tensor<8xf64> {
    ^bb0(%p: f32, %q: f32):
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c1_none() {
  gpuvm.stage @s() {
    // expected-error @below {{C1: has 0 inputs and 0 results}}
    gpuvm.scan dimension 0 : () -> () {
    ^bb0:
      gpuvm.yield
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c2(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C2: 'tensor<8xf32>' has no dimension 1}}
    %r = gpuvm.scan %a dimension 1 : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c3(%x: tensor<8xf32>, %i: tensor<i32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>, %zero = %i : tensor<i32>) {
    // expected-error @below {{C3: 'tensor<i32>' is no initial value of 'tensor<8xf32>'}}
    %r = gpuvm.scan %a dimension 0 exclusive(%zero) : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c4(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C4: 'tensor<8xf32>' does not say where segments of 'tensor<8xf32>' begin}}
    %r = gpuvm.scan %a dimension 0 segments(%a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c5_arguments(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C5: the region is not given two elements}}
    %r = gpuvm.scan %a dimension 0 : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32):
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c5_yield(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C5: the region does not yield an element}}
    %r = gpuvm.scan %a dimension 0 : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      gpuvm.yield %p, %q : f32, f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_c6(%x: tensor<8xf64>) {
  gpuvm.stage @s(%a = %x : tensor<8xf64>) {
    // expected-error @below {{C6: an element of all inputs has 32 bytes, more than 24}}
    %r:4 = gpuvm.scan %a, %a, %a, %a dimension 0
        : (tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>)
          -> (tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) {
    ^bb0(%p: f64, %q: f64, %u: f64, %v: f64, %e: f64, %f: f64, %g: f64, %h: f64):
      gpuvm.yield %p, %q, %u, %v : f64, f64, f64, f64
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @scan_captures(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    %r = gpuvm.scan %a dimension 0 : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      // expected-error @below {{C3: cannot stand in a stage}}
      %l = gpuvm.load @nothing : tensor<8xf32>
      gpuvm.yield %p : f32
    }
  }
  gpuvm.return
}

// -----

gpuvm.program @compact_c1_keep(%x: tensor<8xf32>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>) {
    // expected-error @below {{C1: 'tensor<8xf32>' does not say what to keep}}
    %r, %n = gpuvm.compact %a where %a : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<i32>)
  }
  gpuvm.return
}

// -----

gpuvm.program @compact_c1_payload(%x: tensor<8xf32>, %y: tensor<9xi1>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>, %k = %y : tensor<9xi1>) {
    // expected-error @below {{C1: 'tensor<8xf32>' has not as many elements as 'tensor<9xi1>'}}
    %r, %n = gpuvm.compact %a where %k : (tensor<8xf32>, tensor<9xi1>) -> (tensor<8xf32>, tensor<i32>)
  }
  gpuvm.return
}

// -----

gpuvm.program @compact_c2(%x: tensor<8xf32>, %y: tensor<8xi1>) {
  gpuvm.stage @s(%a = %x : tensor<8xf32>, %k = %y : tensor<8xi1>) {
    // expected-error @below {{C2: elements of 'tensor<8xf32>' do not make 'tensor<9xf32>'}}
    %r, %n = gpuvm.compact %a where %k : (tensor<8xf32>, tensor<8xi1>) -> (tensor<9xf32>, tensor<i32>)
  }
  gpuvm.return
}
