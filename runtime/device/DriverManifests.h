//===- DriverManifests.h - drivers of the Vulkan loader -------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a driver takes to be loaded has to be known before the loader loads it.
//
//===----------------------------------------------------------------------===//

#pragma once

namespace vm {

/// Whether lavapipe, Mesa's CPU driver, is among the drivers that the Vulkan
/// loader loads in this process: a file of VK_DRIVER_FILES (VK_ICD_FILENAMES),
/// or else of the folders that LoaderDriverInterface.md of Vulkan-Loader names,
/// has its library. Looked up once.
bool loaderFindsLavapipe();

} // namespace vm
