gpuvm.program @many(%x0: tensor<i32>, %x1: tensor<i32>, %x2: tensor<i32>, %x3: tensor<i32>, %x4: tensor<i32>, %x5: tensor<i32>, %x6: tensor<i32>, %x7: tensor<i32>, %x8: tensor<i32>, %x9: tensor<i32>, %x10: tensor<i32>, %x11: tensor<i32>, %x12: tensor<i32>, %x13: tensor<i32>, %x14: tensor<i32>, %x15: tensor<i32>, %x16: tensor<i32>, %x17: tensor<i32>, %x18: tensor<i32>, %x19: tensor<i32>, %x20: tensor<i32>, %x21: tensor<i32>, %x22: tensor<i32>, %x23: tensor<i32>, %x24: tensor<i32>, %x25: tensor<i32>, %x26: tensor<i32>, %x27: tensor<i32>, %x28: tensor<i32>, %x29: tensor<i32>, %x30: tensor<i32>, %x31: tensor<i32>, %x32: tensor<i32>) -> (sum: tensor<i32>) {
  %s = gpuvm.stage @sum(%v0 = %x0 : tensor<i32>, %v1 = %x1 : tensor<i32>, %v2 = %x2 : tensor<i32>, %v3 = %x3 : tensor<i32>, %v4 = %x4 : tensor<i32>, %v5 = %x5 : tensor<i32>, %v6 = %x6 : tensor<i32>, %v7 = %x7 : tensor<i32>, %v8 = %x8 : tensor<i32>, %v9 = %x9 : tensor<i32>, %v10 = %x10 : tensor<i32>, %v11 = %x11 : tensor<i32>, %v12 = %x12 : tensor<i32>, %v13 = %x13 : tensor<i32>, %v14 = %x14 : tensor<i32>, %v15 = %x15 : tensor<i32>, %v16 = %x16 : tensor<i32>, %v17 = %x17 : tensor<i32>, %v18 = %x18 : tensor<i32>, %v19 = %x19 : tensor<i32>, %v20 = %x20 : tensor<i32>, %v21 = %x21 : tensor<i32>, %v22 = %x22 : tensor<i32>, %v23 = %x23 : tensor<i32>, %v24 = %x24 : tensor<i32>, %v25 = %x25 : tensor<i32>, %v26 = %x26 : tensor<i32>, %v27 = %x27 : tensor<i32>, %v28 = %x28 : tensor<i32>, %v29 = %x29 : tensor<i32>, %v30 = %x30 : tensor<i32>, %v31 = %x31 : tensor<i32>, %v32 = %x32 : tensor<i32>) -> tensor<i32> {
    %s1 = arith.addi %v0, %v1 : tensor<i32>
    %s2 = arith.addi %s1, %v2 : tensor<i32>
    %s3 = arith.addi %s2, %v3 : tensor<i32>
    %s4 = arith.addi %s3, %v4 : tensor<i32>
    %s5 = arith.addi %s4, %v5 : tensor<i32>
    %s6 = arith.addi %s5, %v6 : tensor<i32>
    %s7 = arith.addi %s6, %v7 : tensor<i32>
    %s8 = arith.addi %s7, %v8 : tensor<i32>
    %s9 = arith.addi %s8, %v9 : tensor<i32>
    %s10 = arith.addi %s9, %v10 : tensor<i32>
    %s11 = arith.addi %s10, %v11 : tensor<i32>
    %s12 = arith.addi %s11, %v12 : tensor<i32>
    %s13 = arith.addi %s12, %v13 : tensor<i32>
    %s14 = arith.addi %s13, %v14 : tensor<i32>
    %s15 = arith.addi %s14, %v15 : tensor<i32>
    %s16 = arith.addi %s15, %v16 : tensor<i32>
    %s17 = arith.addi %s16, %v17 : tensor<i32>
    %s18 = arith.addi %s17, %v18 : tensor<i32>
    %s19 = arith.addi %s18, %v19 : tensor<i32>
    %s20 = arith.addi %s19, %v20 : tensor<i32>
    %s21 = arith.addi %s20, %v21 : tensor<i32>
    %s22 = arith.addi %s21, %v22 : tensor<i32>
    %s23 = arith.addi %s22, %v23 : tensor<i32>
    %s24 = arith.addi %s23, %v24 : tensor<i32>
    %s25 = arith.addi %s24, %v25 : tensor<i32>
    %s26 = arith.addi %s25, %v26 : tensor<i32>
    %s27 = arith.addi %s26, %v27 : tensor<i32>
    %s28 = arith.addi %s27, %v28 : tensor<i32>
    %s29 = arith.addi %s28, %v29 : tensor<i32>
    %s30 = arith.addi %s29, %v30 : tensor<i32>
    %s31 = arith.addi %s30, %v31 : tensor<i32>
    %s32 = arith.addi %s31, %v32 : tensor<i32>
    gpuvm.send %s32 : tensor<i32>
  }
  gpuvm.return %s : !gpuvm.message<tensor<i32>>
}
