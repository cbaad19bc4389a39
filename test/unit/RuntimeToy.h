//===- RuntimeToy.h - A hand-made package for runtime tests -----*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is easy to compute by hand and uses every part of a package: x = E[token]; y = running sum of
// x (a recurrent state); z = y + 2 * sum of the cached x (a paged state) = 3 * prefix sum; logits = z W^T.
// Vocabulary 16, 8 channels, 4 rows a page, a family of 3 "experts" that only @pack looks at, an A_log of
// which 2 entries are used.
//
//===----------------------------------------------------------------------===//

#ifndef K3_TEST_UNIT_RUNTIMETOY_H
#define K3_TEST_UNIT_RUNTIMETOY_H

#include "lib/Package/Package_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace k3::toy {

inline constexpr int64_t vocab = 16, width = 8, pageRows = 4, tablePages = 8;

struct Options {
  uint64_t maxTokens = 12, maxSequences = 3, maxRows = 12, maxCheckpoints = 2;
  bool taps = false;
  bool graphOnly = false; ///< instead of the model, the graph "prefix": y = running sum of x, states s and w
  uint32_t grain = 2;     ///< units of a work item, all launches
};

std::unique_ptr<fb::PackageT> package(const Options &options = {});

/// Buffers by number in the package.
enum Buffer : uint32_t {
  Arena,
  Weights,
  Scan,
  Window,
  Pages,
  Staging,
  Tokens,
  CuSeqlens,
  ContextLens,
  ReadSlots,
  WriteSlots,
  BlockTable,
  LogitRows,
  DraftLens,
  Accepted,
  CkptSlots,
  CkptRows,
  Logits,
  SrcSlots,
  DstSlots,
  SrcPages,
  DstPages,
  Ids,
  BufferCount
};

/// Byte offsets in the Weights buffer.
inline constexpr int64_t embedAt = 0, headAt = 4 * vocab * width, expertsAt = 2 * headAt,
                         expertBytes = 64 + 4, logAt = 1280;

/// Writes a checkpoint that fits the package: embed[v, d] = v + d / 8, head[v, d] = (v == d), experts, a
/// padded A_log.
struct Checkpoint {
  std::string dropTensor;  ///< leave this one out
  int scaleByte = 127;     ///< of expert 1, row 1, block 0
  bool wrongShape = false; ///< head is [8, 16]
  bool wrongType = false;  ///< head is F32
};
/// A folder of this process for files of that name; removed when the process ends.
std::string temporaryFolder(const std::string &name);
std::string writeCheckpoint(const std::string &directory, const Checkpoint &checkpoint = {});

} // namespace k3::toy

#endif // K3_TEST_UNIT_RUNTIMETOY_H
