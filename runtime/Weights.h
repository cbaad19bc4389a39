//===- Weights.h - Where @pack takes checkpoint tensors from ----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of the weight manifest, from a checkpoint directory or drawn at random. Immutable once open;
// may be used from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef K3_RUNTIME_WEIGHTS_H
#define K3_RUNTIME_WEIGHTS_H

#include "lib/Package/Package_generated.h"
#include "lib/Support/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace k3 {

class WeightSource {
public:
  virtual ~WeightSource() = default;

  /// The bytes of one tensor, row-major; only the leading `weight.used` entries of dimension 0 where that is
  /// set. They lie in the source or in `scratch`.
  virtual Expected<std::span<const std::byte>> tensor(const fb::WeightT &weight, uint64_t member,
                                                      unsigned part,
                                                      std::vector<std::byte> &scratch) const = 0;
};

/// `source`: a directory, one .safetensors file, or "random:SEED". For a checkpoint, every tensor of the
/// manifest is looked up and compared by type and shape; the message names the first one that differs and
/// counts the others.
Expected<std::shared_ptr<const WeightSource>> openWeights(const fb::PackageT &package,
                                                          const std::string &source);

/// Bytes of one part of one member that @pack reads.
uint64_t usedBytes(const fb::WeightT &weight, unsigned part);

} // namespace k3

#endif // K3_RUNTIME_WEIGHTS_H
