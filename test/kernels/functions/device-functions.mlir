// With fastmath<afn> a function is the device's own (docs/arithmetic.md): one instruction, and near the exact result.

// RUN: gpuvm-compile %s -o %t.gvplan
// RUN: gpuvm-plan disassemble %t.gvplan > %t.code
// RUN: FileCheck %s --check-prefix=CODE < %t.code
// CODE-DAG: OpExtInst %float {{.*}} Acos %
// CODE-DAG: OpExtInst %float {{.*}} Acosh %
// CODE-DAG: OpExtInst %float {{.*}} Asin %
// CODE-DAG: OpExtInst %float {{.*}} Asinh %
// CODE-DAG: OpExtInst %float {{.*}} Atan %
// CODE-DAG: OpExtInst %float {{.*}} Atanh %
// CODE-DAG: OpExtInst %float {{.*}} Cos %
// CODE-DAG: OpExtInst %float {{.*}} Cosh %
// CODE-DAG: OpExtInst %float {{.*}} Exp %
// CODE-DAG: OpExtInst %float {{.*}} Exp2 %
// CODE-DAG: OpExtInst %float {{.*}} Log %
// CODE-DAG: OpExtInst %float {{.*}} Log2 %
// CODE-DAG: OpExtInst %float {{.*}} Sin %
// CODE-DAG: OpExtInst %float {{.*}} Sinh %
// CODE-DAG: OpExtInst %float {{.*}} Tan %
// CODE-DAG: OpExtInst %float {{.*}} Tanh %

// RUN: gpuvm-run %t.gvplan --validate --input=x=2xf32=0.25,0.75 --expected_output=near=2xi1=1,1
!v = tensor<2xf32>
gpuvm.program @functions(%x: !v) -> (near: tensor<2xi1>) {
  %near = gpuvm.stage @s(%x = %x : !v) -> tensor<2xi1> {
    %one = arith.constant dense<1.0> : !v
    %y = arith.addf %x, %one : !v
    %acos = math.acos %x fastmath<afn> : !v
    %asin = math.asin %x fastmath<afn> : !v
    %acosh = math.acosh %y fastmath<afn> : !v
    %asinh = math.asinh %x fastmath<afn> : !v
    %atan = math.atan %x fastmath<afn> : !v
    %atanh = math.atanh %x fastmath<afn> : !v
    %cos = math.cos %x fastmath<afn> : !v
    %cosh = math.cosh %x fastmath<afn> : !v
    %exp = math.exp %x fastmath<afn> : !v
    %exp2 = math.exp2 %x fastmath<afn> : !v
    %log = math.log %x fastmath<afn> : !v
    %log2 = math.log2 %x fastmath<afn> : !v
    %sin = math.sin %x fastmath<afn> : !v
    %sinh = math.sinh %x fastmath<afn> : !v
    %tan = math.tan %x fastmath<afn> : !v
    %tanh = math.tanh %x fastmath<afn> : !v
    %a0 = arith.addf %acos, %asin : !v
    %a1 = arith.addf %a0, %acosh : !v
    %a2 = arith.addf %a1, %asinh : !v
    %a3 = arith.addf %a2, %atan : !v
    %a4 = arith.addf %a3, %atanh : !v
    %a5 = arith.addf %a4, %cos : !v
    %a6 = arith.addf %a5, %cosh : !v
    %a7 = arith.addf %a6, %exp : !v
    %a8 = arith.addf %a7, %exp2 : !v
    %a9 = arith.addf %a8, %log : !v
    %a10 = arith.addf %a9, %log2 : !v
    %a11 = arith.addf %a10, %sin : !v
    %a12 = arith.addf %a11, %sinh : !v
    %a13 = arith.addf %a12, %tan : !v
    %sum = arith.addf %a13, %tanh : !v
    %exact = arith.constant dense<[5.099342, 13.232356]> : !v
    %apart = arith.subf %sum, %exact : !v
    %size = math.absf %apart : !v
    %bound = arith.constant dense<0.005> : !v
    %near = arith.cmpf olt, %size, %bound : !v
    gpuvm.send %near : tensor<2xi1>
  }
  gpuvm.return %near : !gpuvm.message<tensor<2xi1>>
}
