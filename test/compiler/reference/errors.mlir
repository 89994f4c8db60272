// What has no result is an error at the operation, and the exit code is 3.

// RUN: not gpuvm-interpret %s --program=division --input=a=3xi32=1,2,3 --input=b=3xi32=1,0,3 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: not gpuvm-interpret %s --program=overflow --input=a=2xi8=5,-128 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not gpuvm-interpret %s --program=body --input=a=2x2xi32=1,2,0,4 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not gpuvm-interpret %s --program=external 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not gpuvm-interpret %s --program=extract --input=i=i32=4 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not gpuvm-interpret %s --program=gather --input=i=2xi32=1,-1 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not gpuvm-interpret %s --program=race --input=a=2x3xi32=1 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not gpuvm-interpret %s --program=unknown --input=a=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not gpuvm-interpret %s --program=rounding --input=a=2xf64=1 2>&1 | FileCheck %s --check-prefix=ROUNDING
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]) != 3)" gpuvm-interpret %s --program=external

// DIVISION: errors.mlir:[[# @LINE + 3]]:10: error: 'arith.divsi' op division by zero at element 1
gpuvm.program @division(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %m = gpuvm.stage @divide(%x = %a : tensor<3xi32>, %y = %b : tensor<3xi32>) -> tensor<3xi32> {
    %r = arith.divsi %x, %y : tensor<3xi32>
    gpuvm.send %r : tensor<3xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<3xi32>>
}

// OVERFLOW: 'arith.divsi' op signed division overflow (the smallest integer by -1) at element 1
gpuvm.program @overflow(%a: tensor<2xi8>) -> tensor<2xi8> {
  %m = gpuvm.stage @divide(%x = %a : tensor<2xi8>) -> tensor<2xi8> {
    %minus = arith.constant dense<-1> : tensor<2xi8>
    %r = arith.divsi %x, %minus : tensor<2xi8>
    gpuvm.send %r : tensor<2xi8>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xi8>>
}

// BODY: 'arith.remui' op division by zero at point (1, 0)
gpuvm.program @body(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %m = gpuvm.stage @divide(%x = %a : tensor<2x2xi32>) -> tensor<2x2xi32> {
    %e = tensor.empty() : tensor<2x2xi32>
    %ten = arith.constant 10 : i32
    %r = linalg.map ins(%x : tensor<2x2xi32>) outs(%e : tensor<2x2xi32>) (%v: i32, %o: i32) {
      %q = arith.remui %ten, %v : i32
      linalg.yield %q : i32
    }
    gpuvm.send %r : tensor<2x2xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2x2xi32>>
}

// EXTERNAL: error: the interpreter cannot run external kernel @k
gpuvm.program @external() -> tensor<4xf32> {
  gpuvm.extern_kernel @k "k.spv" () -> tensor<4xf32> local_size [1, 1, 1] groups [1, 1, 1]
  %m = gpuvm.stage @s() -> tensor<4xf32> {
    %r = gpuvm.invoke @k() : () -> tensor<4xf32>
    gpuvm.send %r : tensor<4xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<4xf32>>
}

// EXTRACT: 'tensor.extract' op uses index 4 of a dimension of size 4
gpuvm.program @extract(%i: tensor<i32>) -> tensor<i32> {
  %m = gpuvm.stage @s(%x = %i : tensor<i32>) -> tensor<i32> {
    %table = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %v = tensor.extract %x[] : tensor<i32>
    %k = arith.index_cast %v : i32 to index
    %e = tensor.extract %table[%k] : tensor<4xi32>
    %r = tensor.from_elements %e : tensor<i32>
    gpuvm.send %r : tensor<i32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<i32>>
}

// GATHER: 'tensor.extract' op reads index -1 of a dimension of size 4
gpuvm.program @gather(%i: tensor<2xi32>) -> tensor<2xi32> {
  %m = gpuvm.stage @s(%x = %i : tensor<2xi32>) -> tensor<2xi32> {
    %table = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %out = tensor.empty() : tensor<2xi32>
    %r = linalg.map ins(%x : tensor<2xi32>) outs(%out : tensor<2xi32>) (%v: i32, %o: i32) {
      %k = arith.index_cast %v : i32 to index
      %e = tensor.extract %table[%k] : tensor<4xi32>
      linalg.yield %e : i32
    }
    gpuvm.send %r : tensor<2xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xi32>>
}

// RACE: 'linalg.generic' op writes an output element at several points of its parallel loops
gpuvm.program @race(%a: tensor<2x3xi32>) -> tensor<2xi32> {
  %m = gpuvm.stage @s(%x = %a : tensor<2x3xi32>) -> tensor<2xi32> {
    %e = tensor.empty() : tensor<2xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<2x3xi32>) outs(%e : tensor<2xi32>) {
    ^bb0(%v: i32, %o: i32):
      linalg.yield %v : i32
    } -> tensor<2xi32>
    gpuvm.send %r : tensor<2xi32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xi32>>
}

// UNKNOWN: error: the interpreter does not know tensor.gather
gpuvm.program @unknown(%a: tensor<2x3xf32>) -> tensor<1x1x3xf32> {
  %m = gpuvm.stage @s(%x = %a : tensor<2x3xf32>) -> tensor<1x1x3xf32> {
    %i = arith.constant dense<1> : tensor<1x1xi32>
    %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<2x3xf32>, tensor<1x1xi32>) -> tensor<1x1x3xf32>
    gpuvm.send %r : tensor<1x1x3xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<1x1x3xf32>>
}

// ROUNDING: error: the interpreter does not know arith.truncf.toward_zero with result type 'tensor<2xf32>'
gpuvm.program @rounding(%a: tensor<2xf64>) -> tensor<2xf32> {
  %m = gpuvm.stage @s(%x = %a : tensor<2xf64>) -> tensor<2xf32> {
    %r = arith.truncf %x toward_zero : tensor<2xf64> to tensor<2xf32>
    gpuvm.send %r : tensor<2xf32>
  }
  gpuvm.return %m : !gpuvm.message<tensor<2xf32>>
}
