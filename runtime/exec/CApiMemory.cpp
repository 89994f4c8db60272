//===- CApiMemory.cpp - the memory of a VM in gpuvm.h ---------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers, regions, symbols and status words.
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CHandle.h"

using vm::call;
using vm::checkData;
using vm::inBytes;
using vm::nullPointer;
using vm::outBytes;
using vm::Region;
using vm::Result;
using vm::Vm;

static int writeRegion(gpuvm_vm *vm, Region region, uint64_t offset,
                       const void *data, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.writeRegion(region, offset, inBytes(data, size));
  });
}

static int readRegion(gpuvm_vm *vm, Region region, uint64_t offset, void *data,
                      size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.readRegion(region, offset, outBytes(data, size));
  });
}

int vm_write_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg,
                      const void *data, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.writeRegister(instance, reg, inBytes(data, size));
  });
}

int vm_read_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg, void *data,
                     size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(checkData(data, size));
    return machine.readRegister(instance, reg, outBytes(data, size));
  });
}

int vm_write_globals(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Globals, offset, data, size);
}

int vm_read_globals(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Globals, offset, data, size);
}

int vm_write_heap(gpuvm_vm *vm, uint64_t offset, const void *data,
                  size_t size) {
  return writeRegion(vm, Region::Heap, offset, data, size);
}

int vm_read_heap(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Heap, offset, data, size);
}

int vm_write_metrics(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Metrics, offset, data, size);
}

int vm_read_metrics(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Metrics, offset, data, size);
}

int vm_write_control(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size) {
  return writeRegion(vm, Region::Control, offset, data, size);
}

int vm_read_control(gpuvm_vm *vm, uint64_t offset, void *data, size_t size) {
  return readRegion(vm, Region::Control, offset, data, size);
}

int vm_write_symbol(gpuvm_vm *vm, const char *name, const void *data,
                    size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    return machine.writeSymbol(name, inBytes(data, size));
  });
}

int vm_read_symbol(gpuvm_vm *vm, const char *name, void *data, size_t size) {
  return call(vm, [&](Vm &machine) {
    VM_RETURN_IF_ERROR(name ? checkData(data, size) : nullPointer("name"));
    return machine.readSymbol(name, outBytes(data, size));
  });
}

int vm_poll_status(gpuvm_vm *vm, uint32_t instance, uint32_t *status) {
  return call(vm, [&](Vm &machine) {
    if (!status)
      return nullPointer("status");
    Result<uint32_t> word = machine.pollStatus(instance);
    if (word.ok())
      *status = *word;
    return word.status();
  });
}
