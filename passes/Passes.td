//===- Passes.td - the passes ------------------------------*- tablegen -*-===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which gpuvm-pipeline runs them. Statistics are defined next
// to the code that counts, as LLVM's always enabled statistics: those of the
// Pass class are compiled out of Debian's LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef GPUVM_PASSES
#define GPUVM_PASSES

include "mlir/Pass/PassBase.td"

/// The dialects that kernels are emitted in. Passes that plan chains depend on
/// them too: they emit a chain once to plan it.
defvar kEmissionDialects = ["::mlir::spirv::SPIRVDialect",
                            "::mlir::gpu::GPUDialect",
                            "::mlir::scf::SCFDialect",
                            "::mlir::memref::MemRefDialect",
                            "::mlir::arith::ArithDialect"];

/// The dialects of a stage after gpuvm-generalize.
defvar kGeneralDialects = ["::mlir::flow::FlowDialect", "::mlir::gpuvm::GpuvmDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];

defvar kMaxWindowBytes = Option<"maxWindowBytes", "max-window-bytes", "uint64_t",
                                "134217728",
                                "Values of more bytes take several windows">;

class GpuvmProgramPass<string name> : Pass<name, "::mlir::gpuvm::ProgramOp"> {
  let dependentDialects = ["::mlir::flow::FlowDialect", "::mlir::gpuvm::GpuvmDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SetTargets : Pass<"gpuvm-set-targets", "::mlir::ModuleOp"> {
  let summary = "Sets the devices that a module is compiled for.";
  let description = [{
    Sets the module's attribute `gpuvm.targets` to the targets of these names
    (docs/targets.md). Passes that weigh costs take those of the first one.
    Modules without the attribute are for generic, then lavapipe.
  }];
  let dependentDialects = ["::mlir::flow::FlowDialect", "::mlir::gpuvm::GpuvmDialect"];
  let options = [ListOption<"targets", "targets", "std::string",
                            "Names of the targets">];
}

def Link : Pass<"gpuvm-link", "::mlir::ModuleOp"> {
  let summary = "Inlines called programs and functions.";
  let description = [{
    Stages and symbols of a called program are prefixed with the name of the
    `gpuvm.call` and a dot. The operands and results of the call replace the
    inputs and outputs of the program. Each `func.call` in the body of a stage
    is replaced by the body of its `func.func`, and the functions are erased.
    Constants of the program that are operands of stages move into the bodies of
    these stages. Each program gets the symbols of the module that it uses, as
    `shared` ones. The module loses them, and its private programs.
  }];
}

def Partition : GpuvmProgramPass<"gpuvm-partition"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Makes the program of one rank of one on whole tensors.";
  let description = [{
    Takes programs of which inputs or outputs have a sharding; others stay as they
    are. Inputs and outputs with a sharding get the type of a block. Value by
    value, what stages compute is a block of each rank's, too, as long as that
    needs no other blocks: an operation of `linalg` is cut along one of its
    loops, and operands that all ranks have are cut by the number of the rank.
    Where a reduction goes over the loop, each rank reduces its block, and
    `gpuvm.all_reduce` combines them, if any order gives the same bits: sums of
    integers, minima, maxima, and bits; also sums of floats that are claimed to be
    associative, but with `exact`. So are `gpuvm.scatter` and
    `gpuvm.histogram2d`. Scans exchange the last rows of blocks, `gpuvm.top_k`
    what ranks have picked.

    Rows of neighbours, of which slices, padding, windows and reads near the loop's
    number tell, come by `gpuvm.update_halo`. A repeat whose ranks exchange nothing
    else does so once in several iterations if that costs less by the target's
    numbers, and computes the rows between again.

    What else needs a whole tensor is computed by all ranks, after a
    `gpuvm.all_gather`; a remark names it. An output with a sharding that all
    ranks have is cut, and one without that is not whole is gathered. Iteration
    values of repeats are blocks if their initial values and next ones are. What
    computes elements is brought into the form of `gpuvm-generalize` first, and
    stages are cut where exchanges stand.
  }];
  let options = [Option<"exact", "exact", "bool", "false",
                        "Sums of floats have the same bits on any number of ranks">];
}

def ExpandExchanges : GpuvmProgramPass<"gpuvm-expand-exchanges"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Expands exchanges to transfers of bytes and stages.";
  let description = [{
    Exchanges between ranks become `flow.exchange`, which only moves bytes, and
    stages before and after it that compute: they cut, transpose, sum in the order
    of the ranks, and put zeros where nothing comes from. These fuse as other
    stages do. A large `gpuvm.all_reduce` of three ranks or more becomes an
    exchange of blocks, a sum and an exchange of sums, which move less; the
    target's costs decide (`exchange_ns`, `exchange_bytes_per_us`).

    The condition of a repeat with exchanges becomes that of all ranks together,
    unless it is the same on all of them because of what it depends on. gpuvm.rank
    and gpuvm.num_ranks become loads of the control symbols `%rank` and `%ranks`,
    or constants where the program says how many ranks there are.
  }];
}

def LowerPacked : GpuvmProgramPass<"gpuvm-lower-packed"> {
  let summary = "Lowers packed types to tensors of bytes.";
  let description = [{
    Inputs, symbols, loads and stage arguments of type `!gpuvm.packed<...>`
    become tensors of bytes; each `gpuvm.decode` keeps the packed type as its
    layout.
  }];
}

def LowerBounded : GpuvmProgramPass<"gpuvm-lower-bounded"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Lowers bounded tensors to tensors of all rows, and a count.";
  let description = [{
    Values of type `tensor<?x..., #gpuvm.bound<n>>` become tensors of n rows.
    Their counts become control symbols; stages that receive such a value load
    its count. Rows past the count have no effect: compactions and scatters
    leave them out, sorts put them after all other rows, and reductions take the
    neutral element for them.
  }];
}

def HoistInvariants : GpuvmProgramPass<"gpuvm-hoist-invariants"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Hoists loop-invariant computations out of repeats.";
  let description = [{
    An operation of a repeat is invariant if it depends only on values from
    outside of the repeat, and on symbols that no stage of the repeat stores to.
    Invariant results of large reductions, of roots such as scans and sorts, and
    of bodies that loop are hoisted: a stage before the repeat, named
    `<repeat>.<stage>`, computes them and sends them to the stage in the repeat.
    Stages of repeats are brought into the form of `gpuvm-generalize` first.
    Nothing is hoisted from stages with a condition or with instances.
  }];
}

def LowerRepeat : GpuvmProgramPass<"gpuvm-lower-repeat"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Lowers repeats to loops with iteration values.";
  let description = [{
    Loop-carried values become iteration values of a `flow.loop`. If the loop may
    end early, so do whether it goes on and the number of the iteration: the
    stages of the loop have the former as their condition
    (`gpuvm-lower-when`), and a stage `<repeat>.next` sends what they send where it
    holds, and the iteration values otherwise.
  }];
}

def LowerWhen : GpuvmProgramPass<"gpuvm-lower-when"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Lowers the conditions of stages to selects.";
  let description = [{
    Each message of a stage with a condition becomes a select between the value
    sent and the `else` value. Each store becomes a select between the value
    stored and the old value. A body that might fail, or not terminate, on
    operands that were not computed is guarded by the condition. Such stages are
    brought into the form of `gpuvm-generalize` first.
  }];
}

def SpreadInstances : GpuvmProgramPass<"gpuvm-spread-instances"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Batches the instances of a stage, as vmap does.";
  let description = [{
    The operations of the body get a leading parallel dimension, that of the
    instances. Operations that do not depend on an instance's own operands are
    computed once. If a stage reads the status of an instance, the statuses of
    all instances become one more field of the message. Such stages are brought
    into the form of `gpuvm-generalize` first.
  }];
}

def MaterializeMetadata : GpuvmProgramPass<"gpuvm-materialize-metadata"> {
  let summary = "Computes the message metadata that is read.";
  let description = [{
    For every message whose metadata a `gpuvm.metadata` reads (with
    `keep-all`, for every message) the sending stage computes norm, max_abs,
    how often it has run, and status. It stores them in the metric
    `<stage>.metadata`, four words that the receiver and the host read. Metadata
    without a reader is not computed.
  }];
  let options = [Option<"keepAll", "keep-all", "bool", "false",
                        "Keep the metadata of all messages for the host">];
}

def Generalize : GpuvmProgramPass<"gpuvm-generalize"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Brings stage bodies into a common form: linalg.generic.";
  let description = [{
    Elementwise `arith` and `math` on tensors and named `linalg` operations
    become `linalg.generic`, elementwise ones with an identity map for their
    result. Constants that are not a splat move to the heap. Scalar operations
    between tensors are cloned into the bodies that use them. An `scf.if` of
    tensors becomes a select, and a slice at a dynamic offset a gather or a
    scatter. Elements of i2, i4 and floats of eight bits become bytes. An
    operation that no kernel can hold is an error.
  }];
}

def MakeExact : GpuvmProgramPass<"gpuvm-make-exact"> {
  let summary = "Restricts arithmetic to what has the same bits on every device.";
  let description = [{
    Runs after `gpuvm-generalize` and before anything is folded. Addition,
    subtraction and multiplication of f32 and f64, remainders, comparisons,
    minima and maxima, signs, roundings to whole numbers, exact conversions and
    integers remain; any other operation on floats is an error. Subnormal
    numbers are flushed to zeros of the same sign: operations that compute with
    floats or compare them see no subnormal operands and give no subnormal
    results. Operations that only move a number (select, bitcast, load, store)
    keep it.
  }];
}

def JoinScatters : GpuvmProgramPass<"gpuvm-join-scatters"> {
  let summary = "Merges independent scatters to the same positions.";
  let description = [{
    Runs after `gpuvm-generalize`. Scatters of a stage to the same positions
    (rows of several symbols, stored at the same index) become one, if none
    depends on the result of another. It has up to eight updates of up to
    131,072 elements.
  }];
}

def Fuse : GpuvmProgramPass<"gpuvm-fuse"> {
  let summary = "Finds the stages that are worth fusing into one kernel.";
  let description = [{
    Two stages get the same `fusion_group` if their operations together need
    fewer kernels than apart: vertically, where a message then stays in
    registers, and horizontally, where independent stages have the same
    iteration space. A group stays within the limits on windows and operations
    per kernel. Every decision is in the report: which stages, why or why not,
    and the bytes that are not written and read.
  }];
  let options = [Option<"report", "report", "bool", "false",
                        "Keep the decisions for gpuvm-write-report">,
                 kMaxWindowBytes];
}

def FormKernels : GpuvmProgramPass<"gpuvm-form-kernels"> {
  let summary = "Lowers stages to kernels, one dispatch each.";
  let description = [{
    The operations of a stage, or of a fusion group, are grouped around roots
    (map, reduce); each group becomes a `flow.dispatch`. Cheap producers that are
    read at other indices than they are computed at are rematerialised in their
    consumers.
  }];
  let options = [Option<"group", "group", "bool", "true",
                        "Put several operations into one kernel">,
                 kMaxWindowBytes];
}

def PlaceState : GpuvmProgramPass<"gpuvm-place-state"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Puts the iteration values of loops into registers.";
  let description = [{
    Each iteration value becomes a register, `<loop>.0`, ... If the next one is
    best computed in its place, it is stored there; else a second register,
    `<loop>.0.next`, rotates with the first one. A value that becomes another
    iteration value unchanged is in one rotation with it. Where only the device
    knows the last iteration, a dispatch after the loop chooses what the registers
    of a rotation hold then.
  }];
}

def UpdateInPlace : GpuvmProgramPass<"gpuvm-update-in-place"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Updates symbols in place.";
  let description = [{
    A kernel that updates some elements of a value (a scatter) gets a copy of it
    from gpuvm-form-kernels. If the value is a symbol or a slice of one, and the
    result is stored there, the kernel updates the symbol itself. It then comes
    after all readers of the old value, and neither copy nor store is left. If
    the store is predicated, so is the update. Readers of the old value that
    depend on the update keep the copy.

    A kernel stays as it is if the condition depends on the update, if the
    symbol is stored to in between, or if the result is read after a later
    store. It also stays as it is if other commands read the result while the
    condition is false.
  }];
}

def FormChains : GpuvmProgramPass<"gpuvm-form-chains"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Fuses dependent kernels into one workgroup and one dispatch.";
  let description = [{
    A sequence of dependent kernels becomes one kernel with root `chain`, whose
    steps one workgroup runs with barriers between them. Values of elementwise
    kernels stay in registers and workgroup memory. With kernels of other
    families in it, each step is a kernel of its family for one workgroup, and
    large values are in windows. If all values have the same leading dimensions
    and no step reads across them, there is one workgroup for each of their
    indices. With `mode=auto` a sequence becomes a chain if one workgroup is
    expected to take less time than separate kernels on the whole device, with
    the barriers between them; with `always` whenever it fits, with `never` not
    at all. Every decision is in the report.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">,
                 Option<"report", "report", "bool", "false",
                        "Keep the decisions for gpuvm-write-report">,
                 kMaxWindowBytes];
}

def PlaceResults : GpuvmProgramPass<"gpuvm-place-results"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Stores results of reductions where scatters would move them.";
  let description = [{
    A kernel around a scatter to places that all differ, as a store at a position
    of the device is, vanishes if reductions make all its updates: their kernels
    store the elements where the scatter would. So does a kernel that only
    concatenates results of a reduction. What both do with single elements moves
    with them.

    A kernel stays if an element is made of other ones than the reduction's own,
    if a command has to run between both, if a result takes several windows, or
    if there would be more windows than a device binds.
  }];
  let options = [kMaxWindowBytes];
}

def InferPredicates : GpuvmProgramPass<"gpuvm-infer-predicates"> {
  let summary = "Infers the predicates under which kernels are demanded.";
  let description = [{
    A kernel is demanded under a predicate if its results are used only while
    the predicate is true, or, with `unless`, only while it is false, or if they
    are selects between what it computes and an operand. Such a kernel gets the
    predicate as an operand, so that it is scheduled after it, and the selects
    go: `otherwise` says which operand a result is. Later passes look for no
    selects of conditions; they read `if`, `unless` and `otherwise`.
    If each kernel computes the predicate for itself, one more kernel computes
    it for all of them. With `mode=auto` the kernels of a predicate get it if
    they are expected to take longer than an indirect dispatch costs; with
    `always` all do, with `never` none.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">];
}

def FuseScalars : GpuvmProgramPass<"gpuvm-fuse-scalars"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Fuses scalar dispatches into their neighbours.";
  let description = [{
    A kernel of single elements, such as a counter, costs a dispatch and does
    hardly any work. This pass fuses it into another kernel of the same stretch
    of commands (one without the beginning or end of a loop), if it has no
    producer and no consumer there. The host is the first kernel of the stretch
    that runs under the same predicate, has windows left, and is a map whose
    loops do not run long, a reduction to one element, or a chain in one
    workgroup. One lane of the host computes the scalars.
  }];
  let options = [kMaxWindowBytes];
}

def ChooseLaunches : GpuvmProgramPass<"gpuvm-choose-launches"> {
  let summary = "Chooses how kernels are mapped onto the devices of targets.";
  let description = [{
    A kernel gets `launches`, an array of #gpuvm.launch: for each target the
    launches that its devices run best, the best one first. The last one runs on
    every device that the plan is for. Launches that a kernel has already are
    checked and kept, so that others can be tried. The targets are those of the
    module (`gpuvm-set-targets`).
  }];
  let options = [Option<"exact", "exact", "bool", "false",
                        "No launches that add in an order of their own">,
                 kMaxWindowBytes];
}

def WriteReport : Pass<"gpuvm-write-report", "::mlir::ModuleOp"> {
  let summary = "Writes the decisions on fusion and on chains to a file.";
  let description = [{
    One JSON file for all programs of the module: `programs` is a list, each
    with its name, the `decisions` about stages and those about `chains`.
  }];
  let options = [Option<"file", "file", "std::string", "\"\"",
                        "File to write the report to">];
}

def MergeExchanges : GpuvmProgramPass<"gpuvm-merge-exchanges"> {
  let summary = "Merges exchanges that do not depend on one another.";
  let description = [{
    An exchange costs a submit and the latency of messages, however little it
    moves. Those of one block that need not follow one another become one
    `flow.exchange` with the transfers of all, after what they all need. The report
    says what each exchange moves, and which exchange it has to wait for.
  }];
  let options = [Option<"report", "report", "bool", "false",
                        "Keep what exchanges wait for, for gpuvm-write-report">];
}

def Schedule : GpuvmProgramPass<"gpuvm-schedule"> {
  let summary = "Orders the commands in waves without barriers inside.";
  let description = [{
    A command's wave is one more than the last wave among the commands it
    depends on, through values or symbols. Inside a wave the program order is
    kept.
  }];
}

def StoreInPlace : GpuvmProgramPass<"gpuvm-store-in-place"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Computes values in the symbols that they are stored to.";
  let description = [{
    A store becomes a `flow.place` if the dispatch that makes its value can write
    the symbol: no command between both accesses it, and none changes it while the
    value is still read: otherwise, or if there are several stores, a map or a
    reduction writes the value twice. With `in-place` the dispatch may also read the
    symbol, where it writes it. A predicated store whose value cannot be computed there is
    done by a predicated dispatch; after a long loop whose end the device decides,
    dispatches copy.
  }];
  let options = [Option<"inPlace", "in-place", "bool", "true",
                        "Update what a dispatch reads">,
                 kMaxWindowBytes];
}

def HoistConditionStores : Pass<"gpuvm-hoist-condition-stores",
                                "::mlir::gpuvm::ProgramOp"> {
  let dependentDialects = ["::mlir::flow::FlowDialect", "::mlir::gpuvm::GpuvmDialect"];
  let summary = "Hoists the store of a loop's condition to its producer.";
  let description = [{
    The kernels of an iteration read the loop's
    condition, so the store of the next condition comes after all of them. This
    pass copies the condition at the beginning of the iteration, and the kernels
    read the copy. The store then moves to just after the producer of the stored
    value. If the producer is a map or a reduction to one element, the store is
    fused into it. The pass applies where it saves a barrier or a dispatch.
  }];
  let options = [kMaxWindowBytes];
}

def PredicateDispatches : GpuvmProgramPass<"gpuvm-predicate-dispatches"> {
  let summary = "Lowers kernels with a predicate to predicated dispatches.";
  let description = [{
    A predicated dispatch is an indirect dispatch whose workgroup count is zero
    while the predicate is false (with `unless`, while it is true). A kernel with
    a predicate becomes one if each result that is otherwise an operand can be
    tied to it: they are the same place of a symbol, or the operand dies here. If
    not, it always runs and selects. A dispatch after the producer of the
    predicate computes the counts of workgroups. With `mode=auto`, cheap kernels that
    depend on no other command of their block run unconditionally, in the same
    wave as the kernel that writes the counts, if that saves a barrier.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, or always: all of them read their workgroups">];
}

def SizeKernels : GpuvmProgramPass<"gpuvm-size-kernels"> {
  let dependentDialects = kGeneralDialects;
  let summary = "Sizes dispatches by the count of rows on the device.";
  let description = [{
    A map all of whose results are rows of a bounded message becomes an indirect
    dispatch. A kernel before it computes its workgroup count from the count of
    rows and writes it to Control. `mode` is auto (if the maps, with all rows,
    take three times as long as that kernel), always or never.
  }];
  let options = [Option<"mode", "mode", "std::string", "\"auto\"",
                        "auto, always or never">];
}

def Reschedule : GpuvmProgramPass<"gpuvm-reschedule"> {
  let summary = "Orders commands whose places are known in waves.";
  let description = [{
    As gpuvm-schedule does, with stores that need no command, dispatches that write
    over their operands, and counts of workgroups. The order with fewer steps is
    kept.
  }];
}

def PlaceShared : Pass<"gpuvm-place-shared", "::mlir::ModuleOp"> {
  let summary = "Assigns one window to each symbol that programs share.";
  let description = [{
    These windows are at the start of their regions. Does nothing for a single
    program, whose symbols gpuvm-plan-memory places.
  }];
}

def PlanMemory : GpuvmProgramPass<"gpuvm-plan-memory"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Assigns a window to every value and symbol.";
  let description = [{
    R31 of the receiver and R30 of the sender are one window. Values of a
    `flow.place` are in their symbol, tied results where their operand is. A result
    aliases the window of an operand if the kernel is the last reader of that operand
    and reads it only at the index it writes (`in-place`).

    Everything else in Registers has a live range of commands. Windows whose
    ranges have a barrier between them may share bytes. An additional barrier is
    worth `barrier-price` bytes: the default is what an H200 copies in the 2 us
    that a barrier takes. The statistics give the bytes of all values and the
    lower bound for this order of commands.

    A kernel binds a value of more than `max-window-bytes` as several windows,
    each as long as the largest power of two that is allowed. The default is
    what every Vulkan device can bind; a larger one needs a device that supports
    it. An external kernel binds a value as a whole, so it must fit.
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

def PlaceBarriers : Pass<"gpuvm-place-barriers", "::mlir::plan::ModuleOp"> {
  let summary = "Places barriers only where byte intervals conflict.";
  let description = [{
    Read-after-write, write-after-read and write-after-write by exact byte
    interval over the five regions, of the windows that kernels bind. Each barrier
    carries its reasons. With `minimal=false` there is a barrier after every
    command.
  }];
  let options = [Option<"minimal", "minimal", "bool", "true",
                        "Place only the barriers that a hazard needs">];
}

def EmitKernels : Pass<"gpuvm-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Emits each kernel as a plan.kernel next to the program.";
  let description = [{
    Equal kernels are emitted once for each of their launches: the last one, which
    every device can run, and the others as its variants. A plan.kernel has bindings
    for what its code reads and writes. A map whose loops may run longer than some
    drivers let them leaves out the elements concerned there; one more plan.kernel
    computes those (`resumed`). With `exact`
    (after `gpuvm-make-exact`) they ask the device to round f32 and f64 to
    nearest even and to keep the sign of zero, infinities and NaNs.
  }];
  let options = [Option<"exact", "exact", "bool", "false",
                        "Fix the rounding mode and special values of floats">,
                 Option<"spins", "spins", "int64_t", "1 << 14",
                        "How often a workgroup looks for what another one makes "
                        "before it makes it itself">];
  let dependentDialects = !listconcat(kEmissionDialects,
                                      ["::mlir::plan::PlanDialect"]);
}

def ToPlan : Pass<"gpuvm-to-plan", "::mlir::ModuleOp"> {
  let summary = "Lowers programs with windows and kernels to one plan.";
  let description = [{
    Each dispatch gets the windows that its plan.kernel binds. One with `resumed` is
    followed by an indirect dispatch of that kernel. Of several programs,
    what they share is placed first in each region, then what each of them keeps;
    what they do not keep has one place for all, since one of them runs at a time.
    Names of what is not shared get that of the program and a dot before them.
  }];
  let dependentDialects = !listconcat(kEmissionDialects,
                                      ["::mlir::plan::PlanDialect"]);
}

// Those that gpuvm-emit-kernels runs on the bodies of maps.

def LimitLoops : Pass<"gpuvm-limit-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Limits the total number of loop iterations.";
  let description = [{
    All loops of the function together run at most `total` iterations. A loop
    that would run more ends, and so do the loops around it; element 0 of the
    last argument, a memref of i1, then becomes true. An `scf.for` is counted
    when it begins, an `scf.while` in each iteration. gpuvm-emit-kernels does
    this to the bodies of maps for devices whose drivers end loops
    (docs/rationale/long-loops.md).
  }];
  let options = [Option<"total", "total", "int64_t", "60000",
                        "How often loops may run">];
}

def ResumeLoops : Pass<"gpuvm-resume-loops", "::mlir::gpu::GPUFuncOp"> {
  let dependentDialects = kEmissionDialects;
  let summary = "Converts code with loops to a state machine.";
  let description = [{
    The code of the function, whose first argument is an index, is split where a
    loop begins and where its test is. All parts are states in the body of one
    loop of at most `turns` iterations. gpuvm-emit-kernels does this to the
    bodies of maps for devices whose drivers end loops
    (docs/rationale/long-loops.md).
  }];
  let options = [Option<"turns", "turns", "int64_t", "1000",
                        "How often the loop runs at most">];
}

#endif // GPUVM_PASSES
