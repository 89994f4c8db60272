/*===- c_abi.c - a compiled plan through the C interface --------------------===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   gpuvm_c_abi PLAN STEP...
 *
 *   in:NAME=1,2,3          binds f32 numbers
 *   run                    executes
 *   out:NAME:TYPE:COUNT    prints an output; TYPE is f32, i32 or i1
 *   symbol:NAME:TYPE:COUNT prints a metric or a global
 *   stats                  prints how often was recorded and submitted
 *   list                   prints inputs, outputs, symbols and stages
 *
 * Values are printed as gpuvm-run prints them. Validation is on; a message of
 * it is an error.
 *===----------------------------------------------------------------------===*/

#include "runtime/include/gpuvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxElements = 1024 };

static gpuvm_vm *vm;

static void check(int result) {
  if (result == GPUVM_OK)
    return;
  fprintf(stderr, "gpuvm_c_abi: %s\n", vm_last_error(vm));
  exit(result);
}

static void bind(char *step) {
  float values[kMaxElements];
  size_t count = 0;
  char *text = strchr(step, '=');
  if (!text)
    exit(2);
  *text++ = 0;
  for (char *next = strtok(text, ","); next && count < kMaxElements;
       next = strtok(NULL, ","))
    values[count++] = strtof(next, NULL);
  check(vm_bind_input(vm, step, values, count * sizeof *values));
}

static void print(char *step, int isOutput) {
  union {
    float f32[kMaxElements];
    int i32[kMaxElements];
    unsigned char i1[kMaxElements];
  } values;
  char name[64], type[8];
  int count;
  if (sscanf(step, "%63[^:]:%7[^:]:%d", name, type, &count) != 3 ||
      count > kMaxElements)
    exit(2);
  size_t bytes = (size_t)count * (strcmp(type, "i1") == 0 ? 1 : 4);
  check(isOutput ? vm_read_output(vm, name, &values, bytes)
                 : vm_read_symbol(vm, name, &values, bytes));
  if (count == 1)
    printf("%s: %s=", name, type);
  else
    printf("%s: %dx%s=", name, count, type);
  for (int i = 0; i < count; ++i) {
    if (strcmp(type, "f32") == 0)
      printf("%.8g", values.f32[i]);
    else
      printf("%d", strcmp(type, "i1") == 0 ? values.i1[i] : values.i32[i]);
    putchar(i + 1 < count ? ' ' : '\n');
  }
}

static void list(gpuvm_kind kind, const char *name) {
  size_t count;
  check(vm_count(vm, kind, &count));
  for (size_t i = 0; i < count; ++i) {
    gpuvm_item item;
    item.struct_bytes = sizeof item;
    check(vm_describe(vm, kind, i, &item));
    printf("%s %s: ", name, item.name);
    for (size_t d = 0; d < item.rank; ++d)
      printf("%dx", (int)item.shape[d]);
    printf("%s, %d bytes\n", item.element, (int)item.size_bytes);
  }
}

static void listAll(void) {
  list(GPUVM_INPUT, "input");
  list(GPUVM_OUTPUT, "output");
  list(GPUVM_SYMBOL, "symbol");
  list(GPUVM_STAGE, "stage");
}

static void step(char *text) {
  if (strncmp(text, "in:", 3) == 0) {
    bind(text + 3);
  } else if (strcmp(text, "list") == 0) {
    listAll();
  } else if (strcmp(text, "run") == 0) {
    check(vm_execute(vm, NULL));
  } else if (strncmp(text, "out:", 4) == 0) {
    print(text + 4, 1);
  } else if (strncmp(text, "symbol:", 7) == 0) {
    print(text + 7, 0);
  } else if (strcmp(text, "stats") == 0) {
    gpuvm_stats stats;
    stats.struct_bytes = sizeof stats;
    check(vm_stats(vm, &stats));
    printf("recordings: %d, submits: %d, barriers: %d\n", (int)stats.recordings,
           (int)stats.submits, (int)stats.barriers);
  } else {
    exit(2);
  }
}

int main(int argc, char **argv) {
  gpuvm_options options;
  if (vm_abi_version() != GPUVM_ABI_VERSION || argc < 2)
    return 2;
  vm_options_init(&options);
  options.validate = 1;
  check(vm_boot(&options, &vm));
  check(vm_program_file(vm, argv[1]));
  for (int i = 2; i < argc; ++i)
    step(argv[i]);
  for (size_t i = 0; i < vm_validation_count(vm); ++i)
    fprintf(stderr, "%s\n", vm_validation_message(vm, i));
  int messages = vm_validation_count(vm) != 0;
  vm_shutdown(vm);
  return messages;
}
