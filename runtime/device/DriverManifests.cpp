//===- DriverManifests.cpp - drivers of the Vulkan loader -----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/DriverManifests.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace vm {

namespace fs = std::filesystem;

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The parts of a list that colons separate, each with `folder` below it.
static void append(std::vector<fs::path> &paths, const std::string &list,
                   const char *folder) {
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    if (end > at)
      paths.push_back(list.substr(at, end - at) + folder);
    at = end + 1;
  }
}

/// Files of manifests, and folders of them.
static std::vector<fs::path> manifestPlaces() {
  std::vector<fs::path> places;
  append(places, variable("VK_ADD_DRIVER_FILES"), "");
  std::string files = variable("VK_DRIVER_FILES");
  if (files.empty())
    files = variable("VK_ICD_FILENAMES");
  if (!files.empty()) {
    append(places, files, "");
    return places;
  }
  std::string home = variable("HOME");
  auto orElse = [&](const char *name, const std::string &value) {
    std::string set = variable(name);
    append(places, set.empty() ? value : set, "/vulkan/icd.d");
  };
  orElse("XDG_CONFIG_HOME", home + "/.config");
  orElse("XDG_CONFIG_DIRS", "/etc/xdg");
  append(places, "/etc", "/vulkan/icd.d");
  orElse("XDG_DATA_HOME", home + "/.local/share");
  orElse("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
  return places;
}

static bool isLavapipe(const fs::path &manifest) {
  std::string text(4096, '\0'); // A manifest has some 200 bytes.
  std::ifstream file(manifest);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text.find("libvulkan_lvp") != std::string::npos;
}

static bool findLavapipe() {
  for (const fs::path &place : manifestPlaces()) {
    // With an error there is nothing to iterate over, nor for the loader.
    std::error_code error;
    if (isLavapipe(place))
      return true;
    for (const auto &entry : fs::directory_iterator(place, error))
      if (entry.path().extension() == ".json" && isLavapipe(entry.path()))
        return true;
  }
  return false;
}

bool loaderFindsLavapipe() {
  static const bool found = findLavapipe();
  return found;
}

} // namespace vm
