//===- Manifest.cpp - The tensors that a checkpoint must hold ---- -*- C++ -*-===//
//
// Part of the K3 project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Package/Manifest.h"

using namespace k3;

uint64_t k3::memberCount(const fb::WeightT &weight) {
  uint64_t count = 1;
  for (const auto &index : weight.index)
    count *= index->count;
  return count;
}

std::string k3::tensorName(const fb::WeightT &weight, uint64_t member, unsigned part) {
  std::string name = weight.pattern;
  for (auto index = weight.index.rbegin(); index != weight.index.rend(); ++index) {
    uint64_t value = (*index)->first + member % (*index)->count;
    member /= (*index)->count;
    std::string variable = "{" + (*index)->var + "}";
    for (size_t at = name.find(variable); at != std::string::npos; at = name.find(variable))
      name.replace(at, variable.size(), std::to_string(value));
  }
  return name + weight.parts[part]->suffix;
}

Status k3::checkWeight(const fb::WeightT &weight) {
  auto bad = [&](const std::string &text) { return badInput("weight '" + weight.name + "': " + text); };
  std::string rest = weight.pattern;
  uint64_t members = 1, bytes = 0;
  for (const auto &index : weight.index) {
    if (!index || index->count == 0)
      return bad("an index range of its manifest pattern is empty");
    std::string variable = "{" + index->var + "}";
    size_t at = rest.find(variable);
    if (at == std::string::npos)
      return bad("its pattern '" + weight.pattern + "' has no " + variable);
    for (; at != std::string::npos; at = rest.find(variable))
      rest.erase(at, variable.size());
    if (__builtin_mul_overflow(members, uint64_t(index->count), &members))
      return bad("has more members than 64 bits count");
  }
  if (rest.find('{') != std::string::npos)
    return bad("its pattern '" + weight.pattern + "' has a variable without an index range");
  if (weight.parts.empty())
    return bad("has no parts, so no tensor of the checkpoint belongs to it");
  for (const auto &part : weight.parts) {
    std::optional<uint64_t> size = part ? denseBytes(part->dtype, part->shape) : std::nullopt;
    if (!size || bitWidth(part->dtype) == 0 || __builtin_add_overflow(bytes, *size, &bytes) || bytes >> 63)
      return bad("part '" + (part ? part->suffix : std::string()) +
                 "' has an element type or a shape without a size");
  }
  if (__builtin_mul_overflow(bytes, members, &bytes) || bytes >> 63)
    return bad("is larger than 2^63 bytes");
  return Status::success();
}

Status k3::forEachTensor(const fb::PackageT &package,
                         const std::function<Status(const ManifestTensor &)> &visit) {
  for (const auto &weight : package.weights) {
    uint64_t members = memberCount(*weight);
    for (uint64_t member = 0; member < members; ++member) {
      for (unsigned part = 0; part < weight->parts.size(); ++part) {
        const fb::PartT &info = *weight->parts[part];
        K3_TRY(visit({tensorName(*weight, member, part), *weight, member, part, info.dtype, info.shape,
                      denseBytes(info.dtype, info.shape).value_or(0)}));
      }
    }
  }
  return Status::success();
}

ManifestTotals k3::manifestTotals(const fb::PackageT &package) {
  ManifestTotals totals;
  for (const auto &weight : package.weights) {
    uint64_t members = memberCount(*weight);
    totals.count += members * weight->parts.size();
    for (const auto &part : weight->parts)
      totals.bytes += members * denseBytes(part->dtype, part->shape).value_or(0);
  }
  return totals;
}
