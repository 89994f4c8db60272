//===- Launches.cpp - how a kernel is laid over which devices -------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernels/Launches.h"

#include "kernels/family/Family.h"
#include "kernels/map/MapLayout.h"

using namespace mlir;
using namespace mlir::gpuvm;

/// Fewer elements are not worth a kernel of their own for CPU devices.
static constexpr int64_t kMinWorth = 1 << 14;

//===----------------------------------------------------------------------===//
// Layouts as attributes
//===----------------------------------------------------------------------===//

namespace {
/// Writes the fields of a layout.
struct FieldWriter : LayoutFields {
  explicit FieldWriter(MLIRContext *context) : b(context) {}
  void number(StringRef name, int64_t &field) override {
    fields.append(name, b.getI64IntegerAttr(field));
  }
  void flag(StringRef name, bool &field) override {
    fields.append(name, b.getBoolAttr(field));
  }
  /// Null without fields.
  DictionaryAttr finish() {
    return fields.empty() ? DictionaryAttr()
                          : fields.getDictionary(b.getContext());
  }

  Builder b;
  NamedAttrList fields;
};

/// Reads the fields of a layout from a launch, as far as the family accepts
/// them.
struct FieldReader : LayoutFields {
  FieldReader(const KernelFamily &family, KernelLayout &layout,
              DictionaryAttr fields)
      : family(family), layout(layout), fields(fields),
        numUnread(fields ? fields.size() : 0) {}

  void number(StringRef name, int64_t &field) override {
    if (auto given = take<IntegerAttr>(name))
      set(name, field, given.getInt());
  }
  void flag(StringRef name, bool &field) override {
    if (auto given = take<BoolAttr>(name))
      set(name, field, given.getValue());
  }
  template <typename T> void set(StringRef name, T &field, int64_t given) {
    if (family.accepts(layout, name, field, given))
      field = given;
    else
      complain(name + " = " + Twine(given) + " (" + Twine(int64_t(field)) +
               " is what it needs)");
  }
  template <typename Attr> Attr take(StringRef name) {
    Attribute attribute = fields ? fields.get(name) : Attribute();
    if (!attribute)
      return {};
    --numUnread;
    auto given = dyn_cast<Attr>(attribute);
    if (!given)
      complain("another type of " + name);
    return given;
  }
  void complain(const Twine &what) {
    if (problem.empty())
      problem = ("a launch with " + what).str();
  }

  const KernelFamily &family;
  KernelLayout &layout;
  DictionaryAttr fields;
  size_t numUnread;
  std::string problem;
};
} // namespace

static LaunchAttr describe(flow::DispatchOp kernel, DeviceKind device,
                           StringRef form, KernelLayout &layout) {
  FieldWriter fields(kernel.getContext());
  layout.visit(fields);
  return LaunchAttr::get(kernel.getContext(), device, form, layout.groups,
                         layout.lanes, layout.vector, layout.unroll,
                         fields.finish());
}

/// `kernel` laid out as `launch` says, as far as that is possible; `problem`
/// says what is not.
static std::unique_ptr<KernelLayout>
read(flow::DispatchOp kernel, LaunchAttr launch, std::string &problem) {
  const KernelFamily &family = getFamily(kernel);
  std::unique_ptr<KernelLayout> layout =
      family.layOut(kernel, getMainTarget(kernel));
  if (!family.changeForm(kernel, launch.getForm(), getMainTarget(kernel),
                         layout)) {
    problem = ("no launch of form " + launch.getForm()).str();
    return family.layOut(kernel, getMainTarget(kernel));
  }
  FieldReader reader(family, *layout, launch.getLayout());
  reader.set("groups", layout->groups, launch.getGroups());
  reader.set("lanes", layout->lanes, launch.getLanes());
  reader.set("vector", layout->vector, launch.getVector());
  reader.set("unroll", layout->unroll, launch.getUnroll());
  layout->visit(reader);
  if (reader.numUnread != 0)
    reader.complain("fields that its family does not have");
  problem = reader.problem;
  return layout;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The launches for `target`, the best one first; all its devices can run the
/// last one. `portable` is the layout for any device.
static void addLaunches(flow::DispatchOp kernel, const KernelLayout &portable,
                        TargetAttr target, bool exact, bool isOnly,
                        SmallVectorImpl<LaunchAttr> &launches) {
  const KernelFamily &family = getFamily(kernel);
  auto has = [&](ArrayRef<StringRef> features) {
    return llvm::all_of(features, [&](StringRef feature) {
      return hasFeature(target, feature);
    });
  };
  auto add = [&](StringRef form) {
    std::unique_ptr<KernelLayout> layout = portable.clone();
    if (!family.changeForm(kernel, form, getMainTarget(kernel), layout))
      return false;
    if (form == kPlainForm)
      family.fitTo(kernel, target.getUnits(), *layout);
    launches.push_back(describe(kernel, target.getKind(), form, *layout));
    return true;
  };
  for (const LaunchForm &form : family.specialForms(kernel)) {
    bool isForOthers =
        form.device != DeviceKind::any && form.device != target.getKind();
    if (isForOthers || (exact && form.reorders))
      continue;
    bool isSure = has(form.features);
    if ((isSure || !target.getClosed()) && add(form.name)) {
      if (isSure)
        return;
      break;
    }
  }
  bool isWorth = isOnly || portable.elements * portable.results >= kMinWorth;
  if (target.getKind() == DeviceKind::cpu && has({"int64"}) && isWorth &&
      add(kWideForm))
    return;
  if (!add(kPlainForm))
    add(kLimitedForm);
}

/// For every device that the plan is for.
static LaunchAttr forAnyDevice(LaunchAttr launch) {
  return LaunchAttr::get(launch.getContext(), DeviceKind::any, launch.getForm(),
                         launch.getGroups(), launch.getLanes(),
                         launch.getVector(), launch.getUnroll(),
                         launch.getLayout());
}

SmallVector<LaunchAttr> gpuvm::chooseLaunches(flow::DispatchOp kernel,
                                              ArrayRef<TargetAttr> targets,
                                              bool exact) {
  // Last the target that asks for the least.
  SmallVector<TargetAttr> ordered(targets);
  llvm::stable_sort(ordered, [](TargetAttr a, TargetAttr b) {
    return a.getFeatures().size() > b.getFeatures().size();
  });
  std::unique_ptr<KernelLayout> portable =
      getFamily(kernel).layOut(kernel, getMainTarget(kernel));
  SmallVector<LaunchAttr> launches;
  for (TargetAttr target : ordered)
    addLaunches(kernel, *portable, target, exact, targets.size() == 1,
                launches);
  // What all devices run anyway needs no launch; what comes in between is for
  // others.
  LaunchAttr last = forAnyDevice(launches.pop_back_val());
  llvm::erase_if(launches, [&](LaunchAttr launch) {
    return forAnyDevice(launch) == last;
  });
  launches.push_back(last);
  return launches;
}

SmallVector<LaunchAttr> gpuvm::getLaunches(flow::DispatchOp kernel) {
  if (std::optional<ArrayAttr> launches = kernel.getLaunches())
    return llvm::to_vector(launches->getAsRange<LaunchAttr>());
  const KernelFamily &family = getFamily(kernel);
  std::unique_ptr<KernelLayout> layout =
      family.layOut(kernel, getMainTarget(kernel));
  StringRef form =
      family.changeForm(kernel, kPlainForm, getMainTarget(kernel), layout)
          ? StringRef(kPlainForm)
          : StringRef(kLimitedForm);
  return {describe(kernel, DeviceKind::any, form, *layout)};
}

LaunchAttr gpuvm::getResumingLaunch(flow::DispatchOp kernel) {
  for (LaunchAttr launch : getLaunches(kernel)) {
    if (launch.getForm() != kLimitedForm)
      continue;
    TargetAttr target = getMainTarget(kernel);
    const KernelFamily &family = getFamily(kernel);
    std::unique_ptr<KernelLayout> layout = family.layOut(kernel, target);
    if (family.changeForm(kernel, kResumingForm, target, layout))
      return describe(kernel, DeviceKind::any, kResumingForm, *layout);
  }
  return {};
}

LogicalResult gpuvm::checkLaunches(flow::DispatchOp kernel) {
  for (LaunchAttr launch : getLaunches(kernel)) {
    std::string problem;
    (void)read(kernel, launch, problem);
    if (!problem.empty())
      return kernel.emitOpError("has ") << problem;
  }
  return success();
}

void gpuvm::refitLaunches(flow::DispatchOp kernel) {
  const KernelFamily &family = getFamily(kernel);
  TargetAttr target = getMainTarget(kernel);
  SmallVector<Attribute> fitted;
  bool hasLast = false; // Any device can run it.
  for (LaunchAttr launch : getLaunches(kernel)) {
    std::unique_ptr<KernelLayout> layout = family.layOut(kernel, target);
    hasLast = family.changeForm(kernel, launch.getForm(), target, layout);
    if (!hasLast)
      continue;
    std::string problem;
    layout = read(kernel, launch, problem);
    fitted.push_back(problem.empty() ? launch
                                     : describe(kernel, launch.getDevice(),
                                                launch.getForm(), *layout));
  }
  if (!hasLast) {
    kernel.removeLaunchesAttr();
    fitted.push_back(getLaunches(kernel).back());
  }
  kernel.setLaunchesAttr(ArrayAttr::get(kernel.getContext(), fitted));
}

LaunchAttr gpuvm::withGroups(flow::DispatchOp kernel, LaunchAttr launch,
                             int64_t groups) {
  auto other =
      LaunchAttr::get(kernel.getContext(), launch.getDevice(), launch.getForm(),
                      groups, launch.getLanes(), launch.getVector(),
                      launch.getUnroll(), launch.getLayout());
  std::string problem;
  (void)read(kernel, other, problem);
  return problem.empty() ? other : LaunchAttr();
}

std::unique_ptr<KernelLayout> gpuvm::layOutLaunch(flow::DispatchOp kernel,
                                                  LaunchAttr launch) {
  std::string problem; // gpuvm-emit-kernels refuses what has one.
  return read(kernel, launch, problem);
}

std::unique_ptr<KernelLayout> gpuvm::layOutKernel(flow::DispatchOp kernel) {
  if (!kernel.getLaunches())
    return getFamily(kernel).layOut(kernel, getMainTarget(kernel));
  return layOutLaunch(kernel, getLaunches(kernel).back());
}

std::vector<Scratch> gpuvm::getScratch(flow::DispatchOp kernel) {
  std::vector<Scratch> shared;
  for (LaunchAttr launch : getLaunches(kernel)) {
    std::unique_ptr<KernelLayout> layout = layOutLaunch(kernel, launch);
    for (auto [i, own] : llvm::enumerate(layout->scratch)) {
      if (i == shared.size())
        shared.push_back(own);
      Scratch &place = shared[i];
      assert(place.keepsZero == own.keepsZero &&
             place.keepsAll == own.keepsAll &&
             place.inControl == own.inControl && "one memory, one use");
      place.bytes = std::max(place.bytes, own.bytes);
    }
  }
  return shared;
}
