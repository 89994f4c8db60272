/*===- gpuvm-compiler.h - the compiler of gpuvm, for applications -----------===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A text or a file in, a plan out, which vm_program of gpuvm.h takes; or what
 * is wrong, with places in the source. All that gpuvm-compile compiles, with
 * its options.
 *
 *   gpuvm_compile_request request = {.struct_bytes = sizeof request};
 *   gpuvm_compilation *made;
 *   size_t size;
 *   request.paths = &path;
 *   request.num_paths = 1;
 *   if (vmc_compile(&request, &made))
 *     fputs(vmc_messages(made), stderr);
 *   else
 *     plan = vmc_plan(made, &size);
 *   vmc_free(made);
 *
 * Contracts of all functions:
 *  - Any thread may call them, also several at once; but one compilation is
 *    used by one thread at a time.
 *  - No process is started. Files are read and written where the paths and
 *    options say so. Nothing is printed but to an output named "-", and by
 *    LLVM where it gives up (no memory), which is a crash as below.
 *  - Data is copied during the call; no pointer of the caller is kept.
 *  - A text on which MLIR crashes gives a message, too: while a compilation
 *    runs, on a thread of its own, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and
 *    SIGABRT of that thread end it. What it held is not freed then. Handlers of
 *    the host get these signals of all other threads. With the environment
 *    variable GPUVM_COMPILER_CRASHES=1 the host gets them all.
 *  - A child that was forked while a compilation ran must not compile.
 *
 *===----------------------------------------------------------------------===*/

#ifndef GPUVM_COMPILER_H
#define GPUVM_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of vmc_compile: gpuvm_status of gpuvm.h has the same values, but
 * for the last one. */
typedef enum gpuvm_compile_status {
  GPUVM_COMPILE_OK = 0,
  GPUVM_COMPILE_USAGE = 2,     /* an option, or an output that is not written */
  GPUVM_COMPILE_BAD_INPUT = 3, /* the program */
  GPUVM_COMPILE_OUT_OF_MEMORY = 6,
  GPUVM_COMPILE_CANCELLED = 8 /* by gpuvm_compile_request.cancel */
} gpuvm_compile_status;

/* What to compile: a text, or files. */
typedef struct gpuvm_compile_request {
  size_t struct_bytes;      /* sizeof(gpuvm_compile_request) */
  const char *const *paths; /* a program, or files that are one together, such
                               as the workflows of a token-stream VM */
  size_t num_paths;
  const char *text; /* instead of them: MLIR, or a program of the
                       linear-algebra VM, whose name ends with ".lvm" */
  size_t text_bytes;
  const char *name;           /* of the text, for messages; null: "<text>" */
  const char *const *options; /* of gpuvm-compile, as "--fusion=never"; not
                                 --help, --version, --statistics */
  size_t num_options;
  /* Told what is being done, on a thread of the compiler; or null. */
  void (*progress)(void *user, const char *what);
  void *user;
  /* Read while vmc_compile runs: soon after another thread has made it other
     than 0, that ends with GPUVM_COMPILE_CANCELLED, and nothing is written. A
     part of the compiler that has begun (a pass) is not cut. Or null. */
  const int *cancel;
} gpuvm_compile_request;

typedef struct gpuvm_compilation gpuvm_compilation;

typedef enum gpuvm_severity {
  GPUVM_ERROR = 0,
  GPUVM_WARNING = 1,
  GPUVM_REMARK = 2,
  GPUVM_NOTE = 3 /* on the diagnostic before it */
} gpuvm_severity;

/* Strings are never null, and valid until vmc_free. */
typedef struct gpuvm_diagnostic {
  size_t struct_bytes;   /* sizeof(gpuvm_diagnostic), set by the caller */
  int severity;          /* gpuvm_severity */
  const char *file;      /* "" if it has no place */
  unsigned line, column; /* from 1; 0 if unknown */
  const char *message;   /* one sentence, or a text of several lines */
  const char *text; /* as gpuvm-compile prints it, with the line of the source
                       and the notes; "" of a note */
} gpuvm_diagnostic;

/* Changes only when programs built for an older header no longer run. */
#define GPUVM_COMPILER_ABI_VERSION 1

/* "0.1.0", and the GPUVM_COMPILER_ABI_VERSION of the library. */
const char *vmc_version(void);
uint32_t vmc_abi_version(void);

/* Compiles. *compilation is null only if the request is (GPUVM_COMPILE_USAGE),
 * or there is no memory for it; else it must be given to vmc_free, also on a
 * failure, whose diagnostics it has. */
int vmc_compile(const gpuvm_compile_request *request,
                gpuvm_compilation **compilation);

/* The bytes of the plan file, valid until vmc_free; null after a failure. */
const void *vmc_plan(const gpuvm_compilation *compilation, size_t *size);

/* Errors and warnings with their notes, in the order in which they were found;
 * vmc_diagnostic is GPUVM_COMPILE_USAGE past the end. vmc_messages: the texts
 * of all of them; "" if there are none. */
size_t vmc_diagnostic_count(const gpuvm_compilation *compilation);
int vmc_diagnostic(const gpuvm_compilation *compilation, size_t index,
                   gpuvm_diagnostic *diagnostic);
const char *vmc_messages(const gpuvm_compilation *compilation);

/* `compilation` may be null. */
void vmc_free(gpuvm_compilation *compilation);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GPUVM_COMPILER_H */
