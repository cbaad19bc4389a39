//===- Golden.h - Golden data of a unit test --------------------*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Golden data lie in the folder that K3_GOLDEN_DIR names. Without it such tests are skipped, except where
// CI=true: there a missing folder is a failure.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_GOLDEN_H
#define K3_TEST_UNIT_GOLDEN_H

#include "lib/Safetensors/File.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace k3::test {

/// Values of a golden tensor as an array of its C++ type; a missing tensor or a wrong dtype fails the test.
template <typename T>
std::vector<T> goldenValues(const SafetensorsFile &file, const std::string &name) {
  std::optional<TensorView> tensor = file.find(name);
  if (!tensor || tensor->bytes.size() != static_cast<size_t>(tensor->elements()) * sizeof(T)) {
    ADD_FAILURE() << file.path() << ": no tensor '" << name << "' of " << sizeof(T) << "-byte elements";
    return {};
  }
  std::vector<T> values(tensor->elements());
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

} // namespace k3::test

/// Defines `folder`, the folder of golden data, or leaves the test.
#define K3_GOLDEN_OR_SKIP(folder)                                                                            \
  const char *folder##Env = std::getenv("K3_GOLDEN_DIR");                                                    \
  if (!folder##Env || !*folder##Env) {                                                                       \
    const char *ci = std::getenv("CI");                                                                      \
    if (ci && std::string(ci) == "true")                                                                     \
      FAIL() << "K3_GOLDEN_DIR is not set, and CI=true needs the golden data";                               \
    GTEST_SKIP() << "K3_GOLDEN_DIR is not set";                                                              \
  }                                                                                                          \
  const std::string folder = folder##Env

#endif // K3_TEST_UNIT_GOLDEN_H
