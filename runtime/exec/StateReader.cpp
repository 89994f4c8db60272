//===- StateReader.cpp - the parts of a state file ------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/StateReader.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vm {

template <typename T> static std::span<uint8_t> bytesOf(T &value) {
  return {reinterpret_cast<uint8_t *>(&value), sizeof(value)};
}

Status badState(const std::string &path, const std::string &what) {
  return Status(Code::BadInput,
                fmt::format("The state file \"{}\" {}.", path, what));
}

Result<StateReader> StateReader::open(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(fmt::format("reading \"{}\"", path));
  StateReader reader(std::move(*file), path);
  StateHeader &header = reader.header_;
  uint64_t size = reader.file_.sizeBytes();
  auto tooFew = [&] {
    return badState(path,
                    fmt::format("has {} bytes, too few for a state", size));
  };
  if (size < sizeof(header) + sizeof(uint64_t))
    return tooFew();
  VM_RETURN_IF_ERROR(reader.file_.readAt(0, bytesOf(header)));
  if (header.magic != kStateMagic && header.magic != kRankStateMagic)
    return badState(path, "is not a state that this version has written");
  reader.layoutAt_ = sizeof(header);
  if (header.magic == kRankStateMagic) {
    reader.layoutAt_ += sizeof(StatePart);
    if (size < reader.layoutAt_ + sizeof(uint64_t))
      return tooFew();
    VM_RETURN_IF_ERROR(
        reader.file_.readAt(sizeof(header), bytesOf(reader.part_)));
  }
  uint64_t rest = size - reader.layoutAt_ - sizeof(uint64_t);
  if (header.layoutBytes > rest ||
      header.valueBytes != rest - header.layoutBytes)
    return badState(path,
                    fmt::format("is cut or too long: it has {} bytes, {} of "
                                "them for symbols and {} for values",
                                size, header.layoutBytes, header.valueBytes));
  return reader;
}

Result<std::string> StateReader::readLayout(uint64_t most) const {
  std::string layout(std::min(header_.layoutBytes, most), '\0');
  VM_RETURN_IF_ERROR(file_.readAt(
      layoutAt_, {reinterpret_cast<uint8_t *>(layout.data()), layout.size()}));
  return layout;
}

Status StateReader::checkSum() const {
  constexpr uint64_t kPieceBytes = 1 << 20;
  std::vector<uint8_t> memory(kPieceBytes);
  StateChecksum checksum;
  uint64_t end = file_.sizeBytes() - sizeof(uint64_t);
  for (uint64_t at = 0; at < end; at += memory.size()) {
    auto piece =
        std::span(memory).first(std::min<uint64_t>(end - at, memory.size()));
    VM_RETURN_IF_ERROR(file_.readAt(at, piece));
    checksum.add(piece);
  }
  uint64_t stated = 0;
  VM_RETURN_IF_ERROR(file_.readAt(end, bytesOf(stated)));
  if (stated != checksum.value())
    return badState(path_, "is damaged: its checksum does not match");
  return {};
}

} // namespace vm
