//===- Codec.cpp - the table of codecs ------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "codecs/Codec.h"

using namespace mlir;
using namespace mlir::gpuvm;

namespace mlir::gpuvm::codecs {
#define GPUVM_CODEC(name) const Codec &name();
#include "codecs/Codecs.def"
#undef GPUVM_CODEC
} // namespace mlir::gpuvm::codecs

static ArrayRef<const Codec *> getCodecs() {
  static const Codec *const table[] = {
#define GPUVM_CODEC(name) &codecs::name(),
#include "codecs/Codecs.def"
#undef GPUVM_CODEC
  };
  return table;
}

const Codec *gpuvm::lookupCodec(StringRef name) {
  for (const Codec *codec : getCodecs())
    if (codec->getName() == name)
      return codec;
  return nullptr;
}

std::string gpuvm::listCodecs() {
  std::string names;
  for (const Codec *codec : getCodecs())
    names += (names.empty() ? "" : ", ") + codec->getName().str();
  return names;
}
