// RUN: gpuvm-opt %s -split-input-file -verify-diagnostics

gpuvm.program @sort_c1_shape(%x0: tensor<8xi32>, %x1: tensor<9xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<9xf32>) {
    // expected-error @below {{C1: tensor<9xf32> and tensor<8xi32> have different shapes}}
    %r:2 = gpuvm.sort %a0 payloads(%a1) : tensor<8xi32>, tensor<9xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_c1_scalar(%x0: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<i32>) {
    // expected-error @below {{C1: a scalar has no rows}}
    %r = gpuvm.sort %a0 : tensor<i32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_c1_none(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C1: there is no key}}
    "gpuvm.sort"() <{descending = array<i1>, operandSegmentSizes = array<i32: 0, 0>, unsigned_keys = array<i1>}> : () -> ()
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_c2(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C2: 1 keys do not have two flags each}}
    %r = "gpuvm.sort"(%a0) <{descending = array<i1>, operandSegmentSizes = array<i32: 1, 0>, unsigned_keys = array<i1: true>}> : (tensor<8xi32>) -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_c3(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C3: the results do not have the operands' types}}
    %r = "gpuvm.sort"(%a0) <{descending = array<i1: false>, operandSegmentSizes = array<i32: 1, 0>, unsigned_keys = array<i1: true>}> : (tensor<8xi32>) -> tensor<8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @top_k_c1(%x0: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xf32>) {
    // expected-error @below {{C1: 'tensor<9xf32>' is not the first elements of rows of 'tensor<8xf32>'}}
    %r:2 = gpuvm.top_k %a0 : tensor<8xf32> -> tensor<9xf32>, tensor<9xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @top_k_c2(%x0: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xf32>) {
    // expected-error @below {{C2: 'tensor<3xi64>' does not number the elements of 'tensor<3xf32>'}}
    %r:2 = gpuvm.top_k %a0 : tensor<8xf32> -> tensor<3xf32>, tensor<3xi64>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @top_k_c3(%x0: tensor<9000xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<9000xf32>) {
    // expected-error @below {{C3: k is 4000 (at most 2048 are allowed)}}
    %r:2 = gpuvm.top_k %a0 : tensor<9000xf32> -> tensor<4000xf32>, tensor<4000xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @search_sorted_c1_rank(%x0: tensor<2x8xf32>, %x1: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<2x8xf32>, %a1 = %x1 : tensor<8xf32>) {
    // expected-error @below {{C1: 'tensor<8xf32>' cannot be looked up in 'tensor<2x8xf32>'}}
    %r = gpuvm.search_sorted %a0, %a1 : tensor<2x8xf32>, tensor<8xf32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @search_sorted_c1_element(%x0: tensor<8xi32>, %x1: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xf32>) {
    // expected-error @below {{C1: 'tensor<8xf32>' cannot be looked up in 'tensor<8xi32>'}}
    %r = gpuvm.search_sorted %a0, %a1 : tensor<8xi32>, tensor<8xf32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @search_sorted_c2(%x0: tensor<8xf32>, %x1: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xf32>, %a1 = %x1 : tensor<8xf32>) {
    // expected-error @below {{C2: 'tensor<8xi64>' is not a number for each element of 'tensor<8xf32>'}}
    %r = gpuvm.search_sorted %a0, %a1 : tensor<8xf32>, tensor<8xf32> -> tensor<8xi64>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_runs_c1(%x0: tensor<8xi32>, %x1: tensor<9xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<9xf32>) {
    // expected-error @below {{C1: tensor<9xf32> and tensor<8xi32> have different shapes}}
    %r:2 = gpuvm.sort_runs %a0 payloads(%a1 : tensor<9xf32>) run 4 : tensor<8xi32> -> tensor<8xi32>, tensor<9xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_runs_c2(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C2: 1 of 5000 elements of a run cannot be kept (1 to 4096 make a run)}}
    %r = gpuvm.sort_runs %a0 run 5000 : tensor<8xi32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_runs_c2_keep(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C2: 5 of 4 elements of a run cannot be kept (1 to 4096 make a run)}}
    %r = gpuvm.sort_runs %a0 run 4 keep 5 : tensor<8xi32> -> tensor<10xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_runs_c3(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C3: the results do not have the types of the runs}}
    %r = gpuvm.sort_runs %a0 run 4 keep 2 : tensor<8xi32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @sort_runs_c4(%x0: tensor<8xi32>, %x1: tensor<8xf64>, %x2: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xf64>, %a2 = %x2 : tensor<8xf32>) {
    // expected-error @below {{C4: the payloads have 12 bytes (at most 8 are allowed)}}
    %r:3 = gpuvm.sort_runs %a0 payloads(%a1, %a2 : tensor<8xf64>, tensor<8xf32>) run 4 : tensor<8xi32> -> tensor<8xi32>, tensor<8xf64>, tensor<8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_runs_c1(%x0: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<i32>) {
    // expected-error @below {{C1: a scalar has no rows}}
    %r = gpuvm.merge_runs %a0 run 4 : tensor<i32> -> tensor<i32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_runs_c2(%x0: tensor<90xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<90xi32>) {
    // expected-error @below {{C2: a row of 90 elements has more than 16 runs of 4}}
    %r = gpuvm.merge_runs %a0 run 4 : tensor<90xi32> -> tensor<90xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_runs_c3(%x0: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>) {
    // expected-error @below {{C3: the results do not have the operands' types}}
    %r = gpuvm.merge_runs %a0 run 4 : tensor<8xi32> -> tensor<8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @count_digits_c1(%x0: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<i32>) {
    // expected-error @below {{C1: a scalar has no rows}}
    %r = gpuvm.count_digits %a0, %a0 chunk 256 : tensor<i32>, tensor<i32> -> tensor<8x256xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @count_digits_c1_offsets(%x0: tensor<8xi32>, %x1: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<i32>) {
    // expected-error @below {{C1: the offsets are 'tensor<8x256xi32>', not 'tensor<1x256xi32>'}}
    %r = gpuvm.count_digits %a0, %a1 chunk 256 : tensor<8xi32>, tensor<i32> -> tensor<1x256xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @count_digits_c2(%x0: tensor<8xi32>, %x1: tensor<i64>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<i64>) {
    // expected-error @below {{C2: 'tensor<i64>' does not number a digit}}
    %r = gpuvm.count_digits %a0, %a1 chunk 256 : tensor<8xi32>, tensor<i64> -> tensor<8x256xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @count_digits_c3(%x0: tensor<8xi32>, %x1: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<i32>) {
    // expected-error @below {{C3: a chunk of 100 keys is no multiple of 256}}
    %r = gpuvm.count_digits %a0, %a1 chunk 100 : tensor<8xi32>, tensor<i32> -> tensor<8x256xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c1(%x0: tensor<8xi32>, %x1: tensor<8x256xi32>, %x2: tensor<i32>, %x3: tensor<9xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8x256xi32>, %a2 = %x2 : tensor<i32>, %a3 = %x3 : tensor<9xf32>) {
    // expected-error @below {{C1: tensor<9xf32> and tensor<8xi32> have different shapes}}
    %r:2 = gpuvm.scatter_digits %a0, %a1, %a2 payloads(%a3 : tensor<9xf32>) chunk 256 : tensor<8xi32>, tensor<8x256xi32>, tensor<i32> -> tensor<8xi32>, tensor<9xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c1_offsets(%x0: tensor<8xi32>, %x1: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<i32>) {
    // expected-error @below {{C1: the offsets are 'tensor<8x256xi32>', not 'tensor<8xi32>'}}
    %r = gpuvm.scatter_digits %a0, %a0, %a1 chunk 256 : tensor<8xi32>, tensor<8xi32>, tensor<i32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c2(%x0: tensor<8xi32>, %x1: tensor<8x256xi32>, %x2: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8x256xi32>, %a2 = %x2 : tensor<8xf32>) {
    // expected-error @below {{C2: 'tensor<8xf32>' does not number a digit}}
    %r = gpuvm.scatter_digits %a0, %a1, %a2 chunk 256 : tensor<8xi32>, tensor<8x256xi32>, tensor<8xf32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c3(%x0: tensor<8xi32>, %x1: tensor<8x256xi32>, %x2: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8x256xi32>, %a2 = %x2 : tensor<i32>) {
    // expected-error @below {{C3: a chunk of 0 keys is no multiple of 256}}
    %r = gpuvm.scatter_digits %a0, %a1, %a2 chunk 0 : tensor<8xi32>, tensor<8x256xi32>, tensor<i32> -> tensor<8xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c4(%x0: tensor<8xi32>, %x1: tensor<8x256xi32>, %x2: tensor<i32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8x256xi32>, %a2 = %x2 : tensor<i32>) {
    // expected-error @below {{C4: the results do not have the operands' types}}
    %r = gpuvm.scatter_digits %a0, %a1, %a2 chunk 256 : tensor<8xi32>, tensor<8x256xi32>, tensor<i32> -> tensor<8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @scatter_digits_c5(%x0: tensor<8xi32>, %x1: tensor<8x256xi32>, %x2: tensor<i32>, %x3: tensor<8xf64>, %x4: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8x256xi32>, %a2 = %x2 : tensor<i32>, %a3 = %x3 : tensor<8xf64>, %a4 = %x4 : tensor<8xf32>) {
    // expected-error @below {{C5: the payloads have 12 bytes (at most 8 are allowed)}}
    %r:3 = gpuvm.scatter_digits %a0, %a1, %a2 payloads(%a3, %a4 : tensor<8xf64>, tensor<8xf32>) chunk 256 : tensor<8xi32>, tensor<8x256xi32>, tensor<i32> -> tensor<8xi32>, tensor<8xf64>, tensor<8xf32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c1(%x0: tensor<i32>, %x1: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<i32>, %a1 = %x1 : tensor<8xi32>) {
    // expected-error @below {{C1: a scalar has no rows}}
    %r = gpuvm.merge %a0, %a1 : tensor<i32>, tensor<8xi32> -> tensor<9xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c1_rows(%x0: tensor<2x8xi32>, %x1: tensor<3x8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<2x8xi32>, %a1 = %x1 : tensor<3x8xi32>) {
    // expected-error @below {{C1: 'tensor<2x8xi32>' and 'tensor<3x8xi32>' do not have the same rows}}
    %r = gpuvm.merge %a0, %a1 : tensor<2x8xi32>, tensor<3x8xi32> -> tensor<2x16xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c1_payloads(%x0: tensor<8xi32>, %x1: tensor<8xi32>, %x2: tensor<9xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xi32>, %a2 = %x2 : tensor<9xi32>) {
    // expected-error @below {{C1: tensor<9xi32> and tensor<8xi32> have different shapes}}
    %r:2 = gpuvm.merge %a0, %a1 payloads(%a0 : tensor<8xi32>) with(%a2 : tensor<9xi32>) : tensor<8xi32>, tensor<8xi32> -> tensor<16xi32>, tensor<16xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c2(%x0: tensor<8xi32>, %x1: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xi32>) {
    // expected-error @below {{C2: there are 2 and 1 payloads}}
    %r:2 = gpuvm.merge %a0, %a1 payloads(%a0, %a1 : tensor<8xi32>, tensor<8xi32>) with(%a1 : tensor<8xi32>) : tensor<8xi32>, tensor<8xi32> -> tensor<16xi32>, tensor<16xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c2_elements(%x0: tensor<8xi32>, %x1: tensor<8xf32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xf32>) {
    // expected-error @below {{C2: 'tensor<8xi32>' and 'tensor<8xf32>' have different elements}}
    %r = gpuvm.merge %a0, %a1 : tensor<8xi32>, tensor<8xf32> -> tensor<16xi32>
    gpuvm.send
  }
  gpuvm.return
}

// -----

gpuvm.program @merge_c3(%x0: tensor<8xi32>, %x1: tensor<8xi32>) {
  gpuvm.stage @s(%a0 = %x0 : tensor<8xi32>, %a1 = %x1 : tensor<8xi32>) {
    // expected-error @below {{C3: the results are not both rows together}}
    %r = gpuvm.merge %a0, %a1 : tensor<8xi32>, tensor<8xi32> -> tensor<15xi32>
    gpuvm.send
  }
  gpuvm.return
}
