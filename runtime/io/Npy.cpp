//===- Npy.cpp - .npy files -----------------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes numpy's array format. A file is a header and exactly as many
// bytes as the header promises; the data goes straight into the tensor's
// buffer.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"
#include "runtime/base/InputFile.h"
#include "runtime/io/Elements.h"
#include "runtime/io/NpyHeader.h"
#include "runtime/plan/PlanNames.h"

#include <algorithm>
#include <fmt/format.h>

using namespace vm;

/// The data must fill the file: a truncated or padded file is a mistake.
static Status checkFileSize(const NpyHeader &header, uint64_t fileBytes) {
  uint64_t dataBytes = fileBytes - header.dataOffset;
  if (dataBytes == header.dataBytes)
    return {};
  HostTensor type{header.dtype, header.shape, {}};
  return Status(Code::BadInput,
                fmt::format("The data has {} bytes where {} takes {}.",
                            dataBytes, type.typeString(), header.dataBytes));
}

Result<HostTensor> vm::parseNpy(std::span<const uint8_t> bytes) {
  Result<NpyHeader> header = parseNpyHeader(bytes);
  if (!header.ok())
    return header.status();
  VM_RETURN_IF_ERROR(checkFileSize(*header, bytes.size()));
  std::span<const uint8_t> data = bytes.subspan(header->dataOffset);
  HostTensor tensor{header->dtype,
                    std::move(header->shape),
                    {data.begin(), data.end()},
                    header->isUnsigned};
  VM_RETURN_IF_ERROR(checkBools(tensor));
  return tensor;
}

namespace {
/// Which of how many equal parts of the leading dimension.
struct Part {
  uint64_t part = 0;
  uint64_t parts = 1;
};
} // namespace

/// Leaves the shape and the bytes of the part.
static Status takePart(NpyHeader &header, const Part &part) {
  if (part.parts == 1)
    return {};
  int64_t rows = header.shape.empty() ? 0 : header.shape[0];
  if (header.shape.empty() || static_cast<uint64_t>(rows) % part.parts != 0)
    return Status(Code::BadInput,
                  fmt::format("The leading dimension of {} does not divide by "
                              "the number of parts ({}).",
                              typeString(header.dtype, header.shape),
                              part.parts));
  header.shape[0] = rows / static_cast<int64_t>(part.parts);
  header.dataBytes /= part.parts;
  header.dataOffset += part.part * header.dataBytes;
  return {};
}

static Result<HostTensor> readOpenNpy(const InputFile &file,
                                      const TypeCheck &check,
                                      const Part &part = {}) {
  std::vector<uint8_t> start(std::min<uint64_t>(
      file.sizeBytes(), kMaxNpyPreambleBytes + kMaxNpyHeaderBytes));
  VM_RETURN_IF_ERROR(file.readAt(0, start));
  Result<NpyHeader> header = parseNpyHeader(start);
  if (!header.ok())
    return header.status();
  NpyHeader whole = *header;
  VM_RETURN_IF_ERROR(takePart(*header, part));
  if (check)
    VM_RETURN_IF_ERROR(check(header->dtype, header->shape));
  VM_RETURN_IF_ERROR(checkFileSize(whole, file.sizeBytes()));
  Result<std::vector<uint8_t>> data = allocateBytes(header->dataBytes);
  if (!data.ok())
    return data.status();
  VM_RETURN_IF_ERROR(file.readAt(header->dataOffset, *data));
  HostTensor tensor{header->dtype, std::move(header->shape), std::move(*data),
                    header->isUnsigned};
  VM_RETURN_IF_ERROR(checkBools(tensor));
  return tensor;
}

static Result<HostTensor> readParts(const std::string &path, const Part &part,
                                    const TypeCheck &check) {
  std::string context = fmt::format("reading \"{}\"", path);
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status().withContext(context);
  Result<HostTensor> tensor = readOpenNpy(*file, check, part);
  if (!tensor.ok())
    return tensor.status().withContext(context);
  return tensor;
}

Result<HostTensor> vm::readNpy(const std::string &path,
                               const TypeCheck &check) {
  return readParts(path, {}, check);
}

Result<HostTensor> vm::readNpyPart(const std::string &path, uint64_t part,
                                   uint64_t parts, const TypeCheck &check) {
  return readParts(path, {part, parts}, check);
}

Status vm::writeNpy(AtomicFile &file, const HostTensor &tensor) {
  VM_RETURN_IF_ERROR(file.write(
      formatNpyHeader(tensor.dtype, tensor.shape, tensor.isUnsigned)));
  return file.write(tensor.bytes);
}

Status vm::writeNpy(const std::string &path, const HostTensor &tensor) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  VM_RETURN_IF_ERROR(writeNpy(*file, tensor));
  return file->commit();
}
