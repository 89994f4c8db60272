//===- Launches.cpp - how a kernel is laid over which devices -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Launches.h"

#include "kernels/analysis/BodyTraits.h"
#include "kernels/elements/InnerReduction.h"
#include "kernels/loops/LongLoops.h"

using namespace mlir;
using namespace mlir::gpuvm;

//===----------------------------------------------------------------------===//
// Loads of 32 bytes
//===----------------------------------------------------------------------===//

/// Fewer elements are not worth a kernel of their own for CPU devices.
static constexpr int64_t kMinWorth = 1 << 14;

/// Elements and operations of a lane without a loop around them, and the
/// operations on an element of a sum or a maximum.
static constexpr int64_t kMaxStraight = 128, kMaxStraightOps = 4096;
static constexpr int64_t kSimpleOps = 2;

/// Elements that are read where the code says are loaded one by one anyhow: 128
/// x 128 cells of nine neighbours, 1,000 steps, 507 ms instead of 255.
static bool widenMap(KernelOp kernel, const BodyTraits &traits,
                     KernelConfig &config) {
  int64_t vector = 2 * config.vector;
  if (config.vector == 1 || traits.gathers > 0 ||
      !keepsNeighbours(kernel, traits, vector))
    return false;
  config.vector = vector;
  config.unroll = std::max<int64_t>(1, config.unroll / 2);
  return true;
}

/// A lane does what a lane group does, so that the order stays and lanes have
/// little to tell each other.
static bool widenReduction(KernelOp kernel, const BodyTraits &traits,
                           KernelConfig &config) {
  const ReductionOrder &order = config.order;
  if (order.sequential || order.columns ||
      config.vector != order.elementsPerLane)
    return false;
  linalg::GenericOp first = getReductions(kernel).front();
  bool oneLoop = config.flat || first.getNumReductionLoops() == 1;
  bool hasPairs = oneLoop && (config.results == 1 ||
                              config.elements % (2 * config.vector) == 0);
  // What a lane group has of a result, without a loop.
  int64_t inGroup =
      order.parts == 1
          ? llvm::divideCeil(config.elements,
                             config.groupsPerResult * order.elementsPerRow()) *
                order.elementsPerRow()
          : order.elementsPerRow();
  bool isShort = config.keepsRows && inGroup <= kMaxStraight &&
                 inGroup * traits.ops <= kMaxStraightOps;
  bool isSimple = getReductions(kernel).size() == 1 &&
                  traits.ops <= kSimpleOps && config.resultsPerLane == 1;
  if (!isShort && !hasPairs)
    return false;
  if (isShort || isSimple) {
    config.lanesAtOnce = ReductionOrder::kLaneGroup;
  } else {
    config.lanesAtOnce = 2;
  }
  config.keepsRows = isShort;
  config.lanes = ReductionOrder::kGroupsPerPart;
  if (hasPairs)
    config.vector *= 2;
  return true;
}

static bool widen(KernelOp kernel, KernelConfig &config) {
  BodyTraits traits = inspectBody(kernel);
  if (traits.once())
    return false;
  config.wide = true;
  if (kernel.getRoot() == Root::map)
    return widenMap(kernel, traits, config);
  return kernel.getRoot() == Root::reduce &&
         widenReduction(kernel, traits, config);
}

static bool useMatrices(KernelOp kernel, KernelConfig &config) {
  if (config.tile) {
    config.tile = chooseMatrixTile(getReductions(kernel), config.vectorizes);
    if (config.tile)
      config.lanes = config.tile->lanes();
    return config.tile.has_value();
  }
  // The one with matrix units has no splits.
  if (!config.tiledAttention || config.tiledAttention->splits > 1)
    return false;
  config.matrixAttention = layOutMatrixAttention(
      *kernel.getBody().getOps<AttentionOp>().begin(), config.vectorizes);
  if (config.matrixAttention)
    config.lanes = config.matrixAttention->lanes;
  return config.matrixAttention.has_value();
}

//===----------------------------------------------------------------------===//
// Small maps
//===----------------------------------------------------------------------===//

/// `config` of a map with a lane for each element, if `units` workgroups are
/// enough for all of them: what a lane reads for several elements where the
/// code says would be read one after the other. (Elements of less than a word
/// stay together, which share one.)
static KernelConfig narrow(KernelOp kernel, KernelConfig config,
                           int64_t units) {
  bool sharesWords = llvm::any_of(kernel.getResultTypes(), [&](Type type) {
    return cast<RankedTensorType>(type).getNumElements() == config.elements &&
           getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32;
  });
  if (kernel.getRoot() != Root::map || sharesWords || !config.scratch.empty() ||
      config.elements > units * config.lanes ||
      inspectBody(kernel).gathers == 0)
    return config;
  config.vector = config.unroll = 1;
  config.groups = llvm::divideCeil(config.elements, config.lanes);
  return config;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// `kernel`, which has the configuration `config` for any device, laid out in
/// this form, if it has it.
static std::optional<KernelConfig> toForm(KernelOp kernel, LaunchForm form,
                                          KernelConfig config) {
  bool isLimited = getLoopForm(kernel, config) == LoopForm::Limited;
  switch (form) {
  case LaunchForm::plain:
    if (isLimited)
      return std::nullopt;
    return config;
  case LaunchForm::limited:
    if (!isLimited)
      return std::nullopt;
    return config;
  case LaunchForm::unlimited:
    if (!isLimited)
      return std::nullopt;
    config.scratch.clear();
    return config;
  case LaunchForm::dot_products:
    config.dotProducts = hasDotProducts(kernel);
    if (!config.dotProducts)
      return std::nullopt;
    return config;
  case LaunchForm::int64_atomics:
    config.int64Atomics = usesInt64Atomics(kernel);
    if (!config.int64Atomics)
      return std::nullopt;
    return config;
  case LaunchForm::subgroups:
    config.subgroups =
        kernel.getRoot() == Root::scan || rankByBallots(kernel, config);
    if (!config.subgroups)
      return std::nullopt;
    return config;
  case LaunchForm::matrices:
    if (!useMatrices(kernel, config))
      return std::nullopt;
    return config;
  case LaunchForm::wide:
    if (isLimited || !widen(kernel, config))
      return std::nullopt;
    return config;
  }
  llvm_unreachable("there is no other form");
}

static std::optional<KernelConfig> configureForm(KernelOp kernel,
                                                 LaunchForm form) {
  return toForm(kernel, form, configurePlain(kernel));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static LaunchAttr describe(KernelOp kernel, DeviceKind device, LaunchForm form,
                           const KernelConfig &config) {
  return LaunchAttr::get(kernel.getContext(), device, form, config.groups,
                         config.lanes, config.vector, config.unroll);
}

/// The features that a form asks for; of matrices those of their elements.
static SmallVector<StringRef> featuresOf(KernelOp kernel, LaunchForm form) {
  switch (form) {
  case LaunchForm::plain:
  case LaunchForm::limited:
    return {};
  case LaunchForm::wide:
    return {"int64"};
  case LaunchForm::unlimited:
    return {"unlimited_loops"};
  case LaunchForm::dot_products:
    return {"integer_dot_product"};
  case LaunchForm::int64_atomics:
    return {"int64_atomics"};
  case LaunchForm::subgroups:
    return {"subgroup_32", "subgroup_operations"};
  case LaunchForm::matrices: {
    if (kernel.getInputs().empty())
      return {};
    Type factor = getElementTypeOrSelf(kernel.getOperandTypes().front());
    return {factor.isBF16()  ? "matrix_bf16_f32"
            : factor.isF16() ? "matrix_f16_f32"
                             : "matrix_i8_i32"};
  }
  }
  llvm_unreachable("there is no other form");
}

/// For devices that have what it needs, better than the plain one.
static constexpr LaunchForm kSpecialForms[] = {
    LaunchForm::unlimited, LaunchForm::dot_products, LaunchForm::int64_atomics,
    LaunchForm::subgroups, LaunchForm::matrices};

/// The launches for `target`, the best one first; all its devices can run the
/// last one.
static void addLaunches(KernelOp kernel, const KernelConfig &plain,
                        TargetAttr target, bool exact, bool isOnly,
                        SmallVectorImpl<LaunchAttr> &launches) {
  bool isWorth = isOnly || plain.elements * plain.results >= kMinWorth;
  auto has = [&](LaunchForm form) {
    return llvm::all_of(featuresOf(kernel, form), [&](StringRef feature) {
      return hasFeature(target, feature);
    });
  };
  auto add = [&](LaunchForm form) {
    std::optional<KernelConfig> config = toForm(kernel, form, plain);
    if (config && form == LaunchForm::plain)
      config = narrow(kernel, *config, target.getUnits());
    if (config)
      launches.push_back(describe(kernel, target.getKind(), form, *config));
    return config.has_value();
  };
  for (LaunchForm form : kSpecialForms) {
    if (exact && form == LaunchForm::matrices)
      continue;
    if ((has(form) || !target.getClosed()) && add(form)) {
      if (has(form))
        return;
      break;
    }
  }
  if (target.getKind() == DeviceKind::cpu && has(LaunchForm::wide) && isWorth &&
      add(LaunchForm::wide))
    return;
  if (!add(LaunchForm::plain))
    add(LaunchForm::limited);
}

static bool isSameLayout(LaunchAttr a, LaunchAttr b) {
  return a.getForm() == b.getForm() && a.getGroups() == b.getGroups() &&
         a.getLanes() == b.getLanes() && a.getVector() == b.getVector() &&
         a.getUnroll() == b.getUnroll();
}

SmallVector<LaunchAttr> gpuvm::chooseLaunches(KernelOp kernel,
                                              ArrayRef<TargetAttr> targets,
                                              bool exact) {
  // Last the target that asks for the least.
  SmallVector<TargetAttr> ordered(targets);
  llvm::stable_sort(ordered, [](TargetAttr a, TargetAttr b) {
    return a.getFeatures().size() > b.getFeatures().size();
  });
  KernelConfig plain = configurePlain(kernel);
  SmallVector<LaunchAttr> launches;
  for (TargetAttr target : ordered)
    addLaunches(kernel, plain, target, exact, targets.size() == 1, launches);
  LaunchAttr last = launches.back();
  launches.back() = LaunchAttr::get(
      kernel.getContext(), DeviceKind::any, last.getForm(), last.getGroups(),
      last.getLanes(), last.getVector(), last.getUnroll());
  // What all devices run anyway needs no launch; what comes in between is for
  // others.
  last = launches.pop_back_val();
  llvm::erase_if(launches,
                 [&](LaunchAttr launch) { return isSameLayout(launch, last); });
  launches.push_back(last);
  return launches;
}

SmallVector<LaunchAttr> gpuvm::getLaunches(KernelOp kernel) {
  if (std::optional<ArrayAttr> launches = kernel.getLaunches())
    return llvm::to_vector(launches->getAsRange<LaunchAttr>());
  KernelConfig config = configurePlain(kernel);
  bool isLimited = getLoopForm(kernel, config) == LoopForm::Limited;
  return {describe(kernel, DeviceKind::any,
                   isLimited ? LaunchForm::limited : LaunchForm::plain,
                   config)};
}

static LogicalResult checkLaunch(KernelOp kernel, LaunchAttr launch) {
  std::optional<KernelConfig> config = configureForm(kernel, launch.getForm());
  if (!config)
    return kernel.emitOpError("has no launch of form ")
           << stringifyLaunchForm(launch.getForm());
  bool isMap = kernel.getRoot() == Root::map && config->scratch.empty();
  auto check = [&](StringRef what, int64_t given, int64_t own,
                   bool isFree) -> LogicalResult {
    if (given == own || isFree)
      return success();
    return kernel.emitOpError("has a launch with ")
           << what << " = " << given << " (" << own << " is what it needs)";
  };
  if (failed(check("groups", launch.getGroups(), config->groups, isMap)) ||
      failed(check("lanes", launch.getLanes(), config->lanes, false)) ||
      failed(check("vector", launch.getVector(), config->vector,
                   isMap && config->vector % launch.getVector() == 0)))
    return failure();
  return check("unroll", launch.getUnroll(), config->unroll,
               isMap && launch.getUnroll() <= KernelConfig::kMaxUnrolledOps);
}

LogicalResult gpuvm::checkLaunches(KernelOp kernel) {
  return success(llvm::all_of(getLaunches(kernel), [&](LaunchAttr launch) {
    return succeeded(checkLaunch(kernel, launch));
  }));
}

KernelConfig gpuvm::configureLaunch(KernelOp kernel, LaunchAttr launch) {
  // gpuvm-emit-kernels refuses what does not pass checkLaunch.
  KernelConfig config =
      configureForm(kernel, launch.getForm()).value_or(configurePlain(kernel));
  config.groups = launch.getGroups();
  config.lanes = launch.getLanes();
  config.vector = launch.getVector();
  config.unroll = launch.getUnroll();
  return config;
}

std::vector<Scratch> gpuvm::getScratch(KernelOp kernel) {
  std::vector<Scratch> shared;
  for (LaunchAttr launch : getLaunches(kernel)) {
    KernelConfig config = configureLaunch(kernel, launch);
    for (auto [i, own] : llvm::enumerate(config.scratch)) {
      if (i == shared.size())
        shared.push_back(own);
      Scratch &place = shared[i];
      assert(place.keepsZero == own.keepsZero &&
             place.keepsAll == own.keepsAll && "one memory, one use");
      place.bytes = std::max(place.bytes, own.bytes);
    }
  }
  return shared;
}

KernelConfig gpuvm::configureKernel(KernelOp kernel) {
  // Kernels that resume loops have no launch but their own.
  if (!kernel.getLaunches())
    return configurePlain(kernel);
  return configureLaunch(kernel, getLaunches(kernel).back());
}
