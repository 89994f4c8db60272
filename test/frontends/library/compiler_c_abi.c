/*===- compiler_c_abi.c - programs through the C interface of the compiler --===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   gpuvm_compiler_c_abi files PLAN PATH... [-- OPTION...]
 *   gpuvm_compiler_c_abi text PLAN NAME PATH [-- OPTION...]
 *   gpuvm_compiler_c_abi threads COUNT PATH    the same plan from all threads
 *   gpuvm_compiler_c_abi cancel PATH           when each of its parts begins
 *   gpuvm_compiler_c_abi edges                 requests that make no sense
 *
 * Writes the plan and prints the diagnostics. Exits with the status.
 *===----------------------------------------------------------------------===*/

#include "frontends/include/gpuvm-compiler.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxThreads = 64, kMaxText = 1 << 24 };

static void fail(const char *what) {
  fprintf(stderr, "gpuvm_compiler_c_abi: %s\n", what);
  exit(1);
}

static void printDiagnostics(const gpuvm_compilation *made) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  size_t length = 0;
  for (size_t i = 0; i < vmc_diagnostic_count(made); ++i) {
    gpuvm_diagnostic found = {.struct_bytes = sizeof found};
    if (vmc_diagnostic(made, i, &found))
      fail("a diagnostic is not there");
    printf("%s|%s|%u|%u|%s\n", names[found.severity], found.file, found.line,
           found.column, found.message);
    length += strlen(found.text);
  }
  if (length != strlen(vmc_messages(made)))
    fail("the messages are not those of all diagnostics");
  fputs(vmc_messages(made), stdout);
}

static void writePlan(const char *path, const gpuvm_compilation *made) {
  size_t size = 0;
  const void *plan = vmc_plan(made, &size);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(plan, 1, size, file) != size || fclose(file))
    fail("the plan cannot be written");
}

static void countProgress(void *calls, const char *what) {
  if (*what)
    ++*(int *)calls;
}

static int compile(gpuvm_compile_request *request, const char *plan) {
  gpuvm_compilation *made;
  int calls = 0;
  request->progress = countProgress;
  request->user = &calls;
  int status = vmc_compile(request, &made);
  if (!status && !calls)
    fail("nothing is told of the progress");
  printDiagnostics(made);
  if ((vmc_plan(made, NULL) != NULL) != (status == GPUVM_COMPILE_OK))
    fail("there is a plan after a failure, or none after a success");
  if (!status)
    writePlan(plan, made);
  vmc_free(made);
  return status;
}

static char *readText(const char *path, size_t *size) {
  static char text[kMaxText];
  FILE *file = fopen(path, "rb");
  if (!file)
    fail("the text cannot be read");
  *size = fread(text, 1, sizeof text, file);
  fclose(file);
  return text;
}

/* The place of "--", or the end. */
static int findOptions(int argc, char **argv) {
  int at = 0;
  while (at < argc && strcmp(argv[at], "--") != 0)
    ++at;
  return at;
}

/*===--- Threads ----------------------------------------------------------===*/

static const gpuvm_compile_request *shared;
static gpuvm_compilation *all[kMaxThreads];

static void *compileOne(void *place) {
  vmc_compile(shared, place);
  return NULL;
}

static int compileAll(const gpuvm_compile_request *request, int count) {
  pthread_t threads[kMaxThreads];
  shared = request;
  for (int i = 0; i < count; ++i)
    pthread_create(&threads[i], NULL, compileOne, &all[i]);
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  size_t size, other;
  const void *plan = vmc_plan(all[0], &size);
  for (int i = 0; i < count; ++i) {
    const void *same = vmc_plan(all[i], &other);
    if (!plan || !same || size != other || memcmp(plan, same, size) != 0)
      fail("threads make different plans");
  }
  for (int i = 0; i < count; ++i)
    vmc_free(all[i]);
  printf("%d equal plans\n", count);
  return 0;
}

/*===--- Cancelling -------------------------------------------------------===*/

static struct {
  int cancel, calls, last;
} wish;

static void cancelAtCall(void *user, const char *what) {
  (void)user;
  (void)what;
  if (++wish.calls == wish.last)
    wish.cancel = 1;
}

static int cancel(gpuvm_compile_request *request) {
  int status = GPUVM_COMPILE_CANCELLED;
  request->progress = cancelAtCall;
  request->cancel = &wish.cancel;
  while (status == GPUVM_COMPILE_CANCELLED) {
    gpuvm_compilation *made;
    wish.cancel = wish.calls = 0;
    ++wish.last;
    status = vmc_compile(request, &made);
    if ((vmc_plan(made, NULL) != NULL) != (status == GPUVM_COMPILE_OK))
      fail("a compilation that was cancelled has a plan");
    if (wish.last == 1)
      printDiagnostics(made);
    vmc_free(made);
  }
  printf("cancelled at %s parts\n", wish.last > 20 ? "many" : "few");
  return status;
}

/*===--- Requests that make no sense --------------------------------------===*/

static void refuse(const gpuvm_compile_request *request) {
  gpuvm_compilation *made;
  if (vmc_compile(request, &made) != GPUVM_COMPILE_USAGE)
    fail("a request is not refused");
  fputs(vmc_messages(made), stdout);
  vmc_free(made);
}

static int edges(void) {
  gpuvm_compilation *made = NULL;
  gpuvm_compile_request request = {.struct_bytes = sizeof request};
  const char *paths[] = {"a.mlir", NULL, "-"};
  if (vmc_compile(NULL, &made) != GPUVM_COMPILE_USAGE || made ||
      vmc_compile(&request, NULL) != GPUVM_COMPILE_USAGE)
    fail("null is not refused");
  refuse(&request); /* Neither paths nor a text. */
  request.paths = paths;
  request.num_paths = 2;
  refuse(&request); /* A path is null. */
  request.num_paths = 1;
  request.text = "";
  refuse(&request); /* Both. */
  request.paths = NULL;
  request.text = NULL;
  refuse(&request); /* Paths without a pointer. */
  request.num_paths = 0;
  request.text_bytes = 9;
  refuse(&request); /* A text without a pointer. */
  request.text_bytes = 0;
  request.paths = paths + 2;
  request.num_paths = 1;
  refuse(&request); /* Standard input. */
  request.struct_bytes = 3;
  refuse(&request);
  if (vmc_plan(NULL, NULL) || vmc_diagnostic_count(NULL) ||
      *vmc_messages(NULL) ||
      vmc_diagnostic(NULL, 0, NULL) != GPUVM_COMPILE_USAGE)
    fail("a null compilation has something");
  vmc_free(NULL);
  if (vmc_abi_version() != GPUVM_COMPILER_ABI_VERSION)
    fail("the library is not that of the header");
  printf("version %s\n", vmc_version());
  return 0;
}

static void countSignal(int signal) {
  (void)signal;
  _Exit(9); /* The host's handler, which no crash of the compiler reaches. */
}

int main(int argc, char **argv) {
  signal(SIGSEGV, countSignal);
  gpuvm_compile_request request = {.struct_bytes = sizeof request};
  int end = findOptions(argc, argv), status = 2;
  if (end < argc) {
    request.options = (const char *const *)&argv[end + 1];
    request.num_options = (size_t)(argc - end - 1);
  }
  if (end >= 4 && strcmp(argv[1], "files") == 0) {
    request.paths = (const char *const *)&argv[3];
    request.num_paths = (size_t)(end - 3);
    status = compile(&request, argv[2]);
  } else if (end == 5 && strcmp(argv[1], "text") == 0) {
    request.name = argv[3];
    request.text = readText(argv[4], &request.text_bytes);
    status = compile(&request, argv[2]);
  } else if (end == 4 && strcmp(argv[1], "threads") == 0) {
    request.paths = (const char *const *)&argv[3];
    request.num_paths = 1;
    status = compileAll(&request, atoi(argv[2]));
  } else if (end == 3 && strcmp(argv[1], "cancel") == 0) {
    request.paths = (const char *const *)&argv[2];
    request.num_paths = 1;
    status = cancel(&request);
  } else if (end == 2 && strcmp(argv[1], "edges") == 0) {
    status = edges();
  }
  struct sigaction after;
  sigaction(SIGSEGV, NULL, &after);
  if (after.sa_handler != countSignal)
    fail("the host's handler is gone");
  return status;
}
