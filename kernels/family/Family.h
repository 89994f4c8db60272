//===- Family.h - a family of kernels -------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kernels with one root: how they are laid over devices, and their code.
// A family is a folder of kernels/, a class, and a line of
// kernels/Families.def.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "dialects/flow/Flow.h"
#include "dialects/gpuvm/Target.h"
#include "kernels/family/Layout.h"

namespace mlir::gpuvm {

struct EmitterContext;

/// A way to lay out kernels of a family that some devices alone can run, or
/// that is better on some.
struct LaunchForm {
  StringRef name;
  /// Those that a device has to have.
  SmallVector<StringRef> features;
  /// Sums come out in another order than the operation's.
  bool reorders = false;
  /// The kind of device that it is for.
  DeviceKind device = DeviceKind::any;
};

/// As every device can run it.
inline constexpr StringLiteral kPlainForm = "plain";
/// Products of four bytes at a time.
inline constexpr StringLiteral kDotProductsForm = "dot_products";
/// Accesses of 32 bytes, for CPUs.
inline constexpr StringLiteral kWideForm = "wide";
/// Matrix units, which add in an order of their own.
inline constexpr StringLiteral kMatricesForm = "matrices";

/// The form with matrix units, for products of elements like those of the first
/// operand.
LaunchForm getMatricesForm(flow::DispatchOp kernel);

class KernelFamily {
public:
  virtual ~KernelFamily() = default;

  /// Whether the body of `kernel`, which a user may have written, has what it
  /// needs to have this family's root.
  virtual bool takes(flow::DispatchOp kernel) const;

  /// `kernel`, which this family takes, laid out so that every device can run
  /// it, and for `target` where there is a choice.
  virtual std::unique_ptr<KernelLayout> layOut(flow::DispatchOp kernel,
                                               TargetAttr target) const = 0;

  /// The forms for devices with special features that `kernel` may have, the
  /// best one first.
  virtual SmallVector<LaunchForm> specialForms(flow::DispatchOp kernel) const;

  /// Changes the layout for any device to the form `form`; false if `kernel`
  /// has none such.
  virtual bool changeForm(flow::DispatchOp kernel, StringRef form,
                          TargetAttr target,
                          std::unique_ptr<KernelLayout> &layout) const;

  /// Fits a layout that every device can run to devices that run `units`
  /// workgroups at once.
  virtual void fitTo(flow::DispatchOp /*kernel*/, int64_t /*units*/,
                     KernelLayout & /*layout*/) const {}

  /// Changes a layout for any device so that one workgroup, of kLanes lanes and
  /// without scratch memory, does all of it; false if that cannot be.
  virtual bool fitToOneGroup(KernelLayout &layout) const {
    return layout.groups == 1 && layout.lanes == KernelLayout::kLanes &&
           layout.scratch.empty();
  }

  /// Whether a launch may have `given` for `field`, where this family chose
  /// `own`.
  virtual bool accepts(const KernelLayout & /*layout*/, StringRef /*field*/,
                       int64_t own, int64_t given) const {
    return given == own;
  }

  /// How often a lane computes the bodies of the kernel at most.
  virtual int64_t bodiesPerLane(flow::DispatchOp kernel,
                                const KernelLayout &layout) const;

  /// Adds features that a device needs for a kernel and that its code does not
  /// show.
  virtual void addFeatures(flow::DispatchOp kernel, const KernelLayout &layout,
                           SmallVectorImpl<StringRef> &features) const;

  /// Whether a result may have the window of an operand that is read only where
  /// the result is written.
  virtual bool worksInPlace(flow::DispatchOp /*kernel*/, unsigned /*operand*/,
                            unsigned /*result*/) const {
    return false;
  }

  /// Whether kernels store results where scatters in them say (ResultStores).
  virtual bool placesResults() const { return false; }

  /// Whether kernels may have two results that are one value.
  virtual bool writesTwice() const { return false; }

  virtual LogicalResult emit(EmitterContext &context) const = 0;
};

/// That of all kernels with this root.
const KernelFamily &getFamily(Root root);
inline const KernelFamily &getFamily(flow::DispatchOp kernel) {
  return getFamily(kernel.getRoot());
}

/// Whether loops of the bodies of `kernel`, laid out like this, may run longer
/// than some drivers let them.
bool mayLoopLong(flow::DispatchOp kernel, const KernelLayout &layout);

} // namespace mlir::gpuvm
