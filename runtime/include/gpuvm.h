/*===- gpuvm.h - the GPU virtual machine, for applications ------------------===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A VM has five memory regions on a GPU: Registers (R0..R31 of every VM
 * instance), Metrics, Globals, Control and Heap. A program, compiled by
 * gpuvm-compile into a plan file, works on them. Every kernel, copy and barrier
 * of it is recorded once; each vm_execute replays them all with a single queue
 * submission.
 *
 *   gpuvm_options options;
 *   gpuvm_vm *vm;
 *   vm_options_init(&options);
 *   if (vm_boot(&options, &vm) || vm_program_file(vm, "scale.gvplan") ||
 *       vm_bind_input(vm, "x", x, sizeof x) || vm_execute(vm) ||
 *       vm_read_output(vm, "y", y, sizeof y))
 *     fprintf(stderr, "%s\n", vm_last_error(vm));
 *   vm_shutdown(vm);
 *
 * Contracts of all functions:
 *  - They return a gpuvm_status. On a failure, vm_last_error says in one
 *    sentence what is wrong, and nothing has changed unless stated otherwise.
 *  - Sizes and offsets are in bytes. Data is copied during the call; no pointer
 *    of the caller is kept. Data is never cut silently: a size that does not
 * fit is an error.
 *  - A VM may be used by several threads: a call waits while another one is at
 *    work in the same VM, but not while that waits for the device. So while one
 *    thread is in vm_execute, vm_wait, vm_wait_change or vm_stream, others can
 *    poll, watch and cancel: everything that is allowed while executing. All
 * that wait for the same execution get its result. Two exceptions: vm_shutdown
 * comes after the last call of every thread, and of two threads that bind
 * inputs and execute the caller has to say which comes first.
 *  - Different VMs are independent, on one thread or on several, also while all
 *    of them execute.
 *  - A struct that is passed by pointer starts with its size, struct_bytes, so
 *    that it can grow: a program runs with every later library of the same
 *    vm_abi_version. Before each call set it to the sizeof of the struct, or
 * let vm_options_init do so.
 *  - A null gpuvm_vm, or a null pointer where data is wanted, is
 *    GPUVM_ERROR_USAGE.
 *  - Nothing is printed, thrown or aborted.
 *  - With validation on (gpuvm_options.validate, or the environment variable
 *    GPUVM_VALIDATE=1), a call during which the Vulkan validation layer
 *    complains and that would succeed returns GPUVM_ERROR_WRONG_RESULT.
 *
 *===----------------------------------------------------------------------===*/

#ifndef GPUVM_H
#define GPUVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values are also the exit codes of the gpuvm tools. */
typedef enum gpuvm_status {
  GPUVM_OK = 0,
  GPUVM_ERROR_WRONG_RESULT = 1,  /* validation messages */
  GPUVM_ERROR_USAGE = 2,         /* a call that makes no sense here */
  GPUVM_ERROR_BAD_INPUT = 3,     /* a bad plan, or data that does not fit it */
  GPUVM_ERROR_NO_DEVICE = 4,     /* no device has what is needed */
  GPUVM_ERROR_DEVICE_LOST = 5,   /* device lost or given up: see vm_wait */
  GPUVM_ERROR_OUT_OF_MEMORY = 6, /* host or device memory is exhausted */
  GPUVM_ERROR_EXCESS = 7, /* the device found more than there is room for */
  GPUVM_ERROR_RANK = 8,   /* another rank failed, is late or disagrees */
  GPUVM_NOT_READY = 100   /* vm_poll, vm_wait: still executing; no failure */
} gpuvm_status;

/* The status word of a message. */
typedef enum gpuvm_message_status {
  GPUVM_MESSAGE_OK = 0,
  GPUVM_MESSAGE_ANOMALY = 1,
  GPUVM_MESSAGE_ATTENTION = 2,
  GPUVM_MESSAGE_NEED_VM = 3,
  GPUVM_MESSAGE_NEED_IO = 4,
  GPUVM_MESSAGE_NEED_DATA = 5,
  GPUVM_MESSAGE_EXCESS = 6
} gpuvm_message_status;

/* A booted VM. */
typedef struct gpuvm_vm gpuvm_vm;

/* The regions of a VM before it has a program: Registers is an array of
 * instances * 32 registers of register_bytes each, and Metrics starts with 4
 * metadata words (norm, max_abs, ticks, status) for each instance. With no
 * instances and all sizes 0 there is no memory until a program is loaded. */
typedef struct gpuvm_layout {
  uint32_t instances;
  uint64_t register_bytes;
  uint64_t globals_bytes;
  uint64_t metrics_bytes; /* after the metadata words */
  uint64_t control_bytes;
  uint64_t heap_bytes;
} gpuvm_layout;

/* Bytes for another rank, or room for as many as it sends. */
typedef struct gpuvm_rank_send {
  uint32_t rank;
  const void *data;
  size_t size_bytes;
} gpuvm_rank_send;
typedef struct gpuvm_rank_receive {
  uint32_t rank;
  void *data;
  size_t size_bytes;
} gpuvm_rank_receive;

/* How the processes of one run, the ranks, exchange messages: vm_mpi_open gives
 * that of MPI; an application that has something else fills one itself. All
 * ranks call start and finish in the same order, one after the other, one
 * thread at a time. Not 0 is a failure, which the VM calls GPUVM_ERROR_RANK and
 * after which it calls nothing but abort and error. docs/ranks.md says more. */
typedef struct gpuvm_communicator {
  size_t struct_bytes; /* sizeof(gpuvm_communicator) */
  const char *name;    /* for reports */
  uint32_t rank;       /* of this process, 0 .. ranks - 1 */
  uint32_t ranks;      /* how many there are */
  uint32_t local_rank; /* the number of this one among those of its host */
  void *user;          /* given to the functions */
  /* Starts messages and does not wait. Between two ranks they match in the
   * order in which they are listed; both sides say the same size, which may be
   * 0. A rank may be the own one. The data stays until finish returns; after a
   * failure of finish, until the communicator is closed. */
  int (*start)(void *user, const gpuvm_rank_send *sends, size_t numSends,
               const gpuvm_rank_receive *receives, size_t numReceives);
  /* Waits for all of them, at most so long (UINT64_MAX: any time). */
  int (*finish)(void *user, uint64_t nanoseconds);
  /* Tells the other ranks why this one ends; may be null. */
  void (*abort)(void *user, const char *sentence);
  /* The sentence of the last failure, valid until the next call; may be null.
   */
  const char *(*error)(void *user);
} gpuvm_communicator;

/* How to boot. Always start from vm_options_init, so that a program built for
 * this header runs with later libraries. */
typedef struct gpuvm_options {
  size_t struct_bytes;   /* set by vm_options_init */
  const char *device;    /* "" or null: a real GPU if there is one, else a CPU
                            device; or "gpu", "cpu", "lavapipe", an index, or a
                            part of the device's name */
  const char *cache_dir; /* compiled kernels; null: the user's cache folder,
                            "": keep nothing on disk */
  uint64_t timeout_ms;   /* see vm_set_timeout; 60,000 at first */
  int validate;          /* Vulkan validation layer, 0 at first */
  int robust;            /* the device keeps kernels within the windows of their
                            storage buffers; 1 at first */
  int trace;             /* know the command that hangs, at some cost on a GPU;
                            0 at first */
  gpuvm_layout layout;   /* all 0 at first */
  uint64_t vram_budget_bytes; /* of device memory that a program may take. If
                            it needs more, what its kernels only read lies in
                            host memory (gpuvm_stats.host_bytes); if that is not
                            enough, it is refused (GPUVM_ERROR_OUT_OF_MEMORY)
                            before anything is allocated. 0 at first: what the
                            device has free */
  int trust_kernels; /* leave kernels as they are: their accesses of workgroup
                         and private memory are not bounded, nor is it
                         cleared; 0 at first */
  int profile;       /* time each command, at some cost: see vm_profile; 0 at
                        first */
  const gpuvm_communicator *ranks; /* the processes that run programs together;
                         null at first: this one alone. Each has a VM, and
                         vm_program is one call of all of them: it compares
                         plans and devices; vm_save and vm_restore likewise. A
                         rank that cannot load, or whose device is lost, ends
                         all: they get GPUVM_ERROR_RANK from their next call of
                         this kind. Valid until vm_shutdown */
  int share_device;                /* ranks may have the same GPU; 0 at first */
  uint64_t link_bytes;   /* exchanges in which a rank sends at least as much go
                          through NCCL, if all ranks have a device of NVIDIA and
                          libnccl.so.2, the others through the host's memory. 0
                          at first: 1.25 MiB; UINT64_MAX: none do */
  uint64_t shared_bytes; /* of the others those in which a rank sends at least
                         as much go through memory that ranks of a host share,
                         if their devices import it and their messages are those
                         of vm_mpi_open. 0 at first: 64 KiB; UINT64_MAX:
                         none do */
  uint64_t reserved[1];  /* 0; for what later versions add */
} gpuvm_options;

/* Counters since the program was loaded. */
typedef struct gpuvm_stats {
  size_t struct_bytes;     /* sizeof(gpuvm_stats), set by the caller */
  uint64_t recordings;     /* times a command buffer was recorded */
  uint64_t executions;     /* vm_execute and vm_execute_async */
  uint64_t submits;        /* queue submissions for executions */
  uint64_t host_submits;   /* queue submissions for host accesses and loading */
  uint64_t stages;         /* of the program */
  uint64_t kernels;        /* of the program */
  uint64_t dispatches;     /* in one execution */
  uint64_t barriers;       /* between the commands of one execution */
  uint64_t upload_bytes;   /* copied in by one execution */
  uint64_t download_bytes; /* copied out by one execution */
  double wall_us;          /* last execution: submit to the end of the wait */
  double submit_us;        /* last execution: host time of the submit alone */
  double device_us;        /* last execution: device time between the copies */
  double upload_us;        /* last execution: device time of the copies in */
  double download_us;      /* last execution: device time of the copies out */
  double compile_us;       /* time to compile the kernels of the programs that
                              are prepared, which is no part of any execution */
  uint64_t robust;         /* 1: whatever its kernels do, they reach and find
                              nothing but the program's own memory: the device
                              bounds their storage buffers, and workgroup and
                              private memory are bounded and cleared; 0: the
                              options or the device do not have that */
  uint64_t host_bytes;     /* of the program's memory that lie in host memory,
                              because the device, or vram_budget_bytes, has no
                              room for them */
  uint64_t exchanges;      /* with other ranks, in one execution */
  double exchange_us;      /* last execution: host time in these */
} gpuvm_stats;

/* What a program consists of. */
typedef enum gpuvm_kind {
  GPUVM_INPUT = 0,
  GPUVM_OUTPUT = 1,
  GPUVM_SYMBOL = 2, /* metrics, globals, control words, constants */
  GPUVM_STAGE = 3,
  GPUVM_PROGRAM = 4,  /* what vm_execute can run */
  GPUVM_PARAMETER = 5 /* a number that the plan was compiled for */
} gpuvm_kind;

/* The regions, as gpuvm_item.region numbers them. */
typedef enum gpuvm_region {
  GPUVM_REGISTERS = 0,
  GPUVM_METRICS = 1,
  GPUVM_GLOBALS = 2,
  GPUVM_CONTROL = 3,
  GPUVM_HEAP = 4
} gpuvm_region;

/* An input, output, symbol, stage, program or parameter. Pointers are valid
 * until the program is replaced, the device is given up, or the VM is shut
 * down. Strings are never null; what a kind does not have is 0, "" or, of
 * regions, -1. */
typedef struct gpuvm_item {
  size_t struct_bytes; /* sizeof(gpuvm_item), set by the caller */
  const char *name;
  const char *element;  /* type of an element: "i1", "i8", ..., "f32", "f64" */
  size_t rank;          /* number of dimensions; 0: a scalar */
  const int64_t *shape; /* the dimensions, outermost first; row-major */
  uint64_t size_bytes;  /* of the whole tensor, dense; an i1 takes a byte */
  int region;           /* gpuvm_region of its memory; -1 of a stage */
  uint64_t offset;      /* of its first byte in that region */
  const char *rows;     /* of an input or an output with at most shape[0] rows:
                           the symbol that counts its real ones; or "" */
  uint64_t bound; /* of a symbol: more than this is GPUVM_ERROR_EXCESS; or 0 */
  uint32_t instance;    /* of a stage: its VM instance */
  const char *location; /* of a stage: "file.mlir:12:5", if known */
  const char *value;    /* of a parameter: "4096", or "0.5" of a float */
} gpuvm_item;

/* A plan that was read, to be asked what it has. */
typedef struct gpuvm_plan gpuvm_plan;

/* Changes only when programs built for an older header no longer run. */
#define GPUVM_ABI_VERSION 3

/*===--- Life -------------------------------------------------------------===*/

/* The version of the library, "0.1.0", and its GPUVM_ABI_VERSION, which a
 * program that opens the library by name compares with the header's. */
const char *vm_version(void);
uint32_t vm_abi_version(void);

/* Fills `options` with the defaults. */
void vm_options_init(gpuvm_options *options);

/* The ranks that mpirun or srun has started, through Open MPI, which is opened
 * at run time: GPUVM_ERROR_USAGE where there is none. Initializes MPI unless
 * the application has. Every rank opens one and gives it to all of its VMs.
 * `milliseconds` are for the messages by which the ranks meet, and part. On
 * success *ranks must be given to vm_mpi_close after the last vm_shutdown, on
 * all ranks, which wait for one another; if this initialized MPI, that
 * finalizes it. On failure *ranks is null. */
int vm_mpi_open(uint64_t milliseconds, const gpuvm_communicator **ranks);
void vm_mpi_close(const gpuvm_communicator *ranks);

/* Boots a VM: loads Vulkan, picks the device, gives the regions the bare layout
 * of the options, all zero. `options` may be null. On success *vm must be given
 * to vm_shutdown; on failure it is null and vm_last_error(NULL) says why. */
int vm_boot(const gpuvm_options *options, gpuvm_vm **vm);

/* Frees everything. Waits for an execution in flight until its deadline; what
 * still runs then is freed when it ends, as after vm_wait. `vm` may be null. A
 * message that comes as late as this is left for vm_last_error(NULL). No other
 * thread may use `vm` during this call or after it. */
int vm_shutdown(gpuvm_vm *vm);

/* The sentence of the last failure of `vm` on this thread, valid until this
 * thread's next call with it; with null, that of the last vm_boot, vm_shutdown
 * or function of a gpuvm_plan of this thread. Never null; "" if nothing has
 * failed. */
const char *vm_last_error(const gpuvm_vm *vm);

/* The device's name, valid as long as the VM; "" while none is open. */
const char *vm_device_name(const gpuvm_vm *vm);

/* "gpu", or "cpu" of a device that runs kernels on the processor; valid for
 * ever; "" while none is open. */
const char *vm_device_kind(const gpuvm_vm *vm);

/*===--- Program ----------------------------------------------------------===*/

/* Loads a plan: verifies every part of it, checks that the device can run it
 * (another one is opened if the options do not name one), lays all regions out
 * as it says - what they held is gone - and, if the plan has one program,
 * prepares that. GPUVM_ERROR_BAD_INPUT and GPUVM_ERROR_NO_DEVICE leave the VM
 * as it was, unless it is the device's driver that refuses a kernel
 * (GPUVM_ERROR_NO_DEVICE too); after that and any other failure it has no
 * memory until the next program. Not while executing. */
int vm_program(gpuvm_vm *vm, const void *plan, size_t size);
int vm_program_file(gpuvm_vm *vm, const char *path);

/* Compiles the kernels of a program, but for those that other programs have had
 * compiled, and records it. There is no time limit for compiling. Of a plan
 * with several programs each is prepared by this call, or by the first one that
 * executes or streams it: those that do not run cost nothing. `program` as in
 * vm_execute. GPUVM_ERROR_NO_DEVICE, here and there: the driver refuses a
 * kernel; the VM stays as it was, and other programs run. Does nothing if the
 * program is prepared. Not while executing. */
int vm_prepare(gpuvm_vm *vm, const char *program);

/* Gives an input of the program its data, exactly as large as the input; of one
 * whose rows are counted (gpuvm_item.rows) as many rows as there are, also
 * none. It stays bound for all executions until bound again. Inputs with the
 * same symbol must have as many rows when the program is executed
 * (GPUVM_ERROR_BAD_INPUT). Not while executing.
 *
 * In a plan of several programs, what belongs to one of them has its name and a
 * dot before its own, "query.limit", which may be left out if no other program
 * has an input "limit"; likewise outputs and symbols. */
int vm_bind_input(gpuvm_vm *vm, const char *name, const void *data,
                  size_t size);

/* The same with as many bytes of a file as the input has (if its rows are
 * counted, all to the end of the file), from byte `offset` on, as they are
 * there: row-major, little-endian. They are copied to the
 * device piece by piece, so that large files need no memory of their size. */
int vm_bind_file(gpuvm_vm *vm, const char *name, const char *path,
                 uint64_t offset);

/* Some bytes of an input, and where they are in a file. */
typedef struct gpuvm_file_range {
  size_t struct_bytes; /* sizeof(gpuvm_file_range), set by the caller */
  const char *input;   /* its name */
  uint64_t offset;     /* of the first byte in the input */
  uint64_t size_bytes;
  uint64_t file_offset; /* of the first byte in the file */
} gpuvm_file_range;

/* Binds `count` ranges of a file: all tensors of a file of weights in one call,
 * or each layer's tensor to its part of an input that has those of all layers.
 * An input is bound when each of its bytes was given (all rows that there may
 * be), by this call or an earlier one, of the same file or another one;
 * executing a program with an input that is bound in part is GPUVM_ERROR_USAGE.
 * Within a call no byte may be given twice. All is checked before anything is
 * copied; if the file cannot be read then, none of the inputs named here is
 * bound. The device copies while the file is read. Not while executing. */
int vm_bind_file_ranges(gpuvm_vm *vm, const char *path,
                        const gpuvm_file_range *ranges, size_t count);

/* Writes all that the programs of the plan remember from one execution to the
 * next - named registers, metrics, globals and control words - to a file, in
 * one step: if the process or the machine ends meanwhile, the old file is still
 * there. And reads it again, into a VM with the same plan or another one with
 * the same symbols; GPUVM_ERROR_BAD_INPUT, and nothing is changed, if the file
 * is damaged or of other symbols. The heap is not among them: inputs are bound
 * anew. A file that cannot be written is GPUVM_ERROR_USAGE, and one that is not
 * written within the timeout GPUVM_ERROR_DEVICE_LOST, although the VM goes on
 * as before then. Not while executing.
 *
 * With several ranks (gpuvm_options.ranks) each names a file of its own, or all
 * the same path with "{rank}" in it, which becomes the number of each. No file
 * gets its name unless all are written. A path with "{rank}" can be restored by
 * another number of ranks, as docs/ranks.md says. */
int vm_save(gpuvm_vm *vm, const char *path);
int vm_restore(gpuvm_vm *vm, const char *path);

/* An output as the last execution left it, exactly as large as the output.
 * Not while executing, nor before the first execution. */
int vm_read_output(gpuvm_vm *vm, const char *name, void *data, size_t size);

/* Sizes, for callers that do not know them. */
int vm_input_bytes(gpuvm_vm *vm, const char *name, size_t *size);
int vm_output_bytes(gpuvm_vm *vm, const char *name, size_t *size);

/* How many inputs, outputs, symbols, stages, programs or parameters
 * (gpuvm_kind) the plan has, and what number `index` of them is, counted from
 * 0, in the order in which the program declares them. Also while executing. */
int vm_count(gpuvm_vm *vm, int kind, size_t *count);
int vm_describe(gpuvm_vm *vm, int kind, size_t index, gpuvm_item *item);

/* The same of a plan without a VM or a device: reads a plan, checks it as
 * vm_program does but for the device, and asks. On success *read must be given
 * to vm_plan_free, which takes null, too; on failure it is null. What items
 * point to is valid until then. Any thread may ask. */
int vm_plan_read(const void *plan, size_t size, gpuvm_plan **read);
int vm_plan_read_file(const char *path, gpuvm_plan **read);
int vm_plan_count(const gpuvm_plan *plan, int kind, size_t *count);
int vm_plan_describe(const gpuvm_plan *plan, int kind, size_t index,
                     gpuvm_item *item);
void vm_plan_free(gpuvm_plan *plan);

/* The plan as one page of HTML that needs nothing from outside, as
 * gpuvm-plan html writes it (docs/looking-at-plans.md); no device. `title` is
 * what the browser calls it; null: the program's name. `profile` is what
 * vm_profile has given for this plan, or null. `code`, of
 * gpuvm_page_code, says which texts of its kernels the page has. On success
 * *html ends with a zero, *size (which may be null) is its bytes without that,
 * and it must be given to vm_page_free, which takes null, too; on failure it is
 * null. */
typedef enum gpuvm_page_code {
  GPUVM_PAGE_GLSL = 1,
  GPUVM_PAGE_SPIRV = 2
} gpuvm_page_code;
int vm_plan_page(const void *plan, size_t bytes, const char *title,
                 const char *profile, int code, char **html, size_t *size);
void vm_page_free(char *html);

/*===--- Execution --------------------------------------------------------===*/

/* Runs a program once and waits: one queue submission, but for loops that run
 * longer than the last time. `program` is its name, which may be null if the
 * plan has only one. All its inputs must be bound. Registers, Globals and the
 * rest keep what executions leave in them, for all programs of the plan. */
int vm_execute(gpuvm_vm *vm, const char *program);

/* Starts a program and returns. One execution of a VM can be in flight. */
int vm_execute_async(gpuvm_vm *vm, const char *program);

/* Waits at most `milliseconds` for the execution in flight, if any: GPUVM_OK
 * once it has ended, GPUVM_NOT_READY if it has not.
 *
 * GPUVM_ERROR_DEVICE_LOST, from this function as from any other, means that the
 * execution is past its deadline (see vm_set_timeout), that a copy took longer
 * than the timeout, or that the device is lost. The sentence names the last
 * command that the device had started, on a GPU with gpuvm_options.trace. The
 * VM has given its device up: it has no program and no memory, and vm_program
 * opens a device anew. A kernel that runs cannot be stopped; what it uses is
 * freed by the vm_boot, vm_program or vm_shutdown of any VM that comes after
 * its end. */
int vm_wait(gpuvm_vm *vm, uint64_t milliseconds);

/* The same without waiting: vm_wait(vm, 0). */
int vm_poll(gpuvm_vm *vm);

/* The same as vm_wait, but returns GPUVM_NOT_READY as soon as the first `size`
 * bytes of a metric or control word are no longer what `value` has, the bytes
 * that the caller has seen last. `value` becomes what they are when the call
 * returns, for whatever reason but a failure. So this takes tokens as they are
 * made, and ends with the execution:
 *
 *   do {
 *     status = vm_wait_change(vm, "made", &made, sizeof made, 1000);
 *     if (status == GPUVM_OK || status == GPUVM_NOT_READY)
 *       for (; taken < made; ++taken)
 *         ...
 *   } while (status == GPUVM_NOT_READY);
 *
 * A device cannot wake the host in the middle of an execution: the bytes are
 * looked at after pauses of a sixteenth of the time waited so far, but of 20 us
 * at least and 1 ms at most. */
int vm_wait_change(gpuvm_vm *vm, const char *name, void *value, size_t size,
                   uint64_t milliseconds);

/* The time that the device has for what starts from now on: for an execution,
 * whose deadline it is counted from its start, and for a copy of a host access
 * or of loading. Checking a plan and recording it take as long at most, or 10 s
 * if that is longer. Not for compiling kernels. UINT64_MAX: any time. */
int vm_set_timeout(gpuvm_vm *vm, uint64_t milliseconds);

/* Ends the execution in flight, if any: GPUVM_OK if it ends within a grace of
 * `milliseconds`. A program can be written to end early: where it has a control
 * word "cancel", that is 1 from here on until the execution has ended, then 0.
 * A vm_stream that runs stops after this chunk with GPUVM_ERROR_USAGE. After
 * the grace the execution is given up, as at its deadline
 * (GPUVM_ERROR_DEVICE_LOST). */
int vm_cancel(gpuvm_vm *vm, uint64_t milliseconds);

/*===--- Streaming --------------------------------------------------------===*/

/* A stream of chunks through a program. While the device works on a chunk, the
 * callbacks take away the outputs of the one before and bring the inputs of the
 * next; they are called on the calling thread, in order, and may use `vm` only
 * for what is allowed while executing. The same goes for other threads until
 * the stream has ended. docs/streaming.md says more. */
typedef struct gpuvm_stream {
  size_t struct_bytes; /* sizeof(gpuvm_stream) */
  void *user;          /* given to the callbacks */

  /* Names of the inputs that are streamed, each with a leading dimension. The
   * others must be bound, and stay the same for all chunks. */
  const char *const *inputs;
  size_t num_inputs;
  /* Fills the first *rows rows of `data`, which has room for the whole input of
   * `size` bytes; the other rows become zero. *rows is the full number at
   * first; 0 ends the stream. *last, 0 at first: nothing follows. All streamed
   * inputs must end with the same chunk. Not 0 stops with GPUVM_ERROR_USAGE. */
  int (*refill)(void *user, const char *input, uint64_t chunk, void *data,
                size_t size, uint64_t *rows, int *last);

  /* Names of the outputs that are streamed. The others can be read when the
   * stream has ended, as the last chunk left them. */
  const char *const *outputs;
  size_t num_outputs;
  /* Takes the `size` bytes of the rows that are real: those the device counted,
   * or of an output as long as the first streamed input as many as that had, or
   * all. Not 0 stops with GPUVM_ERROR_USAGE. */
  int (*drain)(void *user, const char *output, uint64_t chunk, const void *data,
               size_t size);
} gpuvm_stream;

/* Executes the program for each chunk, one queue submission each, until the
 * inputs end, or until the program, whose messages have asked for more with
 * GPUVM_MESSAGE_NEED_IO, no longer asks. *chunks, which may be null, becomes
 * the number of executions, also after a failure of a callback. */
int vm_stream(gpuvm_vm *vm, const gpuvm_stream *stream, uint64_t *chunks);

/*===--- Memory -----------------------------------------------------------===*/

/* The first `size` bytes of register `reg` of an instance, 0..31 of a bare VM.
 * Of a program, only registers whose messages still exist have a place. Not
 * while executing. */
int vm_write_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg,
                      const void *data, size_t size);
int vm_read_register(gpuvm_vm *vm, uint32_t instance, uint32_t reg, void *data,
                     size_t size);

/* Bytes of Globals. Not while executing. */
int vm_write_globals(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size);
int vm_read_globals(gpuvm_vm *vm, uint64_t offset, void *data, size_t size);

/* Bytes of Heap. Not while executing. */
int vm_write_heap(gpuvm_vm *vm, uint64_t offset, const void *data, size_t size);
int vm_read_heap(gpuvm_vm *vm, uint64_t offset, void *data, size_t size);

/* Bytes of Metrics and Control, straight in mapped memory, in tens of
 * nanoseconds, also while an execution is in flight:
 *  - Every aligned 64-bit word of the range, and at its ends every aligned
 *    32-bit word, is one load or one store, in the order of addresses: a value
 *    is the old or the new one, never half of each.
 *  - What an execution has written can be read when it has ended; earlier, a
 *    word may be older than what the device has, usually by microseconds, but
 *    never older than at the last look.
 *  - What is written is seen by every execution started after it; one in flight
 *    sees it, word by word, from its next look at the word on or not at all.
 *    Where both write the same word, the later one stays. */
int vm_write_metrics(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size);
int vm_read_metrics(gpuvm_vm *vm, uint64_t offset, void *data, size_t size);
int vm_write_control(gpuvm_vm *vm, uint64_t offset, const void *data,
                     size_t size);
int vm_read_control(gpuvm_vm *vm, uint64_t offset, void *data, size_t size);

/* The first `size` bytes of a named metric, global or control word. While
 * executing, only for those in Metrics and Control. */
int vm_write_symbol(gpuvm_vm *vm, const char *name, const void *data,
                    size_t size);
int vm_read_symbol(gpuvm_vm *vm, const char *name, void *data, size_t size);

/* The status word (gpuvm_message_status) of the message that `instance` sent
 * last; 0 after boot. Also while executing. A program must have been compiled
 * to keep it (--keep-metadata), unless something in it reads it. */
int vm_poll_status(gpuvm_vm *vm, uint32_t instance, uint32_t *status);

/*===--- Measuring and checking -------------------------------------------===*/

/* Fills `stats`, as far as its struct_bytes goes. Needs a program; also while
 * executing. */
int vm_stats(gpuvm_vm *vm, gpuvm_stats *stats);

/* Executes a program `executions` times, each as vm_execute does, and says
 * where the device's time went: one object of JSON, by kernel, stage and
 * command; docs/profiling.md has its keys. *json is valid until the next
 * vm_profile of the VM or vm_shutdown. Needs gpuvm_options.profile. Meanwhile
 * other threads may do what they may while a vm_stream runs; vm_cancel ends all
 * of it with GPUVM_ERROR_USAGE. */
int vm_profile(gpuvm_vm *vm, const char *program, uint64_t executions,
               const char **json);

/* The number of validation messages since boot, and each of them: `index`
 * counts from 0; null past the end; valid as long as the VM. */
size_t vm_validation_count(const gpuvm_vm *vm);
const char *vm_validation_message(gpuvm_vm *vm, size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GPUVM_H */
