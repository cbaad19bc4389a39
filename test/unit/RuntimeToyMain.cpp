//===- RuntimeToyMain.cpp - Writes the toy package to a folder ------------===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k3-toy-package FOLDER: toy.k3x, plain.k3x (no taps, last rows only), graph.k3x, gpu.k3x (a graph for a GPU), and the checkpoint.
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Package.h"
#include "test/unit/GpuPackage.h"
#include "test/unit/RuntimeToy.h"

#include <cstdio>

using namespace k3;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::string folder = toy::writeCheckpoint(argv[1]);
  for (auto [name, options] : {std::pair{"/toy.k3x", toy::Options{.taps = true}},
                               {"/graph.k3x", toy::Options{.graphOnly = true}},
                               {"/plain.k3x", toy::Options{.maxRows = 3, .taps = false}}}) {
    Status status = writePackage(*toy::package(options), folder + name);
    if (!status.ok()) {
      std::fprintf(stderr, "k3-toy-package: %s\n", status.text().c_str());
      return 1;
    }
  }
  Status status = writePackage(*toy::gpuPackage(), folder + "/gpu.k3x");
  if (!status.ok())
    std::fprintf(stderr, "k3-toy-package: %s\n", status.text().c_str());
  return status.ok() ? 0 : 1;
}
