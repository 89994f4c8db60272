//===- Passes.td - the passes ------------------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which gpuvm-pipeline runs them. What they count is defined
// beside the code that counts it, as LLVM's always enabled statistics: those of
// the Pass class are compiled out of Debian's LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_PASSES
#define GPUVM_PASSES

include "mlir/Pass/PassBase.td"

/// What kernels are emitted in. Chains are emitted once before, to be planned.
defvar kEmissionDialects = ["::mlir::spirv::SPIRVDialect",
                            "::mlir::gpu::GPUDialect",
                            "::mlir::scf::SCFDialect",
                            "::mlir::memref::MemRefDialect",
                            "::mlir::arith::ArithDialect"];

/// What gpuvm-generalize makes of a stage.
defvar kGeneralDialects = ["::mlir::gpuvm::GpuvmDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];

defvar kMaxWindowBytes = Option<"maxWindowBytes", "max-window-bytes", "uint64_t",
                                "134217728",
                                "Values of more bytes take several windows">;

class GpuvmProgramPass<string name> : Pass<name, "::mlir::gpuvm::ProgramOp"> {
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SetTargets : Pass<"gpuvm-set-targets", "::mlir::ModuleOp"> {
  let summary = "Names the devices that a module is compiled for.";
  let description = [{
    Sets the module's attribute `gpuvm.targets` to the targets of these names
    (docs/targets.md). Passes that weigh costs take those of the first one.
    Modules without the attribute are for generic, then lavapipe.
  }];
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect"];
  let options = [ListOption<"targets", "targets", "std::string",
                            "Names of the targets">];
}

def Link : Pass<"gpuvm-link", "::mlir::ModuleOp"> {
  let summary = "Puts programs and functions in the place of their calls.";
  let description = [{
    Stages and symbols of a called program get the name of the `gpuvm.call` and a
    dot before theirs; its inputs and outputs are the operands and results of the
    call. A `func.func` of the program is what its `func.call`s say, wherever they
    stand in the bodies of stages; after this pass there is none. Constants of the
    program that stages are given are put into their bodies. Each program gets the
    symbols of the module that it uses, as `shared` ones. The module loses them, and
    its private programs.
  }];
}

def LowerPacked : GpuvmProgramPass<"gpuvm-lower-packed"> {
  let summary = "Makes packed types what they are in memory: bytes.";
  let description = [{
    Inputs, symbols, loads and stage arguments of type `!gpuvm.packed<...>` become
    tensors of bytes; each `gpuvm.decode` keeps the packed type as its layout.
  }];
}

def LowerBounded : GpuvmProgramPass<"gpuvm-lower-bounded"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Makes bounded tensors what they are in memory: all rows, and a count.";
  let description = [{
    Values of type `tensor<?x..., #gpuvm.bound<n>>` become tensors of n rows. Their
    counts are control symbols, which stages that receive such a value load. What
    would see rows behind the count does not: they are left out of compactions and
    scatters, sorted behind all others, and neutral in reductions.
  }];
}

def HoistInvariants : GpuvmProgramPass<"gpuvm-hoist-invariants"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Makes in front of a repeat what is the same each time.";
  let description = [{
    What a stage of a repeat makes of values from around the repeat, and of symbols
    that no stage of it stores to, is sent to it by a stage in front, named
    `<repeat>.<stage>`: results of large reductions, of roots such as scans and sorts,
    and of bodies that loop. Stages of repeats are brought into the form of
    `gpuvm-generalize` first. Stages with a condition or with instances keep what
    they do.
  }];
}

def LowerRepeat : GpuvmProgramPass<"gpuvm-lower-repeat"> {
  let summary = "Turns repeats into loops over what registers hold.";
  let description = [{
    What a repeat carries becomes registers with names: `<repeat>.0`, ... and, if
    it may end early, `<repeat>.go`. Its stages stand in a `gpuvm.loop`, and run
    when `<repeat>.go` says so (`gpuvm-lower-when`).
  }];
}

def LowerWhen : GpuvmProgramPass<"gpuvm-lower-when"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Turns stages with a condition into stages that choose.";
  let description = [{
    What a stage with a condition sends and stores becomes a choice between that
    and what it sends else, or what is there. Bodies that might fail or not end
    for elements that nobody made run only if the condition holds. Such stages
    are brought into the form of `gpuvm-generalize` first.
  }];
}

def SpreadInstances : GpuvmProgramPass<"gpuvm-spread-instances"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Turns stages with instances into stages over all of them.";
  let description = [{
    The operations of the body get a leading parallel dimension, that of the
    instances. What does not depend on an instance's own operands is computed
    once. Where somebody reads the status of an instance, all of them are one
    more field of the message. Such stages are brought into the form of
    `gpuvm-generalize` first.
  }];
}

def MaterializeMetadata : GpuvmProgramPass<"gpuvm-materialize-metadata"> {
  let summary = "Computes the message metadata that somebody reads.";
  let description = [{
    For every message whose metadata a `gpuvm.metadata` reads (with
    `keep-all`, for every message) the sending stage computes norm, max_abs,
    how often it has run, and status, and stores them in the metric
    `<stage>.metadata`, four
    words that the receiver and the host read. Metadata that nobody reads is
    not computed.
  }];
  let options = [Option<"keepAll", "keep-all", "bool", "false",
                        "Keep the metadata of all messages for the host">];
}

def Generalize : GpuvmProgramPass<"gpuvm-generalize"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Brings stage bodies into one form: linalg.generic.";
  let description = [{
    Elementwise `arith` and `math` on tensors and named `linalg` operations
    become `linalg.generic`, elementwise ones with an identity map for their
    result; constants that are not a splat move to the heap. Scalars between
    tensors go into the bodies that use them, `scf.if` of tensors becomes a
    choice, a slice at an offset that is no constant a table or a scatter. Elements
    of i2, i4 and floats of eight bits become bytes. An operation that no kernel
    can hold is an error.
  }];
}

def MakeExact : GpuvmProgramPass<"gpuvm-make-exact"> {
  let summary = "Restricts arithmetic to what has the same bits on every device.";
  let description = [{
    Runs after `gpuvm-generalize` and before anything is folded. Addition,
    subtraction and multiplication of f32 and f64, remainders, comparisons, minima
    and maxima, signs, roundings to whole numbers, exact conversions and integers
    remain; any other operation on floats is an error. Subnormal numbers are zeros of the same sign: operations that compute
    with floats or compare them see no subnormal operands and give no subnormal
    results. What only moves a number (select, bitcast, load, store) keeps it.
  }];
}

def JoinScatters : GpuvmProgramPass<"gpuvm-join-scatters"> {
  let summary = "Has one scatter take all updates of the same positions.";
  let description = [{
    Runs after `gpuvm-generalize`. Scatters of a stage to the same positions, of which
    none needs what another makes (rows of several symbols, stored at the same
    index), become one with up to eight updates of up to 131,072 elements.
  }];
}

def Fuse : GpuvmProgramPass<"gpuvm-fuse"> {
  let summary = "Finds the stages that are better off in one kernel.";
  let description = [{
    Two stages get the same `fusion_group` if their operations together need
    fewer kernels than apart: vertically, where a message then stays in
    registers, and horizontally, where independent stages walk the same index
    space. A group stays within the limits on windows and operations per
    kernel. Every decision is in the report: which stages, why or why not, and
    the bytes that are not written and read.
  }];
  let options = [Option<"report", "report", "bool", "false",
                        "Keep the decisions for gpuvm-write-report">,
                 kMaxWindowBytes];
}

def FormKernels : GpuvmProgramPass<"gpuvm-form-kernels"> {
  let summary = "Turns stages into kernels, one dispatch each.";
  let description = [{
    The operations of a stage, or of a fusion group, are grouped around roots
    (map, reduce); each group becomes a `gpuvm.kernel`. Cheap producers that
    are not read where they are made are computed again where they are read.
  }];
  let options = [Option<"group", "group", "bool", "true",
                        "Put several operations into one kernel">,
                 kMaxWindowBytes];
}

def UpdateInPlace : GpuvmProgramPass<"gpuvm-update-in-place"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Updates symbols where they are.";
  let description = [{
    A kernel that updates some elements of a value (a scatter) gets a copy of it
    from gpuvm-form-kernels. Where the value is all, or a slice, of what a symbol
    holds, and the result is stored there, the kernel is given the symbol itself:
    it then waits for all who read the old value, and neither copy nor store is
    left. If the store depends on a condition, the update does. The copy stays for
    those who read the old value and wait for the update.

    Nothing changes if the condition waits for the update, if the symbol is stored
    to in between, if the result is read on behind a later store, or if others
    read it where the condition does not hold.
  }];
}

def FormChains : GpuvmProgramPass<"gpuvm-form-chains"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Runs dependent kernels in one workgroup, as one dispatch.";
  let description = [{
    A run of dependent elementwise kernels whose values fit the registers and the
    memory of one workgroup becomes one kernel with root `chain`; if its values
    have a common leading dimension and no step reads across it, there is one
    workgroup for each of its indices. With `mode=auto` a run becomes a chain if
    one workgroup is expected to be done with it sooner than the device with
    separate kernels and the barriers between them; with `always` whenever it
    fits, with `never` not at all. Every decision is in the report.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">,
                 Option<"report", "report", "bool", "false",
                        "Keep the decisions for gpuvm-write-report">,
                 kMaxWindowBytes];
}

def ConditionKernels : GpuvmProgramPass<"gpuvm-condition-kernels"> {
  let summary = "Finds the kernels that need not run while a condition does not hold, or does.";
  let description = [{
    They get the condition as an operand, so that they wait for it. Where each
    kernel makes it for itself, one more is added for it. With
    `mode=auto` those of a condition do if they are expected to take longer than
    finding out costs; with `always` all, with `never` none.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">];
}

def JoinScalars : GpuvmProgramPass<"gpuvm-join-scalars"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Makes single elements beside the results of other kernels.";
  let description = [{
    A kernel of single elements that reads nothing, and makes nothing for others,
    between the beginnings and ends of loops around it (one that counts, say)
    takes no more than its dispatch. Its operations move into the first kernel
    there that runs on the same condition, has windows left, and is a map whose
    loops do not run long, a reduction to one element or a chain in one workgroup:
    one of its lanes does them.
  }];
  let options = [kMaxWindowBytes];
}

def ChooseLaunches : GpuvmProgramPass<"gpuvm-choose-launches"> {
  let summary = "Chooses how each kernel is laid over the devices of each target.";
  let description = [{
    A kernel gets `launches`, an array of #gpuvm.launch: for each target those that
    its devices run best, the best one first, and last one that every device the plan
    is for can run. Launches that a kernel has are checked and kept, so that others
    can be tried. The targets are those of the module (`gpuvm-set-targets`).
  }];
  let options = [Option<"exact", "exact", "bool", "false",
                        "No launches that add in an order of their own">,
                 kMaxWindowBytes];
}

def WriteReport : Pass<"gpuvm-write-report", "::mlir::ModuleOp"> {
  let summary = "Writes what gpuvm-fuse and gpuvm-form-chains have decided.";
  let description = [{
    One JSON file for all programs of the module: `programs` is a list, each with
    its name, the `decisions` about stages and those about `chains`.
  }];
  let options = [Option<"file", "file", "std::string", "\"\"",
                        "File to write the report to">];
}

def Schedule : GpuvmProgramPass<"gpuvm-schedule"> {
  let summary = "Orders the commands in waves that need no barrier inside.";
  let description = [{
    A command's wave is one more than the last wave among the commands it
    depends on, through values or symbols. Inside a wave the order of the text
    is kept.
  }];
}

def PlaceShared : Pass<"gpuvm-place-shared", "::mlir::ModuleOp"> {
  let summary = "Gives the symbols that programs share one window for all.";
  let description = [{
    They are at the start of their regions. Does nothing for a single program,
    whose symbols gpuvm-plan-memory places.
  }];
}

def PlanMemory : GpuvmProgramPass<"gpuvm-plan-memory"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Gives every value and symbol a window.";
  let description = [{
    R31 of the receiver is R30 of the sender. A value that is stored to a
    symbol is made in the symbol's window where nothing else touches it in
    between. A result is made in the window of an operand that the kernel is the
    last to read and reads only at the place it writes (`in-place`). Commands that
    gpuvm-schedule has ordered are ordered again if fewer barriers do, now that
    some stores are no commands.

    Everything else in Registers has a range of commands in which it is alive;
    windows whose ranges have a barrier between them may share bytes. A barrier
    of its own is worth `barrier-price` bytes: the default is what a H200 copies
    in the 2 us that a barrier takes. The statistics say what the values take
    and what no plan for this order of commands could go below.

    A kernel binds a value of more than `max-window-bytes` as several windows,
    each as long as the largest power of two that is allowed. The default is what
    every Vulkan device can bind; with a larger one a plan needs a device that
    can. An external kernel binds all of a value, which must fit.
  }];
  let options = [Option<"reuse", "reuse", "bool", "true",
                        "Use windows again when their value is dead">,
                 Option<"inPlace", "in-place", "bool", "true",
                        "Make results in the windows of their operands">,
                 Option<"barrierPrice", "barrier-price", "uint64_t", "8 << 20",
                        "Bytes that must be saved for a barrier more">,
                 Option<"maxWindowBytes", "max-window-bytes", "uint64_t",
                        "134217728",
                        "The longest window a kernel may bind; at least 256">];
}

def StoreConditionsEarly : Pass<"gpuvm-store-conditions-early",
                                "::mlir::gpuvm::ProgramOp"> {
  let dependentDialects = ["::mlir::gpuvm::GpuvmDialect"];
  let summary = "Stores whether a loop goes on as soon as that is known.";
  let description = [{
    Runs after `gpuvm-plan-memory`. Where the kernel that stores the condition of
    a loop waits for others only because they read it, the turn reads a copy that is
    made at its beginning, if that saves a barrier or a dispatch: the kernel that
    makes what is stored, a map or a reduction to one element, stores it, too.
  }];
}

def ParkKernels : GpuvmProgramPass<"gpuvm-park-kernels"> {
  let summary = "Has kernels with a condition read their workgroups from Control.";
  let description = [{
    Runs after `gpuvm-plan-memory`. Kernels whose results are needed only where
    their condition holds, or chosen in the window of what is chosen else, get
    three words of Control, which a kernel after the one that makes the condition
    writes; they become indirect dispatches. With `mode=auto` cheap ones at the
    beginning of a block that nothing of it precedes run whether it holds or not,
    in the same wave as the kernel that writes, if that saves a barrier.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, or always: all of them read their workgroups">];
}

def SizeKernels : GpuvmProgramPass<"gpuvm-size-kernels"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Gives kernels as many workgroups as there are rows.";
  let description = [{
    A map all of whose results are rows of a message that the device counts takes
    its workgroups from Control; a kernel before it turns the count into theirs.
    `mode` is auto (if they take three times as long as that, should all rows be
    there), always or never. Needs windows.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">];
}

def ResumeKernels : Pass<"gpuvm-resume-kernels", "::mlir::gpuvm::ProgramOp"> {
  let summary = "Adds kernels that resume loops which run long.";
  let description = [{
    A map whose loops may run longer than some drivers let them leaves elements
    out there. A copy of it with `gpuvm.resumes`, right after it, makes those; it
    gets its workgroups from Control, where the map says how many there are, none
    if it has left nothing. Needs windows.
  }];
}

def PlaceBarriers : GpuvmProgramPass<"gpuvm-place-barriers"> {
  let summary = "Puts barriers where byte intervals conflict, and nowhere else.";
  let description = [{
    Read-after-write, write-after-read and write-after-write by exact byte
    interval over the five regions. Each barrier carries its reasons. With
    `minimal=false` there is a barrier after every command.
  }];
  let options = [Option<"minimal", "minimal", "bool", "true",
                        "Place only the barriers that a hazard needs">];
}

def EmitKernels : Pass<"gpuvm-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Emits each kernel as a spirv.module beside the program.";
  let description = [{
    Equal kernels are emitted once for each of their launches. With `exact` (after
    `gpuvm-make-exact`) they ask the device to round f32 and f64 to nearest even and
    to keep the sign of zero, infinities and NaNs.
  }];
  let options = [Option<"exact", "exact", "bool", "false",
                        "Fix the rounding mode and special values of floats">,
                 Option<"spins", "spins", "int64_t", "1 << 14",
                        "How often a workgroup looks for what another one makes "
                        "before it makes it itself">];
  let dependentDialects = !listconcat(kEmissionDialects,
                                      ["::mlir::chain::ChainDialect"]);
}

def ToChain : Pass<"gpuvm-to-chain", "::mlir::ModuleOp"> {
  let summary = "Turns programs with windows, barriers and kernels into plans.";
  let dependentDialects = !listconcat(kEmissionDialects,
                                      ["::mlir::chain::ChainDialect"]);
}

// Those that gpuvm-emit-kernels runs on the bodies of maps.

def LimitLoops : Pass<"gpuvm-limit-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Ends loops before a number of iterations is used up.";
  let description = [{
    The loops of the function together run `total` times at most. One that would
    run more often ends, and so does what is around it; then element 0 of the last
    argument, a memref of i1, becomes true. An `scf.for` is counted when it
    begins, an `scf.while` in each turn. gpuvm-emit-kernels does this to the bodies
    of maps for devices whose drivers end loops (docs/rationale/long-loops.md).
  }];
  let options = [Option<"total", "total", "int64_t", "60000",
                        "How often loops may run">];
}

def ResumeLoops : Pass<"gpuvm-resume-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Makes code with loops a machine of states.";
  let description = [{
    The code of the function, whose first argument is an index, is cut where a loop
    begins and where its test is. All pieces stand in the body of one loop that
    runs `turns` times at most. gpuvm-emit-kernels does this to the bodies of maps
    for devices whose drivers end loops (docs/rationale/long-loops.md).
  }];
  let options = [Option<"turns", "turns", "int64_t", "1000",
                        "How often the loop runs at most">];
}

#endif // GPUVM_PASSES
