// SYNTAX TEST "source.gpuvm" "a program of gpuvm"

#here = affine_map<(i) -> (i)>
//<----- source.gpuvm entity.name.type.alias.gpuvm
//      ^^^^^^^^^^ keyword.other.gpuvm
gpuvm.program @hello(%x: tensor<?x8xf32, #gpuvm.bound<1000>>) -> (sum: tensor<f32>) {
//<------------- keyword.declaration.gpuvm
//            ^^^^^^ entity.name.function.gpuvm
//                   ^^ variable.other.gpuvm
//                       ^^^^^^ storage.type.gpuvm
//                              ^^^^ constant.numeric.shape.gpuvm
//                                  ^^^ storage.type.element.gpuvm
//                                       ^^^^^^^^^^^^ support.constant.attribute.gpuvm
//                                                    ^^^^ constant.numeric.gpuvm
  %squares:2 = gpuvm.stage @square(%v = %x : !gpuvm.message<tensor<8x!pair>>) when(%c) {
//^^^^^^^^^^ variable.other.gpuvm
//             ^^^^^^^^^^^ keyword.declaration.gpuvm
//                                           ^^^^^^^^^^^^^^ storage.type.dialect.gpuvm
//                                                                 ^^ constant.numeric.shape.gpuvm
//                                                                   ^^^^^ entity.name.type.alias.gpuvm
//                                                                            ^^^^ keyword.other.gpuvm
    %s = arith.mulf %v, %v : tensor<8xbf16>
//       ^^^^^^^^^^ support.function.gpuvm
//                                    ^^^^ storage.type.element.gpuvm
    %t = gpuvm.sort %s {text = "a\n\22"} : tensor<8xf8E4M3FN>
//       ^^^^^^^^^^ support.function.dialect.gpuvm
//                             ^^^^^^^^ string.quoted.double.gpuvm
//                               ^^ constant.character.escape.gpuvm
//                                                  ^^^^^^^^ storage.type.element.gpuvm
    %z = arith.constant dense<-1.5e-3> : tensor<f32> // a comment
//                      ^^^^^ keyword.other.gpuvm
//                            ^^^^^^^ constant.numeric.gpuvm
//                                                   ^^^^^^^^^^^^ comment.line.double-slash.gpuvm
  ^bb0(%a: i1, %b: index):
//^^^^ entity.name.label.gpuvm
//         ^^ storage.type.element.gpuvm
    gpuvm.send %s : tensor<8xf32>
//  ^^^^^^^^^^ keyword.control.flow.gpuvm
  }
}
