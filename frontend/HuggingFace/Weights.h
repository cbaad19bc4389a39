//===- Weights.h - The weights that a config asks of its checkpoint -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every weight of the text tower with its symbol, its name, shape and dtype on disk as released, and a rule
// for random values. The list is what the IR declares and what a checkpoint is checked against.
//
//===----------------------------------------------------------------------===//

#ifndef K3_FRONTEND_HUGGINGFACE_WEIGHTS_H
#define K3_FRONTEND_HUGGINGFACE_WEIGHTS_H

#include "frontend/HuggingFace/Config.h"
#include "lib/Safetensors/DType.h"

#include <functional>

namespace k3 {

struct WeightSpec {
  enum class Format { BF16, F32, Mxfp4 };

  std::string symbol; ///< "layers.3.q_a"
  std::string
      name; ///< In the checkpoint; a family has `{e}` in it, an MXFP4 weight lacks the suffix of its parts.
  Format format = Format::BF16;
  std::vector<int64_t> shape;
  int64_t members = 0; ///< Of a family; 0: a single weight.
  int64_t used =
      0; ///< Leading entries of dimension 0 that matter; 0: all. The file may hold more or fewer padding.
  std::string init; ///< "ones", "zeros", "normal(mean, std)", "uniform(lo, hi)", "mx(std)"
  std::string why;  ///< Where the shape comes from, for messages.
};

/// All weights of the text tower in the order of the forward pass. Random values by `init` keep activations
/// near 1 and decay weak enough that state matters.
std::vector<WeightSpec> textWeights(const ModelConfig &config);

/// One tensor of the checkpoint that a spec stands for.
struct DiskTensor {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
};

/// Every tensor of `spec`: all members of a family, both parts of an MXFP4 weight (packed elements, then
/// scales). `visit` returns false to stop.
void forEachTensor(const WeightSpec &spec, const std::function<bool(const DiskTensor &)> &visit);

} // namespace k3

#endif // K3_FRONTEND_HUGGINGFACE_WEIGHTS_H
