//===- Manifest.h - The tensors that a checkpoint must hold ------- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weight of the manifest is one logical array or a family of them; each member consists of parts, and every
// part is one tensor of the checkpoint:  name = pattern with each {var} replaced by its index + suffix of the
// part. Members are numbered row-major over `index` (last variable fastest).
//
//===----------------------------------------------------------------------===//

#ifndef K3_PACKAGE_MANIFEST_H
#define K3_PACKAGE_MANIFEST_H

#include "lib/Package/DType.h"
#include "lib/Support/Status.h"

#include <cstdint>
#include <functional>
#include <string>

namespace k3 {

/// One tensor of the expanded manifest; the references live as long as the WeightT.
struct ManifestTensor {
  std::string name;
  const fb::WeightT &weight;
  uint64_t member;
  unsigned part;
  fb::DType dtype;
  const std::vector<uint64_t> &shape;
  uint64_t bytes;
};

struct ManifestTotals {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

/// Number of members; 1 for a weight without an index.
uint64_t memberCount(const fb::WeightT &weight);

/// Checkpoint name of one part of one member. member < memberCount(weight), part < weight.parts.size().
std::string tensorName(const fb::WeightT &weight, uint64_t member, unsigned part);

/// Every {var} of the pattern has an index range and the other way round, shapes are positive, counts and
/// bytes fit.
Status checkWeight(const fb::WeightT &weight);

/// Calls `visit` for every tensor, weights in order, then members, then parts; stops at the first failure.
/// Optional weights are included. The weights must have passed checkWeight.
Status forEachTensor(const fb::PackageT &package, const std::function<Status(const ManifestTensor &)> &visit);

/// Count and bytes of the expanded manifest, without expanding it.
ManifestTotals manifestTotals(const fb::PackageT &package);

} // namespace k3

#endif // K3_PACKAGE_MANIFEST_H
