//===- GpuvmParameters.td - sizes of programs --------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module says of its parameters. Few files need to know of it, and no
// pass does: Gpuvm.h is without it.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_PARAMETERS
#define GPUVM_PARAMETERS

include "dialects/gpuvm/GpuvmOps.td"

def Gpuvm_ParameterOp : Gpuvm_Op<"parameter", [
    ParentOneOf<["::mlir::ModuleOp"]>]> {
  let summary = "A number of the program with a name, such as a size.";
  let description = [{
    Places of the text, `@lanes@` or `@2 * lanes@`, stand for what the parameter
    is. They are replaced before the text is parsed, by the default or by what
    `gpuvm-compile --set lanes=1024` says ([parameters](docs/parameters.md)). Of
    the parsed module only this operation knows: its value is that one, and the
    plan says it, too. It is no symbol: a program may have the same name.

    C1: the value is an integer (i64) or, if it has a point, a float (f64);
        bounds are of the same type.
    C2: the value is not less than the first bound nor greater than the second.

    Example:

    ```mlir
    gpuvm.parameter @lanes = 4096 in 1 to 65536 "boards that are played at once"
    gpuvm.parameter @rate = 0.5
    gpuvm.program @zeros() -> (zero: tensor<@lanes@xf32>) {
      %zero = gpuvm.stage @fill() -> tensor<@lanes@xf32> {
        %c = arith.constant dense<0.0> : tensor<@lanes@xf32>
        gpuvm.send %c : tensor<@lanes@xf32>
      }
      gpuvm.return %zero : !gpuvm.message<tensor<@lanes@xf32>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$parameter, AnyAttr:$value,
                       OptionalAttr<AnyAttr>:$least,
                       OptionalAttr<AnyAttr>:$greatest,
                       OptionalAttr<StrAttr>:$description);
  let assemblyFormat = [{
    $parameter `=` custom<Number>($value)
    (`in` custom<Number>($least)^ `to` custom<Number>($greatest))?
    ($description^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// As it is written: `4096`, `0.5`.
    std::string getValueText();
  }];
}

#endif // GPUVM_PARAMETERS
